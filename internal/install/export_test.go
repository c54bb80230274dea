package install

import (
	"bytes"
	"encoding/json"
	"fmt"
)

func (f Form) MergeWants(text []byte, wants []Want) ([]byte, error) { return f.merge(text, wants) }
func (f Form) RemoveOurs(text []byte) ([]byte, error)               { return f.remove(text) }

// Same reports whether two texts say the same, apart from what we leave there.
func (f Form) Same(a, b []byte) bool { return f.same(a, b) }

// Others is everything but hooks and head in a comparable form, with the
// comments.
func (f Form) Others(text []byte) string {
	if len(bytes.TrimSpace(text)) == 0 {
		return "map[]"
	}
	d, err := parseDocument(text, f.Dialect)
	if err != nil {
		return err.Error()
	}
	var all map[string]any
	if err := json.Unmarshal([]byte(d.meant(d.root)), &all); err != nil {
		return err.Error()
	}
	delete(all, "hooks")
	for _, p := range f.Head {
		delete(all, p.Key)
	}
	return fmt.Sprint(all) + d.allNotes()
}

// LookAt is Look at a text, for the fuzz test.
func LookAt(t Target, text string) (Registration, error) {
	r := Registration{Target: t}
	if t.Settings.Script != nil {
		r.lookAtScript([]byte(text), Hook{})
		return r, nil
	}
	return r, r.lookAtHooks([]byte(text), Hook{})
}

// Merge returns the text of a settings file with the hook registered. An empty text
// makes a new file. A text that has the hook already, in whatever layout, comes back
// unchanged; an entry of an older version is brought up to date in its place, and a
// second one is taken out. The error for a text of another form is a
// [rule.Problem] with line and column.
func (s *Settings) Merge(file string, text []byte, h Hook) ([]byte, error) {
	if err := h.check(); err != nil {
		return nil, err
	}
	return s.formFor(file, h.Name).merge(text, s.Wants(file, h))
}

// Remove returns the text of a settings file without the entries of Sentinel's hook,
// and without the lists and objects that are empty because of that. It returns nil
// when nothing is left: then the file itself can go.
//
// own is what this program is called; "" is sentinel.
func (s *Settings) Remove(file string, text []byte, own string) ([]byte, error) {
	return s.formFor(file, own).remove(text)
}
