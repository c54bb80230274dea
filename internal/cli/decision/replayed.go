package decision

import (
	"strings"

	"github.com/agentsentinel/sentinel/internal/cli/command"
	"github.com/agentsentinel/sentinel/internal/prompt"
	"github.com/agentsentinel/sentinel/internal/replay"
	"github.com/agentsentinel/sentinel/internal/words"
)

func PrintCall(p *command.Env, c *replay.Call) {
	verdict := strings.ToUpper(c.After)
	if c.Before != c.After {
		verdict = strings.ToUpper(c.Before) + " → " + verdict
	}
	when := ""
	if !c.Time.IsZero() {
		when = "  " + c.Time.Local().Format("2006-01-02 15:04")
	}
	p.Line("%s%s  %s  %s", p.Bold(verdict), when, prompt.OneLine(c.Agent), prompt.OneLine(c.Target))
	for _, f := range c.Findings {
		if f.Outcome != "violation" {
			continue
		}
		marks := ""
		if f.Draft {
			marks += ", tried"
		}
		if f.Shadow {
			marks += ", shadow"
		}
		p.Line("    %s (%s%s): %s", prompt.OneLine(f.Rule), f.Severity, marks, words.Cut(f.Reason, 160))
	}
	said := ""
	if c.Said != "" {
		said = `; the person said next: "` + words.Cut(c.Said, 80) + `"`
	}
	p.Line("    then: %s%s", c.Next, said)
}
