package project

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/digest"
	"github.com/agentsentinel/sentinel/internal/facts"
	"github.com/agentsentinel/sentinel/internal/gitindex"
	"github.com/agentsentinel/sentinel/internal/gitobject"
	"github.com/agentsentinel/sentinel/internal/gitread"
	"github.com/agentsentinel/sentinel/internal/lazy"
	"github.com/agentsentinel/sentinel/internal/record"
	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/internal/state"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/internal/transcript"
	"github.com/agentsentinel/sentinel/rule"
	"github.com/agentsentinel/sentinel/shell"
)

// Past keeps what sessions do, for rules and commands that look back: facts for rules about
// an order of calls, the actions of a turn, what the person asked for, and which calls a
// hook has answered. It is safe for concurrent use.
type Past struct{ project *Project }

// Rules may say what a session must have done before. For them facts are kept, where there
// is such a rule: see state.Facts.

// pastFacts is where facts are kept; nil where nothing can be kept.
func (p *Project) pastFacts() *state.Facts {
	dir := p.opts.stateFolder("facts")
	if dir == "" {
		return nil
	}
	return state.NewFacts(dir, p.opts.fenceKey, p.opts.Now)
}

// tree is the folder whose facts the rules of a part are about.
func (d *Docket) tree(part *Part) string {
	f := part.Folder
	if f.User {
		f = d.project.nearest()
	}
	if f == nil {
		return cmp.Or(d.Event.Root, d.Event.Dir)
	}
	return f.at()
}

// factCall says which call facts of a part are of.
func (d *Docket) factCall(part *Part) state.FactCall {
	ev := &d.Event
	call := state.CallDigest(ev.Tool.ID)
	if call == 0 {
		call = state.ArgsDigest(ev.Tool.Args) | 1
	}
	return state.FactCall{Tree: d.tree(part), Session: ev.Session, Call: call, Part: ev.Tool.Part}
}

// pastVersion is what was done last, as far as rules of the part ask: a commit that was
// stopped is another one when the tests have run.
func (d *Docket) pastVersion(part *Part) string {
	kept := d.project.pastFacts()
	if n := part.Folder.rules.needs(); kept == nil || n.Empty() || d.Event.Phase != sentinel.PhasePre {
		return ""
	}
	return kept.Latest(d.tree(part))
}

// needing calls do with each part whose rules ask about facts, once for each tree, with
// what all of them need; not at all where nothing can be kept.
func (d *Docket) needing(do func(kept *state.Facts, part *Part, n *rule.Needs) error) (err error) {
	if d.Event.Session == "" {
		return nil
	}
	var trees []string
	for i := range d.Parts {
		n := d.Parts[i].Folder.rules.needs()
		tree := d.tree(&d.Parts[i])
		if n.Empty() || slices.Contains(trees, tree) {
			continue
		}
		kept := d.project.pastFacts()
		if kept == nil {
			return nil
		}
		trees = append(trees, tree)
		for j := range d.Parts[i+1:] {
			if other := &d.Parts[i+1+j]; d.tree(other) == tree {
				more := other.Folder.rules.needs()
				n.Add(&more)
			}
		}
		err = errors.Join(err, do(kept, &d.Parts[i], &n))
	}
	return err
}

// Begin keeps what a call is about to do that the decision lets go on, or that a person
// may let go on.
func (*Past) Begin(d *Docket, decision *sentinel.Decision) error {
	if decision.Verdict == sentinel.VerdictBlock {
		return nil
	}
	var asked []string
	var approved []facts.Fact
	for i := range decision.Findings {
		f := &decision.Findings[i]
		byCode := f.Waived && f.Outcome == sentinel.OutcomeViolation
		if byCode && decision.Verdict < sentinel.VerdictAsk { // whatever comes of the call
			approved = append(approved, facts.Fact{Kind: facts.Approved, Text: f.Rule.ID})
		} else if byCode || f.Verdict == sentinel.VerdictAsk {
			asked = append(asked, f.Rule.ID)
		}
	}
	return d.needing(func(kept *state.Facts, part *Part, n *rule.Needs) error {
		if !n.Asked {
			asked, approved = nil, nil
		}
		runs := n.Before(part.Actions)
		if n.Commits(part.Actions) {
			runs = append(runs, d.lastCommit(part)...)
		}
		return kept.Begin(d.factCall(part), append(runs, approved...), asked)
	})
}

// lastCommit returns facts about the folder of a part: its last commit, and a mark of what was checked out before. It
// returns none if git's files cannot be read.
func (d *Docket) lastCommit(part *Part) []facts.Fact {
	_, git, err := gitindex.Tree(d.tree(part))
	if err != nil || git == "" {
		return nil
	}
	name, err := gitobject.Last(git)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		name = facts.NoCommit
	case err != nil:
		return nil
	}
	begins := []facts.Fact{{Kind: facts.Head, Text: name}}
	if mark := gitread.Mark(git); mark != "" {
		begins = append(begins, facts.Fact{Kind: facts.Reflog, Text: mark})
	}
	return begins
}

// results are what is kept of what came of a command.
var results = [...]facts.Result{
	sentinel.ResultUnknown: facts.Unknown, sentinel.ResultSucceeded: facts.Succeeded, sentinel.ResultFailed: facts.Failed, sentinel.ResultRunning: facts.Running,
}

// Done keeps what a call has done, and what came of it. Where the event does not tell
// that, the agent's record of the session may, in the format inRecord.
func (*Past) Done(d *Docket, inRecord string) error {
	ev := &d.Event
	return d.needing(func(kept *state.Facts, part *Part, n *rule.Needs) error {
		call, result := d.factCall(part), facts.Result(0)
		call.Task = cmp.Or(ev.Tool.Task, ev.Tool.ID)
		ran := slices.ContainsFunc(n.Before(part.Actions), func(f facts.Fact) bool { return f.Kind == facts.Ran })
		if ran || n.Asked {
			result = came(ev, part.Actions, inRecord)
		}
		did := slices.DeleteFunc(n.After(part.Actions, ev.Tool.Failed, foldsCase()), func(f facts.Fact) bool {
			return f.Kind == facts.Read && isGone(part.Actions[0].Root, f.Text)
		})
		err := kept.Done(call, did, result)
		if !ran && ev.Tool.Task != "" && ended(ev.Tool.Result) {
			err = errors.Join(err, kept.Ended(call, results[ev.Tool.Result]))
		}
		return err
	})
}

// isGone reports whether a file of a fact does not exist, so that it was not read: `cat FILE || true`.
func isGone(root, name string) bool {
	if !filepath.IsAbs(name) && !filepath.IsLocal(name) || strings.HasPrefix(name, "~") {
		return false
	}
	_, err := os.Lstat(safefile.Rooted(root, name))
	return safefile.Missing(err)
}

// came is what came of a call.
func came(ev *sentinel.Event, actions []sentinel.Action, inRecord string) facts.Result {
	result := ev.Tool.Result
	switch {
	case ev.Tool.Failed:
		return failure(ev, actions)
	case !slices.ContainsFunc(actions, func(a sentinel.Action) bool { return a.Trigger == sentinel.Bash }):
		return facts.Succeeded
	case inBackground(ev.Tool.Args):
		return facts.Running
	case result == sentinel.ResultUnknown && inRecord != "":
		result = transcript.ResultOf(ev.Transcript, inRecord, ev.Tool.ID)
	}
	return results[result]
}

var (
	// statusFirst is how the text of a failure begins where an agent tells with which status a command ended.
	statusFirst = lazy.Regexp{Source: `^(?i:(?:error: |command )?exit(?:ed)?(?: with)? (?:code|status):? -?[0-9]+\b)`}
	// statusIn is such a status anywhere, and declining are words with which agents tell that a call was not
	// let run.
	statusIn  = lazy.Regexp{Source: `(?i)\bexit(?:ed)?\b[^\n]{0,20}\b(?:code|status)\b`}
	declining = lazy.Regexp{Source: `(?i)permission|denied|reject|declin|refus|disallow|not allowed|want to|cancel|abort|interrupt|grant`}
)

// maxRefusal bounds the words of a refusal, in characters.
const maxRefusal = 500

// failure is what came of a call that failed, or that was not let run: agents tell a refusal of the user as a
// failure, too, in whatever words. Only a command whose text begins with its status is sure to have run.
func failure(ev *sentinel.Event, actions []sentinel.Action) facts.Result {
	said := text.Cut(ev.Tool.Output, maxRefusal)
	command := slices.ContainsFunc(actions, func(a sentinel.Action) bool { return a.Trigger == sentinel.Bash })
	switch {
	case command && statusFirst.Get().MatchString(said):
		return facts.Failed
	case said == "", declining.Get().MatchString(said) && !(command && statusIn.Get().MatchString(said)):
		return facts.Declined
	}
	return facts.Doubtful
}

// ended reports whether a result is an end.
func ended(r sentinel.Result) bool {
	return r == sentinel.ResultSucceeded || r == sentinel.ResultFailed
}

// maxLateEnds bounds the commands whose ends are looked for, the last first.
const maxLateEnds = 4

// lateEnds keeps the ends of commands that went on, where the agent's record of the session has
// them by now. It reports whether there was one.
func (d *Docket) lateEnds(kept *state.Facts, part *Part, known *facts.Facts) (found bool) {
	looked := 0
	for _, f := range slices.Backward(known.All) {
		if f.Task == "" || f.Other || looked == maxLateEnds {
			continue
		}
		looked++
		if result := transcript.ResultOf(d.Event.Transcript, d.project.opts.Record, f.Task); ended(result) {
			call := d.factCall(part)
			call.Task = f.Task
			found = kept.Ended(call, results[result]) == nil || found
		}
	}
	return found
}

// backgroundKeys are arguments of shell tools that run a command without waiting for it.
var backgroundKeys = []string{"run_in_background", "is_background", "isBackground", "background", "async", "detach"}

// inBackground reports whether the arguments of a call say that its command is not waited
// for.
func inBackground(args json.RawMessage) (background bool) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(args, &fields) != nil {
		return false
	}
	return slices.ContainsFunc(backgroundKeys, func(key string) bool {
		value := string(fields[key])
		return value != "" && value != "false" && value != "null" && value != `"false"` && value != "0"
	})
}

// End keeps that the turn ended.
func (*Past) End(d *Docket) error {
	return d.needing(func(kept *state.Facts, part *Part, n *rule.Needs) error {
		if !n.Turned {
			return nil
		}
		return kept.End(d.factCall(part))
	})
}

// committer is the agent of a commit that a person makes.
const committer = "commit"

// session is what the rules of a part may know of the session; of a commit that a person
// makes, what all sessions did in the tree. It is read when a rule asks.
func (d *Docket) session(ctx context.Context, part *Part) *facts.Session {
	s := &facts.Session{}
	if trace := d.project.Past().Trace(); trace != nil {
		id := d.Event.Session
		s.MadeAt, s.StartedAt = trace.Created(id), func() time.Time { return trace.Started(id) }
	}
	kept := d.project.pastFacts()
	if kept == nil || d.Event.Session == "" && d.Event.Agent != committer {
		return s
	}
	s.Past = sync.OnceValues(func() (*facts.Facts, error) {
		read := func() (*facts.Facts, error) {
			return kept.Read(d.tree(part), d.Event.Session, d.project.opts.TellsResults)
		}
		known, err := read()
		if err == nil && d.lateEnds(kept, part, known) {
			known, err = read()
		}
		if err == nil {
			known.Exists = func(path string) bool { _, err := os.Stat(path); return err == nil }
			known.Newer = func(path string, after time.Time, want func(string) bool) bool {
				return newer(d.tree(part), path, after, want)
			}
			known.Tree, known.Inside = d.trees(ctx, d.tree(part)).At, insides(part.Actions)
		}
		return known, err
	})
	return s
}

// insides returns a function that tells the files which actions of a line put below a folder. Names of files
// that are not known are left out.
func insides(actions []sentinel.Action) func(folder string) []string {
	known := sync.OnceValue(func() map[string][]string {
		all := map[string][]string{}
		for i := range actions {
			a := &actions[i]
			if a.Trigger != sentinel.FileWrite || a.DerivedFrom == "" || a.Op == sentinel.OpDelete {
				continue
			}
			for _, form := range a.Forms {
				if strings.HasPrefix(form, a.Path+"/") && !strings.ContainsAny(form, "*?[{") {
					all[a.Path] = append(all[a.Path], form)
				}
			}
		}
		return all
	})
	return func(folder string) []string { return known()[folder] }
}

// Bounds of what newer looks at: files and folders, and how far the times of files are behind the
// clock.
const (
	maxNewer  = 20_000
	fileClock = 20 * time.Millisecond
)

// unlooked are folders that only programs write in.
var unlooked = [...]string{".git", "node_modules", ".venv", "__pycache__"}

// newer reports whether a file of a tree that want accepts, at a path or below it, was changed
// after a time, or cannot be looked at.
func newer(tree, path string, after time.Time, want func(string) bool) bool {
	seen, found := 0, false
	top := filepath.Join(tree, filepath.FromSlash(path))
	err := filepath.WalkDir(top, func(full string, e fs.DirEntry, err error) error {
		rel, relErr := filepath.Rel(tree, full)
		if seen++; err != nil || relErr != nil || seen > maxNewer {
			found = true
			return fs.SkipAll
		}
		if e.IsDir() && full != top && slices.Contains(unlooked[:], e.Name()) {
			return fs.SkipDir
		}
		if e.IsDir() || !want(filepath.ToSlash(rel)) {
			return nil
		}
		info, err := e.Info()
		if found = err != nil || info.ModTime().After(after.Add(-fileClock)); found {
			return fs.SkipAll
		}
		return nil
	})
	return found || err != nil
}

// Trace is where it is kept that hooks answered calls; nil where nothing can be kept.
func (k *Past) Trace() *state.Trace {
	p := k.project
	if p.opts.StateDir == "" || p.opts.NoLog {
		return nil
	}
	return state.NewTrace(p.opts.stateFolder("traces"), p.opts.fenceKey, p.opts.Now)
}

// takenTime bounds how long git may take to say what a commit takes.
const takenTime = time.Second

// trees are the work trees of a project that lies in a folder, for its rules. An index that git
// names is that of a commit whose hook this program is: of a call of an agent it says nothing.
func (d *Docket) trees(ctx context.Context, root string) *gitread.Trees {
	t := &gitread.Trees{Ctx: ctx, Root: root, Limit: takenTime}
	if d.Event.Agent == committer {
		t.Index = os.Getenv("GIT_INDEX_FILE")
	}
	return t
}

// maxCreates bounds the actions of a call that are looked at.
const maxCreates = 256

// Creates are the files that the call makes and that are not there yet: absolute, without
// symbolic links. A file that a command moves does not count, since it was there under another name,
// nor does a file of a line in which a command may not run.
func (d *Docket) Creates() (paths []string) {
	if len(d.Parts) == 0 {
		return nil
	}
	actions := d.Parts[0].Actions
	if slices.ContainsFunc(actions, func(a sentinel.Action) bool {
		return a.Op == sentinel.OpMove || a.Command != nil && !simple(a.Command)
	}) {
		return nil
	}
	for i := range actions[:min(len(actions), maxCreates)] {
		a := &actions[i]
		if a.Trigger != sentinel.FileWrite || a.Op != sentinel.OpCreate || !a.Certain {
			continue
		}
		path := safefile.Rooted(a.Root, a.Path)
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			paths = append(paths, filepath.Join(safefile.Resolve(filepath.Dir(path)), filepath.Base(path)))
		}
	}
	return paths
}

// simple reports whether a line is one command that runs in any case.
func simple(line *shell.Line) bool {
	if len(line.Commands) != 1 || line.Unparsed != "" || line.Bounded {
		return false
	}
	c := &line.Commands[0]
	return len(c.Wrappers) == 0 && !c.Background && strings.TrimSpace(line.Text[:c.Span.Start]) == ""
}

// Book is where calls, notes and prompts are recorded here.
func (k *Past) Book() *record.Book {
	p := k.project
	b := &record.Book{
		StateDir: p.opts.StateDir, Now: p.opts.Now, Logger: p.opts.Logger, Off: p.opts.NoLog,
		Log: p.written,
	}
	if f := p.Nearest(); f != nil {
		b.Prompts = p.opts.stateFolder("prompts", digest.Hex(f.realDir())+".jsonl")
		b.PromptsMB = f.Config.LogMaxMB
	}
	if f := p.nearest(); f != nil {
		b.Root = f.Root
	}
	return b
}

// written is the log of this project as it is written.
func (p *Project) written() record.Log {
	f, path := p.log()
	if p.opts.Sink != nil {
		log := record.Log{Sink: p.opts.Sink, Threshold: sentinel.DefaultThreshold}
		if f = cmp.Or(f, p.Nearest()); f != nil {
			log.Threshold = threshold(&f.Config)
		}
		return log
	}
	if f == nil {
		return record.Log{}
	}
	return f.logAt(path)
}

// logAt says how the log at path is written, which belongs to f.
func (f *Folder) logAt(path string) record.Log {
	c := &f.Config
	log := record.Log{Path: path, MaxMB: c.LogMaxMB, Keep: c.LogKeep, Threshold: threshold(c)}
	if base := f.logBase(); safefile.Within(path, base) {
		log.Within = base
	}
	return log
}

// Record writes the decision on an event where calls are recorded here, and notes a tool
// that is not known.
func (p *Project) Record(ev sentinel.Event, d sentinel.Decision) error {
	book := p.Past().Book()
	var err error
	if d.Unknown && len(p.Folders) > 0 {
		err = book.Note("unknown-tool", ev.Agent, ev.Tool.Name)
	}
	if d.Quiet() {
		return err // the usual call: not even a log is looked for
	}
	return errors.Join(err, book.Write(record.Of(p.opts.now(), ev, d), d, ev))
}
