package syntax

import (
	"os"
	"testing"
)

// The race detector on a busy machine must not make a file too hard.
func TestMain(m *testing.M) {
	patience = 60
	os.Exit(m.Run())
}
