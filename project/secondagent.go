package project

import (
	"slices"
	"strconv"
	"strings"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/agent"
	"github.com/agentsentinel/sentinel/rule"
)

// unhooked is true for a word that switches hooks off, in the settings of any agent.
const unhooked = "`" + `^(--[\w-]+=)?\s*(\{[\s\S]*disableAllHooks|([\w.]*\.)?hooks\s*=\s*(false|\{\s*\}|\[\s*\])$)|^--no-hooks$|^--disable=(codex_)?hooks$` + "`"

// ownVariables say where an agent has its settings, and Sentinel its own: elsewhere
// there are no rules of the user and nothing is pinned.
var ownVariables = []string{"HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "SENTINEL_CONFIG_DIR"}

// exporters set variables for the commands that follow.
var exporters = []string{"export", "declare", "typeset", "setenv"}

// secondAgent is the rule about another agent that would work without hooks or without
// questions to the user, so that nothing checks its calls. It asks the user and needs no
// model. Its `when` is of [secondAgentWhen], which takes longer to write than to see that
// no command starts an agent.
func secondAgent(starts []agent.Starts) (rule.File, bool) {
	if len(starts) == 0 {
		return rule.File{}, false
	}
	var scope []string
	for _, s := range starts {
		for _, p := range s.Programs {
			scope = append(scope, p+" *", p+".exe *")
		}
	}
	return rule.File{Path: builtInSource, Definition: rule.Definition{
		ID: secondAgentID, Trigger: string(sentinel.Bash), Severity: "ask", Backend: sentinel.Builtin, Scope: scope,
		Message: "This starts another agent without hooks, with other settings or so that it asks nobody, or changes which programs it runs. Do the work yourself, or start it in this project with its hooks and questions on.",
	}}, true
}

const secondAgentID = "sentinel:second-agent"

// completeSecondAgent gives that rule its `when`, where it is among files.
func completeSecondAgent(files []rule.File, starts []agent.Starts) {
	for i := range files {
		if d := &files[i].Definition; d.ID == secondAgentID {
			d.When = secondAgentWhen(starts)
		}
	}
}

// secondAgentWhen is true where a command starts an agent in one of these ways.
func secondAgentWhen(starts []agent.Starts) string {
	var programs []string
	variables := slices.Clone(ownVariables)
	var when strings.Builder
	when.WriteString("any(commands, {\n  let words = .operands; let away = .dir_unknown or .dir matches `^(/|~|\\.\\.)` and not (.dir == cwd or .dir startsWith cwd + \"/\");\n  let found = .args; let set = .assigns;\n")
	for i, s := range starts {
		if i > 0 {
			when.WriteString("  or ")
		}
		when.WriteString(".program in " + textList(s.Programs) + " and (\n    any(found, " + wordsMatch(s.Options) + " or # matches " + unhooked + ")\n")
		if len(s.Tasks) > 0 {
			when.WriteString("    or away and any(found, # in " + textList(s.Tasks) + ")\n")
		}
		for _, change := range s.Changes {
			first, second, _ := strings.Cut(change, " ")
			when.WriteString("    or len(words) > 1 and words[0] == " + strconv.Quote(first) + " and any([words[1]], " + wordsMatch([]string{second}) + ")\n")
		}
		programs, variables = append(programs, s.Programs...), append(variables, s.Variables...)
		when.WriteString("    or any(set, " + startsWithAny(slices.Concat(ownVariables, s.Variables)) + "))\n")
	}
	when.WriteString("})\nor any(commands, .program in " + textList(exporters) + " and any(.args, " + startsWithAny(variables) + "))\n" +
		"  and any(commands, .program in " + textList(programs) + ")")
	return when.String()
}

// startsWithAny is an expression over a word that sets one of some variables.
func startsWithAny(variables []string) string {
	set := make([]string, len(variables))
	for i, name := range variables {
		set[i] = name + "=*"
	}
	return wordsMatch(set)
}

// wordsMatch is an expression over a word, which is one of some words; an option that
// ends in * is a beginning.
func wordsMatch(options []string) string {
	var whole []string
	var parts []string
	for _, o := range options {
		if start, ok := strings.CutSuffix(o, "*"); ok {
			parts = append(parts, "# startsWith "+strconv.Quote(start))
		} else {
			whole = append(whole, o)
		}
	}
	if len(whole) > 0 || len(parts) == 0 {
		parts = append(parts, "# in "+textList(whole))
	}
	return strings.Join(parts, " or ")
}

// textList is a list of texts in an expression.
func textList(texts []string) string {
	quoted := make([]string, len(texts))
	for i, text := range texts {
		quoted[i] = strconv.Quote(text)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}
