//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package person

import (
	"errors"
	"os"
)

// Open refuses: nothing is known of terminals here.
func Open(*os.File) (*Terminal, error) {
	return nil, errors.New("terminals are not known on this system")
}
