package repo

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCommitTypes reads the types that settings of several programs list. Lists of other things, and lists of
// forbidden types, do not count.
func TestCommitTypes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"pyproject.toml", "[tool.commits]\nvalid-types = [\"feat\", \"fix\", \"adr\"]\nrequired-types = [\"adr\"]\n", []string{"feat", "fix", "adr"}},
		{"commitlint.config.js", "export default {\n  rules: {\n    'type-enum': [2, 'always', [\n      'feat',\n      'fix', // a fault\n      'db-change',\n    ]],\n  },\n}\n", []string{"feat", "fix", "db-change"}},
		{".commitlintrc.yaml", "rules:\n  type-enum:\n    - 2\n    - always\n    - - feat\n      - fix\n      - ops\n", []string{"feat", "fix", "ops"}},
		{".commitlintrc.json", `{"rules": {"type-enum": [2, "always", ["feat", "fix", "ops"]]}}`, []string{"feat", "fix", "ops"}},
		{"package.json", `{"types": "a.d.ts", "commitlint": {"rules": {"type-enum": [2, "always", ["feat", "fix"]]}}}`, []string{"feat", "fix"}},
		{"commitlint.config.js", "export default {rules: {'type-enum': [2, 'never', ['feat', 'fix']]}}", nil},
		{"commitlint.config.js", "export default {extends: ['@commitlint/config-conventional']}", nil},
		{"pyproject.toml", "types = [\"boto3\", \"requests\"]\n", nil},
		{"notes.txt", "types = [\"feat\", \"fix\"]\n", nil},
	} {
		root := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(root, c.name), []byte(c.text), 0o600))
		tree := New(root)
		require.Equal(t, c.want, tree.CommitTypes(), c.text)
	}
	require.Nil(t, new(Tree).CommitTypes())
}
