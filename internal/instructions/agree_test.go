package instructions

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/instructions/statement"
	"github.com/agentsentinel/sentinel/internal/instructions/survey"
	"github.com/agentsentinel/sentinel/rule"
)

// An agreement is a file of testdata/agree.yaml.
type agreement struct {
	Name, File, Line, Draft, Severity, Says, Why string
	Passes, Stops, Ran                           []string
}

func agreements(t *testing.T) (list []agreement) {
	data, err := os.ReadFile("testdata/agree.yaml")
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(data, &list))
	return list
}

// tried is a command, a path or code as a case.
func tried(text string, like ruletext.Case) rule.Case {
	switch {
	case like.Bash != "":
		return rule.Case{Bash: text}
	case strings.Contains(text, "("):
		return rule.Case{Write: like.Write, Content: text}
	}
	return rule.Case{Write: text, Content: "x"}
}

// TestAgree: what another line of the file tells or shows is not stopped.
func TestAgree(t *testing.T) {
	t.Parallel()
	for _, a := range agreements(t) {
		t.Run(a.Name, func(t *testing.T) {
			t.Parallel()
			f := statement.File{Path: "CLAUDE.md", Text: a.File}
			p := survey.Of("", []statement.File{f})
			seen := false
			for _, s := range statement.Of(&f) {
				if !strings.Contains(s.Text, a.Line) {
					continue
				}
				seen = true
				st := Judge(&s, &Rules{}, &p)
				require.Contains(t, st.Why, a.Why)
				if a.Draft == "" {
					require.Empty(t, st.Drafts)
					continue
				}
				require.NotEmpty(t, st.Drafts, st.Why)
				d := st.Drafts[0]
				require.True(t, strings.HasPrefix(d.ID, a.Draft), d.ID)
				var made ruletext.Rule
				require.NoError(t, yaml.Unmarshal([]byte(d.YAML), &made))
				require.Equal(t, a.Severity, made.Severity)
				require.Contains(t, made.Message, a.Says)
				if a.Ran != nil {
					require.Subset(t, made.Requires.Ran, a.Ran)
				}
				stops := ruletext.Read(d.ID, []byte(d.YAML)).Trial()
				for _, text := range a.Passes {
					require.False(t, stops(tried(text, made.Tests[0])), text)
				}
				for _, text := range a.Stops {
					require.True(t, stops(tried(text, made.Tests[0])), text)
				}
			}
			require.True(t, seen, "no statement has the line")
		})
	}
}

// TestOrdered: a command that a line forbids and another one orders is not blocked.
func TestOrdered(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/lines.yaml")
	require.NoError(t, err)
	var lines []struct{ Line string }
	require.NoError(t, yaml.Unmarshal(data, &lines))
	tries := 0
	for _, l := range lines {
		for _, d := range onLine("- "+l.Line+"\n", 1) {
			var made ruletext.Rule
			require.NoError(t, yaml.Unmarshal([]byte(d.YAML), &made))
			c := made.Tests[0]
			if made.Severity != "block" || made.Requires != nil || c.Bash == "" || len(c.Before) > 0 || strings.ContainsAny(c.Bash, "`\n'\"") || ofMessages.Get().MatchString(made.When) {
				continue
			}
			tries++
			for _, again := range onLine("- "+l.Line+"\n\n## Release\n\nThen run `"+c.Bash+"` there.\n", 1) {
				if again.ID == d.ID && strings.Contains(again.YAML, "severity: block") {
					require.False(t, ruletext.Read(again.ID, []byte(again.YAML)).Trial()(rule.Case{Bash: c.Bash}), again.YAML)
				}
			}
		}
	}
	require.Greater(t, tries, 40)
}

// onLine are the drafts of the statement on a line of a text.
func onLine(text string, line int) (list []Draft) {
	f := statement.File{Path: "CLAUDE.md", Text: text}
	p := survey.Of("", []statement.File{f})
	for _, s := range statement.Of(&f) {
		if s.Line == line {
			list = append(list, Drafts(&s, &p)...)
		}
	}
	return list
}

// TestSayings: a statement says what its drafts quote, on the line that they name, also where it has
// several sentences and lines. Words that go on are another sentence.
func TestSayings(t *testing.T) {
	if testing.Short() {
		t.Skip("it judges thousands of lines one after the other: not with -short, as under the race detector")
	}
	for _, line := range tableLines(t) {
		f := statement.File{Path: "CLAUDE.md", Text: "# Rules\n\n- Some words first. " + line + "\n  Further words.\n"}
		all := statement.Of(&f)
		for i := range all {
			for _, d := range Drafts(&all[i], &survey.Project{}) {
				var made ruletext.Rule
				require.NoError(t, yaml.Unmarshal([]byte(d.YAML), &made))
				lines := NewSayings(all[i : i+1]).Lines(made.Quote)
				require.NotEmpty(t, lines, d.YAML)
				require.Equal(t, made.Source, at("CLAUDE.md", lines[0]), d.YAML)
			}
		}
	}
	all := statement.Of(&statement.File{Path: "CLAUDE.md", Text: "- Never push to main\n"})
	said := NewSayings(all)
	require.Empty(t, said.Lines("Never push"))
	require.Equal(t, []int{1}, said.Lines("never push…"))
}
