package install_test

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/agent"
	"github.com/agentsentinel/sentinel/internal/install"
)

// TestDocumented compares docs/reference/hooks.md with what is written for every agent.
// With -update it writes those parts of the page.
func TestDocumented(t *testing.T) {
	t.Parallel()
	page := filepath.Join("..", "..", "docs", "reference", "hooks.md")
	is := content(t, page)
	want := is
	for part, text := range map[string]string{"files": filesTable(t), "hooks": hookSections(t)} {
		begin, end := "<!-- agents: "+part+" (go generate ./internal/install) -->\n", "<!-- end -->\n"
		before, rest, ok := strings.Cut(want, begin)
		require.True(t, ok, "the page has no place for the %s", part)
		_, after, ok := strings.Cut(rest, end)
		require.True(t, ok, "the %s do not end", part)
		want = before + begin + text + end + after
	}
	if *update {
		require.NoError(t, os.WriteFile(page, []byte(want), 0o644))
		return
	}
	require.Equal(t, want, is, "go generate ./internal/install")
}

// alike are the agents with the same files and entries, in the order in which they are shown.
func alike(t *testing.T) (groups [][]*agent.Agent) {
	t.Helper()
	at := map[string]int{}
	for _, a := range agents.All() {
		text := fmt.Sprint(written(t, a.Name, place(t, "linux"), install.Hook{GOOS: "linux"}))
		if i, ok := at[text]; ok {
			groups[i] = append(groups[i], a)
			continue
		}
		at[text], groups = len(groups), append(groups, []*agent.Agent{a})
	}
	return groups
}

func titles(group []*agent.Agent) string {
	var names []string
	for _, a := range group {
		names = append(names, a.DisplayName())
	}
	return strings.Join(names, ", ")
}

// filesTable says where each agent keeps its hooks.
func filesTable(t *testing.T) string {
	var b strings.Builder
	b.WriteString("| agent | `--agent` | in a repository | for one person (`--user`) |\n|---|---|---|---|\n")
	for _, group := range alike(t) {
		var flags []string
		for _, a := range group {
			flags = append(flags, "`"+a.Name+"`")
		}
		s := &group[0].Settings
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", titles(group), strings.Join(flags, ", "), filesOf(s, install.Repository, ""), filesOf(s, install.User, "~/"))
	}
	return b.String()
}

// filesOf are the files of a scope, from the repository or the home folder.
func filesOf(s *install.Settings, scope install.Scope, from string) string {
	base := string(filepath.Separator) + "base"
	var names []string
	for _, file := range s.Files(install.Place{Root: base, Home: base, GOOS: "linux"}, scope) {
		name := from + strings.TrimPrefix(filepath.ToSlash(strings.TrimPrefix(file, base)), "/")
		if s.PerEvent {
			name = path.Dir(name) + "/"
		}
		if name = "`" + name + "`"; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// hookSections show the first entry that is written for each agent, and name the others.
// What else there is to say is in testdata/settings of the agent's folder.
func hookSections(t *testing.T) string {
	var b strings.Builder
	for _, group := range alike(t) {
		a := group[0]
		p := place(t, "linux")
		file := a.Settings.Files(p, install.Repository)[0]
		name, err := filepath.Rel(p.Root, file)
		require.NoError(t, err)
		text, more := firstEntry(t, a, file, filepath.ToSlash(name))
		fmt.Fprintf(&b, "\n## %s\n\n<!-- written: %s %s -->\n```%s\n%s\n```\n", titles(group), a.Name, filepath.ToSlash(name), language(name, text), strings.TrimSpace(text))
		notes, err := os.ReadFile(filepath.Join(folderOf(t, a.Name), "testdata", "settings", a.Name+".md"))
		if err != nil {
			require.ErrorIs(t, err, os.ErrNotExist)
		}
		if more = strings.TrimSpace(more + " " + string(notes)); more != "" {
			fmt.Fprintf(&b, "\n%s\n", more)
		}
	}
	return b.String() + "\n"
}

// firstEntry is the file with its first entry alone, and a sentence about the further ones.
func firstEntry(t *testing.T, a *agent.Agent, file, name string) (text, more string) {
	t.Helper()
	s, h := &a.Settings, install.Hook{GOOS: "linux"}
	if s.Wants == nil {
		return firstLines(written(t, a.Name, place(t, "linux"), h)[name]), ""
	}
	wants := s.Wants(file, h)
	first, err := s.FormOf(file).MergeWants(nil, wants[:1])
	require.NoError(t, err)
	var events []string
	for _, w := range wants[1:] {
		events = append(events, "`"+w.Event+"`")
	}
	return string(first), "Further events: " + strings.Join(events, ", ") + "."
}

// firstLines are a short script, or the values in a long one.
func firstLines(script string) string {
	if strings.Count(script, "\n") < 10 {
		return script
	}
	_, rest, _ := strings.Cut(script, "\nconst agent")
	values, _, _ := strings.Cut("const agent"+rest, "\n\n")
	return values
}

func language(file, text string) string {
	if strings.HasPrefix(text, "#!") {
		return "sh"
	}
	return strings.TrimPrefix(filepath.Ext(file), ".")
}
