package cli

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// openTerminal returns the console of this process if stdin is that.
func openTerminal(stdin *os.File) (*terminal, error) {
	var mode uint32
	if err := windows.GetConsoleMode(windows.Handle(stdin.Fd()), &mode); err != nil {
		return nil, errNoTerminal
	}
	console, err := os.OpenFile("CONOUT$", os.O_RDWR, 0)
	if err != nil {
		return nil, errors.New("this process has no console")
	}
	return &terminal{in: stdin, out: console}, nil
}
