package instructions

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
)

// TestDirectly: a recipe that runs a command passes where the command is only forbidden to be
// run without it.
func TestDirectly(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"justfile":     "firmware board:\n    tool.py build {{board}}\n\nunits:\n    pytest -q\n",
		"Makefile":     "units:\n\tpytest -q\n",
		"package.json": `{"scripts": {"units": "jest --ci"}}`,
		"ci/units.sh":  "pytest -q\n",
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(root, name), []byte(text), 0o644))
	}
	for _, c := range []struct{ line, stops, passes string }{
		{"**Never run `tool.py` directly**: use `just firmware`.", "tool.py build", "just firmware b"},
		{"Never run `pytest` directly, use `make units`.", "pytest -q", "make units"},
		{"Use `make units`, not bare `bundle exec rspec`.", "bundle exec rspec", "make units"},
		{"Never run `pytest` directly.", "timeout 9 pytest", "just units"},
		{"Use `make units`, never `pytest`.", "cd a && pytest", "make units"},
		{"Use `npm run units`, not `jest`.", "jest", "npm run units"},
		{"Never run `pytest`; run `ci/units.sh` for the tests.", "pytest", "ci/units.sh"},
	} {
		list := onLine("- "+c.line+"\n", 1)
		require.NotEmpty(t, list, c.line)
		for _, d := range list {
			d.YAML = strings.Replace(d.YAML, "\ntests:\n", "\ntests:\n  - bash: "+c.stops+"\n    expect: violation\n  - bash: "+c.passes+"\n    expect: pass\n", 1)
			require.Empty(t, ruletext.Read(d.ID, []byte(d.YAML)).Faults(root), c.line)
		}
	}
	forbidden := onLine("- Never run `pytest`.\n", 1)
	require.NotEmpty(t, forbidden)
	yaml := strings.Replace(forbidden[0].YAML, "\ntests:\n", "\ntests:\n  - bash: make units\n    expect: violation\n", 1)
	require.Empty(t, ruletext.Read(forbidden[0].ID, []byte(yaml)).Faults(root))
}
