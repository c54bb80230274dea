package hook

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
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
