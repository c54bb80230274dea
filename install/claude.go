package install

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"
)

// Claude returns Claude Code's settings with the hook registered for the tools
// that write, run or reach out, before and after they run, and for the end of a
// turn. Empty settings make a new file. Settings that have the hook already,
// in whatever layout, come back unchanged; an entry of an older version is
// brought up to date where it stands, and a second one is taken out.
//
// The error for settings that are not one JSON object, or whose hooks have
// another form than Claude Code's, is a [sentinel.Problem] with line and column.
func Claude(settings []byte, h Hook) ([]byte, error) {
	if err := h.check(); err != nil {
		return nil, err
	}
	if len(bytes.TrimSpace(settings)) == 0 {
		settings = []byte("{}\n")
	}
	wanted := h.groups()
	for _, g := range wanted {
		var err error
		if settings, err = register(settings, g); err != nil {
			return nil, err
		}
	}
	return takeOut(settings, func(e entry) bool {
		return !slices.ContainsFunc(wanted, func(g group) bool { return g.event == e.event })
	})
}

// RemoveClaude returns settings without the entries of Sentinel's hook, and
// without the lists and objects that are empty because of that. It returns nil
// when nothing is left: then the file itself can go.
func RemoveClaude(settings []byte) ([]byte, error) {
	if len(bytes.TrimSpace(settings)) == 0 {
		return settings, nil
	}
	out, err := takeOut(settings, func(entry) bool { return true })
	if err != nil || bytes.Equal(out, settings) {
		return settings, err
	}
	d, err := parseDocument(out)
	if err != nil {
		return nil, err
	}
	if len(d.root.items) == 0 {
		return nil, nil
	}
	return out, nil
}

// A group is what we register for one event: a matcher and one handler.
type group struct {
	event   string
	matcher string // "" for an event that has no tool
	handler object
}

// groups lists what is registered. A matcher of letters, digits and | alone is a
// list of exact names to Claude Code; any other is a regular expression that
// may match anywhere, so that without ^ and $ `Edit` would also match
// `TodoEdit`. onFailure makes a hook that cannot run count as a block; Claude
// Code knows it for the events that can be blocked, and ignores it elsewhere.
func (h Hook) groups() []group {
	tools := "Write|Edit|MultiEdit|NotebookEdit|Bash|PowerShell|Monitor"
	if h.Reads {
		tools += "|Read"
	}
	matcher := "^(" + tools + "|mcp__.*)$"
	pre := h.handler()
	if h.Strict {
		pre = append(pre, pair{"onFailure", `"block"`})
	}
	return []group{
		{"PreToolUse", matcher, pre},
		{"PostToolUse", matcher, h.handler()},
		{"Stop", "", h.handler()},
	}
}

// handler renders the hook's own keys. Claude Code counts the timeout in seconds.
func (h Hook) handler() object {
	timeout := h.Timeout
	if timeout <= 0 {
		timeout = DefaultTimeout
	}
	o := object{{"type", `"command"`}, {"command", quote(h.command())}}
	if h.Args != nil {
		o = append(o, pair{"args", quote(h.Args)})
	}
	return append(o, pair{"timeout", fmt.Sprint(int64(math.Ceil(timeout.Seconds())))})
}

func (h Hook) command() string {
	if h.Command == "" {
		return DefaultCommand
	}
	return h.Command
}

// check refuses a hook that could not be found again.
func (h Hook) check() error {
	if !isOurs(h.command(), h.Args) {
		return fmt.Errorf("install: %q is not a `sentinel hook` command; it could not be recognised and removed later", h.command())
	}
	if h.Timeout > time.Hour {
		return fmt.Errorf("install: a timeout of %v is too long for a hook; at most an hour", h.Timeout)
	}
	return nil
}

// owned are the keys of a handler that we write; a person's others are kept.
func owned(key string) bool {
	return slices.Contains([]string{"type", "command", "args", "timeout", "onFailure"}, key)
}

// register makes want the only entry of ours under its event.
func register(settings []byte, want group) ([]byte, error) {
	settings, err := takeOut(settings, func(e entry) bool {
		return e.event == want.event && (e.nth > 0 || len(e.handlers.items) > 1)
	})
	if err != nil {
		return nil, err
	}
	d, err := parseDocument(settings)
	if err != nil {
		return nil, err
	}
	entries, err := d.entries()
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if e.event == want.event {
			return d.update(e, want)
		}
	}
	return d.insert(want)
}

// insert appends the group, with the list and the object around it if they are
// not there yet.
func (d *document) insert(want group) ([]byte, error) {
	fresh := object{}
	if want.matcher != "" {
		fresh = append(fresh, pair{"matcher", quote(want.matcher)})
	}
	fresh = append(fresh, pair{"hooks", array{want.handler}})

	hooks, ok, err := d.member(d.root, "hooks")
	if err != nil {
		return nil, err
	}
	if !ok {
		all := pair{"hooks", object{{want.event, array{fresh}}}}
		return d.appendTo(d.root, func(l layout) string { return all.render(l) }), nil
	}
	list, ok, err := d.member(hooks, want.event)
	if err != nil {
		return nil, err
	}
	if !ok {
		event := pair{want.event, array{fresh}}
		return d.appendTo(hooks, func(l layout) string { return event.render(l) }), nil
	}
	return d.appendTo(list, func(l layout) string { return fresh.render(l) }), nil
}

// update brings one entry, alone in its group, up to date where it stands.
func (d *document) update(e entry, want group) ([]byte, error) {
	fresh := object{}
	if want.matcher != "" {
		fresh = append(fresh, pair{"matcher", quote(want.matcher)})
	}
	handler := slices.Clone(want.handler)
	for i, key := range e.handler.keys {
		if !owned(key) {
			handler = append(handler, pair{key, d.raw(e.handler.items[i])})
		}
	}
	fresh = append(fresh, pair{"hooks", array{handler}})
	for i, key := range e.group.keys {
		if key != "matcher" && key != "hooks" {
			fresh = append(fresh, pair{key, d.raw(e.group.items[i])})
		}
	}
	l := d.layoutOf(e.group.start)
	text := fresh.render(l)
	if sameJSON(d.raw(e.group), text) {
		return d.text, nil
	}
	return d.replace(e.group.start, e.group.end, text), nil
}

// An entry is one handler of ours and where it stands.
type entry struct {
	event                    string
	nth                      int // among our entries of the same event
	hooks, list              node
	group, handlers, handler node
	inHooks, inList, inGroup int // index of the event, the group and the handler
}

// entries finds all handlers of ours.
func (d *document) entries() ([]entry, error) {
	hooks, ok, err := d.member(d.root, "hooks")
	if err != nil || !ok {
		return nil, err
	}
	if hooks.kind != '{' {
		return nil, problemAt(d.text, hooks.start, `"hooks" must be an object of events`)
	}
	var all []entry
	for i, event := range hooks.keys {
		list, _, err := d.member(hooks, event)
		if err != nil {
			return nil, err
		}
		if list.kind != '[' {
			return nil, problemAt(d.text, list.start, fmt.Sprintf("the hooks of %q must be a list", event))
		}
		found, err := d.entriesOf(entry{event: event, hooks: hooks, list: list, inHooks: i})
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// entriesOf finds those under one event. What does not look like a handler is
// not ours, and is left alone.
func (d *document) entriesOf(e entry) (found []entry, err error) {
	for i, g := range e.list.items {
		handlers, _, err := d.member(g, "hooks")
		if err != nil {
			return nil, err
		}
		if handlers.kind != '[' {
			continue
		}
		for j, h := range handlers.items {
			ours, err := d.ours(h)
			if err != nil {
				return nil, err
			}
			if ours {
				e.group, e.handlers, e.handler, e.inList, e.inGroup = g, handlers, h, i, j
				found = append(found, e)
				e.nth++
			}
		}
	}
	return found, nil
}

func (d *document) ours(handler node) (bool, error) {
	command, ok, err := d.member(handler, "command")
	if err != nil || !ok {
		return false, err
	}
	list, _, err := d.member(handler, "args")
	if err != nil {
		return false, err
	}
	var args []string
	if list.kind == '[' {
		args = []string{}
		for _, item := range list.items {
			args = append(args, d.str(item))
		}
	}
	return isOurs(d.str(command), args), nil
}

// takeOut removes the entries that are chosen, one after the other, and with
// each what it alone kept from being empty.
func takeOut(settings []byte, choose func(entry) bool) ([]byte, error) {
	for {
		d, err := parseDocument(settings)
		if err != nil {
			return nil, err
		}
		entries, err := d.entries()
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(entries, choose)
		if i < 0 {
			return settings, nil
		}
		settings = d.without(entries[i])
	}
}

func (d *document) without(e entry) []byte {
	switch {
	case len(e.handlers.items) > 1:
		return d.remove(e.handlers, e.inGroup)
	case len(e.list.items) > 1:
		return d.remove(e.list, e.inList)
	case len(e.hooks.items) > 1:
		return d.remove(e.hooks, e.inHooks)
	}
	return d.remove(d.root, slices.Index(d.root.keys, "hooks"))
}

// claudeNotes names settings that keep the hook from running.
func claudeNotes(settings []byte) (notes []string) {
	var s struct {
		DisableAllHooks       bool `json:"disableAllHooks"`
		AllowManagedHooksOnly bool `json:"allowManagedHooksOnly"`
	}
	if json.Unmarshal(bytes.TrimPrefix(settings, []byte("\xef\xbb\xbf")), &s) != nil {
		return nil // a value of another type; Claude Code ignores it too
	}
	if s.DisableAllHooks {
		notes = append(notes, `"disableAllHooks" is true in this file: no hook runs, Sentinel's neither`)
	}
	if s.AllowManagedHooksOnly {
		notes = append(notes, `"allowManagedHooksOnly" is true in this file: only hooks of managed settings run`)
	}
	return notes
}

// sameJSON compares what two texts mean.
func sameJSON(a, b string) bool {
	var va, vb any
	return json.Unmarshal([]byte(a), &va) == nil && json.Unmarshal([]byte(b), &vb) == nil && reflect.DeepEqual(va, vb)
}

// quote renders a value that always can be.
func quote(v any) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v)
	return strings.TrimSuffix(b.String(), "\n")
}
