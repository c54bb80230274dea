package transcript

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/jsonscan"
)

// essential is the most telling argument: the command, the path, the pattern. For an MCP tool it is server:tool.
func essential(tool string, args json.RawMessage) string {
	server, name, mcp := splitMCP(tool)
	if mcp {
		return oneLine(server+":"+name, maxTarget)
	}
	a := readArguments(args)
	switch {
	case a.command != "":
		return oneLine(a.command, maxTarget)
	case a.patch != "":
		return oneLine(a.patch, maxTarget)
	case a.pattern != "" && a.path != "":
		return oneLine(a.pattern+" in "+a.path, maxTarget)
	case a.path != "":
		return oneLine(a.path, maxTarget)
	case a.pattern != "":
		return oneLine(a.pattern, maxTarget)
	}
	return oneLine(a.other, maxTarget)
}

// splitMCP splits the name of an MCP tool as Claude Code, Codex and Qwen write
// it: mcp__server__tool.
func splitMCP(tool string) (server, name string, ok bool) {
	rest, ok := strings.CutPrefix(tool, "mcp__")
	if !ok {
		return "", "", false
	}
	return strings.Cut(rest, "__")
}

// arguments are the telling arguments of a call.
type arguments struct {
	command, path, pattern string
	patch                  string // the files a patch touches
	other                  string // the first text of any other kind
}

// readArguments looks at the arguments of any tool: the agents use few names for
// the same things. The first of each kind wins.
func readArguments(args json.RawMessage) (a arguments) {
	s := jsonscan.Bytes(args)
	if s.Token() == '"' { // a bare patch or script
		a.text(s.Text(maxTarget*8), "")
		return a
	}
	s.Object(func(key []byte) {
		k := string(key)
		switch s.Token() {
		case '"':
			a.text(s.Text(maxTarget*8), k)
		case '[':
			if k != "command" && k != "cmd" && k != "paths" {
				return
			}
			var words []string
			s.Array(func() { words = append(words, s.Text(maxTarget)) })
			a.text(strings.Join(words, " "), k)
		}
	})
	return a
}

// text stores one text by the meaning of its key.
func (a *arguments) text(v, key string) {
	set := func(to *string) {
		if *to == "" {
			*to = v
		}
	}
	if files := patchFiles(v); files != "" {
		v = files
		set(&a.patch)
		return
	}
	switch key {
	case "command", "cmd", "commandLine", "command_line":
		set(&a.command)
	case "file_path", "path", "filePath", "absolute_path", "notebook_path", "paths", "dir_path", "dirPath", "fileName":
		set(&a.path)
	case "pattern", "query", "url", "skill", "subagent_type", "uri":
		set(&a.pattern)
	case "description", "explanation", "content", "file_text", "new_string", "old_string", "new_str", "old_str", "instruction", "input":
	default:
		set(&a.other)
	}
}

// patchFiles names the files in the text of a patch tool; "" if the text is not a patch.
func patchFiles(text string) string {
	if !strings.Contains(text, "*** Begin Patch") {
		return ""
	}
	var files []string
	for line := range bytes.Lines([]byte(text)) {
		for _, head := range []string{"*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "} {
			if name, ok := strings.CutPrefix(string(bytes.TrimSpace(line)), head); ok && len(files) < 20 {
				files = append(files, name)
			}
		}
	}
	return strings.Join(files, " ")
}

// resultLine is the first telling line of an output. For a success it is only a
// hint; for a failure it is the error.
func resultLine(text, tail string, failed bool) string {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && !(failed && frame(line)) {
			return oneLine(unwrapError(line), maxResult)
		}
	}
	return oneLine(strings.TrimSpace(tail), maxResult)
}

// frame reports whether a line of a failure only says how the tool ended. The error
// follows it.
func frame(line string) bool {
	return !strings.HasPrefix(line, "Output: ") &&
		begins(line, "Exit code", "Chunk ID:", "Wall time", "Process exited with code", "Original token count:", "Output:",
			"Command:", "Directory:", "<untrusted_context>", "Script failed", "Script completed", "Error: Exit code")
}

// begins reports whether a text begins with one of the heads.
func begins(text string, heads ...string) bool {
	return slices.ContainsFunc(heads, func(head string) bool { return strings.HasPrefix(text, head) })
}

// unwrapError removes the marks that agents put around an error.
func unwrapError(line string) string {
	line = strings.TrimPrefix(line, "Output: ")
	line = strings.TrimPrefix(line, "<tool_use_error>")
	return strings.TrimSuffix(line, "</tool_use_error>")
}

func blank(text string) bool { return strings.TrimSpace(text) == "" }
