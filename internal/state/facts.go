package state

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/agentsentinel/sentinel/internal/facts"
	"github.com/agentsentinel/sentinel/internal/filelock"
	"github.com/agentsentinel/sentinel/internal/safefile"
)

// Facts keeps what sessions did in a tree, a line for each fact, in one file for the tree: a
// file that one session writes is not what another has tested. It may be used concurrently,
// by many processes, and waits for no lock.
//
// Each line is sealed with the user's key: another program could say that the tests ran. See
// factchain.go for what a seal covers.
type Facts struct {
	dir string
	key func() []byte
	now func() time.Time
}

// NewFacts keeps the lines in files of dir, sealed with key. Nothing is touched before the
// first call. A nil now means time.Now.
func NewFacts(dir string, key func() []byte, now func() time.Time) *Facts {
	if now == nil {
		now = time.Now
	}
	return &Facts{dir, key, now}
}

const (
	// maxFacts is from where the file of a tree is put aside, in bytes. There is one older
	// file, so that a session of 5,000 calls takes less than a megabyte.
	maxFacts    = 440 << 10
	factsAge    = 8 * 24 * time.Hour
	maxFactText = 1 << 10 // bytes
	maxFactList = 64      // files of one call; of more the folders are kept
)

// Kinds of lines that are not facts by themselves.
const (
	factEnd   facts.Kind = 'e' // a call is done
	factAsked facts.Kind = 'q' // a rule asked about a call; Text is its id
	factLost  facts.Kind = 'l' // older lines were forgotten
	factTask  facts.Kind = 'g' // a call goes on when it is done; Text is the agent's name for it
)

// everyFile means files whose names are too long or forgotten: any pattern matches it.
const everyFile = "**"

// A FactCall says which call facts are of.
type FactCall struct {
	Tree    string // absolute
	Session string
	Call    uint64 // tells the calls of a session apart
	Part    bool   // of a subagent
	Task    string // the agent's name for its command, where that goes on
}

// Begin keeps what a call that may go on is about to do: runs, which count from here, what a person
// has approved, and the ids of rules that ask about it.
func (f *Facts) Begin(c FactCall, runs []facts.Fact, asked []string) error {
	for _, id := range asked {
		runs = append(runs, facts.Fact{Kind: factAsked, Text: id})
	}
	return f.add(c, runs)
}

// Done keeps what a call has done. result is what its end tells of runs that [Facts.Begin]
// kept; 0 keeps no end.
func (f *Facts) Done(c FactCall, did []facts.Fact, result facts.Result) error {
	did = facts.Fewer(did, maxFactList)
	if result != 0 {
		did = append(did, facts.Fact{Kind: factEnd, Result: result})
	}
	if result == facts.Running && c.Task != "" {
		did = append(did, facts.Fact{Kind: factTask, Text: c.Task})
	}
	return f.add(c, did)
}

// Ended keeps what came of a command of the session that went on when its call was done: c.Task.
func (f *Facts) Ended(c FactCall, result facts.Result) error {
	r, err := f.reader(c.Tree, c.Session)
	if err != nil {
		return err
	}
	at, latest := "", 0
	for call, line := range r.tasks {
		end := r.ends[call]
		if end.line != nil && facts.Result(end.line[factFlags]) == facts.Running && r.task(call) == c.Task && line.order > latest {
			at, latest = call, line.order
		}
	}
	if latest == 0 {
		return nil
	}
	if c.Call, err = strconv.ParseUint(at, 16, 64); err != nil {
		return err
	}
	return f.add(c, []facts.Fact{{Kind: factEnd, Result: result, Below: true}})
}

// End keeps that a turn of the session ended.
func (f *Facts) End(c FactCall) error { return f.add(c, []facts.Fact{{Kind: facts.Ended}}) }

func (f *Facts) add(c FactCall, list []facts.Fact) error {
	if len(list) == 0 {
		return nil
	}
	key := f.key()
	if len(key) == 0 {
		return ErrNoKey
	}
	path := f.path(c.Tree)
	end, cut, err := f.ending(c.Tree)
	if err != nil {
		return err
	}
	file, lost, err := f.open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	before, torn, empty := lastSeal(file, path)
	if empty {
		f.pruneFacts()
	}
	if !end.found {
		if err := writeEnding(key, path, before, f.now()); err != nil {
			return err
		}
	}
	for _, mark := range []struct {
		is   bool
		kind facts.Kind
	}{{cut, factCut}, {empty || !end.found, factKept}, {lost, factLost}} {
		if mark.is {
			list = slices.Insert(list, 0, facts.Fact{Kind: mark.kind})
		}
	}
	seal, err := f.chain(file, newTraceSeal(key, factSealed, filepath.Base(path)), c, list, before, torn)
	if err != nil {
		return err
	}
	return writeEnding(key, path, seal, f.now())
}

// maxTail is how much of the end of a file is looked at, in bytes.
const maxTail = 8 << 10

// Latest is the last line of a tree that tells what was done; "" where there is none. An
// effect that a call is about to have does not count: the call may have two hooks.
func (f *Facts) Latest(tree string) (line string) {
	for one := range bytes.Lines(tailOf(f.path(tree))) {
		if kind := facts.Kind(one[0]); kind != facts.Ran && kind != facts.Near && kind != facts.Head && kind != facts.Reflog && kind != factAsked && kind != factCut && kind != factKept {
			line = string(one)
		}
	}
	return line
}

func (f *Facts) path(tree string) string { return filepath.Join(f.dir, fileName("facts", tree)) }

// open opens the file for another line. lost says that it was started again, and that lines
// were forgotten for it.
func (f *Facts) open(path string) (file *os.File, lost bool, err error) {
	file, info, err := safefile.OpenAppend(path, 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		if err = os.MkdirAll(f.dir, 0o700); err == nil {
			file, info, err = safefile.OpenAppend(path, 0o600)
		}
	}
	if err != nil || info.Size() <= maxFacts || errors.Is(filelock.Try(file), filelock.ErrHeld) {
		return file, false, err
	}
	_, older := os.Lstat(path + olderFile)
	if isNamed(file, path) && os.Rename(path, path+olderFile) != nil {
		return file, false, nil // one line too many does no harm
	}
	file.Close()
	file, _, err = safefile.OpenAppend(path, 0o600)
	return file, older == nil, err
}

// The parts of a line have fixed places:
//
//	KIND SESSION TIME FLAGS CALL "TEXT" SEAL
const (
	factSession = 2
	factTime    = factSession + 16 + 1
	factFlags   = factTime + 16 + 1
	factCall    = factFlags + 3 + 1
	factText    = factCall + 16 + 1
)

func (f *Facts) line(c FactCall, one *facts.Fact) string {
	text := one.Text
	if len(text) > maxFactText {
		text = everyFile
	}
	flags := [3]byte{byte(cmp.Or(one.Result, '-')), flag(one.Below), flag(c.Part)}
	if one.Below && one.Maybe {
		flags[1] = maybeBelow
	}
	if at := stepFlag(one.Kind); one.Step > 0 && one.Step <= facts.MaxStep && at >= 0 {
		flags[at] = stepSigns[one.Step]
	}
	return fmt.Sprintf("%c %016x %016x %s %016x %s", one.Kind, CallDigest(c.Session), uint64(f.now().UnixMicro()), flags[:], c.Call, strconv.Quote(text))
}

// stepSigns are the signs of steps up to [facts.MaxStep].
const stepSigns = "-123456789abcdefghijklmnopqrstuvwxyz"

// stepFlag is the place of a step among the flags: a run has no folder, and a write no result.
func stepFlag(kind facts.Kind) int {
	switch kind {
	case facts.Ran:
		return 1
	case facts.Wrote:
		return 0
	}
	return -1
}

// maybeBelow is the flag of a write that may have changed what is below its path.
const maybeBelow = '~'

func flag(set bool) byte {
	if set {
		return '+'
	}
	return '-'
}

// Read returns the facts of a session in a tree, with what others wrote there; session ""
// takes those of all sessions for its own. tells says that the agent tells results.
func (f *Facts) Read(tree, session string, tells bool) (*facts.Facts, error) {
	r, err := f.reader(tree, session)
	if err != nil {
		return nil, err
	}
	r.tells = tells
	return &facts.Facts{All: r.facts(), Now: f.now(), Broken: r.broken, First: r.first, Began: r.began}, nil
}

// readLines takes the lines of a tree as they are.
func (f *Facts) readLines(key []byte, tree, session string) (*factReader, error) {
	r := &factReader{
		seal: newTraceSeal(key, factSealed, filepath.Base(f.path(tree))),
		last: map[factKey]int{}, ends: map[string]factLine{}, tasks: map[string]factLine{}, begun: map[string][2]int{},
	}
	if session != "" {
		r.session = fmt.Sprintf("%016x", CallDigest(session))
	}
	for _, name := range []string{f.path(tree) + olderFile, f.path(tree)} {
		data, err := Read(name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		for line := range bytes.Lines(data) {
			r.take(line)
		}
	}
	r.whole = len(r.all)
	return r, nil
}

// A factReader reads the lines of a tree. Of lines that say the same the last one counts,
// and only those are verified: a line about a write needs no seal, since it never makes a
// rule content.
type factReader struct {
	seal    *traceSeal
	session string
	tells   bool
	order   int
	all     [][]byte        // by order
	seals   [][]byte        // of them
	tries   int             // seals that were computed
	lost    bool            // lines before the first one were forgotten
	cut     bool            // lines behind the last one were cut off
	first   int             // the order of the first line of the session; 0 for none
	began   time.Time       // its time
	kept    int             // the order of a line from which on the end is kept; 0 for none
	bad     int             // the last line before which lines were cut off, or that is not where it was written
	last    map[factKey]int // in lines
	lines   []factLine
	ends    map[string]factLine // by call
	tasks   map[string]factLine // of calls that went on, by call
	begun   map[string][2]int   // by session and call: the orders of the first and of the last line of its latest beginning
	runs    []factLine

	lock  sync.Mutex // of broken
	whole int        // behind this order each line is where it was written
}

// Lines with the same factKey replace each other: the last one counts.
type factKey struct {
	kind  facts.Kind
	other bool
	flags [3]byte
	call  int
	text  string // quoted
}

type factLine struct {
	line  []byte
	order int
	other bool
	call  int // of its beginning; 0 where that has no line
}

func (r *factReader) take(line []byte) {
	if len(line) == 1 && line[0] == '\n' || line[len(line)-1] != '\n' { // two processes ended a torn line, or one is writing it
		return
	}
	r.order++
	r.all, r.seals = append(r.all, line), append(r.seals, sealOf(line))
	cut := len(line) - 2*traceSum - 2
	if cut < factText || line[len(line)-1] != '\n' {
		return // torn
	}
	one := factLine{line: line, order: r.order, other: r.session != "" && string(line[factSession:factTime-1]) != r.session}
	kind := facts.Kind(line[0])
	r.lost = r.lost || kind == factLost
	if r.first == 0 && !one.other {
		r.first, r.began = r.order, timeOf(line)
	}
	switch {
	case kind == factCut:
		r.bad = r.order
		return
	case kind == factKept:
		if r.verified(line, r.order) {
			r.kept = r.order
		}
		return
	}
	if kind == facts.Ran || kind == facts.Wrote && line[factFlags] != '-' {
		one.call = r.begins(line, kind)
	}
	switch {
	case one.other && kind != facts.Wrote && kind != factLost:
	case kind == facts.Ran, kind == factAsked:
		r.runs = append(r.runs, one)
	case kind == factEnd:
		r.ends[string(line[factCall:factText-1])] = one
	case kind == factTask:
		r.tasks[string(line[factCall:factText-1])] = one
	default: // most lines are of files that were written before: no key is made for them
		flags, call := [3]byte(line[factFlags:factCall-1]), one.call
		if kind == facts.Head || kind == facts.Reflog { // each one counts: the first behind a line is asked for
			call = r.order
		}
		if at, ok := r.last[factKey{kind, one.other, flags, call, string(line[factText:cut])}]; ok {
			r.lines[at] = one
			return
		}
		r.last[factKey{kind, one.other, flags, call, string(line[factText:cut])}] = len(r.lines)
		r.lines = append(r.lines, one)
	}
}

// timeOf is when a line was written.
func timeOf(line []byte) time.Time {
	at, _ := strconv.ParseUint(string(line[factTime:factFlags-1]), 16, 63)
	return time.UnixMicro(int64(at))
}

// begins is the order of the first line of the beginning that a line belongs to: the lines of a
// beginning are written at once. A call that is made again has another beginning.
func (r *factReader) begins(line []byte, kind facts.Kind) int {
	call := string(line[factSession:factTime-1]) + string(line[factCall:factText-1])
	at := r.begun[call]
	if kind == facts.Ran {
		if at[1] != r.order-1 || at[1] == 0 {
			at[0] = r.order
		}
		at[1] = r.order
		r.begun[call] = at
	}
	return at[0]
}

// facts are those of the lines that were taken.
func (r *factReader) facts() (all []facts.Fact) {
	for _, one := range r.lines {
		if fact, ok := r.fact(one); ok {
			all = append(all, fact)
		}
	}
	last := map[facts.Fact]facts.Fact{}
	for _, one := range r.runs {
		if fact, ok := r.run(one); ok {
			last[fact.Kept()] = fact
		}
	}
	for _, fact := range last {
		all = append(all, fact)
	}
	slices.SortFunc(all, func(a, b facts.Fact) int { return cmp.Compare(a.Order, b.Order) })
	return all
}

// fact is what a line says; ok is false where it does not verify, and that matters.
func (r *factReader) fact(one factLine) (fact facts.Fact, ok bool) {
	kind := facts.Kind(one.line[0])
	if kind == factLost {
		return facts.Fact{Kind: facts.Wrote, Text: everyFile, Order: one.order}, true
	}
	if kind != facts.Wrote {
		if !r.verified(one.line, one.order) {
			return fact, false
		}
	}
	said, err := strconv.Unquote(string(one.line[factText : len(one.line)-2*traceSum-2]))
	if err != nil {
		return fact, false
	}
	fact = facts.Fact{
		Kind: kind, Text: said, Order: one.order, At: timeOf(one.line), Result: facts.Result(one.line[factFlags]),
		Below: one.line[factFlags+1] == '+' || one.line[factFlags+1] == maybeBelow, Maybe: one.line[factFlags+1] == maybeBelow, Part: one.line[factFlags+2] == '+', Other: one.other, Call: one.call,
	}
	if flag := stepFlag(kind); flag >= 0 {
		fact.Step = max(0, bytes.IndexByte([]byte(stepSigns), one.line[factFlags+flag]))
	}
	return fact, true
}

// run is what came of a run, or of a question; ok is false where it did not end.
func (r *factReader) run(one factLine) (fact facts.Fact, ok bool) {
	if fact, ok = r.fact(one); !ok {
		return fact, false
	}
	end, ended := r.ends[string(one.line[factCall:factText-1])]
	if ended = ended && end.order > one.order; ended {
		ended = r.verified(end.line, end.order)
	}
	if ended {
		if end.line[factFlags+1] == '-' {
			fact.Done = timeOf(end.line)
		} // when one ended that went on is not told
	}
	var came facts.Result
	if ended {
		came = facts.Result(end.line[factFlags])
	}
	switch {
	case fact.Kind == factAsked:
		fact.Kind = facts.Approved
		return fact, ended && came != facts.Declined && came != facts.Doubtful
	case came == facts.Declined:
		return fact, false
	case came == facts.Doubtful:
		fact.Result = facts.Failed
	case came == facts.Unknown && fact.Result == facts.Hidden:
	case ended && came != facts.Succeeded:
		if fact.Result = came; came == facts.Running {
			fact.Task = r.task(string(one.line[factCall : factText-1]))
		}
	case !ended && r.tells:
		return fact, false // it was cancelled, or goes on
	case !ended && fact.Result == facts.Succeeded:
		fact.Result = facts.Unknown
	}
	return fact, true
}

// task is the agent's name for the command of a call that goes on.
func (r *factReader) task(call string) string {
	line, ok := r.tasks[call]
	if !ok {
		return ""
	}
	if !r.verified(line.line, line.order) {
		return ""
	}
	fact, _ := r.fact(line)
	return fact.Text
}
