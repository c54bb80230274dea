package verify

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/agentsentinel/sentinel/agent"
	"github.com/agentsentinel/sentinel/internal/place"
	"github.com/agentsentinel/sentinel/internal/replay"
	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/internal/setup"
	"github.com/agentsentinel/sentinel/internal/state"
	"github.com/agentsentinel/sentinel/internal/transcript"
	"github.com/agentsentinel/sentinel/project"
)

// A Verifier verifies the sessions of one folder. It is for one goroutine.
type Verifier struct {
	opts   *project.Options
	root   string
	rules  map[string]*project.Project // those in force now, by the folder of a call
	hooks  map[string]*hooks           // by agent
	since  time.Time                   // when Sentinel was set up here; zero where that is not known
	traces *state.Trace
	groups []group
	// Until is when judging ends: calls that are left are about some rule. Zero sets no end.
	Until   time.Time
	hurried bool // it has ended before all were judged
	// Progress receives the number of bytes that were read of a transcript; nil is not called.
	Progress func(done, total int64)
}

// A group is the transcripts of one session, the newest first.
type group struct {
	receipts *state.Receipts // nil without
	id       string
	files    []replay.Transcript
	written  time.Time
}

// New finds the sessions that agents held in the project of dir. newest bounds how many
// transcripts are read for that, those first that were written last; 0 has no bound.
func New(ctx context.Context, dir string, o *project.Options, newest int) *Verifier {
	own := *o
	p := project.Open([]string{dir}, &own)
	own.NoLog, own.NoModel = true, true // a call of the past is reported in no session, and the user is not asked
	v := &Verifier{
		opts: &own, root: place.Root(dir), rules: map[string]*project.Project{}, hooks: map[string]*hooks{},
		traces: p.Past().Trace(), since: setup.Since(o, place.Root(dir)),
	}
	if v.since.IsZero() {
		v.since = keyTime(o.StateDir)
	}
	found := replay.Find(ctx, v.root, replay.Places{
		Agents: o.Agents, Machine: agent.Place{Home: o.Home, Getenv: o.Getenv}, Newest: newest,
	})
	v.group(ctx, found)
	return v
}

// group puts transcripts of one session together, the newest session first.
func (v *Verifier) group(ctx context.Context, found []replay.Transcript) {
	byID := map[string]int{}
	for _, t := range found {
		if ctx.Err() != nil {
			return
		}
		id := v.sessionOf(t)
		written := time.Time{}
		if info, err := os.Stat(t.Path); err == nil {
			written = info.ModTime()
		}
		at, known := byID[id]
		if !known || id == "" {
			at = len(v.groups)
			byID[id] = at
			v.groups = append(v.groups, group{id: id})
		}
		g := &v.groups[at]
		g.files = append(g.files, t)
		if written.After(g.written) {
			g.written = written
		}
	}
	v.addReceipts(byID)
	slices.SortStableFunc(v.groups, func(a, b group) int { return b.written.Compare(a.written) })
}

// addReceipts adds the receipts of sessions, and the sessions that have only these.
func (v *Verifier) addReceipts(byID map[string]int) {
	if v.traces == nil {
		return
	}
	root := safefile.Resolve(v.root)
	here := func(s state.Session) bool {
		_, known := byID[s.ID]
		return s.ID != "" && known || safefile.Within(s.Dir, v.root) || safefile.Within(safefile.Resolve(s.Dir), root)
	}
	for _, r := range v.traces.All(here) {
		if at, known := byID[r.ID]; known && r.ID != "" {
			v.groups[at].receipts = r
			continue
		}
		g := group{id: r.ID, receipts: r}
		if n := len(r.Calls); n > 0 {
			g.written = r.Calls[n-1].Began
		}
		v.groups = append(v.groups, g)
	}
}

// firstEntries is how much of a transcript is read for the name of its session.
const firstEntries = 64

// sessionOf is the session that a transcript is of; "" where it does not say.
func (v *Verifier) sessionOf(t replay.Transcript) string {
	r, err := transcript.Open(t.Path, transcript.Position{}, &transcript.Options{Agent: t.Agent, Format: t.Format})
	if err != nil {
		return ""
	}
	defer r.Close()
	for range firstEntries {
		if _, err := r.Next(); err != nil || r.Session() != "" {
			break
		}
	}
	if a := v.opts.Agents.Find(r.Agent()); a != nil && a.Sessions.ParentFolder && r.OfSubagent() {
		return filepath.Base(filepath.Dir(t.Path))
	}
	return r.Session()
}

// Last is the report about the session that was held last; about another one than
// but, if that is not "".
func (v *Verifier) Last(ctx context.Context, but string) (*Report, error) {
	i := slices.IndexFunc(v.groups, func(g group) bool { return but == "" || g.id != but })
	if i < 0 {
		return nil, v.none()
	}
	return v.report(ctx, v.groups[i:i+1])
}

// All is the report about all sessions, or the n newest if n is not 0.
func (v *Verifier) All(ctx context.Context, n int) (*Report, error) {
	if len(v.groups) == 0 {
		return nil, v.none()
	}
	if n == 0 {
		n = len(v.groups)
	}
	return v.report(ctx, v.groups[:min(n, len(v.groups))])
}

// Of is the report about one session, by its id, or by the path of a transcript.
func (v *Verifier) Of(ctx context.Context, name string) (*Report, error) {
	if i := slices.IndexFunc(v.groups, func(g group) bool { return g.id == name }); i >= 0 && name != "" {
		return v.report(ctx, v.groups[i:i+1])
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(v.root, name)
	}
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
		return nil, fmt.Errorf("verify: no session is called that here, and there is no such transcript: %s", filepath.Base(name))
	}
	g := group{files: []replay.Transcript{{Path: name}}}
	if g.id = v.sessionOf(g.files[0]); g.id != "" && v.traces != nil {
		g.receipts, _ = v.traces.Read(state.Session{ID: g.id})
	}
	return v.report(ctx, []group{g})
}

func (v *Verifier) none() error {
	return errors.New("verify: no agent keeps a session of this project in its usual place, and no hook was asked here (docs/verify.md)")
}

// report verifies sessions.
func (v *Verifier) report(ctx context.Context, groups []group) (*Report, error) {
	r := &Report{Sessions: []Session{}}
	for _, g := range groups {
		s := v.verify(ctx, g)
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("verify: %w", context.Cause(ctx))
		}
		r.Sessions = append(r.Sessions, s)
		r.Totals.plus(s.Counts)
	}
	return r, nil
}
