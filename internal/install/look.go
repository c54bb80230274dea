package install

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agentsentinel/sentinel/internal/digest"
	"github.com/agentsentinel/sentinel/internal/safefile"
)

// A Registration is what a settings file says about hooks, for a caller that only
// looks.
type Registration struct {
	Target
	Found   bool     // the file is there
	Entries []Entry  // that start Sentinel's hook
	Others  []Entry  // whose command names sentinel in another way; a user composed them
	Missing []string // events that [Plan] would register and the file does not have
	// Lacks are tools that [Plan] would have the hook called for and that no entry covers;
	// "mcp__*", for example, means every name that begins so.
	Lacks []string
	// Current says that [Plan] would change nothing, the path of the program aside;
	// where that is written from the home folder it cannot be compared.
	Current bool
	// Off says, in the agent's own words, what in the file keeps every hook from
	// running.
	Off []string
	// Sum is a digest of the entries as they are written, with the groups that they are
	// in; "" without one.
	Sum string
	// Changed says that a file which is Sentinel's as a whole is not as Sentinel
	// wrote it.
	Changed bool

	covered coverage
}

// Covers reports whether the hook is started before calls of a tool, as far as the
// file's matchers say.
func (r *Registration) Covers(tool string) bool {
	if r.covered == nil {
		return len(r.Entries) > 0 // a script decides itself
	}
	for event, matchers := range r.covered {
		if r.Settings.IsBefore(event) && slices.ContainsFunc(matchers, func(m string) bool { return accepts(m, tool) }) {
			return true
		}
	}
	return false
}

// Has reports whether the hook is registered for an event.
func (r *Registration) Has(event string) bool {
	return slices.ContainsFunc(r.Entries, func(e Entry) bool { return e.Event == event })
}

// PluginEvent is the event of an entry that a plugin starts, for all its events.
const PluginEvent = "plugin"

// An Entry is one registered command.
type Entry struct {
	Event string // as the agent calls it
	Line  int    // in the file, from 1; 0 when the file is not a list of entries
	// Command is the line that Shell reads or, when Args is not nil, a program
	// that is started with them.
	Command string
	Args    []string
	Shell   Shell
	// Timeout is how long the agent waits; 0 when the file does not say.
	Timeout time.Duration

	own string // what this program is called
}

// maxSettings bounds a settings file, in bytes. Agents' own files have kilobytes;
// Claude Code's can hold long lists of permissions.
const maxSettings = 4 << 20

// Look reads t.File and says what it registers on the system that h names. h is
// what would be registered now, from which Missing and Current follow.
//
// The file may be a symbolic link, as people's own settings often are, but one
// that leads out of t.Root is an error. So is a file that cannot be read or is not
// what the agent reads: then the error names it, with line and column where there
// are any. A missing file is not an error.
func Look(t Target, h Hook) (Registration, error) {
	r := Registration{Target: t}
	a := t.Settings
	h.Name = t.Program
	if !a.Known() {
		return r, fmt.Errorf("install: agent %q has no settings file that is known here", t.Agent)
	}
	if absent(t.File) {
		return r, nil
	}
	text, err := t.text()
	if err != nil {
		return r, err
	}
	r.Found = true
	if a.Script != nil {
		r.lookAtScript(text, h)
		return r, nil
	}
	if err := r.lookAtHooks(text, h); err != nil {
		return r, named(t.File, err)
	}
	if a.Off != nil {
		r.Off = a.Off(text)
	}
	return r, nil
}

// text reads the file, whose name and place a repository may have chosen.
func (t Target) text() ([]byte, error) {
	real, err := filepath.EvalSymlinks(t.File)
	if err != nil {
		if _, linkErr := os.Lstat(t.File); linkErr == nil && errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("install: %s is a symbolic link that leads nowhere", t.File)
		}
		return nil, reading(t.File, err)
	}
	if t.Root != "" {
		root, err := filepath.EvalSymlinks(t.Root)
		if err != nil {
			return nil, reading(t.Root, err)
		}
		if rel, err := filepath.Rel(root, real); err != nil || !filepath.IsLocal(rel) {
			return nil, fmt.Errorf("install: %s leads out of the repository, to %s; put a file in its place", t.File, real)
		}
	}
	info, err := os.Stat(real)
	switch {
	case err != nil:
		return nil, reading(t.File, err)
	case info.IsDir():
		return nil, fmt.Errorf("install: %s is a directory; want a file", t.File)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("install: %s is not a regular file", t.File)
	case info.Size() > maxSettings:
		return nil, fmt.Errorf("install: %s has %d bytes; agents' settings are not larger than %d", t.File, info.Size(), maxSettings)
	}
	text, err := safefile.Read(real, maxSettings)
	if err != nil {
		return nil, reading(t.File, err)
	}
	return text, nil
}

// reading says why a file cannot be read, by the name that a person knows it by.
func reading(file string, err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return fmt.Errorf("install: %s cannot be read: %w", file, err)
}

// lookAtHooks reads a file that is a list of hooks.
func (r *Registration) lookAtHooks(text []byte, h Hook) error {
	f := r.Settings.formFor(r.File, r.Program)
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("{}")
	}
	d, err := parseDocument(text, f.Dialect)
	if err != nil {
		return err
	}
	handlers, err := f.handlers(d)
	if err != nil {
		return err
	}
	has, covered, written := map[string]bool{}, coverage{}, ""
	for _, at := range handlers {
		e, ok := d.entryOf(at, f, h.System())
		if e.Args == nil {
			e.Shell = r.Settings.shell(h.System())
		}
		switch {
		case at.ours:
			r.Entries = append(r.Entries, e)
			has[at.event] = true
			covered.add(d, at)
			written += at.event + " " + d.compact(at.item) + "\n"
		case ok && mentions(e):
			r.Others = append(r.Others, e)
		}
	}
	if len(r.Entries) == 0 {
		return nil
	}
	r.Sum = digest.Hex(written)
	h = h.as(r.Entries[0])
	wants := r.Settings.Wants(r.File, h)
	for _, w := range wants {
		if !has[w.Event] {
			r.Missing = append(r.Missing, w.Event)
			has[w.Event] = true
		}
	}
	r.Lacks, r.covered = covered.lacks(wants), covered
	merged, err := f.merge(text, wants)
	call, _ := r.Entries[0].Call()
	r.Current = err == nil && (call.Home || bytes.Equal(merged, text))
	return nil
}

// compact is a value in whatever layout it is written.
func (d *document) compact(n node) string {
	var b bytes.Buffer
	if json.Compact(&b, []byte(d.meant(n))) != nil {
		return d.raw(n)
	}
	return b.String()
}

// as is h with the program of an entry, because users may keep it where they like.
func (h Hook) as(e Entry) Hook {
	call, _ := e.Call()
	if call.Program == "" || call.Program == sentinelName || call.Home {
		return h
	}
	if p := (Hook{Program: call.Program, Name: h.Name, GOOS: h.GOOS}); p.check() == nil {
		h.Program, h.Command, h.Args = call.Program, "", nil
	}
	return h
}

// A handlerAt is a handler and its position.
type handlerAt struct {
	event string
	item  node // of the event's list: the handler itself, or its group
	node  node
	ours  bool
}

// handlers finds all handlers of a file, ours and others'.
func (f Form) handlers(d *document) (all []handlerAt, err error) {
	if _, err := f.entries(d); err != nil { // its complaints are about the form of the file
		return nil, err
	}
	hooks, ok, err := d.member(d.root, "hooks")
	if err != nil || !ok {
		return nil, err
	}
	lists := hooks.items
	if f.Shape == Listed {
		lists = []node{hooks}
	}
	for i, list := range lists {
		event := ""
		if f.Shape != Listed {
			event = hooks.keys[i]
		}
		for _, item := range list.items {
			for _, h := range f.handlersOf(d, item) {
				ours, err := d.ours(h, f.isOurs())
				if err != nil {
					return nil, err
				}
				if f.Shape == Listed {
					trigger, _, _ := d.member(h, "trigger")
					event = d.str(trigger)
				}
				all = append(all, handlerAt{event, item, h, ours})
			}
		}
	}
	return all, nil
}

// handlersOf are the handlers of one item of a list: itself, or those of a group.
func (f Form) handlersOf(d *document, item node) []node {
	if f.Shape != Nested {
		return []node{item}
	}
	if inner, _, err := d.member(item, "hooks"); err == nil && inner.kind == '[' {
		return inner.items
	}
	return nil
}

// entryOf reads a handler as the agent does on the system goos. ok is false when
// it has no command there.
func (d *document) entryOf(at handlerAt, f Form, goos string) (e Entry, ok bool) {
	e = Entry{own: f.own, Event: at.event, Line: bytes.Count(d.text[:at.node.start], []byte("\n")) + 1}
	handler := at.node
	if action, ok, err := d.member(handler, "action"); err == nil && ok {
		handler = action
	}
	for _, key := range commandKeys(goos) {
		if command, has, err := d.member(handler, key); err == nil && has && command.kind == '"' {
			e.Command, ok = d.str(command), true
			break
		}
	}
	if list, has, err := d.member(handler, "args"); err == nil && has && list.kind == '[' {
		e.Args = []string{}
		for _, item := range list.items {
			e.Args = append(e.Args, d.str(item))
		}
	}
	for _, key := range []string{"timeoutSec", "timeout_ms", "timeout"} {
		if n, has, err := d.member(at.node, key); err == nil && has && n.kind == 0 {
			e.Timeout = TimeoutOf(d.meant(n), f.unitOf(key))
			break
		}
	}
	return e, ok
}

// commandKeys are the members that hold a handler's command, that of the system
// first.
func commandKeys(goos string) []string {
	switch goos {
	case "windows":
		return []string{"windows", "commandWindows", "powershell", "command", "exec"}
	case "darwin":
		return []string{"osx", "bash", "command", "exec"}
	}
	return []string{"linux", "bash", "command", "exec"}
}

// unitOf is the unit of a member that holds a timeout.
func (f Form) unitOf(key string) time.Duration {
	switch {
	case key == "timeout_ms":
		return time.Millisecond
	case key == "timeout" && f.Unit != 0:
		return f.Unit
	}
	return time.Second
}

// TimeoutOf reads a number, bounded so that no arithmetic with it overflows.
func TimeoutOf(text string, unit time.Duration) time.Duration {
	var n float64
	if json.Unmarshal([]byte(text), &n) != nil || n <= 0 {
		return 0
	}
	const most = 1e4 * float64(time.Hour)
	return time.Duration(math.Min(n*float64(unit), most))
}

// mentions reports whether an entry that is not Sentinel's names it all the same.
func mentions(e Entry) bool {
	return strings.Contains(strings.ToLower(strings.Join(append([]string{e.Command}, e.Args...), " ")), "sentinel")
}

// lookAtScript reads a file that is Sentinel's as a whole, or a user's own in its
// place.
func (r *Registration) lookAtScript(text []byte, h Hook) {
	text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	e, found := r.Settings.ReadScript(r.File, string(text), r.Program)
	e.own = r.Program
	switch owner := whose(text); {
	case !found && bytes.Contains(bytes.ToLower(text), []byte("sentinel")):
		r.Others = []Entry{{Event: e.Event, Command: filepath.Base(r.File)}}
	case !found:
	default:
		r.Entries, r.Changed, r.Sum = []Entry{e}, owner != untouched, digest.Hex(text)
		same := func(h Hook) bool { return bytes.Equal(r.Settings.Script(r.File, h.as(e)).render(), text) }
		if r.Current = same(h); !r.Current {
			r.Lacks = scriptLacks(h, same)
		}
	}
}
