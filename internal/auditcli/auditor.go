package auditcli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/x/term"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/audit/judges"
	auditrepo "github.com/agentsentinel/sentinel/internal/audit/repo"
	"github.com/agentsentinel/sentinel/internal/audit/report"
	"github.com/agentsentinel/sentinel/internal/audit/rubric"
	"github.com/agentsentinel/sentinel/internal/audit/trial"
	"github.com/agentsentinel/sentinel/internal/cli/command"
	"github.com/agentsentinel/sentinel/internal/exit"
	"github.com/agentsentinel/sentinel/internal/progress"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/project"
)

// auditor is one run of the command.
type auditor struct {
	env     *command.Env
	flags   *auditFlags
	rubric  *rubric.Rubric // nil is chosen for each repository
	options trial.Options  // except those of one case
	folder  runFolder

	baseline *audit.Record // that the report is compared with, or nil
}

// prepare finds models and folders before the audit, so that a wrong name costs
// nothing.
func (a *auditor) prepare(repos []string) error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("this program cannot be found, and so no PDF can be read: %w", err)
	}
	user := project.Environment(a.env.Getenv)
	a.options = trial.Options{
		Program: command.Version(), Now: a.env.Now, FactsOnly: a.flags.facts,
		Samples: a.flags.samples, Seed: a.flags.seed,
		AllowPrivate: a.flags.allowPrivate, NoFsck: a.flags.noFsck,
		Reader: []string{self, pdfCommand},
		Warn:   func(text string) { complain(a.env, text) },
	}
	if user.CacheDir != "" {
		a.options.CacheDir = filepath.Join(user.CacheDir, "pdf")
	}
	if !a.flags.facts {
		if err := a.chooseModels(repos); err != nil {
			return err
		}
	}
	for _, name := range a.flags.docs { // a slip in a name must not start an audit
		if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("--doc: there is no file %s", text.Name(name))
		}
	}
	if a.flags.list == "" && len(repos) == 1 {
		if err := auditrepo.CheckTarget(repos[0]); err != nil {
			return err
		}
	}
	if err := a.flags.checkOut(); err != nil {
		return err
	}
	a.folder, err = openRunFolder(a.flags, a.env.Dir, repos, user.CacheDir, a.now())
	a.options.Folder = a.folder.dir
	return err
}

func (a *auditor) chooseModels(repos []string) error {
	m, err := openModels(a.env, repos)
	if err != nil {
		return err
	}
	var vision judges.Model
	a.options.Judges, vision, err = m.chosen(a.flags)
	if err != nil {
		return err
	}
	switch {
	case a.flags.noVision:
		a.options.VisionSkip = "--no-vision was given"
	case isSet(a.env.Getenv("AUDITOR_SKIP_VISION")):
		a.options.VisionSkip = "AUDITOR_SKIP_VISION is set"
	}
	a.options.Vision, a.options.Parallel, a.options.Price = vision, m.parallel, m.price
	return nil
}

// isSet reports whether the value of a variable switches something on: every value
// except those for no, as 0 and false.
func isSet(value string) bool {
	on, err := strconv.ParseBool(value)
	return value != "" && (on || err != nil)
}

func (a *auditor) now() time.Time {
	if a.env.Now == nil {
		return time.Now()
	}
	return a.env.Now()
}

// finish ends the run and removes a run folder that is not needed any more.
func (a *auditor) finish() { a.folder.finish() }

// try audits one case, with a display of its progress.
func (a *auditor) try(ctx context.Context, c trial.Case) (*audit.Record, error) {
	line := a.progress("audit", 0)
	o := a.options
	o.Progress = func(p trial.Progress) { show(line, p) }
	record, err := trial.Run(ctx, c, &o)
	line.End()
	if err != nil {
		return nil, a.stopped(ctx, err)
	}
	return record, nil
}

// auditOne audits one case and reports on it.
func (a *auditor) auditOne(ctx context.Context, repo string) error {
	record, err := a.try(ctx, trial.Case{Repo: repo, Documents: a.flags.docs, Rubric: a.rubric})
	if err != nil {
		return err
	}
	paths, err := a.write(record)
	a.folder.took(record, err != nil)
	if err != nil {
		return a.unwritten(err)
	}
	if err := a.print(record); err != nil {
		return err
	}
	if a.baseline != nil {
		fmt.Fprintln(a.messages())
		if err := report.Compare(a.baseline, record).Text(a.messages(), a.terminal()); err != nil {
			return err
		}
	}
	for _, path := range paths {
		fmt.Fprintln(a.messages(), "written: "+path)
	}
	a.printFolder()
	return a.status(record)
}

// progress returns a display on standard error, where that is a terminal.
func (a *auditor) progress(title string, total int) *progress.Line {
	line := progress.New(progress.Terminal(a.env.Stderr, a.env.Getenv("TERM")), title, total, a.env.Now)
	line.Fit(columns(a.env.Stderr))
	return line
}

// unwritten returns the error of a run whose report could not be written.
func (a *auditor) unwritten(err error) error {
	if a.folder.dir == "" {
		return err
	}
	return fmt.Errorf("%w; what was found and said is kept: run it again with --resume %s", err, a.folder.dir)
}

// stopped returns the error of a run without a record.
func (a *auditor) stopped(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		return err
	}
	a.folder.incomplete = true
	if a.folder.dir == "" {
		return errors.New("stopped")
	}
	return fmt.Errorf("stopped; run it again with --resume %s to ask only for what is missing", a.folder.dir)
}

// show draws the progress of a case. Only the number of opinions is known from the
// start.
func show(line *progress.Line, p trial.Progress) {
	switch {
	case p.Stage == trial.StageBench:
		line.Of(p.Done, p.Total, p.Criterion, string(p.Judge))
	case p.Total > 0:
		line.At(0, p.Stage, p.Doing, fmt.Sprintf("%d/%d", p.Done, p.Total))
	default:
		line.At(0, p.Stage, p.Doing)
	}
}

// write writes the report's files, where they are wanted.
func (a *auditor) write(r *audit.Record) (paths []string, err error) {
	if !a.flags.writes() {
		return nil, nil
	}
	return report.Write(a.flags.out, r, a.flags.formats)
}

// print writes the record as text, or as JSON.
func (a *auditor) print(r *audit.Record) error {
	if a.flags.asJSON {
		return report.JSON(a.env.Stdout, r)
	}
	if err := report.Text(a.env.Stdout, r, a.terminal()); err != nil || !a.flags.facts {
		return err
	}
	return printFacts(a.env.Stdout, r)
}

// messages returns the stream for messages to the user: not standard output where
// that is JSON.
func (a *auditor) messages() io.Writer {
	if a.flags.asJSON {
		return a.env.Stderr
	}
	return a.env.Stdout
}

func (a *auditor) terminal() report.Terminal { return terminal(a.env) }

// terminal returns the width and the colours of standard output.
func terminal(env *command.Env) report.Terminal {
	return report.Terminal{Colour: env.Color, Width: columns(env.Stdout)}
}

// columns returns the width of the terminal behind a stream, or 0.
func columns(w io.Writer) int {
	f, ok := w.(*os.File)
	if !ok {
		return 0
	}
	width, _, err := term.GetSize(f.Fd())
	if err != nil {
		return 0
	}
	return width
}

// printFolder prints the run folder when opinions or reports are missing.
func (a *auditor) printFolder() {
	if a.folder.dir != "" && a.folder.incomplete {
		fmt.Fprintf(a.env.Stderr, "sentinel-audit: some opinions or reports are missing; run it again with --resume %s to ask for what is missing alone\n", a.folder.dir)
	}
}

// status returns the exit status for a record.
func (a *auditor) status(r *audit.Record) error {
	for _, f := range r.Failures {
		switch f.Stage {
		case trial.StageClone, trial.StageRepo, trial.StageDocument, trial.StageJustice:
			complain(a.env, f.Stage+": "+strings.TrimPrefix(f.Err, f.Stage+": "))
		}
	}
	failed := unexamined(r)
	for _, e := range failed {
		complain(a.env, e.Probe+": "+text.OneLine(e.Summary))
	}
	switch {
	case slices.ContainsFunc(r.Failures, examination) || len(failed) > 0:
		return exit.Status(exit.Error)
	case a.flags.gate && r.Gate.State() == "failed":
		complain(a.env, strings.Join(append([]string{"the gate was not passed"}, r.Gate.Reasons...), "\n"))
		return exit.Status(exit.Block)
	case a.flags.gate && r.Gate.State() == "undecided":
		said := "the gate could not be decided"
		if !a.flags.facts {
			said += "; with --facts it is left to the facts alone"
		}
		complain(a.env, strings.Join(append([]string{said}, r.Gate.NotExamined...), "\n"))
		return exit.Status(exit.Error)
	}
	return nil
}

// examination reports whether a failure prevented a part of the examination. A
// missing model does not: there are the facts.
func examination(f audit.Failure) bool {
	return f.Stage != trial.StageBench && f.Stage != trial.StageVision
}

// unexamined are the probes of the repository and of documents that failed to look,
// where no failure of a whole stage says so already.
func unexamined(r *audit.Record) (failed []audit.Evidence) {
	if slices.ContainsFunc(r.Failures, examination) {
		return nil
	}
	for _, e := range r.Evidence {
		if e.Outcome == audit.Error && !e.Part && e.Source != audit.SourceVision {
			failed = append(failed, e)
		}
	}
	return failed
}

// missing reports whether a judge has given no opinion.
func missing(r *audit.Record) bool {
	for i := range r.Results {
		for j := range r.Results[i].Opinions {
			if r.Results[i].Opinions[j].Err != "" {
				return true
			}
		}
	}
	return false
}
