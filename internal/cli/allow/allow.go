// Package allow is the command "sentinel allow".
package allow

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agentsentinel/sentinel/internal/cli/command"
	"github.com/agentsentinel/sentinel/internal/person"
	"github.com/agentsentinel/sentinel/internal/prompt"
	"github.com/agentsentinel/sentinel/project"
)

// New makes the command allow.
func New(env *command.Env) *cobra.Command {
	return &cobra.Command{
		Use: "allow CODE", Short: "Let one stopped call of an agent through, as a person",
		Long: `When a call is stopped, the agent is told a code. With it you let that very call
through: once, within ten minutes, and nothing else than what is shown to you. The
agent then has to try the same call again.

It works only in a terminal that a person sits at, and is written to the log.`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return runAllow(env, args[0]) },
	}
}

func runAllow(env *command.Env, code string) error {
	t, err := env.Person("sentinel allow")
	if err != nil {
		return err
	}
	defer t.Close()
	stopped, err := project.FindStopped(code, env.Options())
	if err != nil {
		return err
	}
	if !stopped.Allowed.IsZero() {
		fmt.Fprintf(env.Stdout, "allowed already by %s, until %s\n", prompt.OneLine(stopped.By), command.Clock(stopped.Allowed.Add(project.AllowedFor)))
		return nil
	}
	yes, err := t.Confirm(describe(stopped) + "\nLet this call through, once?")
	if err != nil {
		return err
	}
	if !yes {
		return fmt.Errorf("nothing was allowed")
	}
	if err := stopped.Allow(person.Name()); err != nil {
		return err
	}
	fmt.Fprintf(env.Stdout, "allowed once, until %s: tell the agent to try the same call again\n", command.Clock(stopped.Allowed.Add(project.AllowedFor)))
	return nil
}

// describe shows the user what is about to be let through. All of it comes
// from an agent or a repository: no text can leave its line.
func describe(s *project.Stopped) string {
	var b strings.Builder
	agent := prompt.OneLine(s.Agent)
	if agent == "" {
		agent = "an agent"
	}
	fmt.Fprintf(&b, "Stopped at %s: a call of %s in %s\n", command.Clock(s.At), agent, prompt.OneLine(s.Project))
	for _, r := range s.Rules {
		target := prompt.OneLine(r.Target)
		if r.Length > 0 {
			target += fmt.Sprintf(" … (%d characters in all, of which you see the beginning)", r.Length)
		}
		fmt.Fprintf(&b, "\n  %s: %s\n  rule: %s (%s)\n  reason: %s\n", triggerWord(r.Trigger), target, prompt.OneLine(r.Rule), r.Severity, prompt.OneLine(r.Reason))
	}
	if s.More > 0 {
		fmt.Fprintf(&b, "\n  and %d further findings\n", s.More)
	}
	if s.Actions > 1 {
		fmt.Fprintf(&b, "\nThe whole call does %d things, and all of them are let through.\n", s.Actions)
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
	return prompt.OneLine(trigger)
}
