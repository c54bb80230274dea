//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package cli

import (
	"errors"
	"os"
)

// openTerminal refuses: nothing is known of terminals here.
func openTerminal(*os.File) (*terminal, error) {
	return nil, errors.New("terminals are not known on this system")
}
