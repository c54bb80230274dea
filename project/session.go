package project

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/contextacc"
	"github.com/agentsentinel/sentinel/gpulock"
	"github.com/agentsentinel/sentinel/internal/digest"
	"github.com/agentsentinel/sentinel/internal/state"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/scribe"
	"github.com/agentsentinel/sentinel/secret"
	"github.com/agentsentinel/sentinel/telemetry"
)

// The memory of a session belongs to the project that its agent works in, the
// nearest one: its configuration says whether and by whom a summary is written,
// and the summary lies in its .sentinel folder. The user's own folder has none,
// so that nothing appears in repositories without Sentinel.

// sessionID is the name of an event's session. An agent that names none has one
// session in a project, which a start begins anew.
func sessionID(ev sentinel.Event) string {
	if ev.Session == "" {
		return "_" + ev.Agent
	}
	return ev.Session
}

// sessionDir is the folder of an event's session.
func (f *Folder) sessionDir(ev sentinel.Event) string {
	return filepath.Dir(gpulock.SessionPath(f.base(), sessionID(ev)))
}

// remembers reports whether summaries of sessions are written here. The builtin
// judge writes none.
func (f *Folder) remembers() bool {
	return f.Config.Context.Enabled && f.Config.ContextBackend() != sentinel.Builtin
}

// sessionContext is the summary of an event's session, "" when there is none: a
// session of which nothing is known yet is no fault.
func (p *Project) sessionContext(_ context.Context, ev sentinel.Event) string {
	f := p.nearest()
	if f == nil {
		return ""
	}
	s, err := contextacc.Load(f.sessionDir(ev))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		p.opts.Logger.Debug("sentinel: the summary of the session is not used", "error", err)
	}
	return s.Text()
}

// HasSessionWork reports whether there is anything to do behind an event about the
// course of a session, by a process that nobody waits for: see [Project.SessionWork].
func (p *Project) HasSessionWork(phase sentinel.Phase) bool {
	switch phase {
	case sentinel.PhaseStart, sentinel.PhaseStop, sentinel.PhaseEnd:
	default:
		return false
	}
	if f := p.nearest(); f != nil && f.learns() {
		return true
	}
	return phase == sentinel.PhaseStart && slices.ContainsFunc(p.Folders, func(f *Folder) bool {
		return slices.ContainsFunc(f.models(), func(m model) bool { return isWarmed(&p.opts, m.backend) })
	})
}

// SessionWork does what stands behind an event about the course of a session, in
// a process that nobody waits for. At the start models are loaded, and sessions of
// this project whose end nobody saw are caught up with; at each stop the summary is
// brought up to date; and at the end, or for an agent that tells none at each stop,
// the Scribe looks for conventions. It is an error when something should have been
// done and was not; whatever it is, the next call tries it again.
func (p *Project) SessionWork(ctx context.Context, ev sentinel.Event) error {
	if p.opts.NoModel {
		return nil
	}
	switch ev.Phase {
	case sentinel.PhaseStart:
		p.forgetOldSessions()
		return errors.Join(p.Warm(ctx), p.catchUp(ctx, ev))
	case sentinel.PhaseStop:
		return p.workOn(ctx, p.knownSession(ev), !tellsEnd(ev.Agent))
	case sentinel.PhaseEnd:
		return p.workOn(ctx, p.knownSession(ev), true)
	}
	return nil
}

// tellsEnd reports whether an agent has an event for the end of a session.
func tellsEnd(agent string) bool {
	switch agent {
	case "amazonq", "vscode", "windsurf":
		return false
	}
	return true
}

// workOn brings a session up to date and, where it is over, learns from it. It
// notes how far the transcript was seen by both.
func (p *Project) workOn(ctx context.Context, s knownSession, over bool) error {
	size := fileSize(s.Transcript)
	if size < 0 {
		return nil // no transcript is known, or it is gone
	}
	err := p.summarize(ctx, s)
	if err == nil {
		s.Summarized = size
	}
	if over {
		done, failed := p.reflect(ctx, s)
		if done {
			s.Reflected = size
		}
		err = errors.Join(err, failed)
	}
	return errors.Join(err, p.keepSession(s))
}

// reflect has the Scribe look for conventions in what is new of a session. It is
// neither done nor a fault when another process is at it.
func (p *Project) reflect(ctx context.Context, s knownSession) (done bool, err error) {
	f := p.nearest()
	if f == nil || !f.reflects() {
		return true, nil
	}
	opts, err := p.Scribe(f, s.Session)
	if err != nil {
		return false, err
	}
	start := p.opts.now()
	res, err := scribe.Reflect(ctx, scribe.Session{ID: s.Session, Agent: s.reader(), Transcript: s.Transcript}, opts)
	if res.Calls == 0 && errors.Is(err, sentinel.ErrBusy) {
		return false, nil
	}
	done = err == nil
	if res.Calls > 0 || err != nil {
		r := p.workRecord(telemetry.LevelScribe, s, err, p.opts.now().Sub(start))
		r.Backend, r.Model = f.Config.Backend, f.Config.ExtractionModel()
		r.PromptTokens, r.OutputTokens = res.PromptTokens, res.OutputTokens
		r.Reason = fmt.Sprintf("%d conventions found, %d drafts written", res.Found, len(res.Drafts))
		err = errors.Join(err, p.recordWork(r))
	}
	return done, err
}

// summarize brings the summary of a session up to date.
func (p *Project) summarize(ctx context.Context, s knownSession) error {
	f := p.nearest()
	if f == nil || !f.remembers() {
		return nil
	}
	c := &f.Config
	b, err := p.Asker(f, s.Session)(c.ContextBackend())
	if err != nil {
		return err
	}
	start := p.opts.now()
	res, err := contextacc.Update(ctx, contextacc.Session{Dir: f.sessionDir(s.event()), Agent: s.reader(), Transcript: s.Transcript}, &contextacc.Options{
		Backend: b, Model: c.ContextModel(), MinEvents: c.Context.MinEvents, MaxWords: c.Context.SummaryMaxWords,
		LockDir: p.opts.stateFolder("summarizing"), FenceKey: p.opts.fenceKey(), Now: p.opts.now, Logger: p.opts.Logger,
	})
	if res.Written || err != nil {
		r := p.workRecord(telemetry.LevelContext, s, err, p.opts.now().Sub(start))
		r.Backend, r.Model, r.Cached = res.Response.Backend, res.Response.Model, res.Response.Cached
		if !r.Cached {
			r.PromptTokens, r.OutputTokens = res.Response.PromptTokens, res.Response.OutputTokens
		}
		err = errors.Join(err, p.recordWork(r))
	}
	return err
}

// workRecord is a line of the log about work behind a session. What could not be
// had at the moment is skipped, as with rules.
func (p *Project) workRecord(level string, s knownSession, failed error, took time.Duration) telemetry.Record {
	r := telemetry.Record{
		Time: p.opts.now().UTC().Truncate(time.Second), Level: level, Outcome: sentinel.OutcomePass.String(),
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

func (p *Project) recordWork(r telemetry.Record) error {
	f, path := p.log()
	if f == nil || p.opts.NoLog {
		return nil
	}
	return p.appendLog(f, path, []telemetry.Record{r})
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

// isBehind reports whether there is something in the transcript that was not seen
// by whoever is to see it now: the Scribe waits until the session is over.
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
	// noteRepeat is after how long the same note is kept again.
	noteRepeat = 24 * time.Hour
	// maxCatchUp bounds how many sessions one start looks after.
	maxCatchUp = 3
)

// stateFolder is a folder of the user's state, "" where nothing can be kept.
func (o *Options) stateFolder(names ...string) string {
	if o.StateDir == "" {
		return ""
	}
	return filepath.Join(append([]string{o.StateDir}, names...)...)
}

// sessionsDir is where the sessions of the nearest project are remembered, "" for
// nowhere.
func (p *Project) sessionsDir() string {
	f := p.nearest()
	if f == nil {
		return ""
	}
	return p.opts.stateFolder("sessions", digest.Hex(resolve(f.Root)))
}

// KeepSession remembers where the transcript of an event's session is: the end of
// a session does not tell it in every agent, and may never be told at all.
func (p *Project) KeepSession(ev sentinel.Event) error {
	if p.sessionsDir() == "" || ev.Transcript == "" && p.journalPath(ev) == "" {
		return nil
	}
	s := p.knownSession(ev)
	if s.Transcript == "" {
		return nil
	}
	return p.keepSession(s)
}

func (p *Project) keepSession(s knownSession) error {
	dir := p.sessionsDir()
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
	state.Prune(dir, sessionAge, p.opts.now())
	return state.Write(path, data)
}

// knownSession is what is known of an event's session: what the event says, and
// else what was remembered.
func (p *Project) knownSession(ev sentinel.Event) knownSession {
	s := knownSession{Agent: ev.Agent, Session: sessionID(ev)}
	if dir := p.sessionsDir(); dir != "" {
		if old, ok := readSession(filepath.Join(dir, digest.Hex(s.Session))); ok && old.Session == s.Session {
			s = old
		}
	}
	switch {
	case ev.Transcript != "" && readable(ev.Agent):
		s.Transcript = ev.Transcript
	case p.journalPath(ev) != "" && fileSize(p.journalPath(ev)) >= 0:
		s.Transcript = p.journalPath(ev)
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
func (p *Project) catchUp(ctx context.Context, ev sentinel.Event) error {
	dir := p.sessionsDir()
	if dir == "" {
		return nil
	}
	for _, kept := range []string{dir, p.opts.stateFolder("journals")} {
		state.Prune(kept, sessionAge, p.opts.now())
	}
	var errs []error
	for _, s := range behind(dir, p.opts.now()) {
		if s.Session == sessionID(ev) && ev.Session == "" {
			continue // it begins anew
		}
		if len(errs) == maxCatchUp || ctx.Err() != nil {
			break
		}
		errs = append(errs, p.workOn(ctx, s, s.Session != sessionID(ev) && s.quiet(p.opts.now())))
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

// fileSize is the size of a regular file in bytes, below 0 when there is none.
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

// BeginSession forgets what belongs to an earlier session: for an agent that names
// none, all of its memory. The start of a session calls it.
func (p *Project) BeginSession(ev sentinel.Event) error {
	f := p.nearest()
	if f == nil || ev.Session != "" {
		return nil
	}
	err := contextacc.Forget(f.sessionDir(ev))
	if path := p.journalPath(ev); path != "" {
		if removed := os.Remove(path); !errors.Is(removed, fs.ErrNotExist) {
			err = errors.Join(err, removed)
		}
	}
	if err != nil {
		return fmt.Errorf("project: the memory of the session before: %w", err)
	}
	return nil
}

// KeyNames are the environment variables that the configuration names: what a
// process that asks its backends needs beside the usual ones.
func (p *Project) KeyNames() []string {
	var names []string
	for _, f := range p.Folders {
		for _, name := range [...]string{f.Config.Backends.OpenAI.APIKeyEnv, f.Config.Backends.Anthropic.APIKeyEnv} {
			if name != "" {
				names = append(names, name)
			}
		}
	}
	return names
}

// DraftsNotice is the line that tells a session, once, of the draft rules that wait
// for a person; "" when there is nothing to tell.
func (p *Project) DraftsNotice(ev sentinel.Event) string {
	f := p.nearest()
	if f == nil || !f.Config.Scribe.Enabled {
		return ""
	}
	return scribe.Notice(f.Dir, sessionID(ev), p.NoticeOptions(f))
}

// NoteOnce is [Project.Note] for what may happen again with every turn of an agent:
// the same text is kept once a day.
func (p *Project) NoteOnce(kind, agent, text string) error {
	if p.opts.StateDir == "" || p.opts.toldTexts().Told("notes", kind+" "+agent, text, noteRepeat) {
		return nil
	}
	return p.Note(kind, agent, text)
}
