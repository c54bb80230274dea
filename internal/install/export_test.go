package install

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// FormCount is how many forms of files there are to try.
const FormCount = 5

// A Form is one kind of settings file, for the fuzz test.
type Form struct {
	form  form
	wants func(Hook) []want
}

func NewForm(n int) Form {
	return []Form{
		{form{}, codexWants},
		{form{dialect: withComments}, geminiWants},
		{form{shape: flat, dialect: withComments, head: object{{"version", "1"}}}, cursorWants},
		{form{shape: flat, head: amazonqHead()}, amazonqWants},
		{form{shape: listed, dialect: withComments, head: object{{"version", `"v1"`}}}, kiroWants},
	}[(n%FormCount+FormCount)%FormCount]
}

func (f Form) Merge(text []byte, h Hook) ([]byte, error) { return f.form.merge(text, f.wants(h)) }
func (f Form) Remove(text []byte) ([]byte, error)        { return f.form.remove(text) }

// Same reports whether two texts say the same, what we leave behind aside.
func (f Form) Same(a, b []byte) bool { return f.form.same(a, b) }

// Others is everything but hooks and head in a comparable form, with the
// comments.
func (f Form) Others(text []byte) string {
	if len(bytes.TrimSpace(text)) == 0 {
		return "map[]"
	}
	d, err := parseDocument(text, f.form.dialect)
	if err != nil {
		return err.Error()
	}
	var all map[string]any
	if err := json.Unmarshal([]byte(d.meant(d.root)), &all); err != nil {
		return err.Error()
	}
	delete(all, "hooks")
	for _, p := range f.form.head {
		delete(all, p.key)
	}
	return fmt.Sprint(all) + d.allNotes()
}
