package coverage

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/authoring"
	"github.com/agentsentinel/sentinel/internal/history"
	"github.com/agentsentinel/sentinel/internal/instructions"
	"github.com/agentsentinel/sentinel/internal/progress"
	"github.com/agentsentinel/sentinel/internal/replay"
	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/internal/strictyaml"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/project"
	"github.com/agentsentinel/sentinel/rule"
	"github.com/agentsentinel/sentinel/scribe"
)

// A Candidate is a draft that waits for a decision, with what is known of it.
type Candidate struct {
	scribe.Draft
	Why     string // what the rule does, in one sentence
	Doubt   string // how often drafts of the same form were wrong, as [instructions.Draft.Doubt]
	Fault   string // why it cannot be accepted as it is; "" for one that can
	Cases   []scribe.CaseResult
	Reach   string        // how much of the project its scope is about; "" if unknown
	Against []string      // files that break it as they are
	Past    []replay.Call // past calls that it would have stopped
}

// Proposals are what [Propose] came to.
type Proposals struct {
	Candidates []Candidate
	Held       []string // rules that say so already
	Idle       []string // of Held: those that stop nothing, because they are in shadow mode or switched off
	Dismissed  int      // that the user did not want
	Refused    []string // why the text that a form made is not a draft
	Calls      int      // past calls that the candidates were tried on
}

// Propose writes a draft for each statement of a report that can be held, and tries them
// on the files of the project and, unless bar is nil, on past sessions. Drafts that wait already
// are among them.
func Propose(ctx context.Context, report *Report, dir string, o *project.Options, bar func(total int) *progress.Line) (*Proposals, error) {
	opts, err := project.Open([]string{dir}, o).Models().Scribe(nil, "")
	if err != nil {
		return nil, err
	}
	out := &Proposals{}
	seen := report.strongest() // each rule once: lists of commands say the same several times
	for _, s := range report.statements() {
		for _, made := range s.made {
			i := slices.Index(seen, made.YAML)
			if i < 0 {
				continue
			}
			seen = slices.Delete(seen, i, i+1)
			asked := s.proposal(&made)
			d, err := scribe.Propose(ctx, &asked, opts)
			var by *scribe.HeldError
			switch {
			case errors.As(err, &by) && slices.Contains(out.Held, by.Rule):
			case by != nil:
				out.Held = append(out.Held, by.Rule)
			case errors.Is(err, scribe.ErrDismissed):
				out.Dismissed++
			case err != nil:
				out.Refused = append(out.Refused, text.OneLine(asked.Source+": "+err.Error()))
			case !slices.ContainsFunc(out.Candidates, func(c Candidate) bool { return c.ID == d.ID }):
				out.Candidates = append(out.Candidates, Candidate{Draft: d, Why: text.OneLine(made.Why), Doubt: made.Doubt()})
			}
		}
	}
	for _, one := range opts.Rules {
		if id := one.Spec().ID; slices.Contains(out.Held, id) && (one.Off() || one.Spec().Shadow) {
			out.Idle = append(out.Idle, id)
		}
	}
	for i := range out.Candidates {
		out.Candidates[i].try(ctx, opts)
	}
	out.tryOn(ctx, dir, o, bar)
	return out, ctx.Err()
}

// A Planned draft is one that `init --from` would write.
type Planned struct {
	Draft
	Source string
}

// Planned are the drafts that [Propose] would write for a report.
func (r *Report) Planned() (list []Planned) {
	seen := r.strongest()
	for _, s := range r.statements() {
		for i := range s.made {
			at := slices.Index(seen, s.made[i].YAML)
			if at < 0 {
				continue
			}
			if seen = slices.Delete(seen, at, at+1); s.Drafts[i].Left == "" {
				list = append(list, Planned{s.Drafts[i], text.OneLine(s.statement.Source())})
			}
		}
	}
	return list
}

// strongest are the drafts of a report, by their YAML: of those that say the same the one that does most, and
// the first of several such.
func (r *Report) strongest() (list []string) {
	for _, s := range r.statements() {
		for _, made := range s.made {
			switch i := slices.IndexFunc(list, func(y string) bool { return instructions.SameRule(y, made.YAML) }); {
			case i < 0:
				list = append(list, made.YAML)
			case instructions.Strength(made.YAML) > instructions.Strength(list[i]):
				list[i] = made.YAML
			}
		}
	}
	return list
}

// statements are those of all files.
func (r *Report) statements() (all []*Statement) {
	for i := range r.Files {
		for k := range r.Files[i].Statements {
			all = append(all, &r.Files[i].Statements[k])
		}
	}
	return all
}

// try says how the draft does on its cases.
func (c *Candidate) try(ctx context.Context, opts *scribe.Options) {
	c.Cases, c.Fault = c.Try(ctx, opts), ""
	for _, p := range c.File.Problems {
		if !p.Warning {
			c.Fault = text.OneLine(p.Message)
			return
		}
	}
	for _, k := range c.Cases {
		if k.Result == scribe.CaseWrong {
			c.Fault = text.OneLine("one of its cases fails: " + k.Why)
		}
	}
}

// Again reads the draft after it was edited, and tries its cases.
func (c *Candidate) Again(ctx context.Context, opts *scribe.Options) error {
	all, err := scribe.Drafts(opts)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(all, func(d scribe.Draft) bool { return d.ID == c.ID })
	if i < 0 {
		return fmt.Errorf("the draft %s is gone", c.ID)
	}
	c.Draft, c.Reach, c.Against, c.Past = all[i], "", nil, nil
	c.try(ctx, opts)
	return nil
}

// tryOn tries the drafts on the files of the project and on its past sessions.
func (p *Proposals) tryOn(ctx context.Context, dir string, o *project.Options, bar func(total int) *progress.Line) {
	var files []rule.File
	byID := map[string]*Candidate{}
	for i := range p.Candidates {
		if c := &p.Candidates[i]; c.Fault == "" {
			files, byID[c.ID] = append(files, c.File), c
		}
	}
	w, ok := project.Open([]string{dir}, o).Inspect().Surroundings(nil)
	if len(files) == 0 || !ok {
		return
	}
	reach, err := history.Gather(ctx, dir, o)
	built, _ := rule.Build(files, &w.Build)
	all := history.ProjectFiles(w.Root)
	for _, r := range built {
		c := byID[r.Definition().ID]
		if c == nil || r.Spec().Err != nil {
			continue
		}
		if err == nil {
			c.Reach, _ = reach.On(all).Of(r)
		}
		if strings.Contains(r.Definition().When, "content") {
			c.Against = history.Against(ctx, r, all, w.Root)
		}
	}
	if bar == nil {
		return
	}
	past, ok := history.Recent(ctx, dir, o, files, bar)
	if !ok {
		return
	}
	p.Calls = past.Calls
	for _, call := range past.Found {
		for _, f := range call.Findings {
			if c := byID[f.Rule]; c != nil && f.Draft && f.Outcome == sentinel.OutcomeViolation.String() && !c.stopped(&call) {
				c.Past = append(c.Past, call)
			}
		}
	}
}

// stopped reports whether the last call that is noted is this one: a call can do several
// things that a rule is about.
func (c *Candidate) stopped(call *replay.Call) bool {
	n := len(c.Past)
	return n > 0 && c.Past[n-1].Transcript == call.Transcript && c.Past[n-1].Offset == call.Offset
}

// An Acceptance is how a draft becomes a rule.
type Acceptance int

// The ways to accept a draft.
const (
	InShadow Acceptance = iota // it stops nothing yet
	Enforced                   // in force with its severity
	Blocking                   // in force, and a draft that warns blocks
)

// Warns reports whether the rule only warns: its line holds in some cases.
func (c *Candidate) Warns() bool {
	return c.File.Definition.Severity == sentinel.SeverityWarn.String()
}

// Accept makes the draft a rule, and returns the rule's file.
func (c *Candidate) Accept(ctx context.Context, how Acceptance, opts *scribe.Options) (path string, err error) {
	mode := "enforce"
	if how == InShadow {
		mode = "shadow"
	}
	text, err := authoring.WithMode(c.Text, c.Path, mode)
	if err == nil && how == Blocking && c.Warns() {
		text, err = authoring.Set(text, c.Path, "severity", sentinel.SeverityBlock.String())
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w", c.ID, err)
	}
	before, err := safefile.ReadNoFollow(c.Path, strictyaml.MaxSize)
	if err != nil || string(before) != string(c.Text) {
		return "", fmt.Errorf("the draft %s was changed or taken away meanwhile; look at it again", c.ID)
	}
	if err := safefile.Swap(c.Path, text, 0o644); err != nil {
		return "", err
	}
	done, err := scribe.Promote(ctx, c.ID, opts)
	if err != nil {
		return "", errors.Join(err, safefile.Swap(c.Path, before, 0o644))
	}
	return done.Path, nil
}
