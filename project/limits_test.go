package project_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/project"
)

// TestPatternsThatLeadToOtherProjects keeps docs/limits.md true: of the paths of a
// pattern the rules of other projects are not looked for.
func TestPatternsThatLeadToOtherProjects(t *testing.T) {
	t.Parallel()
	dir := tree{
		"elsewhere/x":    "",
		"all/a/src/x.go": "",
		"all/b/src/x.go": "",
		"all/b/.claude/sentinel/rules/guard.yaml": guard("src/**"),
	}.write(t)
	at := filepath.Join(dir, "elsewhere")
	for command, want := range map[string]string{
		"rm -rf " + dir + "/all/*/src": "allow",
		"rm -rf " + dir + "/all/b/src": "block",
		"rm -rf " + dir + "/all":       "block",
	} {
		require.Equal(t, want, verdict(t, project.Open([]string{at}, nil), bash(at, command)), "%s: docs/limits.md says otherwise", command)
	}
}
