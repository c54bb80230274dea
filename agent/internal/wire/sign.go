package wire

import (
	"path"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/jsonscan"
)

// A Sign says by what an event is known. All that is set must be so; the zero Sign
// knows nothing. A field counts as there whatever its value, null included.
type Sign struct {
	All, Any, None []string  // fields that are all there, at least one, none of them
	Texts          []string  // fields that are texts and not empty
	Within         [2]string // an object, and a field that it has
	Only           []string  // there are no other fields; nil allows any

	Spelling    Spelling  // of hook_event_name
	Events      []string  // values of hook_event_name; BEGINNING* matches all that begin so
	OtherEvents []string  // values that it has not
	Tools       []string  // values of tool_name
	Time        TimeForm  // of timestamp
	Begins      [2]string // a text field and its beginning

	File    string // of transcript_path: a pattern for the file's name, as path.Match has it
	Folder  string // a folder somewhere above it
	NotFile string // a pattern that the file's name does not match; a path that is not a text matches nothing
}

// A Spelling is how an event is spelt.
type Spelling uint8

// The spellings. Any also accepts an event without a name.
const (
	AnySpelling Spelling = iota
	PascalCase           // PreToolUse
	CamelCase            // preToolUse, and no dot
)

// A TimeForm is the form of a timestamp.
type TimeForm uint8

// The forms of a timestamp.
const (
	AnyTime TimeForm = iota
	TextTime
	NumberTime
)

// An Arrival is an event whose agent is not known yet. Fields that several signs use are
// read once.
type Arrival struct {
	fields     Payload
	name, tool string // of the event and its tool
	transcript string // its path, with slashes
	noPath     bool   // the transcript's path is not a text
}

// Arrived reads what signs look at.
func Arrived(ev Payload) *Arrival {
	a := &Arrival{fields: ev}
	a.name, _ = ev.Text("hook_event_name")
	a.tool, _ = ev.Text("tool_name")
	transcript, err := ev.Text("transcript_path")
	a.transcript, a.noPath = slashed(transcript), err != nil
	return a
}

// Has reports whether any of the fields is there, whatever its value.
func (a *Arrival) Has(names ...string) bool { return a.fields.Has(names...) }

// Bears reports whether the event bears one of the signs.
func (a *Arrival) Bears(signs []Sign) bool {
	for i := range signs {
		if signs[i].in(a) {
			return true
		}
	}
	return false
}

func (s *Sign) in(a *Arrival) bool {
	return s.spelt(a) && s.fielded(a.fields) && s.timed(a.fields) && s.recorded(a)
}

// spelt looks at the names of the event and its tool.
func (s *Sign) spelt(a *Arrival) bool {
	name := a.name
	fits := func(pattern string) bool {
		prefix, open := strings.CutSuffix(pattern, "*")
		return name == pattern || open && strings.HasPrefix(name, prefix)
	}
	switch {
	case s.Spelling == PascalCase && (name == "" || name[0] < 'A' || name[0] > 'Z'),
		s.Spelling == CamelCase && (name == "" || name[0] < 'a' || name[0] > 'z' || strings.Contains(name, ".")),
		len(s.Events) > 0 && !slices.ContainsFunc(s.Events, fits),
		slices.ContainsFunc(s.OtherEvents, fits),
		len(s.Tools) > 0 && !slices.Contains(s.Tools, a.tool):
		return false
	}
	return true
}

// fielded looks at the fields that are there.
func (s *Sign) fielded(ev Payload) bool {
	missing := func(name string) bool { return !ev.Has(name) }
	empty := func(name string) bool { _, err := ev.Need(name); return err != nil }
	switch {
	case len(s.Only) > 0 && !ev.Within(s.Only...), slices.ContainsFunc(s.All, missing), ev.Has(s.None...), len(s.Any) > 0 && !ev.Has(s.Any...),
		s.Within[0] != "" && !Object(ev[s.Within[0]]).Has(s.Within[1]), slices.ContainsFunc(s.Texts, empty):
		return false
	case s.Begins[0] != "":
		text, err := ev.Text(s.Begins[0])
		return err == nil && strings.HasPrefix(text, s.Begins[1])
	}
	return true
}

// timed looks at the time of the event.
func (s *Sign) timed(ev Payload) bool {
	if s.Time == AnyTime {
		return true
	}
	stamp, ok := ev.Get("timestamp")
	if !ok {
		return false
	}
	text := stamp[0] == '"'
	return text == (s.Time == TextTime) && (text || jsonscan.Kind(stamp) == "a number")
}

// recorded looks at the path of the transcript.
func (s *Sign) recorded(a *Arrival) bool {
	if s.File == "" && s.Folder == "" && s.NotFile == "" {
		return true
	}
	base := path.Base(a.transcript)
	matches := func(pattern string) bool { ok, _ := path.Match(pattern, base); return ok }
	return !a.noPath && (s.File == "" || matches(s.File)) && (s.NotFile == "" || !matches(s.NotFile)) &&
		(s.Folder == "" || strings.Contains(a.transcript, "/"+s.Folder+"/"))
}

// slashed is a path of any system with slashes.
func slashed(p string) string { return strings.ReplaceAll(p, `\`, "/") }
