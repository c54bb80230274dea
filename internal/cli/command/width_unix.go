//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package command

import (
	"os"

	"golang.org/x/sys/unix"
)

// terminalWidth is the width of a terminal in characters, 0 if f is not one.
func terminalWidth(f *os.File) int {
	size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return 0
	}
	return int(size.Col)
}
