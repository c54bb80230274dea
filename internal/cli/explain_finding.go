package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/agentsentinel/sentinel"
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
	folder   *project.Project
}

// explainFinding tells the whole story of a call or of one of its findings: id is
// that of a line of the logs.
func explainFinding(ctx context.Context, env *Env, p *project.Project, logs []string, id string, asJSON bool) error {
	s := &story{ID: id, Records: []telemetry.Record{}, Prompts: []telemetry.Trace{}, folder: p}
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
	prompts, err := p.Prompts(id)
	if err != nil {
		return err
	}
	s.Prompts = append(s.Prompts, prompts...)
	if asJSON {
		return json.NewEncoder(env.Stdout).Encode(s)
	}
	s.print(ctx, &printer{env: env})
	return nil
}

// read gathers the lines of one file that belong to the story.
func (s *story) read(file string) error {
	f, err := os.Open(file)
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

func (s *story) print(ctx context.Context, p *printer) {
	first := s.Records[0]
	var of []string
	for _, part := range [...][2]string{{"agent", first.Agent}, {"session", first.Session}, {"tool", first.Tool}, {"call", first.CallID}} {
		if part[1] != "" {
			of = append(of, part[0]+" "+text.OneLine(part[1]))
		}
	}
	p.line("%s %s %s", p.bold(s.ID), first.Time.Format("2006-01-02T15:04:05Z"), strings.Join(of, ", "))
	if d := s.decision; d != nil {
		p.line("%s in %.1f ms: %s matched, %d judged, %d could not be", p.bold(strings.ToUpper(text.OneLine(d.Verdict))), d.ElapsedMS, text.Count(d.Matched, "rule"), d.Judged, d.Unavailable)
		p.field("because", d.Reason)
		p.field("error", d.Error)
	}
	for _, r := range s.Records {
		if r.Level != telemetry.LevelDecision {
			s.printRecord(p, &r)
		}
	}
	s.printNow(ctx, p, &first)
}

// field prints what is known of something, if anything is.
func (p *printer) field(name, said string) {
	if said != "" {
		p.line("  %s: %s", name, text.OneLine(said))
	}
}

func (s *story) printRecord(p *printer, r *telemetry.Record) {
	p.line("rule %s (%s, on %s): %s  [%s]", p.bold(text.OneLine(r.RuleID)), text.OneLine(r.Severity), text.OneLine(r.Trigger), text.OneLine(r.Outcome), text.OneLine(r.ID))
	p.field("target", r.Target)
	p.field("found in", r.DerivedFrom)
	p.field("because", r.Reason)
	p.field("error", r.Error)
	if r.Level == telemetry.LevelEval {
		p.line("  confidence: %.2f, a violation from %.2f on%s", r.Confidence, r.Threshold, when(r.NearMiss, "; the judge said violation"))
	}
	if r.Backend != "" {
		p.line("  judged by: %s%s, %.1f ms%s%s%s", text.OneLine(r.Backend), after(" ", when(r.Model != r.Backend, text.OneLine(r.Model))), r.ElapsedMS,
			when(r.WaitedMS > 0, fmt.Sprintf(" with %.1f ms of waiting", r.WaitedMS)),
			when(r.Cached, ", from the cache"),
			when(r.PromptTokens+r.OutputTokens > 0, fmt.Sprintf(", %d + %d tokens", r.PromptTokens, r.OutputTokens)))
	}
	if r.Mode != "" {
		p.line("  mode: %s%s", text.OneLine(r.Mode), after("; it would ", text.OneLine(r.Would)))
	}
	p.field("muted", when(r.Muted, "the agent had this text before"))
	p.field("tainted", when(r.Tainted, "the answer repeated the fence of the judged text"))
	kept := false
	for _, t := range s.Prompts {
		if t.ID != r.ID {
			continue
		}
		kept = true
		for _, a := range t.Attempts {
			p.asked(a)
		}
	}
	if !kept && r.Backend != "" && r.Backend != sentinel.Builtin {
		p.line("  prompt and answer: not kept; `log_prompts: true` in config.yaml keeps them")
	}
}

// asked shows one question to a judge, and its answer.
func (p *printer) asked(a telemetry.Asked) {
	p.line("  asked %s%s: %.1f ms by the model, %.1f ms of waiting%s", text.OneLine(a.Backend), after(" ", text.OneLine(a.Model)), a.TookMS, a.WaitedMS, when(a.Cached, ", from the cache"))
	p.block("system", a.System)
	p.block("prompt", a.Prompt)
	p.block("answer", a.Answer)
	p.field("  failed", a.Error)
}

// block prints a text of several lines.
func (p *printer) block(name, said string) {
	if said = strings.TrimRight(said, "\n"); said != "" {
		p.line("    %s:", name)
		p.line("      | %s", strings.ReplaceAll(text.Clean(said), "\n", "\n      | "))
	}
}

// after is text behind what introduces it, and "" for "".
func after(lead, text string) string {
	if text == "" {
		return ""
	}
	return lead + text
}

func when(holds bool, text string) string { return unless(!holds, text) }

// printNow says how the call is understood now, and which rules are about it: the
// log does not keep that. No model is asked.
func (s *story) printNow(ctx context.Context, p *printer, r *telemetry.Record) {
	opts := p.env.project()
	opts.Explain, opts.NoModel, opts.NoLog = true, true, true
	now := project.Open([]string{p.env.Dir}, opts)
	f := checkFlags{bash: r.Target, write: r.Target, mcp: r.Target, args: "{}"}
	kind := map[string]string{string(sentinel.Bash): "bash", string(sentinel.FileWrite): "write", string(sentinel.MCP): "mcp"}[r.Trigger]
	if kind == "" || len(now.Folders) == 0 || r.DerivedFrom != "" {
		return
	}
	ev, err := f.eventOf(p.env, kind, now)
	if err != nil {
		return // an older line, whose target is cut
	}
	d, err := now.Evaluate(ctx, ev)
	if err != nil {
		return
	}
	p.line("%s", p.bold("By the rules as they are now, without what the log does not keep (contents, arguments, secrets):"))
	for i := range d.Actions {
		p.action(&d.Actions[i])
	}
	for i := range d.Findings {
		if f := &d.Findings[i]; f.Match.OK {
			p.line("applies: %s%s", f.Rule.ID, after(", matched by ", f.Match.Pattern))
		}
	}
	p.idle(d)
}
