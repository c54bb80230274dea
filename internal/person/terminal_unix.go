//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package person

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// Open returns the terminal of this session if stdin is that. Another
// one, of another user, can be opened but is not ours: the system
// then does not tell its foreground processes.
func Open(stdin *os.File) (*Terminal, error) {
	if _, err := unix.IoctlGetInt(int(stdin.Fd()), unix.TIOCGPGRP); err != nil {
		return nil, ErrNoTerminal
	}
	tty, err := os.OpenFile("/dev/tty", os.O_WRONLY, 0)
	if err != nil {
		return nil, errors.New("this session has no terminal")
	}
	return &Terminal{In: stdin, Out: tty}, nil
}
