package install

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// A shape is how an agent's file holds its hooks.
type shape uint8

const (
	nested shape = iota // hooks.EVENT[] are groups with a matcher; their hooks[] are the handlers
	flat                // hooks.EVENT[] are the handlers
	listed              // hooks[] are the handlers; each names its event as its trigger
)

// A form is what has to be known of an agent's file to edit it.
type form struct {
	shape   shape
	dialect dialect
	head    object // members that the agent wants beside hooks
	born    object // members of a new file: in one that is there already they would say something untrue
}

// A want is one entry that is to stand under an event: a handler, or in the
// nested shape a group with one handler.
type want struct {
	event string
	item  object
}

// inGroup makes the nested shape's group; matcher is "" for an event that has no
// tool.
func inGroup(event, matcher string, handler object) want {
	if matcher == "" {
		return want{event, object{{"hooks", array{handler}}}}
	}
	return want{event, object{{"matcher", quote(matcher)}, {"hooks", array{handler}}}}
}

// merge makes wants the only entries of ours in a file. An empty text makes a new
// one. Entries that are there already, in whatever layout, stay as they are;
// those of an older version are brought up to date in their place.
func (f form) merge(text []byte, wants []want) ([]byte, error) {
	members := f.head
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("{}\n")
		members = slices.Concat(f.born, f.head)
	}
	text, err := f.withMembers(text, members)
	if err != nil {
		return nil, err
	}
	nth := map[string]int{}
	for _, w := range wants {
		if text, err = f.register(text, w, nth[w.event]); err != nil {
			return nil, err
		}
		nth[w.event]++
	}
	return f.takeOut(text, func(e entry) bool { return e.nth >= nth[e.event] })
}

// remove takes all entries of ours out, and what is empty because of that. It
// returns nil when nothing of anybody else's is left: then the file can go.
func (f form) remove(text []byte) ([]byte, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return text, nil
	}
	out, err := f.takeOut(text, func(entry) bool { return true })
	if err != nil || bytes.Equal(out, text) {
		return text, err
	}
	d, err := parseDocument(out, f.dialect)
	if err != nil {
		return nil, err
	}
	if len(d.notes) == 0 && f.onlyHead(d) {
		return nil, nil
	}
	return out, nil
}

// withMembers adds the members that are missing.
func (f form) withMembers(text []byte, members object) ([]byte, error) {
	for _, p := range members {
		d, err := parseDocument(text, f.dialect)
		if err != nil {
			return nil, err
		}
		if _, ok, err := d.member(d.root, p.key); err != nil {
			return nil, err
		} else if !ok {
			text = d.appendTo(d.root, func(l layout) string { return p.render(l) })
		}
	}
	return text, nil
}

// onlyHead reports whether a document holds nothing but the members of a new file.
func (f form) onlyHead(d *document) bool {
	for i, key := range d.root.keys {
		same := func(p pair) bool { return p.key == key && sameJSON(d.meant(d.root.items[i]), textOf(p.value)) }
		if !slices.ContainsFunc(f.head, same) && !slices.ContainsFunc(f.born, same) {
			return false
		}
	}
	return true
}

func textOf(value any) string {
	switch v := value.(type) {
	case object:
		return v.render(layout{flat: true})
	case array:
		return v.render(layout{flat: true})
	}
	text, _ := value.(string)
	return text
}

// same reports whether two files say the same, what we leave behind aside: the
// members of a new file, and what was empty before us.
func (f form) same(a, b []byte) bool {
	va, na := f.said(a)
	vb, nb := f.said(b)
	return va != nil && vb != nil && na == nb && reflect.DeepEqual(va, vb)
}

// said returns what a file says, and its comments.
func (f form) said(text []byte) (all map[string]any, notes string) {
	if len(bytes.TrimSpace(text)) == 0 {
		return map[string]any{}, ""
	}
	d, err := parseDocument(text, f.dialect)
	if err != nil || json.Unmarshal([]byte(d.meant(d.root)), &all) != nil {
		return nil, ""
	}
	for _, p := range slices.Concat(f.born, f.head) {
		delete(all, p.key)
	}
	switch hooks := all["hooks"].(type) {
	case map[string]any:
		maps.DeleteFunc(hooks, func(_ string, list any) bool { return reflect.DeepEqual(list, []any{}) })
		if len(hooks) == 0 {
			delete(all, "hooks")
		}
	case []any:
		if len(hooks) == 0 {
			delete(all, "hooks")
		}
	}
	return all, d.allNotes()
}

// register makes w the nth entry of ours under its event.
func (f form) register(text []byte, w want, nth int) ([]byte, error) {
	// A handler in a group with others would give them our matcher: it moves out.
	text, err := f.takeOut(text, func(e entry) bool {
		return e.event == w.event && f.shape == nested && len(e.handlers.items) > 1
	})
	if err != nil {
		return nil, err
	}
	d, err := parseDocument(text, f.dialect)
	if err != nil {
		return nil, err
	}
	entries, err := f.entries(d)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if e.event == w.event && e.nth == nth {
			return f.update(d, e, w), nil
		}
	}
	return f.insert(d, w)
}

// insert appends the entry, with the list and the object around it if they are
// not there yet.
func (f form) insert(d *document, w want) ([]byte, error) {
	put := func(parent node, p pair) []byte {
		return d.appendTo(parent, func(l layout) string { return p.render(l) })
	}
	hooks, ok, err := d.member(d.root, "hooks")
	switch {
	case err != nil:
		return nil, err
	case !ok && f.shape == listed:
		return put(d.root, pair{"hooks", array{w.item}}), nil
	case !ok:
		return put(d.root, pair{"hooks", object{{w.event, array{w.item}}}}), nil
	}
	list := hooks
	if f.shape != listed {
		if list, ok, err = d.member(hooks, w.event); err != nil {
			return nil, err
		} else if !ok {
			return put(hooks, pair{w.event, array{w.item}}), nil
		}
	}
	return d.appendTo(list, func(l layout) string { return w.item.render(l) }), nil
}

// update brings one entry up to date where it stands. Keys that we never write
// are a person's, and are kept.
func (f form) update(d *document, e entry, w want) []byte {
	fresh := d.withOthers(w.item, e.item)
	if f.shape == nested {
		handler := d.withOthers(fresh.at("hooks").(array)[0], e.handler)
		fresh.set("hooks", array{handler})
	}
	l := d.layoutOf(e.item.start)
	text := fresh.render(l)
	if sameJSON(d.meant(e.item), text) {
		return d.text
	}
	return d.replace(e.item.start, e.item.end, text)
}

// withOthers returns o with the members of old that are not ours.
func (d *document) withOthers(o object, old node) object {
	o = slices.Clone(o)
	for i, key := range old.keys {
		if !owned(key) {
			o = append(o, pair{key, d.raw(old.items[i])})
		}
	}
	return o
}

// owned are the keys that we write, for whichever agent.
func owned(key string) bool {
	switch key {
	case "type", "command", "args", "exec", "timeout", "onFailure", "matcher", "hooks", // Claude Code, Codex, Qwen Code
		"bash", "powershell", "timeoutSec", // Copilot, VS Code
		"failClosed", "timeout_ms", // Cursor, Amazon Q
		"name", "trigger", "action": // Gemini CLI, Kiro
		return true
	}
	return false
}

// An entry is one handler of ours and where it stands.
type entry struct {
	event                   string
	nth                     int // among our entries of the same event
	hooks, list             node
	item                    node // of the list: the group, or the handler itself
	handlers, handler       node // handlers: of the nested shape
	inHooks, inList, inItem int  // index of the event, of the item and of the handler
}

// entries finds all handlers of ours.
func (f form) entries(d *document) ([]entry, error) {
	hooks, ok, err := d.member(d.root, "hooks")
	if err != nil || !ok {
		return nil, err
	}
	if f.shape == listed {
		if hooks.kind != '[' {
			return nil, problemAt(d.text, hooks.start, `"hooks" must be a list`)
		}
		return f.entriesOf(d, entry{hooks: hooks, list: hooks})
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
		found, err := f.entriesOf(d, entry{event: event, hooks: hooks, list: list, inHooks: i})
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// entriesOf finds those in one list. What does not look like a handler is not
// ours, and is left alone.
func (f form) entriesOf(d *document, e entry) (found []entry, err error) {
	nth := map[string]int{}
	for i, item := range e.list.items {
		handlers := []node{item}
		if f.shape == nested {
			if e.handlers, _, err = d.member(item, "hooks"); err != nil {
				return nil, err
			}
			if e.handlers.kind != '[' {
				continue
			}
			handlers = e.handlers.items
		}
		for j, h := range handlers {
			ours, err := d.ours(h)
			if err != nil {
				return nil, err
			}
			if !ours {
				continue
			}
			if f.shape == listed {
				trigger, _, err := d.member(h, "trigger")
				if err != nil {
					return nil, err
				}
				e.event = d.str(trigger)
			}
			e.item, e.handler, e.inList, e.inItem, e.nth = item, h, i, j, nth[e.event]
			found = append(found, e)
			nth[e.event]++
		}
	}
	return found, nil
}

// ours reports whether a handler starts `sentinel hook`, on any system.
func (d *document) ours(handler node) (bool, error) {
	var args []string
	list, _, err := d.member(handler, "args")
	if err != nil {
		return false, err
	}
	if list.kind == '[' {
		args = []string{}
		for _, item := range list.items {
			args = append(args, d.str(item))
		}
	}
	for _, key := range []string{"command", "exec", "bash", "powershell", "linux", "osx", "windows", "commandWindows"} {
		command, ok, err := d.member(handler, key)
		if err != nil {
			return false, err
		}
		if ok && isOurs(d.str(command), args) {
			return true, nil
		}
	}
	action, ok, err := d.member(handler, "action")
	if err != nil || !ok {
		return false, err
	}
	return d.ours(action)
}

// takeOut removes the entries that are chosen, one after the other, and with
// each what it alone kept from being empty.
func (f form) takeOut(text []byte, choose func(entry) bool) ([]byte, error) {
	for {
		d, err := parseDocument(text, f.dialect)
		if err != nil {
			return nil, err
		}
		entries, err := f.entries(d)
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(entries, choose)
		if i < 0 {
			return text, nil
		}
		text = f.without(d, entries[i])
	}
}

// without removes an entry. What a person put a comment into is not removed,
// even if it is empty then.
func (f form) without(d *document, e entry) []byte {
	if f.shape == nested && !d.alone(e.handlers, e.handler) {
		return d.remove(e.handlers, e.inItem)
	}
	if !d.alone(e.list, e.item) {
		return d.remove(e.list, e.inList)
	}
	if f.shape != listed && !d.alone(e.hooks, e.list) {
		return d.remove(e.hooks, e.inHooks)
	}
	return d.remove(d.root, slices.Index(d.root.keys, "hooks"))
}

// alone reports whether a container holds nothing but one item.
func (d *document) alone(container, item node) bool {
	return len(container.items) == 1 && !d.noted(container.start, item.start) && !d.noted(item.end, container.end)
}

// at returns a member's value, nil if there is none.
func (o object) at(key string) any {
	for _, p := range o {
		if p.key == key {
			return p.value
		}
	}
	return nil
}

// set exchanges a member's value.
func (o object) set(key string, value any) {
	for i := range o {
		if o[i].key == key {
			o[i].value = value
		}
	}
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
