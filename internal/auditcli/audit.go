package auditcli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agentsentinel/sentinel/internal/audit/report"
	"github.com/agentsentinel/sentinel/internal/audit/rubric"
	"github.com/agentsentinel/sentinel/internal/audit/trial"
	"github.com/agentsentinel/sentinel/internal/cli/command"
	"github.com/agentsentinel/sentinel/internal/exit"
	"github.com/agentsentinel/sentinel/internal/text"
)

// auditFlags are the flags of an audit.
type auditFlags struct {
	rubric string
	docs   []string

	out     string
	formats []string
	asJSON  bool
	facts   bool
	gate    bool

	list     string
	parallel int

	backend, model             string
	judges                     []string
	visionBackend, visionModel string
	noVision                   bool
	samples                    int
	seed                       int64

	allowPrivate, noFsck bool
	resume, baseline     string
	diff                 string // revision

	given func(flag string) bool // whether it was set
}

func newAudit(env *command.Env) *cobra.Command {
	var f auditFlags
	cmd := &cobra.Command{
		Short: "Audits a repository, documents about it, or both, against a rubric",
		Long: `Collects facts about REPO, an https URL or a local folder, and about the documents
that --doc names. A Prosecutor, a Defense and a Tech Lead judge each criterion of the
rubric by these facts; the verdict follows from their opinions by code, without a model.

REPO is cloned, even a local folder: nothing of it is executed, and uncommitted changes are
not audited. Your own configuration decides which models are asked, never that of the
audited repository. If no model can be asked, the report has the facts, no verdicts, and
the reason.

Exit status: 0 done; 1 an error, a probe failed, or with --gate the gate could not be
decided; 2 with --gate, the gate of the rubric was not passed, or with --diff, it got
worse.`,
		Example: `  sentinel-audit . --facts
  sentinel-audit https://github.com/owner/name --doc report.pdf
  sentinel-audit . --rubric rubric.yaml --gate --format sarif --out reports
  sentinel-audit . --judge prosecutor=openai:gpt-5 --judge defense=ollama:gemma3:12b
  sentinel-audit . --diff origin/main --json
  sentinel-audit -f repositories.txt --parallel 4`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			f.given = cmd.Flags().Changed
			return f.run(cmd.Context(), env, strings.Join(args, ""))
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.rubric, "rubric", "", "rubric `FILE`, or the name of one of: "+strings.Join(rubric.Names(), ", ")+" (default: by what the repository is)")
	flags.StringArrayVar(&f.docs, "doc", nil, "document to audit: `FILE` in PDF, Markdown or text; may be repeated")
	flags.StringVar(&f.out, "out", "audit-reports", "folder `DIR` for the reports")
	flags.StringSliceVar(&f.formats, "format", []string{report.FormatMarkdown, report.FormatJSON}, "formats of the reports, a `LIST` of: "+strings.Join(report.Formats(), ", "))
	env.JSONFlag(cmd, &f.asJSON, "print the report as JSON; files are then written only for --out or --format", report.Printed(), []listed{}, report.Comparison{})
	flags.BoolVar(&f.facts, "facts", false, "collect only facts: no model is asked; files are written only with --out or --format")
	flags.BoolVar(&f.gate, "gate", false, "status 2 if the rubric's gate is not passed")
	flags.StringVarP(&f.list, "file", "f", "", "audit the repositories that `FILE` lists, one per line; # begins a comment")
	flags.IntVar(&f.parallel, "parallel", 2, "with -f: `N` repositories at once")
	flags.StringVar(&f.backend, "backend", "", "backend `NAME` of the judges (default: that of your configuration)")
	flags.StringVar(&f.model, "model", "", "`MODEL` of the judges (default: that of the backend)")
	flags.StringArrayVar(&f.judges, "judge", nil, "another backend for one judge: `JUDGE=BACKEND[:MODEL]`, with prosecutor, defense or tech_lead")
	flags.StringVar(&f.visionBackend, "vision-backend", "", "backend `NAME` that looks at diagrams (default: that of the judges)")
	flags.StringVar(&f.visionModel, "vision-model", "", "`MODEL` that looks at diagrams (default: that of the backend)")
	flags.BoolVar(&f.noVision, "no-vision", false, "ignore diagrams; the variable AUDITOR_SKIP_VISION does the same")
	flags.IntVar(&f.samples, "samples", 1, "ask each judge `N` times about each criterion")
	flags.Int64Var(&f.seed, "seed", 0, "seed `N` for the order in which judges see evidence")
	flags.BoolVar(&f.allowPrivate, "allow-private", false, "also clone from private and loopback hosts")
	flags.BoolVar(&f.noFsck, "no-fsck", false, "accept repositories with malformed objects, as old ones have")
	flags.StringVar(&f.baseline, "baseline", "", "show what changed since the report in the JSON `FILE`")
	flags.StringVar(&f.diff, "diff", "", "show which facts HEAD changed since it branched from `BASE`; status 2 if the gate got worse")
	flags.StringVar(&f.resume, "resume", "", "keep evidence and opinions in the folder `DIR`, and ask only for missing ones")
	return cmd
}

// run audits one repository or those of a list.
func (f *auditFlags) run(ctx context.Context, env *command.Env, repo string) error {
	if err := f.check(repo); err != nil {
		return err
	}
	rb, err := f.loadRubric(env)
	if err != nil {
		return err
	}
	a := &auditor{env: env, flags: f, rubric: rb}
	if f.baseline != "" {
		if a.baseline, err = report.Read(f.baseline); err != nil {
			return fmt.Errorf("--baseline: %w", err)
		}
	}
	repos, err := f.repositories(env, repo)
	if err != nil {
		return err
	}
	if err := a.prepare(repos); err != nil {
		return err
	}
	defer a.finish()
	if f.list != "" {
		return a.auditList(ctx, repos)
	}
	if f.diff != "" {
		return a.auditDiff(ctx, repo)
	}
	return a.auditOne(ctx, repo)
}

// repositories returns the repositories to audit: none for documents alone.
func (f *auditFlags) repositories(env *command.Env, repo string) ([]string, error) {
	switch {
	case f.list != "":
		return readList(env, f.list)
	case repo != "":
		return []string{repo}, nil
	}
	return nil, nil
}

func (f *auditFlags) check(repo string) error {
	if err := f.checkDiff(repo); err != nil {
		return err
	}
	switch {
	case f.list != "" && (repo != "" || len(f.docs) > 0):
		return errors.New("-f names the repositories: leave out REPO and --doc")
	case f.list == "" && repo == "" && len(f.docs) == 0:
		return errors.New("there is nothing to audit: name a repository (. is this folder), a document with --doc, or both; see --help")
	case f.list != "" && f.baseline != "":
		return errors.New("--baseline is the report on one repository: leave out -f")
	case f.list == "" && f.given("parallel"):
		return errors.New("--parallel goes with -f")
	case f.parallel < 1:
		return fmt.Errorf("--parallel must be at least 1, not %d", f.parallel)
	case f.samples < 1 || f.samples > maxSamples:
		return fmt.Errorf("--samples must be from 1 to %d, not %d", maxSamples, f.samples)
	case f.facts && slices.ContainsFunc([]string{"judge", "backend", "model", "vision-backend", "vision-model", "samples"}, f.given):
		return errors.New("--facts asks no model: leave out --backend, --model, --judge, --vision-backend, --vision-model and --samples")
	}
	for _, format := range f.formats {
		if !slices.Contains(report.Formats(), format) {
			return fmt.Errorf("--format: there is no format %q; there are %s", format, strings.Join(report.Formats(), ", "))
		}
	}
	return nil
}

// checkOut makes the folder for the reports and a file in it, so that no model is
// asked for a report that cannot be written.
func (f *auditFlags) checkOut() error {
	if !f.writes() {
		return nil
	}
	if err := os.MkdirAll(f.out, 0o755); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	probe, err := os.CreateTemp(f.out, ".audit-*")
	if err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	probe.Close()
	return os.Remove(probe.Name())
}

// maxSamples bounds the repetitions of a question: three judges on ten criteria are
// 30 calls for each sample.
const maxSamples = 25

// writes reports whether files are wanted.
func (f *auditFlags) writes() bool {
	return !f.asJSON && !f.facts || f.given("out") || f.given("format")
}

// loadRubric returns the rubric of the flag; nil when the audit chooses it.
func (f *auditFlags) loadRubric(env *command.Env) (*rubric.Rubric, error) {
	if f.rubric == "" {
		return nil, nil
	}
	rb, problems, err := trial.OpenRubric(f.rubric, nil)
	if err != nil {
		return nil, err
	}
	warnings := 0
	for _, p := range problems {
		if p.Error || len(problems) == 1 {
			complain(env, level(p)+": "+p.In(f.rubric))
			continue
		}
		warnings++
	}
	if warnings > 0 {
		complain(env, fmt.Sprintf("%s about %s: `sentinel audit rubric lint` shows them", text.Plural(warnings, "warning", "warnings"), f.rubric))
	}
	if slices.ContainsFunc(problems, func(p rubric.Problem) bool { return p.Error }) {
		return nil, exit.Status(exit.Error)
	}
	return rb, nil
}
