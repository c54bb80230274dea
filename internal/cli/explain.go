package cli

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/project"
	"github.com/agentsentinel/sentinel/rule"
	"github.com/agentsentinel/sentinel/shell"
)

// printDecision says for a person what came of an action.
func printDecision(env *Env, by *project.Project, d sentinel.Decision, explain, starter bool) {
	p := &printer{env: env, rules: by}
	if starter {
		p.line("No rules apply in this folder: judged by the built-in starter rules (\"sentinel init\" installs them).")
	}
	if explain {
		for i := range d.Actions {
			p.action(&d.Actions[i])
		}
		p.findings(d)
	}
	p.line("%s", p.bold(strings.ToUpper(d.Verdict.String())))
	for _, said := range strings.Split(d.Reason(), "\n") {
		if said != "" {
			p.line("  %s", text.Clean(said))
		}
	}
	for _, said := range d.Context() {
		p.line("  %s", strings.ReplaceAll(text.Clean(said), "\n", "\n  "))
	}
	p.shadows(d)
	p.unjudged(d)
	if explain {
		p.line("%.1f ms", float64(d.Took.Microseconds())/1000)
	}
}

// shadows says what rules in shadow mode would have done.
func (p *printer) shadows(d sentinel.Decision) {
	for i := range d.Findings {
		f := &d.Findings[i]
		if f.Rule.Shadow && f.Outcome == sentinel.OutcomeViolation && f.Rule.Severity > sentinel.SeverityInfo {
			p.line("  shadow: %s would %s: %s", f.Rule.ID, f.Rule.Severity, text.OneLine(f.Text()))
		}
	}
}

// unjudged names the rules that nobody could judge and that were let pass for it.
func (p *printer) unjudged(d sentinel.Decision) {
	for i := range d.Findings {
		f := &d.Findings[i]
		if f.Outcome == sentinel.OutcomeUnavailable && (f.Verdict < d.Verdict || d.Verdict <= sentinel.VerdictWarn) {
			p.line("  not judged: %s %s", f.Rule.ID, text.OneLine(f.Reason))
		}
	}
}

type printer struct {
	env   *Env
	rules *project.Project // those that decided; nil where nothing more is to be told of them
}

func (p *printer) line(format string, args ...any) {
	fmt.Fprintf(p.env.Stdout, format+"\n", args...)
}

func (p *printer) bold(s string) string {
	if !p.env.Color {
		return s
	}
	return "\x1b[1m" + s + "\x1b[0m"
}

// action shows what was understood of an action.
func (p *printer) action(a *sentinel.Action) {
	p.line("%s %s", p.bold(string(a.Trigger)), text.OneLine(a.Target))
	if a.Op != sentinel.OpNone && a.Op != sentinel.OpCreate {
		p.line("  operation: %s", a.Op)
	}
	if a.DerivedFrom != "" {
		p.line("  found in: %s%s", text.OneLine(a.DerivedFrom), unless(a.Certain, " (a guess)"))
	}
	if len(a.Forms) > 1 && a.Trigger != sentinel.Bash {
		p.line("  also matched as: %s", text.OneLine(strings.Join(a.Forms[1:min(len(a.Forms), 4)], ", ")))
	}
	if a.Command == nil {
		return
	}
	for i := range a.Command.Commands {
		c := &a.Command.Commands[i]
		p.line("  runs: %s%s%s", text.OneLine(c.Text), wrapped(c), unless(c.Certain, " (a guess)"))
	}
	if a.Command.Unparsed != "" {
		p.line("  not understood: %s; matched as text", text.OneLine(a.Command.Unparsed))
	}
}

func wrapped(c *shell.Command) string {
	if len(c.Wrappers) == 0 {
		return ""
	}
	return " (within " + text.OneLine(strings.Join(c.Wrappers, " > ")) + ")"
}

func unless(fine bool, text string) string {
	if fine {
		return ""
	}
	return text
}

// findings shows each rule that was considered: those that apply, then in one
// line those that apply to none of the actions, and why not.
func (p *printer) findings(d sentinel.Decision) {
	for i := range d.Findings {
		if f := &d.Findings[i]; f.Match.OK || f.Err != nil {
			p.finding(f)
		}
	}
	p.idle(d)
}

// idle names in one line the rules that apply to none of the actions, and why not.
func (p *printer) idle(d sentinel.Decision) {
	applies := map[string]bool{}
	whyNot := map[string]string{}
	var idle []string
	for i := range d.Findings {
		f := &d.Findings[i]
		if f.Match.OK || f.Err != nil {
			applies[f.Rule.ID] = true
			continue
		}
		if _, seen := whyNot[f.Rule.ID]; !seen {
			idle = append(idle, f.Rule.ID)
		}
		if why := f.Match.Why; whyNot[f.Rule.ID] == "" || why != "trigger" { // another trigger says least
			whyNot[f.Rule.ID] = why
		}
	}
	var list []string
	for _, id := range idle {
		if !applies[id] {
			list = append(list, fmt.Sprintf("%s (%s)", id, whyNot[id]))
		}
	}
	if len(list) > 0 {
		p.line("does not apply: %s", strings.Join(list, ", "))
	}
}

func (p *printer) finding(f *sentinel.Finding) {
	p.line("rule %s (%s, on %s): %s", p.bold(f.Rule.ID), f.Rule.Severity, f.Action.Trigger, f.Outcome)
	if f.Match.Pattern != "" {
		p.line("  matched by: %s", f.Match.Pattern)
		p.underline(f)
	}
	if len(f.Match.Within) > 0 {
		p.line("  hidden in: %s", text.OneLine(strings.Join(f.Match.Within, " > ")))
	}
	p.condition(f)
	if f.Reason != "" {
		p.line("  because: %s", text.OneLine(f.Reason))
	}
	for _, at := range f.Attempts {
		p.attempt(at, f)
	}
	if f.Rule.Shadow {
		p.line("  mode: shadow, with no part in the decision")
	}
	p.line("  from: %s", f.Rule.Source)
}

func (p *printer) attempt(at sentinel.Attempt, f *sentinel.Finding) {
	who := at.Backend
	if m := cmp.Or(at.Response.Model, at.Request.Model); m != "" && m != who {
		who += " " + m
	}
	if at.Err != nil {
		p.line("  asked %s: %s", who, text.OneLine(at.Err.Error()))
		return
	}
	p.line("  judged by: %s, confidence %.2f, %.1f ms%s%s", who, f.Confidence, float64(f.Took.Microseconds())/1000,
		when(at.Response.Waited > 0, fmt.Sprintf(" with %.1f ms of waiting", float64(at.Response.Waited.Microseconds())/1000)),
		when(at.Response.Cached, ", from the cache"))
	if at.Backend != sentinel.Builtin {
		p.block("system", at.Request.System)
		p.block("prompt", at.Request.Prompt)
		p.block("answer", at.Response.Text)
	}
}

// condition shows the rule's `when`, what its parts came to and what it has read.
func (p *printer) condition(f *sentinel.Finding) {
	r := p.ruleOf(f.Rule)
	if r == nil {
		return
	}
	c, ok := r.Explain(context.Background(), f.Action, f.Match)
	if !ok {
		return
	}
	p.expression(outcome(c.Holds, c.Err), c.When)
	for _, part := range c.Parts {
		p.line("    %s: %s", outcome(part.Holds, part.Err), part.Text)
	}
	for _, v := range c.Reads {
		p.line("    %s = %s", v.Name, v.Value)
	}
}

// expression shows a `when`. One of several lines keeps them: put on one line, a
// comment would seem to take the rest with it.
func (p *printer) expression(came, said string) {
	if said = strings.TrimSpace(said); !strings.Contains(said, "\n") {
		p.line("  when: %s: %s", came, text.OneLine(said))
		return
	}
	p.line("  when: %s:", came)
	for _, l := range strings.Split(text.Clean(said), "\n") {
		p.line("    | %s", l)
	}
}

func outcome(holds bool, err error) string {
	switch {
	case err != nil:
		return text.OneLine(err.Error())
	case holds:
		return "true"
	}
	return "false"
}

// ruleOf is the rule of a file that a finding is about, nil for any other.
func (p *printer) ruleOf(spec *sentinel.RuleSpec) *rule.Rule {
	if p.rules == nil {
		return nil
	}
	for _, f := range p.rules.Folders {
		for _, r := range f.Rules {
			if r.Spec() == spec {
				return r
			}
		}
	}
	return nil
}

// underline marks the part of a command line that matched. A line of several
// lines, or with characters of other widths, shows the part alone.
func (p *printer) underline(f *sentinel.Finding) {
	target := f.Action.Target
	for _, s := range f.Match.Spans {
		if s.Start < 0 || s.End > len(target) || s.Start >= s.End {
			continue
		}
		if target != text.OneLine(target) || len(target) > 200 || len(target) != utf8.RuneCountInString(target) {
			p.line("  matched part: %s", text.OneLine(target[s.Start:s.End]))
			continue
		}
		p.line("    %s", target)
		p.line("    %s%s", strings.Repeat(" ", s.Start), strings.Repeat("^", s.End-s.Start))
	}
}
