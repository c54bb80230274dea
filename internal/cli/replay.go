package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/config"
	"github.com/agentsentinel/sentinel/internal/replay"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/project"
	"github.com/agentsentinel/sentinel/rule"
	"github.com/agentsentinel/sentinel/secret"
	"github.com/agentsentinel/sentinel/telemetry"
)

// replayFlags are the flags of replay.
type replayFlags struct {
	rules                []string
	asJSON, noModel, yes bool
	limit                int
}

func newReplay(env *Env) *cobra.Command {
	var f replayFlags
	cmd := &cobra.Command{
		Use:   "replay [TRANSCRIPT…]",
		Short: "Say what the rules would have done in past sessions",
		Long: `Puts the calls of past sessions before the rules that apply here: which would have
been stopped, asked about or warned of, and what happened next. With --rule it says
what a changed or a draft rule would change: it takes the place of the rule with
its id, and is judged as if it were enforced.

TRANSCRIPT is the session file of an agent, or a folder of such files; without one
all sessions that agents keep of this repository are taken. Whose it is shows in
the content. What a command would do is judged on the disk as it is now.

First everything is judged that needs no model, and what is kept of earlier
answers. Before a model is asked, replay says how often, how long and at what cost,
and asks for your consent; without a terminal only --yes gives it. --no-model asks
none.

Exit status: 0 done, whatever was found; 1 an error, an interruption, or nothing
could be read.`,
		Example: `  sentinel replay --no-model
  sentinel replay --rule .claude/sentinel/drafts/billing.draft.yaml
  sentinel replay ~/.codex/sessions/2026/05 --json`,
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd.Context(), env, args) },
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&f.rules, "rule", nil, "a changed or draft rule `FILE` to try; repeatable")
	flags.BoolVar(&f.noModel, "no-model", false, "ask no model")
	flags.BoolVar(&f.yes, "yes", false, "ask models without asking you first")
	flags.IntVar(&f.limit, "limit", 20, "calls to show one by one")
	flags.BoolVar(&f.asJSON, "json", false, "print one JSON object")
	cmd.MarkFlagsMutuallyExclusive("no-model", "yes")
	return cmd
}

func (f *replayFlags) run(ctx context.Context, env *Env, args []string) error {
	if f.limit < 0 {
		return fmt.Errorf("--limit must be 0 or more, not %d", f.limit)
	}
	drafts, err := env.ruleFiles(f.rules)
	if err != nil {
		return err
	}
	past, err := env.past(drafts)
	if err != nil {
		return err
	}
	past.opts.WillAsk = !f.noModel && (f.yes || env.canAsk())
	paths, err := env.transcripts(ctx, args, past.root)
	if err != nil {
		return err
	}
	if len(paths) == 0 {
		fmt.Fprintf(env.Stderr, "No agent keeps a session of %s in its usual place (docs/replay.md lists them). Name a transcript: sentinel replay FILE\n", text.OneLine(past.root))
	}
	r, err := env.replayed(ctx, past.opts, paths)
	if r == nil {
		return err
	}
	report := r.Report()
	var refused string
	if err == nil && report.Estimate.Calls > 0 {
		if refused, err = f.ask(ctx, env, r, &report); err == nil || r.Report().Interrupted {
			report = r.Report()
		}
	}
	if f.asJSON {
		if err := json.NewEncoder(env.Stdout).Encode(report); err != nil {
			return err
		}
	} else {
		f.print(env, &report, refused)
	}
	switch {
	case err != nil && report.Interrupted:
		return errors.New("replay: interrupted; what stands above is what was looked at until then")
	case err != nil:
		return err
	case len(paths) > 0 && report.Transcripts == 0:
		return errors.New("replay: none of the transcripts could be read")
	}
	return nil
}

// past is what past sessions are put before.
type past struct {
	root string // absolute: the folder that the rules belong to
	opts *replay.Options
}

// past reads the rules once: what changes in their files later changes nothing.
func (e *Env) past(drafts []rule.File) (past, error) {
	o := e.project()
	o.NoLog = true
	p := project.Open([]string{e.Dir}, o)
	if len(p.Folders) == 0 {
		p = project.Starter(projectRoot(e.Dir), o)
	}
	benches, err := p.Benches()
	if err != nil {
		return past{}, err
	}
	root := projectRoot(e.Dir)
	if f := p.Nearest(); f != nil && f.Root != "" {
		root = f.Root
	}
	c := config.Default()
	if f := p.Nearest(); f != nil {
		c = f.Config
	}
	opts := &replay.Options{
		Mask: secret.NewMasker().Mask, Took: e.took(p, &c),
		Price: func(model string) (input, output float64) { return c.Pricing[model].Input, c.Pricing[model].Output },
	}
	nearest := 0 // the set that judges as the drafts would be judged
	for i, b := range benches {
		if !b.Alike || i == 0 {
			opts.Views = append(opts.Views, replay.View{Root: cmp.Or(b.Root, root), Mapper: b.Engine.Mapper})
		}
		own := c
		if b.Folder != nil {
			own = b.Folder.Config
		}
		opts.Sets = append(opts.Sets, replay.Set{View: len(opts.Views) - 1, Rules: b.Rules, Engine: b.Engine, Model: own.Model})
		if b.Folder != nil && b.Folder == p.Nearest() {
			nearest = i
		}
	}
	rules, err := draftRules(drafts, benches[nearest].Build)
	if err != nil {
		return past{}, err
	}
	if len(rules) > 0 {
		set := opts.Sets[nearest]
		set.Rules, set.Draft = rules, true
		opts.Sets = append(opts.Sets, set)
	}
	return past{root, opts}, nil
}

// ruleFiles reads rule files that a person names.
func (e *Env) ruleFiles(paths []string) ([]rule.File, error) {
	var files []rule.File
	for _, path := range paths {
		docs, err := project.ReadDocument(e.abs(path))
		if err != nil {
			return nil, err
		}
		files = append(files, rule.Parse(docs[0].Path, docs[0].Data))
	}
	return files, nil
}

// draftRules builds rules as they would be enforced. One that is broken is an
// error: it could not be judged.
func draftRules(files []rule.File, build rule.Options) ([]sentinel.Rule, error) {
	files = slices.Clone(files)
	for i := range files {
		files[i].Definition.Mode = "enforce"
	}
	built, problems := rule.Build(files, &build)
	var rules []sentinel.Rule
	for _, r := range built {
		rules = append(rules, r)
	}
	var errs []error
	for _, p := range problems {
		if !p.Warning {
			errs = append(errs, errors.New(lintLine(p)))
		}
	}
	return rules, errors.Join(errs...)
}

// abs is a path that a person gives, from the working directory.
func (e *Env) abs(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(e.Dir, path)
}

// canAsk reports whether a person sits there who can be asked.
func (e *Env) canAsk() bool {
	t, err := e.dialog()
	if err != nil {
		return false
	}
	t.Close()
	return true
}

// dialog is the terminal that a question can be put at.
func (e *Env) dialog() (*terminal, error) {
	stdin, ok := e.Stdin.(*os.File)
	if !ok {
		return nil, errNoTerminal
	}
	return openTerminal(stdin)
}

// replayed reads and judges without asking any model. Ctrl-C ends it with what
// there is.
func (e *Env) replayed(ctx context.Context, opts *replay.Options, paths []string) (*replay.Replay, error) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	bar := e.progress("reading sessions", len(paths))
	defer bar.End()
	opts.Progress = func(p replay.Progress) { bar.At(p.Sessions, fmt.Sprintf("%d calls", p.Calls)) }
	return replay.Run(ctx, paths, opts)
}

// ask puts what is open to the models, if the person consents. refused says why
// nobody was asked.
func (f *replayFlags) ask(ctx context.Context, env *Env, r *replay.Replay, report *replay.Report) (refused string, err error) {
	switch {
	case f.noModel:
		return "no model was asked (--no-model)", nil
	case !f.yes && !env.canAsk():
		return "no model was asked: run it in a terminal to be asked for your consent, or with --yes", nil
	case !f.yes:
		t, err := env.dialog()
		if err != nil {
			return err.Error(), nil
		}
		defer t.Close()
		yes, err := t.confirm(estimateText(&report.Estimate) + "\nAsk?")
		if err != nil {
			return "", err
		}
		if !yes {
			return "no model was asked", nil
		}
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	bar := env.progress("asking models about calls", report.Open)
	defer bar.End()
	r.OnProgress(func(p replay.Progress) { bar.Of(p.Asked, p.Open) })
	return "", r.Ask(ctx)
}

// transcripts are the files that args name, or those of this repository.
func (e *Env) transcripts(ctx context.Context, args []string, root string) ([]string, error) {
	if len(args) == 0 {
		return replay.Find(ctx, root, e.places()), nil
	}
	var paths []string
	for _, arg := range args {
		path := e.abs(arg)
		info, err := os.Stat(path)
		switch {
		case err != nil:
			return nil, fmt.Errorf("replay: %w", err)
		case !info.IsDir():
			paths = append(paths, path)
			continue
		}
		err = filepath.WalkDir(path, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() && isTranscriptName(d.Name()) {
				paths = append(paths, path)
			}
			return nil // a folder that cannot be read hides nothing else
		})
		if err != nil {
			return nil, fmt.Errorf("replay: %w", err)
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths), nil
}

func isTranscriptName(name string) bool {
	ext := strings.ToLower(filepath.Ext(name))
	return ext == ".jsonl" || ext == ".json" && strings.HasPrefix(name, "session-")
}

// places are the folders in which agents keep their sessions, by the variables
// with which they can be moved.
func (e *Env) places() replay.Places {
	home := e.home()
	at := func(name, usual string) string {
		if dir := e.Getenv(name); filepath.IsAbs(dir) {
			return dir
		}
		if home == "" {
			return ""
		}
		return filepath.Join(home, usual)
	}
	p := replay.Places{
		Claude: at("CLAUDE_CONFIG_DIR", ".claude"), Codex: at("CODEX_HOME", ".codex"), Copilot: at("COPILOT_HOME", ".copilot"),
		Gemini: at("", ".gemini"), Qwen: at("", ".qwen"),
	}
	if dir := e.stateDir(); dir != "" {
		p.Journals = filepath.Join(dir, "journals")
	}
	data := at("XDG_CONFIG_HOME", ".config")
	switch runtime.GOOS {
	case "darwin":
		data = at("", "Library/Application Support")
	case "windows":
		data = e.Getenv("APPDATA")
	}
	for _, edition := range []string{"Code", "Code - Insiders"} {
		if data != "" {
			p.VSCode = append(p.VSCode, filepath.Join(data, edition, "User", "workspaceStorage"))
		}
	}
	return p
}

// enoughJudged is how many judgements tell how long one takes.
const enoughJudged = 5

// took says how long the judgements of a model took lately, by the log.
func (e *Env) took(p *project.Project, c *config.Config) func(backend, model string) (time.Duration, int) {
	type judge struct{ backend, model string }
	past := map[judge][]float64{}
	for rec, err := range tailRecords(p.LogFile()) {
		if err == nil && rec.Level == telemetry.LevelEval && !rec.Cached && rec.Backend != sentinel.Builtin && rec.PromptTokens > 0 {
			k := judge{rec.Backend, rec.Model}
			past[k] = append(past[k], rec.ElapsedMS)
		}
	}
	return func(backend, model string) (time.Duration, int) {
		atOnce := max(c.MaxParallel, 1)
		if backend == config.BackendOllama {
			atOnce = max(min(atOnce, c.OllamaConcurrency), 1)
		}
		times := past[judge{backend, model}]
		if len(times) < enoughJudged {
			return replay.DefaultTook, atOnce
		}
		slices.Sort(times)
		return time.Duration(times[len(times)/2] * float64(time.Millisecond)), atOnce
	}
}
