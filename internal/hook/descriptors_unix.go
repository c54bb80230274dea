//go:build unix

package hook

import (
	"errors"

	"golang.org/x/sys/unix"
)

// descriptorsNeeded are those that a hook has open at once, with the two that the Go
// runtime cannot be without: it ends the process with a trace then.
const descriptorsNeeded = 5

// checkDescriptors says that too few files can be opened for a call to be judged.
func checkDescriptors() (err error) {
	var open [descriptorsNeeded]int
	n := 0
	for ; n < len(open) && err == nil; n++ {
		open[n], err = unix.FcntlInt(0, unix.F_DUPFD_CLOEXEC, 0)
	}
	if err != nil {
		n--
	}
	for _, fd := range open[:n] {
		unix.Close(fd)
	}
	if errors.Is(err, unix.EMFILE) || errors.Is(err, unix.ENFILE) {
		return errors.New("too few files can be opened; raise the limit (ulimit -n)")
	}
	return nil
}
