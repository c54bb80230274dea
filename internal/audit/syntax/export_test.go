package syntax

import (
	"os"
	"testing"
)

// The race detector on a busy machine is no reason for a file to be too hard.
func TestMain(m *testing.M) {
	patience = 60
	os.Exit(m.Run())
}
