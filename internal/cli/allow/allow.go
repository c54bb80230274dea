// Package allow is the command "sentinel allow".
package allow

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agentsentinel/sentinel/internal/cli/command"
	"github.com/agentsentinel/sentinel/internal/gate"
	"github.com/agentsentinel/sentinel/internal/person"
	"github.com/agentsentinel/sentinel/internal/record"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/project"
)

// New makes the command allow.
func New(env *command.Env) *cobra.Command {
	return &cobra.Command{
		Use: "allow [CODE]", Short: "Let one stopped call of an agent through, as a person",
		Long: `When a call is stopped, the agent gets a code. With this code you let exactly that call
through, once, within ten minutes. The agent then has to try the same call again. Without
CODE the command lists the stopped calls.

It works only in a terminal with a person at it, and is written to the log.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return list(env)
			}
			return runAllow(env, args[0])
		},
	}
}

// list shows the calls that wait for a person, who alone may see them: they are of all
// projects and agents.
func list(env *command.Env) error {
	t, err := env.Person("sentinel allow")
	if err != nil {
		return err
	}
	defer t.Close()
	waiting, newer, err := project.Open([]string{env.Dir}, env.Options()).Gate().Waiting()
	if err != nil {
		return err
	}
	show(env, waiting, newer)
	return nil
}

// show prints the calls that wait, and how many more there are of a newer version.
func show(env *command.Env, waiting []*gate.Stopped, newer int) {
	if len(waiting)+newer == 0 {
		env.Line("No call waits for you.")
	}
	for _, s := range waiting {
		env.Line("sentinel allow %s\n%s", s.Code, describe(s))
	}
	if newer > 0 {
		env.Line("%s stopped by a newer version of this program, which lists such calls and lets them through.",
			text.Plural(newer, "call was", "calls were"))
	}
}

func runAllow(env *command.Env, code string) error {
	t, err := env.Person("sentinel allow")
	if err != nil {
		return err
	}
	defer t.Close()
	stopped, err := project.Open([]string{env.Dir}, env.Options()).Gate().FindStopped(code)
	if err != nil {
		return err
	}
	if !stopped.Allowed.IsZero() {
		fmt.Fprintf(env.Stdout, "allowed already by %s, until %s\n", text.OneLine(stopped.By), command.Clock(stopped.Allowed.Add(gate.ApprovedFor)))
		return nil
	}
	yes, err := t.Challenge(describe(stopped)+"\nLet this call through, once?", env.Word)
	if err != nil {
		return err
	}
	if !yes {
		return fmt.Errorf("nothing was allowed")
	}
	if err := project.Open([]string{stopped.Project}, env.Options()).Gate().Allow(stopped, person.Name()); err != nil {
		return err
	}
	fmt.Fprintf(env.Stdout, "allowed once, until %s: tell the agent to try the same call again\n", command.Clock(stopped.Allowed.Add(gate.ApprovedFor)))
	return nil
}

// describe shows the user what is about to be let through. All of it comes
// from an agent or a repository: no text can leave its line.
func describe(s *gate.Stopped) string {
	var b strings.Builder
	agent := text.OneLine(s.Call.Event.Agent)
	if agent == "" {
		agent = "an agent"
	}
	fmt.Fprintf(&b, "Stopped at %s: a call of %s in %s\n", command.Clock(s.At), agent, text.OneLine(s.Project))
	cut := s.Call.Cut
	if cut == nil {
		cut = &record.Cut{}
	}
	for i := range s.Call.Decision.Findings {
		f := &s.Call.Decision.Findings[i]
		if f.Action == nil {
			continue
		}
		target := text.OneLine(f.Action.Target)
		if i < len(cut.Lengths) && cut.Lengths[i] > 0 {
			target += fmt.Sprintf(" … (%d characters in all, of which you see the beginning)", cut.Lengths[i])
		}
		fmt.Fprintf(&b, "\n  %s: %s\n  rule: %s (%s)\n  reason: %s\n",
			triggerWord(string(f.Action.Trigger)), target, text.OneLine(f.Rule.ID), f.Rule.Severity, text.OneLine(f.Reason))
	}
	if cut.Findings > 0 {
		fmt.Fprintf(&b, "\n  and %d further findings\n", cut.Findings)
	}
	if cut.Actions > 1 {
		fmt.Fprintf(&b, "\nThe whole call does %d things, and all of them are let through.\n", cut.Actions)
	}
	return b.String()
}

// triggerWord is a trigger in the user's words.
func triggerWord(trigger string) string {
	switch trigger {
	case "bash":
		return "command"
	case "file_write":
		return "write"
	case "file_read":
		return "read"
	case "mcp":
		return "MCP tool"
	}
	return text.OneLine(trigger)
}
