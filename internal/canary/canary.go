// Package canary starts a real agent and sees one harmless call of it stopped that is
// forbidden wherever Sentinel is at work: a write into the folder of rules. The agent's
// model is a scripted one on this machine, so that nothing is spent and nothing leaves.
package canary

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/agent"
	"github.com/agentsentinel/sentinel/internal/place"
	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/internal/state"
	"github.com/agentsentinel/sentinel/internal/subprocess"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/project"
)

// An Outcome says what came of a canary.
type Outcome string

// The outcomes. They are printed, so their values stay.
const (
	Stopped    Outcome = "stopped"     // the hook was asked, and stopped the call
	NotStopped Outcome = "not_stopped" // the agent made the call, and no hook stopped it
	NotTried   Outcome = "not_tried"   // the agent did not come to make it, or cannot be started so
)

// A Result is what came of a canary.
type Result struct {
	Agent   string  `json:"agent"`
	Dir     string  `json:"dir"` // where the agent was started
	Outcome Outcome `json:"outcome"`
	Said    string  `json:"said"` // in words: why, or what the user can type
}

// Options say what is tried.
type Options struct {
	Agent   *agent.Agent
	Dir     string // absolute: where the agent is started
	Environ []string
	Project *project.Options
}

const (
	patience = 90 * time.Second       // for the whole run of the agent
	look     = 100 * time.Millisecond // between two looks at the receipts
	grace    = 2 * time.Second        // for an agent to end after its call was stopped
	prompt   = "This is a trial of Sentinel. Do the task."
)

// A trial is one canary.
type trial struct {
	*Options
	file   string // that must not be written
	id     string
	input  json.RawMessage // the arguments of the call
	began  time.Time
	server *server
	trace  *state.Trace
}

// Run starts the agent. It returns when the agent has ended, and all that it started.
func Run(ctx context.Context, o *Options) (Result, error) {
	r := Result{Agent: o.Agent.Name, Dir: o.Dir, Outcome: NotTried}
	t := &trial{Options: o, id: "call_" + strings.ToLower(rand.Text()), began: o.Project.Now()}
	t.file = filepath.Join(place.Root(o.Dir), ".claude", "sentinel", "canary-"+strings.ToLower(rand.Text()[:8])+".txt")
	c := &o.Agent.Canary
	if c.Speaks == "" || len(o.Agent.Traces.Programs) == 0 {
		r.Said = fmt.Sprintf("%s cannot be started with another model server. %s", o.Agent.DisplayName(), t.byHand())
		return r, nil
	}
	var err error
	if t.input, err = t.arguments(); err != nil {
		return r, err
	}
	if r.Said = t.unfit(ctx); r.Said != "" {
		return r, nil
	}
	program, err := subprocess.LookPath(o.Agent.Traces.Programs[:1], o.Dir)
	if err != nil {
		r.Said = fmt.Sprintf("%s is not on the PATH. %s", o.Agent.Traces.Programs[0], t.byHand())
		return r, nil
	}
	t.server = &server{protocol: protocols()[c.Speaks], fill: t.fill}
	url, stop, err := t.server.listen()
	if err != nil {
		return r, fmt.Errorf("canary: %w", err)
	}
	defer stop()
	defer os.Remove(t.file)
	out, err := t.start(ctx, program, url)
	r.Outcome, r.Said = t.conclude(out, err)
	return r, nil
}

// unfit says why nothing can be tried; "" if it can.
func (t *trial) unfit(ctx context.Context) string {
	o := *t.Project
	o.NoModel, o.NoLog = true, true
	p := project.Open([]string{t.Dir}, &o)
	if t.trace = project.Open([]string{t.Dir}, t.Project).Past().Trace(); t.trace == nil {
		return "there is no state folder; set HOME or XDG_STATE_HOME"
	}
	if len(p.Folders) == 0 {
		return "no rules apply here; run `sentinel init` first"
	}
	if info, err := os.Stat(filepath.Dir(t.file)); err != nil || !info.IsDir() {
		return "there is no folder " + text.OneLine(filepath.Dir(t.file)) + "; run `sentinel init` first"
	}
	call := sentinel.ToolCall{Name: t.Agent.Canary.Tool, Args: t.input}
	d, err := p.Evaluate(ctx, sentinel.Event{Phase: sentinel.PhasePre, Agent: t.Agent.Name, Dir: t.Dir, Tool: call})
	if err == nil && d.Verdict < sentinel.VerdictAsk {
		return "the rules here let the file be written that is to be tried: " + text.OneLine(t.file)
	}
	return ""
}

// byHand is what a user does instead.
func (t *trial) byHand() string {
	return fmt.Sprintf("By hand: start %s in %s and type: \"Write the word canary into %s with your file tool.\" Sentinel must stop it; `sentinel verify --last` tells.",
		t.Agent.DisplayName(), text.OneLine(t.Dir), text.OneLine(t.file))
}

// arguments are those of the call: an object, or the text of a tool that takes bare text.
func (t *trial) arguments() (json.RawMessage, error) {
	rel, err := filepath.Rel(t.Dir, t.file)
	if err != nil {
		return nil, fmt.Errorf("canary: %w", err)
	}
	var v any
	if err := json.Unmarshal([]byte(t.Agent.Canary.Input), &v); err != nil {
		return nil, fmt.Errorf("canary: the arguments of %s's tool: %w", t.Agent.Name, err)
	}
	put := func(s string) string {
		return strings.NewReplacer("{PATH}", t.file, "{REL}", filepath.ToSlash(rel)).Replace(s)
	}
	switch args := v.(type) {
	case string:
		v = put(args)
	case map[string]any:
		for k, arg := range args {
			if s, ok := arg.(string); ok {
				args[k] = put(s)
			}
		}
	}
	return json.Marshal(v)
}

// fill puts the call into a template of the protocol.
func (t *trial) fill(template, model string) string {
	quoted := func(s string) string { data, _ := json.Marshal(s); return string(data) }
	return strings.NewReplacer("TOOL", quoted(t.Agent.Canary.Tool), "ID", quoted(t.id), "MODEL", quoted(model),
		"INPUT", string(t.input), "ARGUMENTS", quoted(string(t.input))).Replace(template)
}

// start runs the agent in the user's own environment, without keys of web services, and
// ends it when its call was stopped.
func (t *trial) start(ctx context.Context, program, url string) (subprocess.Output, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	tmp, err := os.MkdirTemp(t.Project.StateDir, "canary-") // agents refuse settings below a folder that others can write to
	if err != nil {
		return subprocess.Output{}, err
	}
	defer os.RemoveAll(tmp)
	settings := filepath.Join(tmp, "settings.json")
	put := strings.NewReplacer("{URL}", url, "{PROMPT}", prompt, "{FILE}", settings).Replace
	c := &t.Agent.Canary
	if err := os.WriteFile(settings, []byte(put(c.Settings)), 0o600); err != nil {
		return subprocess.Output{}, err
	}
	env := append(t.environ(), "HTTP_PROXY="+url, "HTTPS_PROXY="+url, "http_proxy="+url, "https_proxy="+url, "ALL_PROXY=", "all_proxy=", "NO_PROXY=127.0.0.1,localhost", "no_proxy=127.0.0.1,localhost")
	for _, variable := range c.Env {
		env = append(env, put(variable))
	}
	argv := []string{program}
	for _, arg := range c.Args {
		argv = append(argv, put(arg))
	}
	go t.watch(ctx, cancel)
	return subprocess.Run(ctx, subprocess.Program{Argv: argv, Dir: t.Dir, Env: env, MaxStdout: 16 << 20})
}

// needed are the variables that an agent and its hook get of the user's, besides those
// that say where its settings are. Keys of web services are not among them. A name that
// ends in _ means all that begin so.
const needed = "PATH HOME USER LOGNAME SHELL TERM LANG LC_ TZ TMPDIR TMP TEMP XDG_ SENTINEL_ USERPROFILE SYSTEMROOT SYSTEMDRIVE WINDIR COMSPEC PATHEXT APPDATA LOCALAPPDATA PROGRAMDATA"

func (t *trial) environ() (env []string) {
	names := append(strings.Fields(needed), t.Agent.Starts.Variables...)
	for _, variable := range t.Environ {
		name, _, _ := strings.Cut(strings.ToUpper(variable), "=")
		if slices.ContainsFunc(names, func(n string) bool { return name == n || strings.HasSuffix(n, "_") && strings.HasPrefix(name, n) }) {
			env = append(env, variable)
		}
	}
	return env
}

// watch ends an agent that waits for a user after its call was stopped.
func (t *trial) watch(ctx context.Context, cancel func()) {
	for ctx.Err() == nil && t.receipt() == nil {
		wait(ctx, look)
	}
	wait(ctx, grace)
	cancel()
}

func wait(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// receipt is what a hook answered to the call; nil as long as none has.
func (t *trial) receipt() *state.Traced {
	here := func(s state.Session) bool {
		return safefile.Within(s.Dir, place.Root(t.Dir)) || safefile.Within(t.Dir, s.Dir)
	}
	args := state.ArgsDigest(t.input)
	for _, r := range t.trace.All(here) {
		for i := range r.Calls {
			c := &r.Calls[i]
			if !c.Began.Before(t.began.Truncate(time.Microsecond)) && c.Outcome != state.TraceOpen && (c.ID == state.CallDigest(t.id) || c.Args == args) {
				return c
			}
		}
	}
	return nil
}

// maxTail bounds what is shown of an agent's own words, in characters.
const maxTail = 400

// conclude says what came of it.
func (t *trial) conclude(out subprocess.Output, err error) (Outcome, string) {
	_, missing := os.Lstat(t.file)
	written := missing == nil
	c := t.receipt()
	switch {
	case written && c == nil:
		return NotStopped, "it wrote the file, and no hook was asked: `sentinel doctor` looks at the registration; the file was removed"
	case written:
		return NotStopped, "it wrote the file, though the hook was asked: the file was removed"
	case c != nil && c.Outcome == state.TraceStopped:
		return Stopped, fmt.Sprintf("its hook was asked, and stopped the call after %s", c.Took.Round(time.Millisecond))
	case c != nil:
		return NotStopped, "its hook was asked, and did not stop the call"
	case t.server.answered.Load():
		return NotStopped, "no hook was asked; what kept it from writing is the agent's own: `sentinel doctor` looks at the registration"
	}
	why := "it did not ask the model server that it was given"
	if t.server.called.Load() {
		why = "it did not say what came of the call"
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		why += ", and was ended after " + patience.String()
	} else if err != nil {
		why += ": " + text.OneLine(err.Error())
	}
	said := text.OneLine(string(out.Stderr))
	if said == "" {
		said = text.OneLine(string(out.Stdout))
	}
	if n := len(said); n > maxTail {
		said = "… " + strings.ToValidUTF8(said[n-maxTail:], "")
	}
	return NotTried, strings.TrimSpace(fmt.Sprintf("%s (exit %d). %s", why, out.Exit, text.After("It said: ", said)))
}
