package check

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/change"
	"github.com/agentsentinel/sentinel/internal/cli/command"
	"github.com/agentsentinel/sentinel/internal/cli/decision"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/project"
)

// filesAtOnce is how many files of a change are judged at the same time. How
// many models are asked at once is the project's own setting.
const filesAtOnce = 4

// committer is the agent of an event that is made of a change: a user commits it.
const committer = "commit"

// checkChange judges a change, or whole files, file by file.
func (f *checkFlags) checkChange(env *command.Env, cmd *cobra.Command, p *project.Project, names []string, builtIn bool) error {
	for _, name := range []string{"content", "args"} {
		if cmd.Flags().Changed(name) {
			return fmt.Errorf("--%s goes with a single action", name)
		}
	}
	file, err := env.OutFile(f.sarif)
	if err != nil {
		return fmt.Errorf("--sarif: %w", err)
	}
	var set change.Set
	switch {
	case len(names) > 0:
		set, err = change.Whole(env.Dir, names)
	case f.staged:
		set, err = change.Staged(cmd.Context(), env.Dir)
	default:
		set, err = change.Since(cmd.Context(), env.Dir, f.diff)
	}
	if err != nil {
		return err
	}
	decisions, err := judgeChange(cmd.Context(), env, p, set)
	if err == nil && f.staged && len(set.Files) > 0 {
		err = judgeCommit(cmd.Context(), p, &set, &decisions)
	}
	if err != nil {
		return err
	}
	found := make([][]placed, len(decisions))
	for i := range decisions {
		found[i] = places(cmd.Context(), p, &set.Files[i], decisions[i])
	}
	d := sentinel.Decision{Verdict: sentinel.VerdictAllow}
	if len(decisions) > 0 {
		d = sentinel.Join(decisions...)
		d.Actions = actionsOf(decisions, d.Findings)
	}
	results := changeSARIF(env, set, decisions, found)
	if file != nil {
		if err := command.Fill(file, results.Write); err != nil {
			return fmt.Errorf("--sarif: %w", err)
		}
	}
	switch {
	case f.asJSON:
		err = printJSON(env, d, slices.Concat(found...))
	case f.sarif == "-":
		err = results.Write(env.Stdout)
	default:
		printChange(env, set, decisions, found, f.explain, builtIn)
	}
	return f.status(d, err)
}

// judgeChange returns the decision on each file, in the order of the files.
func judgeChange(ctx context.Context, env *command.Env, p *project.Project, set change.Set) ([]sentinel.Decision, error) {
	decisions := make([]sentinel.Decision, len(set.Files))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(filesAtOnce)
	var done atomic.Int64
	bar := env.Progress("judging files", len(set.Files))
	defer bar.End()
	for i := range set.Files {
		group.Go(func() error {
			d, err := p.Evaluate(ctx, sentinel.Event{
				Phase: sentinel.PhasePre, Agent: committer, Dir: set.Root, Actions: []sentinel.Action{set.Files[i].Action},
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

// wholeCommit is the path of what is about no file of a commit.
const wholeCommit = "."

// judgeCommit adds the decision on the commit itself, if there is something to say of it:
// what must have happened before.
func judgeCommit(ctx context.Context, p *project.Project, set *change.Set, decisions *[]sentinel.Decision) error {
	action := sentinel.Action{Trigger: sentinel.Bash, Target: "git commit", Dir: set.Root, Agent: committer}
	d, err := p.Evaluate(ctx, sentinel.Event{Phase: sentinel.PhasePre, Agent: committer, Dir: set.Root, Actions: []sentinel.Action{action}})
	if len(d.Findings) > 0 {
		set.Files = append(set.Files, change.File{Path: wholeCommit, Action: action})
		*decisions = append(*decisions, d)
	}
	return err
}

// actionsOf are the actions of all files: Join takes its decisions for several on
// the same action, and these are about one each. findings are made those of the actions
// that are returned.
func actionsOf(decisions []sentinel.Decision, findings []sentinel.Finding) []sentinel.Action {
	var all []sentinel.Action
	place := map[*sentinel.Action]int{}
	for i := range decisions {
		for k := range decisions[i].Actions {
			place[&decisions[i].Actions[k]] = len(all)
			all = append(all, decisions[i].Actions[k])
		}
	}
	for i := range findings {
		if at, known := place[findings[i].Action]; known {
			findings[i].Action = &all[at]
		}
	}
	return all
}

// printChange prints what was found in each file of a change.
func printChange(env *command.Env, set change.Set, decisions []sentinel.Decision, found [][]placed, explain, builtIn bool) {
	p := &decision.Printer{Env: env}
	if builtIn {
		p.Line("No rules apply in this folder: judged by the built-in recommended rules (\"sentinel init\" installs them).")
	}
	count := map[sentinel.Verdict]int{}
	for i, d := range decisions {
		count[d.Verdict]++
		for _, at := range found[i] {
			p.Line("%s %s", position(at.File, at.Line), p.Bold(strings.ToUpper(at.Severity)))
			p.Line("  %s [%s]", at.Text, at.Rule)
		}
		if explain || anyUnjudged(d) {
			p.Line("%s %s", position(text.OneLine(set.Files[i].Path), set.Files[i].First), p.Bold(strings.ToUpper(d.Verdict.String())))
		}
		if explain {
			p.Findings(d)
		}
		p.Unjudged(d)
	}
	files := len(decisions)
	if files > 0 && set.Files[files-1].Path == wholeCommit {
		files--
	}
	p.Line("%s", tally(files, count))
}

func anyUnjudged(d sentinel.Decision) bool {
	for i := range d.Findings {
		if d.Findings[i].Outcome == sentinel.OutcomeUnavailable {
			return true
		}
	}
	return false
}

// position is a place in a file, as editors and terminals link it.
func position(file string, line int) string {
	if line == 0 {
		return file
	}
	return fmt.Sprintf("%s:%d", file, line)
}

// tally sums a change up.
func tally(files int, count map[sentinel.Verdict]int) string {
	s := text.Count(files, "file")
	var parts []string
	for _, v := range []struct {
		verdict sentinel.Verdict
		word    string
	}{{sentinel.VerdictBlock, "blocked"}, {sentinel.VerdictAsk, "to ask about"}, {sentinel.VerdictWarn, "with warnings"}} {
		if n := count[v.verdict]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, v.word))
		}
	}
	if len(parts) == 0 {
		return s + " checked, no findings."
	}
	return s + " checked: " + strings.Join(parts, ", ") + "."
}
