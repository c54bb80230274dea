package instructions

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/agentsentinel/sentinel/internal/instructions/forms"
	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/instructions/statement"
	"github.com/agentsentinel/sentinel/internal/instructions/survey"
)

// tableLines are the lines of all tables.
func tableLines(t *testing.T) (list []string) {
	var lines []struct{ Line string }
	data, err := os.ReadFile("testdata/lines.yaml")
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(data, &lines))
	for _, l := range lines {
		list = append(list, l.Line)
	}
	for _, f := range forms.All().Forms {
		for _, c := range f.Cases {
			list = append(list, c.Line)
		}
	}
	return list
}

// draftsOf are the drafts of a file.
func draftsOf(text string) (list []Draft) {
	all := statement.Of(&statement.File{Path: "CLAUDE.md", Text: text})
	for i := range all {
		list = append(list, Drafts(&all[i], &survey.Project{Commands: []string{"npm test", "make lint"}})...)
	}
	return list
}

// TestPolarity: no draft demands what its line forbids, and none forbids anything of a line
// that forbids, limits or replaces nothing.
func TestPolarity(t *testing.T) {
	if testing.Short() {
		t.Skip("it judges thousands of lines one after the other: not with -short, as under the race detector")
	}
	forbidden := regexp.MustCompile("(?i)(?:never|not|n't|avoid)(?: \\w+){0,2} `([^`]+)`")
	limits := regexp.MustCompile(`(?i)\b(?:never|no|not|\w+n['’]t|avoid\w*|refrain|instead|over|prefer|rather|only|ask|approval|unless|without|forbidden|forbids|deprecated|banned|prohibited|disallowed|blocked|read-only|immutable|generated|leave|off[- ]limits|treat|symlink|via|always use|package manager|package management|must use|exclusively|permission|confirmation|before|require\w*|for humans)\b| > |禁|不|勿|❌`)
	for _, line := range tableLines(t) {
		for _, file := range []string{"# Rules\n\n- " + line + "\n", "# Rules\n\nBefore committing:\n\n- " + line + "\n", "## Pre-push\n\n- " + line + "\n"} {
			for _, d := range draftsOf(file) {
				var r ruletext.Rule
				require.NoError(t, yaml.Unmarshal([]byte(d.YAML), &r))
				if r.Requires != nil {
					for _, m := range forbidden.FindAllStringSubmatch(line, -1) {
						if !strings.Contains(line, "before") && !strings.Contains(line, "until") && !strings.Contains(line, " fails") {
							require.NotContains(t, r.Requires.Ran, m[1], file)
						}
					}
				}
				if rule := forms.All().Form(d.Form).Rule; rule == "commands" || rule == "content" && d.Form == "never-word" {
					require.Regexp(t, limits, line, d.ID)
				}
			}
		}
	}
}

// TestNoDemand: an item below an occasion that forbids, permits or describes a command
// does not demand it.
func TestNoDemand(t *testing.T) {
	items := []string{"Do not run `make x`.", "Never run `make x` directly.", "You can run `make x`.", "Shortcut: `make x` does all of that.", "Optionally, run `make x`.",
		"Lists the files (`make x`).", "All of it can be run via `make x`.", "**WARNING: Do NOT run `make x` either.** The others do it.", "`make x` is blocked.", "Look at it with `make x` instead."}
	occasions := []string{"Before committing:\n\n- ", "## Pre-push\n\n- ", "## Before you open a PR\n\n- ", "After changing code:\n\n- ", "RUN THE FOLLOWING before you commit.\n\n> ", "## Definition of done\n\n- "}
	for _, occasion := range occasions {
		for _, item := range items {
			for _, d := range draftsOf("# Rules\n\n" + occasion + item + "\n") {
				require.NotContains(t, d.YAML, "requires:", occasion+item)
				require.NotContains(t, d.YAML, "ran(", occasion+item)
			}
		}
	}
	require.NotEmpty(t, draftsOf("# Rules\n\nBefore committing:\n\n- Run `make x`.\n"))
	require.NotEmpty(t, draftsOf("# Rules\n\n## Pre-push\n\n- `make x` (some parts may be slow)\n"))
}

// TestDraftsHoldInProject: a draft's cases pass in the project too, whose scripts say what
// a command does.
func TestDraftsHoldInProject(t *testing.T) {
	root := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(root, "package.json"), []byte(`{"scripts": {"tidy": "oxlint --fix ."}}`), 0o600))
	f := statement.File{Path: "CLAUDE.md", Text: "# Rules\n\n- Run `npm run tidy` before committing.\n"}
	p := survey.Of(root, []statement.File{f})
	all := statement.Of(&f)
	for _, d := range Drafts(&all[0], &p) {
		require.Empty(t, ruletext.Read(d.ID, []byte(d.YAML)).Faults(root))
	}
}

// TestAttributionKeepsSubjects: a rule about lines of authors stops no subject that names a program.
func TestAttributionKeepsSubjects(t *testing.T) {
	for _, line := range []string{"Never mention Claude in commit messages.", "Never add yourself (Claude) as an author of commits.", "Do not add Co-Authored-By trailers to commits."} {
		list := draftsOf("# Rules\n\n- " + line + "\n")
		require.NotEmpty(t, list, line)
		require.Empty(t, with(t, list[0], ruletext.Case{Bash: "git commit -m 'Stream the thinking of anthropic and codex'", Expect: ruletext.Pass}))
		require.Empty(t, with(t, list[0], ruletext.Case{Bash: "git commit -m 'fix: x\n\nCo-Authored-By: Claude <a@example.com>'", Expect: ruletext.Violation}))
	}
}
