// Package explain says in words what a rule means.
package explain

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/agent"
	"github.com/agentsentinel/sentinel/config"
	"github.com/agentsentinel/sentinel/internal/place"
	"github.com/agentsentinel/sentinel/internal/rulecases"
	"github.com/agentsentinel/sentinel/internal/ruletest"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/project"
	"github.com/agentsentinel/sentinel/rule"
	"github.com/agentsentinel/sentinel/telemetry"
)

// Mode is the mode of a rule, as its file names it.
func Mode(r *rule.Rule) string {
	switch {
	case r.Off():
		return "off"
	case r.Spec().Shadow:
		return "shadow"
	}
	return "enforce"
}

// Rule is what `rules explain --json` prints.
type Rule struct {
	ID        string    `json:"id"`
	Source    string    `json:"source"`
	Owner     string    `json:"owner"` // project or user: whose folder has it
	Broken    string    `json:"broken"`
	Warnings  []string  `json:"warnings"` // why it may not do what is meant
	Hooks     []string  `json:"hooks"`    // files of settings and plugins that start the hook here
	Trigger   string    `json:"trigger"`
	About     string    `json:"about"` // in words
	Scope     []Pattern `json:"scope"`
	Exclude   []Pattern `json:"exclude"`
	When      string    `json:"when"`
	WhenIs    string    `json:"when_is"` // the verdict, or a first check
	Doubtful  string    `json:"doubtful,omitempty"`
	Must      string    `json:"must,omitempty"` // what must have happened, in words
	From      string    `json:"from,omitempty"` // file and line that the rule comes from, with its words
	Judges    []Judge   `json:"judges"`         // in the order in which they are asked
	Nobody    string    `json:"nobody"`         // what happens when none of them can judge
	Prompt    string    `json:"prompt"`
	Message   string    `json:"message"`
	Severity  string    `json:"severity"`
	Means     string    `json:"means"`
	Agents    []Agent   `json:"agents"` // what becomes of a violation in each
	Mode      string    `json:"mode"`
	ModeIs    string    `json:"mode_is"`
	Cases     Cases     `json:"cases"`
	Log       Log       `json:"telemetry"`
	Threshold float64   `json:"threshold"`
}

// A Pattern is a pattern of a scope, in words.
type Pattern struct {
	Pattern string `json:"pattern"`
	Means   string `json:"means"`
}

// A Judge is one that a rule asks.
type Judge struct {
	Backend string `json:"backend"`
	Model   string `json:"model"`
	Profile string `json:"profile,omitempty"` // for questions to the model, as far as its name tells
	Means   string `json:"means"`
}

// An Agent is what becomes of a violation in one agent.
type Agent struct {
	Agent string `json:"agent"`
	Does  string `json:"does"`
}

// Cases counts the test cases of a rule by their results.
type Cases struct {
	Cases      int `json:"cases"`
	AsExpected int `json:"as_expected"`
	Failed     int `json:"failed"`
	Errors     int `json:"errors"`
	Unanswered int `json:"unanswered"`
}

// Log is what the log says of a rule.
type Log struct {
	Log         string    `json:"log"` // "" where none is written
	Judged      int64     `json:"judged"`
	Violations  int64     `json:"violations"`
	Skipped     int64     `json:"skipped"`
	Unavailable int64     `json:"unavailable"`
	First       time.Time `json:"first,omitzero"`
	Last        time.Time `json:"last,omitzero"`
}

// Of is what is known without running anything.
func Of(agents agent.Registry, inspect *project.Inspector, f *project.Folder, r *rule.Rule) Rule {
	spec, def := r.Spec(), r.Definition()
	x := Rule{
		ID: spec.ID, Source: place.Of(f, spec.Source), Owner: "project", Trigger: string(spec.Trigger), When: def.When, Prompt: strings.TrimSpace(spec.Prompt),
		Message: strings.TrimSpace(spec.Message), Severity: spec.Severity.String(), Mode: "enforce", ModeIs: "it counts",
		Scope: []Pattern{}, Exclude: []Pattern{}, Judges: []Judge{}, Warnings: []string{}, Hooks: []string{},
		Threshold: f.Config.ConfidenceThreshold,
	}
	if f.User {
		x.Owner = "user"
	}
	if spec.Err != nil {
		x.Broken = text.OneLine(spec.Err.Error())
	}
	if r.Off() {
		x.Mode, x.ModeIs = "off", "it is switched off, and judges nothing: sentinel rules enable "+spec.ID
	}
	if spec.Shadow {
		x.Mode, x.ModeIs = "shadow", "it is judged and recorded, the agent learns nothing of it, and it has no part in a decision"
	}
	scoped := def.Scope
	if len(def.Also.Changed) > 0 {
		scoped = nil // Must says it
	}
	for _, pattern := range scoped {
		x.Scope = append(x.Scope, Pattern{pattern, patternMeans(spec.Trigger, pattern)})
	}
	for _, pattern := range def.Exclude {
		x.Exclude = append(x.Exclude, Pattern{pattern, patternMeans(spec.Trigger, pattern)})
	}
	x.About = about(spec.Trigger, len(def.Scope) > 0)
	x.Must, x.From = mustMeans(def), strings.TrimSpace(def.Source+" "+text.After("says: ", def.Quote))
	x.judged(inspect, f, r)
	x.Means, x.Agents = severityMeans(def, spec.Severity), agentsDo(agents, spec)
	return x
}

// judged names the judges that are asked, in their order.
func (x *Rule) judged(inspect *project.Inspector, f *project.Folder, r *rule.Rule) {
	c, spec := &f.Config, r.Spec()
	if spec.Severity == sentinel.SeverityInfo && !spec.Post {
		x.WhenIs = text.Unless(x.When == "", "where it is false, the text is not given")
		return
	}
	if spec.Exact {
		x.Doubtful = r.Definition().Doubtful
		x.WhenIs = "it is the verdict, whoever the judges are: true is a violation" + text.Unless(x.Doubtful == "", ", but where `doubtful` is true too a judge is asked")
	}
	if !spec.Asks() {
		means := "takes `when` for the verdict, and asks no model"
		if x.Must != "" {
			means = "looks at what the session did, and asks no model"
			x.WhenIs = text.Unless(x.When == "", "a first check: where it is false the rule is content")
		}
		x.Judges = append(x.Judges, Judge{Backend: sentinel.Builtin, Means: means})
		x.Nobody = nobody(c.FailOpen)
		return
	}
	chain := chainOf(c, spec)
	for i, name := range chain {
		if i > 0 && name == chain[0] {
			continue
		}
		x.Judges = append(x.Judges, judgeOf(inspect, f, spec, name, i == 0))
	}
	switch {
	case x.When == "" || spec.Exact:
	case chain[0] == sentinel.Builtin:
		x.WhenIs = "it is the verdict: true is a violation"
	default:
		x.WhenIs = "a first check that costs nothing: where it is false the rule is content, and nobody is asked"
	}
	switch {
	case spec.Post:
		x.Nobody = "no text is given"
	case spec.Exact:
		x.Nobody = "`when` is the verdict"
	default:
		x.Nobody = nobody(c.FailOpen)
	}
}

// chainOf are the backends that may be asked about a rule, the first one first.
func chainOf(c *config.Config, spec *sentinel.RuleSpec) []string {
	switch {
	case spec.Post:
		return []string{cmp.Or(spec.Backend, c.ContextBackend())}
	case spec.Fallback != nil:
		return append([]string{cmp.Or(spec.Backend, c.Backend)}, spec.Fallback...)
	}
	return append([]string{cmp.Or(spec.Backend, c.Backend)}, c.Fallback...)
}

// judgeOf describes a judge of a rule: the first one, or one that is asked after it.
func judgeOf(inspect *project.Inspector, f *project.Folder, spec *sentinel.RuleSpec, name string, first bool) Judge {
	c := &f.Config
	j := Judge{Backend: name, Means: "asks a model"}
	switch {
	case name == sentinel.Builtin:
		j.Means = "takes `when` for the verdict, and asks no model"
	case !first:
		j.Model = c.Model(name)
	case spec.Post && spec.Backend == "":
		j.Model = cmp.Or(spec.Model, c.ContextModel())
	default:
		j.Model = cmp.Or(spec.Model, c.Model(name))
	}
	j.Profile = inspect.NamedProfile(f, name, j.Model)
	if !first {
		j.Means += ", when who stands before could not judge"
	}
	return j
}

// nobody is the text about an action that no judge could judge.
func nobody(failOpen bool) string {
	if failOpen {
		return "the action passes (fail_open: true)"
	}
	return "it counts as violated, and the agent reads that it could not be judged (fail_open: false)"
}

// CasesOf runs the cases of a rule, without a model.
func CasesOf(ctx context.Context, p *project.Project, f *project.Folder, r *rule.Rule) (Cases, error) {
	w, ok := p.Inspect().Surroundings(f)
	if !ok || f.Dir == "" { // built-in rules have their cases in the program's own tests
		return Cases{}, nil
	}
	docs, err := f.Documents()
	if err != nil {
		return Cases{}, err
	}
	suites, _ := rulecases.Of(docs)
	i := slices.IndexFunc(suites, func(s ruletest.Suite) bool {
		return strings.HasPrefix(r.Spec().Source, s.File.Abs+":") && s.File.Abs != ""
	})
	if i < 0 {
		return Cases{}, nil
	}
	report, err := ruletest.Run(ctx, suites[i:i+1], &ruletest.Options{Engine: w.Engine, Root: cmp.Or(w.Root, f.Dir), Build: w.Build})
	return Cases{
		Cases: len(report.Results), AsExpected: report.Count(ruletest.Passed), Failed: report.Count(ruletest.Failed),
		Errors: report.Count(ruletest.Broken), Unanswered: report.Count(ruletest.Unanswered),
	}, err
}

// LogOf counts what the log says of a rule.
func LogOf(ctx context.Context, p *project.Project, id string, now time.Time) (Log, error) {
	out := Log{Log: p.Inspect().LogFile()}
	if out.Log == "" {
		return out, nil
	}
	s, err := telemetry.Aggregate(ctx, telemetry.Files(out.Log), &telemetry.StatsOptions{Rules: []string{id}, Now: now})
	if err != nil {
		return out, err
	}
	if r, logged := s.Rule(id); logged {
		out.Judged, out.Violations, out.Skipped, out.Unavailable = r.Evaluations, r.Violations, r.Skipped, r.Unavailable
		out.First, out.Last = r.First, r.Last
	}
	return out, nil
}

// Line says it in one line.
func (t *Log) Line(id string) string {
	switch {
	case t.Log == "":
		return "no log is written here (log_file)"
	case t.Judged+t.Skipped+t.Unavailable == 0:
		return "the log has nothing of it: no action has matched its scope"
	}
	text := fmt.Sprintf("judged %d, violated %d", t.Judged, t.Violations)
	if t.Skipped > 0 {
		text += fmt.Sprintf(", skipped %d", t.Skipped)
	}
	if t.Unavailable > 0 {
		text += fmt.Sprintf(", could not be judged %d", t.Unavailable)
	}
	return text + fmt.Sprintf("; from %s to %s (sentinel stats --rule %s)", t.First.Format(time.DateOnly), t.Last.Format(time.DateOnly), id)
}

// agentsDo is what becomes of a violation in each agent.
func agentsDo(agents agent.Registry, spec *sentinel.RuleSpec) []Agent {
	out := []Agent{}
	if spec.Shadow {
		return out
	}
	for _, a := range agents.All() {
		does := a.Abilities.OnBlock
		switch {
		case spec.Stop && spec.Severity == sentinel.SeverityBlock && a.Abilities.StaysAtWork:
			does = "goes on with its turn; the agent reads why"
		case spec.Stop:
			does = "ends its turn; the user reads why"
		case spec.Severity <= sentinel.SeverityWarn:
			does = a.Abilities.OnWarn
		case spec.Severity == sentinel.SeverityAsk:
			does = a.Abilities.OnAsk
		}
		if does != "" {
			out = append(out, Agent{Agent: a.Name, Does: does})
		}
	}
	return out
}
