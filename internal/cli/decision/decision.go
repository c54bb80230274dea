// Package decision prints what several commands show: decisions, replayed calls and
// test results.
package decision

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/config"
	"github.com/agentsentinel/sentinel/internal/cli/command"
	"github.com/agentsentinel/sentinel/internal/replay"
	"github.com/agentsentinel/sentinel/internal/ruletest"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/project"
	"github.com/agentsentinel/sentinel/rule"
	"github.com/agentsentinel/sentinel/shell"
	"github.com/agentsentinel/sentinel/telemetry"
)

// Print prints the decision on an action.
func Print(env *command.Env, by *project.Project, d sentinel.Decision, explain, builtIn bool) {
	p := &Printer{env, by}
	if builtIn {
		p.Line("No rules apply in this folder: judged by the built-in recommended rules (\"sentinel init\" installs them).")
	}
	if explain {
		for i := range d.Actions {
			p.Action(&d.Actions[i])
		}
		p.Findings(d)
	}
	p.Line("%s", p.Bold(strings.ToUpper(d.Verdict.String())))
	for _, said := range strings.Split(d.Reason(), "\n") {
		if said != "" {
			p.Line("  %s", text.Clean(said))
		}
	}
	if d.Instead != "" {
		p.Line("  does the same and loses nothing: %s", text.OneLine(d.Instead))
	}
	for _, said := range d.Context() {
		p.Line("  %s", strings.ReplaceAll(text.Clean(said), "\n", "\n  "))
	}
	p.shadows(d)
	p.Unjudged(d)
	if explain {
		p.Line("%.1f ms", float64(d.Took.Microseconds())/1000)
	}
}

// shadows says what rules in shadow mode would have done.
func (p *Printer) shadows(d sentinel.Decision) {
	for i := range d.Findings {
		f := &d.Findings[i]
		if f.Rule.Shadow && f.Outcome == sentinel.OutcomeViolation && f.Rule.Severity > sentinel.SeverityInfo {
			p.Line("  shadow: %s would %s: %s", f.Rule.ID, f.Rule.Severity, text.OneLine(f.Text()))
		}
	}
}

// Unjudged names the rules that could not be judged and therefore passed, in one line for
// each reason.
func (p *Printer) Unjudged(d sentinel.Decision) {
	var reasons []string
	rules := map[string][]string{}
	for i := range d.Findings {
		f := &d.Findings[i]
		if f.Outcome != sentinel.OutcomeUnavailable || f.Verdict >= d.Verdict && d.Verdict > sentinel.VerdictWarn {
			continue
		}
		why := text.OneLine(strings.ReplaceAll(f.Reason, " rule "+strconv.Quote(f.Rule.ID)+":", ""))
		if len(rules[why]) == 0 {
			reasons = append(reasons, why)
		}
		rules[why] = append(rules[why], f.Rule.ID)
	}
	for _, why := range reasons {
		p.Line("  not judged: %s %s", strings.Join(rules[why], ", "), why)
	}
}

// A Printer prints decisions.
type Printer struct {
	*command.Env
	rules *project.Project // the rules that decided; nil leaves their conditions out
}

// Action shows what was understood of an action.
func (p *Printer) Action(a *sentinel.Action) {
	p.Line("%s %s", p.Bold(string(a.Trigger)), text.OneLine(a.Target))
	if a.Op != sentinel.OpNone && a.Op != sentinel.OpCreate {
		p.Line("  operation: %s", a.Op)
	}
	if a.Carrier != "" {
		p.Line("  may be run by: %s, which is not known", text.OneLine(a.Carrier))
	}
	if a.DerivedFrom != "" {
		p.Line("  found in: %s%s", text.OneLine(a.DerivedFrom), text.Unless(a.Certain, " (a guess)"))
	}
	if len(a.Forms) > 1 && a.Trigger != sentinel.Bash {
		p.Line("  also matched as: %s", text.OneLine(strings.Join(a.Forms[1:min(len(a.Forms), 4)], ", ")))
	}
	if a.Command == nil {
		return
	}
	for i := range a.Command.Commands {
		c := &a.Command.Commands[i]
		guess := text.Unless(c.Certain || c.Interactive, " (a guess)") + text.When(c.Interactive, " (at a prompt: what is typed there is not known)")
		p.Line("  runs: %s%s%s", text.OneLine(c.Text), wrapped(c), guess)
	}
	p.effects(a.Command)
	if a.Command.Unparsed != "" {
		p.Line("  not understood: %s; matched as text", text.OneLine(a.Command.Unparsed))
	}
}

func wrapped(c *shell.Command) string {
	if len(c.Wrappers) == 0 {
		return ""
	}
	return " (within " + text.OneLine(strings.Join(c.Wrappers, " > ")) + ")"
}

// Findings shows each rule that was considered: those that apply, then in one
// line those that apply to none of the actions, and why not.
func (p *Printer) Findings(d sentinel.Decision) {
	for i := range d.Findings {
		if f := &d.Findings[i]; f.Match.OK || f.Err != nil {
			p.finding(f)
		}
	}
	p.Idle(d)
}

// Idle names in one line the rules that apply to none of the actions, and why not.
func (p *Printer) Idle(d sentinel.Decision) {
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
		p.Line("does not apply: %s", strings.Join(list, ", "))
	}
}

func (p *Printer) finding(f *sentinel.Finding) {
	p.Line("rule %s (%s, on %s): %s", p.Bold(f.Rule.ID), f.Rule.Severity, f.Action.Trigger, f.Outcome)
	if f.Match.Pattern != "" {
		p.Line("  matched by: %s", f.Match.Pattern)
		p.underline(f)
	}
	if len(f.Match.Within) > 0 {
		p.Line("  hidden in: %s", text.OneLine(strings.Join(f.Match.Within, " > ")))
	}
	p.condition(f)
	if f.Reason != "" {
		p.Line("  because: %s", text.OneLine(f.Reason))
	}
	if f.Asked != "" {
		p.Line("  asked for: \"%s\"", text.OneLine(f.Asked))
	}
	if f.Seen > 0 {
		p.Line("  seen: %d %% of it; it is longer than content_windows times content_max_chars", int(100*f.Seen))
	}
	for _, at := range f.Attempts {
		p.attempt(at, f)
	}
	p.nearMiss(f)
	if f.Rule.Shadow {
		p.Line("  mode: shadow, with no part in the decision")
	}
	p.Line("  from: %s", f.Rule.Source)
}

// nearMiss shows a violation that a judge was not sure enough of.
func (p *Printer) nearMiss(f *sentinel.Finding) {
	threshold := 0.0
	if folder := p.folder(f.Rule); folder != nil {
		threshold = folder.Config.ConfidenceThreshold
	}
	for _, r := range telemetry.Records(time.Time{}, sentinel.Event{}, sentinel.Decision{Findings: []sentinel.Finding{*f}}, nil, threshold) {
		if r.NearMiss {
			p.Line("  near miss: the judge saw a violation with confidence %.2f, and one counts from %.2f", f.Confidence, r.Threshold)
		}
	}
}

func (p *Printer) attempt(at sentinel.Attempt, f *sentinel.Finding) {
	who := at.Backend
	if m := cmp.Or(at.Response.Model, at.Request.Model); m != "" && m != who {
		who += " " + m
	}
	if at.Err != nil {
		p.Line("  asked %s: %s", who, text.OneLine(at.Err.Error()))
		return
	}
	p.Line("  judged by: %s, confidence %.2f, %.1f ms%s%s", who, f.Confidence, float64(f.Took.Microseconds())/1000,
		text.When(at.Response.Waited > 0, fmt.Sprintf(" with %.1f ms of waiting", float64(at.Response.Waited.Microseconds())/1000)),
		text.When(at.Response.Cached, ", from the cache"))
	if at.Backend != sentinel.Builtin {
		p.Block("system", at.Request.System)
		p.Block("prompt", at.Request.Prompt)
		p.Block("answer", at.Response.Text)
	}
}

// condition shows the rule's `when`, what its parts came to and what it has read.
func (p *Printer) condition(f *sentinel.Finding) {
	r := p.ruleOf(f.Rule)
	if r == nil {
		return
	}
	c, ok := r.Explain(context.Background(), f.Action, f.Match)
	if !ok {
		return
	}
	p.expression(text.Truth(c.Holds, c.Err), c.When)
	for _, part := range c.Parts {
		p.Line("    %s: %s", text.Truth(part.Holds, part.Err), part.Text)
	}
	for _, v := range c.Reads {
		p.Line("    %s = %s", v.Name, v.Value)
	}
	for _, said := range c.Evidence {
		p.Line("    %s", text.OneLine(said))
	}
}

// expression shows a `when`. One of several lines keeps them: put on one line, a
// comment would seem to take the rest with it.
func (p *Printer) expression(came, said string) {
	if said = strings.TrimSpace(said); !strings.Contains(said, "\n") {
		p.Line("  when: %s: %s", came, text.OneLine(said))
		return
	}
	p.Line("  when: %s:", came)
	for _, l := range strings.Split(text.Clean(said), "\n") {
		p.Line("    | %s", l)
	}
}

// ruleOf is the rule of a file that a finding is about, nil for any other.
func (p *Printer) ruleOf(spec *sentinel.RuleSpec) *rule.Rule {
	_, r := p.find(spec)
	return r
}

// folder is the folder of the rule, nil for a rule without a file.
func (p *Printer) folder(spec *sentinel.RuleSpec) *project.Folder {
	f, _ := p.find(spec)
	return f
}

func (p *Printer) find(spec *sentinel.RuleSpec) (*project.Folder, *rule.Rule) {
	if p.rules == nil {
		return nil, nil
	}
	return p.rules.Inspect().RuleOf(spec)
}

// underline marks the part of a command line that matched. A line of several
// lines, or with characters of other widths, shows the part alone.
func (p *Printer) underline(f *sentinel.Finding) {
	target := f.Action.Target
	for _, s := range f.Match.Spans {
		if s.Start < 0 || s.End > len(target) || s.Start >= s.End {
			continue
		}
		if target != text.OneLine(target) || len(target) > 200 || len(target) != utf8.RuneCountInString(target) {
			p.Line("  matched part: %s", text.OneLine(target[s.Start:s.End]))
			continue
		}
		p.Line("    %s", target)
		p.Line("    %s%s", strings.Repeat(" ", s.Start), strings.Repeat("^", s.End-s.Start))
	}
}

// Call is a call as an agent would make it: a command, a write with its
// content, or an MCP tool with its arguments in JSON.
func Call(p *project.Project, dir string, t sentinel.Trigger, target, with string) (sentinel.Event, error) {
	ev := sentinel.Event{Phase: sentinel.PhasePre, Agent: "check", Dir: dir}
	server, tool := "", ""
	var args any
	switch t {
	case sentinel.Bash:
		args = map[string]string{"command": target}
	case sentinel.FileWrite:
		args = map[string]string{"file_path": target, "content": with}
	case sentinel.FileRead:
		args = map[string]string{"file_path": target}
	default:
		var ok bool
		if server, tool, ok = strings.Cut(target, ":"); !ok || server == "" || tool == "" {
			return ev, fmt.Errorf("--mcp wants SERVER:TOOL, not %q", target)
		}
		var object map[string]any
		if err := json.Unmarshal([]byte(with), &object); err != nil || object == nil {
			return ev, fmt.Errorf("--args wants a JSON object: %v", err)
		}
		args = object
	}
	c := config.Default()
	if f := p.Nearest(); f != nil && !f.User {
		c = f.Config
	}
	ev.Tool.Name = c.ToolName(t, server, tool)
	raw, err := json.Marshal(args)
	ev.Tool.Args = raw
	return ev, err
}

// PrintCall prints a replayed call and what happened next.
func PrintCall(p *command.Env, c *replay.Call) {
	verdict := strings.ToUpper(c.After)
	if c.Before != c.After {
		verdict = strings.ToUpper(c.Before) + " → " + verdict
	}
	when := ""
	if !c.Time.IsZero() {
		when = "  " + c.Time.Local().Format("2006-01-02 15:04")
	}
	p.Line("%s%s  %s  %s", p.Bold(verdict), when, text.OneLine(c.Agent), text.OneLine(c.Target))
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
		p.Line("    %s (%s%s): %s", text.OneLine(f.Rule), f.Severity, marks, text.Cut(text.OneLine(f.Reason), 160))
	}
	said := ""
	if c.Said != "" {
		said = `; the person said next: "` + text.Cut(text.OneLine(c.Said), 80) + `"`
	}
	p.Line("    then: %s%s", c.Next, said)
}

// PrintResult prints a case that is not as expected, and why.
func PrintResult(p *command.Env, r *ruletest.Result) {
	if r.State == ruletest.Passed {
		return
	}
	name := r.Case.Name()
	if r.Case.File != r.File {
		name = filepath.Base(r.Case.File) + ", " + name
	}
	p.Line("      case %d, %s", r.Case.Index+1, text.OneLine(name))
	if r.State == ruletest.Failed {
		p.Line("        expected %s, got %s: %s", r.Case.Expect, r.Got, text.OneLine(r.Why))
		return
	}
	p.Line("        %s", text.OneLine(r.Why))
}
