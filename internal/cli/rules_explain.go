package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/ruletest"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/project"
	"github.com/agentsentinel/sentinel/rule"
	"github.com/agentsentinel/sentinel/telemetry"
)

func newRulesExplain(env *Env) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "explain ID", Short: "Say what a rule means, as it is understood",
		Long: `Says where a rule stands, what it is about, who judges it in which order, what
becomes of a violation in each agent, how its cases stand and what it has done.
Nothing is asked.

Exit status: 0 done; 1 there is no such rule, or an error.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			x, err := env.explainRule(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if asJSON {
				return json.NewEncoder(env.Stdout).Encode(x)
			}
			(&printer{env: env}).explained(x)
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

// explanation is what `rules explain --json` prints.
type explanation struct {
	ID        string         `json:"rule_id"`
	Source    string         `json:"source"`
	Owner     string         `json:"owner"` // project or user: in whose folder it stands
	Broken    string         `json:"broken"`
	Trigger   string         `json:"trigger"`
	About     string         `json:"about"` // in words
	Scope     []patternText  `json:"scope"`
	Exclude   []patternText  `json:"exclude"`
	When      string         `json:"when"`
	WhenIs    string         `json:"when_is"` // the verdict, or a first check
	Judges    []judgeText    `json:"judges"`  // in the order in which they are asked
	Nobody    string         `json:"nobody"`  // what happens when none of them can judge
	Prompt    string         `json:"prompt"`
	Message   string         `json:"message"`
	Severity  string         `json:"severity"`
	Means     string         `json:"means"`
	Agents    []agentText    `json:"agents"` // what becomes of a violation in each
	Mode      string         `json:"mode"`
	ModeIs    string         `json:"mode_is"`
	Cases     caseState      `json:"cases"`
	Log       telemetrySoFar `json:"telemetry"`
	Threshold float64        `json:"threshold"`
}

type patternText struct {
	Pattern string `json:"pattern"`
	Means   string `json:"means"`
}

type judgeText struct {
	Backend string `json:"backend"`
	Model   string `json:"model"`
	Means   string `json:"means"`
}

type agentText struct {
	Agent string `json:"agent"`
	Does  string `json:"does"`
}

type caseState struct {
	Cases      int `json:"cases"`
	AsExpected int `json:"as_expected"`
	Failed     int `json:"failed"`
	Errors     int `json:"errors"`
	Unanswered int `json:"unanswered"`
}

// telemetrySoFar is what the log says of a rule.
type telemetrySoFar struct {
	Log         string    `json:"log"` // "" where none is written
	Judged      int       `json:"judged"`
	Violations  int       `json:"violations"`
	Skipped     int       `json:"skipped"`
	Unavailable int       `json:"unavailable"`
	First       time.Time `json:"first,omitzero"`
	Last        time.Time `json:"last,omitzero"`
}

func (e *Env) explainRule(ctx context.Context, id string) (explanation, error) {
	o := e.project()
	o.NoLog = true
	p := project.Open([]string{e.Dir}, o)
	starter := len(p.Folders) == 0
	if starter {
		p = project.Starter(projectRoot(e.Dir), o)
	}
	for _, f := range p.Folders {
		for _, r := range f.Rules {
			if r.Spec().ID == id {
				x := explained(f, r)
				if starter {
					x.Owner = "built in"
				}
				x.Log = soFar(p, id)
				var err error
				x.Cases, err = casesOf(ctx, p, f, r)
				return x, err
			}
		}
	}
	return explanation{}, fmt.Errorf("there is no rule %q here; `sentinel rules list` lists them", text.OneLine(id))
}

// explained is what is known without running anything.
func explained(f *project.Folder, r *rule.Rule) explanation {
	spec, def := r.Spec(), r.Definition()
	x := explanation{
		ID: spec.ID, Source: display(f, spec.Source), Owner: "project", Trigger: string(spec.Trigger), When: def.When, Prompt: strings.TrimSpace(spec.Prompt),
		Message: strings.TrimSpace(spec.Message), Severity: spec.Severity.String(), Mode: "enforce", ModeIs: "it counts",
		Scope: []patternText{}, Exclude: []patternText{}, Judges: []judgeText{},
		Threshold: f.Config.ConfidenceThreshold,
	}
	if f.User {
		x.Owner = "user"
	}
	if spec.Err != nil {
		x.Broken = text.OneLine(spec.Err.Error())
	}
	if spec.Shadow {
		x.Mode, x.ModeIs = "shadow", "it is judged and recorded, the agent learns nothing of it, and it has no part in a decision"
	}
	for _, pattern := range def.Scope {
		x.Scope = append(x.Scope, patternText{pattern, patternMeans(spec.Trigger, pattern)})
	}
	for _, pattern := range def.Exclude {
		x.Exclude = append(x.Exclude, patternText{pattern, patternMeans(spec.Trigger, pattern)})
	}
	x.About = about(spec.Trigger, len(def.Scope) > 0)
	x.judged(f, spec)
	x.Means, x.Agents = severityMeans(spec.Severity), agentsDo(spec)
	return x
}

// about is what a trigger means.
func about(t sentinel.Trigger, scoped bool) string {
	text := map[sentinel.Trigger]string{
		sentinel.FileWrite: "writing, editing, moving and removing files, also by a command",
		sentinel.FileRead:  "reading files",
		sentinel.Bash:      "running commands",
		sentinel.MCP:       "calling MCP tools",
		sentinel.Any:       "writing files, running commands and calling MCP tools",
	}[t]
	if scoped {
		return text + ", where a pattern of its scope matches"
	}
	return text + ", whatever the target: it has no scope"
}

// patternMeans says a pattern in words.
func patternMeans(t sentinel.Trigger, pattern string) string {
	switch t {
	case sentinel.Bash:
		return commandMeans(pattern)
	case sentinel.MCP:
		return toolMeans(pattern)
	case sentinel.Any:
		return pathMeans(pattern) + "; or a command or MCP tool that fits it"
	}
	return pathMeans(pattern)
}

func pathMeans(p string) string {
	inner := strings.TrimSuffix(strings.TrimPrefix(p, "**/"), "/**")
	plain := !strings.ContainsAny(inner, "*?[{")
	switch {
	case p == "**" || p == "*" || p == "**/*":
		return "every file"
	case !strings.Contains(p, "/") && plain:
		return "a file or folder named " + p + ", at any depth"
	case !strings.Contains(p, "/"):
		return "names that fit " + p + ", at any depth"
	case strings.HasPrefix(p, "**/") && strings.HasSuffix(p, "/**") && plain:
		return "everything below a folder " + inner + ", wherever that is"
	case strings.HasPrefix(p, "**/"):
		return "what fits " + strings.TrimPrefix(p, "**/") + ", at any depth"
	case strings.HasSuffix(p, "/**") && plain:
		return "everything below " + inner
	case plain && !strings.Contains(p, "**"):
		return "exactly " + p
	case strings.Contains(p, "**"):
		return "what fits, over folders too: ** crosses them"
	}
	return "what fits, within one folder: * does not cross /"
}

func commandMeans(p string) string {
	words := strings.Fields(p)
	if len(words) == 0 || strings.HasPrefix(p, "*") {
		return "command lines that fit it as text"
	}
	program := strings.TrimSuffix(words[0], "*")
	var flags, operands []string
	for _, w := range words[1:] {
		switch {
		case w == "*":
		case strings.HasPrefix(w, "-"):
			flags = append(flags, w)
		default:
			operands = append(operands, strings.TrimSuffix(w, "*"))
		}
	}
	text := "the program " + program
	if program != words[0] {
		text = "programs that begin with " + program
	}
	if len(operands) > 0 {
		text += ", with " + strings.Join(operands, " … ")
	}
	if len(flags) > 0 {
		text += ", with the flag " + strings.Join(flags, " and ") + " wherever it stands"
	}
	return text + "; also within sudo, bash -c and the like"
}

func toolMeans(p string) string {
	server, tool, both := strings.Cut(p, ":")
	switch {
	case both && tool == "*":
		return "every tool of the server " + server
	case both && server == "*":
		return "the tool " + tool + " of any server"
	case both:
		return "the tool " + tool + " of the server " + server
	}
	return "a server or a tool that is called so"
}

// judged says who is asked, in which order.
func (x *explanation) judged(f *project.Folder, spec *sentinel.RuleSpec) {
	c := &f.Config
	if spec.Severity == sentinel.SeverityInfo && !spec.Post {
		x.WhenIs = unless(x.When == "", "where it is false, the text is not given")
		return
	}
	primary := cmp.Or(spec.Backend, c.Backend)
	if spec.Post && spec.Backend == "" {
		primary = c.ContextBackend()
	}
	fallback := spec.Fallback
	if fallback == nil {
		fallback = c.Fallback
	}
	if spec.Post {
		fallback = nil
	}
	for i, name := range append([]string{primary}, fallback...) {
		if i > 0 && name == primary {
			continue
		}
		j := judgeText{Backend: name, Means: "asks a model"}
		switch {
		case name == sentinel.Builtin:
			j.Means = "takes `when` for the verdict, and asks no model"
		case i == 0:
			j.Model = cmp.Or(spec.Model, c.Model(name))
		default:
			j.Model = c.Model(name)
		}
		if i > 0 {
			j.Means += ", when who stands before could not judge"
		}
		x.Judges = append(x.Judges, j)
	}
	switch {
	case x.When == "":
	case primary == sentinel.Builtin:
		x.WhenIs = "it is the verdict: true is a violation"
	default:
		x.WhenIs = "a first check that costs nothing: where it is false the rule is content, and nobody is asked"
	}
	switch {
	case spec.Post:
		x.Nobody = "no text is given"
	case c.FailOpen:
		x.Nobody = "the action passes (fail_open: true)"
	default:
		x.Nobody = "it counts as violated, and the agent reads that it could not be judged (fail_open: false)"
	}
}

func severityMeans(s sentinel.Severity) string {
	switch s {
	case sentinel.SeverityInfo:
		return "its text is given to the agent; nothing is judged, and nothing is stopped"
	case sentinel.SeverityWarn:
		return "the action happens, and the agent reads the message"
	case sentinel.SeverityAsk:
		return "a person has to approve the action"
	}
	return "the action does not happen, and the agent reads the message"
}

// What agents do with an answer, by their own protocols: docs/agents has them byte
// for byte.
const (
	readsBeside = "reads it beside the tool's result"
	readsAfter  = "reads it with the tool's result"
	mustApprove = "refuses the call, with a text that says that a person must approve it"
)

// agentsDo is what becomes of a violation in each agent.
func agentsDo(spec *sentinel.RuleSpec) []agentText {
	if spec.Shadow {
		return []agentText{}
	}
	type row struct{ agents, ask, warn string }
	rows := []row{
		{"claude", "asks its user; where nobody can be asked (claude -p) the call is refused", readsBeside},
		{"codex", mustApprove, readsBeside},
		{"copilot", "asks its user; where nobody can be asked the call is refused", readsAfter},
		{"vscode", "asks its user", readsAfter},
		{"cursor", "asks its user about commands and MCP tools; anything else is refused", readsAfter},
		{"gemini", "asks its user; an MCP call is refused", readsAfter},
		{"qwen", "asks its user; in the mode yolo the call is refused", readsAfter},
		{"opencode", mustApprove, readsAfter},
		{"cline", "ends the run, with a text that says that a person must approve it", readsAfter},
		{"windsurf", mustApprove, "does not read it: the person does"},
		{"amazonq", mustApprove, "reads it with the next prompt"},
		{"kiro", mustApprove, "reads it with the next prompt"},
	}
	out := make([]agentText, len(rows))
	for i, r := range rows {
		out[i] = agentText{Agent: r.agents}
		switch spec.Severity {
		case sentinel.SeverityInfo, sentinel.SeverityWarn:
			out[i].Does = r.warn
		case sentinel.SeverityAsk:
			out[i].Does = r.ask
		default:
			out[i].Does = "does not run the call; the agent reads why"
			if r.agents == "cline" {
				out[i].Does = "ends the run; the model is not told why"
			}
		}
	}
	return out
}

// casesOf runs the cases of a rule, without a model.
func casesOf(ctx context.Context, p *project.Project, f *project.Folder, r *rule.Rule) (caseState, error) {
	w, ok := p.Workshop(f)
	if !ok || f.Dir == "" { // the starter rules have their cases in the program's own tests
		return caseState{}, nil
	}
	docs, err := f.Documents()
	if err != nil {
		return caseState{}, err
	}
	suites, _ := suitesOf(docs)
	i := slices.IndexFunc(suites, func(s ruletest.Suite) bool {
		return strings.HasPrefix(r.Spec().Source, s.File.Abs+":") && s.File.Abs != ""
	})
	if i < 0 {
		return caseState{}, nil
	}
	report, err := ruletest.Run(ctx, suites[i:i+1], &ruletest.Options{Engine: w.Engine, Root: cmp.Or(w.Root, f.Dir), Build: w.Build})
	return caseState{
		Cases: len(report.Results), AsExpected: report.Count(ruletest.Passed), Failed: report.Count(ruletest.Failed),
		Errors: report.Count(ruletest.Broken), Unanswered: report.Count(ruletest.Unanswered),
	}, err
}

// soFar counts what the log says of a rule.
func soFar(p *project.Project, id string) telemetrySoFar {
	out := telemetrySoFar{Log: p.LogFile()}
	if out.Log == "" {
		return out
	}
	for _, path := range telemetry.Files(out.Log) {
		out.scan(path, id)
	}
	return out
}

func (t *telemetrySoFar) scan(path, id string) {
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		return
	}
	f, err := os.Open(path)
	if err != nil {
		return
	}
	defer f.Close()
	for rec, err := range telemetry.Scan(f) {
		if err != nil || rec.RuleID != id {
			continue
		}
		switch rec.Level {
		case telemetry.LevelEval:
			t.Judged++
			if rec.Violation {
				t.Violations++
			}
		case telemetry.LevelSkipped:
			t.Skipped++
		case telemetry.LevelUnavailable:
			t.Unavailable++
		default:
			continue
		}
		if t.First.IsZero() || rec.Time.Before(t.First) {
			t.First = rec.Time
		}
		if rec.Time.After(t.Last) {
			t.Last = rec.Time
		}
	}
}

// line says it in one line.
func (t *telemetrySoFar) line(id string) string {
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

func (p *printer) explained(x explanation) {
	row := func(name, format string, args ...any) {
		p.line("%-10s %s", name, text.OneLine(fmt.Sprintf(format, args...)))
	}
	p.line("%s", p.bold(text.OneLine(x.ID)))
	row("stands in", "%s (%s)", x.Source, x.Owner)
	if x.Broken != "" {
		row("BROKEN", "%s", x.Broken)
	}
	row("trigger", "%s: %s", x.Trigger, x.About)
	for i, s := range x.Scope {
		row(unless(i > 0, "scope"), "%s: %s", s.Pattern, s.Means)
	}
	for i, s := range x.Exclude {
		row(unless(i > 0, "except"), "%s: %s", s.Pattern, s.Means)
	}
	if x.When != "" {
		row("when", "%s", x.When)
		row("", "%s", x.WhenIs)
	}
	for i, j := range x.Judges {
		row(unless(i > 0, "judges"), "%d. %s: %s", i+1, strings.TrimSpace(j.Backend+" "+j.Model), j.Means)
	}
	if x.Nobody != "" {
		row("", "if none can: %s", x.Nobody)
	}
	if x.Prompt != "" {
		row("prompt", "%s", cutLine(x.Prompt, 300))
	}
	if x.Message != "" {
		row("message", "%s", x.Message)
	}
	row("severity", "%s: %s", x.Severity, x.Means)
	p.agents(x.Agents)
	row("mode", "%s: %s", x.Mode, x.ModeIs)
	if x.Cases.Cases == 0 {
		row("cases", "none")
	} else {
		row("cases", "%d: %d as expected, %d not, %d broken, %d without a recorded answer", x.Cases.Cases, x.Cases.AsExpected, x.Cases.Failed, x.Cases.Errors, x.Cases.Unanswered)
	}
	row("telemetry", "%s", x.Log.line(x.ID))
}

// agents shows agents that do the same together.
func (p *printer) agents(list []agentText) {
	var order []string
	by := map[string][]string{}
	for _, a := range list {
		if by[a.Does] == nil {
			order = append(order, a.Does)
		}
		by[a.Does] = append(by[a.Does], a.Agent)
	}
	for _, does := range order {
		p.line("%-10s %s: %s", "", strings.Join(by[does], ", "), does)
	}
}
