package check

import (
	"fmt"
	"strings"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/change"
	"github.com/agentsentinel/sentinel/internal/cli/command"
	"github.com/agentsentinel/sentinel/internal/lazy"
	"github.com/agentsentinel/sentinel/internal/sarif"
	"github.com/agentsentinel/sentinel/internal/text"
)

// changeSARIF writes what rules found in a change. An action that could not be
// judged is a notification: it is not a finding about the file.
func changeSARIF(env *command.Env, set change.Set, decisions []sentinel.Decision, found [][]placed) sarif.Log {
	run := sarif.Run{Results: []sarif.Result{}, Tool: sarif.Tool{Driver: sarif.Driver{Name: env.Program(), Version: env.Build().Version}}}
	call := sarif.Invocation{Successful: true}
	known := map[string]bool{}
	for i, d := range decisions {
		file := &set.Files[i]
		for k := range d.Findings {
			f := &d.Findings[k]
			if !f.Rule.Shadow && f.Outcome == sentinel.OutcomeUnavailable {
				call.Notifications = append(call.Notifications, sarif.Notification{
					Level: sarif.LevelWarning, Message: sarif.Text(fmt.Sprintf("rule %s on %s: %s", f.Rule.ID, text.OneLine(file.Path), text.OneLine(f.Reason))),
				})
			}
		}
		for _, at := range found[i] {
			f := at.finding
			if !known[f.Rule.ID] {
				known[f.Rule.ID] = true
				run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule(f.Rule))
			}
			run.Results = append(run.Results, sarif.Result{
				RuleID: f.Rule.ID, Level: sarifLevel(f.Rule.Severity), Message: sarif.Text(at.Text),
				Locations:  []sarif.Location{sarif.At(file.Path, at.Line, at.EndLine)},
				Properties: map[string]any{"confidence": f.Confidence, "backend": f.Response.Backend, "model": f.Response.Model},
			})
		}
	}
	run.Invocations = []sarif.Invocation{call}
	return sarif.Log{Runs: []sarif.Run{run}}
}

func sarifRule(r *sentinel.RuleSpec) sarif.Rule {
	rule := sarif.Rule{ID: r.ID, Default: &sarif.Configuration{Level: sarifLevel(r.Severity)}}
	if said := description(r); said != "" {
		m := sarif.Text(said)
		rule.FullDescription = &m
	}
	return rule
}

// variable is a place in a rule's text that an action fills.
var variable = lazy.Regexp{Source: `\{\{\s*(\w+)\s*\}\}`}

// description is what a rule tells an agent, for a reader who has no action in mind.
func description(r *sentinel.RuleSpec) string {
	return text.OneLine(variable.Get().ReplaceAllStringFunc(r.Message, func(found string) string {
		return "the " + strings.ReplaceAll(strings.Trim(found, "{} "), "_", " ")
	}))
}

// sarifLevel is how code hosts show a severity.
func sarifLevel(s sentinel.Severity) string {
	switch s {
	case sentinel.SeverityBlock:
		return sarif.LevelError
	case sentinel.SeverityAsk, sentinel.SeverityWarn:
		return sarif.LevelWarning
	}
	return sarif.LevelNote
}
