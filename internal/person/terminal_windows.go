package person

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// Open returns the console of this process if stdin is that.
func Open(stdin *os.File) (*Terminal, error) {
	var mode uint32
	if err := windows.GetConsoleMode(windows.Handle(stdin.Fd()), &mode); err != nil {
		return nil, ErrNoTerminal
	}
	console, err := os.OpenFile("CONOUT$", os.O_RDWR, 0)
	if err != nil {
		return nil, errors.New("this process has no console")
	}
	return &Terminal{In: stdin, Out: console}, nil
}
