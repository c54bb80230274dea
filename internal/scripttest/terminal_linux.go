package scripttest

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// nameTerminal lets the other end of a pseudo-terminal be opened, and returns its name.
func nameTerminal(person *os.File) (string, error) {
	fd := int(person.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		return "", err
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	return fmt.Sprint("/dev/pts/", n), err
}
