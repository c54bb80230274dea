package project_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/config"
	"github.com/agentsentinel/sentinel/project"
)

// A plug is a third party's judge that answers as the test says.
type plug struct {
	mu  sync.Mutex
	err map[string]error // by model; "" for the others
}

func (p *plug) set(model string, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err == nil {
		p.err = map[string]error{}
	}
	p.err[model] = err
}

func (p *plug) Complete(_ context.Context, req sentinel.Request) (sentinel.Response, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	err, known := p.err[req.Model]
	if !known {
		err = p.err[""]
	}
	return sentinel.Response{Text: `{"violation":false,"confidence":1}`, PromptTokens: 10, OutputTokens: 1, Backend: "plug"}, err
}

// A desk is a project whose rules ask the plug, at a time that the test sets.
type desk struct {
	t    *testing.T
	dir  string
	opts project.Options
	now  time.Time
	plug plug
}

// asks is a rule that asks the plug about writes to a path.
func asks(path, more string) string {
	return "trigger: file_write\nbackend: plug\nscope: [\"" + path + "\"]\nprompt: is it good?\n" + more
}

func newDesk(t *testing.T, files tree) *desk {
	dir := files.write(t)
	d := &desk{t: t, dir: dir, now: time.Date(2026, 11, 21, 12, 0, 0, 0, time.Local)}
	d.opts = project.Options{
		StateDir: filepath.Join(dir, "state"), CacheDir: filepath.Join(dir, "cache"), Now: func() time.Time { return d.now },
		Backends: map[string]func(config.Config) (sentinel.Backend, error){
			"plug": func(config.Config) (sentinel.Backend, error) { return &d.plug, nil },
		},
	}
	return d
}

// write judges a write as a hook of its own would.
func (d *desk) write(session, path string) sentinel.Decision {
	d.t.Helper()
	repo := filepath.Join(d.dir, "repo")
	ev := write(repo, path)
	ev.Session = session
	got, err := project.Open([]string{repo}, &d.opts).Evaluate(d.t.Context(), ev)
	require.NoError(d.t, err)
	return got
}

func (d *desk) notes() string {
	data, err := os.ReadFile(filepath.Join(d.opts.StateDir, "notes.jsonl"))
	if !errors.Is(err, os.ErrNotExist) {
		require.NoError(d.t, err)
	}
	return string(data)
}

const rules = "repo/.claude/sentinel/rules/"

var (
	errAway   = fmt.Errorf("%w: %w", sentinel.ErrUnavailable, &net.OpError{Op: "dial", Err: errors.New("connection refused")})
	errLate   = fmt.Errorf("%w: no answer within 5s: %w", sentinel.ErrUnavailable, context.DeadlineExceeded)
	errProse  = fmt.Errorf("%w: not JSON", sentinel.ErrMalformed)
	errNobody = fmt.Errorf("%w: there is no such model", sentinel.ErrUnavailable)
)

func TestAnOutageIsToldOnce(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		config string
		says   string
	}{
		"open":   {"fail_open: true", "goes on unjudged until it answers."},
		"strict": {"fail_open: false", "counts as violated until it answers (fail_open: false)."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, tree{
				"repo/.claude/sentinel/config.yaml": c.config + "\nbreaker: {failures: 100}\n",
				rules + "a.yaml":                    asks("a/**", "severity: warn\n"),
				rules + "b.yaml":                    asks("b/**", "severity: warn\nmodel: other\n"),
			})
			require.Empty(t, d.write("s", "a/1").Notice)

			for outage := range 2 {
				d.plug.set("", errAway)
				got := d.write("s", "a/1")
				require.Equal(t, "the judge plug cannot judge: dial: connection refused. What only it can judge "+c.says, got.Notice, "outage %d", outage)
				require.Equal(t, strings.Count(d.notes(), `"kind":"judge"`), outage+1)
				require.Empty(t, d.write("s", "a/1").Notice, "told")
				require.Empty(t, d.write("another", "a/2").Notice, "the person is the same")
				require.Empty(t, d.write("s", "b/1").Notice, "another model of the same server")
				d.now = d.now.Add(time.Hour)
				require.Empty(t, d.write("s", "a/3").Notice, "the same outage an hour later")

				d.plug.set("", nil)
				require.Empty(t, d.write("s", "a/1").Notice)
				require.Empty(t, d.write("s", "b/1").Notice)
			}
			require.Equal(t, 2, strings.Count(d.notes(), "\n"))
		})
	}
}

// TestALastingOutageIsToldInLaterSessions: who begins a session while a judge is away hears of
// it once, but not while others have just heard.
func TestALastingOutageIsToldInLaterSessions(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]error{"away": errAway, "late": errLate, "malformed": errProse} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, tree{
				"repo/.claude/sentinel/config.yaml": "breaker: {failures: 100}\n",
				rules + "a.yaml":                    asks("a/**", "severity: warn\n"),
			})
			d.plug.set("", fault)
			require.Contains(t, d.write("s", "a/1").Notice, "cannot judge")
			require.Empty(t, d.write("soon", "a/1").Notice)
			d.now = d.now.Add(59 * time.Minute)
			require.Empty(t, d.write("soon", "a/1").Notice)
			d.now = d.now.Add(time.Minute)
			require.Empty(t, d.write("s", "a/1").Notice, "it was told")
			require.Contains(t, d.write("later", "a/1").Notice, "cannot judge")
			require.Empty(t, d.write("later", "a/1").Notice, "told")
			require.Empty(t, d.write("", "a/1").Notice, "it has no session")
			d.now = d.now.Add(time.Hour)
			require.Empty(t, d.write("later", "a/1").Notice)
			require.Contains(t, d.write("soon", "a/1").Notice, "cannot judge")
		})
	}
}

// Advice after a tool that cannot be had is an outage too, and the same one.
func TestAnOutageIsToldAfterATool(t *testing.T) {
	t.Parallel()
	d := newDesk(t, tree{rules + "a.yaml": asks("**", "severity: info\npost: true\n"), rules + "b.yaml": asks("**", "")})
	d.plug.set("", errAway)
	repo := filepath.Join(d.dir, "repo")
	after := write(repo, "a")
	after.Phase, after.Session = sentinel.PhasePost, "s"
	got, err := project.Open([]string{repo}, &d.opts).Evaluate(t.Context(), after)
	require.NoError(t, err)
	require.Equal(t, "the judge plug cannot judge: dial: connection refused. There is no advice of it until it answers.", got.Notice)
	require.Empty(t, d.write("s", "a").Notice)
}

// A block says itself why, and the notice is still there for the next call.
func TestNoNoticeBesideABlock(t *testing.T) {
	t.Parallel()
	d := newDesk(t, tree{
		rules + "a.yaml": asks("**", ""),
		rules + "b.yaml": guard("b"),
	})
	d.plug.set("", errAway)
	got := d.write("s", "b")
	require.Equal(t, sentinel.VerdictBlock, got.Verdict)
	require.Empty(t, got.Notice)
	require.Contains(t, d.write("s", "a").Notice, "the judge plug cannot judge")
}

// A judge that is late now and then does not make a notice each time.
func TestDoubtsAreToldOnceAnHour(t *testing.T) {
	t.Parallel()
	for name, err := range map[string]error{"late": errLate, "not understood": errProse} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, tree{"repo/.claude/sentinel/config.yaml": "breaker: {failures: 100}", rules + "a.yaml": asks("**", "")})
			told := 0
			for range 10 { // 100 minutes
				d.plug.set("", err)
				if d.write("s", "a").Notice != "" {
					told++
				}
				d.plug.set("", nil)
				require.Empty(t, d.write("s", "a").Notice)
				d.now = d.now.Add(10 * time.Minute)
			}
			require.Equal(t, 2, told)
			d.plug.set("", errAway)
			require.NotEmpty(t, d.write("s", "a").Notice, "that it is gone is another matter")
		})
	}
}

// A missing model is reported once, though the server's others answer.
func TestAMissingModelIsToldOnce(t *testing.T) {
	t.Parallel()
	d := newDesk(t, tree{
		"repo/.claude/sentinel/config.yaml": "breaker: {failures: 100}",
		rules + "a.yaml":                    asks("**", ""),
		rules + "b.yaml":                    asks("**", "model: missing\n"),
	})
	d.plug.set("missing", errNobody)
	require.Contains(t, d.write("s", "a").Notice, "no such model")
	for range 3 {
		d.now = d.now.Add(2 * time.Hour)
		require.Empty(t, d.write("s", "a").Notice)
	}
	d.plug.set("", errAway)
	require.Contains(t, d.write("s", "a").Notice, "connection refused", "the whole server is another outage")
}

func TestNothingIsToldOf(t *testing.T) {
	t.Parallel()
	for name, err := range map[string]error{
		"a queue":     fmt.Errorf("%w: no slot", sentinel.ErrBusy),
		"a caller":    fmt.Errorf("%w: %w", sentinel.ErrUnavailable, context.Canceled),
		"no eyes":     errors.ErrUnsupported,
		"one's equal": sentinel.ErrPreempted,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, tree{rules + "a.yaml": asks("**", "")})
			d.plug.set("", err)
			require.Empty(t, d.write("s", "a").Notice)
			require.Empty(t, d.notes())
		})
	}

	d := newDesk(t, tree{rules + "a.yaml": asks("**", "")})
	d.plug.set("", errAway)
	d.opts.NoLog = true
	require.Empty(t, d.write("s", "a").Notice, "a command that a person types reads what is wrong itself")
	d.opts.NoLog, d.opts.StateDir = false, ""
	require.Empty(t, d.write("s", "a").Notice, "where nothing is kept nothing is said once")
}

func TestOneJudgeForAllWhoNoticeAtOnce(t *testing.T) {
	t.Parallel()
	d := newDesk(t, tree{"repo/.claude/sentinel/config.yaml": "breaker: {failures: 100}", rules + "a.yaml": asks("**", "")})
	d.plug.set("", errAway)
	told := make([]string, 8)
	var wait sync.WaitGroup
	for i := range told {
		wait.Go(func() { told[i] = d.write("s", fmt.Sprintf("f%d", i)).Notice })
	}
	wait.Wait()
	require.Len(t, strings.Join(told, ""), len(max(told[0], told[1], told[2], told[3], told[4], told[5], told[6], told[7])), "%q", told)
	require.NotEmpty(t, strings.Join(told, ""))
}

// Beyond the budget of a day rules that need a model are left out, in a strict
// project too; the person hears of it once a day.
func TestBeyondTheBudgetOfADay(t *testing.T) {
	t.Parallel()
	d := newDesk(t, tree{
		"repo/.claude/sentinel/config.yaml": "fail_open: false\nbudget: {tokens_per_day: 20}\n",
		rules + "a.yaml":                    asks("**", ""),
		rules + "b.yaml":                    asks("keys/**", "when: \"true\"\nfallback: [builtin]\nmessage: not here\n"),
	})
	for day := range 2 {
		for range 2 { // 11 tokens each
			require.Equal(t, sentinel.OutcomePass, d.write("s", "a").Findings[0].Outcome)
		}
		got := d.write("s", "a")
		require.Equal(t, sentinel.OutcomeSkipped, got.Findings[0].Outcome)
		require.Equal(t, sentinel.VerdictAllow, got.Verdict)
		require.Contains(t, got.Findings[0].Reason, "22 of 20 tokens are used today; raise budget.tokens_per_day, or wait until midnight")
		require.Equal(t, "22 of 20 tokens are used today; raise budget.tokens_per_day, or wait until midnight. Until then rules that need a model are left out.", got.Notice)
		require.Equal(t, day+1, strings.Count(d.notes(), `"kind":"budget"`))
		require.Empty(t, d.write("s", "a").Notice)
		require.Empty(t, d.write("another", "a").Notice)

		got = d.write("s", "keys/a")
		require.Equal(t, sentinel.VerdictBlock, got.Verdict, "builtin judges where it is named")
		d.now = d.now.Add(24 * time.Hour)
	}
}

// Each project has a budget, and each is reported.
func TestTheBudgetOfAnotherProject(t *testing.T) {
	t.Parallel()
	const config = "budget: {tokens_per_day: 10}\n"
	one := newDesk(t, tree{"repo/.claude/sentinel/config.yaml": config, rules + "a.yaml": asks("**", "")})
	two := newDesk(t, tree{"repo/.claude/sentinel/config.yaml": config, rules + "a.yaml": asks("**", "")})
	two.opts.StateDir = one.opts.StateDir
	for _, d := range []*desk{one, two} {
		require.Empty(t, d.write("s", "a").Notice) // 11 tokens
		require.Contains(t, d.write("s", "a").Notice, "11 of 10 tokens are used today")
		require.Empty(t, d.write("s", "a").Notice)
	}
}

// What is said once is not used up by a call whose block says enough.
func TestARefusalIsNotToldBesideABlock(t *testing.T) {
	t.Parallel()
	d := newDesk(t, tree{
		"repo/.claude/sentinel/config.yaml": "backends: {command: {argv: [./judge]}}\n",
		rules + "a.yaml":                    "trigger: file_write\nbackend: command\nprompt: is it good?\n",
		rules + "b.yaml":                    guard("b"),
	})
	require.Empty(t, d.write("s", "b").Notice)
	require.Contains(t, d.write("s", "a").Notice, "is not asked")
}

// A judge that may not be asked is reported in each session.
func TestARefusalIsToldInEachSession(t *testing.T) {
	t.Parallel()
	d := newDesk(t, tree{
		"repo/.claude/sentinel/config.yaml": "backends: {command: {argv: [./judge]}}\n",
		rules + "a.yaml":                    "trigger: file_write\nbackend: command\nprompt: is it good?\n",
	})
	for _, session := range []string{"one", "two"} {
		require.Contains(t, d.write(session, "a").Notice, "the judge command is not asked: ")
		require.Contains(t, d.write("three"+session, "a").Notice, "sentinel trust")
		require.Empty(t, d.write(session, "b").Notice)
	}
}

// A rule whose own expression cannot decide about a call that goes on is reported, once
// in a session: no judge failed, so that nothing else would tell.
func TestAnExpressionThatCannotDecideIsTold(t *testing.T) {
	t.Parallel()
	rules := tree{
		".claude/sentinel/config.yaml":    "backend: builtin\n",
		".claude/sentinel/rules/far.yaml": "trigger: bash\nseverity: block\nwhen: 'any(cmd.operands, # == \"secret\")'\nmessage: no\n",
	}
	d := newHookDesk(t, rules)
	far := command(d.dir, "echo "+strings.Repeat("a ", 2500)+"secret")
	got := d.decide(far)
	require.Equal(t, sentinel.VerdictAllow, got.Verdict)
	require.Contains(t, got.Notice, "rule far could not be judged about echo a a")
	require.Contains(t, got.Notice, "which goes on: `when` is false for the first 2000 elements, and there are more.")
	require.Empty(t, d.decide(far).Notice, "once")
	require.Empty(t, d.decide(command(d.dir, "echo a")).Notice)

	rules[".claude/sentinel/config.yaml"] += "fail_open: false\n"
	strict := newHookDesk(t, rules)
	got = strict.decide(command(strict.dir, "echo "+strings.Repeat("a ", 2500)+"secret"))
	require.Equal(t, sentinel.VerdictBlock, got.Verdict)
	require.Empty(t, got.Notice, "the agent reads it")
}
