package command

import (
	"fmt"
	"strings"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/prompt"
)

// Clock is a time of today, as a person reads it.
func Clock(t time.Time) string { return t.Local().Format("15:04:05") }

// A Printer writes lines for a person to standard output.
type Printer struct{ Env *Env }

func (p *Printer) Line(format string, args ...any) {
	fmt.Fprintf(p.Env.Stdout, format+"\n", args...)
}

func (p *Printer) Bold(s string) string {
	if !p.Env.Color {
		return s
	}
	return "\x1b[1m" + s + "\x1b[0m"
}

// Field prints what is known of something, if anything is.
func (p *Printer) Field(name, text string) {
	if text != "" {
		p.Line("  %s: %s", name, prompt.OneLine(text))
	}
}

// Block prints a text of several lines.
func (p *Printer) Block(name, text string) {
	if text = strings.TrimRight(text, "\n"); text != "" {
		p.Line("    %s:", name)
		p.Line("      | %s", strings.ReplaceAll(prompt.Clean(text), "\n", "\n      | "))
	}
}

func ProblemLine(p sentinel.Problem) string {
	if p.Warning {
		p.Message = "warning: " + p.Message
	}
	return prompt.OneLine(p.Error())
}
