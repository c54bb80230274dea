package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/project"
)

func newAllow(env *Env) *cobra.Command {
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

func runAllow(env *Env, code string) error {
	t, err := env.person("sentinel allow")
	if err != nil {
		return err
	}
	defer t.Close()
	stopped, err := project.FindStopped(code, env.project())
	if err != nil {
		return err
	}
	if !stopped.Allowed.IsZero() {
		fmt.Fprintf(env.Stdout, "allowed already by %s, until %s\n", text.OneLine(stopped.By), clock(stopped.Allowed.Add(project.AllowedFor)))
		return nil
	}
	yes, err := t.confirm(describe(stopped) + "\nLet this call through, once?")
	if err != nil {
		return err
	}
	if !yes {
		return fmt.Errorf("nothing was allowed")
	}
	if err := stopped.Allow(userName()); err != nil {
		return err
	}
	fmt.Fprintf(env.Stdout, "allowed once, until %s: tell the agent to try the same call again\n", clock(stopped.Allowed.Add(project.AllowedFor)))
	return nil
}

// describe shows a person what they are about to let through. All of it comes
// from an agent or a repository: no text can leave its line.
func describe(s *project.Stopped) string {
	var b strings.Builder
	agent := text.OneLine(s.Agent)
	if agent == "" {
		agent = "an agent"
	}
	fmt.Fprintf(&b, "Stopped at %s: a call of %s in %s\n", clock(s.At), agent, text.OneLine(s.Project))
	for _, r := range s.Rules {
		target := text.OneLine(r.Target)
		if r.Length > 0 {
			target += fmt.Sprintf(" … (%d characters in all, of which you see the beginning)", r.Length)
		}
		fmt.Fprintf(&b, "\n  %s: %s\n  rule: %s (%s)\n  reason: %s\n", triggerWord(r.Trigger), target, text.OneLine(r.Rule), r.Severity, text.OneLine(r.Reason))
	}
	if s.More > 0 {
		fmt.Fprintf(&b, "\n  and %d further findings\n", s.More)
	}
	if s.Actions > 1 {
		fmt.Fprintf(&b, "\nThe whole call does %d things, and all of them are let through.\n", s.Actions)
	}
	return b.String()
}

// triggerWord is what a person calls a trigger.
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

// clock is a time of today, as a person reads it.
func clock(t time.Time) string { return t.Local().Format("15:04:05") }
