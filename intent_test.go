package sentinel_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
)

// askingRule is violated by every call, and passes by what the person asked for.
func askingRule(change ...func(*testRule)) sentinel.Rule {
	intent := func(r *testRule) { r.spec.Intent = true }
	return aRule("asks", sentinel.SeverityAsk, append([]func(*testRule){intent}, change...)...)
}

// A call passes only by a quotation of the person, for a rule that asks about this one
// action, whatever a judge says.
func TestIntent(t *testing.T) {
	t.Parallel()
	const push, yes = "git push --force origin feature-x", `{"asked":true,"quote":"force push feature-x"}`
	severity := func(s sentinel.Severity) func(*testRule) { return func(r *testRule) { r.spec.Severity = s } }
	for name, c := range map[string]struct {
		rule     sentinel.Rule
		command  string
		carrier  string
		answer   string
		requests []string
		second   string
		want     sentinel.Verdict
	}{
		"asked for":             {want: sentinel.VerdictAllow},
		"nothing is known":      {requests: []string{}, want: sentinel.VerdictAsk},
		"another request":       {requests: []string{"fix the tests"}, want: sentinel.VerdictAsk},
		"taken back":            {requests: []string{"force push feature-x", "do not force push"}, want: sentinel.VerdictAsk},
		"a rule that blocks":    {rule: askingRule(severity(sentinel.SeverityBlock)), want: sentinel.VerdictBlock},
		"without intent":        {rule: askingRule(func(r *testRule) { r.spec.Intent = false }), want: sentinel.VerdictAsk},
		"an unknown program":    {carrier: "runner", want: sentinel.VerdictAsk},
		"two commands":          {command: push + " && git push --force origin main", want: sentinel.VerdictAsk},
		"a guess":               {command: "git push --force origin \"$B\"", want: sentinel.VerdictAsk},
		"not asked":             {answer: `{"asked":false,"quote":"force push feature-x"}`, want: sentinel.VerdictAsk},
		"an invented quotation": {answer: `{"asked":true,"quote":"you may force push feature-x"}`, want: sentinel.VerdictAsk},
		"no quotation":          {answer: `{"asked":true}`, want: sentinel.VerdictAsk},
		"two answers":           {answer: yes + yes, want: sentinel.VerdictAsk},
		"another key":           {answer: `{"asked":true,"quote":"force push feature-x","violation":false}`, want: sentinel.VerdictAsk},
		"of another kind":       {answer: `{"asked":"true","quote":"force push feature-x"}`, want: sentinel.VerdictAsk},
		"no JSON":               {answer: "yes, force push feature-x", want: sentinel.VerdictAsk},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if c.rule == nil {
				c.rule = askingRule()
			}
			if c.command == "" {
				c.command = push
			}
			if c.answer == "" {
				c.answer = yes
			}
			if c.requests == nil {
				c.requests = []string{"Rebase it. Then force push feature-x."}
			}
			prompts := map[string]bool{}
			judge := sentinel.BackendFunc(func(_ context.Context, req sentinel.Request) (sentinel.Response, error) {
				prompts[req.Prompt] = true
				if strings.Contains(req.System, "so many words") {
					return sentinel.Response{Text: c.answer}, nil
				}
				return sentinel.Response{Text: violated}, nil
			})
			e := engine(t, &sentinel.Options{
				Backends: map[string]sentinel.Backend{"fake": judge}, Default: "fake", Requests: func(sentinel.Event) []string { return c.requests },
			}, c.rule)
			d, err := e.Evaluate(t.Context(), sentinel.Event{Phase: sentinel.PhasePre, Actions: []sentinel.Action{{Trigger: sentinel.Bash, Target: c.command, Carrier: c.carrier}}})
			require.NoError(t, err)
			require.Equal(t, c.want, d.Verdict)
			require.Equal(t, c.want == sentinel.VerdictAllow, d.Findings[0].Asked == "Then force push feature-x.")
			require.Equal(t, sentinel.OutcomeViolation, d.Findings[0].Outcome)
			for p := range prompts {
				if strings.Contains(p, "user_request") {
					require.Contains(t, p, c.requests[0], "a kept answer is one to this request")
				}
			}
		})
	}
}
