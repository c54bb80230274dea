package sentinel_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
)

// badLine is what the oracle finds. No rule contains it.
const badLine = "    rate = base * 0 # everybody rides for free\n"

// An oracle is always right about what it is shown: it says violation exactly where
// the prompt has the whole bad line.
type oracle struct {
	mu      sync.Mutex
	prompts []string
	most    int // characters of a prompt that fit; 0 means any
}

func (o *oracle) Complete(_ context.Context, req sentinel.Request) (sentinel.Response, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.prompts = append(o.prompts, req.Prompt)
	if o.most > 0 && len(req.Prompt) > o.most {
		return sentinel.Response{}, fmt.Errorf("%w: %w", sentinel.ErrUnavailable, sentinel.ErrTooLong)
	}
	quoted, _ := json.Marshal(strings.TrimSpace(badLine))
	if strings.Contains(req.Prompt, strings.TrimSpace(badLine)) || strings.Contains(req.Prompt, strings.Trim(string(quoted), `"`)) {
		return sentinel.Response{Text: violated}, nil
	}
	return sentinel.Response{Text: clean}, nil
}

// asked are the prompts so far: a window that the verdict does not wait for may still
// be asked about.
func (o *oracle) asked() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.prompts)
}

func code(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "    total_%d = subtotal(%d, items)\n", i, i)
	}
	return b.String()
}

func writeOf(content string) sentinel.Event {
	return sentinel.Event{Phase: sentinel.PhasePre, Root: "/repo", Actions: []sentinel.Action{
		{Trigger: sentinel.FileWrite, Op: sentinel.OpCreate, Path: "src/billing/rate.py", Content: content, Certain: true},
	}}
}

func onContent(r *testRule) {
	r.spec.Prompt = "RULE: no free rides.\n{{file_path}}\n{{content_snippet}}"
}

func judgeLong(t *testing.T, o *oracle, opts sentinel.Options, ev sentinel.Event, change ...func(*testRule)) sentinel.Decision {
	t.Helper()
	opts.Default, opts.Backends = "x", map[string]sentinel.Backend{"x": o}
	d, err := engine(t, &opts, aRule("a", sentinel.SeverityBlock, change...)).Evaluate(t.Context(), ev)
	require.NoError(t, err)
	return d
}

// Wherever the bad line is in a file that the windows cover, it is found. In a
// longer file it is found, or the finding says that not all was seen: then a strict
// project stops the call.
func TestOracleFindsEveryBadLine(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 8))
	found, unseen := 0, 0
	for range 400 {
		lines := r.IntN(2200) // up to some 80 KB
		at := r.IntN(lines + 1)
		content := code(at) + badLine + code(lines-at)
		o := &oracle{}
		d := judgeLong(t, o, sentinel.Options{}, writeOf(content), onContent)
		f := d.Findings[0]
		require.Equal(t, sentinel.VerdictBlock, d.Verdict)
		require.LessOrEqual(t, len(o.asked()), 4)
		switch f.Outcome {
		case sentinel.OutcomeViolation:
			found++
		case sentinel.OutcomeUnavailable:
			unseen++
			require.ErrorIs(t, f.Err, sentinel.ErrUnseen)
			require.Greater(t, len(content), 28_000, "the windows cover this")
			require.Positive(t, f.Seen)
			require.Less(t, f.Seen, 1.0)
			require.Contains(t, d.Reason(), "smaller steps")
		default:
			t.Fatalf("%d lines, bad at %d: %s", lines, at, f.Outcome)
		}
	}
	require.Greater(t, found, 150)
	require.Greater(t, unseen, 50)
}

// An open project lets a pass of a part go on, and says so in the finding.
func TestUnseenInAnOpenProject(t *testing.T) {
	t.Parallel()
	content := code(3000) + badLine + code(100)
	for severity, strict := range map[sentinel.Severity]sentinel.Outcome{
		sentinel.SeverityBlock: sentinel.OutcomeUnavailable, sentinel.SeverityAsk: sentinel.OutcomeUnavailable, sentinel.SeverityWarn: sentinel.OutcomePass,
	} {
		for _, open := range []bool{true, false} {
			d := judgeLong(t, &oracle{}, sentinel.Options{FailOpen: open}, writeOf(content), onContent, func(r *testRule) { r.spec.Severity = severity })
			f := d.Findings[0]
			if open {
				require.Equal(t, sentinel.OutcomePass, f.Outcome)
				require.Equal(t, sentinel.VerdictAllow, d.Verdict)
			} else {
				require.Equal(t, strict, f.Outcome, severity)
			}
			require.InDelta(t, 0.28, f.Seen, 0.03)
			require.Contains(t, f.Reason, "% of it")
		}
	}
}

// The changes of a rewritten file, and of a long edit, have to be
// seen: one question does.
func TestOnlyChangesHaveToBeSeen(t *testing.T) {
	t.Parallel()
	before := code(5000)
	after := strings.Replace(before, "    total_3333 = subtotal(3333, items)\n", badLine, 1)
	opts := sentinel.Options{Before: func(a *sentinel.Action) (string, bool) {
		require.Equal(t, "src/billing/rate.py", a.Path)
		return before, true
	}}
	edit := writeOf(after)
	edit.Actions = []sentinel.Action{{Trigger: sentinel.FileWrite, Op: sentinel.OpEdit, Path: "src/billing/rate.py", Content: after, Old: before, Certain: true}}
	for name, c := range map[string]struct {
		opts sentinel.Options
		ev   sentinel.Event
	}{"write": {opts, writeOf(after)}, "edit": {sentinel.Options{}, edit}} {
		o := &oracle{}
		d := judgeLong(t, o, c.opts, c.ev, onContent)
		require.Equal(t, sentinel.OutcomeViolation, d.Findings[0].Outcome, name)
		require.Len(t, o.asked(), 1, name)
		require.Contains(t, o.asked()[0], "total_3330 = ")
		require.Contains(t, o.asked()[0], "total_3336 = ")
		require.Zero(t, d.Findings[0].Seen)
	}
	o := &oracle{}
	d := judgeLong(t, o, opts, writeOf(strings.Replace(before, "total_3333 =", "total_3333 +=", 1)), onContent)
	require.Equal(t, sentinel.OutcomePass, d.Findings[0].Outcome)
	require.Len(t, o.asked(), 1)
}

// Commands and arguments beyond their bounds are judged in windows too.
func TestLongCommandsAndArguments(t *testing.T) {
	t.Parallel()
	for _, n := range []int{600, 3000} {
		long := code(n/2) + badLine + code(n/2)
		args, err := json.Marshal(map[string]string{"text": long})
		require.NoError(t, err)
		for name, ev := range map[string]sentinel.Event{
			"command": {Phase: sentinel.PhasePre, Actions: []sentinel.Action{{Trigger: sentinel.Bash, Target: "cat <<'EOF'\n" + long + "EOF"}}},
			"mcp":     {Phase: sentinel.PhasePre, Actions: []sentinel.Action{{Trigger: sentinel.MCP, Server: "s", MCPTool: "t", Args: args}}},
		} {
			for _, change := range []func(*testRule){
				func(r *testRule) { r.spec.Prompt = "RULE: no free rides." },
				func(r *testRule) { r.spec.Prompt = "RULE {{command}}{{mcp_arguments}}" },
			} {
				d := judgeLong(t, &oracle{}, sentinel.Options{}, ev, change)
				f := d.Findings[0]
				if n == 600 {
					require.Equal(t, sentinel.OutcomeViolation, f.Outcome, name)
				} else {
					require.Equal(t, sentinel.VerdictBlock, d.Verdict, name)
					require.True(t, f.Outcome == sentinel.OutcomeViolation || f.Seen > 0, name)
				}
			}
		}
	}
}

// A model with a small context is asked with less, and what it was not shown is said.
func TestPromptsThatDoNotFit(t *testing.T) {
	t.Parallel()
	o := &oracle{most: 5500}
	d := judgeLong(t, o, sentinel.Options{}, writeOf(code(200)+badLine+code(200)), onContent)
	require.Equal(t, sentinel.OutcomeViolation, d.Findings[0].Outcome)
	o = &oracle{most: 5500}
	d = judgeLong(t, o, sentinel.Options{}, writeOf(code(800)), onContent)
	require.ErrorIs(t, d.Findings[0].Err, sentinel.ErrUnseen)
	o = &oracle{most: 10}
	d = judgeLong(t, o, sentinel.Options{}, writeOf(code(800)), onContent)
	require.Equal(t, sentinel.OutcomeUnavailable, d.Findings[0].Outcome)
	require.ErrorIs(t, d.Findings[0].Err, sentinel.ErrTooLong)
	require.LessOrEqual(t, len(o.asked()), 16)
}

// The worst window counts, one that cannot be judged does not pass, and what is asked at
// once is bounded.
func TestWorstWindowCounts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		answers [4]string // by window; "" means none
		want    sentinel.Outcome
		conf    float64
	}{
		{"all clean", [4]string{clean, clean, `{"violation":false,"confidence":0.5}`, clean}, sentinel.OutcomePass, 0.5},
		{"one violated", [4]string{clean, clean, clean, violated}, sentinel.OutcomeViolation, 0.9},
		{"one violated, one failed", [4]string{"", clean, clean, violated}, sentinel.OutcomeViolation, 0.9},
		{"one failed", [4]string{clean, clean, "", clean}, sentinel.OutcomeUnavailable, 0},
		{"one malformed", [4]string{clean, `{"violation":false,"confidence":7}`, clean, clean}, sentinel.OutcomeUnavailable, 0},
		{"below the threshold", [4]string{clean, `{"violation":true,"confidence":0.2,"reason":"r"}`, clean, clean}, sentinel.OutcomePass, 0.2},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var now, most atomic.Int32
			backend := sentinel.BackendFunc(func(_ context.Context, req sentinel.Request) (sentinel.Response, error) {
				most.Store(max(most.Load(), now.Add(1)))
				defer now.Add(-1)
				for i, text := range c.answers {
					if strings.Contains(req.Prompt, fmt.Sprintf("total_%d = ", 20+200*i)) {
						if text == "" {
							return sentinel.Response{}, sentinel.ErrUnavailable
						}
						return sentinel.Response{Text: text}, nil
					}
				}
				t.Error("a window without its mark")
				return sentinel.Response{}, sentinel.ErrUnavailable
			})
			d, err := engine(t, &sentinel.Options{Default: "x", MaxParallel: 2, Backends: map[string]sentinel.Backend{"x": backend}},
				aRule("a", sentinel.SeverityBlock, onContent)).Evaluate(t.Context(), writeOf(code(780)))
			require.NoError(t, err)
			require.Equal(t, c.want.String(), d.Findings[0].Outcome.String())
			require.InDelta(t, c.conf, d.Findings[0].Confidence, 1e-9)
			require.LessOrEqual(t, most.Load(), int32(2))
		})
	}
}

// The deadline holds over windows, and what was not judged by then is not cleared.
func TestWindowsKeepTheDeadline(t *testing.T) {
	t.Parallel()
	for name, deaf := range map[string]bool{"obeys": false, "ignores its context": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				release := make(chan struct{})
				backend := sentinel.BackendFunc(func(ctx context.Context, req sentinel.Request) (sentinel.Response, error) {
					if strings.Contains(req.Prompt, "total_20 = ") {
						return sentinel.Response{Text: clean}, nil
					}
					if deaf {
						<-release
						return sentinel.Response{Text: clean}, nil
					}
					return hang(ctx, req)
				})
				start := time.Now()
				d, err := engine(t, &sentinel.Options{Default: "x", Deadline: 10 * time.Second, Backends: map[string]sentinel.Backend{"x": backend}},
					aRule("a", sentinel.SeverityBlock, onContent)).Evaluate(t.Context(), writeOf(code(600)))
				require.NoError(t, err)
				require.LessOrEqual(t, time.Since(start), 10*time.Second+100*time.Millisecond)
				require.Equal(t, sentinel.OutcomeUnavailable, d.Findings[0].Outcome)
				require.Equal(t, sentinel.VerdictBlock, d.Verdict)
				require.InDelta(t, 0.36, d.Findings[0].Seen, 0.05)
				close(release)
			})
		})
	}
}
