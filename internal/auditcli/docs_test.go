package auditcli_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/audit/rubric"
)

// The page that says where each statement is shown names nothing that is gone: a
// span with a slash is a path, and a test after it is one of that package.
func TestSpecNamesWhatExists(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	page, err := os.ReadFile(filepath.Join(root, "docs", "audit", "spec.md"))
	require.NoError(t, err)
	span := regexp.MustCompile("`([^`]+)`")
	named := 0
	for row := range strings.Lines(string(page)) {
		cells := strings.Split(row, "|")
		dir := ""
		for _, m := range span.FindAllStringSubmatch(cells[max(len(cells)-2, 0)], -1) {
			switch name := m[1]; {
			case strings.Contains(name, "/"):
				info, err := os.Stat(filepath.Join(root, filepath.FromSlash(name)))
				if !assert.NoError(t, err, row) {
					continue
				}
				if info.IsDir() {
					dir = name
				}
				named++
			case strings.HasPrefix(name, "Test") || strings.HasPrefix(name, "Fuzz"):
				assert.True(t, hasTest(t, filepath.Join(root, filepath.FromSlash(dir)), name), "%s has no %s, which docs/audit/spec.md names:\n%s", dir, name, row)
				named++
			}
		}
	}
	require.Greater(t, named, 150, "the page is not read as it was meant")
}

func hasTest(t *testing.T, dir, name string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	require.NoError(t, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		if strings.Contains(string(text), "\nfunc "+name+"(") {
			return true
		}
	}
	return false
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
