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
	for name, table := range map[string]*table{"programs": &programs, "options": &options, "git": &git, "context": &context, "wrappers": &wrappers, "formats": &formats, "acts": &acts, "inert": &inert, "recipes": &recipes, "folders": &folders, "plain": &modest, "shown": &shown} {
		table.find("")
		require.NotZero(t, table.n, name)
		require.Less(t, len(*table.text), 1<<16, "%s.txt: offsets have 16 bits", name)
		before := ""
		for i := range table.n {
			n, _, _ := strings.Cut(table.row(i), "\t")
			assert.Less(t, before, n, "%s.txt is sorted by name", name)
			assert.NotEmpty(t, table.find(n), "%s.txt: %s refers to an entry that is not there", name, n)
			before = n
		}
	}
	for i := range wrappers.n {
		n, _, _ := strings.Cut(wrappers.row(i), "\t")
		entry := wrappers.find(n)
		assert.True(t, entry[0] >= '0' && entry[0] <= '9', "wrappers.txt: %s starts with a number", n)
		fact := "wrapper"
		if strings.Contains(n, " ") {
			fact = "runner"
		}
		program, _, _ := strings.Cut(n, " ")
		assert.True(t, Find(program).Has(fact), "programs.txt does not have %s as a %s", program, fact)
	}
}

// TestFolderOptions: the value of an option that names a folder is not an operand.
func TestFolderOptions(t *testing.T) {
	t.Parallel()
	folders.find("")
	for i := range folders.n {
		name, _, _ := strings.Cut(folders.row(i), "\t")
		how, wrapper := FindFolder(name), Options{}
		if w, ok := FindWrapper(name); ok {
			wrapper = w.Options
		}
		for _, option := range slices.Concat(how.List("before"), how.List("first")) {
			assert.True(t, ContextOf(name).HasValue(option), "context.txt: %s %s", name, option)
		}
		for _, fact := range []string{"dir", "project", "file", "package", "first"} {
			for _, option := range how.List(fact) {
				assert.True(t, OptionsOf(name, "").HasValue(option) || wrapper.HasValue(option), "options.txt: %s %s", name, option)
			}
		}
		if !ContextOf(name).Empty() {
			for _, option := range slices.Concat(how.List("dir"), how.List("project"), how.List("package")) {
				assert.True(t, ContextOf(name).HasValue(option), "context.txt: %s %s", name, option)
			}
		}
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"", "\t", "a\tb", "curl\t", "curl\tfiles", "#", "~", "\x00", "zzz", "git\n"} {
		assert.Empty(t, Find(name), "%q", name)
		assert.True(t, OptionsOf(name, name).Empty(), "%q", name)
		assert.False(t, Find("curl").Has(name), "%q", name)
		assert.False(t, OptionsOf("curl", "").Has([]string{"-f", "--fail"}, name), "%q", name)
		_, ok := OptionsOf("curl", "").Value("--fail", "", name, false)
		assert.False(t, ok, "%q", name)
	}
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
