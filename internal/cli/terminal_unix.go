//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package cli

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// openTerminal returns the terminal of this session if stdin is that. Another
// one, which somebody else sits at, can be opened but is not ours: the system
// then does not tell its foreground processes.
func openTerminal(stdin *os.File) (*terminal, error) {
	if _, err := unix.IoctlGetInt(int(stdin.Fd()), unix.TIOCGPGRP); err != nil {
		return nil, errNoTerminal
	}
	tty, err := os.OpenFile("/dev/tty", os.O_WRONLY, 0)
	if err != nil {
		return nil, errors.New("this session has no terminal")
	}
	return &terminal{in: stdin, out: tty}, nil
}
