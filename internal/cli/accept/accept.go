// Package accept is the command "sentinel accept".
package accept

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agentsentinel/sentinel/internal/cli/command"
	"github.com/agentsentinel/sentinel/internal/history"
	"github.com/agentsentinel/sentinel/internal/pin"
	"github.com/agentsentinel/sentinel/internal/progress"
	"github.com/agentsentinel/sentinel/internal/replay"
	"github.com/agentsentinel/sentinel/internal/setup"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/project"
)

// New makes the command accept.
func New(env *command.Env) *cobra.Command {
	var yes, asJSON bool
	cmd := &cobra.Command{
		Use: "accept", Short: "Accept rules that stop less than the pinned ones, as a person",
		Long: `Sentinel pins the rules and the configuration that you last knew to be in force. If a
checkout, a merge, damage or an edit makes the repository's rules stop less, the pinned
ones stay in force. accept shows the difference and what it means for the last calls, and
puts the repository's rules in force when you agree. An accepted state is then accepted on
every branch that has it.

accept also shows which settings of the hook were changed during a session, and ends the
stricter mode that followed.

It works only in a terminal with a person at it. With --json it shows the difference and
changes nothing.

Exit status: 0 accepted, or there is nothing to accept; 1 not accepted, with the reason.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return run(cmd.Context(), env, yes, asJSON) },
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "accept without asking; a terminal with a person is still needed")
	env.JSONFlag(cmd, &asJSON, "print the difference as one JSON object, and change nothing", report{})
	cmd.MarkFlagsMutuallyExclusive("yes", "json")
	return cmd
}

// report is what `accept --json` prints.
type report struct {
	Folder      string           `json:"folder"`
	Pinned      bool             `json:"pinned"` // pinned rules are in force
	Differences []pin.Difference `json:"differences"`
	Changed     []string         `json:"changed,omitempty"` // of what guards the project, in a session; nobody has looked at it
	Past        *past            `json:"past"`              // null without past sessions
}

// past says what the difference means for past calls, without a model.
type past struct {
	Calls    int             `json:"calls"`
	Sessions int             `json:"sessions"`
	Pinned   replay.Verdicts `json:"pinned"` // by the rules in force
	Folder   replay.Verdicts `json:"folder"` // by those of the folder
}

func run(ctx context.Context, env *command.Env, yes, asJSON bool) error {
	p := project.Open([]string{env.Dir}, env.Options())
	f := p.Nearest()
	alarm := setup.AlarmIn(env.Options(), env.Dir)
	if f == nil || f.User && alarm == nil {
		return fmt.Errorf("no .claude/sentinel applies in %s; run `sentinel init` first", env.Place())
	}
	r := report{Folder: f.Dir, Pinned: f.Held(), Differences: slices.Clone(f.Differences())}
	if alarm != nil {
		r.Changed = alarm.What
	}
	unusable := slices.ContainsFunc(r.Differences, func(d pin.Difference) bool { return d.Kind == pin.KindPin })
	switch {
	case r.Differences == nil:
		r.Differences = []pin.Difference{}
	case r.Pinned:
		r.Past = replayed(ctx, env, p)
	}
	if asJSON {
		return env.JSON(r)
	}
	if !r.Pinned && !unusable && alarm == nil {
		env.Line("nothing to accept: the rules of %s are in force as they are", text.OneLine(f.Root))
		return nil
	}
	t, err := env.Person("sentinel accept")
	if err != nil {
		r.print(env)
		return err
	}
	defer t.Close()
	r.print(env)
	if !yes {
		agreed, err := t.Confirm("Take over what the folder has?")
		if err != nil {
			return err
		}
		if !agreed {
			return errors.New("nothing was accepted; the rules stay in force as before")
		}
	}
	if r.Pinned || unusable {
		if err := p.Pins().Accept(f); err != nil {
			return err
		}
	}
	if err := setup.Seen(env.Options(), env.Dir); err != nil {
		return err
	}
	env.Line("accepted: the rules of %s are in force as they are, from the next call on", text.OneLine(f.Root))
	return nil
}

// maxShown keeps the differences on one screen.
const maxShown = 24

// order is that of the differences on the screen: the worst first.
var order = []string{pin.KindPin, pin.KindGone, pin.KindBroken, pin.KindWeaker, pin.KindChanged, pin.KindStronger, pin.KindNew}

// print shows the difference. All of it comes from a repository: no text can leave
// its line.
func (r *report) print(env *command.Env) {
	if len(r.Changed) > 0 {
		env.Line("In a session what guards this project was changed: %s. `sentinel doctor` shows which hooks there are now.", text.OneLine(strings.Join(r.Changed, "; ")))
	}
	if r.Pinned {
		env.Line("The rules in %s stop less than those that you know. These stay in force until you accept the others:", text.OneLine(r.Folder))
	}
	slices.SortStableFunc(r.Differences, func(a, b pin.Difference) int {
		return cmp.Compare(slices.Index(order, a.Kind), slices.Index(order, b.Kind))
	})
	w := env.Table()
	for i, d := range r.Differences {
		if i == maxShown {
			fmt.Fprintf(w, "  and %d more\n", len(r.Differences)-i)
			break
		}
		about := cmp.Or(d.Rule, d.File)
		if d.Kind == pin.KindBroken {
			about = cmp.Or(d.File, d.Rule)
		}
		fmt.Fprintf(w, "  %s\t%s\t%s\n", d.Kind, text.Cut(text.OneLine(about), 60), text.Cut(text.OneLine(d.What), 160))
	}
	w.Flush()
	if slices.ContainsFunc(r.Differences, func(d pin.Difference) bool { return d.Held && d.Kind == pin.KindBroken }) {
		env.Line("What is broken cannot be judged once it is taken over. Mend it first: `sentinel rules lint` says where.")
	}
	if r.Past == nil {
		return
	}
	stopped := func(v replay.Verdicts) int { return v.Block + v.Ask }
	env.Line("Of the last %s in %s, the pinned rules stop or ask about %d, those of the folder about %d. No model was asked.",
		text.Count(r.Past.Calls, "call"), text.Count(r.Past.Sessions, "session"), stopped(r.Past.Pinned), stopped(r.Past.Folder))
}

// replayed judges the latest sessions by both states; nil where that is not possible
// in time.
func replayed(ctx context.Context, env *command.Env, p *project.Project) *past {
	judged := func(o *project.Options) (replay.Report, bool) {
		return history.Recent(ctx, env.Dir, o, nil, func(n int) *progress.Line { return env.Progress("reading sessions", n) })
	}
	pinned, ok := judged(env.Options())
	if !ok || pinned.Calls == 0 {
		return nil
	}
	out := &past{Calls: pinned.Calls, Sessions: pinned.Transcripts, Pinned: pinned.Before}
	if len(p.Pins().OnDisk().Folders) == 0 {
		out.Folder = replay.Verdicts{Allow: pinned.Calls}
		return out
	}
	o := env.Options()
	o.Unpinned = true
	folder, ok := judged(o)
	if !ok {
		return nil
	}
	out.Folder = folder.Before
	return out
}
