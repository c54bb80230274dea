package sentinel

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/shell"
)

// Trigger is the kind of thing an action does, in the words of rule files.
type Trigger string

// The triggers. Any is for rules only: it means FileWrite, Bash or MCP, and never
// FileRead, which a rule has to name.
const (
	FileWrite Trigger = "file_write"
	FileRead  Trigger = "file_read"
	Bash      Trigger = "bash"
	MCP       Trigger = "mcp"
	Any       Trigger = "any"
)

// Covers reports whether a rule with trigger t is about actions of kind a.
func (t Trigger) Covers(a Trigger) bool {
	if t == Any {
		return a == FileWrite || a == Bash || a == MCP
	}
	return t == a && t != ""
}

// Op is what a file action does to its path.
type Op uint8

const (
	OpNone   Op = iota // of every trigger but FileWrite; its text is empty
	OpCreate           // the whole file is written, whether it existed or not
	OpEdit             // a part of it is replaced
	OpAppend           // text is added at its end
	OpDelete           // it is removed
	OpMove             // it is moved away from this path
)

// Action is one thing that a tool call does. One call can be several. Many rules
// read an Action at once; none changes it.
type Action struct {
	Trigger     Trigger
	Op          Op
	Agent, Tool string // whose call it is, as Event.Agent, and the tool's name as that agent called it
	Target      string // as a user reads it: a path, a command line, server:tool

	// Forms are all the texts that scope patterns are tried on. Of a file action: the path from Root with slashes
	// (absolute when it lies outside), and the same with symbolic links resolved where that differs. Of an MCP
	// action: server:tool, tool and server for every way to tell them apart. Of a Bash action: the command line.
	Forms []string

	Root            string          // absolute folder that the paths in Forms start from
	Dir             string          // absolute folder that the call runs in
	Path            string          // Forms[0] of a file action
	Content, Old    string          // the whole new text, and what it replaces; cut where it is shown, never here
	Command         *shell.Line     // of a Bash action, parsed once, for scope, when and explain alike
	Server, MCPTool string          // of an MCP action
	Args            json.RawMessage // arguments as sent
	Turn            []Action        // at [PhaseStop]: all that the turn did, this action too
	Requests        []string        // of Options.Requests, for rules with RuleSpec.Intent or Requests alone
	Past            Past            // Event.Past, where a rule or a judge is asked
	DerivedFrom     string          // the command or tool this action was found in; "" if the tool says it itself
	Effects         []int           // of an action found in a command: its places in the Effects of that action's Command, which its JSON does not have; nil where they are not known
	Certain         bool            // false: a guess about what a command does, or what a search shows of a file
	Carrier         string          // the unknown program whose words this was read from: it may do it, so only rules that block or ask are about it, and each asks
}

// Var returns the value of a template variable, neither cut nor fenced. ok is false
// for a name that no action has. A variable of another trigger is "".
func (a *Action) Var(name string) (value string, ok bool) {
	switch name {
	case "file_path":
		return a.Path, true
	case "content_snippet":
		return a.Content, true
	case "content_length":
		if a.Trigger != FileWrite {
			return "", true
		}
		return strconv.Itoa(utf8.RuneCountInString(a.Content)), true
	case "command":
		if a.Trigger != Bash {
			return "", true
		}
		return a.Target, true
	case "server_name":
		return a.Server, true
	case "mcp_tool":
		return a.MCPTool, true
	case "mcp_arguments":
		if a.Trigger != MCP {
			return "", true
		}
		return string(a.Args), true
	case "action_summary":
		return a.Summary(), true
	case "tool_name":
		return a.Tool, true
	case "trigger":
		return string(a.Trigger), true
	case "user_request":
		return strings.Join(a.Requests, "\n\n"), true
	case "turn":
		return summaries(a.Turn), true
	}
	return "", false
}

// maxTurn bounds the lines of {{turn}}.
const maxTurn = 100

// summaries are the actions of a turn, a line each: the last ones of a long one.
func summaries(turn []Action) string {
	var b strings.Builder
	if left := len(turn) - maxTurn; left > 0 {
		fmt.Fprintf(&b, "(%d more before these)\n", left)
		turn = turn[left:]
	}
	for i := range turn {
		b.WriteString(text.Cut(line(turn[i].Summary()), maxQuoted) + "\n")
	}
	return b.String()
}

// verb is what a write does to its path.
func (a *Action) verb() string {
	verb := map[Op]string{OpEdit: "edit", OpAppend: "append to", OpDelete: "delete", OpMove: "move away"}[a.Op]
	return cmp.Or(verb, "write")
}

// wish is what the agent wants to do, for a question to its user: one line, cut.
func (a *Action) wish() string {
	switch {
	case a.Carrier != "":
		return "run " + quoted(a.DerivedFrom) + ", in which " + a.carried()
	case a.DerivedFrom != "":
		return a.deed() + " (by " + quoted(a.DerivedFrom) + ")"
	}
	return a.deed()
}

// carried is what an unknown program may do.
func (a *Action) carried() string { return quoted(a.Carrier) + " may " + a.deed() }

// deed is what the action does: a verb and its object.
func (a *Action) deed() string {
	what := quoted(a.Target)
	switch a.Trigger {
	case FileWrite:
		what = a.verb() + " " + what
	case FileRead:
		what = "read " + what
	case Bash:
		what = "run " + what
	case MCP:
		what = "call " + what
	default:
		what = string(a.Trigger) + " " + what
	}
	return what
}

// spoken is [Action.Var] for a text that people read. Where a command may touch many files,
// it names the one that the rule is about. A folder becomes "a file below" it, a pattern "a
// file that fits" it.
func (f *Finding) spoken(name string) (value string, ok bool) {
	value, ok = f.Action.Var(name)
	if name != "file_path" || !ok {
		return value, ok
	}
	if form := f.Match.Form; f.Action.DerivedFrom != "" && slices.Contains(f.Action.Forms, form) {
		value = form
	}
	switch {
	case value == "." || value == ".." || value == "~" || strings.HasSuffix(value, "/"):
		return "a file below " + value, true
	case strings.ContainsAny(value, "*?["):
		return "a file that fits " + value, true
	}
	return value, true
}

// Summary says in one line what the action does, for prompts and for users.
func (a *Action) Summary() string {
	var s string
	switch a.Trigger {
	case FileWrite:
		s = a.verb() + " file " + a.Target
	case FileRead:
		s = "read file " + a.Target
	case Bash:
		s = "run command: " + a.Target
	case MCP:
		s = "call MCP tool " + a.Target
	default:
		s = string(a.Trigger) + " " + a.Target
	}
	if a.DerivedFrom != "" {
		s += " (by: " + a.DerivedFrom + ")"
	}
	return s
}
