package hook

import (
	"os"
	"strings"
	"testing"
)

// TestMain ends a background process that a hook of a test starts: to the hook the test
// is the program.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "background-work" {
		os.Exit(0)
	}
	if len(os.Args) > 1 && strings.HasPrefix(os.Args[1], "answer-on-") {
		answerOn(os.Args[1])
	}
	os.Exit(m.Run())
}
