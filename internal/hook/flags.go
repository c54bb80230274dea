package hook

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/project"
)

// defaultDeadline is below the timeout of 20 seconds that init registers: to an
// agent, a hook that timed out has allowed the call.
const defaultDeadline = 15 * time.Second

// deadlineMargin is how long before the agent's timeout the answer is given.
const deadlineMargin = time.Second

// Help says what the hook of a program does, and its flags; "" means sentinel.
func Help(program string) string { return fmt.Sprintf(help, text.Command(program, "check")) }

const help = `Reads one event from standard input, as an agent's hook sends it, and answers in
that agent's own way. Agents start it; to try a rule, use "%s".

  --agent NAME      agent that sent the event; by default it is recognised by its form
  --phase PHASE     start, prompt, pre, post, stop, end, change or permission; by default
                    it is read from the event
  --deadline TIME   answer within this time, even if judges do not (default 15s, or one
                    second less than the limit of the agent or of hook_timeout_s)
  --wait            end only after the background work (for tests, and for containers
                    that end with the agent)
`

// flags are the flags of the hook.
type flags struct {
	agent    string
	phase    sentinel.Phase
	deadline time.Duration // 0: by the agent
	wait     bool          // for the background process
}

var errHelp = flag.ErrHelp

func parseFlags(env *Env) (flags, error) {
	var f flags
	set := flag.NewFlagSet("hook", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	set.StringVar(&f.agent, "agent", "", "")
	set.BoolVar(&f.wait, "wait", false, "")
	set.Func("deadline", "", func(text string) (err error) {
		if f.deadline, err = time.ParseDuration(text); err == nil && f.deadline <= 0 {
			err = fmt.Errorf("it must be above 0")
		}
		return err
	})
	set.Func("phase", "", func(name string) error {
		if err := f.phase.UnmarshalText([]byte(name)); err != nil || f.phase != sentinel.PhaseUnknown {
			return err
		}
		return fmt.Errorf("unknown phase %q", name)
	})
	err := set.Parse(env.Args)
	switch {
	case errors.Is(err, errHelp):
		program := env.Project().Program
		fmt.Fprint(env.Stdout, "usage: ", text.Command(program, "hook"), " [--agent NAME] [--phase PHASE] [--deadline 15s] [--wait]\n\n", Help(program))
	case err == nil && set.NArg() > 0:
		err = fmt.Errorf("unexpected argument %q", set.Arg(0))
	}
	return f, err
}

func (c *call) options() *project.Options {
	o := c.env.Project()
	o.Ends = c.workEnds()
	o.ForAgent, o.Numbered, o.Question = true, c.agent.Abilities.NumbersCalls, c.event.Phase == sentinel.PhasePermission
	o.TellsResults, o.Record = c.agent.Abilities.TellsResults, c.agent.Sessions.Format
	o.Shadow = sentinel.ShadowLater
	return o
}

// openInTime opens the project. With it the time is known that the agent waits.
func (c *call) openInTime() *project.Project {
	p := project.Open(c.starts(), c.options())
	before := c.deadline()
	c.clock.limit(p.Inspect().HookTimeout())
	if c.deadline() < before {
		p.EndBy(c.workEnds())
	}
	return p
}

// deadline is the flag's, else one that comes before the agent's own timeout, for
// a hook that was registered without any: the one that the agent is known to have, or
// hook_timeout_s where that is shorter. A longer one has no effect without the flag,
// because the timeout that the hook was registered with is not known.
func (c *call) deadline() time.Duration {
	if c.flags.deadline > 0 {
		return c.flags.deadline
	}
	due := defaultDeadline
	for _, limit := range [...]time.Duration{c.agent.Timeout(c.event.Phase), time.Duration(c.clock.waits.Load())} {
		if limit > 0 {
			due = min(due, max(limit-deadlineMargin, limit/2))
		}
	}
	return due
}

// workEnds is when the work on the answer is to be done.
func (c *call) workEnds() time.Time { return before(c.ends(), c.deadline(), workShare, workPart) }

// starts are the folders from which rules are looked for: where the call runs,
// and where the agent says that its project is.
func (c *call) starts() []string {
	dir := c.event.Dir
	if dir == "" {
		dir = c.env.Dir // an event that could not be read
	}
	return append([]string{dir, c.env.Getenv("CLAUDE_PROJECT_DIR")}, c.event.Roots...)
}
