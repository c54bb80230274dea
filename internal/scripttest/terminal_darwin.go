package scripttest

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// nameTerminal lets the other end of a pseudo-terminal be opened, and returns its name.
func nameTerminal(person *os.File) (string, error) {
	var name [128]byte
	for _, request := range [...]uintptr{unix.TIOCPTYGRANT, unix.TIOCPTYUNLK, unix.TIOCPTYGNAME} { // the first two take no argument
		if _, _, err := unix.Syscall(unix.SYS_IOCTL, person.Fd(), request, uintptr(unsafe.Pointer(&name[0]))); err != 0 {
			return "", err
		}
	}
	return unix.ByteSliceToString(name[:]), nil
}
