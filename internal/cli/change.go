package cli

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/change"
	"github.com/agentsentinel/sentinel/internal/sarif"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/project"
)

// filesAtOnce is how many files of a change are judged at the same time. How
// many models are asked at once is the project's own setting.
const filesAtOnce = 4

// checkChange judges a change file by file.
func (f *checkFlags) checkChange(env *Env, cmd *cobra.Command, p *project.Project, starter bool) error {
	for _, name := range []string{"content", "args"} {
		if cmd.Flags().Changed(name) {
			return fmt.Errorf("--%s goes with a single action", name)
		}
	}
	var set change.Set
	var err error
	if f.staged {
		set, err = change.Staged(cmd.Context(), env.Dir)
	} else {
		set, err = change.Since(cmd.Context(), env.Dir, f.diff)
	}
	if err != nil {
		return err
	}
	decisions, err := judgeChange(cmd.Context(), env, p, set)
	if err != nil {
		return err
	}
	d := sentinel.Decision{Verdict: sentinel.VerdictAllow}
	if len(decisions) > 0 {
		d = sentinel.Join(decisions...)
		d.Actions = actionsOf(decisions)
	}
	switch {
	case f.asJSON:
		err = printJSON(env, d)
	case f.sarif:
		err = changeSARIF(set, decisions).Write(env.Stdout)
	default:
		printChange(env, set, decisions, f.explain, starter)
	}
	return status(d, err)
}

// judgeChange returns the decision on each file, in the order of the files.
func judgeChange(ctx context.Context, env *Env, p *project.Project, set change.Set) ([]sentinel.Decision, error) {
	decisions := make([]sentinel.Decision, len(set.Files))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(filesAtOnce)
	var done atomic.Int64
	bar := env.progress("judging files", len(set.Files))
	defer bar.End()
	for i := range set.Files {
		group.Go(func() error {
			d, err := p.Evaluate(ctx, sentinel.Event{
				Phase: sentinel.PhasePre, Agent: "check", Dir: set.Root, Actions: []sentinel.Action{set.Files[i].Action},
			})
			if err != nil {
				return fmt.Errorf("%s: %w", text.OneLine(set.Files[i].Path), err)
			}
			decisions[i] = d
			bar.At(int(done.Add(1)))
			return nil
		})
	}
	return decisions, group.Wait()
}

// actionsOf are the actions of all files: Join takes its decisions for several on
// the same action, and these are about one each.
func actionsOf(decisions []sentinel.Decision) []sentinel.Action {
	var all []sentinel.Action
	for i := range decisions {
		all = append(all, decisions[i].Actions...)
	}
	return all
}

// printChange says for a person what came of each file of a change.
func printChange(env *Env, set change.Set, decisions []sentinel.Decision, explain, starter bool) {
	p := &printer{env: env}
	if starter {
		p.line("No rules apply in this folder: judged by the built-in starter rules (\"sentinel init\" installs them).")
	}
	count := map[sentinel.Verdict]int{}
	for i, d := range decisions {
		count[d.Verdict]++
		texts := append(strings.Split(d.Reason(), "\n"), d.Context()...)
		if d.Verdict == sentinel.VerdictAllow && len(d.Context()) == 0 && !explain && !anyUnjudged(d) {
			continue
		}
		p.line("%s %s", place(&set.Files[i]), p.bold(strings.ToUpper(d.Verdict.String())))
		if explain {
			p.findings(d)
		}
		for _, said := range texts {
			if said != "" {
				p.line("  %s", strings.ReplaceAll(text.Clean(said), "\n", "\n  "))
			}
		}
		p.unjudged(d)
	}
	p.line("%s", tally(len(decisions), count))
}

func anyUnjudged(d sentinel.Decision) bool {
	for i := range d.Findings {
		if d.Findings[i].Outcome == sentinel.OutcomeUnavailable {
			return true
		}
	}
	return false
}

// place is where a file has changed, as editors and terminals link it.
func place(f *change.File) string {
	if f.First == 0 {
		return text.OneLine(f.Path)
	}
	return fmt.Sprintf("%s:%d", text.OneLine(f.Path), f.First)
}

// tally sums a change up.
func tally(files int, count map[sentinel.Verdict]int) string {
	s := fmt.Sprintf("%d changed files", files)
	if files == 1 {
		s = "1 changed file"
	}
	var parts []string
	for _, v := range []struct {
		verdict sentinel.Verdict
		word    string
	}{{sentinel.VerdictBlock, "blocked"}, {sentinel.VerdictAsk, "to be asked about"}, {sentinel.VerdictWarn, "with warnings"}} {
		if n := count[v.verdict]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, v.word))
		}
	}
	if len(parts) == 0 {
		return s + ", nothing to say."
	}
	return s + ": " + strings.Join(parts, ", ") + "."
}

// changeSARIF writes what rules found in a change. What could not be judged is a
// notification: it is no finding about the file.
func changeSARIF(set change.Set, decisions []sentinel.Decision) sarif.Log {
	run := sarif.Run{Results: []sarif.Result{}, Tool: sarif.Tool{Driver: sarif.Driver{Name: "sentinel", Version: version().Version}}}
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
