package instructions

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/instructions/statement"
	"github.com/agentsentinel/sentinel/internal/instructions/survey"
	"github.com/agentsentinel/sentinel/rule"
	"github.com/agentsentinel/sentinel/shell"
)

// A preciseCase is a text of testdata, with what its drafts are.
type preciseCase struct {
	Text   string   // lines, where it is more than an item
	Line   string   // an item
	Drafts []string // their ids
	Has    []string // what the drafts have to say
	Not    []string // and what not
	Files  []string // of the project
}

// preciseCases are the cases in testdata, each with its text.
func preciseCases(t *testing.T) (list []preciseCase) {
	for _, name := range []string{"precise", "subjects"} {
		data, err := os.ReadFile("testdata/" + name + ".yaml")
		require.NoError(t, err)
		var all []preciseCase
		require.NoError(t, yaml.Unmarshal(data, &all))
		list = append(list, all...)
	}
	for i := range list {
		if c := &list[i]; c.Line != "" {
			c.Text = "- " + c.Line + "\n"
		}
	}
	return list
}

// TestPrecise: the drafts of lines that look like the lines of a form and say something
// else, or that say less than it.
func TestPrecise(t *testing.T) {
	if testing.Short() {
		t.Skip("it judges thousands of lines one after the other: not with -short, as under the race detector")
	}
	for _, c := range preciseCases(t) {
		f := statement.File{Path: "CLAUDE.md", Text: "# Rules\n\n" + c.Text}
		p := &survey.Project{Commands: []string{"npm test", "make lint"}}
		if len(c.Files) > 0 {
			p = treeOf(t, f, c.Files...)
		}
		ids, said := []string{}, strings.Builder{}
		all := statement.Of(&f)
		for i := range all {
			for _, d := range Drafts(&all[i], p) {
				ids = append(ids, d.ID)
				said.WriteString(d.YAML)
			}
		}
		t.Run(c.Text, func(t *testing.T) {
			require.Equal(t, c.Drafts, ids)
			for _, has := range c.Has {
				require.Contains(t, said.String(), has)
			}
			for _, not := range c.Not {
				require.NotContains(t, said.String(), not)
			}
		})
	}
}

// TestPreciseInFolder: the same lines in a file of a folder make rules that hold, or none.
func TestPreciseInFolder(t *testing.T) {
	if testing.Short() {
		t.Skip("it judges thousands of lines one after the other: not with -short, as under the race detector")
	}
	made := 0
	for _, c := range preciseCases(t) {
		f := statement.File{Path: "zone/AGENTS.md", Globs: []string{"zone/**"}, Text: "# Rules\n\n" + c.Text}
		all := statement.Of(&f)
		for _, p := range []*survey.Project{treeOf(t, f, "zone/src/a.ts", "src/b.ts"), {}} {
			for i := range all {
				made += len(Drafts(&all[i], p))
			}
		}
	}
	require.Greater(t, made, 300)
}

// TestNestedFile: what a file of a folder says of programs is about calls in that folder, and
// acts in git are forbidden everywhere. A file of other globs tells no folder, and warns.
func TestNestedFile(t *testing.T) {
	for _, c := range []struct {
		line, file string
		globs      []string
		severity   string
		here       bool
	}{
		{"Use `pnpm`, not `npm`.", "web/CLAUDE.md", nil, "block", false},
		{"Use `pnpm`, not `npm`.", "web/CLAUDE.md", []string{"web/**"}, "block", true},
		{"Use `bun <file>` instead of `node <file>`.", "apps/web/AGENTS.md", []string{"apps/web/**"}, "block", true},
		{"Use `pnpm`, not `npm`.", ".cursor/rules/web.mdc", []string{"web/**"}, "warn", false},
		{"Never run `pnpm run pages --filter web`.", "apps/web/CLAUDE.md", []string{"apps/web/**"}, "block", false},
		{"Never run `pnpm run pages --fast web`.", "apps/web/CLAUDE.md", []string{"apps/web/**"}, "block", true},
		{"Never force push.", "web/CLAUDE.md", []string{"web/**"}, "block", false},
	} {
		f := statement.File{Path: c.file, Text: "# Rules\n\n- " + c.line + "\n", Globs: c.globs}
		all := statement.Of(&f)
		list := Drafts(&all[0], &survey.Project{})
		require.NotEmpty(t, list, c.line)
		require.Contains(t, list[0].YAML, "severity: "+c.severity, c.line)
		require.Equal(t, c.here, strings.Contains(list[0].YAML, "within(cmd.folder"), c.line)
	}
}

// TestNestedCalls: the draft of a folder's file is about calls that work there, however the line
// says so. Where a call works that the line does not place is not known, and the draft lets it be.
func TestNestedCalls(t *testing.T) {
	f := statement.File{Path: "web/CLAUDE.md", Text: "# Rules\n\n- Use `pnpm`, not `npm`.\n", Globs: []string{"web/**"}}
	all := statement.Of(&f)
	list := Drafts(&all[0], &survey.Project{})
	require.NotEmpty(t, list)
	rules, problems := rule.Build([]rule.File{rule.ParseStrict("npm.yaml", []byte(list[0].YAML))}, nil)
	require.Empty(t, problems)
	for line, stops := range map[string]bool{
		"cd web && npm install x": true, "npm install x --prefix web": true, "npm --prefix=web install x": true, "npm install x -w ./web": true,
		"npm install x": false, "npm install x --prefix api": false, "npm install x -w web": false, "npm install x --workspaces": false, `cd "$DIR" && npm install x`: false,
	} {
		a := &sentinel.Action{Trigger: sentinel.Bash, Target: line, Forms: []string{line}, Root: "/p", Dir: "/p", Command: shell.Parse(line, nil), Certain: true}
		m := rules[0].Match(a)
		got, err := rules[0].When(t.Context(), a, m)
		require.NoError(t, err)
		require.Equal(t, stops, m.OK && got, line)
	}
}
