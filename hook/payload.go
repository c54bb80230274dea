package hook

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/agentsentinel/sentinel"
)

// payload is the one JSON object of an event, its fields undecoded. A map keeps
// the names exact: a struct would also take TOOL_NAME for tool_name. Of a
// repeated name the last value counts, as in the agents' own JSON parsers.
type payload map[string]json.RawMessage

// parsePayload reads stdin. A byte order mark is skipped, and bytes that are not
// UTF-8 become U+FFFD: a call that is refused here runs unjudged in most agents,
// so whatever can be judged is.
func parsePayload(stdin []byte) (payload, error) {
	stdin = bytes.TrimPrefix(stdin, []byte("\xef\xbb\xbf"))
	if len(bytes.TrimSpace(stdin)) == 0 {
		return nil, eventError("standard input is empty; want one JSON object")
	}
	if !utf8.Valid(stdin) {
		stdin = bytes.ToValidUTF8(stdin, []byte("\uFFFD"))
	}
	var ev payload
	err := json.Unmarshal(stdin, &ev)
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return nil, eventError("standard input is not one JSON object: %v at byte %d of %d", err, syntax.Offset, len(stdin))
	case err != nil || ev == nil:
		return nil, eventError("standard input is not a JSON object but %s", kind(bytes.TrimSpace(stdin)))
	}
	return ev, nil
}

// text returns a string field; a missing one and null are "".
func (ev payload) text(name string) (string, error) {
	raw, ok := ev.get(name)
	if !ok {
		return "", nil
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return "", eventError("%s must be a string, not %s", name, kind(raw))
	}
	return s, nil
}

// need returns a string field that must be there and say something.
func (ev payload) need(name string) (string, error) {
	s, err := ev.text(name)
	if err == nil && s == "" {
		err = eventError("%s is missing", name)
	}
	return s, err
}

// dir returns a field that holds an absolute folder, or "" when it is missing.
func (ev payload) dir(name string) (string, error) {
	s, err := ev.text(name)
	if err == nil && s != "" && !absolute(s) {
		err = eventError("%s must be an absolute path, not %q", name, s)
	}
	return s, err
}

// args returns a tool's arguments: an object or, for tools that take bare text,
// a string. A tool without arguments has "{}".
func (ev payload) args(name string) (json.RawMessage, error) {
	raw, ok := ev.get(name)
	switch {
	case !ok:
		return json.RawMessage("{}"), nil
	case raw[0] != '{' && raw[0] != '"':
		return nil, eventError("%s must be an object or a string, not %s", name, kind(raw))
	}
	return raw, nil
}

// argsOrList is args for a tool that also takes a bare list: of commands.
func (ev payload) argsOrList(name string) (json.RawMessage, error) {
	if raw, ok := ev.get(name); ok && raw[0] == '[' {
		return raw, nil
	}
	return ev.args(name)
}

// jsonInText returns the object that a string holds as JSON text, as some agents
// send arguments; whatever else it is, it stays as it is.
func jsonInText(raw json.RawMessage) json.RawMessage {
	var text string
	if len(raw) == 0 || raw[0] != '"' || json.Unmarshal(raw, &text) != nil {
		return raw
	}
	if text = strings.TrimSpace(text); strings.HasPrefix(text, "{") && json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	return raw
}

// only makes arguments of fields of the event, of which the first must be there.
func (ev payload) only(names ...string) (json.RawMessage, error) {
	if _, err := ev.need(names[0]); err != nil {
		return nil, err
	}
	args := payload{}
	for _, name := range names {
		if raw, ok := ev.get(name); ok {
			args[name] = raw
		}
	}
	return compactJSON(args), nil
}

// object returns the fields of a field that holds an object; a missing one has
// none.
func (ev payload) object(name string) (payload, error) {
	raw, ok := ev.get(name)
	if ok && raw[0] != '{' {
		return nil, eventError("%s must be an object, not %s", name, kind(raw))
	}
	return object(raw), nil
}

// renamed gives the value of field from the name to, unless that is there.
func (ev payload) renamed(from, to string) payload {
	if _, ok := ev.get(to); !ok && ev.has(from) {
		ev[to] = ev[from]
	}
	return ev
}

// folders returns a list of folders. What is no absolute path, such as the
// address of a remote workspace, is left out.
func (ev payload) folders(name string) ([]string, error) {
	raw, ok := ev.get(name)
	if !ok {
		return nil, nil
	}
	var list []string
	if json.Unmarshal(raw, &list) != nil {
		return nil, eventError("%s must be a list of strings", name)
	}
	var dirs []string
	for _, dir := range list {
		if dir = withoutURISlash(dir); dir != "" && absolute(dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs, nil
}

// withoutURISlash takes from /c:/repo, as Cursor writes folders of Windows, the
// slash that belongs to a URI.
func withoutURISlash(dir string) string {
	if len(dir) >= 3 && dir[0] == '/' && dir[2] == ':' && absolute(dir[1:]) {
		return dir[1:]
	}
	return dir
}

// get returns the value of a field that is there and not null.
func (ev payload) get(name string) (json.RawMessage, bool) {
	raw := ev[name]
	return raw, len(raw) > 0 && raw[0] != 'n'
}

// has reports whether any of the fields is there, whatever its value.
func (ev payload) has(names ...string) bool {
	for _, name := range names {
		if _, ok := ev[name]; ok {
			return true
		}
	}
	return false
}

// kind names the JSON type of a value for error messages.
func kind(raw []byte) string {
	switch raw[0] {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	}
	return "a number"
}

// absolute accepts the absolute paths of every system, not only of the one it
// runs on, so that an event that was recorded elsewhere can be read.
func absolute(path string) bool {
	if filepath.IsAbs(path) || path[0] == '/' {
		return true
	}
	if len(path) >= 2 && path[:2] == `\\` {
		return true
	}
	drive := path[0] | 0x20 // lower case
	return len(path) >= 3 && 'a' <= drive && drive <= 'z' && path[1] == ':' && (path[2] == '\\' || path[2] == '/')
}

func eventError(format string, args ...any) error {
	return fmt.Errorf("hook: %w: %s", sentinel.ErrEvent, fmt.Sprintf(format, args...))
}
