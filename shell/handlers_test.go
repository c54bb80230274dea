package shell

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestHandlers shows that every kind in the table of programs has a handler, and
// every handler a program.
func TestHandlers(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("internal/table/programs.txt")
	require.NoError(t, err)
	used := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		for _, fact := range strings.Fields(line)[1:] {
			name, kind, _ := strings.Cut(fact, "=")
			switch name {
			case "files":
				assert.NotNil(t, handle(fileHandlers[:], kind), line)
			case "runs":
				assert.NotNil(t, handle(runHandlers[:], kind), line)
			}
			used[fact] = true
		}
	}
	for _, h := range fileHandlers {
		assert.True(t, used["files="+h.kind], "no program has files=%s", h.kind)
	}
	for _, h := range runHandlers {
		assert.True(t, used["runs="+h.kind], "no program has runs=%s", h.kind)
	}
}
