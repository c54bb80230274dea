package auditcli_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/audit/rubric"
	"github.com/agentsentinel/sentinel/internal/pagetest"
)

// The page that says where each statement is shown names nothing that is gone.
func TestSpecNamesWhatExists(t *testing.T) {
	t.Parallel()
	page, err := pagetest.Read(filepath.Join("..", ".."), "audit/spec.md", "Where it is shown")
	require.NoError(t, err)
	require.Empty(t, page.Problems)
	require.Greater(t, page.Named, 150, "the page is not read as it was meant")
}

// The manual has every flag, and the help names every embedded rubric.
func TestManualHasEveryFlag(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "audit", "README.md"))
	require.NoError(t, err)
	_, help, _ := newPerson(t).audit("--help")
	flags := regexp.MustCompile(`(?m)^ +(?:-\w, )?--([a-z-]+)`).FindAllStringSubmatch(help, -1)
	require.Greater(t, len(flags), 15)
	for _, f := range flags {
		switch name := f[1]; name {
		case "help", "version":
		case "file":
			assert.Contains(t, string(page), "`-f FILE`")
		default:
			assert.Regexp(t, "`--"+name+"[ `]", string(page), "docs/audit/README.md does not have --%s", name)
		}
	}
	for _, name := range rubric.Names() {
		assert.Contains(t, help, name)
	}
}
