//go:build linux || darwin

package scripttest

import (
	"os"
	"syscall"
)

// openTerminal opens both ends of a pseudo-terminal: that at which a person sits, and that of a program.
func openTerminal() (person, program *os.File, err error) {
	person, err = os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		return nil, nil, err
	}
	name, err := nameTerminal(person)
	if err == nil {
		program, err = os.OpenFile(name, os.O_RDWR|syscall.O_NOCTTY, 0)
	}
	if err != nil {
		person.Close()
	}
	return person, program, err
}

// ownTerminal makes standard input the terminal of a program.
func ownTerminal() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true, Setctty: true} }
