package scribe

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/backend/builtin"
	"github.com/agentsentinel/sentinel/internal/ruletest"
	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/rule"
)

// Limits of the cases that are kept, in characters and numbers.
const (
	maxCaseText    = 600
	maxCaseContent = 400
	maxWrong       = 4
	maxBefore      = 3
	maxRight       = 4
	maxOther       = 8
	maxViolations  = 2
	maxPasses      = 4
	minPasses      = 2
)

// A CaseResult is the result of a rule on one of its cases without a model.
type CaseResult struct {
	Case   rule.Case `json:"case"`
	Result string    `json:"result"` // right, wrong, or model: a model has to judge it
	Why    string    `json:"why"`
}

// The results of a case.
const (
	CaseRight = "right"
	CaseWrong = "wrong"
	CaseModel = "model"
)

// TryCases returns the results of a rule on its cases by its trigger, scope, exclude
// and when, without a model. root is the project's folder. mapper maps the action of a
// case; with nil only the action itself is tried.
func TryCases(ctx context.Context, r *rule.Rule, root string, mapper sentinel.ToolMapper) []CaseResult {
	results := []CaseResult{}
	for _, k := range r.Definition().Tests {
		res := CaseResult{Case: k}
		reached, why, err := reaches(ctx, r, k, root, mapper)
		violates, pass := k.Expect == "violation", k.Expect == "pass"
		switch {
		case err != nil:
			res.Result, res.Why = CaseWrong, "it cannot be evaluated: "+err.Error()
		case !reached && pass:
			res.Result, res.Why = CaseRight, why
		case !reached:
			res.Result, res.Why = CaseWrong, "the rule does not reach it: "+why
		case r.Spec().Severity == sentinel.SeverityInfo && violates: // it is told, and nothing is judged
			res.Result, res.Why = CaseRight, why
		case r.Spec().Severity == sentinel.SeverityInfo:
			res.Result, res.Why = CaseWrong, "its text is told: "+why
		case r.Spec().Backend != sentinel.Builtin:
			res.Result, res.Why = CaseModel, why
		case violates:
			res.Result, res.Why = CaseRight, why
		default:
			res.Result, res.Why = CaseWrong, "the rule stops it: "+why
		}
		results = append(results, res)
	}
	return results
}

// tryCases is [TryCases], also for rules that judge by what happened before or by the
// whole turn, and those with a verdict of their own.
func (o *Options) tryCases(ctx context.Context, r *rule.Rule, f *rule.File) []CaseResult {
	spec := r.Spec()
	past := slices.ContainsFunc(f.Definition.Tests, func(k rule.Case) bool { return len(k.Before)+len(k.Turn)+len(k.Asked) > 0 })
	if !spec.Exact && !spec.Stop && !spec.Turns && !past || o.Mapper == nil {
		return TryCases(ctx, r, o.Root, o.Mapper)
	}
	suite := ruletest.Suite{File: *f}
	for i, k := range f.Definition.Tests {
		suite.Cases = append(suite.Cases, ruletest.Case{Case: k, File: f.Path, Index: i})
	}
	opts := ruletest.Options{Root: o.Root, Engine: sentinel.Options{
		Mapper: o.Mapper, Default: sentinel.Builtin, Backends: map[string]sentinel.Backend{sentinel.Builtin: builtin.New()},
	}}
	if o.Build != nil {
		opts.Build = *o.Build
		opts.Build.IDPrefix = ""
	}
	report, err := ruletest.Run(ctx, []ruletest.Suite{suite}, &opts)
	results := []CaseResult{}
	for i := range report.Results {
		one := &report.Results[i]
		res := CaseResult{Case: one.Case.Case, Result: CaseWrong, Why: one.Why}
		switch one.State {
		case ruletest.Passed:
			res.Result = CaseRight
		case ruletest.Unanswered:
			res.Result = CaseModel
		}
		results = append(results, res)
	}
	if err != nil {
		results = append(results, CaseResult{Result: CaseWrong, Why: err.Error()})
	}
	return results
}

// reaches reports whether the judge of a rule would get the action of a case, and why.
func reaches(ctx context.Context, r *rule.Rule, k rule.Case, root string, mapper sentinel.ToolMapper) (reached bool, why string, err error) {
	actions, err := actionsOf(ctx, k, root, mapper)
	if err != nil {
		return false, "", err
	}
	why = "no action"
	for i := range actions {
		a := &actions[i]
		m := r.Match(a)
		if !m.OK {
			if a.DerivedFrom == "" {
				why = m.Why
			}
			continue
		}
		meant, err := r.When(ctx, a, m)
		switch {
		case err != nil:
			return false, "", err
		case meant && m.Pattern == "":
			return true, "every target", nil
		case meant:
			return true, "matches " + m.Pattern, nil
		}
		why = "`when` is false"
	}
	return false, why, nil
}

// actionsOf maps the action of a case.
func actionsOf(ctx context.Context, k rule.Case, root string, mapper sentinel.ToolMapper) ([]sentinel.Action, error) {
	ev := sentinel.Event{Phase: sentinel.PhasePre, Dir: root, Root: root}
	var args any
	var plain sentinel.Action
	switch {
	case k.Bash != "":
		ev.Tool.Name, args = "Bash", map[string]string{"command": k.Bash}
		plain = sentinel.Action{Trigger: sentinel.Bash, Target: k.Bash}
	case k.Write != "" && k.Old != "":
		ev.Tool.Name, args = "Edit", map[string]string{"file_path": k.Write, "old_string": k.Old, "new_string": k.Content}
		plain = sentinel.Action{Trigger: sentinel.FileWrite, Op: sentinel.OpEdit, Target: k.Write, Content: k.Content, Old: k.Old}
	case k.Write != "":
		ev.Tool.Name, args = "Write", map[string]string{"file_path": k.Write, "content": k.Content}
		plain = sentinel.Action{Trigger: sentinel.FileWrite, Op: sentinel.OpCreate, Target: k.Write, Content: k.Content}
	case k.Read != "":
		ev.Tool.Name, args = "Read", map[string]string{"file_path": k.Read}
		plain = sentinel.Action{Trigger: sentinel.FileRead, Target: k.Read}
	default:
		server, tool, _ := strings.Cut(k.MCP, ":")
		ev.Tool.Name, args = "mcp__"+server+"__"+tool, json.RawMessage("{}")
		if len(k.Args) > 0 {
			args = k.Args
		}
		plain = sentinel.Action{Trigger: sentinel.MCP, Target: k.MCP, Forms: []string{k.MCP, tool, server}, Server: server, MCPTool: tool, Args: k.Args}
	}
	plain.Root, plain.Dir, plain.Certain = root, root, true
	if mapper == nil {
		return []sentinel.Action{plain}, nil
	}
	raw, err := json.Marshal(args)
	if err != nil {
		return nil, err
	}
	ev.Tool.Args = raw
	actions, err := mapper.MapTool(ctx, ev)
	if errors.Is(err, sentinel.ErrUnknownTool) { // the configuration has other names for tools
		return []sentinel.Action{plain}, nil
	}
	return actions, err
}

// caseOf makes a case of the first action of a tool call; ok is false for a call that
// no rule can be about.
func (o *Options) caseOf(ctx context.Context, v *view, l *line) (k rule.Case, ok bool) {
	if o.Mapper == nil || l.entry.Call == nil {
		return k, false
	}
	ev := sentinel.Event{Phase: sentinel.PhasePre, Agent: v.agent, Dir: o.Root, Root: o.Root, Tool: *l.entry.Call}
	if filepath.IsAbs(v.dir) && safefile.Within(v.dir, o.Root) {
		ev.Dir = v.dir
	}
	actions, err := o.Mapper.MapTool(ctx, ev)
	if err != nil || len(actions) == 0 {
		return k, false
	}
	switch a := &actions[0]; a.Trigger {
	case sentinel.Bash:
		k.Bash = a.Target
	case sentinel.FileWrite:
		if filepath.IsAbs(a.Path) || a.Op == sentinel.OpDelete || a.Op == sentinel.OpMove {
			return k, false // a case has to be valid in every checkout
		}
		k.Write, k.Content, k.Old = a.Path, text.Cut(a.Content, maxCaseContent), text.Cut(a.Old, maxCaseContent)
	case sentinel.MCP:
		if a.Server == "" {
			return k, false
		}
		k.MCP = a.Target
		if len(a.Args) <= maxCaseText && json.Valid(a.Args) {
			k.Args = a.Args
		}
	}
	return k, len(caseText(k)) > len("write ") && len(caseText(k)) <= maxCaseText
}
