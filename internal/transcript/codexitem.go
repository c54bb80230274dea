package transcript

import (
	"encoding/json"
	"strings"

	sentinel "github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/jsonscan"
	"github.com/agentsentinel/sentinel/internal/text"
)

// codexItem is one thing that Codex did: the item of an item_completed event.
// Outside of code mode it has the id of the call and says how that went. In code mode
// it is the call itself: the conversation has only scripts.
type codexItem struct {
	kind, id, status string
	command          []string
	changes          []byte // as the text of a patch
	cut              bool
	server, tool     string
	args             json.RawMessage
	output           block
	stated, failed   bool // how it went, if it says so
}

// member reads one member of an item.
func (c *codexItem) member(s *jsonscan.Scanner, w *row, key []byte) {
	switch string(key) {
	case "type":
		c.kind = w.name(s)
	case "id":
		c.id = w.name(s)
	case "status":
		c.status = w.name(s)
	case "command":
		c.command = nil
		s.Array(func() {
			if word := s.Text(min(MaxText, w.left)); len(c.command) < 64 {
				c.command = append(c.command, word)
				w.left -= len(word)
			}
		})
	case "changes":
		c.patch(s, w)
	case "server":
		c.server = w.name(s)
	case "tool":
		c.tool = w.name(s)
	case "arguments":
		c.args, c.cut = s.Raw(min(MaxArgs, w.left), nil)
		w.left -= len(c.args)
	case "aggregated_output", "stderr", "result", "error":
		if s.Token() == 'n' || c.output.text != "" {
			return
		}
		c.failed = c.failed || string(key) == "error"
		w.output(s, &c.output)
	case "exit_code":
		code, ok := s.Integer()
		c.stated, c.failed = ok, c.failed || ok && code != 0
	}
}

// patch writes the changes of files as a patch, the input of the apply_patch tool.
func (c *codexItem) patch(s *jsonscan.Scanner, w *row) {
	c.changes = append(c.changes[:0], "*** Begin Patch\n"...)
	s.Object(func(key []byte) {
		path := text.ShowBreaks(string(key))
		var kind, to, content, diff string
		s.Object(func(key []byte) {
			switch string(key) {
			case "type":
				kind = w.name(s)
			case "move_path":
				to = s.Text(maxTarget)
			case "content":
				content = s.Text(min(MaxArgs/2, w.left))
			case "unified_diff":
				diff = s.Text(min(MaxArgs/2, w.left))
			}
		})
		w.left -= len(content) + len(diff)
		c.change(kind, path, text.ShowBreaks(to), content, diff)
	})
	c.changes = append(c.changes, "*** End Patch\n"...)
}

// change adds the change of one file.
func (c *codexItem) change(kind, path, to, content, diff string) {
	line := func(parts ...string) {
		for _, p := range parts {
			c.changes = append(c.changes, p...)
		}
		c.changes = append(c.changes, '\n')
	}
	switch kind {
	case "add":
		line("*** Add File: ", path)
		for l := range strings.Lines(content) {
			line("+", strings.TrimRight(l, "\r\n"))
		}
	case "delete":
		line("*** Delete File: ", path)
	case "update":
		line("*** Update File: ", path)
		if to != "" {
			line("*** Move to: ", to)
		}
		for l := range strings.Lines(diff) {
			if strings.HasPrefix(l, "@@") {
				l = "@@"
			}
			line(strings.TrimRight(l, "\r\n"))
		}
	}
}

// blocks makes a call and its result of an item, or says how a call went.
func (c *codexItem) blocks(w *row) {
	failed := c.failed || c.status == "failed" || c.status == "declined"
	came := sentinel.ResultUnknown
	if c.stated || failed {
		came = went(failed)
	}
	if !strings.HasPrefix(c.id, "exec-") { // the id of a call: the script is another one
		w.add(block{outcome: true, id: c.id, failed: failed, denied: c.status == "declined", came: came})
		return
	}
	call := block{kind: Call, id: c.id, cut: c.cut}
	switch c.kind {
	case "CommandExecution":
		call.tool, call.args = "Bash", append(jsonscan.AppendString([]byte(`{"command":`), shellWords(c.command)), '}')
	case "FileChange":
		call.tool, call.args = "apply_patch", jsonscan.AppendString(nil, string(c.changes))
	case "McpToolCall":
		call.tool, call.args = "mcp__"+c.server+"__"+c.tool, c.args
	default:
		return
	}
	w.add(call)
	result := c.output
	result.kind, result.id, result.failed, result.denied, result.came = Result, c.id, failed, c.status == "declined", came
	w.add(result)
}

// shellWords is the command line of an argument list: the argument of bash -lc, or
// the words.
func shellWords(argv []string) string {
	if len(argv) == 3 && (argv[1] == "-lc" || argv[1] == "-c" || argv[1] == "-Command") {
		return argv[2]
	}
	return strings.Join(argv, " ")
}
