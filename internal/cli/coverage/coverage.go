// Package coverage is the command "sentinel coverage".
package coverage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/cli/command"
	"github.com/agentsentinel/sentinel/internal/coverage"
	"github.com/agentsentinel/sentinel/internal/instructions"
	"github.com/agentsentinel/sentinel/internal/place"
	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/internal/setup"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/project"
	"github.com/agentsentinel/sentinel/scribe"
)

// flags are the flags of coverage.
type flags struct {
	asJSON, model, all bool
	html               string
}

// New makes the command coverage.
func New(env *command.Env) *cobra.Command {
	var f flags
	cmd := &cobra.Command{
		Use: "coverage [FILE…]", Short: "Show which lines of CLAUDE.md and similar files are enforced",
		Long: `Reads the files that tell agents how to work here (CLAUDE.md, AGENTS.md, GEMINI.md,
.claude/rules, .cursor/rules, .github/copilot-instructions.md, .clinerules,
.windsurf/rules) and what they import, or the files that are named, and shows the
state of each statement:

  in force            a rule enforces it
  in shadow mode      a rule records violations of it, and stops nothing
  can be              "sentinel init --from FILE" makes a rule of it
  dropped             its draft was dismissed, or its rule switched off
  a linter's          a linter or formatter of the project can check it
  needs a model       a rule with a prompt could enforce it
  cannot be enforced  no rule can, with the reason

Descriptions are left out. No model is asked unless --model is given: the configured model
is then asked about the statements that patterns do not decide. Its answers are kept, so
that an interrupted run continues where it stopped.

Exit status: 0 done; 1 an error, or a model did not answer; known results are still
printed.`,
		Example: `  sentinel coverage
  sentinel coverage CLAUDE.md --html coverage.html
  sentinel coverage --json`,
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd.Context(), env, args) },
	}
	fl := cmd.Flags()
	env.JSONFlag(cmd, &f.asJSON, "print one JSON object", coverage.Report{})
	fl.StringVar(&f.html, "html", "", "write a page with each line marked to this `FILE`")
	fl.BoolVar(&f.model, "model", false, "ask the configured model about statements that patterns do not decide")
	fl.BoolVar(&f.all, "all", false, "show descriptions too")
	return cmd
}

func (f *flags) run(ctx context.Context, env *command.Env, args []string) error {
	root := place.Root(env.Dir)
	names, err := Names(env, root, args)
	if err != nil {
		return err
	}
	reader := coverage.NewReader(ctx, root, env.Options())
	report := reader.Read(names)
	if len(report.Files) == 0 && len(names) > 0 && len(report.Problems) > 0 {
		return errors.New(report.Problems[0].String())
	}
	var unasked error
	if f.model {
		unasked = f.ask(ctx, env, reader, report)
	}
	if err := f.show(env, root, report); err != nil {
		return err
	}
	return unasked
}

// Names are files that the user names, as the reader of instructions wants them.
func Names(env *command.Env, root string, args []string) (names []string, err error) {
	for _, arg := range args {
		rel, err := filepath.Rel(root, env.Abs(arg))
		if err != nil || !filepath.IsLocal(rel) {
			return nil, fmt.Errorf("%s is not in %s: coverage is that of one project", text.OneLine(arg), text.OneLine(root))
		}
		if _, err := os.Stat(env.Abs(arg)); err != nil {
			return nil, fmt.Errorf("%s cannot be read: %w", text.OneLine(arg), errors.Unwrap(err))
		}
		names = append(names, filepath.ToSlash(rel))
	}
	return names, nil
}

// ask has a model sort what is open. Ctrl-C ends it with what there is.
func (f *flags) ask(ctx context.Context, env *command.Env, reader *coverage.Reader, report *coverage.Report) error {
	opts, err := project.Open([]string{env.Dir}, env.Options()).Models().Scribe(nil, "")
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	bar := env.Progress("asking the model", 0)
	defer bar.End()
	opts.Progress = func(now scribe.Progress) { bar.Of(now.Done, now.Total, "statements") }
	err = reader.Refine(ctx, report, opts)
	switch {
	case ctx.Err() != nil:
		return errors.New("stopped; run it again to go on from here")
	case errors.Is(err, sentinel.ErrRefused):
		return fmt.Errorf("the model cannot be asked: %w", err)
	}
	return err
}

func (f *flags) show(env *command.Env, root string, r *coverage.Report) error {
	if f.html != "" {
		var page bytes.Buffer
		if err := r.WritePage(&page, filepath.Base(root)); err != nil {
			return err
		}
		if err := safefile.Replace(env.Abs(f.html), page.Bytes(), 0o644); err != nil {
			return err
		}
		if !f.asJSON {
			env.Line("wrote %s", f.html)
			unasked(env, r)
		}
	}
	if f.asJSON {
		return env.JSON(r)
	}
	if f.html == "" {
		f.print(env, r)
	}
	return nil
}

// print shows the report in the terminal. All of its texts come from a repository.
func (f *flags) print(env *command.Env, r *coverage.Report) {
	switch {
	case len(r.Files) > 0:
	case len(r.Problems) > 0:
		env.Line("No instruction file here was read.")
	default:
		env.Line("No instruction files here: there is no CLAUDE.md, AGENTS.md or the like.")
	}
	for i := range r.Files {
		file := &r.Files[i]
		env.Line("%s: %s", env.Bold(text.OneLine(file.Path)), file.Share())
		for k := range file.Statements {
			f.statement(env, &file.Statements[k])
		}
		env.Line("")
	}
	for i := range r.Stale {
		env.Line("stale: %s", r.Stale[i].String())
	}
	for i := range r.Moved {
		env.Line("moved: %s", r.Moved[i].String())
	}
	if len(r.Moved) > 0 {
		env.Line("%s", env.Called("sentinel learn --no-model notes where the lines are now"))
	}
	for i := range r.Problems {
		env.Line("note: %s", r.Problems[i].String())
	}
	if len(r.Files) == 0 {
		return
	}
	unasked(env, r)
	env.Line("%s", env.Bold(r.Share()))
	if r.States[instructions.CanBe] > 0 {
		env.Line("%d more can hold: %s", r.States[instructions.CanBe], env.Called(adoption(r)))
	}
}

// unasked says which hooks are not started for all that the rules are about: there a rule in force holds nothing.
func unasked(env *command.Env, r *coverage.Report) {
	if r.Hold > 0 {
		setup.NoteNarrows(env.Options(), env.Dir, env.Line)
	}
}

// maxNamed bounds the files that a command for the drafts names.
const maxNamed = 3

// adoption is the command that makes all drafts of a report.
func adoption(r *coverage.Report) string {
	var names []string
	for i := range r.Files {
		if f := &r.Files[i]; slices.ContainsFunc(f.Statements, func(s coverage.Statement) bool { return s.State == instructions.CanBe }) {
			names = append(names, text.OneLine(f.Path))
		}
	}
	if len(names) > maxNamed {
		return fmt.Sprintf("sentinel learn, after sentinel init, makes drafts of all %d files", len(names))
	}
	return "sentinel init --from " + strings.Join(names, " --from ")
}

// maxSaid bounds what is said of one statement, whose names come from a repository.
const maxSaid = 600

// statement prints one statement, with what there is to say of it below.
func (f *flags) statement(env *command.Env, s *coverage.Statement) {
	_, name := s.Mark()
	if name == "" {
		if !f.all {
			return
		}
		name = "–"
	}
	env.Line("%s", text.Cut(fmt.Sprintf("%5d  %-18s  %s", s.Line, name, s.Text), env.Width()))
	if said := s.Said(); said != "" {
		words, indent := strings.Fields(text.Cut(said, maxSaid)), 27
		for _, w := range words { // an id is shown whole, to be copied
			indent = max(0, min(indent, env.Width()-utf8.RuneCountInString(w)))
		}
		env.Flow(strings.Repeat(" ", indent), words)
	}
}
