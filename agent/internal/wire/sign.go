package wire

import (
	"path"
	"slices"
	"strings"
)

// A Sign says by what an event is known. All that is set must be so; the zero Sign
// knows nothing. A field counts as there whatever its value, null included.
type Sign struct {
	All, Any, None []string  // fields that are all there, at least one, none of them
	Texts          []string  // fields that are texts and not empty
	Within         [2]string // an object, and a field that it has

	Spelling    Spelling  // of hook_event_name
	Events      []string  // values of hook_event_name; BEGINNING* stands for those that begin so
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

// In reports whether an event bears the sign.
func (s *Sign) In(ev Payload) bool {
	there := func(name string) bool { return ev.Has(name) }
	missing := func(name string) bool { return !ev.Has(name) }
	empty := func(name string) bool { _, err := ev.Need(name); return err != nil }
	switch {
	case slices.ContainsFunc(s.All, missing), slices.ContainsFunc(s.None, there), slices.ContainsFunc(s.Texts, empty):
		return false
	case len(s.Any) > 0 && !slices.ContainsFunc(s.Any, there):
		return false
	case s.Within[0] != "" && !Object(ev[s.Within[0]]).Has(s.Within[1]):
		return false
	case s.Begins[0] != "" && !begins(ev, s.Begins[0], s.Begins[1]):
		return false
	}
	return s.named(ev) && s.timed(ev) && s.recorded(ev)
}

func begins(ev Payload, name, prefix string) bool {
	text, err := ev.Text(name)
	return err == nil && strings.HasPrefix(text, prefix)
}

// named looks at the names of the event and its tool.
func (s *Sign) named(ev Payload) bool {
	name, _ := ev.Text("hook_event_name")
	fits := func(pattern string) bool {
		prefix, open := strings.CutSuffix(pattern, "*")
		return name == pattern || open && strings.HasPrefix(name, prefix)
	}
	switch {
	case s.Spelling == PascalCase && (name == "" || name[0] < 'A' || name[0] > 'Z'),
		s.Spelling == CamelCase && (name == "" || name[0] < 'a' || name[0] > 'z' || strings.Contains(name, ".")),
		len(s.Events) > 0 && !slices.ContainsFunc(s.Events, fits),
		slices.ContainsFunc(s.OtherEvents, fits):
		return false
	}
	tool, _ := ev.Text("tool_name")
	return len(s.Tools) == 0 || slices.Contains(s.Tools, tool)
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
	return text == (s.Time == TextTime) && (text || Kind(stamp) == "a number")
}

// recorded looks at the path of the transcript.
func (s *Sign) recorded(ev Payload) bool {
	if s.File == "" && s.Folder == "" && s.NotFile == "" {
		return true
	}
	transcript, err := ev.Text("transcript_path")
	if err != nil {
		return false
	}
	transcript = slashed(transcript)
	base := path.Base(transcript)
	matches := func(pattern string) bool { ok, _ := path.Match(pattern, base); return ok }
	return (s.File == "" || matches(s.File)) && (s.NotFile == "" || !matches(s.NotFile)) &&
		(s.Folder == "" || strings.Contains(transcript, "/"+s.Folder+"/"))
}

// Bears reports whether an event bears one of the signs.
func Bears(signs []Sign, ev Payload) bool {
	for i := range signs {
		if signs[i].In(ev) {
			return true
		}
	}
	return false
}
