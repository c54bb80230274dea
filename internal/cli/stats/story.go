package stats

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/cli/command"
	"github.com/agentsentinel/sentinel/internal/cli/decision"
	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/project"
	"github.com/agentsentinel/sentinel/telemetry"
)

// A story is all that is known of one call, or of one finding of it.
type story struct {
	ID       string             `json:"id"`
	Records  []telemetry.Record `json:"records"` // in the order of the log
	Prompts  []telemetry.Trace  `json:"prompts"` // those that were kept
	decision *telemetry.Record
}

// Printed is what [Explain] prints as JSON, without content.
func Printed() any { return story{} }

// Explain tells what the logs of this project have of a call or a finding.
func Explain(ctx context.Context, env *command.Env, id string, asJSON bool) error {
	p := project.Open([]string{env.Dir}, env.Options())
	logs, err := env.Logs(p, nil, false)
	if err != nil {
		return err
	}
	return explainFinding(ctx, env, p, logs, id, asJSON)
}

// explainFinding tells the whole story of a call or of one of its findings: id is
// that of a line of the logs.
func explainFinding(ctx context.Context, env *command.Env, p *project.Project, logs []string, id string, asJSON bool) error {
	s := &story{ID: id, Records: []telemetry.Record{}, Prompts: []telemetry.Trace{}}
	for _, log := range logs {
		for _, file := range telemetry.Files(log) {
			if err := s.read(file); err != nil {
				return err
			}
		}
	}
	if len(s.Records) == 0 {
		return fmt.Errorf("no line of the log has the id %q; take one from `id` in the log, or from the findings of `sentinel stats --json`", text.OneLine(id))
	}
	prompts, err := p.Past().Book().ReadPrompts(id)
	if err != nil {
		return err
	}
	s.Prompts = append(s.Prompts, prompts...)
	if asJSON {
		return env.JSON(s)
	}
	s.print(ctx, &decision.Printer{Env: env})
	return nil
}

// read gathers the lines of one file that belong to the story.
func (s *story) read(file string) error {
	f, _, err := safefile.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // rotated away meanwhile
	}
	if err != nil {
		return err
	}
	defer f.Close()
	for r, err := range telemetry.Scan(f) {
		var torn *telemetry.LineError
		switch {
		case errors.As(err, &torn):
		case err != nil:
			return err
		case !telemetry.SameCall(r.ID, s.ID):
		case r.Level == telemetry.LevelDecision:
			s.Records = append(s.Records, r)
			s.decision = &r
		case r.ID == s.ID || !strings.Contains(s.ID, "."):
			s.Records = append(s.Records, r)
		}
	}
	return nil
}

func (s *story) print(ctx context.Context, p *decision.Printer) {
	first := s.Records[0]
	var of []string
	for _, part := range [...][2]string{{"agent", first.Agent}, {"session", first.Session}, {"tool", first.Tool}, {"call", first.CallID}} {
		if part[1] != "" {
			of = append(of, part[0]+" "+text.OneLine(part[1]))
		}
	}
	p.Line("%s %s %s", p.Bold(s.ID), first.Time.Format("2006-01-02T15:04:05Z"), strings.Join(of, ", "))
	if d := s.decision; d != nil {
		p.Line("%s in %.1f ms: %s matched, %d judged, %d failed", p.Bold(strings.ToUpper(text.OneLine(d.Verdict))), d.ElapsedMS, text.Count(d.Matched, "rule"), d.Judged, d.Unavailable)
		p.Field("because", d.Reason)
		p.Field("error", d.Error)
	}
	for _, r := range s.Records {
		if r.Level != telemetry.LevelDecision {
			s.printRecord(p, &r)
		}
	}
	s.printNow(ctx, p, &first)
}

func (s *story) printRecord(p *decision.Printer, r *telemetry.Record) {
	p.Line("rule %s (%s, on %s): %s  [%s]", p.Bold(text.OneLine(r.RuleID)), text.OneLine(r.Severity), text.OneLine(r.Trigger), text.OneLine(r.Outcome), text.OneLine(r.ID))
	p.Field("target", r.Target)
	p.Field("found in", r.DerivedFrom)
	p.Field("because", r.Reason)
	p.Field("error", r.Error)
	if r.Level == telemetry.LevelEval {
		p.Line("  confidence: %.2f, a violation from %.2f on%s", r.Confidence, r.Threshold, text.When(r.NearMiss, "; the judge said violation"))
	}
	if r.Backend != "" {
		p.Line("  judged by: %s%s, %.1f ms%s%s%s", text.OneLine(r.Backend), text.After(" ", text.When(r.Model != r.Backend, text.OneLine(r.Model))), r.ElapsedMS,
			text.When(r.WaitedMS > 0, fmt.Sprintf(" with %.1f ms of waiting", r.WaitedMS)),
			text.When(r.Cached, ", from the cache"),
			text.When(r.PromptTokens+r.OutputTokens > 0, fmt.Sprintf(", %d + %d tokens", r.PromptTokens, r.OutputTokens)))
	}
	if r.Mode != "" {
		p.Line("  mode: %s%s", text.OneLine(r.Mode), text.After("; it would ", text.OneLine(r.Would)))
	}
	p.Field("asked for", r.AskedFor)
	p.Field("muted", text.When(r.Muted, "the agent had this text before"))
	p.Field("seen", text.When(r.Seen > 0, fmt.Sprintf("%d %% of it; it was longer than content_windows times content_max_chars", int(100*r.Seen))))
	p.Field("tainted", text.When(r.Tainted, "the answer repeated the fence of the judged text"))
	kept := false
	for _, t := range s.Prompts {
		if t.ID != r.ID {
			continue
		}
		kept = true
		for _, a := range t.Attempts {
			asked(p, a)
		}
	}
	if !kept && r.Backend != "" && r.Backend != sentinel.Builtin {
		p.Line("  prompt and answer: not kept; `log_prompts: true` in config.yaml keeps them")
	}
}

// asked shows one question to a judge, and its answer.
func asked(p *decision.Printer, a telemetry.Asked) {
	p.Line("  asked %s%s: %.1f ms by the model, %.1f ms of waiting%s", text.OneLine(a.Backend), text.After(" ", text.OneLine(a.Model)), a.TookMS, a.WaitedMS, text.When(a.Cached, ", from the cache"))
	p.Block("system", a.System)
	p.Block("prompt", a.Prompt)
	p.Block("answer", a.Answer)
	p.Field("  failed", a.Error)
}

// printNow says how the call is understood now, and which rules are about it: the
// log does not keep that. No model is asked.
func (s *story) printNow(ctx context.Context, p *decision.Printer, r *telemetry.Record) {
	opts := p.Options()
	opts.Explain, opts.NoModel, opts.NoLog = true, true, true
	now := project.Open([]string{p.Dir}, opts)
	with := map[sentinel.Trigger]string{sentinel.Bash: "", sentinel.FileWrite: "", sentinel.MCP: "{}"}
	arguments, can := with[sentinel.Trigger(r.Trigger)]
	if !can || len(now.Folders) == 0 || r.DerivedFrom != "" {
		return
	}
	ev, err := decision.Call(now, p.Dir, sentinel.Trigger(r.Trigger), r.Target, arguments)
	if err != nil {
		return // an older line, whose target is cut
	}
	d, err := now.Evaluate(ctx, ev)
	if err != nil {
		return
	}
	p.Line("%s", p.Bold("By the rules as they are now, without what the log does not keep (contents, arguments, secrets):"))
	for i := range d.Actions {
		p.Action(&d.Actions[i])
	}
	for i := range d.Findings {
		if f := &d.Findings[i]; f.Match.OK {
			p.Line("applies: %s%s", f.Rule.ID, text.After(", matched by ", f.Match.Pattern))
		}
	}
	p.Idle(d)
}
