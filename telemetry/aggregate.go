package telemetry

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/agentsentinel/sentinel/internal/safefile"
)

// Bounds of what an aggregator keeps. They are generous for honest logs, and hold
// against others.
const (
	maxText     = 8 << 10 // bytes of one text; what this package writes is shorter
	maxRules    = 500
	maxGroups   = 100
	maxSpent    = 4000
	maxTargets  = 500
	maxSessions = 4096
	maxPairs    = 1 << 14
	maxModels   = 16   // of one rule or pipeline
	maxOverall  = 4096 // buckets of the whole log
	maxOfRule   = 128  // buckets of one rule
)

// readSize is how much of a file is read at a time, in bytes.
const readSize = 1 << 20

// Aggregate reads the files of a log, the oldest first, as [Files] names them,
// and counts their lines. Files of several logs may follow one another.
//
// Memory is bounded, whatever the files contain: counts of rare names are dropped,
// and texts of more than 8 KB are cut. A line that is not a record is counted and
// passed over. The error is that of a file that cannot be read, or ctx's. opts may
// be nil.
func Aggregate(ctx context.Context, files []string, opts *StatsOptions) (*Stats, error) {
	if opts == nil {
		opts = &StatsOptions{}
	}
	open, size, err := openFiles(files)
	defer func() {
		for _, f := range open {
			_ = f.Close() // it was only read
		}
	}()
	if err != nil {
		return nil, err
	}
	a := newAggregator(opts)
	in := &meter{ctx: ctx, total: size, progress: opts.Progress}
	for _, f := range open {
		in.file = io.LimitReader(f.File, f.size)
		if err := a.read(in); err != nil {
			return nil, err
		}
	}
	a.Lines.Files, a.Lines.Bytes = len(open), size
	return a.finish(), nil
}

// A logFile is a file and its size when it was opened. Later lines are not read.
type logFile struct {
	*os.File
	size int64
}

// openFiles opens files for reading. A file that has two names, as in the middle
// of a rotation, is opened once; a missing one is passed over.
func openFiles(files []string) (open []logFile, size int64, err error) {
	var infos []os.FileInfo
	// The newest is opened first: if the log is rotated meanwhile, the same file
	// has the next name too, instead of being missed under the last one.
	for _, path := range slices.Backward(files) {
		f, info, err := safefile.Open(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return open, 0, fmt.Errorf("telemetry: the log cannot be read: %w", err)
		case slices.ContainsFunc(infos, func(other os.FileInfo) bool { return os.SameFile(other, info) }):
			_ = f.Close() // it is open already
			continue
		}
		infos = append(infos, info)
		open = append(open, logFile{f, info.Size()})
		size += info.Size()
	}
	slices.Reverse(open)
	return open, size, nil
}

// A meter reads files, reports progress and ends when its context does.
type meter struct {
	ctx         context.Context
	file        io.Reader
	done, total int64
	progress    func(done, total int64)
}

func (m *meter) Read(b []byte) (int, error) {
	if err := m.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := m.file.Read(b)
	m.done += int64(n)
	if n > 0 && m.progress != nil {
		m.progress(m.done, m.total)
	}
	return n, err
}

// An aggregator counts the lines of a log, in their order.
type aggregator struct {
	Stats
	opts     *StatsOptions
	parser   parser
	since    int64
	until    int64
	ahead    int64
	seed     maphash.Seed
	previous int64 // time of the line before
	follows  bool  // there is a line before

	rules    map[string]*RuleStats
	groups   [groupKinds]map[groupKey]*Group
	judged   frequent
	violated frequent
	sessions sample[struct{}]
	pairs    sample[*pair]
	spent    map[dayModel]*Spent
	contests *contests
	recent   recent
	sets     []together
}

type dayModel struct {
	day   int64
	model string
}

// A pair is how a rule judged a target.
type pair struct {
	pass, violations int64
	rule, target     string // target is set by the first violation
}

// The kinds of groups.
const (
	byTrigger = iota
	byTool
	byAgent
	byBackend
	byModel
	groupKinds
)

// A groupKey names a group of one kind; only models have a backend.
type groupKey struct{ name, backend string }

func newAggregator(opts *StatsOptions) *aggregator {
	a := &aggregator{
		opts: opts, parser: parser{limit: maxText}, since: unixOr(opts.Since, -1<<62), until: unixOr(opts.Until, 1<<62), ahead: 1 << 62, seed: maphash.MakeSeed(),
		rules: map[string]*RuleStats{}, judged: newFrequent(maxTargets), violated: newFrequent(maxTargets),
		sessions: newSample[struct{}](maxSessions), pairs: newSample[*pair](maxPairs), spent: map[dayModel]*Spent{},
		contests: newContests(), recent: recent{limit: opts.Recent},
	}
	for _, rules := range opts.Together {
		a.sets = append(a.sets, together{rules: rules})
	}
	a.timeline = newTimeline(maxOverall)
	if !opts.Now.IsZero() {
		a.ahead = opts.Now.Add(24 * time.Hour).Unix()
	}
	for i := range a.groups {
		a.groups[i] = map[groupKey]*Group{}
	}
	return a
}

func unixOr(t time.Time, otherwise int64) int64 {
	if t.IsZero() {
		return otherwise
	}
	return t.Unix()
}

// read counts the lines of one file.
func (a *aggregator) read(file io.Reader) error {
	a.follows = false
	in := bufio.NewReaderSize(file, readSize)
	for {
		data, err := readLine(in)
		if errors.Is(err, ErrTooLong) {
			a.Lines.Read++
			a.Lines.TooLong++
			continue
		}
		if len(data) > 0 {
			a.add(data)
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("telemetry: reading the log: %w", err)
		}
	}
}

// add counts a line.
func (a *aggregator) add(data []byte) {
	a.Lines.Read++
	r, older, err := a.parser.parse(data)
	if err != nil {
		a.broken(data)
		return
	}
	unix := r.Time.Unix()
	if a.follows && a.previous-unix > 300 {
		a.Lines.Backward++
	}
	a.previous, a.follows = unix, true
	if !a.wants(&r, unix) {
		return
	}
	a.Lines.Counted++
	if unix > a.ahead {
		a.Lines.Ahead++
	} else {
		a.First, a.Last = widened(a.First, a.Last, unix)
	}
	if key := maphash.String(a.seed, r.Session); r.Session != "" && a.sessions.holds(key) {
		a.sessions.set(key, struct{}{})
	}
	if a.count(&r, older) {
		a.recent.add(&r)
	}
}

// wants reports whether a line passes the filters.
func (a *aggregator) wants(r *Record, unix int64) bool {
	o := a.opts
	return unix >= a.since && unix < a.until && (len(o.Rules) == 0 || slices.Contains(o.Rules, r.RuleID)) &&
		(o.Session == "" || o.Session == r.Session) && (o.Agent == "" || o.Agent == r.Agent)
}

// broken counts a line that is not a record.
func (a *aggregator) broken(line []byte) {
	if len(line) > 1 && bytes.HasPrefix(line, []byte("{")) && bytes.HasSuffix(line, []byte("}")) {
		a.Lines.Foreign++
		return
	}
	a.Lines.Torn++
}

// widened extends a span of time. A zero span has no times yet.
func widened(first, last time.Time, unix int64) (time.Time, time.Time) {
	at := time.Unix(unix, 0).UTC()
	if first.IsZero() || at.Before(first) {
		first = at
	}
	if at.After(last) {
		last = at
	}
	return first, last
}

// A recent keeps the last records that were added.
type recent struct {
	limit int
	ring  []Record
	next  int
}

func (c *recent) add(r *Record) {
	switch {
	case c.limit <= 0:
	case len(c.ring) < c.limit:
		c.ring = append(c.ring, *r)
	default:
		c.ring[c.next] = *r
		c.next = (c.next + 1) % c.limit
	}
}

// records returns those that are kept, the oldest first.
func (c *recent) records() []Record { return slices.Concat(c.ring[c.next:], c.ring[:c.next]) }
