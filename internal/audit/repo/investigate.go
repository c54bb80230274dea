package repo

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/audit/rubric"
	"github.com/agentsentinel/sentinel/internal/audit/syntax"
	"github.com/agentsentinel/sentinel/internal/text"
)

// Options say how a repository is investigated.
type Options struct {
	Parallel int   // files that are examined at once; 0 means one for each processor
	MaxText  int64 // bytes of all files that are read; 0 means DefaultMaxText

	// MaxTime bounds the time in which source is parsed, from the beginning on; what
	// is not parsed then is not available. 0 means DefaultMaxTime.
	MaxTime time.Duration

	Progress func(step string, done, total int) // may be nil; never called twice at once
}

// DefaultMaxText bounds what is read of a repository, in bytes.
const DefaultMaxText = 200 << 20

// DefaultMaxTime bounds the parsing of a repository. Written code takes about a
// second for a megabyte; a file that is made to be hard takes seconds for itself.
const DefaultMaxTime = 5 * time.Minute

func (o *Options) complete() Options {
	var c Options
	if o != nil {
		c = *o
	}
	c.Parallel = orElse(c.Parallel, runtime.GOMAXPROCS(0))
	c.MaxText = orElse(c.MaxText, DefaultMaxText)
	c.MaxTime = orElse(c.MaxTime, DefaultMaxTime)
	if c.Progress == nil {
		c.Progress = func(string, int, int) {}
	}
	return c
}

// Investigate runs the rubric's probes on the repository and returns the evidence
// in the order of the probes, then of the places, with what was found about the
// repository's integrity at the end. A probe that fails or panics yields evidence
// with the outcome Error, and so do those that are left when ctx ends. Probes on
// documents and diagrams are left to others.
//
// Each file is read once, and examined by every probe that chose it.
func Investigate(ctx context.Context, r *Repository, rb *rubric.Rubric, o *Options) []audit.Evidence {
	in := &investigation{repo: r, rubric: rb, options: o.complete(), chosen: map[string]choice{}, matched: map[string][]bool{}}
	in.parsing = time.Now().Add(in.options.MaxTime)
	var group errgroup.Group
	group.Go(func() error { in.history = r.readHistory(ctx, in.wantsAdditions()); return nil }) // first: git reads it meanwhile
	for i := range rb.Probes {
		if t := in.task(&rb.Probes[i]); t != nil {
			in.tasks = append(in.tasks, t)
		}
	}
	in.integrity = in.integrityTask()
	in.examine(ctx, append(in.tasks[:len(in.tasks):len(in.tasks)], in.integrity))
	_ = group.Wait()

	concluded := make([][]audit.Evidence, len(in.tasks))
	for _, last := range []bool{false, true} { // what counts other probes comes after them
		for i, t := range in.tasks {
			if (t.probe.Type == rubric.TypeOneOf) == last {
				concluded[i] = in.conclude(ctx, t)
				in.wholes = append(in.wholes, concluded[i][0])
			}
		}
	}
	return append(slices.Concat(concluded...), in.integrityEvidence(ctx)...)
}

// investigation is one run of a rubric's probes.
type investigation struct {
	repo      *Repository
	rubric    *rubric.Rubric
	options   Options
	tasks     []*task
	integrity *task
	history   *history
	parsing   time.Time         // until when source is parsed
	chosen    map[string]choice // by the patterns: which files they choose
	matched   map[string][]bool // by one pattern: which files it matches
	wholes    []audit.Evidence  // of the probes that have been concluded
}

// A task is one probe at work: what it does with each file, and what it makes of
// that in the end.
type task struct {
	probe  *rubric.Probe
	chosen choice // of the files that are read; the zero value reads none
	parses bool   // look parses, which can take long
	// look examines one file. It is called for several at once.
	look func(ctx context.Context, s *source) found
	// conclude is called once, with what was found in the chosen files in their order.
	conclude func(ctx context.Context, all []found) result

	found []found // by the file's number
	full  enough
}

// found is what a probe found in one file.
type found struct {
	file   *File
	gap    *gap // it was not examined
	count  int
	lines  int
	places []place
	more   bool
	broken bool // it has syntax errors
	binary bool // it holds no text, and was not searched
	kept   any  // what only the probe's own conclude knows
}

// maxKept bounds the places that are kept of one file.
const maxKept = MaxPlaces + 1

// examine reads each file that a task chose, once, and lets the tasks look at it.
func (in *investigation) examine(ctx context.Context, tasks []*task) {
	var wanted []int
	for i := range in.repo.files {
		for _, t := range tasks {
			if t.reads(i) {
				wanted = append(wanted, i)
				break
			}
		}
	}
	for _, t := range tasks {
		if t.chosen.files != nil {
			t.found = make([]found, len(in.repo.files))
		}
	}
	var group errgroup.Group
	group.SetLimit(in.options.Parallel)
	var budget, done atomic.Int64
	var progress sync.Mutex
	for _, i := range wanted {
		group.Go(func() error {
			in.examineFile(ctx, tasks, i, &budget)
			progress.Lock()
			defer progress.Unlock()
			in.options.Progress("examining files", int(done.Add(1)), len(wanted))
			return nil
		})
	}
	_ = group.Wait()
}

func (in *investigation) examineFile(ctx context.Context, tasks []*task, i int, budget *atomic.Int64) {
	f := &in.repo.files[i]
	s, missed := in.readSource(ctx, f, budget)
	if s != nil {
		defer s.memo.Close()
	}
	for _, t := range tasks {
		if !t.reads(i) {
			continue
		}
		if missed != nil {
			t.found[i] = found{file: f, gap: missed}
			continue
		}
		if t.parses && in.outOfTime() {
			t.found[i] = found{file: f, gap: &gap{f.Path, audit.NotAvailable, in.noTime()}}
			continue
		}
		t.found[i] = t.lookSafely(ctx, s)
		t.full.trim(i, &t.found[i])
	}
}

// outOfTime reports whether the time for parsing is used up.
func (in *investigation) outOfTime() bool { return time.Now().After(in.parsing) }

func (in *investigation) noTime() string {
	return fmt.Sprintf("parsing took more than %v", in.options.MaxTime)
}

// readSource reads a file, or says why it was not.
func (in *investigation) readSource(ctx context.Context, f *File, budget *atomic.Int64) (*source, *gap) {
	if f.Size > 0 && budget.Add(f.Size) > in.options.MaxText {
		return nil, &gap{f.Path, audit.NotAvailable, fmt.Sprintf("more than %d MB of text", in.options.MaxText>>20)}
	}
	content, err := in.repo.read(ctx, f)
	switch {
	case errors.Is(err, ErrNotAvailable):
		return nil, &gap{f.Path, audit.NotAvailable, ErrNotAvailable.Error()}
	case err != nil:
		return nil, &gap{f.Path, audit.Error, text.Name(text.CutBytes(err.Error(), 200))}
	}
	return newSource(f, content), nil
}

// lookSafely turns a panic into an error: what is examined is hostile.
func (t *task) lookSafely(ctx context.Context, s *source) (f found) {
	defer func() {
		if p := recover(); p != nil {
			f = found{gap: &gap{s.file.Path, audit.Error, text.Name(text.CutBytes(fmt.Sprintf("the probe panicked: %v", p), 200))}}
		}
		f.file = s.file
	}()
	if err := ctx.Err(); err != nil {
		return found{gap: &gap{s.file.Path, audit.Error, err.Error()}}
	}
	return t.look(ctx, s)
}

// conclude writes down what became of a task.
func (in *investigation) conclude(ctx context.Context, t *task) (evidence []audit.Evidence) {
	fail := func(why string) []audit.Evidence {
		return in.evidence(t.probe, result{outcome: audit.Error, summary: text.Name(text.CutBytes(why, 300))})
	}
	defer func() {
		if p := recover(); p != nil {
			evidence = fail(fmt.Sprintf("the probe panicked: %v", p))
		}
	}()
	if err := ctx.Err(); err != nil {
		return fail("it was ended before it was done: " + err.Error())
	}
	var all []found
	for i := range t.found {
		if t.reads(i) {
			all = append(all, t.found[i])
		}
	}
	r := t.conclude(ctx, all)
	r.leftOut(t.chosen.left)
	return in.evidence(t.probe, r)
}

// reads reports whether the task looks at the file of a number.
func (t *task) reads(i int) bool { return t.chosen.files != nil && t.chosen.files[i] }

// task makes the task of a probe, or nil if it is one of others. A probe that is
// wrong, which a rubric's check finds, becomes an error in the evidence.
func (in *investigation) task(p *rubric.Probe) *task {
	t, err := in.build(p)
	if err != nil {
		failed := result{outcome: audit.Error, summary: text.Name(text.CutBytes(err.Error(), 300))}
		t = &task{conclude: func(context.Context, []found) result { return failed }}
	}
	if t != nil {
		t.probe = p
	}
	return t
}

// build makes the task of a probe, or nil if it is one of others.
func (in *investigation) build(p *rubric.Probe) (*task, error) {
	builder, known := map[string]func(*rubric.Probe) (*task, error){
		rubric.TypeFile: in.fileTask, rubric.TypeText: in.textTask, rubric.TypeAST: in.astTask, rubric.TypeGraph: in.graphTask,
		rubric.TypeGit: in.gitTask, rubric.TypeManifest: in.manifestTask, rubric.TypeWorkflow: in.workflowTask, rubric.TypeOneOf: in.oneOfTask,
		rubric.TypeSecret: in.secretTask, rubric.TypeRatio: in.ratioTask, rubric.TypeOverlap: in.overlapTask,
		rubric.TypeDocTerms: nil, rubric.TypeDocPaths: nil, rubric.TypeDiagram: nil,
	}[p.Type]
	switch {
	case !known:
		return nil, fmt.Errorf("unknown type %q", p.Type)
	case builder == nil:
		return nil, nil
	}
	return builder(p)
}

// Check says what is wrong with a probe that this package would run: a query that does not
// compile, an invalid pattern. It is for [rubric.Rubric.Lint]. Probes on documents and
// diagrams are not looked at.
func Check(p *rubric.Probe) error {
	if p.Lang != "" && !syntax.Supports(p.Lang) {
		return fmt.Errorf("there is no grammar for %q", p.Lang)
	}
	nothing := &investigation{repo: &Repository{}, rubric: &rubric.Rubric{}, chosen: map[string]choice{}, matched: map[string][]bool{}}
	_, err := nothing.build(p)
	return err
}
