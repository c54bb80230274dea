// Package hook is the command that agents start at every tool call: it answers one event.
//
// hook.go has the way from the event to the answer, from top to bottom, for the events
// before and after a tool and those about the course of a session, and what is begun after
// the answer. These files have the other events and the steps of that way:
//
//   - flags.go: the flags, and the options and the deadline that come of them
//   - clock.go: the watchdog, which answers alone at the deadline, and the trace that a
//     hook leaves when it began and when it answered
//   - answer.go: how an answer is written, what is answered after a fault or a panic, and
//     what is kept of an answer that was not heard
//   - permission.go: the event of an agent that is about to ask its user
//   - watch.go: the settings that start the hook, and the event that says they changed
//   - heard.go: what the person asks for in a prompt
package hook

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/agent"
	"github.com/agentsentinel/sentinel/internal/background"
	"github.com/agentsentinel/sentinel/internal/digest"
	"github.com/agentsentinel/sentinel/internal/exit"
	"github.com/agentsentinel/sentinel/internal/memory"
	"github.com/agentsentinel/sentinel/internal/person"
	"github.com/agentsentinel/sentinel/internal/record"
	"github.com/agentsentinel/sentinel/internal/recursion"
	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/internal/setup"
	"github.com/agentsentinel/sentinel/internal/state"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/internal/verify"
	"github.com/agentsentinel/sentinel/project"
)

// maxEvent bounds an event. Agents send whole files, not file systems.
const maxEvent = 256 << 20

// memoryLimit is from where a hook collects garbage after all, in bytes.
const memoryLimit = 128 << 20

// Env is all that a hook may see and touch.
type Env struct {
	Args    []string // without the program's name and "hook"
	Stdin   io.Reader
	Stdout  io.Writer
	Stderr  io.Writer
	Getenv  func(string) string
	Environ []string // NAME=value: a background process gets a part of it
	Dir     string   // absolute working directory
	Now     func() time.Time

	Agents  agent.Registry
	Project func() *project.Options // of project.Open
	Observe background.Observer     // nil shows decisions to no observer
}

// Run answers one event and returns the exit status. After any failure the
// agent gets an answer that means what it says: never a crash that happens to look
// like "allowed" where the project is strict.
func Run(env *Env) (status int) {
	// A hook lives for milliseconds: collecting garbage would cost it more than
	// the memory. The limit is for events that hold whole files.
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(memoryLimit)
	debug.SetTraceback("none") // what no code can catch is a line for the agent, too
	growStack()
	c := &call{env: env, agent: unknownAgent(), clock: newClock(time.Now())}
	c.open = sync.OnceValue(c.openInTime)
	defer c.catch(&status)
	var err error
	c.flags, err = parseFlags(env)
	if errors.Is(err, errHelp) {
		return exit.OK
	}
	if token := env.Getenv(recursion.Variable); token != "" && recursion.Guarded(env.Project().StateDir, token) {
		return exit.OK // a judge's own agent asks: judging it would start the judge again
	}
	if err != nil {
		return c.send(c.refuse(fmt.Errorf("%s: %w", c.command("hook"), err)))
	}
	if err := checkDescriptors(); err != nil {
		return c.send(c.blind(fmt.Errorf("%s: %w", c.command("hook"), err)))
	}
	defer c.clock.leave()
	return c.inTime(c.answer)
}

// answer is the whole of the work on an event: the answer is found, and then given. The
// status is tooLate if the watchdog has answered, or is to.
func (c *call) answer() (status int) {
	defer c.catch(&status)
	growStack()
	if err := c.read(); err != nil {
		return c.send(c.refuse(err))
	}
	known := *c
	c.clock.learn(&known)
	c.remember()
	c.clock.begin(c.open(), &c.event)
	return c.send(c.reply())
}

// reply is the answer to the event.
func (c *call) reply() reply {
	switch c.event.Phase {
	case sentinel.PhasePre:
		return c.beforeTool().then(c.journal)
	case sentinel.PhasePost:
		return c.afterTool().then(c.journal)
	case sentinel.PhasePermission:
		return c.beforeQuestion()
	default:
		return c.inSession()
	}
}

// growStack makes room on the stack at once. Growing it step by step, in the
// depth of a call, costs a tenth of what a hook computes.
//
//go:noinline
func growStack() byte {
	var room [20 << 10]byte
	return room[len(os.Args)]
}

// A call is one event on its way to an answer.
type call struct {
	env   *Env
	flags flags
	agent *agent.Agent
	event sentinel.Event
	clock *clock
	open  func() *project.Project // once
	alarm *setup.Alarm            // what was changed of the guard itself; nil for nothing
	part  string                  // of the beginning of a subagent: a digest of what its agent sent
	stops bool                    // the answer stops the call, or asks about it
	comes state.Outcome           // what came of the call, once that is known
}

// command is a command line of this program, for a sentence.
func (c *call) command(words string) string { return text.Command(c.env.Project().Program, words) }

// read takes the event from standard input.
func (c *call) read() error {
	stdin, err := io.ReadAll(io.LimitReader(c.env.Stdin, maxEvent+1))
	switch {
	case err != nil:
		return fmt.Errorf("%s: reading the event: %w", c.command("hook"), err)
	case len(stdin) > maxEvent:
		return fmt.Errorf("%s: the event is larger than %d bytes", c.command("hook"), maxEvent)
	}
	found, err := c.env.Agents.Resolve(c.flags.agent, stdin)
	if err != nil {
		return err
	}
	c.agent = found
	if c.event, err = c.agent.Decode(stdin); err != nil {
		return err
	}
	if c.flags.phase != sentinel.PhaseUnknown {
		c.event.Phase = c.flags.phase
	}
	if c.event.Part && c.event.Phase == sentinel.PhaseStart {
		c.part = digest.Hex(string(stdin))
	}
	if safefile.TooLong(c.event.Dir) {
		n := len(c.event.Dir)
		c.event.Dir = c.env.Dir
		return fmt.Errorf("%s: the event names a folder of %d bytes, which is longer than a path can be", c.command("hook"), n)
	}
	c.event.Dir = cmp.Or(c.event.Dir, c.env.Dir)
	return nil
}

// remember keeps which agent this hook runs below, where rules are in force: a command
// that is for people refuses to run in a terminal that this agent may have made.
func (c *call) remember() {
	p := c.open()
	if len(p.Folders) == 0 {
		return
	}
	person.Remember(c.env.Project().StateDir, p.Gate().Seal.Key(), c.env.Agents, c.event.Session)
}

// beforeTool judges a tool call: the rules that are about it are found, the user's
// pauses and approvals and other hooks of the same call are looked at, the rules are
// judged, the decision is recorded, the agent gets its answer, and what remains is
// left to one background process.
func (c *call) beforeTool() reply {
	p := c.open()
	c.tighten()
	ctx := context.Background()
	docket := p.Match(ctx, c.event)
	if docket.Late() {
		return reply{late: true} // the watchdog still judges by the user's rules
	}
	c.clock.creates(docket.Creates())
	if docket.Empty() {
		c.note("facts", p.Past().Begin(docket, &sentinel.Decision{}))
		return c.allow(docket)
	}
	d, rec, err := c.judge(ctx, docket)
	if err != nil {
		return c.refuse(err)
	}
	c.note("facts", p.Past().Begin(docket, &d))
	docket.Undo(ctx, &d, c.agent.Abilities.ReplacesOnAsk)
	c.comes = outcome(d)
	if c.stops = d.Verdict >= sentinel.VerdictAsk; !c.stops && d.Notice == "" {
		d.Notice = c.warning()
	}
	return c.say(d).then(func() { c.after(rec, d) })
}

// judge decides on the call and keeps what came of it. Of a decision that another process
// made for this very call, that process has the record.
func (c *call) judge(ctx context.Context, docket *project.Docket) (sentinel.Decision, *record.Call, error) {
	j, err := docket.Decide(ctx)
	if err != nil {
		return j.Decision, nil, err
	}
	c.note("log", j.Unkept) // the answer matters more than its record
	c.note("log", c.open().Past().Book().Write(j.Record, j.Decision, docket.Event))
	return j.Decision, j.Record, nil
}

// allow answers the usual call, which no rule is about.
func (c *call) allow(docket *project.Docket) reply {
	d := sentinel.Decision{Verdict: sentinel.VerdictAllow, Unknown: docket.Unknown()}
	if d.Unknown {
		c.open().Record(c.event, d) // the answer matters more than its record
	}
	d.Notice = c.warning()
	c.comes = state.TraceNoRule
	return c.say(d)
}

// warning is the text for the user about the project's files, and about a hook that was
// killed: each once in a session.
func (c *call) warning() string {
	p := c.open()
	if said := cmp.Or(c.alarmNotice(), p.Notices().Held(c.event), p.Notices().Faults(c.event)); said != "" {
		return said
	}
	return p.Notices().Lost(c.event, c.clock.lost())
}

// afterTool gives the advice of rules with post on the call, together with what the
// agent could not take before it. Nothing is decided: whatever goes wrong is silence.
func (c *call) afterTool() reply {
	p := c.open()
	ctx := context.Background()
	told := c.keptAdvice()
	c.compare()
	docket := p.Match(ctx, c.event)
	c.note("turn", p.Past().AddToTurn(c.event, docket))
	inRecord := ""
	if c.agent.Results.InRecord {
		inRecord = c.agent.Sessions.Format
	}
	c.note("facts", p.Past().Done(docket, inRecord))
	if docket.Empty() {
		told.Notice = p.Notices().Held(c.event)
		c.addAlarm(&told)
		return c.say(told)
	}
	d, rec, _ := c.judge(ctx, docket)
	told.Findings, told.Notice = append(told.Findings, d.Findings...), p.Notices().Held(c.event)
	c.addAlarm(&told)
	return c.say(told).then(func() { c.after(rec, d) })
}

// inSession answers an event about the course of a session, and leaves what is to be
// done then to a background process.
func (c *call) inSession() reply {
	d := sentinel.Decision{Verdict: sentinel.VerdictAllow}
	switch c.event.Phase {
	case sentinel.PhaseUnknown:
		return c.say(d)
	case sentinel.PhaseChange:
		return c.changed()
	}
	if c.event.Part {
		return c.inSubagent()
	}
	c.hear()
	c.compare()
	if c.event.Phase == sentinel.PhaseStart || c.event.Phase == sentinel.PhasePrompt {
		d = c.keptAdvice()
	}
	if c.event.Phase == sentinel.PhaseStop {
		d = c.endOfTurn()
	}
	past := c.open().Memory()
	if c.event.Phase == sentinel.PhaseStart {
		c.begin(&d, past)
	}
	if c.event.Phase == sentinel.PhasePrompt && c.agent.Abilities.NoStart { // each of these once in a session
		d.Notice = text.Join(c.warning(), past.DraftsNotice(c.event))
		c.addAlarm(&d)
	}
	return c.say(d).then(c.journal).then(func() { c.leaveWork(past) })
}

// leaveWork leaves what is to be done about a session to a background process.
func (c *call) leaveWork(past *memory.Memory) {
	if past.HasWork(c.event.Phase) || c.event.Phase == sentinel.PhaseStart && c.open().Inspect().Loads() {
		c.note("session", past.Keep(c.event))
		c.start("session", &background.Job{Session: &background.Session{
			Phase: c.event.Phase, Agent: c.event.Agent, ID: c.event.Session, Transcript: c.event.Transcript,
		}})
	}
}

// begin adds what is told when a session begins.
func (c *call) begin(d *sentinel.Decision, m *memory.Memory) {
	p := c.open()
	if c.event.Source == "compact" || c.event.Source == "clear" { // the agent forgets what it was given
		c.note("session", p.Past().Book().Forget(c.event.Session))
	}
	c.note("session", m.Begin(c.event))
	d.Findings = append(d.Findings, c.brief()...)
	borrowed := p.Notices().Borrowed()
	d.Notice = text.Join(c.warning(), c.unseenNotice(), text.When(borrowed != "", borrowed+"."), c.narrowNotice(m.DraftsNotice(c.event)))
	d.Watch = c.watch().Paths()
	c.addAlarm(d)
}

// inSubagent answers an event about the course of a subagent: it is told the rules that
// matter, and its end is not the end of the turn.
func (c *call) inSubagent() reply {
	d := sentinel.Decision{Verdict: sentinel.VerdictAllow}
	if c.event.Phase == sentinel.PhaseStart {
		d.Findings = c.brief()
	}
	return c.say(d)
}

// brief is what an agent reads about the rules before it begins.
func (c *call) brief() []sentinel.Finding {
	said := c.open().Notices().Brief(c.event, c.part)
	if said == "" {
		return nil
	}
	return []sentinel.Finding{advice(said)}
}

// endOfTurn judges what the turn did by the rules with `phase: stop`. A block keeps
// the agent at work. A turn that the user has ended is judged with the next one.
func (c *call) endOfTurn() sentinel.Decision {
	p := c.open()
	allow := sentinel.Decision{Verdict: sentinel.VerdictAllow}
	if c.event.Source == sentinel.SourceAborted {
		return allow
	}
	turn, err := p.Past().TakeTurn(c.event)
	c.note("turn", err)
	if turn == nil {
		return allow
	}
	ctx := context.Background()
	c.event.Actions = turn.Actions
	docket := p.Match(ctx, c.event)
	d, _, err := c.judge(ctx, docket)
	if err != nil || d.Quiet() {
		c.note("turn", err)
		c.note("facts", p.Past().End(docket))
		return allow
	}
	c.note("turn", turn.Conclude(&d, c.agent.Abilities.StaysAtWork))
	if d.Verdict != sentinel.VerdictBlock {
		c.note("facts", p.Past().End(docket))
	}
	return d
}

// narrowNotice adds to a notice that the agent's hook misses calls which rules are
// about: nothing else would tell, because those calls do not come.
func (c *call) narrowNotice(notice string) string {
	defer c.contain("session")
	for _, n := range setup.Narrows(c.open(), c.env.Project(), c.starts()[0], c.event.Agent) {
		notice = strings.TrimSpace(notice + "\nSentinel: " + n.String() + ".")
	}
	return notice
}

// unseenNotice says that calls of the session before went on unjudged.
func (c *call) unseenNotice() string {
	defer c.contain("verify")
	if c.event.Source == "compact" || c.event.Source == "clear" || len(c.open().Folders) == 0 {
		return ""
	}
	return verify.Notice(c.starts()[0], c.env.Project(), c.event.Session)
}

// journal keeps the event where the agent itself keeps no record of its sessions.
func (c *call) journal() {
	defer c.contain("session")
	if !c.env.Agents.Readable(c.event.Agent) {
		c.note("session", c.open().Memory().Journal(c.event))
	}
}

// after leaves to a background process what remains to be done about a decision.
func (c *call) after(rec *record.Call, d sentinel.Decision) {
	defer c.contain("background")
	job := &background.Job{Shadow: background.NewShadow(c.event, d)}
	if c.env.Observe != nil && !d.Relayed && (len(d.Concluded()) > 0 || d.Err != nil || d.Verdict == sentinel.VerdictUndecided) {
		job.Seen = rec
	}
	c.start("background", job)
}

// start starts a job; with --wait it is waited for.
func (c *call) start(kind string, job *background.Job) {
	if job.Empty() {
		return
	}
	defer c.contain(kind)
	job.Starts = c.starts()
	names := observerNames(c.env.Environ)
	for _, f := range c.open().Folders {
		names = append(names, f.KeyNames()...)
	}
	wait, err := background.Start(background.Env(c.env.Environ, names), job, c.env.Project().StateDir)
	c.note(kind, err)
	if wait != nil && c.flags.wait {
		wait() // the child notes itself what goes wrong there
	}
}

// contain notes a panic after the answer: the agent must not read a second one. It
// is to be deferred.
func (c *call) contain(kind string) {
	if cause := recover(); cause != nil {
		c.note(kind, fmt.Errorf("internal error: %v", cause))
	}
}

// note keeps an error for the user, once a day.
func (c *call) note(kind string, err error) {
	if err != nil {
		c.open().Past().Book().NoteOnce(kind, c.event.Agent, err.Error())
	}
}
