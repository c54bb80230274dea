package ruletext

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/agentsentinel/sentinel/internal/instructions/pathglob"
	"github.com/agentsentinel/sentinel/rule"
	"github.com/agentsentinel/sentinel/scope"
)

// acme is a rule about commands that holds.
func acme() Rule {
	return Rule{
		ID: "never-run-acme", Trigger: "bash", Severity: "block", Scope: []string{"acme", "acme *"}, Backend: "builtin", When: "true", Source: "CLAUDE.md:3", Quote: "Never run `acme`.", Message: "Leave it.",
		Tests: []Case{AsStop(Case{Bash: "acme go"}), AsPass(Case{Bash: "ls -l"})},
	}
}

// written is a rule about files that holds.
func written() Rule {
	r := acme()
	r.Trigger, r.Scope, r.When = "file_write", []string{"**/*.ts"}, `content matches "eval"`
	r.Tests = []Case{AsStop(Case{Write: "src/a.ts", Content: "eval(1)"}), AsPass(Case{Write: "src/b.ts", Content: "x"})}
	return r
}

// due is a rule that requires a command, with its duty.
func due() (Rule, *Duty) {
	r := acme()
	r.Scope, r.When, r.Backend, r.Message, r.Why = []string{"git commit", "git commit *"}, "", "", "Run make lint first. {{missing}}", "Lint has run since the last change."
	r.Requires = &Requires{Ran: []string{"make lint", "make lint *"}, Since: []string{"**"}}
	change := Step{Write: "src/a.ts"}
	r.Tests = []Case{
		{Bash: "git commit -m x", Before: []Step{change}, Expect: Violation},
		{Bash: "git commit -m x", Before: []Step{change, {Bash: "make lint"}}, Expect: Pass},
		{Bash: "git status", Before: []Step{change}, Expect: Pass},
	}
	d := &Duty{}
	d.Add("make lint", r.Requires.Ran, "make lint")
	return r, d
}

func rendered(t *testing.T, r *Rule) []byte {
	t.Helper()
	data, err := r.Render()
	require.NoError(t, err)
	return data
}

// TestRender: a rule is read again as it was, and with none that a reader cannot see.
func TestRender(t *testing.T) {
	t.Parallel()
	required, _ := due()
	long := written()
	long.Tests[0].Content = strings.Repeat("eval\n", 40)
	for _, r := range []Rule{acme(), written(), required, long} {
		data := rendered(t, &r)
		require.Empty(t, rule.ParseStrict(r.ID+".yaml", data).Problems)
		var again Rule
		require.NoError(t, yaml.Unmarshal(data, &again))
		r.Why = ""
		require.Equal(t, r, again)
		require.NotContains(t, string(data), "mode:")
		require.Empty(t, Read(r.ID, data).Faults(Imagined))
	}
	require.Equal(t, 1, strings.Count(string(rendered(t, &long)), "eval\\neval"+strings.Repeat("\\neval", 38)), "a text of many lines is one line")
	for _, hidden := range []string{"\u200b", "\u202e", "\U000E0041", "\x1b[2J", "\x00", "\u00ad"} {
		for _, into := range []func(*Rule) *string{func(r *Rule) *string { return &r.Message }, func(r *Rule) *string { return &r.When }} {
			r := acme()
			*into(&r) += hidden
			data, err := r.Render()
			require.Error(t, err, "%q", hidden)
			require.Nil(t, data)
			require.Nil(t, r.AsCheck("it"))
		}
	}
}

// TestFaults: a text that is no rule, or whose cases are not as expected, is at fault.
func TestFaults(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		says  string
		spoil func(*Rule)
	}{
		{"no cases of both kinds", func(r *Rule) { r.Tests = r.Tests[:1] }},
		{"no cases of both kinds", func(r *Rule) { r.Tests = r.Tests[1:] }},
		{"severity", func(r *Rule) { r.Severity = "loud" }},
		{"trigger", func(r *Rule) { r.Trigger = "never" }},
		{"when", func(r *Rule) { r.When = "1 +" }},
		{"bach", func(r *Rule) { r.When = `cmd.bach == "x"` }},
		{"failed pass", func(r *Rule) { r.Tests[0].Bash = "ls" }},
		{"failed violation", func(r *Rule) { r.Tests[1].Bash = "acme" }},
		{"what", func(r *Rule) { r.Tests[0].Expect = "what" }},
		{`write "acme x"`, func(r *Rule) { r.Scope = append(r.Scope, "^acme x$") }}, // a hint
	} {
		r := acme()
		c.spoil(&r)
		p := Read(r.ID, rendered(t, &r))
		require.Contains(t, p.Faults(Imagined), c.says)
		require.False(t, p.Holds(Imagined), c.says)
	}
	whole := acme()
	good := string(rendered(t, &whole))
	for _, data := range []string{"", "- a", "mode: off", "\x00", "id: x", "key: 1\n" + good, good + good} {
		require.NotEmpty(t, Read("never-run-acme", []byte(data)).Faults(Imagined), "%q", data)
	}
	require.False(t, Read("x", nil).Trial()(rule.Case{Bash: "acme go"}), "no rule stops nothing")
	holds := Read(whole.ID, []byte(good)).Trial()
	require.True(t, holds(rule.Case{Bash: "cd a && acme go"}))
	require.False(t, holds(rule.Case{Bash: "ls"}))
	require.False(t, holds(rule.Case{}), "no case")
}

// TestChanges: what a rule becomes by what is asked of it.
func TestChanges(t *testing.T) {
	t.Parallel()
	for when, want := range map[string]string{"": "not x", "true": "not x", "a": "a and not x", "a or b": "(a or b) and not x"} {
		r := Rule{When: when}
		r.Except("x")
		require.Equal(t, want, r.When)
	}
	r := acme()
	p := r.AsCheck("line 9 tells to run `acme`")
	require.NotNil(t, p)
	require.Contains(t, string(p.Text), "severity: warn\n")
	require.Contains(t, string(p.Text), "message: 'Check whether the line is about this: line 9 tells to run `acme`. Leave it.'\n")
	r = acme()
	r.Tests = r.Tests[:1]
	require.Nil(t, r.AsCheck("it"), "a rule that does not hold")
	files, tests := written(), written()
	require.False(t, files.OfSomeFiles())
	files.Scope = []string{"src/**"}
	require.True(t, files.OfSomeFiles())
	require.False(t, tests.WantsTests())
	tests.Also = &Also{Changed: []string{"**/*.ts"}, With: pathglob.OfTests()}
	require.True(t, tests.WantsTests())
	ended := Rule{Phase: "stop", Exclude: pathglob.OfTests(), When: `not changed("**/*.test.ts")`}
	require.True(t, ended.WantsTests())
}

// TestPlaces: the files that a rule is about.
func TestPlaces(t *testing.T) {
	t.Parallel()
	bash, all, required := acme(), Rule{Trigger: "file_read"}, Rule{Requires: &Requires{Since: []string{"a"}}}
	require.Nil(t, bash.Places())
	require.Equal(t, []string{"**"}, *all.Places())
	require.Equal(t, []string{"a"}, *required.Places())
	require.Equal(t, []string{"b"}, *(&Rule{Also: &Also{Changed: []string{"b"}}}).Places())
	require.Equal(t, []string{"c"}, *(&Rule{BeforeFirst: &BeforeFirst{Write: []string{"c"}}}).Places())
	*required.Places() = []string{"d"}
	require.Equal(t, []string{"d"}, required.Requires.Since)
	for area, dir := range map[string]string{"web/**": "web", "web/**/*": "web", "web/**/*.*": "web", "web/*": "", "**/*.go": ""} {
		got, ok := AreaFolder(area)
		require.Equal(t, dir, got, area)
		require.Equal(t, dir != "", ok, area)
	}
}

// TestMoveCases: the cases of a rule that was narrowed to an area are in that area, and one passes outside.
func TestMoveCases(t *testing.T) {
	t.Parallel()
	for area, want := range map[string]string{"web/**": "web/src/a.ts", "web/**/*.ts": "web/a.ts", "{web,api}/**": "web/src/a.ts", "src/**": "src/a.ts", "web/*.test.ts": "web/a.test.ts"} {
		r := written()
		were := scope.NewPaths(r.Scope, false)
		r.Scope = []string{area}
		r.MoveCases(area, were)
		require.Equal(t, want, r.Tests[0].Write, area)
		require.Equal(t, Violation, r.Tests[0].Expect)
		if strings.Contains(area, "test") {
			require.Len(t, r.Tests, 2, "a path that passes by its name is not moved")
		}
		outside := r.Tests[len(r.Tests)-1]
		require.Equal(t, Pass, outside.Expect)
		if area != "src/**" {
			require.Equal(t, "src/a.ts", outside.Write)
			require.Equal(t, "eval(1)", outside.Content)
		}
		require.Empty(t, Read(r.ID, rendered(t, &r)).Faults(Imagined), area)
	}
	r, _ := due()
	were := scope.NewPaths(r.Requires.Since, false)
	r.Requires.Since = []string{"web/**"}
	first := r.Tests[0].Before
	r.MoveCases("web/**", were)
	require.Equal(t, "web/src/a.ts", r.Tests[0].Before[0].Write)
	require.Equal(t, "src/a.ts", first[0].Write, "the cases of the rule before are as they were")
	require.Empty(t, Read(r.ID, rendered(t, &r)).Faults(Imagined))
}

// TestDuties: the cases of a rule for what its duty names, and for what runs behind it.
func TestDuties(t *testing.T) {
	t.Parallel()
	for cmd, want := range map[string]string{"make <target>": "make x", "a [b] {c} $D ${E}": "a x x x x", "go test ...": "go test x", "go test ./...": "go test ./...", "x …": "x x", "make": "make"} {
		require.Equal(t, want, Literal(cmd), cmd)
	}
	require.Equal(t, Step{MCP: "server:get_x"}, RanStep("*:get_x"))
	require.Equal(t, Step{Bash: "make"}, RanStep("make"))

	r, d := due()
	d.Add("make lint-<part>", []string{"make lint-*"}, "make lint-a")
	d.Add("get_x", nil, "")
	call := Case{Bash: "git commit"}
	r.Tests = nil
	r.Meets(d, call, []Step{{Write: "a.go"}})
	var ran []Step
	for _, c := range r.Tests {
		require.Equal(t, Pass, c.Expect)
		require.Equal(t, Step{Write: "a.go"}, c.Before[0])
		ran = append(ran, c.Before[1])
	}
	require.Equal(t, []Step{{Bash: "make lint-x"}, {MCP: "server:get_x"}, {MCP: "get:x"}, {Bash: "get_x"}}, ran)
	r.Tests, r.Trigger = nil, ""
	r.Meets(d, call, nil)
	require.Equal(t, []Case{{Bash: "git commit", Turn: []string{"make lint-x"}, Expect: Pass}, {Bash: "git commit", Turn: []string{"get_x"}, Expect: Pass}}, r.Tests)

	r, d = due()
	require.Equal(t, r, r.InOrder(d, nil, "src/a.ts"), "nothing runs behind it")
	require.Equal(t, r, r.InOrder(d, []string{"make test"}, "src/a.ts"), "what runs behind it changes nothing")
	once := r.InOrder(d, []string{"gofmt -w a.go"}, "a.go")
	require.Nil(t, once.Requires.Since)
	require.Equal(t, "Lint has run.", once.Why)
	require.Equal(t, []Case{{Bash: "git commit -m x", Before: []Step{}, Expect: Violation}, {Bash: "git commit -m x", Before: []Step{{Bash: "make lint"}}, Expect: Pass}}, once.Tests)
	require.Empty(t, Read(once.ID, rendered(t, &once)).Faults(Imagined))
}
