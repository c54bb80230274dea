package explain

import (
	"slices"
	"strings"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/rule"
)

// about is what a trigger means.
func about(t sentinel.Trigger, scoped bool) string {
	text := map[sentinel.Trigger]string{
		sentinel.FileWrite: "writing, editing, moving and removing files, also by a command",
		sentinel.FileRead:  "reading files",
		sentinel.Bash:      "running commands",
		sentinel.MCP:       "calling MCP tools",
		sentinel.Any:       "writing files, running commands and calling MCP tools",
	}[t]
	if scoped {
		return text + ", where a pattern of its scope matches"
	}
	return text + ", whatever the target: it has no scope"
}

// patternMeans says a pattern in words.
func patternMeans(t sentinel.Trigger, pattern string) string {
	switch t {
	case sentinel.Bash:
		return commandMeans(pattern)
	case sentinel.MCP:
		return toolMeans(pattern)
	case sentinel.Any:
		return pathMeans(pattern) + "; or a command or MCP tool that fits it"
	}
	return pathMeans(pattern)
}

func pathMeans(p string) string {
	inner := strings.TrimSuffix(strings.TrimPrefix(p, "**/"), "/**")
	plain := !strings.ContainsAny(inner, "*?[{")
	switch {
	case p == "**" || p == "*" || p == "**/*":
		return "every file"
	case !strings.Contains(p, "/") && plain:
		return "a file or folder named " + p + ", at any depth"
	case !strings.Contains(p, "/"):
		return "names that fit " + p + ", at any depth"
	case strings.HasPrefix(p, "**/") && strings.HasSuffix(p, "/**") && plain:
		return "everything below a folder " + inner + ", wherever that is"
	case strings.HasPrefix(p, "**/"):
		return "what fits " + strings.TrimPrefix(p, "**/") + ", at any depth"
	case strings.HasSuffix(p, "/**") && plain:
		return "everything below " + inner
	case plain && !strings.Contains(p, "**"):
		return "exactly " + p
	case strings.Contains(p, "**"):
		return "what fits, in any folder below too: ** also matches across folders"
	}
	return "what fits, within one folder: * does not cross /"
}

func commandMeans(p string) string {
	if kind, ok := strings.CutPrefix(p, "effect:"); ok {
		return "commands with the effect " + kind + ", whatever they are called"
	}
	words := strings.Fields(p)
	if len(words) == 0 || strings.HasPrefix(p, "*") {
		return "command lines that fit it as text"
	}
	program := strings.TrimSuffix(words[0], "*")
	var flags, operands []string
	for _, w := range words[1:] {
		switch {
		case w == "*":
		case strings.HasPrefix(w, "-"):
			flags = append(flags, w)
		default:
			operands = append(operands, strings.TrimSuffix(w, "*"))
		}
	}
	text := "the program " + program
	if program != words[0] {
		text = "programs that begin with " + program
	}
	if len(operands) > 0 {
		text += ", with " + strings.Join(operands, " … ")
	}
	if len(flags) > 0 {
		text += ", with the flag " + strings.Join(flags, " and ") + " wherever it stands"
	}
	return text + "; also within sudo, bash -c and the like"
}

func toolMeans(p string) string {
	server, tool, both := strings.Cut(p, ":")
	switch {
	case both && tool == "*":
		return "every tool of the server " + server
	case both && server == "*":
		return "the tool " + tool + " of any server"
	case both:
		return "the tool " + tool + " of the server " + server
	}
	return "a server or a tool that is called so"
}

// severityMeans says what becomes of a violation, at a call and at the end of a turn.
func severityMeans(d *rule.Definition, s sentinel.Severity) string {
	switch {
	case s == sentinel.SeverityInfo:
	case d.Phase == "stop":
		return atTurnsEnd(s)
	case slices.Contains(d.Also.By, "turn"):
		return atCalls(s) + "; at the end of a turn " + atTurnsEnd(s)
	}
	return atCalls(s)
}

func atTurnsEnd(s sentinel.Severity) string {
	if s == sentinel.SeverityBlock {
		return "the agent is sent back to work, where it can be, and reads the message; when it was told often enough, the user reads it"
	}
	return "the turn ends, and the user reads the message"
}

func atCalls(s sentinel.Severity) string {
	switch s {
	case sentinel.SeverityInfo:
		return "its text is given to the agent; nothing is judged, and nothing is stopped"
	case sentinel.SeverityWarn:
		return "the action happens, and the agent reads the message"
	case sentinel.SeverityAsk:
		return "a person has to approve the action"
	}
	return "the action does not happen, and the agent reads the message"
}

// mustMeans says in words what must have happened; "" of a rule without such a condition.
func mustMeans(d *rule.Definition) string {
	either := func(list []string) string { return strings.Join(list, " or ") }
	switch q, a, b := &d.Requires, &d.Also, &d.BeforeFirst; {
	case len(q.Ran) > 0:
		said := either(q.Ran) + " must have run" + text.When(q.OK, " with success") + sinceMeans(q.Since)
		unknown := map[string]string{"violation": "counts as none", "pass": "counts as success", "": "could not be judged"}[q.Unknown]
		return said + text.When(q.OK, "; a run whose result the agent does not tell "+unknown)
	case len(a.Changed) > 0:
		by := strings.NewReplacer("commit", "a commit", "turn", "the end of the turn", "pull_request", "a pull request or a push").Replace(either(a.By))
		what := either(a.Changed) + text.When(len(a.Except) > 0, " (not "+either(a.Except)+")") + text.When(a.New, " is new") + text.When(!a.New, " changed")
		return "when " + what + ", " + either(a.With) + " must have changed too, by " + by
	case len(b.Write) > 0:
		return "before the session's first write to " + either(b.Write) + " it must have read " + either(b.Read)
	case d.Once:
		return "a person approves it once in a session"
	}
	return ""
}

// sinceMeans says `since` in words.
func sinceMeans(since []string) string {
	if len(since) == 0 || since[0] == "session" {
		return " in this session"
	}
	if _, err := time.ParseDuration(since[0]); err == nil {
		return " in the last " + since[0]
	}
	return " since the last write to " + strings.Join(since, " or ")
}
