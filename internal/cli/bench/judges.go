package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agentsentinel/sentinel/internal/cli/command"
	"github.com/agentsentinel/sentinel/internal/exit"
	"github.com/agentsentinel/sentinel/internal/judgebench"
	"github.com/agentsentinel/sentinel/internal/place"
	"github.com/agentsentinel/sentinel/internal/rulecases"
	"github.com/agentsentinel/sentinel/internal/ruletest"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/packs"
	"github.com/agentsentinel/sentinel/project"
	"github.com/agentsentinel/sentinel/rule"
)

// judgesFlags are the flags of bench judges.
type judgesFlags struct {
	judges, sets, datasets []string
	results, compare, html string
	limit                  int
	verbose, asJSON        bool
}

func newJudges(env *command.Env) *cobra.Command {
	var f judgesFlags
	cmd := &cobra.Command{
		Use:   "judges [FILE…]",
		Short: "Measure the accuracy, calibration, speed and cost of judges",
		Long: `Asks judges about labelled cases and measures precision, recall and F1 with intervals,
calibration, unusable answers, time, tokens and cost, separately for each source of cases.
A judge is asked with the prompt of the rule alone: no "when" runs before it and no
fallback after it. The judge builtin answers by "when". "sentinel test --live" measures rules
as they judge in a session.

FILE has one JSON object per line, with the keys rule (the id of a rule that applies here or
is in a pack, or a sentence), action (a command, or an object as in the tests of a rule),
request (what the person asked for; may be left out) and label ("violation" or "pass"); - is
standard input. Without FILE, --set and --dataset the cases are those in the rules that
apply here.

--judge NAME[=MODEL][@PROFILE] names a judge, its model and its profile; the default is the
configured judge. --results keeps each answer in a file, so that an interrupted run continues
where it stopped. A kept answer is used as long as question, model and profile are the same.

Exit status: 0 measured; 1 an error, an interruption, or a judge without any answer; 3 no case
asks a judge.`,
		Example: `  sentinel bench judges --set recommended --judge builtin --judge ollama=gemma3:4b --results answers.jsonl
  sentinel bench judges --dataset redcode=~/RedCode --judge ollama --limit 200
  sentinel bench judges ours.jsonl --json > new.json
  sentinel bench judges ours.jsonl --compare old.json --html judges.html`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return command.UntilStopped(cmd, func(ctx context.Context) error { return f.run(ctx, env, args) })
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&f.judges, "judge", nil, "judge to measure, as `NAME[=MODEL][@PROFILE]`; repeatable")
	flags.StringSliceVar(&f.sets, "set", nil, "pack or set `NAME` whose cases are used; repeatable, each is measured separately")
	flags.StringArrayVar(&f.datasets, "dataset", nil, "public set in a folder, as `NAME=FOLDER`: "+strings.Join(judgebench.Datasets(), ", ")+"; repeatable")
	flags.IntVar(&f.limit, "limit", 0, "number of cases of each source, sampled equally in every run; 0 takes all")
	flags.StringVar(&f.results, "results", "", "`FILE` that keeps the answers, to continue an interrupted run")
	flags.StringVar(&f.compare, "compare", "", "earlier run to compare with: a `FILE` written by --json or --results")
	flags.StringVar(&f.html, "html", "", "write a page with the measurements to this `FILE`")
	flags.BoolVarP(&f.verbose, "verbose", "v", false, "show each case that was judged wrongly")
	env.JSONFlag(cmd, &f.asJSON, "print one JSON object", judgebench.Report{})
	return cmd
}

func (f *judgesFlags) run(ctx context.Context, env *command.Env, files []string) error {
	if f.limit < 0 {
		return fmt.Errorf("--limit must be 0 or more, not %d", f.limit)
	}
	judges, err := f.open(ctx, env)
	if err != nil {
		return err
	}
	sources, err := f.sources(env, files)
	if err != nil {
		return err
	}
	var before []judgebench.Record
	if f.compare != "" {
		if before, err = judgebench.ReadRun(env.Abs(f.compare)); err != nil {
			return err
		}
	}
	html, err := env.OutFile(f.html)
	if err != nil {
		return err
	}
	if html != nil {
		defer html.Close()
	}
	var kept *judgebench.Results
	if f.results != "" {
		if kept, err = judgebench.OpenResults(env.Abs(f.results)); err != nil {
			return err
		}
		defer kept.Close()
	}
	r, stopped := measureJudges(ctx, env, judges, sources, kept)
	if before != nil {
		r.Comparisons = append(r.Comparisons, judgebench.Compare(before, r.Results, judges[0].Threshold)...)
	}
	if html != nil {
		if err := command.Fill(html, r.Page().Write); err != nil {
			return err
		}
	}
	if err := f.show(env, r); err != nil {
		return err
	}
	if stopped != nil {
		return f.interrupted(ctx, stopped)
	}
	return outcome(r)
}

// interrupted is the error of a run that did not ask all.
func (f *judgesFlags) interrupted(ctx context.Context, why error) error {
	switch {
	case ctx.Err() == nil:
		return why
	case f.results == "":
		return errors.New("stopped: what stands above is what was asked until then; with --results FILE the next run goes on from there")
	}
	return fmt.Errorf("stopped: what stands above is what was asked until then; the same command goes on from %s", text.OneLine(f.results))
}

// outcome is the exit status of a run: a judge that gave no answer was not measured.
func outcome(r *judgebench.Report) error {
	asked := 0
	var errs []error
	for i := range r.Sources {
		for k := range r.Sources[i].Scores {
			s := &r.Sources[i].Scores[k]
			asked += s.Asked
			if s.Asked == 0 || s.Unavailable < s.Asked {
				continue
			}
			for n := range r.Results {
				if o := &r.Results[n]; o.Judge == s.Judge && o.Source == s.Source && o.Why != "" {
					errs = append(errs, fmt.Errorf("%s, %s: no case got an answer: %s", text.OneLine(s.Source), text.OneLine(s.Judge), text.OneLine(o.Why)))
					break
				}
			}
		}
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	if asked == 0 {
		return exit.Status(exit.NotJudged)
	}
	return nil
}

// open finds the judges. Each has a project of its own, since a profile is one of all its
// models.
func (f *judgesFlags) open(ctx context.Context, env *command.Env) (judges []*judgebench.Judge, err error) {
	specs := f.judges
	if len(specs) == 0 {
		specs = []string{""}
	}
	for _, text := range specs {
		spec := judgebench.ParseSpec(text)
		p, folder := judgeProject(env, spec.Profile)
		w, _ := p.Inspect().Surroundings(folder)
		j, err := judgebench.NewJudge(ctx, spec, folder, &w)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(judges, func(other *judgebench.Judge) bool { return other.Spec == j.Spec }) {
			return nil, fmt.Errorf("--judge %s is named twice", j)
		}
		judges = append(judges, j)
	}
	return judges, nil
}

// judgeProject is what applies here, for questions that are not answered from what was kept.
func judgeProject(env *command.Env, profile string) (*project.Project, *project.Folder) {
	o := env.Options()
	o.NoCache, o.Unpinned, o.NoLog, o.Profile = true, true, true, profile
	p := project.Open([]string{env.Dir}, o)
	if p.Nearest() == nil && len(p.Folders) == 0 {
		p = project.Recommended(place.Root(env.Dir), o)
	}
	folder := p.Nearest()
	if folder == nil {
		folder = p.Folders[0]
	}
	return p, folder
}

// sources reads the cases.
func (f *judgesFlags) sources(env *command.Env, files []string) (all []judgebench.Source, err error) {
	rules := &ruleBook{env: env}
	if len(files)+len(f.sets)+len(f.datasets) == 0 {
		suites, err := rules.here()
		all = append(all, judgebench.OfSuites("rules here", suites))
		if err != nil {
			return nil, err
		}
	}
	for _, set := range f.sets {
		suites, err := ofSet(set)
		if err != nil {
			return nil, err
		}
		all = append(all, judgebench.OfSuites("set "+set, suites))
	}
	for _, file := range files {
		err := read(env, file, func(in io.Reader) error {
			s, err := judgebench.Read(file, in, rules.find)
			all = append(all, s)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	for _, d := range f.datasets {
		name, dir, ok := strings.Cut(d, "=")
		if !ok {
			return nil, fmt.Errorf("--dataset %s: write NAME=FOLDER, with the name %s", text.OneLine(d), strings.Join(judgebench.Datasets(), ", "))
		}
		found, problems, err := judgebench.ReadDataset(name, env.Abs(dir))
		sayLeftOut(env, problems)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	for i := range all {
		all[i].Limit(f.limit)
	}
	return all, nil
}

// mostSaid is how many rows that were left out are named one by one.
const mostSaid = 20

func sayLeftOut(env *command.Env, problems []error) {
	for _, p := range problems[:min(len(problems), mostSaid)] {
		fmt.Fprintln(env.Stderr, "left out: "+text.OneLine(p.Error()))
	}
	if more := len(problems) - mostSaid; more > 0 {
		fmt.Fprintf(env.Stderr, "left out: %d more\n", more)
	}
}

// ofSet are the rules of a pack or set.
func ofSet(set string) (suites []ruletest.Suite, err error) {
	files, err := packs.Files(set)
	for _, file := range files {
		suites = append(suites, ruletest.NewSuite(file.Name, file.Data))
	}
	return suites, err
}

// A ruleBook finds rules by their ids: those that apply here, then those of the packs.
type ruleBook struct {
	env   *command.Env
	files map[string]rule.File
}

// here are the rules that apply here, with their cases.
func (b *ruleBook) here() (suites []ruletest.Suite, err error) {
	p, _ := judgeProject(b.env, "")
	groups, problems, err := rulecases.Groups(p, nil)
	for _, pr := range problems {
		pr.File = b.env.Short(pr.File)
		fmt.Fprintln(b.env.Stderr, place.Problem(pr))
	}
	for i := range groups {
		suites = append(suites, groups[i].Suites...)
	}
	return suites, err
}

func (b *ruleBook) find(id string) (rule.File, bool) {
	if b.files == nil {
		b.files = map[string]rule.File{}
		delivered, _ := ofSet(packs.All) // which exists
		here, _ := b.here()              // by no ids none is missing
		for _, s := range append(delivered, here...) {
			b.files[s.File.Definition.ID] = s.File
		}
	}
	f, ok := b.files[id]
	return f, ok
}

// measureJudges asks each judge about each source. The measurements until then come with
// an error.
func measureJudges(ctx context.Context, env *command.Env, judges []*judgebench.Judge, sources []judgebench.Source, kept *judgebench.Results) (*judgebench.Report, error) {
	r := &judgebench.Report{Made: env.Now(), Note: judgebench.Note, Comparisons: []judgebench.Comparison{}, Results: []judgebench.Record{}}
	for i := range sources {
		r.Sources = append(r.Sources, judgebench.NewGroup(&sources[i]))
	}
	pricing := env.Pricing()
	for _, j := range judges {
		for i := range sources {
			bar := env.Progress(text.OneLine(j.String()+", "+sources[i].Name), len(sources[i].Cases))
			records, err := j.Run(ctx, &sources[i], kept, bar.Step())
			bar.End()
			r.Results = append(r.Results, records...)
			r.Sources[i].Scores = append(r.Sources[i].Scores, judgebench.ScoreOf(sources[i].Name, j, records, pricing))
			if err != nil {
				r.Stopped = true
				return r, err
			}
		}
	}
	return r, nil
}
