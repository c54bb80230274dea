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
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/agent"
)

// TestTables compares the tables of the documentation with the values of the agents. With
// -update it writes them between their marks.
func TestTables(t *testing.T) {
	t.Parallel()
	for file, tables := range map[string]map[string]string{
		"README.md":             {"seen": seenTable("docs/agents", false)},
		"docs/agents/README.md": {"seen": seenTable(".", true), "parts": partsTable(), "abilities": abilitiesTable()},
	} {
		name := filepath.Join("..", filepath.FromSlash(file))
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		want := string(text)
		for table, rows := range tables {
			begin, end := fmt.Sprintf("<!-- agents: %s (go test ./agent -update) -->\n", table), "<!-- end -->\n"
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
		require.Equal(t, want, string(text), "%s is not what the agents say: go test ./agent -update", file)
	}
}

// A seenRow is one program of an agent.
type seenRow struct {
	agent *agent.Agent
	agent.Seen
}

// seenTable says how the agents' answers were seen to work. pages is the folder of the
// agents' pages.
func seenTable(pages string, tests bool) string {
	var rows []seenRow
	for _, a := range agents.All() {
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
			if tests {
				run = strings.Join(r.tests(), ", ")
			}
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
	{"blocked", "write, shell"},
	{"harmless", "harmless call"},
	{"server", "MCP"},
	{"warned", "warning"},
	{"summary", "summary"},
	{"parallel", "calls at once"},
	{"kept", "kept at work"},
	{"subfolder", "sub-folder"},
	{"worktree", "worktree"},
	{"subagent", "subagent"},
	{"user", "user's hook"},
	{"unfound", "no `sentinel`"},
	{"strict", "the same, strict"},
	{"tools", "tool list"},
	{"tested", "tests first"},
	{"verified", "`verify`"},
}

// partsTable says what each agent was put through.
func partsTable() string {
	var b strings.Builder
	b.WriteString("| agent |")
	for _, p := range parts {
		b.WriteString(" " + p.title + " |")
	}
	b.WriteString("\n|" + strings.Repeat("---|", len(parts)+1) + "\n")
	for _, a := range agents.All() {
		for _, s := range a.Seen {
			if len(seenRow{a, s}.tests()) == 0 {
				continue
			}
			b.WriteString("| " + cmp.Or(s.Program, a.Title) + " |")
			for _, p := range parts {
				b.WriteString(" " + cmp.Or(s.Parts[p.name], "yes") + " |")
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

// reaches say in which folders an agent loads the hook of a repository.
var reaches = map[agent.Reach]string{
	agent.ReachUnknown: "where it is opened; below that not known",
	agent.ReachRoot:    "**only when it is started in its first folder**",
	agent.ReachBelow:   "in every folder of it",
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
	b.WriteString("| agent | `--agent` | asks its user | reads context before a tool | after a tool | tells the end of a session | tells results of commands | numbers its calls | waits for a hook | its session records are read | loads a repository's hook |\n")
	b.WriteString("|---|---|---|---|---|---|---|---|---|---|---|\n")
	for _, a := range agents.All() {
		does := a.Abilities
		if a.Speaks != "" {
			does = agents.Find(a.Speaks).Abilities
		}
		asks := yes(does.AsksUser)
		if does.WaitsOnAsk {
			asks += "; a run without a user waits for ever"
		}
		waits := "for ever, or not known"
		if limit := a.Timeout(sentinel.PhasePre); limit > 0 {
			waits = fmt.Sprint(int(limit/time.Second), " s")
		}
		fmt.Fprintf(&b, "| %s | `%s` | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", a.Title, a.Name, asks, yes(does.ContextBefore),
			yes(does.ContextAfter), yes(does.TellsEnd), yes(does.TellsResults), yes(does.NumbersCalls), waits, yes(a.Sessions.Format != ""), reaches[a.Settings.Reach])
	}
	return b.String()
}
