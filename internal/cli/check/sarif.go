package check

import (
	"fmt"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/change"
	"github.com/agentsentinel/sentinel/internal/cli/command"
	"github.com/agentsentinel/sentinel/internal/sarif"
	"github.com/agentsentinel/sentinel/internal/text"
)

// changeSARIF writes what rules found in a change. What could not be judged is a
// notification: it is not a finding about the file.
func changeSARIF(env *command.Env, set change.Set, decisions []sentinel.Decision) sarif.Log {
	run := sarif.Run{Results: []sarif.Result{}, Tool: sarif.Tool{Driver: sarif.Driver{Name: env.Program(), Version: env.Build().Version}}}
	call := sarif.Invocation{Successful: true}
	known := map[string]bool{}
	for i, d := range decisions {
		file := &set.Files[i]
		for k := range d.Findings {
			f := &d.Findings[k]
			if f.Rule.Shadow {
				continue
			}
			switch f.Outcome {
			case sentinel.OutcomeUnavailable:
				call.Notifications = append(call.Notifications, sarif.Notification{
					Level: sarif.LevelWarning, Message: sarif.Text(fmt.Sprintf("rule %s on %s: %s", f.Rule.ID, text.OneLine(file.Path), text.OneLine(f.Reason))),
				})
			case sentinel.OutcomeViolation:
				if !known[f.Rule.ID] {
					known[f.Rule.ID] = true
					run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule(f.Rule))
				}
				run.Results = append(run.Results, sarif.Result{
					RuleID: f.Rule.ID, Level: sarifLevel(f.Rule.Severity), Message: sarif.Text(text.OneLine(f.Text())),
					Locations:  []sarif.Location{sarif.At(file.Path, file.First, file.Last)},
					Properties: map[string]any{"confidence": f.Confidence, "backend": f.Response.Backend, "model": f.Response.Model},
				})
			}
		}
	}
	run.Invocations = []sarif.Invocation{call}
	return sarif.Log{Runs: []sarif.Run{run}}
}

func sarifRule(r *sentinel.RuleSpec) sarif.Rule {
	rule := sarif.Rule{ID: r.ID, Default: &sarif.Configuration{Level: sarifLevel(r.Severity)}}
	if text := text.OneLine(r.Prompt); text != "" {
		m := sarif.Text(text)
		rule.FullDescription = &m
	}
	return rule
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
