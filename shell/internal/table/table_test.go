package table

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTables keeps the texts in the form that lookups rely on.
func TestTables(t *testing.T) {
	t.Parallel()
	for name, table := range map[string]*table{"programs": &programs, "options": &options, "git": &git, "context": &context, "wrappers": &wrappers} {
		table.find("")
		require.NotEmpty(t, table.rows, name)
		assert.True(t, slices.IsSortedFunc(table.rows, func(a, b row) int { return strings.Compare(a.name, b.name) }), "%s.txt is sorted by name", name)
		for i, r := range table.rows {
			assert.NotEmpty(t, table.find(r.name), "%s.txt: %s refers to an entry that is not there", name, r.name)
			assert.False(t, i > 0 && table.rows[i-1].name == r.name, "%s.txt has %s twice", name, r.name)
			assert.NotContains(t, r.name, "  ", "%s.txt: %s", name, r.name)
		}
	}
	for _, r := range wrappers.rows {
		entry := wrappers.find(r.name)
		assert.True(t, entry[0] >= '0' && entry[0] <= '9', "wrappers.txt: %s starts with a number", r.name)
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	assert.True(t, Find("curl").Has("network"))
	assert.False(t, Find("cur").Has("network"))
	assert.Equal(t, "node", Find("deno").Value("code"))
	assert.Empty(t, Find("curl").Value("code"))
	assert.Equal(t, OptionsOf("docker", ""), OptionsOf("podman", ""))
	assert.True(t, OptionsOf("curl", "").HasValue("--form-string"), "of a line that continues the entry")
	assert.True(t, OptionsOf("tar", "").Has([]string{"-xzf"}, "--extract"))
	assert.False(t, OptionsOf("git", "push").Has([]string{"--force-with-lease"}, "--force"))
}

// TestQuotedNames shows that a quoted word with a space is not taken for a
// program with a sub-command.
func TestQuotedNames(t *testing.T) {
	t.Parallel()
	_, ok := FindWrapper("uv run")
	assert.False(t, ok)
	_, ok = FindRunner("uv tool", "run")
	assert.False(t, ok)
	w, ok := FindRunner("uv", "tool", "run")
	assert.True(t, ok)
	assert.Equal(t, 3, w.Operands)
}
