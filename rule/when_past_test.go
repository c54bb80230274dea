package rule

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/facts"
	"github.com/agentsentinel/sentinel/shell"
)

// TestWhenNeeds: only what an expression asks about the session is kept.
func TestWhenNeeds(t *testing.T) {
	t.Parallel()
	for when, want := range map[string]Needs{
		`last(wrote("a")) > last(ran("make *"))`:    {Ran: []string{"make *"}, Wrote: true},
		`ran ("a") or ran("b") or "ran" == command`: {Ran: []string{"a", "b"}},
		`not read("docs/a.md")`:                     {Read: []string{"docs/a.md"}},
		`not read(path)`:                            {Read: []string{"**"}, Wrote: true},
		`command == "ran(x)"`:                       {},
		`asked("x")`:                                {},
	} {
		require.Equal(t, &want, (&Definition{When: when}).needs(), when)
		require.Equal(t, &want, (&Definition{Doubtful: when}).needs(), when)
	}
	require.Equal(t, &Needs{Wrote: true, Ran: []string{"c"}}, (&Definition{Phase: stop, When: `ran("a") or changed("b") or wrote("b") or last(ran("c")) > 0`}).needs())
}

// asksAboutPushes is a rule about forced pushes that the person did not ask for.
func asksAboutPushes(t *testing.T) *Rule {
	t.Helper()
	f := Parse("a.yaml", []byte(`{id: a, trigger: bash, severity: ask, backend: builtin, when: 'command contains "--force" and not asked("force push", cmd.operands[2])'}`))
	require.Empty(t, f.Problems)
	rules, problems := Build([]File{f}, nil)
	require.Empty(t, problems)
	return rules[0]
}

func TestAsked(t *testing.T) {
	t.Parallel()
	r := asksAboutPushes(t)
	const push = "git push --force origin feature-x"
	for name, c := range map[string]struct {
		command, carrier, want string
		requests               []string
	}{
		"asked for":          {push, "", "Force push feature-x.", []string{"Force push feature-x."}},
		"another branch":     {push, "", "", []string{"Force push feature-y."}},
		"nothing known":      {push, "", "", nil},
		"an unknown program": {push, "runner", "", []string{"force push feature-x"}},
		"two commands":       {push + "; ls", "", "", []string{"force push feature-x"}},
		"no violation":       {"git push origin feature-x", "", "", []string{"force push feature-x"}},
	} {
		a := &sentinel.Action{Trigger: sentinel.Bash, Target: c.command, Command: shell.Parse(c.command, nil), Carrier: c.carrier, Requests: c.requests}
		require.Equal(t, c.want, r.Asked(context.Background(), a, sentinel.Match{OK: true}), name)
	}
}

// An expression that would let a blocked call pass, or that matches words of a call, is a
// fault.
func TestAskedIsRefused(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{severity: block, backend: builtin, when: 'not asked("force push")'}`:                      "no request of the person lets a rule",
		`{severity: ask, verdict: exact, when: 'true', doubtful: 'asked("force push")', prompt: x}`: "take it out of `doubtful`",
		`{severity: ask, trigger: bash, backend: builtin, when: 'not asked(command)'}`:              "has to be written out",
		`{severity: ask, trigger: bash, backend: builtin, when: 'not asked("push " + command)'}`:    "has to be written out",
		`{severity: ask, backend: builtin, when: 'not asked("(")'}`:                                 "missing closing",
		`{severity: ask, backend: builtin, when: 'not asked(".*")'}`:                                "matches any text",
		`{severity: block, intent: true, backend: builtin, when: 'true'}`:                           "`intent` is for rules that ask",
		`{severity: ask, phase: stop, intent: true, backend: builtin, when: 'true'}`:                "at the end of a turn nobody is asked",
		`{severity: ask, backend: builtin, when: 'true', message: "{{user_request}}"}`:              "is for `prompt`",
	} {
		f := Parse("a.yaml", []byte(text))
		said := ""
		for _, p := range f.Problems {
			said += p.Message + "\n"
		}
		require.Contains(t, said, want, text)
	}
}

// A kept is what another program knows of a session: one file that it made.
type kept struct{ made string }

func (kept) Started() (at time.Time) { return at }

func (k kept) Made(path string) (at time.Time) {
	if info, err := os.Stat(path); err == nil && filepath.Base(path) == k.made {
		return info.ModTime()
	}
	return at
}

// TestAnotherProgramsPast: what the session made is known, and what it ran is not.
func TestAnotherProgramsPast(t *testing.T) { // not with others, as the tests of evidence
	dir := work(t).Dir
	disposes := stopsDeletions(t, "any(removes, not disposable(#))")
	for name, stops := range map[string]bool{"a.txt": false, "b.txt": true} {
		a := lineIn(dir, "rm notes/a.txt")
		a.Past = kept{name}
		got, err := disposes.When(t.Context(), a, disposes.Match(a))
		require.NoError(t, err)
		require.Equal(t, stops, got, name)
	}
	rules, problems := Build([]File{Parse("r.yaml", []byte("trigger: bash\nscope: [git commit*]\nrequires: {ran: [make test]}\nmessage: no\n"))}, nil)
	require.Empty(t, problems)
	a := lineIn(dir, "git commit -m x")
	for _, past := range []sentinel.Past{nil, kept{"a.txt"}, &facts.Session{}} {
		a.Past = past
		_, err := rules[0].When(t.Context(), a, rules[0].Match(a))
		require.ErrorIs(t, err, facts.ErrUnknown)
	}
	a.Past = &facts.Session{Past: func() (*facts.Facts, error) { return &facts.Facts{}, nil }}
	got, err := rules[0].When(t.Context(), a, rules[0].Match(a))
	require.NoError(t, err)
	require.True(t, got)
}
