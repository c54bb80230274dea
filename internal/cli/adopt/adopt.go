// Package adopt has a person decide about the drafts that are made of the lines of
// instruction files: what "sentinel init --from" and "sentinel learn" share.
package adopt

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agentsentinel/sentinel/internal/cli/command"
	"github.com/agentsentinel/sentinel/internal/coverage"
	"github.com/agentsentinel/sentinel/internal/person"
	"github.com/agentsentinel/sentinel/internal/place"
	"github.com/agentsentinel/sentinel/internal/progress"
	"github.com/agentsentinel/sentinel/internal/setup"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/project"
)

// Flags say what is accepted without a screen.
type Flags struct {
	Accept     []string // ids, all or sure
	Block, Yes bool

	Command string               // how drafts are accepted later, such as "sentinel learn"
	DryRun  bool                 // only say which drafts there would be
	Wrote   func(files []string) // gets the rules that were made; nil gets nothing
	Usual   string               // what Enter means where all are asked about; "" means each
	Rehook  func() error         // has the hooks started for what the new rules are about; nil leaves them
}

// Register adds the flags to a command.
func (f *Flags) Register(cmd *cobra.Command) {
	cmd.Flags().StringSliceVar(&f.Accept, "accept", nil, "turn the draft `ID`, all, or sure ones into rules; repeatable")
	cmd.Flags().BoolVar(&f.Block, "block", false, "accepted rules are in force at once, instead of in shadow mode first")
	cmd.Flags().BoolVar(&f.Yes, "yes", false, "accept all drafts without asking")
}

// Words of --accept: for every draft, and for those whose form was seldom wrong.
const (
	all  = "all"
	sure = "sure"
)

// An adoption is one run.
type adoption struct {
	*Flags
	env  *command.Env
	from *coverage.Proposals

	rules    []string // files of the rules that were made
	enforced int
}

// Run makes drafts of the lines of the files with these names, or of those that agents
// read, and has them accepted: by the flags, by a person at the terminal, or later.
func (f *Flags) Run(ctx context.Context, env *command.Env, names []string) error {
	if f.Yes {
		f.Accept = append(f.Accept, all)
	}
	if err := f.follow(env); err != nil {
		return err
	}
	report := coverage.NewReader(ctx, place.Root(env.Dir), env.Options()).Read(names)
	for i := range report.Problems {
		env.Line("note: %s", report.Problems[i].String())
	}
	if len(report.Files) == 0 {
		return nil
	}
	if f.DryRun {
		would(env, report)
		return nil
	}
	bar := func(n int) *progress.Line { return env.Progress("reading sessions", n) }
	found, err := coverage.Propose(ctx, report, env.Dir, env.Options(), bar)
	if err != nil {
		return err
	}
	a := &adoption{Flags: f, env: env, from: found}
	for _, why := range found.Refused {
		env.Line("note: no draft of %s", why)
	}
	env.Line("%s: %s, %s%s%s", filesOf(report), text.Count(report.Directives, "directive"), text.Count(len(found.Candidates), "draft"),
		text.When(len(found.Held) > 0, ", "+text.Count(len(found.Held), "rule")+" already"), text.When(found.Dismissed > 0, fmt.Sprintf(", %d dismissed before", found.Dismissed)))
	if n := len(found.Idle); n > 0 {
		env.Line("note: %s nothing, in shadow mode or switched off: %s; sentinel rules severity ID --to block puts one in force",
			text.Plural(n, "of these rules stops", "of these rules stop"), text.OneLine(strings.Join(found.Idle, ", ")))
	}
	if err := a.known(); err != nil || len(found.Candidates) == 0 {
		return err
	}
	err = a.decide(ctx)
	return errors.Join(err, a.end())
}

// follow notes in the rules where the lines are now that they come from.
func (f *Flags) follow(env *command.Env) error {
	p := project.Open([]string{env.Dir}, env.Options()).Pins().OnDisk() // the files are changed, whatever is pinned
	if n := p.Nearest(); n != nil && !n.User && !f.DryRun {
		changed, err := coverage.Follow(n)
		if len(changed) > 0 {
			env.Repin(n, changed...)
			env.Line("The line of %s moved; its new place is noted.", text.Count(len(changed), "rule"))
		}
		return err
	}
	return nil
}

// Propose makes drafts of the instruction files of the project, and returns the ids of
// those that wait.
func Propose(ctx context.Context, env *command.Env) ([]string, error) {
	report := coverage.NewReader(ctx, place.Root(env.Dir), env.Options()).Read(nil)
	found, err := coverage.Propose(ctx, report, env.Dir, env.Options(), nil)
	ids := []string{}
	if found != nil {
		for i := range found.Candidates {
			ids = append(ids, found.Candidates[i].ID)
		}
	}
	return ids, err
}

// would says which drafts there would be.
func would(env *command.Env, r *coverage.Report) {
	for _, d := range r.Planned() {
		env.Line("would draft %s (%s): %s", text.OneLine(d.ID), d.Source, text.OneLine(d.Why))
	}
}

// filesOf are the files of a report, for a sentence.
func filesOf(r *coverage.Report) string {
	var names []string
	for i := range r.Files {
		names = append(names, text.OneLine(r.Files[i].Path))
	}
	if len(names) > 3 {
		return text.Count(len(names), "instruction file")
	}
	return strings.Join(names, ", ")
}

// decide accepts what the flags name, or asks the person, or says how to accept.
func (a *adoption) decide(ctx context.Context) error {
	if len(a.Accept) > 0 {
		return a.named(ctx)
	}
	t, err := a.env.Person(a.Command)
	if err != nil {
		if a.env.CanAsk() { // a terminal that an agent may use
			a.env.Line("note: nobody is asked: %s", err)
		}
		for i := range a.from.Candidates {
			a.show(a.env, i)
		}
		a.later()
		return nil
	}
	defer t.Close()
	return a.ask(ctx, t)
}

// known prints the ids of the flags that are rules already. It returns an error for an id that is neither a draft
// nor a rule.
func (a *adoption) known() error {
	for _, id := range a.Accept {
		switch {
		case id == all || id == sure || slices.ContainsFunc(a.from.Candidates, func(c coverage.Candidate) bool { return c.ID == id }):
		case slices.Contains(a.from.Held, id):
			a.env.Line("%s is a rule already", text.OneLine(id))
		default:
			return fmt.Errorf("there is no draft %q of these lines; `%s` without --accept lists them", text.OneLine(id), a.env.Called(a.Command))
		}
	}
	return nil
}

// named accepts the drafts that the flags name.
func (a *adoption) named(ctx context.Context) error {
	every, certain := slices.Contains(a.Accept, all), slices.Contains(a.Accept, sure)
	for i := range a.from.Candidates {
		c := &a.from.Candidates[i]
		named := slices.Contains(a.Accept, c.ID)
		if !named && !every && !certain {
			continue
		}
		err := errors.New(cmp.Or(c.Fault, text.When(!every, c.Doubt)))
		if err.Error() == "" || named {
			err = a.accept(ctx, c, ways[a.Block])
		}
		switch {
		case err != nil && named:
			return err
		case err != nil:
			a.env.Line("left: %s: %s", c.ID, text.OneLine(err.Error()))
		}
	}
	return nil
}

// accept makes a rule of a draft.
func (a *adoption) accept(ctx context.Context, c *coverage.Candidate, how coverage.Acceptance) error {
	opts, err := project.Open([]string{a.env.Dir}, a.env.Options()).Models().Scribe(nil, "")
	if err != nil {
		return err
	}
	path, err := c.Accept(ctx, how, opts)
	if err != nil {
		return err
	}
	a.rules = append(a.rules, path)
	said := "in shadow mode"
	if how != coverage.InShadow {
		a.enforced++
		said = "in force" + text.When(how == coverage.Enforced && c.Warns(), ", warns")
	}
	a.env.Line("accepted: %s, %s (%s)", c.ID, said, text.OneLine(c.Provenance.Document))
	return nil
}

// ways are how all drafts are accepted at once, without --block and with it. A draft that
// warns goes on warning: its line holds in some cases only.
var ways = map[bool]coverage.Acceptance{false: coverage.InShadow, true: coverage.Enforced}

// end pins what was written, and says what came of it.
func (a *adoption) end() error {
	if len(a.rules) == 0 {
		return nil
	}
	p := project.Open([]string{a.env.Dir}, a.env.Options())
	a.env.Repin(p.Nearest(), a.rules...)
	if a.Wrote != nil {
		a.Wrote(a.rules)
	}
	a.env.Line("%s from the agent's next tool call: %d in force, %d in shadow mode", text.Count(len(a.rules), "rule"), a.enforced, len(a.rules)-a.enforced)
	if a.enforced < len(a.rules) {
		a.env.Line("A rule in shadow mode stops nothing: sentinel stats shows what it would have done, sentinel rules severity ID --to block puts it in force.")
	}
	var err error
	if a.Rehook != nil {
		err = a.Rehook()
	}
	setup.NoteNarrows(a.env.Options(), a.env.Dir, a.env.Line)
	return err
}

// later says how the drafts are accepted without a terminal.
func (a *adoption) later() {
	a.env.Line("Drafts do nothing until you accept them:")
	for _, way := range [][2]string{
		{" --accept all --block", "all of them, in force at once"},
		{" --accept sure --block", "those without a doubt, in force at once"},
		{" --accept all", "all of them, in shadow mode first"},
		{" --accept ID", "one of them"},
	} {
		a.env.Line("  %-52s %s", a.env.Called(a.Command)+way[0], way[1])
	}
	a.env.Line("  %-52s %s", a.env.Called("sentinel dismiss ID"), "drop one for good")
}

// Answers of the screen.
const (
	each   = "each"
	block  = "block"
	shadow = "shadow"
	edit   = "edit"
	drop   = "drop"
	later  = "later"
)

// ask has the person decide: about all drafts at once, or one by one.
func (a *adoption) ask(ctx context.Context, t *person.Terminal) error {
	for i := range a.from.Candidates {
		a.show(term{t}, i)
	}
	way, err := t.Choose("\nAccept them: each one by one, all in force (block), all in shadow mode, or later?\n", first(cmp.Or(text.When(a.Block, block), a.Usual), each, block, shadow, later)...)
	if err != nil {
		return err
	}
	switch way {
	case block, shadow:
		a.Accept, a.Block = []string{all}, way == block
		return a.named(ctx)
	case later:
		a.later()
		return nil
	}
	for i := range a.from.Candidates {
		if err := a.one(ctx, t, i); err != nil {
			return err
		}
	}
	return nil
}

// first are the answers of a question, with one of them, or "", as that of Enter.
func first(word string, words ...string) []string {
	if i := slices.Index(words, word); i > 0 {
		words = slices.Insert(slices.Delete(words, i, i+1), 0, word)
	}
	return words
}

// one has the person decide about one draft.
func (a *adoption) one(ctx context.Context, t *person.Terminal, i int) error {
	c := &a.from.Candidates[i]
	for {
		fmt.Fprintln(t.Out)
		a.show(term{t}, i)
		answer, err := t.Choose("", first(text.When(a.Block, block), shadow, block, edit, drop, later)...)
		if err != nil {
			return err
		}
		switch answer {
		case later:
			return nil
		case edit, drop:
			opts, err := project.Open([]string{a.env.Dir}, a.env.Options()).Models().Scribe(nil, "")
			if err != nil {
				return err
			}
			if answer == drop {
				return dismiss(ctx, t, c, opts)
			}
			if err := errors.Join(a.env.Edit(c.Path), c.Again(ctx, opts)); err != nil {
				fmt.Fprintln(t.Out, text.OneLine(err.Error()))
			}
		default:
			err := a.accept(ctx, c, map[string]coverage.Acceptance{shadow: coverage.InShadow, block: coverage.Blocking}[answer])
			if err == nil {
				return nil
			}
			fmt.Fprintln(t.Out, text.OneLine(err.Error()))
		}
	}
}
