package authoring

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tidwall/sjson"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/internal/yamledit"
	"github.com/agentsentinel/sentinel/project"
	"github.com/agentsentinel/sentinel/rule"
	"github.com/agentsentinel/sentinel/telemetry"
)

// Find finds a rule of the nearest project that can be promoted. There is a nearest
// project.
func Find(p *project.Project, id string) (*project.Folder, *rule.Rule, error) {
	if strings.HasPrefix(id, "sentinel:") {
		return nil, nil, fmt.Errorf("%s is built in, and stays as it is", id)
	}
	f, r, err := p.Inspect().Rule(id)
	if err != nil {
		return nil, nil, err
	}
	switch spec := r.Spec(); {
	case f.User:
		return nil, nil, fmt.Errorf("%s is in your own folder and holds in every project; edit %s by hand", id, SourceFile(r))
	case f != p.Nearest():
		return nil, nil, fmt.Errorf("%s belongs to the project %s; run this there", id, f.Root)
	case spec.Err != nil:
		return nil, nil, fmt.Errorf("%s is broken; mend it first: %w", id, spec.Err)
	case r.Off():
		return nil, nil, fmt.Errorf("%s is switched off: run `sentinel rules enable %s` first", id, id)
	case spec.Severity == sentinel.SeverityInfo:
		return nil, nil, fmt.Errorf("%s is an info rule: it adds text and judges nothing. Write a rule that judges", id)
	}
	return f, r, nil
}

// FindFile finds a rule of the nearest project whose file can be changed, whatever is
// wrong with it.
func FindFile(p *project.Project, id string) (*project.Folder, *rule.Rule, error) {
	f := p.Nearest()
	if f == nil {
		return nil, nil, errors.New("no rules apply here; run `sentinel init` first")
	}
	for _, r := range f.Written() {
		if r.Spec().ID == id {
			return f, r, nil
		}
	}
	if _, _, err := Find(p, id); err != nil {
		return nil, nil, err
	}
	return nil, nil, project.NoRule(id)
}

// WithMode is the rule's file with another mode, and nothing else changed.
func WithMode(before []byte, file, mode string) ([]byte, error) {
	after, err := Set(before, file, "mode", mode)
	if err != nil {
		return nil, err
	}
	if rule.Parse(file, after).Definition.Mode != mode {
		return nil, errors.New("its mode cannot be changed without touching more; edit the file by hand. Nothing was changed")
	}
	return after, nil
}

// SourceFile is the file of a rule.
func SourceFile(r *rule.Rule) string {
	source := r.Spec().Source
	return source[:strings.LastIndexByte(source, ':')]
}

// Promoted is the rule's file with its severity set, and out of shadow mode.
func Promoted(before []byte, file string, spec *sentinel.RuleSpec, to sentinel.Severity) ([]byte, error) {
	after := before
	var err error
	if spec.Severity != to {
		if after, err = Set(after, file, "severity", to.String()); err != nil {
			return nil, err
		}
	}
	if spec.Shadow {
		if after, err = Set(after, file, "mode", "enforce"); err != nil {
			return nil, err
		}
	}
	if bytes.Equal(before, after) {
		return before, nil
	}
	return after, stillSound(file, before, after, spec, to)
}

// Set is a rule's file with another value of one key, and nothing else changed.
func Set(before []byte, file, key, value string) ([]byte, error) {
	if strings.EqualFold(filepath.Ext(file), ".json") {
		return setJSON(before, key, value)
	}
	return yamledit.Set(before, []string{key}, value)
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
	first := data[open+1 : bytes.IndexByte(data, '"')] // what comes before a key
	last := len(bytes.TrimRight(data[:end], " \t\r\n"))
	return slices.Concat(data[:last], []byte{','}, first, fmt.Appendf(nil, "%q: %q", key, value), data[last:]), nil
}

// stillSound lints what the file has become: it must say what was meant, and have
// no fault that it had not before.
func stillSound(file string, before, after []byte, spec *sentinel.RuleSpec, to sentinel.Severity) error {
	old, changed := rule.Parse(file, before), rule.Parse(file, after)
	for _, problem := range changed.Problems {
		known := slices.ContainsFunc(old.Problems, func(o rule.Problem) bool { return o.Message == problem.Message })
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

// Few evaluations say little. The number is that of the rule of thumb for a share
// to be told from chance at all.
const fewEvaluations = 30

// Evidence are the figures of a rule in words, and what they say of its precision.
func Evidence(s *telemetry.Stats, r *telemetry.RuleStats) []string {
	lines := []string{
		fmt.Sprintf("judged %s since %s: %s, %s, %d unavailable",
			text.Many(r.Evaluations, "time"), r.First.Format("2006-01-02"), text.Many(r.Violations, "violation"),
			fmt.Sprintf("%s near miss%s", text.Thousands(r.NearMisses), text.Unless(r.NearMisses == 1, "es")), r.Unavailable),
	}
	if r.ShadowEvaluations > 0 {
		lines = append(lines, fmt.Sprintf("of those in shadow mode %d: it would have blocked %d, asked %d, warned %d",
			r.ShadowEvaluations, r.WouldBlock, r.WouldAsk, r.WouldWarn))
	}
	stopped := max(r.Blocks+r.Asks, r.Overridden)
	if stopped > 0 {
		lines = append(lines, fmt.Sprintf("of %s that it stopped, a person let through %d, and %d came again soon after", text.Many(stopped, "call"), r.Overridden, r.Contested))
	}
	switch {
	case r.Evaluations < fewEvaluations:
		lines = append(lines, fmt.Sprintf("hint: fewer than %d judgements say little; let it work for longer", fewEvaluations))
	case r.Violations == 0:
		lines = append(lines, "hint: it has never fired, so nothing says whether it is right when it does; `sentinel test` asks it")
	case stopped > 0:
		lines = append(lines, fmt.Sprintf("hint: its precision is at most %.0f%%, by what people let through", 100*float64(stopped-r.Overridden)/float64(stopped)))
	default:
		lines = append(lines, fmt.Sprintf("hint: read its %s before you trust it: `sentinel stats --rule %s`", text.Many(r.Violations, "violation"), r.ID))
	}
	for _, sign := range s.Signs(nil) {
		if sign.Kind != telemetry.SignShadow {
			lines = append(lines, "note: it "+sign.Text)
		}
	}
	return lines
}
