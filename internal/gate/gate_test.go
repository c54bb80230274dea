package gate_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/gate"
	"github.com/agentsentinel/sentinel/internal/record"
	"github.com/agentsentinel/sentinel/internal/state"
	"github.com/agentsentinel/sentinel/telemetry"
)

// A desk is a gate with a clock that the test sets, and what is tried at it.
type desk struct {
	t     *testing.T
	gate  gate.Gate
	now   time.Time
	rules string            // the version of the rules
	codes map[string]string // by command
	log   []string
	calls int
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{t: t, now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), rules: "1", codes: map[string]string{}}
	folder := func(dir string) gate.Folder { return gate.Folder{Dir: dir, Key: dir} }
	d.gate = gate.Gate{
		StateDir: t.TempDir(), Seal: d.seal(), Now: func() time.Time { return d.now }, Numbered: true,
		Folders: []gate.Folder{{Dir: "/home/u/sentinel", Key: "/home/u/sentinel", User: true}, folder("/repo/rules"), folder("/other/rules")}, Nearest: 1,
		Log: func(level, by, what string, records []telemetry.Record) error {
			d.log = append(d.log, fmt.Sprintf("%s %s: %s (%d)", level, by, what, len(records)))
			return nil
		},
	}
	return d
}

func (d *desk) seal() state.Sealing {
	return state.Sealing{Key: func() []byte { return []byte("a key of the test, of 32 bytes...") }}
}

// call is a command of the agent under the rules of all folders. id "" is one that no
// other call has.
func (d *desk) call(phase sentinel.Phase, command, id string) gate.Call {
	if d.calls++; id == "" {
		id = fmt.Sprint("call ", d.calls)
	}
	c := gate.Call{Root: "/repo", Event: sentinel.Event{
		Phase: phase, Agent: "claude", Session: "s1", Tool: sentinel.ToolCall{ID: strings.TrimPrefix(id, "none"), Name: "Bash"},
	}}
	actions := []sentinel.Action{{Trigger: sentinel.Bash, Target: command, Forms: []string{command}, Root: "/repo", Dir: "/repo"}}
	for _, f := range d.gate.Folders {
		c.Parts = append(c.Parts, gate.Part{Folder: f, Version: func() string { return d.rules }, Actions: actions})
	}
	return c
}

// verdict is what the rules of the test say of a command: its first word.
func verdict(c gate.Call) sentinel.Decision {
	a := &c.Parts[0].Actions[0]
	var v sentinel.Verdict
	word, _, _ := strings.Cut(a.Target, " ")
	_ = v.UnmarshalText([]byte(word))
	d := sentinel.Decision{ID: "aaaaaaaaaa", Verdict: v, Actions: c.Parts[0].Actions}
	if v > sentinel.VerdictAllow {
		d.Findings = []sentinel.Finding{{
			Rule: &sentinel.RuleSpec{ID: "r", Trigger: sentinel.Bash, Severity: sentinel.SeverityBlock}, Action: a,
			Match: sentinel.Match{OK: true}, Outcome: sentinel.OutcomeViolation, Verdict: v, Reason: "not so",
		}}
	}
	return d
}

// try is one hook process: it says what comes of a call.
func (d *desk) try(c gate.Call) string {
	ctx, cancel := context.WithCancel(d.t.Context())
	cancel() // nobody waits in a test
	pass := d.gate.Admit(ctx, c)
	defer pass.Close()
	if relayed, ok := pass.Relayed(); ok {
		require.True(d.t, relayed.Relayed)
		for i := range relayed.Findings {
			require.Same(d.t, &c.Parts[0].Actions[0], relayed.Findings[i].Action)
		}
		return "relayed " + d.said(c, &relayed)
	}
	out := verdict(c)
	require.NoError(d.t, pass.Settle(&out, record.Of(d.now, c.Event, out)))
	return d.said(c, &out)
}

// said is a decision in words. It keeps the code.
func (d *desk) said(c gate.Call, out *sentinel.Decision) string {
	said := out.Verdict.String()
	if out.Code != "" {
		old := cmp.Or(d.codes[c.Parts[0].Actions[0].Target], out.Code)
		d.codes[c.Parts[0].Actions[0].Target] = out.Code
		said += " with " + map[bool]string{true: "the code", false: "a new code"}[old == out.Code]
	}
	for i := range out.Findings {
		if out.Findings[i].Waived {
			said += ", waived"
		}
	}
	return said
}

// A step is one thing that happens at the gate, after a time.
type step struct {
	after time.Duration
	do    string // try, advise, end turn, allow, find, rules, pause, paused or end
	what  string // a command, or "command #id"
	want  string
}

func (d *desk) take(s step) string {
	d.now = d.now.Add(s.after)
	command, id, _ := strings.Cut(s.what, " #")
	failed := func(err error) string {
		if err == nil {
			return "done"
		}
		return err.Error()
	}
	switch s.do {
	case "try":
		return d.try(d.call(sentinel.PhasePre, command, id))
	case "advise":
		return d.try(d.call(sentinel.PhasePost, command, id))
	case "end turn":
		return d.try(d.call(sentinel.PhaseStop, command, id))
	case "find", "allow":
		stopped, err := d.gate.FindStopped(cmp.Or(d.codes[command], command))
		if err == nil && s.do == "allow" {
			err = d.gate.Allow(stopped, "ann")
		}
		return failed(err)
	case "rules":
		d.rules = s.what
	case "pause":
		length, err := time.ParseDuration(command)
		require.NoError(d.t, err)
		_, err = d.gate.Pause(length, id == "all", "ann")
		return failed(err)
	case "end":
		return failed(d.gate.EndPause(s.what == "all", "ann"))
	case "paused":
		return d.paused()
	default:
		d.t.Fatalf("there is no step %q", s.do)
	}
	return ""
}

// paused lists the folders whose rules are not judged.
func (d *desk) paused() string {
	call := d.call(sentinel.PhasePre, "block it", "")
	pass := d.gate.Glance(call)
	defer pass.Close()
	var found []string
	for i := range call.Parts {
		if why, ok := pass.Paused(i); ok {
			require.Contains(d.t, why, "paused by ann until 2026-03-01T12:")
			found = append(found, call.Parts[i].Folder.Dir)
		}
	}
	require.Equal(d.t, len(found) > 0, d.gate.Paused())
	require.Equal(d.t, len(found) > 0, len(d.gate.Pauses()) > 0)
	return strings.Join(found, " ")
}

const (
	coded   = "block with the code"
	unknown = `no call waits for the code`
	minute  = time.Minute
)

var courses = map[string][]step{
	"a call is let through once by its code": {
		{0, "try", "block a", coded}, {0, "try", "block a", coded}, {0, "try", "allow b", "allow"}, {0, "find", "block a", "done"},
		{0, "allow", "block a", "done"}, {0, "try", "block c", coded}, {0, "try", "block a", "allow, waived"},
		{0, "find", "block a", "was used already"}, {0, "try", "block a", "block with a new code"},
	},
	"a question is approved as a block is": {
		{0, "try", "ask a", "ask with the code"}, {0, "allow", "ask a", "done"}, {0, "try", "ask a", "allow, waived"},
	},
	"a warning needs no code": {{0, "try", "warn a", "warn"}},
	"a code ends": {
		{0, "try", "block a", coded}, {60*minute - 1, "find", "block a", "done"}, {1, "find", "block a", unknown}, {0, "allow", "block a", unknown},
	},
	"an approval ends": {
		{0, "try", "block a", coded}, {0, "allow", "block a", "done"}, {10 * minute, "try", "block a", "block with a new code"},
	},
	"what is no code": {{0, "find", "K7Q", "is not a code"}, {0, "find", "K7QX", unknown}},
	"another hook of the call has its answer": {
		{0, "try", "block a #1", coded}, {2 * time.Second, "try", "block a #1", "relayed block with the code"},
		{0, "try", "block a #2", coded}, {0, "try", "block b #1", coded}, {0, "try", "allow c #1", "allow"}, {0, "try", "allow c #1", "relayed allow"},
	},
	"an answer that is late, or of other rules, is none": {
		{0, "try", "block a #1", coded}, {3 * time.Second, "try", "block a #1", coded}, {0, "rules", "2", ""}, {0, "try", "block a #1", coded},
	},
	"an approval counts more than an answer": {
		{0, "try", "block a #1", coded}, {0, "allow", "block a", "done"}, {0, "try", "block a #1", "allow, waived"},
	},
	"what is undecided is not handed on": {
		{0, "try", "undecided a #1", "undecided"}, {0, "try", "undecided a #1", "undecided"},
	},
	"a call without the id that it should have is no twin": {
		{0, "try", "block a #none", coded}, {0, "try", "block a #none", coded},
	},
	"advice is given once": {
		{0, "advise", "warn a #1", "warn"}, {0, "advise", "warn a #1", "relayed allow"}, {0, "advise", "warn a #2", "warn"},
	},
	"the end of a turn is no call that is let through": {
		{0, "end turn", "block a", "block"}, {0, "end turn", "block a", "block"},
	},
	"a pause of the project": {
		{0, "paused", "", ""}, {0, "pause", "10m", "done"}, {0, "paused", "", "/home/u/sentinel /repo/rules"},
		{10*minute - 1, "paused", "", "/home/u/sentinel /repo/rules"}, {1, "paused", "", ""},
	},
	"a pause of everything": {
		{0, "pause", "10m #all", "done"}, {0, "paused", "", "/home/u/sentinel /repo/rules /other/rules"}, {0, "end", "", "done"},
		{0, "paused", "", "/home/u/sentinel /repo/rules /other/rules"}, {0, "end", "all", "done"}, {0, "paused", "", ""},
	},
	"an answer under a pause is not one without it": {
		{0, "try", "block a #1", coded}, {0, "pause", "10m", "done"}, {0, "try", "block a #1", coded}, {0, "try", "block a #1", "relayed block with the code"},
	},
	"a pause that is no pause": {
		{0, "pause", "0s", "a pause lasts up to"}, {0, "pause", "8h1ns", "a pause lasts up to"}, {0, "paused", "", ""},
	},
}

// TestCourses runs what happens at one gate, step by step.
func TestCourses(t *testing.T) {
	t.Parallel()
	for name, steps := range courses {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			for i, s := range steps {
				got := d.take(s)
				if s.want == "" || strings.HasPrefix(got, "done") || s.do == "try" || s.do == "advise" || s.do == "end turn" || s.do == "paused" {
					require.Equal(t, s.want, got, "step %d: %s %s", i+1, s.do, s.what)
					continue
				}
				require.Contains(t, got, s.want, "step %d: %s %s", i+1, s.do, s.what)
			}
		})
	}
}

// What a user does is written to the log, and an error of the log is not silent.
func TestWhatAUserDoesIsLogged(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	require.Equal(t, coded, d.take(step{do: "try", what: "block a"}))
	for _, s := range []step{{do: "allow", what: "block a"}, {do: "pause", what: "10m"}, {do: "end"}, {do: "end"}} {
		require.Equal(t, "done", d.take(s))
	}
	require.Equal(t, []string{
		"allowed ann: a person let this call through once, with the code " + d.codes["block a"] + " (1)",
		"paused ann: paused for 10m0s: /repo/rules (0)", "paused ann: the pause has ended: /repo/rules (0)",
	}, d.log)
	d.gate.Log = func(string, string, string, []telemetry.Record) error { return errors.New("the disk is full") }
	require.Contains(t, d.take(step{do: "pause", what: "10m"}), "the disk is full")
	d.gate.Nearest = -1
	require.Contains(t, d.take(step{do: "pause", what: "10m"}), "no .claude/sentinel applies here")
}

// While one process judges, another one that has no time to wait is left without an
// answer; a process that gives up leaves the call to the next one.
func TestAClaimIsHeldUntilItIsClosed(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	call := d.call(sentinel.PhasePre, "block a", "1")
	first := d.gate.Admit(t.Context(), call)
	require.Equal(t, coded, d.take(step{do: "try", what: "block a #1"}), "it judges by itself, and hands nothing on")
	first.Close()
	require.Equal(t, coded, d.take(step{do: "try", what: "block a #1"}))
	require.Equal(t, "relayed "+coded, d.take(step{do: "try", what: "block a #1"}))

	done, mine := d.gate.Once(call.Event)
	require.True(t, mine)
	done(true)
	_, mine = d.gate.Once(call.Event)
	require.False(t, mine, "a twin has kept the event")
}

// A kept call that cannot be shown is not let through: one that is damaged is left out, one
// of a newer version is counted, and stays as it is.
func TestKeptCallsThatCannotBeShown(t *testing.T) {
	t.Parallel()
	const newer = `{"at":"2026-03-01T12:00:00Z","decision":{"version":9,"verdicts":[1]},"more":true}`
	d := newDesk(t)
	kept := state.NewApprovals(filepath.Join(d.gate.StateDir, "stopped"), d.seal(), d.gate.Now)
	for name, detail := range map[string]string{"newer": newer, "damaged": `{"decision":7}`, "empty": `{}`, "none": ""} {
		code, _, err := kept.Stop(state.Stopped{Action: name, Project: "/repo", Detail: json.RawMessage(detail)})
		require.NoError(t, err)
		d.codes[name] = code
	}
	d.now = d.now.Add(minute)
	require.Equal(t, coded, d.take(step{do: "try", what: "block a"}))

	waiting, count, err := d.gate.Waiting()
	require.NoError(t, err)
	require.Equal(t, 1, count)
	require.Len(t, waiting, 1)
	require.Equal(t, d.codes["block a"], waiting[0].Code)
	require.Equal(t, "block a", waiting[0].Call.Decision.Findings[0].Action.Target)

	_, err = d.gate.FindStopped(d.codes["newer"])
	require.ErrorIs(t, err, sentinel.ErrJSONVersion)
	require.ErrorContains(t, err, "was stopped by a newer version of this program")
	for _, name := range []string{"damaged", "empty", "none"} {
		require.Contains(t, d.take(step{do: "allow", what: name}), "is not known any more; let the agent try the call again", name)
	}
	found, err := kept.Find(d.codes["newer"])
	require.NoError(t, err)
	require.Equal(t, newer, string(found.Detail), "it waits for the newer version")
}

// Files that do not verify allow and pause nothing.
func TestDamagedFiles(t *testing.T) {
	t.Parallel()
	for _, data := range []string{"", "\x00", `{"stopped":[]}`, "SNSL\x01" + strings.Repeat("x", 40)} {
		d := newDesk(t)
		var dropped []string
		d.gate.Seal.Dropped = func(what string, _ error) { dropped = append(dropped, what) }
		require.Equal(t, coded, d.take(step{do: "try", what: "block a"}))
		require.Equal(t, "done", d.take(step{do: "allow", what: "block a"}))
		require.Equal(t, "done", d.take(step{do: "pause", what: "10m"}))
		for _, name := range []string{"stopped", "paused"} {
			require.NoError(t, os.WriteFile(filepath.Join(d.gate.StateDir, name), []byte(data), 0o600))
		}
		require.Empty(t, d.paused())
		waiting, newer, err := d.gate.Waiting()
		require.NoError(t, err)
		require.Empty(t, waiting)
		require.Zero(t, newer)
		require.Contains(t, d.take(step{do: "try", what: "block a"}), "block with")
		require.Equal(t, data != "", len(dropped) > 0)
	}
}

// Without a folder the gate lets everything pass, and a user can do nothing.
func TestAGateWithoutAFolder(t *testing.T) {
	t.Parallel()
	for _, g := range []*gate.Gate{nil, {Nearest: -1}} {
		pass := g.Admit(t.Context(), gate.Call{})
		require.Nil(t, pass)
		require.Nil(t, g.Glance(gate.Call{}))
		d := sentinel.Decision{Verdict: sentinel.VerdictBlock}
		require.NoError(t, pass.Settle(&d, nil))
		require.Empty(t, d.Code)
		_, relayed := pass.Relayed()
		_, paused := pass.Paused(0)
		require.False(t, relayed || paused)
		pass.Close()
	}
	g := &gate.Gate{Nearest: -1}
	_, _, err := g.Waiting()
	require.ErrorContains(t, err, "no folder keeps codes")
	_, err = g.FindStopped("K7QX")
	require.ErrorContains(t, err, "no folder keeps codes")
	_, err = g.Pause(minute, true, "ann")
	require.ErrorContains(t, err, "there is no folder to keep a pause in")
	require.False(t, g.Paused())
	require.Empty(t, g.Pauses())
}
