// Package history puts the past sessions of a project before its rules.
package history

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/agent"
	"github.com/agentsentinel/sentinel/config"
	"github.com/agentsentinel/sentinel/internal/place"
	"github.com/agentsentinel/sentinel/internal/progress"
	"github.com/agentsentinel/sentinel/internal/replay"
	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/internal/secret"
	"github.com/agentsentinel/sentinel/project"
	"github.com/agentsentinel/sentinel/rule"
	"github.com/agentsentinel/sentinel/telemetry"
)

// Past is what past sessions are put before.
type Past struct {
	Root string // absolute: the folder that the rules belong to
	Opts *replay.Options
}

// Load reads the rules that apply in dir, and drafts in addition. It reads once: what
// changes in their files later changes nothing.
func Load(dir string, o *project.Options, drafts []rule.File) (Past, error) {
	o.NoLog = true
	root := place.Root(dir)
	p := project.Open([]string{dir}, o)
	if len(p.Folders) == 0 {
		p = project.Recommended(root, o)
	}
	benches, err := p.Inspect().Judges()
	if err != nil {
		return Past{}, err
	}
	c := config.Default()
	if f := p.Nearest(); f != nil {
		c, root = f.Config, cmp.Or(f.Root, root)
	}
	opts := &replay.Options{
		Mask: secret.NewMasker().Mask, Took: took(p, &c),
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
		return Past{}, err
	}
	if len(rules) > 0 {
		set := opts.Sets[nearest]
		set.Rules, set.Draft = rules, true
		opts.Sets = append(opts.Sets, set)
	}
	return Past{root, opts}, nil
}

// RuleFiles reads rule files that the user names.
func RuleFiles(paths []string) ([]rule.File, error) {
	var files []rule.File
	for _, path := range paths {
		docs, err := project.ReadDocument(path)
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
	var errs []error
	for _, p := range problems {
		if !p.Warning {
			errs = append(errs, errors.New(place.Problem(p)))
		}
	}
	return built.Engine(), errors.Join(errs...)
}

// Run reads and judges without asking any model. Ctrl-C ends it with what
// there is.
func Run(ctx context.Context, opts *replay.Options, paths []string, bar *progress.Line) (*replay.Replay, error) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	defer bar.End()
	opts.Progress = func(p replay.Progress) { bar.At(p.Sessions, fmt.Sprintf("%d calls", p.Calls)) }
	return replay.Run(ctx, paths, opts)
}

// Transcripts are the files that args name, or those of this repository.
func (p *Past) Transcripts(ctx context.Context, o *project.Options, args []string) (paths []string, err error) {
	if len(args) == 0 {
		found := map[string]replay.Transcript{}
		for _, t := range replay.Find(ctx, p.Root, places(o)) {
			found[t.Path] = t
			paths = append(paths, t.Path)
		}
		p.Opts.Whose = func(path string) replay.Transcript { return found[path] }
		return paths, nil
	}
	for _, path := range args {
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

// places are where agents keep their sessions, and Sentinel for those that keep none.
func places(o *project.Options) replay.Places {
	p := replay.Places{Agents: o.Agents, Machine: agent.Place{Home: o.Home, Getenv: o.Getenv}}
	if o.StateDir != "" {
		p.Journals = filepath.Join(o.StateDir, "journals")
	}
	return p
}

// enoughJudged is how many judgements tell how long one takes.
const enoughJudged = 5

// took says how long the judgements of a model took lately, by the log.
func took(p *project.Project, c *config.Config) func(backend, model string) (time.Duration, int) {
	type judge struct{ backend, model string }
	past := map[judge][]float64{}
	for rec, err := range tailRecords(p.Inspect().LogFile()) {
		if err == nil && rec.Level == telemetry.LevelEval && !rec.Cached && rec.Backend != sentinel.Builtin && rec.PromptTokens > 0 {
			k := judge{rec.Backend, rec.Model}
			past[k] = append(past[k], rec.ElapsedMS)
		}
	}
	return func(backend, model string) (time.Duration, int) {
		atOnce := max(min(c.MaxParallel, c.Slots(backend)), 1)
		times := past[judge{backend, model}]
		if len(times) < enoughJudged {
			return replay.DefaultTook, atOnce
		}
		slices.Sort(times)
		return time.Duration(times[len(times)/2] * float64(time.Millisecond)), atOnce
	}
}

// maxTail is how much of a log is read to see how long judgements take: some
// thousands of the latest.
const maxTail = 1 << 20

// tailRecords are the latest records of a log; none without a log.
func tailRecords(path string) iter.Seq2[telemetry.Record, error] {
	return func(yield func(telemetry.Record, error) bool) {
		if path == "" {
			return
		}
		f, info, err := safefile.OpenNoFollow(path, os.O_RDONLY, 0)
		if err != nil {
			return
		}
		defer f.Close()
		if from := info.Size() - maxTail; from > 0 {
			if _, err := f.Seek(from, io.SeekStart); err != nil { // in the middle of a line, which is then passed over
				return
			}
		}
		for rec, err := range telemetry.Scan(f) {
			if !yield(rec, err) {
				return
			}
		}
	}
}
