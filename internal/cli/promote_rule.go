package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/tidwall/sjson"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/install"
	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/internal/yamledit"
	"github.com/agentsentinel/sentinel/project"
	"github.com/agentsentinel/sentinel/rule"
	"github.com/agentsentinel/sentinel/telemetry"
)

// rulePromotion is a change of what a rule may do. The named fields are what `rules
// promote --json` prints.
type rulePromotion struct {
	ID      string   `json:"id"`
	Path    string   `json:"path"`
	From    ruleSway `json:"from"`
	To      ruleSway `json:"to"`
	Changed bool     `json:"changed"` // or with --dry-run would be

	Evidence []string       `json:"evidence"`  // what is known of it, in words
	Log      *ruleStatsJSON `json:"telemetry"` // as in `stats --json`; null when the log has no line of it

	severity    sentinel.Severity
	dry, asJSON bool
}

// ruleSway is what becomes of a rule's violations.
type ruleSway struct {
	Severity string `json:"severity"`
	Mode     string `json:"mode"`
}

func newRulesPromote(env *Env) *cobra.Command {
	var p rulePromotion
	var to string
	cmd := &cobra.Command{
		Use: "promote ID --to warn|ask|block", Short: "Let a rule do more than it does: show what is known of it, and change its file",
		Long: `Shows what the log knows of the rule, then sets its severity and, if it is in shadow
mode, ends that. Comments and the rest of its file stay as they are.

Exit status: 0 done, or nothing to change; 1 it cannot be done, and why: nothing
was changed then.`,
		Example: `  sentinel rules promote billing --to warn --dry-run
  sentinel rules promote billing --to block`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if p.severity, err = sentinel.ParseSeverity(to); err != nil || p.severity < sentinel.SeverityWarn {
				return fmt.Errorf("--to wants warn, ask or block, not %q", text.OneLine(to))
			}
			p.ID = args[0]
			return p.run(cmd.Context(), env)
		},
	}
	cmd.Flags().StringVar(&to, "to", "", "what becomes of a violation: warn, ask or block")
	cmd.Flags().BoolVar(&p.dry, "dry-run", false, "show the evidence and the change, and make none")
	cmd.Flags().BoolVar(&p.asJSON, "json", false, "print one JSON object")
	cmd.MarkFlagRequired("to")
	return cmd
}

func (c *rulePromotion) run(ctx context.Context, env *Env) error {
	p := project.Open([]string{env.Dir}, env.project())
	folder, r, err := findRule(env, p, c.ID)
	if err != nil {
		return err
	}
	file := sourceFile(r)
	before, mode, err := readSettings(file)
	if err != nil {
		return err
	}
	after, err := promoted(before, file, r.Spec(), c.severity)
	if err != nil {
		return fmt.Errorf("%s: %w", display(folder, file), err)
	}
	if err := c.known(ctx, env, p, folder, r.Spec()); err != nil {
		return err
	}
	diff := install.Change{Target: install.Target{File: display(folder, file)}, Before: before, After: after}.Diff()
	c.Path, c.Changed = file, diff != ""
	c.From = ruleSway{r.Spec().Severity.String(), ruleMode(r.Spec())}
	c.To = ruleSway{c.severity.String(), "enforce"}
	if c.Changed && !c.dry {
		if err := safefile.Replace(file, after, mode); err != nil {
			return err
		}
	}
	if c.asJSON {
		return json.NewEncoder(env.Stdout).Encode(c)
	}
	c.print(env, diff)
	if c.Changed && !c.dry {
		fmt.Fprintf(env.Stdout, "promoted: %s is at %s from the next call on\n", c.ID, c.severity)
	}
	return nil
}

func ruleMode(spec *sentinel.RuleSpec) string {
	if spec.Shadow {
		return "shadow"
	}
	return "enforce"
}

// print shows what is known of the rule, and the change.
func (c *rulePromotion) print(env *Env, diff string) {
	mode := ""
	if c.From.Mode == "shadow" {
		mode = ", in shadow mode"
	}
	fmt.Fprintf(env.Stdout, "%s: %s%s\n", c.ID, c.From.Severity, mode)
	for _, line := range c.Evidence {
		fmt.Fprintln(env.Stdout, "  "+line)
	}
	if !c.Changed {
		diff = fmt.Sprintf("%s is at %s already\n", c.ID, c.severity)
	}
	fmt.Fprint(env.Stdout, text.Clean(diff))
}

// findRule finds a rule of the nearest project that can be promoted.
func findRule(env *Env, p *project.Project, id string) (*project.Folder, *rule.Rule, error) {
	if strings.HasPrefix(id, "sentinel:") {
		return nil, nil, fmt.Errorf("%s is built in, and stays as it is", id)
	}
	nearest := p.Nearest()
	if nearest == nil {
		return nil, nil, fmt.Errorf("no rules apply in %s; run `sentinel init` first", env.place())
	}
	for _, f := range p.Folders {
		i := slices.IndexFunc(f.Rules, func(r *rule.Rule) bool { return r.Spec().ID == id })
		if i < 0 {
			continue
		}
		r := f.Rules[i]
		switch spec := r.Spec(); {
		case f.User:
			return nil, nil, fmt.Errorf("%s stands in your own folder and holds in every project; edit %s by hand", id, sourceFile(r))
		case f != nearest:
			return nil, nil, fmt.Errorf("%s belongs to the project %s; run this there", id, f.Root)
		case spec.Err != nil:
			return nil, nil, fmt.Errorf("%s is broken; mend it first: %w", id, spec.Err)
		case spec.Severity == sentinel.SeverityInfo:
			return nil, nil, fmt.Errorf("%s is an info rule: it adds text and judges nothing. Write a rule that judges", id)
		}
		return f, r, nil
	}
	return nil, nil, fmt.Errorf("there is no rule %q here; `sentinel rules list` shows those that there are", id)
}

// sourceFile is the file that a rule stands in.
func sourceFile(r *rule.Rule) string {
	source := r.Spec().Source
	return source[:strings.LastIndexByte(source, ':')]
}

// promoted is the rule's file with its severity set, and out of shadow mode.
func promoted(before []byte, file string, spec *sentinel.RuleSpec, to sentinel.Severity) ([]byte, error) {
	set := func(data []byte, key, value string) ([]byte, error) {
		return yamledit.Set(data, []string{key}, value)
	}
	if strings.EqualFold(filepath.Ext(file), ".json") {
		set = setJSON
	}
	after := before
	var err error
	if spec.Severity != to {
		if after, err = set(after, "severity", to.String()); err != nil {
			return nil, err
		}
	}
	if spec.Shadow {
		if after, err = set(after, "mode", "enforce"); err != nil {
			return nil, err
		}
	}
	if bytes.Equal(before, after) {
		return before, nil
	}
	return after, stillSound(file, before, after, spec, to)
}

// setJSON sets a key of the object that data is. A new key gets a line of its own
// at the end where the others have one.
func setJSON(data []byte, key, value string) ([]byte, error) {
	var object map[string]json.RawMessage
	if err := json.Unmarshal(data, &object); err != nil {
		return nil, err
	}
	_, there := object[key]
	open, end := bytes.IndexByte(data, '{'), bytes.LastIndexByte(data, '}')
	if there || len(object) == 0 {
		return sjson.SetBytes(slices.Clone(data), key, value)
	}
	first := data[open+1 : bytes.IndexByte(data, '"')] // what stands before a key
	last := len(bytes.TrimRight(data[:end], " \t\r\n"))
	return slices.Concat(data[:last], []byte{','}, first, fmt.Appendf(nil, "%q: %q", key, value), data[last:]), nil
}

// stillSound lints what the file has become: it must say what was meant, and have
// no fault that it had not before.
func stillSound(file string, before, after []byte, spec *sentinel.RuleSpec, to sentinel.Severity) error {
	old, changed := rule.Parse(file, before), rule.Parse(file, after)
	for _, problem := range changed.Problems {
		known := slices.ContainsFunc(old.Problems, func(o sentinel.Problem) bool { return o.Message == problem.Message })
		if !problem.Warning && !known {
			return fmt.Errorf("%s; nothing was changed", problem.Message)
		}
	}
	d := changed.Definition
	if d.Severity != to.String() && !(d.Severity == "" && spec.Severity == to) || spec.Shadow && d.Mode != "enforce" {
		return errors.New("its severity cannot be changed without touching more; edit the file by hand. Nothing was changed")
	}
	return nil
}

// known finds out what the log knows of the rule.
func (c *rulePromotion) known(ctx context.Context, env *Env, p *project.Project, f *project.Folder, spec *sentinel.RuleSpec) error {
	path := p.LogFile()
	if path == "" {
		c.Evidence = []string{"nothing is known of it: there is no log. Set log_file in config.yaml, and let it work for some days"}
		return nil
	}
	s, err := telemetry.Aggregate(ctx, telemetry.Files(path), &telemetry.StatsOptions{Rules: []string{spec.ID}, Now: env.Now()})
	if err != nil {
		return err
	}
	r, logged := s.Rule(spec.ID)
	if !logged {
		c.Evidence = []string{"nothing is known of it: it has no line in " + text.OneLine(display(f, path))}
		return nil
	}
	for _, line := range evidence(s, r) {
		c.Evidence = append(c.Evidence, text.OneLine(line))
	}
	log := ruleObject(r, true)
	c.Log = &log
	return nil
}

// Few evaluations say little. The number is that of the rule of thumb for a share
// to be told from chance at all.
const fewEvaluations = 30

// evidence are the figures of a rule in words, and what they say of its precision.
func evidence(s *telemetry.Stats, r *telemetry.RuleStats) []string {
	lines := []string{
		fmt.Sprintf("judged %s since %s: %s, %s, %d unavailable",
			many(r.Evaluations, "time"), r.First.Format("2006-01-02"), many(r.Violations, "violation"),
			fmt.Sprintf("%s near miss%s", text.Thousands(r.NearMisses), unless(r.NearMisses == 1, "es")), r.Unavailable),
	}
	if r.ShadowEvaluations > 0 {
		lines = append(lines, fmt.Sprintf("of those in shadow mode %d: it would have blocked %d, asked %d, warned %d",
			r.ShadowEvaluations, r.WouldBlock, r.WouldAsk, r.WouldWarn))
	}
	stopped := max(r.Blocks+r.Asks, r.Overridden)
	if stopped > 0 {
		lines = append(lines, fmt.Sprintf("of %s that it stopped, a person let through %d, and %d came again soon after", many(stopped, "call"), r.Overridden, r.Contested))
	}
	switch {
	case r.Evaluations < fewEvaluations:
		lines = append(lines, fmt.Sprintf("hint: fewer than %d judgements say little; let it work for longer", fewEvaluations))
	case r.Violations == 0:
		lines = append(lines, "hint: it has never fired, so nothing says whether it is right when it does; `sentinel test` asks it")
	case stopped > 0:
		lines = append(lines, fmt.Sprintf("hint: its precision is at most %.0f%%, by what people let through", 100*float64(stopped-r.Overridden)/float64(stopped)))
	default:
		lines = append(lines, fmt.Sprintf("hint: read its %s before you trust it: `sentinel stats --rule %s`", many(r.Violations, "violation"), r.ID))
	}
	for _, sign := range s.Signs(nil) {
		if sign.Kind != telemetry.SignShadow {
			lines = append(lines, "note: it "+sign.Text)
		}
	}
	return lines
}
