package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/jsonscan"
)

// Payload is the one JSON object of an event, its fields undecoded. A map keeps
// the names exact: a struct would also take TOOL_NAME for tool_name. The last value
// of a repeated name counts, as in the agents' own JSON parsers.
type Payload map[string]json.RawMessage

// Parse reads stdin. A byte order mark is skipped, and bytes that are not
// UTF-8 become U+FFFD: a call that is refused here runs unjudged in most agents,
// so whatever can be judged is.
func Parse(stdin []byte) (Payload, error) {
	stdin = bytes.TrimPrefix(stdin, []byte("\xef\xbb\xbf"))
	if len(bytes.TrimSpace(stdin)) == 0 {
		return nil, EventError("standard input is empty; want one JSON object")
	}
	if !utf8.Valid(stdin) {
		stdin = bytes.ToValidUTF8(stdin, []byte("\uFFFD"))
	}
	var ev Payload
	err := json.Unmarshal(stdin, &ev)
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return nil, EventError("standard input is not one JSON object: %v at byte %d of %d", err, syntax.Offset, len(stdin))
	case err != nil || ev == nil:
		return nil, EventError("standard input is not a JSON object but %s", jsonscan.Kind(bytes.TrimSpace(stdin)))
	}
	return ev, nil
}

// Within reports whether the event has no other fields than these.
func (ev Payload) Within(names ...string) bool {
	for name := range ev {
		if !slices.Contains(names, name) {
			return false
		}
	}
	return true
}

// Text returns a string field; a missing one and null are "".
func (ev Payload) Text(name string) (string, error) {
	raw, ok := ev.Get(name)
	if !ok {
		return "", nil
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return "", EventError("%s must be a string, not %s", name, jsonscan.Kind(raw))
	}
	return s, nil
}

// Need returns a string field that must be there and say something.
func (ev Payload) Need(name string) (string, error) {
	s, err := ev.Text(name)
	if err == nil && s == "" {
		err = EventError("%s is missing", name)
	}
	return s, err
}

// Dir returns a field that holds an absolute folder, or "" when it is missing.
func (ev Payload) Dir(name string) (string, error) {
	s, err := ev.Text(name)
	if err == nil && s != "" && !Absolute(s) {
		err = EventError("%s must be an absolute path, not %q", name, s)
	}
	return s, err
}

// Args returns a tool's arguments: an object or, for tools that take bare text,
// a string. A tool without arguments has "{}".
func (ev Payload) Args(name string) (json.RawMessage, error) {
	raw, ok := ev.Get(name)
	switch {
	case !ok:
		return json.RawMessage("{}"), nil
	case raw[0] != '{' && raw[0] != '"':
		return nil, EventError("%s must be an object or a string, not %s", name, jsonscan.Kind(raw))
	}
	return raw, nil
}

// ArgsOrList is Args for a tool that also takes a bare list: of commands.
func (ev Payload) ArgsOrList(name string) (json.RawMessage, error) {
	if raw, ok := ev.Get(name); ok && raw[0] == '[' {
		return raw, nil
	}
	return ev.Args(name)
}

// JSONInText returns the object that a string holds as JSON text, as some agents
// send arguments. Any other value is returned as it is.
func JSONInText(raw json.RawMessage) json.RawMessage {
	var text string
	if len(raw) == 0 || raw[0] != '"' || json.Unmarshal(raw, &text) != nil {
		return raw
	}
	if text = strings.TrimSpace(text); strings.HasPrefix(text, "{") && json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	return raw
}

// Only makes arguments of fields of the event. The first must be there.
func (ev Payload) Only(names ...string) (json.RawMessage, error) {
	if _, err := ev.Need(names[0]); err != nil {
		return nil, err
	}
	args := Payload{}
	for _, name := range names {
		if raw, ok := ev.Get(name); ok {
			args[name] = raw
		}
	}
	return Compact(args), nil
}

// Object returns the fields of a field that holds an object; a missing one has
// none.
func (ev Payload) Object(name string) (Payload, error) {
	raw, ok := ev.Get(name)
	if ok && raw[0] != '{' {
		return nil, EventError("%s must be an object, not %s", name, jsonscan.Kind(raw))
	}
	return Object(raw), nil
}

// Renamed gives the value of field from the name to, unless that is there.
func (ev Payload) Renamed(from, to string) Payload {
	if _, ok := ev.Get(to); !ok && ev.Has(from) {
		ev[to] = ev[from]
	}
	return ev
}

// Folders returns a list of folders. An entry that is not an absolute path, such as
// the address of a remote workspace, is left out.
func (ev Payload) Folders(name string) ([]string, error) {
	raw, ok := ev.Get(name)
	if !ok {
		return nil, nil
	}
	var list []string
	if json.Unmarshal(raw, &list) != nil {
		return nil, EventError("%s must be a list of strings", name)
	}
	var dirs []string
	for _, dir := range list {
		if dir = WithoutURISlash(dir); dir != "" && Absolute(dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs, nil
}

// WithoutURISlash takes from /c:/repo, as Cursor writes folders of Windows, the
// slash that belongs to a URI.
func WithoutURISlash(dir string) string {
	if len(dir) >= 3 && dir[0] == '/' && dir[2] == ':' && Absolute(dir[1:]) {
		return dir[1:]
	}
	return dir
}

// Get returns the value of a field that is there and not null.
func (ev Payload) Get(name string) (json.RawMessage, bool) {
	raw := ev[name]
	return raw, len(raw) > 0 && raw[0] != 'n'
}

// Has reports whether any of the fields is there, whatever its value.
func (ev Payload) Has(names ...string) bool {
	for _, name := range names {
		if _, ok := ev[name]; ok {
			return true
		}
	}
	return false
}

// Absolute accepts the absolute paths of every system, not only of the one it
// runs on, so that an event that was recorded elsewhere can be read.
func Absolute(path string) bool {
	if filepath.IsAbs(path) || path[0] == '/' {
		return true
	}
	if len(path) >= 2 && path[:2] == `\\` {
		return true
	}
	drive := path[0] | 0x20 // lower case
	return len(path) >= 3 && 'a' <= drive && drive <= 'z' && path[1] == ':' && (path[2] == '\\' || path[2] == '/')
}

func EventError(format string, args ...any) error {
	return fmt.Errorf("hook: %w: %s", sentinel.ErrEvent, fmt.Sprintf(format, args...))
}
