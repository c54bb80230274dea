package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/install"
	"github.com/agentsentinel/sentinel/project"
	"github.com/agentsentinel/sentinel/ruletest"
)

// testFlags are the flags of test.
type testFlags struct {
	live, record, asJSON bool
	repeat               int
	models               []string
	junit, html          string
}

func newTest(env *Env) *cobra.Command {
	var f testFlags
	cmd := &cobra.Command{
		Use:   "test [RULE…]",
		Short: "Run the cases that stand in the rules",
		Long: `Runs the cases that stand in rule files under tests, or beside a rule in
NAME.tests.yaml. RULE is the id of a rule or the path of a rule file or a draft;
without one all rules that apply here are tested.

No model is asked: a case of a rule that asks one is judged by the answer that is
recorded with it. --record asks the models, and writes their answers into the
files. --live asks them too, and measures how right they are.

Exit status: 0 every case is as expected; 1 one is not, or an error.`,
		Example: `  sentinel test
  sentinel test no-secrets --live --repeat 3 --model gemma3:4b --model gemma3:12b
  sentinel test .claude/sentinel/drafts/billing.draft.yaml --record`,
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd.Context(), env, args) },
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.live, "live", false, "ask the real models, and measure")
	flags.IntVar(&f.repeat, "repeat", 1, "with --live: times that each case is asked")
	flags.StringSliceVar(&f.models, "model", nil, "with --live: models to compare, in the place of each rule's own")
	flags.BoolVar(&f.record, "record", false, "ask the models, and record their answers in the rule files")
	flags.BoolVar(&f.asJSON, "json", false, "print one JSON object")
	flags.StringVar(&f.junit, "junit", "", "write JUnit XML to this file")
	flags.StringVar(&f.html, "html", "", "with --live: write a page with the measurements to this file")
	cmd.MarkFlagsMutuallyExclusive("live", "record")
	return cmd
}

func (f *testFlags) run(ctx context.Context, env *Env, args []string) error {
	switch {
	case !f.live && (len(f.models) > 0 || f.repeat != 1 || f.html != ""):
		return errors.New("--repeat, --model and --html go with --live: nothing else asks a model")
	case f.repeat < 1:
		return fmt.Errorf("--repeat must be at least 1, not %d", f.repeat)
	}
	w, suites, problems, err := env.suites(args)
	if err != nil {
		return err
	}
	opts := &ruletest.Options{Engine: w.Engine, Root: w.Root, Build: w.Build}
	if f.record {
		if err := f.recordAnswers(ctx, env, suites, opts); err != nil {
			return err
		}
		if w, suites, problems, err = env.suites(args); err != nil { // with what was recorded
			return err
		}
	}
	report, err := ruletest.Run(ctx, suites, opts)
	if err != nil {
		return err
	}
	report.Problems = append(problems, report.Problems...)
	var trials []ruletest.Trial
	if f.live {
		if trials, err = f.measure(ctx, env, suites, opts); err != nil {
			return err
		}
	}
	return f.show(env, report, trials)
}

// suites are the rules that args name, with their cases; all that apply here
// without args.
func (e *Env) suites(args []string) (project.Workshop, []ruletest.Suite, []sentinel.Problem, error) {
	p := project.Open([]string{e.Dir}, e.project())
	w, ok := p.Workshop(nil)
	if !ok {
		p = project.Starter(projectRoot(e.Dir), e.project())
		if w, ok = p.Workshop(nil); !ok {
			return w, nil, nil, errors.New("no rules apply here; run `sentinel init` first")
		}
	}
	var suites []ruletest.Suite
	var problems []sentinel.Problem
	for _, arg := range args {
		if !isRulePath(arg) {
			continue
		}
		s, found, err := e.suiteFile(arg)
		if err != nil {
			return w, nil, nil, err
		}
		suites, problems = append(suites, s), append(problems, found...)
	}
	ids := slices.DeleteFunc(slices.Clone(args), isRulePath)
	if len(args) > 0 && len(ids) == 0 {
		return w, suites, problems, nil
	}
	all, found := folderSuites(p)
	problems = append(problems, found...)
	for _, id := range ids {
		i := slices.IndexFunc(all, func(s ruletest.Suite) bool { return s.File.Definition.ID == id })
		if i < 0 {
			return w, nil, nil, fmt.Errorf("there is no rule %q here; `sentinel rules list` lists them, and a file is named by its path", oneLine(id))
		}
		suites = append(suites, all[i])
	}
	if len(ids) == 0 {
		suites = all
	}
	return w, suites, problems, nil
}

// isRulePath reports whether an argument names a file, and no id.
func isRulePath(arg string) bool {
	switch strings.ToLower(filepath.Ext(arg)) {
	case ".yaml", ".yml", ".json":
		return true
	}
	return strings.ContainsAny(arg, `/\`)
}

// suiteFile reads a rule file that a person names.
func (e *Env) suiteFile(path string) (ruletest.Suite, []sentinel.Problem, error) {
	if !filepath.IsAbs(path) {
		path = filepath.Join(e.Dir, path)
	}
	doc, err := project.ReadDocument(path)
	if err != nil {
		return ruletest.Suite{}, nil, err
	}
	suites, problems := suitesOf(doc)
	return suites[0], problems, nil
}

// folderSuites are all rules of the folders of a project.
func folderSuites(p *project.Project) (suites []ruletest.Suite, problems []sentinel.Problem) {
	for _, folder := range p.Folders {
		docs, err := folder.Documents()
		if err != nil {
			problems = append(problems, sentinel.Problem{File: folder.Dir, Message: err.Error()})
		}
		s, found := suitesOf(docs)
		suites, problems = append(suites, s...), append(problems, found...)
	}
	return suites, problems
}

// suitesOf reads rules and the cases that stand beside them.
func suitesOf(docs []project.Document) (suites []ruletest.Suite, problems []sentinel.Problem) {
	for _, d := range docs {
		switch {
		case d.Err != nil:
			problems = append(problems, sentinel.Problem{File: d.Path, Message: d.Err.Error()})
		case d.Beside && len(suites) > 0:
			problems = append(problems, suites[len(suites)-1].Beside(d.Path, d.Data)...)
		default:
			suites = append(suites, ruletest.NewSuite(d.Path, d.Data))
		}
	}
	return suites, problems
}

// recordAnswers asks the models and writes what they say into the files.
func (f *testFlags) recordAnswers(ctx context.Context, env *Env, suites []ruletest.Suite, opts *ruletest.Options) error {
	bar, tick := env.caseProgress("recording", suites, 1)
	opts.Progress = tick
	recordings, failed := ruletest.Record(ctx, suites, opts)
	opts.Progress = nil
	bar.end()
	files := map[string]int{}
	for _, r := range recordings {
		files[r.Case.File]++
	}
	for path, n := range files {
		before, mode, err := readSettings(path)
		if err != nil {
			return err
		}
		after, err := ruletest.Write(path, before, recordings)
		if err != nil {
			return err
		}
		if err := install.WriteFile(path, after, mode); err != nil {
			return err
		}
		fmt.Fprintf(env.Stderr, "%s: %s recorded\n", oneLine(env.short(path)), count(n, "answer"))
	}
	return failed
}

// measure asks the models and measures.
func (f *testFlags) measure(ctx context.Context, env *Env, suites []ruletest.Suite, opts *ruletest.Options) ([]ruletest.Trial, error) {
	bar, tick := env.caseProgress("asking", suites, max(len(f.models), 1))
	defer bar.end()
	opts.Progress = tick
	return ruletest.Live(ctx, suites, opts, &ruletest.LiveOptions{Models: f.models, Repeat: f.repeat, Pricing: env.pricing()})
}

// caseProgress shows how many cases are done.
func (e *Env) caseProgress(title string, suites []ruletest.Suite, times int) (*progress, func()) {
	total := 0
	for _, s := range suites {
		total += len(s.Cases) * times
	}
	bar := e.progress(title, total)
	var done atomic.Int64
	return bar, func() { bar.at(int(done.Add(1))) }
}

// pricing is what models cost, by the settings that apply here.
func (e *Env) pricing() func(model string) (input, output float64) {
	_, c, _ := e.settings(false)
	return func(model string) (input, output float64) {
		p := c.Pricing[model]
		return p.Input, p.Output
	}
}

// short is a path as a person in the working directory would write it.
func (e *Env) short(path string) string {
	if rel, err := filepath.Rel(e.Dir, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}

func (f *testFlags) show(env *Env, report ruletest.Report, trials []ruletest.Trial) error {
	if f.junit != "" {
		if err := writeTo(f.junit, report.WriteJUnit); err != nil {
			return err
		}
	}
	if f.html != "" {
		page := ruletest.Page{Title: "Sentinel: rules on trial", Made: env.Now(), Trials: trials}
		if err := writeTo(f.html, page.Write); err != nil {
			return err
		}
	}
	if f.asJSON {
		if err := json.NewEncoder(env.Stdout).Encode(testObject(report, trials)); err != nil {
			return err
		}
	} else {
		printReport(env, &report)
		if err := printTrials(env, trials); err != nil {
			return err
		}
	}
	if !report.OK() {
		return errStatus(exitError)
	}
	return nil
}
