// Package test is the command "sentinel test".
package test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/cli/command"
	"github.com/agentsentinel/sentinel/internal/exit"
	"github.com/agentsentinel/sentinel/internal/place"
	"github.com/agentsentinel/sentinel/internal/progress"
	"github.com/agentsentinel/sentinel/internal/rulecases"
	"github.com/agentsentinel/sentinel/internal/ruletest"
	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/internal/settings"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/project"
	"github.com/agentsentinel/sentinel/rule"
)

// testFlags are the flags of test.
type testFlags struct {
	live, record, asJSON bool
	repeat               int
	models               []string
	junit, html          string

	minPrecision, minRecall float64
}

// New makes the command test.
func New(env *command.Env) *cobra.Command {
	var f testFlags
	cmd := &cobra.Command{
		Use:   "test [RULE…]",
		Short: "Run the test cases of the rules",
		Long: `Runs the cases under "tests" in rule files, or in NAME.tests.yaml next to a rule. RULE is
the id of a rule that applies here, or the path of a rule file, a draft, or a folder of
them; the default is all rules that apply here.

No model is asked: if a rule needs one, its cases are judged by the answers recorded with
them. --record asks the models and writes their answers into the files. --live asks them
too, and measures their accuracy.

Exit status: 0 every case is as expected; 1 one is not, or an error; 3 no case is wrong,
but there are no rules, or a rule has no case with a recorded answer. With --live also 1
if a model is below --min-precision or --min-recall.`,
		Example: `  sentinel test
  sentinel test .claude/sentinel/drafts
  sentinel test no-secrets --live --repeat 3 --model gemma3:4b --model gemma3:12b
  sentinel test .claude/sentinel/drafts/billing.draft.yaml --record`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return command.UntilStopped(cmd, func(ctx context.Context) error { return f.run(ctx, env, args) })
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.live, "live", false, "ask the real models, and measure")
	flags.IntVar(&f.repeat, "repeat", 1, "with --live: how often each case is asked")
	flags.StringSliceVar(&f.models, "model", nil, "with --live: `MODELS` to compare, instead of each rule's own")
	flags.Float64Var(&f.minPrecision, "min-precision", 0, "with --live: fail below this precision, a `SHARE` of 0 to 1")
	flags.Float64Var(&f.minRecall, "min-recall", 0, "with --live: fail below this recall, a `SHARE` of 0 to 1")
	flags.BoolVar(&f.record, "record", false, "ask the models, and record their answers in the rule files")
	env.JSONFlag(cmd, &f.asJSON, "print one JSON object", testJSON{})
	flags.StringVar(&f.junit, "junit", "", "write JUnit XML to this `FILE`; - for standard output, instead of the report")
	flags.StringVar(&f.html, "html", "", "with --live: write a page with the measurements to this `FILE`")
	cmd.MarkFlagsMutuallyExclusive("live", "record")
	return cmd
}

func (f *testFlags) run(ctx context.Context, env *command.Env, args []string) error {
	switch {
	case !f.live && (len(f.models) > 0 || f.repeat != 1 || f.html != "" || f.minPrecision != 0 || f.minRecall != 0):
		return errors.New("--repeat, --model, --html, --min-precision and --min-recall go with --live: nothing else asks a model")
	case !share(f.minPrecision) || !share(f.minRecall):
		return errors.New("--min-precision and --min-recall want a share from 0 to 1")
	case f.repeat < 1:
		return fmt.Errorf("--repeat must be at least 1, not %d", f.repeat)
	case f.junit == "-" && f.asJSON:
		return errors.New("--junit - and --json both print to standard output: give one of them a file")
	}
	groups, problems, err := testGroups(env, args, f.live || f.record)
	if err != nil {
		return err
	}
	if len(groups) == 0 && len(problems) == 0 {
		fmt.Fprintln(env.Stderr, env.Called(command.NothingAppliesIn(project.Open([]string{env.Dir}, env.Options()))))
	}
	out, err := f.open(env)
	if err != nil {
		return err
	}
	defer out.close()
	if f.record {
		failed := f.recordAnswers(ctx, env, groups)
		if groups, problems, err = testGroups(env, args, false); err != nil || failed != nil { // with what was recorded
			return errors.Join(failed, err)
		}
	}
	report, elsewhere, err := offline(ctx, env, groups)
	if err != nil {
		return err
	}
	report.Problems = append(problems, report.Problems...)
	var trials []ruletest.Trial
	var stopped error // what was measured until then is shown all the same
	if f.live {
		trials, stopped = f.measure(ctx, env, groups)
	} else if elsewhere > 0 {
		fmt.Fprintf(env.Stderr, "Note: no model judges here (backend: builtin), `when` alone does. %s judged by recorded answers, as with a model.\n",
			text.Count(elsewhere, "case"))
	}
	if err := errors.Join(f.show(env, out, &report, trials), stopped); err != nil {
		return err
	}
	switch {
	case !report.OK() || f.falls(env, trials):
		return exit.Status(exit.Error)
	case len(groups) == 0 || !f.live && len(unjudgedRules(&report)) > 0:
		return exit.Status(exit.NotJudged)
	}
	return nil
}

func share(v float64) bool { return v >= 0 && v <= 1 }

// falls reports whether a model was less right than is asked for, and says which. A
// share that is not known, as nothing was asked, is too low.
func (f *testFlags) falls(env *command.Env, trials []ruletest.Trial) (low bool) {
	for i := range trials {
		t := &trials[i]
		for _, m := range []struct {
			name      string
			got, want float64
		}{{"precision", t.Metrics.Precision, f.minPrecision}, {"recall", t.Metrics.Recall, f.minRecall}} {
			if m.want > 0 && !(m.got >= m.want) {
				fmt.Fprintf(env.Stderr, "%s with %s: the %s is %s, below %s\n", t.Rule, text.OneLine(t.Model), m.name, ruletest.Percent(m.got), ruletest.Percent(m.want))
				low = true
			}
		}
	}
	return low
}

// offline runs all cases without a model. elsewhere is how many of them a recorded
// answer has judged where no model judges.
func offline(ctx context.Context, env *command.Env, groups []rulecases.Group) (report ruletest.Report, elsewhere int, err error) {
	for i := range groups {
		r, err := ruletest.Run(ctx, groups[i].Suites, &groups[i].Options)
		if err != nil {
			return report, 0, err
		}
		for k := range r.Results {
			if res := &r.Results[k]; res.State == ruletest.Unanswered {
				res.Why = env.Called(res.Why)
			}
		}
		report.Results = append(report.Results, r.Results...)
		report.Problems = append(report.Problems, r.Problems...)
		report.Untested = append(report.Untested, r.Untested...)
		elsewhere += judgedElsewhere(&groups[i], &r)
	}
	return report, elsewhere, nil
}

// judgedElsewhere counts the cases that a recorded answer has judged although no
// model judges in these surroundings.
func judgedElsewhere(g *rulecases.Group, r *ruletest.Report) int {
	if g.Options.Engine.Default != sentinel.Builtin {
		return 0
	}
	own := map[string]bool{} // files of rules that name a backend
	for _, s := range g.Suites {
		own[s.File.Path] = s.File.Definition.Backend != ""
	}
	n := 0
	for i := range r.Results {
		if res := &r.Results[i]; res.Model && !own[res.File] {
			n++
		}
	}
	return n
}

// testFiles are the files that a run writes.
type testFiles struct{ junit, html *os.File }

func (f *testFlags) open(env *command.Env) (files testFiles, err error) {
	if files.junit, err = env.OutFile(f.junit); err == nil {
		files.html, err = env.OutFile(f.html)
	}
	return files, err
}

func (t testFiles) close() {
	for _, file := range []*os.File{t.junit, t.html} {
		if file != nil {
			file.Close()
		}
	}
}

// recordAnswers asks the models and writes what they say into the files. A
// recording that cannot be written is an error; the rest is written.
func (f *testFlags) recordAnswers(ctx context.Context, env *command.Env, groups []rulecases.Group) error {
	bar, tick := caseProgress(env, "recording", groups, 1)
	var recordings []ruletest.Recording
	var errs []error
	for i := range groups {
		groups[i].Options.Progress = tick
		got, err := ruletest.Record(ctx, groups[i].Suites, &groups[i].Options)
		recordings, errs = append(recordings, got...), append(errs, err)
	}
	bar.End()
	if len(recordings) == 0 && errors.Join(errs...) == nil {
		fmt.Fprintln(env.Stderr, "No case asks a model: there is nothing to record.")
	}
	var files []string
	for _, r := range recordings {
		if !slices.Contains(files, r.Case.File) {
			files = append(files, r.Case.File)
		}
	}
	for _, path := range files {
		errs = append(errs, writeAnswers(env, path, recordings))
	}
	return errors.Join(errs...)
}

// writeAnswers writes the recordings of a file.
func writeAnswers(e *command.Env, path string, recordings []ruletest.Recording) error {
	before, mode, err := settings.Read(path)
	if err != nil {
		return err
	}
	after, n, failed := ruletest.Write(path, before, recordings)
	if n > 0 {
		if err := safefile.Replace(path, after, mode); err != nil {
			return err
		}
		fmt.Fprintf(e.Stderr, "%s: %s recorded\n", text.OneLine(e.Short(path)), text.Count(n, "answer"))
	}
	return failed
}

// measure asks the models and measures.
func (f *testFlags) measure(ctx context.Context, env *command.Env, groups []rulecases.Group) (trials []ruletest.Trial, err error) {
	bar, tick := caseProgress(env, "asking", groups, max(len(f.models), 1))
	for i := range groups {
		groups[i].Options.Progress = tick
		got, stopped := ruletest.Live(ctx, groups[i].Suites, &groups[i].Options,
			&ruletest.LiveOptions{Models: f.models, Repeat: f.repeat, Pricing: env.Pricing()})
		trials = append(trials, got...)
		if err = stopped; err != nil {
			break
		}
	}
	bar.End()
	if len(trials) == 0 && err == nil {
		fmt.Fprintln(env.Stderr, "No case asks a model: there is nothing to measure.")
	}
	if err == nil {
		err = silence(trials)
	}
	return trials, err
}

// silence is why a model gave no answer at all: then nothing was measured.
func silence(trials []ruletest.Trial) error {
	var errs []error
	for i := range trials {
		t := &trials[i]
		if t.Metrics.Asked == 0 || t.Metrics.Failed < t.Metrics.Asked {
			continue
		}
		errs = append(errs, fmt.Errorf("%s%s: no case got an answer: %s", t.Rule, text.After(" by ", text.OneLine(t.Model)), text.OneLine(t.Answers[0].Err.Error())))
	}
	return errors.Join(errs...)
}

// caseProgress shows how many cases are done.
func caseProgress(e *command.Env, title string, groups []rulecases.Group, times int) (*progress.Line, func()) {
	total := 0
	for i := range groups {
		total += groups[i].Cases() * times
	}
	bar := e.Progress(title, total)
	return bar, bar.Step()
}

func (f *testFlags) show(env *command.Env, out testFiles, report *ruletest.Report, trials []ruletest.Trial) error {
	if out.junit != nil {
		if err := command.Fill(out.junit, report.WriteJUnit); err != nil {
			return err
		}
	}
	if out.html != nil {
		page := ruletest.TrialsPage("Sentinel: rules on trial", env.Now(), trials)
		if err := command.Fill(out.html, page.Write); err != nil {
			return err
		}
	}
	return f.print(env, report, trials)
}

func (f *testFlags) print(env *command.Env, report *ruletest.Report, trials []ruletest.Trial) error {
	switch {
	case f.junit == "-":
		return report.WriteJUnit(env.Stdout)
	case f.asJSON:
		return env.JSON(testObject(*report, trials))
	}
	printReport(env, report)
	return printTrials(env, trials)
}

// testGroups are the rules that args name, with their cases; all that apply here
// without args. Where models are asked, what they said before is not used: it
// would measure the cache.
func testGroups(e *command.Env, args []string, asks bool) ([]rulecases.Group, []rule.Problem, error) {
	opts := e.Options()
	opts.NoCache, opts.Unpinned = asks, true
	p := project.Open([]string{e.Dir}, opts)
	var groups []rulecases.Group
	var problems []rule.Problem
	ids, paths := rulecases.Split(args)
	if len(ids) > 0 || len(args) == 0 {
		var err error
		if groups, problems, err = rulecases.Groups(p, ids); err != nil {
			return nil, nil, err
		}
	}
	if len(paths) == 0 {
		return groups, problems, nil
	}
	w, ok := p.Inspect().Surroundings(nil)
	if !ok {
		w, _ = project.Recommended(place.Root(e.Dir), opts).Inspect().Surroundings(nil)
	}
	named := rulecases.Group{Options: rulecases.OptionsOf(&w)}
	for _, path := range paths {
		if !filepath.IsAbs(path) {
			path = filepath.Join(e.Dir, path)
		}
		docs, err := rulecases.At(path)
		if err != nil {
			return nil, nil, err
		}
		suites, found := rulecases.Of(docs)
		for _, s := range suites {
			if !rulecases.Listed(groups, s.File.Path) && !rulecases.Listed([]rulecases.Group{named}, s.File.Path) {
				named.Suites = append(named.Suites, s)
			}
		}
		problems = append(problems, found...)
	}
	return append(groups, named), problems, nil
}
