package trigger

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/jsonscan"
)

// The keys under which agents pass the same thing. All that are present count:
// a call that says one path under two keys is judged for both.
var (
	pathKeys = []string{"file_path", "filePath", "path", "target_file", "TargetFile", "AbsolutePath", "notebook_path", "uri",
		"filepath", "file", "filename", "relative_path", "absolute_path", "dirPath", "targetFile"}
	contentKeys = []string{"content", "new_string", "newString", "new_str", "new_text", "newText", "newStr", "file_text", "fileText", "contents",
		"code_edit", "CodeContent", "code", "new_source", "newCode", "ReplacementContent", "new_content", "insert_text", "text", "diff", "patch", "data"}
	oldKeys      = []string{"old_string", "oldString", "old_str", "old_text", "oldText", "oldStr", "TargetContent", "old_content"}
	partKeys     = []string{"code_edit", "ReplacementContent", "insert_text"} // content that is never a whole file
	wholeKeys    = []string{"content", "contents", "file_text", "fileText"}   // content of whole files, in agents' own tools
	placeKeys    = []string{"insert_line", "insertLine", "line", "line_number", "lineNumber", "start_line", "startLine", "end_line", "endLine", "after_line", "position", "offset"}
	modeKeys     = []string{"mode", "write_mode", "writeMode", "file_mode", "operation", "action", "flag", "flags"}
	appendKeys   = []string{"append", "is_append", "isAppend", "append_mode", "appendMode"}
	commandKeys  = []string{"command", "cmd", "CommandLine", "command_line", "commandLine", "commands", "script"}
	inputKeys    = []string{"chars", "input", "text", "Input", "data"} // what is typed into a running shell
	editListKeys = []string{"edits", "replacements", "ReplacementChunks", "operations", "files", "changes"}
	pathListKeys = []string{"paths", "files", "operations", "include"}
	patchKeys    = []string{"patch", "patchText", "patch_text", "input", "command", "diff", "content"}
	searchKeys   = []string{"dir_path", "directory", "SearchPath", "SearchDirectory"} // of searches, beside the keys of a path
	globKeys     = []string{"glob", "include", "includePattern", "include_pattern", "file_pattern", "Includes"}
	sourceKeys   = []string{"source", "src", "from", "old_path", "oldPath", "source_path"}
	destKeys     = []string{"destination", "dest", "dst", "to", "new_path", "newPath", "destination_path", "target_path"}
)

// arguments are the arguments of one call: an object, or bare text.
type arguments struct {
	obj  map[string]json.RawMessage
	text string
	raw  json.RawMessage // the object as sent, also when it came as JSON text in a string
}

func parseArguments(raw json.RawMessage) (arguments, error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || string(raw) == "null" {
		return arguments{}, nil
	}
	switch raw[0] {
	case '{':
		a := arguments{raw: raw}
		if err := json.Unmarshal(raw, &a.obj); err != nil {
			return arguments{}, argError("its arguments are no JSON object: " + err.Error())
		}
		return a, nil
	case '"':
		var text string
		if err := json.Unmarshal(raw, &text); err != nil {
			return arguments{}, argError("its arguments are no JSON text: " + err.Error())
		}
		// Some agents send the object as text.
		if inner := strings.TrimSpace(text); strings.HasPrefix(inner, "{") && json.Valid([]byte(inner)) {
			return parseArguments(json.RawMessage(inner))
		}
		return arguments{text: text, raw: raw}, nil
	case '[':
		if !json.Valid(raw) {
			return arguments{}, argError("its arguments are no JSON list")
		}
		return arguments{obj: map[string]json.RawMessage{"commands": raw}, raw: raw}, nil
	}
	return arguments{}, argError("its arguments are " + jsonscan.Kind(raw) + ", want an object")
}

// has reports whether any of the keys has a value.
func (a arguments) has(keys []string) bool {
	for _, k := range keys {
		for _, raw := range a.values(k) {
			if string(raw) != "null" {
				return true
			}
		}
	}
	return false
}

// takesWhole reports whether an agent's own tool is given the whole content of a file. It ignores
// keys that it does not have, such as those of an edit.
func (c *call) takesWhole() bool { return c.named && c.verb() == "" && c.args.has(wholeKeys) }

// partial reports whether the content of a call is a part of a file: by its key, or by a place
// in the file.
func (c *call) partial() bool {
	if c.takesWhole() {
		return false
	}
	keys := slices.DeleteFunc(slices.Clone(or(c.keys.Content, contentKeys)), func(key string) bool { return !slices.Contains(partKeys, key) })
	text, _ := c.args.content(keys)
	return c.args.has(placeKeys) || text != ""
}

// appends reports whether a call says that its content is to be added at the end of a file. The
// agents' own tools have names of their own for that.
func (c *call) appends() bool {
	if c.named {
		return false
	}
	for _, k := range appendKeys {
		if string(c.args.obj[k]) == "true" || string(c.args.obj[k]) == `"true"` {
			return true
		}
	}
	for _, k := range modeKeys {
		switch mode, _ := asString(c.args.obj[k]); strings.ToLower(mode) {
		case "append", "a", "a+", "at", "ab":
			return true
		}
	}
	return false
}

// values are the values of a key: its own value and, when a configured key
// has dots, the one that they lead to through objects. Both count where both are
// there: which of them the tool takes cannot be told.
func (a arguments) values(key string) []json.RawMessage {
	var found []json.RawMessage
	if raw, ok := a.obj[key]; ok {
		found = append(found, raw)
	}
	if outer, inner, ok := strings.Cut(key, "."); ok {
		if sub, ok := a.object(outer); ok {
			found = append(found, sub.values(inner)...)
		}
	}
	return found
}

// texts returns the different strings of the keys, empty ones
// left out. A value of another type is an error.
func (a arguments) texts(keys []string) ([]string, error) {
	var found []string
	for _, k := range keys {
		for _, raw := range a.values(k) {
			if string(raw) == "null" {
				continue
			}
			s, ok := asString(raw)
			if !ok {
				return nil, argError(fmt.Sprintf("%s is %s, want a string", k, jsonscan.Kind(raw)))
			}
			if s != "" {
				found = appendNew(found, s)
			}
		}
	}
	return found, nil
}

// textsOf returns the strings under a configured key, which may hold one or a
// list of them.
func (a arguments) textsOf(key string) ([]string, error) {
	var found []string
	for _, raw := range a.values(key) {
		list := []json.RawMessage{raw}
		if raw[0] == '[' {
			list = asList(raw)
		}
		for _, item := range list {
			s, ok := asString(item)
			if !ok && string(item) != "null" {
				return nil, argError(fmt.Sprintf("%s is or holds %s, want a string or a list of them", key, jsonscan.Kind(item)))
			}
			if s != "" {
				found = appendNew(found, s)
			}
		}
	}
	return found, nil
}

// firstText returns the first string under the keys.
func (a arguments) firstText(keys []string) (string, bool) {
	for _, k := range keys {
		for _, raw := range a.values(k) {
			if s, ok := asString(raw); ok {
				return s, true
			}
		}
	}
	return "", false
}

// content returns the different texts under the keys, joined. A value
// that is not a string is shown as its JSON text.
func (a arguments) content(keys []string) (string, bool) {
	var found []string
	present := false
	for _, k := range keys {
		for _, raw := range a.values(k) {
			present = true
			if s := asText(raw); s != "" {
				found = appendNew(found, s)
			}
		}
	}
	return strings.Join(found, "\n"), present
}

// list returns the elements of the lists under the keys. A list may come as
// JSON text in a string.
func (a arguments) list(keys []string) []json.RawMessage {
	var all []json.RawMessage
	for _, k := range keys {
		for _, raw := range a.values(k) {
			all = append(all, asList(raw)...)
		}
	}
	return all
}

// object returns the object under a key.
func (a arguments) object(key string) (arguments, bool) {
	sub := arguments{raw: a.obj[key]}
	if s, ok := asString(sub.raw); ok {
		sub.raw = json.RawMessage(s)
	}
	if json.Unmarshal(sub.raw, &sub.obj) != nil || sub.obj == nil {
		return arguments{}, false
	}
	return sub, true
}

func asList(raw json.RawMessage) []json.RawMessage {
	if s, ok := asString(raw); ok {
		raw = json.RawMessage(s)
	}
	if raw = bytes.TrimSpace(raw); len(raw) == 0 || raw[0] != '[' {
		return nil
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return nil
	}
	return list
}

func asString(raw json.RawMessage) (string, bool) {
	if len(raw) == 0 || raw[0] != '"' {
		return "", false
	}
	var s string
	return s, json.Unmarshal(raw, &s) == nil
}

// asText is a string's value, a list of strings as lines, and of everything else
// its JSON text.
func asText(raw json.RawMessage) string {
	if s, ok := asString(raw); ok {
		return s
	}
	var lines []string
	if len(raw) > 0 && raw[0] == '[' && json.Unmarshal(raw, &lines) == nil {
		return strings.Join(lines, "\n")
	}
	if string(raw) == "null" {
		return ""
	}
	return string(raw)
}

// appendNew appends s if it is not there yet.
func appendNew(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}

// or returns the configured key alone, or the usual ones.
func or(configured string, usual []string) []string {
	if configured != "" {
		return []string{configured}
	}
	return usual
}
