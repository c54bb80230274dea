package playground

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/backend/builtin"
	"github.com/agentsentinel/sentinel/internal/ruletest"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/packs"
	"github.com/agentsentinel/sentinel/rule"
)

// An Answer says what a call does and what the rules make of it. Its texts are for people;
// they hold words of the call.
type Answer struct {
	Error   string    `json:"error,omitempty"`   // the call could not be read
	Verdict string    `json:"verdict,omitempty"` // allow, warn, ask, block; unknown where a rule could not be judged here
	Message string    `json:"message,omitempty"` // what the agent reads
	Instead string    `json:"instead,omitempty"` // a command that does the same and loses nothing
	Actions []Action  `json:"actions"`
	Rules   []Finding `json:"rules"` // those that are about the call
	Idle    int       `json:"idle"`  // how many others there are
	Faults  []Fault   `json:"faults"`
	Cases   []Case    `json:"cases"`
}

// An Action is one thing that the call does.
type Action struct {
	Trigger  string    `json:"trigger"`
	Target   string    `json:"target"`
	From     string    `json:"from,omitempty"` // the command that it was found in
	Commands []Command `json:"commands,omitempty"`
	Effects  []string  `json:"effects,omitempty"`
	Unparsed string    `json:"unparsed,omitempty"`
}

// A Command is a simple command of a line.
type Command struct {
	Text   string `json:"text"`
	Within string `json:"within,omitempty"`
	Guess  bool   `json:"guess,omitempty"`
}

// A Finding is what a rule makes of an action.
type Finding struct {
	ID       string   `json:"id"`
	Severity string   `json:"severity"`
	On       string   `json:"on"`      // the action
	Outcome  string   `json:"outcome"` // violation, pass, or unavailable
	Reason   string   `json:"reason,omitempty"`
	Pattern  string   `json:"pattern,omitempty"` // of the scope
	Part     string   `json:"part,omitempty"`    // what it matched
	Within   string   `json:"within,omitempty"`
	When     []Value  `json:"when,omitempty"` // the expression; then its parts
	Reads    []Value  `json:"reads,omitempty"`
	Evidence []string `json:"evidence,omitempty"`

	strict sentinel.Verdict
}

// A Value is an expression, and what it came to.
type Value struct {
	Text  string `json:"text"`
	Value string `json:"value"`
}

// A Fault is one of the edited rule.
type Fault struct {
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Message string `json:"message"`
	Warning bool   `json:"warning"`
}

// A Case is one of the edited rule, as it was run.
type Case struct {
	Name   string `json:"name"`
	Expect string `json:"expect"`
	Got    string `json:"got"`
	State  string `json:"state"`
	Why    string `json:"why"`
}

// Info is what the page shows before a call is judged, in JSON: the schema of rules, the
// names of expressions, and the recommended rules.
func Info() ([]byte, error) {
	type named struct{ ID, Text string }
	info := struct {
		Schema                       json.RawMessage
		Variables, Functions, Fields []string
		Rules                        []named
	}{Schema: rule.Schema()}
	info.Variables, info.Functions, info.Fields = rule.WhenNames()
	files, err := packs.Files(packs.Recommended)
	for _, f := range files {
		info.Rules = append(info.Rules, named{strings.TrimSuffix(f.Name, ".yaml"), string(f.Data)})
	}
	if err != nil {
		return nil, err
	}
	return json.Marshal(info)
}

// tryRule reads the edited rule and runs its cases.
func (p *Playground) tryRule(ctx context.Context, src string, a *Answer) rule.File {
	suite := ruletest.NewSuite(own, []byte(src))
	a.fault(suite.File.Problems)
	a.fault(suite.Faults)
	if suite.File.Broken() {
		return suite.File
	}
	report, err := ruletest.Run(ctx, []ruletest.Suite{suite}, &ruletest.Options{Root: root, Engine: sentinel.Options{
		Mapper: p.mapper, Default: sentinel.Builtin, Backends: map[string]sentinel.Backend{sentinel.Builtin: builtin.New()},
	}})
	a.fault(report.Problems)
	if err != nil {
		a.Error = err.Error()
	}
	for i := range report.Results {
		r := &report.Results[i]
		a.Cases = append(a.Cases, Case{text.OneLine(r.Case.Name()), r.Case.Expect, r.Got, string(r.State), text.OneLine(r.Why)})
	}
	return suite.File
}

// fault adds problems of the edited rule, each once.
func (a *Answer) fault(problems []rule.Problem) {
	for _, p := range problems {
		f := Fault{p.Line, p.Column, text.Clean(p.Message), p.Warning}
		if p.File == own && !slices.Contains(a.Faults, f) {
			a.Faults = append(a.Faults, f)
		}
	}
}

func (a *Answer) decision(ctx context.Context, d sentinel.Decision, rules map[string]*rule.Rule) {
	a.Verdict, a.Instead = d.Verdict.String(), text.OneLine(d.Instead)
	for i := range d.Actions {
		a.Actions = append(a.Actions, action(&d.Actions[i]))
	}
	about := map[string]bool{}
	unjudged := false
	for i := range d.Findings {
		f := &d.Findings[i]
		if r := rules[f.Rule.ID]; r != nil && (f.Match.OK || f.Err != nil) {
			about[f.Rule.ID] = true
			unjudged = unjudged || f.Outcome == sentinel.OutcomeUnavailable
			a.Rules = append(a.Rules, finding(ctx, f, r))
		}
	}
	slices.SortStableFunc(a.Rules, func(x, y Finding) int { return int(y.strict) - int(x.strict) })
	a.Idle = len(rules) - len(about)
	if unjudged && d.Verdict < sentinel.VerdictAsk {
		a.Verdict = "unknown"
	}
	said := append(d.Context(), "")
	if d.Verdict >= sentinel.VerdictAsk {
		said = []string{d.Reason()}
	}
	a.Message = text.Clean(strings.TrimSpace(strings.Join(said, "\n")))
	if d.Unknown {
		a.Message = "No rule is about this tool: it is not known. A project names it in tool_map_extra."
	}
}

func action(a *sentinel.Action) Action {
	out := Action{Trigger: string(a.Trigger), Target: text.OneLine(a.Target), From: text.OneLine(a.DerivedFrom)}
	if a.Command == nil {
		return out
	}
	for i := range a.Command.Commands {
		c := &a.Command.Commands[i]
		out.Commands = append(out.Commands, Command{text.OneLine(c.Text), text.OneLine(strings.Join(c.Wrappers, " > ")), !c.Certain})
	}
	for i := range a.Command.Effects {
		out.Effects = append(out.Effects, text.OneLine(a.Command.Effects[i].Describe()))
	}
	out.Unparsed = text.OneLine(a.Command.Unparsed)
	return out
}

func finding(ctx context.Context, f *sentinel.Finding, r *rule.Rule) Finding {
	out := Finding{
		ID: f.Rule.ID, Severity: f.Rule.Severity.String(), On: string(f.Action.Trigger) + ": " + text.OneLine(f.Action.Target), Outcome: f.Outcome.String(),
		Reason: text.OneLine(f.Reason), Pattern: f.Match.Pattern, Within: text.OneLine(strings.Join(f.Match.Within, " > ")), strict: f.Verdict,
	}
	for _, s := range f.Match.Spans {
		if target := f.Action.Target; 0 <= s.Start && s.Start < s.End && s.End <= len(target) {
			out.Part = text.OneLine(target[s.Start:s.End])
		}
	}
	var project elsewhere
	if errors.As(f.Err, &project) {
		out.Reason = "Could not be judged here: " + project.Error() + "."
	}
	a := *f.Action
	a.Past = imagined
	c, ok := r.Explain(ctx, &a, f.Match)
	if !ok {
		return out
	}
	if c.Holds && project.on != nil {
		out.Reason += " In a project with nothing in it, it is a violation (" + out.Severity + ")."
	}
	out.When = append(out.When, Value{text.Clean(c.When), text.Truth(c.Holds, c.Err)})
	for _, part := range c.Parts {
		out.When = append(out.When, Value{part.Text, text.Truth(part.Holds, part.Err)})
	}
	for _, v := range c.Reads {
		out.Reads = append(out.Reads, Value{v.Name, v.Value})
	}
	for _, said := range c.Evidence {
		out.Evidence = append(out.Evidence, text.OneLine(said))
	}
	return out
}
