package agent_test

import (
	"cmp"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/agent"
	"github.com/agentsentinel/sentinel/agent/internal/agenttest"
)

// TestTables compares the tables of the documentation with the values of the agents. With
// -update it writes them between their marks.
func TestTables(t *testing.T) {
	t.Parallel()
	for file, tables := range map[string]map[string]string{
		"README.md":             {"seen": seenTable("docs/agents")},
		"docs/agents/README.md": {"parts": partsTable(), "abilities": abilitiesTable()},
	} {
		name := filepath.Join("..", filepath.FromSlash(file))
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		want := string(text)
		for table, rows := range tables {
			begin, end := fmt.Sprintf("<!-- agents: %s (go generate ./agent) -->\n", table), "<!-- end -->\n"
			before, rest, ok := strings.Cut(want, begin)
			require.True(t, ok, "%s has no place for the table %q", file, table)
			_, after, ok := strings.Cut(rest, end)
			require.True(t, ok, "the table %q of %s does not end", table, file)
			want = before + begin + rows + end + after
		}
		if *update {
			require.NoError(t, os.WriteFile(name, []byte(want), 0o644))
			continue
		}
		require.Equal(t, want, string(text), "%s is not what the agents say: go generate ./agent", file)
	}
}

// A seenRow is one program of an agent.
type seenRow struct {
	agent *agent.Agent
	agent.Seen
}

// seenTable says how the agents' answers were seen to work. pages is the folder of the
// agents' pages.
func seenTable(pages string) string {
	var rows []seenRow
	for _, a := range agenttest.Agents.All() {
		for _, s := range a.Seen {
			rows = append(rows, seenRow{a, s})
		}
	}
	slices.SortStableFunc(rows, func(a, b seenRow) int { return cmp.Compare(min(1, len(b.tests())), min(1, len(a.tests()))) })
	var b strings.Builder
	b.WriteString("| agent | version | block | ask | warn | context | stop | end-to-end test |\n|---|---|---|---|---|---|---|---|\n")
	for _, r := range rows {
		name := cmp.Or(r.Program, r.agent.Title)
		if r.Page != "" {
			name = "[" + name + "](" + path.Join(pages, r.Page) + ")"
		}
		run := "no"
		if len(r.tests()) > 0 {
			run = "yes"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s | %s |\n", name, r.Version,
			said(r.Block), said(r.Ask), said(r.Warn), said(r.Context), said(r.Stop), run)
	}
	return strings.ReplaceAll(b.String(), "|  |", "| |")
}

// tests are the functions of package e2e that the claims name.
func (r seenRow) tests() (names []string) {
	for _, c := range []agent.Claim{r.Block, r.Ask, r.Warn, r.Context, r.Stop} {
		if name, _, _ := strings.Cut(c.Test, "/"); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// said is a claim in words.
func said(c agent.Claim) string {
	how := "documented, not run"
	switch {
	case c.Test != "":
		how = "end to end"
	case c.Recorded:
		how = "recorded payloads"
	case c.Never:
		how = "none"
	}
	if c.Note != "" {
		how += ": " + c.Note
	}
	return how
}

// parts are what all agents are put through, by their names in package e2e.
var parts = []struct{ name, title string }{
	{"blocked", "blocked writes and commands"},
	{"harmless", "harmless calls"},
	{"server", "MCP tools"},
	{"warned", "warnings"},
	{"summary", "session summaries"},
	{"parallel", "six calls at once"},
	{"kept", "unfinished turns"},
	{"subfolder", "sub-folders"},
	{"worktree", "worktrees"},
	{"subagent", "subagents"},
	{"user", "hooks of the user"},
	{"unfound", "a missing `sentinel`"},
	{"strict", "the same with `fail_open: false`"},
	{"tools", "lists of tools"},
	{"tested", "tests before a commit"},
	{"verified", "`verify`"},
}

// partsTable says where an agent differs in what all of them were put through.
func partsTable() string {
	type difference struct{ titles, programs []string }
	var notes []string
	differ := map[string]*difference{}
	add := func(list []string, s string) []string {
		if slices.Contains(list, s) {
			return list
		}
		return append(list, s)
	}
	for _, a := range agenttest.Agents.All() {
		for _, s := range a.Seen {
			for _, p := range parts {
				note := strings.TrimPrefix(s.Parts[p.name], "no: ")
				if note == "" || len(seenRow{a, s}.tests()) == 0 {
					continue
				}
				if differ[note] == nil {
					notes, differ[note] = append(notes, note), &difference{}
				}
				d := differ[note]
				d.titles, d.programs = add(d.titles, p.title), add(d.programs, cmp.Or(s.Program, a.Title))
			}
		}
	}
	var b strings.Builder
	b.WriteString("| agent | test | difference |\n|---|---|---|\n")
	for _, note := range notes {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", strings.Join(differ[note].programs, "; "), strings.Join(differ[note].titles, ", "), note)
	}
	return b.String()
}

// reaches say in which folders an agent loads the hook of a repository.
var reaches = map[agent.Reach]string{
	agent.ReachUnknown: "opened folder",
	agent.ReachRoot:    "**first folder only**",
	agent.ReachBelow:   "every folder",
}

// abilitiesTable says what the agents are able to do.
func abilitiesTable() string {
	yes := func(b bool) string {
		if b {
			return "yes"
		}
		return "no"
	}
	var b strings.Builder
	b.WriteString("| agent | `--agent` | asks its user | context before a tool | after a tool | end of a session | results of commands | loads the hook in |\n")
	b.WriteString("|---|---|---|---|---|---|---|---|\n")
	for _, a := range agenttest.Agents.All() {
		does := a.Abilities
		if a.Speaks != "" {
			does = agenttest.Agents.Find(a.Speaks).Abilities
		}
		asks := yes(does.AsksUser)
		if does.WaitsOnAsk {
			asks += "; waits for ever without a user"
		}
		title, seen := a.Title, a.Seen
		if len(seen) == 0 && a.Speaks != "" {
			seen = agenttest.Agents.Find(a.Speaks).Seen
		}
		if len(seen) > 0 && seen[0].Page != "" {
			title = "[" + title + "](" + seen[0].Page + ")"
		}
		fmt.Fprintf(&b, "| %s | `%s` | %s | %s | %s | %s | %s | %s |\n", title, a.Name, asks, yes(does.ContextBefore),
			yes(does.ContextAfter), yes(does.TellsEnd), yes(does.TellsResults), reaches[a.Settings.Reach])
	}
	return b.String()
}
