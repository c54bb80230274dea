//go:build !linux && !darwin

package scripttest

import (
	"errors"
	"os"
	"syscall"
)

func openTerminal() (person, program *os.File, err error) { return nil, nil, errors.ErrUnsupported }

func ownTerminal() *syscall.SysProcAttr { return nil }
