// Package memory keeps the results of agents' sessions in one project: where
// their transcripts are, a summary while they go on, and what the Scribe learns from
// them. It takes data and functions to ask models with; it reads no configuration
// files.
package memory

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/agent"
	"github.com/agentsentinel/sentinel/config"
	"github.com/agentsentinel/sentinel/contextacc"
	"github.com/agentsentinel/sentinel/gpulock"
	"github.com/agentsentinel/sentinel/internal/digest"
	"github.com/agentsentinel/sentinel/internal/gate"
	"github.com/agentsentinel/sentinel/internal/record"
	"github.com/agentsentinel/sentinel/internal/secret"
	"github.com/agentsentinel/sentinel/internal/state"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/scribe"
	"github.com/agentsentinel/sentinel/telemetry"
)

// A Memory belongs to the project that an agent works in, the nearest one: its
// configuration says whether a summary is written and which model writes it, and the
// summary is in its .sentinel folder. The user's own folder has none, so that nothing
// appears in repositories without Sentinel. A nil Memory, of a place without a project,
// keeps nothing. It may be used concurrently, by many processes.
type Memory struct {
	Dir    string        // absolute folder of configuration and rules
	Root   string        // absolute folder of the project
	Key    func() string // Root without symbolic links
	Config *config.Config
	Agents agent.Registry

	StateDir string           // the user's; "" keeps nothing there
	Now      func() time.Time // nil means time.Now
	Logger   *slog.Logger
	NoModel  bool
	FenceKey func() []byte // the user's secret; see sentinel.Docket
	Book     *record.Book
	Gate     *gate.Gate

	// Wait lets a moment pass while an agent writes what it has not written yet; it is
	// false when no time is left. nil means half a second.
	Wait func(context.Context) bool

	// Ask finds a backend for questions of a session; Scribe, what package scribe
	// needs for it; Notice, how long drafts are mentioned.
	Ask    func(session, backend string) (sentinel.Backend, error)
	Scribe func(session string) (*scribe.Options, error)
	Notice *scribe.NoticeOptions
}

func (m *Memory) now() time.Time {
	if m.Now != nil {
		return m.Now()
	}
	return time.Now()
}

// sessionID is the name of an event's session. An agent that does not name its sessions has
// one in a project, which begins again at each start.
func sessionID(ev sentinel.Event) string { return cmp.Or(ev.Session, "_"+ev.Agent) }

// sessionDir is the folder of an event's session.
func (m *Memory) sessionDir(ev sentinel.Event) string {
	return filepath.Dir(gpulock.SessionPath(m.Root, sessionID(ev)))
}

// remembers reports whether summaries of sessions are written here. The builtin
// judge writes none.
func (m *Memory) remembers() bool {
	return m.Config.Context.Enabled && m.Config.ContextBackend() != sentinel.Builtin
}

// reflects reports whether the Scribe learns from sessions here.
func (m *Memory) reflects() bool {
	return m.Config.Scribe.Enabled && m.Config.ScribeBackend() != sentinel.Builtin
}

// learns reports whether anything here reads the transcripts of sessions.
func (m *Memory) learns() bool { return m.remembers() || m.reflects() }

// Summary is the summary of an event's session, or "": a session
// without one is not a fault.
func (m *Memory) Summary(ev sentinel.Event) string {
	if m == nil {
		return ""
	}
	s, err := contextacc.Load(m.sessionDir(ev))
	if err != nil && !errors.Is(err, fs.ErrNotExist) && m.Logger != nil {
		m.Logger.Debug("sentinel: the summary of the session is not used", "error", err)
	}
	return s.Text()
}

// HasWork reports whether there is background work after an event about the course
// of a session: see [Memory.Work].
func (m *Memory) HasWork(phase sentinel.Phase) bool {
	switch phase {
	case sentinel.PhaseStart, sentinel.PhaseStop, sentinel.PhaseEnd:
		return m != nil && m.learns()
	}
	return false
}

// Work is what is done in the background after an event about the course of a
// session. At the start, sessions of this project whose end was not seen are caught
// up with; at each stop the summary is brought up to date; and at the end, or for an
// agent that reports no end at each stop, the Scribe looks for conventions. It is an
// error when something should have been done and was not; the next call tries it
// again.
func (m *Memory) Work(ctx context.Context, ev sentinel.Event) error {
	if m == nil || m.NoModel {
		return nil
	}
	switch ev.Phase {
	case sentinel.PhaseStart:
		m.forgetOldSessions()
		return m.catchUp(ctx, ev)
	case sentinel.PhaseStop, sentinel.PhaseEnd:
		s := m.knownSession(ev)
		if m.Agents.WritesLate(s.Agent) {
			settle(s.Transcript, func() bool { return m.pause(ctx) })
		}
		return m.workOn(ctx, s, ev.Phase == sentinel.PhaseEnd || !m.Agents.TellsEnd(ev.Agent))
	}
	return nil
}

// workOn brings a session up to date and, where it is over, learns from it. It
// notes how far the transcript was seen by both.
func (m *Memory) workOn(ctx context.Context, s knownSession, over bool) error {
	size := fileSize(s.Transcript)
	if size < 0 {
		return nil // no transcript is known, or it is gone
	}
	err := m.summarize(ctx, s)
	if err == nil {
		s.Summarized = size
	}
	if over {
		done, failed := m.reflect(ctx, s)
		if done {
			s.Reflected = size
		}
		err = errors.Join(err, failed)
	}
	return errors.Join(err, m.keepSession(s))
}

// reflect has the Scribe look for conventions in what is new of a session. It is
// neither done nor a fault when another process is at it.
func (m *Memory) reflect(ctx context.Context, s knownSession) (done bool, err error) {
	if !m.reflects() {
		return true, nil
	}
	opts, err := m.Scribe(s.Session)
	if err != nil {
		return false, err
	}
	start := m.now()
	res, err := scribe.Reflect(ctx, scribe.Session{ID: s.Session, Agent: m.reader(&s), Transcript: s.Transcript}, opts)
	if res.Calls == 0 && errors.Is(err, sentinel.ErrBusy) {
		return false, nil
	}
	done = err == nil
	if res.Calls > 0 || err != nil {
		r := m.workRecord(telemetry.LevelScribe, s, err, m.now().Sub(start))
		r.Backend, r.Model = m.Config.ScribeBackend(), m.Config.ExtractionModel()
		r.PromptTokens, r.OutputTokens = res.PromptTokens, res.OutputTokens
		r.Reason = fmt.Sprintf("%d conventions found, %d drafts written", res.Found, len(res.Drafts))
		err = errors.Join(err, m.Book.Append(r))
	}
	return done, err
}

// summarize brings the summary of a session up to date.
func (m *Memory) summarize(ctx context.Context, s knownSession) error {
	if !m.remembers() {
		return nil
	}
	c := m.Config
	b, err := m.Ask(s.Session, c.ContextBackend())
	if err != nil {
		return err
	}
	start := m.now()
	res, err := contextacc.Update(ctx, contextacc.Session{Dir: m.sessionDir(s.event()), Agent: m.reader(&s), Transcript: s.Transcript}, &contextacc.Options{
		Backend: b, Model: c.ContextModel(), MinEvents: c.Context.MinEvents, MaxWords: c.Context.SummaryMaxWords,
		LockDir: m.stateFolder("summarizing"), FenceKey: m.FenceKey(), Now: m.now, Logger: m.Logger,
	})
	if res.Written || err != nil {
		r := m.workRecord(telemetry.LevelContext, s, err, m.now().Sub(start))
		r.Backend, r.Model, r.Cached = res.Response.Backend, res.Response.Model, res.Response.Cached
		if !r.Cached {
			r.PromptTokens, r.OutputTokens = res.Response.PromptTokens, res.Response.OutputTokens
		}
		err = errors.Join(err, m.Book.Append(r))
	}
	return err
}

// workRecord is a line of the log about work behind a session. Work that could not be
// done at the moment is skipped, as with rules.
func (m *Memory) workRecord(level string, s knownSession, failed error, took time.Duration) telemetry.Record {
	r := telemetry.Record{
		Time: m.now().UTC().Truncate(time.Second), Level: level, Outcome: sentinel.OutcomePass.String(),
		Session: text.Line(s.Session), Agent: text.Line(s.Agent), ElapsedMS: float64(took.Microseconds()) / 1000,
	}
	switch {
	case failed == nil:
	case errors.Is(failed, sentinel.ErrBusy) || errors.Is(failed, sentinel.ErrOverBudget):
		r.Outcome = sentinel.OutcomeSkipped.String()
	default:
		r.Outcome = sentinel.OutcomeUnavailable.String()
	}
	if failed != nil {
		r.Error = secret.Mask(text.Line(failed.Error()))
	}
	return r
}

// A knownSession is what is remembered of a session of this project, in the
// user's state folder: a file in the repository could name any other file as a
// transcript.
type knownSession struct {
	Agent      string `json:"agent"`
	Session    string `json:"session"` // as sessionID
	Transcript string `json:"transcript"`
	Summarized int64  `json:"summarized"` // size of the transcript at the last summary, in bytes
	Reflected  int64  `json:"reflected"`  // and when the Scribe saw it last
}

// isBehind reports whether there is something in the transcript that its
// next reader has not seen: the Scribe waits until the session is over.
func (s *knownSession) isBehind(now time.Time) bool {
	size := fileSize(s.Transcript)
	return size > s.Summarized || size > s.Reflected && s.quiet(now)
}

// quiet reports whether nothing was written for so long that the session is over.
func (s *knownSession) quiet(now time.Time) bool {
	info, err := os.Stat(s.Transcript)
	return err == nil && now.Sub(info.ModTime()) > quietTime
}

func (s *knownSession) event() sentinel.Event {
	return sentinel.Event{Agent: s.Agent, Session: s.Session}
}

const (
	sessionAge = 7 * 24 * time.Hour // sessions end without a word
	// quietTime is after how long without a word a session counts as over.
	quietTime = 10 * time.Minute
	// maxCatchUp bounds how many sessions one start looks after.
	maxCatchUp = 3
)

// stateFolder is a folder of the user's state, "" where nothing can be kept.
func (m *Memory) stateFolder(names ...string) string {
	if m.StateDir == "" {
		return ""
	}
	return filepath.Join(append([]string{m.StateDir}, names...)...)
}

// sessionsDir is where the sessions of the project are remembered, "" for nowhere.
func (m *Memory) sessionsDir() string { return m.stateFolder("sessions", digest.Hex(m.Key())) }

// Keep remembers where the transcript of an event's session is: not every agent says
// it at the end of a session, and the end may never be reported.
func (m *Memory) Keep(ev sentinel.Event) error {
	if m == nil || m.sessionsDir() == "" || ev.Transcript == "" && m.journalPath(ev) == "" {
		return nil
	}
	s := m.knownSession(ev)
	if s.Transcript == "" {
		return nil
	}
	return m.keepSession(s)
}

func (m *Memory) keepSession(s knownSession) error {
	dir := m.sessionsDir()
	if dir == "" {
		return nil
	}
	path := filepath.Join(dir, digest.Hex(s.Session))
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	if old, err := state.Read(path); err == nil && string(old) == string(data) {
		return nil
	}
	state.Prune(dir, sessionAge, m.now())
	return state.Write(path, data)
}

// knownSession is what is known of an event's session: what the event says, and
// else what was remembered.
func (m *Memory) knownSession(ev sentinel.Event) knownSession {
	s := knownSession{Agent: ev.Agent, Session: sessionID(ev)}
	if dir := m.sessionsDir(); dir != "" {
		if old, ok := readSession(filepath.Join(dir, digest.Hex(s.Session))); ok && old.Session == s.Session {
			s = old
		}
	}
	switch {
	case ev.Transcript != "" && m.Agents.Readable(ev.Agent):
		s.Transcript = ev.Transcript
	case m.journalPath(ev) != "" && fileSize(m.journalPath(ev)) >= 0:
		s.Transcript = m.journalPath(ev)
	}
	return s
}

func readSession(path string) (s knownSession, ok bool) {
	data, err := state.Read(path)
	if err != nil || json.Unmarshal(data, &s) != nil {
		return knownSession{}, false
	}
	return s, s.Session != "" && s.Transcript != ""
}

// catchUp works on the latest sessions of this project whose transcripts have
// grown since somebody looked: the process that was to do it has died with its
// container, or the agent was killed.
func (m *Memory) catchUp(ctx context.Context, ev sentinel.Event) error {
	dir := m.sessionsDir()
	if dir == "" {
		return nil
	}
	for _, kept := range []string{dir, m.stateFolder("journals")} {
		state.Prune(kept, sessionAge, m.now())
	}
	var errs []error
	for _, s := range behind(dir, m.now()) {
		if s.Session == sessionID(ev) && ev.Session == "" {
			continue // it begins again
		}
		if len(errs) == maxCatchUp || ctx.Err() != nil {
			break
		}
		errs = append(errs, m.workOn(ctx, s, s.Session != sessionID(ev) && s.quiet(m.now())))
	}
	return errors.Join(errs...)
}

// behind lists the sessions with something new, those that were seen last first.
func behind(dir string, now time.Time) []knownSession {
	type entry struct {
		knownSession
		changed time.Time
	}
	var all []entry
	files, _ := os.ReadDir(dir) // what could be read is enough
	for _, file := range files {
		info, err := file.Info()
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		if s, ok := readSession(filepath.Join(dir, file.Name())); ok && s.isBehind(now) {
			all = append(all, entry{s, info.ModTime()})
		}
	}
	slices.SortFunc(all, func(a, b entry) int { return b.changed.Compare(a.changed) })
	sessions := make([]knownSession, len(all))
	for i, e := range all {
		sessions[i] = e.knownSession
	}
	return sessions
}

// fileSize is the size of a regular file in bytes, below 0 without a file.
func fileSize(path string) int64 {
	if !filepath.IsAbs(path) {
		return -1
	}
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return -1
	}
	return info.Size()
}

// Begin forgets what belongs to an earlier session: for an agent that names none,
// all of its memory. The start of a session calls it.
func (m *Memory) Begin(ev sentinel.Event) error {
	if m == nil || ev.Session != "" {
		return nil
	}
	err := contextacc.Forget(m.sessionDir(ev))
	if path := m.journalPath(ev); path != "" {
		if removed := os.Remove(path); !errors.Is(removed, fs.ErrNotExist) {
			err = errors.Join(err, removed)
		}
	}
	if err != nil {
		return fmt.Errorf("memory: the session before: %w", err)
	}
	return nil
}

// DraftsNotice is the line that mentions, once in a session, the draft rules that
// wait for the user, or "".
func (m *Memory) DraftsNotice(ev sentinel.Event) string {
	if m == nil || !m.Config.Scribe.Enabled {
		return ""
	}
	return scribe.Notice(m.Dir, sessionID(ev), m.Notice)
}
