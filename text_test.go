package sentinel_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
)

// Each text of a rule that an agent reads is bounded, a cut one says so, and names the
// file that it is from.
func TestTextsAreBoundedAndNameTheirFile(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 5000)
	for severity, context := range map[sentinel.Severity]bool{sentinel.SeverityInfo: true, sentinel.SeverityWarn: true, sentinel.SeverityBlock: false} {
		e := engine(t, &sentinel.Options{Default: "x", Backends: map[string]sentinel.Backend{
			"x": always(`{"violation":true,"confidence":1,"reason":"` + long + `"}`),
		}}, aRule("r", severity, func(r *testRule) { r.spec.Message = long }))
		d, err := e.Evaluate(t.Context(), push())
		require.NoError(t, err)
		said := d.Reason()
		if context {
			said = strings.Join(d.Context(), "\n")
		}
		require.Contains(t, said, "more characters]", severity)
		require.Contains(t, said, "from r.yaml")
		require.Less(t, utf8.RuneCountInString(said), 1200, "a message and a reason")
		require.LessOrEqual(t, utf8.RuneCountInString(d.Findings[0].Message), 500)
		require.LessOrEqual(t, utf8.RuneCountInString(d.Findings[0].Advice), 500)
	}
}

func TestFromNamesAFile(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"":                        "no [r]",
		"(built in):0":            "no [r]",
		"rules/r.yaml":            "no [r] (from rules/r.yaml)",
		"rules/r.yaml:12":         "no [r] (from rules/r.yaml)",
		"rules/r.yaml:12:7":       "no [r] (from rules/r.yaml)",
		"C:/rules/r.yaml:1":       "no [r] (from C:/rules/r.yaml)",
		"rules/a\nb\u202e.yaml:1": `no [r] (from rules/a b\u202e.yaml)`,
		strings.Repeat("a", 300):  "no [r] (from " + strings.Repeat("a", 199) + "…)",
	} {
		d := sentinel.Decision{Verdict: sentinel.VerdictBlock, Findings: []sentinel.Finding{{
			Rule: &sentinel.RuleSpec{ID: "r", Source: source}, Verdict: sentinel.VerdictBlock, Outcome: sentinel.OutcomeViolation, Reason: "no",
		}}}
		require.Equal(t, want, d.Reason())
		d.Findings[0].Rule.Source, d.Findings[0].From = "elsewhere", source
		if source != "" {
			require.Equal(t, want, d.Reason())
		}
	}
}

// A question speaks to the user: what the agent wants, why somebody has to decide, and
// what the rule says to the agent, named as such.
func TestQuestionsSpeakToThePerson(t *testing.T) {
	t.Parallel()
	const discards = "This throws away changes. Keep them with git stash; or wait for the user's approval."
	command := func(line string) *sentinel.Action { return &sentinel.Action{Trigger: sentinel.Bash, Target: line} }
	tests := map[string]struct {
		finding sentinel.Finding
		want    string
	}{
		"a message": {
			sentinel.Finding{Action: command("git reset --hard"), Message: discards, Reason: discards},
			"the agent wants to run `git reset --hard`. This throws away changes. Advice to the agent: Keep them with git stash; or wait for the user's approval. [r]",
		},
		"a part of a line, and a judge's words": {
			sentinel.Finding{Action: command("make && git reset --hard"), Subject: "git reset --hard", Message: "Ask Ann.", Reason: "it resets main.go"},
			"the agent wants to run `make && git reset --hard`. `git reset --hard`: Ask Ann. (it resets main.go) [r]",
		},
		"no message": {
			sentinel.Finding{Action: &sentinel.Action{Trigger: sentinel.FileWrite, Op: sentinel.OpDelete, Target: "a`b"}, Reason: "Rule r does not allow a change of `a'b`."},
			"the agent wants to delete `a'b`. Rule r does not allow a change of `a'b`.",
		},
		"a dispute": {
			sentinel.Finding{Action: &sentinel.Action{Trigger: sentinel.MCP, Target: "db:drop"}, Message: "No v1.2 drops.", Reason: "No v1.2 drops.", Disputed: true},
			"the agent wants to call `db:drop`. No v1.2 drops. A second judge disagrees. [r]",
		},
		"no judge": {
			sentinel.Finding{Action: command("ls"), Outcome: sentinel.OutcomeUnavailable, Reason: "could not be judged: no server"},
			"the agent wants to run `ls`. Rule r could not be judged: no server. The project is strict (fail_open: false), so somebody has to decide. [r]",
		},
		"no action": {sentinel.Finding{Message: "Ask Ann.", Reason: "Ask Ann."}, "Ask Ann. [r]"},
	}
	for name, tt := range tests {
		tt.finding.Rule, tt.finding.Verdict = &sentinel.RuleSpec{ID: "r"}, sentinel.VerdictAsk
		if tt.finding.Outcome == 0 {
			tt.finding.Outcome = sentinel.OutcomeViolation
		}
		d := sentinel.Decision{Verdict: sentinel.VerdictAsk, Findings: []sentinel.Finding{tt.finding}}
		require.Equal(t, []string{tt.want}, d.Questions(), name)
		d.Verdict = sentinel.VerdictBlock
		require.Empty(t, d.Questions(), name)
	}
	one, two := tests["a message"].finding, tests["a message"].finding
	two.Message, two.Reason = "Ask Ann.", "Ask Ann."
	one.Rule, two.Rule = &sentinel.RuleSpec{ID: "a"}, &sentinel.RuleSpec{ID: "b"}
	one.Verdict, two.Verdict = sentinel.VerdictAsk, sentinel.VerdictAsk
	one.Outcome, two.Outcome = sentinel.OutcomeViolation, sentinel.OutcomeViolation
	d := sentinel.Decision{Verdict: sentinel.VerdictAsk, Findings: []sentinel.Finding{one, two}}
	require.Equal(t, "Ask Ann. [b]", d.Questions()[1], "what the agent wants is said once")
	require.Len(t, d.Reasons(), 2)
}

// A message about a folder or a pattern speaks of a file in it; a rule without a
// message says what it does not allow.
func TestMessagesNameWhatTheyAreAbout(t *testing.T) {
	t.Parallel()
	const message = "{{file_path}} decides what you may do."
	for path, want := range map[string]string{
		".":          "a file below . decides what you may do.",
		"/":          "a file below / decides what you may do.",
		"src/":       "a file below src/ decides what you may do.",
		"src/*.ts":   "a file that fits src/*.ts decides what you may do.",
		"src/a.yaml": "src/a.yaml decides what you may do.",
	} {
		for _, said := range []string{message, ""} {
			e := engine(t, &sentinel.Options{Default: "x", Backends: map[string]sentinel.Backend{"x": always(`{"violation":true,"confidence":1,"reason":""}`)}},
				aRule("r", sentinel.SeverityBlock, func(r *testRule) { r.spec.Message = said }))
			d, err := e.Evaluate(t.Context(), sentinel.Event{Phase: sentinel.PhasePre, Dir: "/work", Tool: sentinel.ToolCall{Name: "Write"}, Actions: []sentinel.Action{
				{Trigger: sentinel.FileWrite, Op: sentinel.OpCreate, Path: path, Target: path, Forms: []string{path}},
			}})
			require.NoError(t, err)
			if said == "" {
				want = "Rule r does not allow a change of `" + path + "`. (from r.yaml)"
				require.Equal(t, want, d.Reason())
				continue
			}
			require.Equal(t, want, d.Findings[0].Message)
		}
	}
}

// Of the files that one command removes, a message names the one that its rule is about.
func TestMessagesNameTheFileThatMatched(t *testing.T) {
	t.Parallel()
	e := engine(t, &sentinel.Options{Default: "x", Backends: map[string]sentinel.Backend{"x": always(`{"violation":true,"confidence":1,"reason":""}`)}},
		aRule("r", sentinel.SeverityBlock, func(r *testRule) {
			r.spec.Message = "{{file_path}} stays."
			r.match = func(*sentinel.Action) sentinel.Match { return sentinel.Match{OK: true, Form: "b/y"} }
		}))
	for derived, want := range map[string]string{"rm -r *": "b/y stays.", "": "a/x stays."} {
		d, err := e.Evaluate(t.Context(), sentinel.Event{Phase: sentinel.PhasePre, Tool: sentinel.ToolCall{Name: "Bash"}, Actions: []sentinel.Action{
			{Trigger: sentinel.FileWrite, Op: sentinel.OpDelete, Path: "a/x", Target: "a/x and 1 more", Forms: []string{"a/x", "b/y"}, DerivedFrom: derived},
		}})
		require.NoError(t, err)
		require.Equal(t, want, d.Findings[0].Message)
	}
}
