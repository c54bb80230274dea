package install

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
)

// merge makes wants the only entries of ours in a file. An empty text makes a new
// one. Entries that are there already, in whatever layout, stay as they are;
// those of an older version are brought up to date in their place.
func (f Form) merge(text []byte, wants []Want) ([]byte, error) {
	members := f.Head
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("{}\n")
		members = slices.Concat(f.Born, f.Head)
	}
	text, err := f.withMembers(text, members)
	if err != nil {
		return nil, err
	}
	nth := map[string]int{}
	for _, w := range wants {
		if text, err = f.register(text, w, nth[w.Event]); err != nil {
			return nil, err
		}
		nth[w.Event]++
	}
	return f.takeOut(text, func(e entry) bool { return e.nth >= nth[e.event] })
}

// remove takes all entries of ours out, and what is empty because of that. It
// returns nil when no setting of others is left: then the file can go.
func (f Form) remove(text []byte) ([]byte, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return text, nil
	}
	out, err := f.takeOut(text, func(entry) bool { return true })
	if err != nil || bytes.Equal(out, text) {
		return text, err
	}
	d, err := parseDocument(out, f.Dialect)
	if err != nil {
		return nil, err
	}
	if len(d.notes) == 0 && f.onlyHead(d) {
		return nil, nil
	}
	return out, nil
}

// withMembers adds the members that are missing.
func (f Form) withMembers(text []byte, members Object) ([]byte, error) {
	for _, p := range members {
		d, err := parseDocument(text, f.Dialect)
		if err != nil {
			return nil, err
		}
		if _, ok, err := d.member(d.root, p.Key); err != nil {
			return nil, err
		} else if !ok {
			text = d.appendTo(d.root, func(l layout) string { return p.render(l) })
		}
	}
	return text, nil
}

// onlyHead reports whether a document holds nothing but the members of a new file.
func (f Form) onlyHead(d *document) bool {
	for i, key := range d.root.keys {
		same := func(p Pair) bool {
			return p.Key == key && sameJSON(d.meant(d.root.items[i]), render(p.Value, layout{flat: true}))
		}
		if !slices.ContainsFunc(f.Head, same) && !slices.ContainsFunc(f.Born, same) {
			return false
		}
	}
	return true
}

// same reports whether two files say the same, our own leftovers aside: the
// members of a new file, and what was empty before us.
func (f Form) same(a, b []byte) bool {
	va, na := f.said(a)
	vb, nb := f.said(b)
	return va != nil && vb != nil && na == nb && reflect.DeepEqual(va, vb)
}

// said returns what a file says, and its comments.
func (f Form) said(text []byte) (all map[string]any, notes string) {
	if len(bytes.TrimSpace(text)) == 0 {
		return map[string]any{}, ""
	}
	d, err := parseDocument(text, f.Dialect)
	if err != nil || json.Unmarshal([]byte(d.meant(d.root)), &all) != nil {
		return nil, ""
	}
	for _, p := range slices.Concat(f.Born, f.Head) {
		delete(all, p.Key)
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
func (f Form) register(text []byte, w Want, nth int) ([]byte, error) {
	// A handler in a group with others would give them our matcher: it moves out.
	text, err := f.takeOut(text, func(e entry) bool {
		return e.event == w.Event && f.Shape == Nested && len(e.handlers.items) > 1
	})
	if err != nil {
		return nil, err
	}
	d, entries, err := f.read(text)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if e.event == w.Event && e.nth == nth {
			return f.update(d, e, w), nil
		}
	}
	return f.insert(d, w)
}

// insert appends the entry, with the list and the object around it if they are
// not there yet.
func (f Form) insert(d *document, w Want) ([]byte, error) {
	put := func(parent node, p Pair) []byte {
		return d.appendTo(parent, func(l layout) string { return p.render(l) })
	}
	hooks, ok, err := d.member(d.root, "hooks")
	switch {
	case err != nil:
		return nil, err
	case !ok && f.Shape == Listed:
		return put(d.root, Pair{"hooks", Array{w.Item}}), nil
	case !ok:
		return put(d.root, Pair{"hooks", Object{{w.Event, Array{w.Item}}}}), nil
	}
	list := hooks
	if f.Shape != Listed {
		if list, ok, err = d.member(hooks, w.Event); err != nil {
			return nil, err
		} else if !ok {
			return put(hooks, Pair{w.Event, Array{w.Item}}), nil
		}
	}
	return d.appendTo(list, func(l layout) string { return w.Item.render(l) }), nil
}

// update brings one entry up to date in its place. Keys that we never write are a
// user's, and are kept.
func (f Form) update(d *document, e entry, w Want) []byte {
	fresh := f.withOthers(d, w.Item, e.item)
	if f.Shape == Nested {
		handler := f.withOthers(d, fresh.at("hooks").(Array)[0], e.handler)
		fresh.set("hooks", Array{handler})
	}
	l := d.layoutOf(e.item.start)
	text := fresh.render(l)
	if sameJSON(d.meant(e.item), text) {
		return d.text
	}
	return d.replace(e.item.start, e.item.end, text)
}

// withOthers returns o with the members of old that are not ours. Of a member that is
// only a proposal of ours the user's value stays.
func (f Form) withOthers(d *document, o Object, old node) Object {
	o = slices.Clone(o)
	for i, key := range old.keys {
		switch value := Raw(d.raw(old.items[i])); {
		case f.owned(key):
		case o.at(key) != nil:
			o.set(key, value)
		default:
			o = append(o, Pair{key, value})
		}
	}
	return o
}

// owned are the keys of a handler that Sentinel writes.
func (f Form) owned(key string) bool {
	switch key {
	case "type", "command", "args", "exec", "timeout", "onFailure", "matcher", "hooks",
		"bash", "powershell", "timeoutSec", "failClosed", "timeout_ms", "name", "trigger", "action":
		return true
	}
	return slices.Contains(f.Keys, key)
}

// An entry is one handler of ours and its position.
type entry struct {
	event                   string
	nth                     int // among our entries of the same event
	hooks, list             node
	item                    node // of the list: the group, or the handler itself
	handlers, handler       node // handlers: of the nested shape
	inHooks, inList, inItem int  // index of the event, of the item and of the handler
}

// entries finds all handlers of ours.
func (f Form) entries(d *document) ([]entry, error) {
	hooks, ok, err := d.member(d.root, "hooks")
	if err != nil || !ok {
		return nil, err
	}
	if f.Shape == Listed {
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

// entriesOf finds those in one list. An entry that does not look like a
// handler is not ours, and stays.
func (f Form) entriesOf(d *document, e entry) (found []entry, err error) {
	nth := map[string]int{}
	for i, item := range e.list.items {
		handlers := []node{item}
		if f.Shape == Nested {
			if e.handlers, _, err = d.member(item, "hooks"); err != nil {
				return nil, err
			}
			if e.handlers.kind != '[' {
				continue
			}
			handlers = e.handlers.items
		}
		for j, h := range handlers {
			ours, err := d.ours(h, f.isOurs())
			if err != nil {
				return nil, err
			}
			if !ours {
				continue
			}
			if f.Shape == Listed {
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

// isOurs tells the commands that the form is about.
func (f Form) isOurs() func(command string, args []string) bool {
	if f.python {
		return IsPython
	}
	return func(command string, args []string) bool { return IsOurs(f.own, command, args) }
}

// ours reports whether a handler starts `sentinel hook`, or what isOurs says, on any
// system.
func (d *document) ours(handler node, isOurs func(command string, args []string) bool) (bool, error) {
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
	return d.ours(action, isOurs)
}

func (f Form) read(text []byte) (*document, []entry, error) {
	d, err := parseDocument(text, f.Dialect)
	if err != nil {
		return nil, nil, err
	}
	entries, err := f.entries(d)
	return d, entries, err
}

// takeOut removes the entries that are chosen, one after the other, and with
// each what it alone kept from being empty.
func (f Form) takeOut(text []byte, choose func(entry) bool) ([]byte, error) {
	for {
		d, entries, err := f.read(text)
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

// without removes an entry. A list with a comment of a user is not removed,
// even if it is empty then.
func (f Form) without(d *document, e entry) []byte {
	if f.Shape == Nested && !d.alone(e.handlers, e.handler) {
		return d.remove(e.handlers, e.inItem)
	}
	if !d.alone(e.list, e.item) {
		return d.remove(e.list, e.inList)
	}
	if f.Shape != Listed && !d.alone(e.hooks, e.list) {
		return d.remove(e.hooks, e.inHooks)
	}
	return d.remove(d.root, slices.Index(d.root.keys, "hooks"))
}

// alone reports whether a container holds nothing but one item.
func (d *document) alone(container, item node) bool {
	return len(container.items) == 1 && !d.noted(container.start, item.start) && !d.noted(item.end, container.end)
}

// at returns a member's value, nil if there is none.
func (o Object) at(key string) any {
	for _, p := range o {
		if p.Key == key {
			return p.Value
		}
	}
	return nil
}

// set exchanges a member's value.
func (o Object) set(key string, value any) {
	for i := range o {
		if o[i].Key == key {
			o[i].Value = value
		}
	}
}

// sameJSON compares what two texts mean.
func sameJSON(a, b string) bool {
	var va, vb any
	return json.Unmarshal([]byte(a), &va) == nil && json.Unmarshal([]byte(b), &vb) == nil && reflect.DeepEqual(va, vb)
}
