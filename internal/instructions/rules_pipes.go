package instructions

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/forms"
	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/instructions/statement"
	"github.com/agentsentinel/sentinel/internal/instructions/survey"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

var (
	// anyOutput is the output of commands of every kind.
	anyOutput = lazy.Regexp{Source: `^(?:(?:the|your|its|their|any|all|of|from|long|longer|long-running|slow|shell|bash|terminal|tool|build|such|commands?|outputs?|results?|stdout|it|them|that) ?)*$`}
	// filterProgram leaves out, or keeps back, a part of what it reads.
	filterProgram = lazy.Regexp{Source: `^(?:tail|head|grep|egrep|rg|less|more|sed|awk|wc|cut|tee|jq|sh|bash|zsh)$`}
	jobWord       = lazy.Regexp{Source: `^(?:tests?|suite|lint\w*|typecheck\w*|builds?|format\w*|checks)$`}
	someLong      = lazy.Regexp{Source: `\b(?:long|longer|long-running|slow)\b`}
	dashedName    = lazy.Regexp{Source: `^[a-z][a-z0-9]*(?:-[a-z0-9]+)+$`} // a program by its form
	ownName       = lazy.Regexp{Source: `^[\w./-]+$`}
)

// printers print what is there, and are piped all the time.
const printers = `["cat", "echo", "printf", "ls", "git", "find", "fd", "rg", "grep", "ps", "jq", "sort", "uniq", "sed", "awk", "cut", "tr", "wc", "env", "history", "tee", "seq", "yes", "tac", "nl"]`

// pipes forbids to give the output of commands to programs that leave out parts of it.
func (b *builder) pipes() []ruletext.Rule {
	from, piped := b.hit.Slots["from"], strings.Contains(b.hit.Phrase.Words, " pip")
	r := ruletext.Rule{Trigger: "bash"}
	var filters []string
	for _, t := range b.hit.Phrase.WordsIn(argumentsOf.Get().ReplaceAllString(b.hit.Slots["deny"], "")) {
		before, last := "", t.Text
		if at := strings.LastIndexByte(t.Text, '|'); at >= 0 {
			before, last = strings.TrimSpace(t.Text[:at]), strings.TrimSpace(t.Text[at+1:])
		} else if !piped && t.Code {
			return nil
		}
		if sentence.KindOf(before) == sentence.Command {
			from += " " + b.hit.Phrase.Add(sentence.Command, before, true)
		}
		name := sentence.Program(last)
		switch {
		case slices.Contains([]string{"or", "and", "nor", "the"}, t.Text):
			continue
		case !filterProgram.Get().MatchString(name) && !(dashedName.Get().MatchString(name) && strings.Contains(from, "‹")):
			return nil
		}
		filters = append(filters, name)
	}
	when, example := b.outputOf(from)
	if len(filters) == 0 || when == "" {
		return nil
	}
	for _, name := range filters {
		r.Tests = append(r.Tests, ruletext.AsStop(ruletext.Case{Bash: example + " | " + name + " x"}))
	}
	if r.When = when; tees.Get().MatchString(b.s.Text) {
		r.When += ` and "tee" not in cmd.input`
	}
	r.ID, r.Scope = strings.Join(filters, " "), allExact(filters)
	r.Why = "It stops commands whose output goes to " + strings.Join(filters, ", ") + "."
	r.Message = "Run it without a pipe to " + strings.Join(filters, " or ") + "."
	if someLong.Get().MatchString(b.hit.Phrase.Words) {
		r.Warns, r.Message = true, "If the command runs long: "+statement.Lowered(r.Message)
	}
	r.Tests = append(r.Tests, ruletext.AsPass(ruletext.Case{Bash: example}), ruletext.AsPass(ruletext.Case{Bash: filters[0] + " x a.log"}), ruletext.AsPass(ruletext.Case{Bash: "cat a.log | " + filters[0] + " x"}))
	return []ruletext.Rule{r}
}

// tees is advice to keep the whole output in a file.
var tees = lazy.Regexp{Source: `\btee\b`}

// outputOf is the condition of a program that reads the output of the commands which a part of
// the sentence names, with one of these as an example. Both are "" if it names something else.
func (b *builder) outputOf(from string) (when, example string) {
	if anyOutput.Get().MatchString(strings.TrimSpace(from)) {
		return "any(cmd.input, # not in " + printers + ")", "make test"
	}
	var commands []string
	for _, t := range b.hit.Phrase.WordsIn(from) {
		switch cmd := sentence.Cleaned(t); {
		case t.Kind == sentence.Command || t.Kind == 0 && sentence.Words().IsProgram[cmd] || t.Kind == sentence.Name && dashedName.Get().MatchString(t.Text):
			commands = append(commands, cmd)
		case jobWord.Get().MatchString(cmd):
			list := b.jobCommands(cmd)
			if len(list) == 0 {
				list = forms.All().Runners[survey.JobOf(cmd)]
			}
			commands = append(commands, list...)
		case t.Kind != 0:
			return "", ""
		}
	}
	var conditions []string
	for _, cmd := range commands {
		name := path.Base(sentence.Program(cmd))
		if started := begun.Get().FindString(cmd); started != "" {
			name = path.Base(sentence.Program(strings.TrimPrefix(cmd, started)))
		}
		if !ownName.Get().MatchString(name) {
			continue
		}
		one := fmt.Sprintf("%q in cmd.input", name)
		switch rest := strings.TrimPrefix(cmd, name); {
		case name == "gradle" || name == "mvn":
			one = fmt.Sprintf("any(cmd.input, # in [%q, %q])", name, name+"w")
		case rest != cmd && rest != "" && !placeholder.Get().MatchString(rest):
			one = fmt.Sprintf("(%s and any(commands, .text startsWith %q))", one, cmd)
		}
		if !slices.Contains(conditions, one) {
			conditions = append(conditions, one)
		}
	}
	if len(conditions) == 0 {
		return "", ""
	}
	when = strings.Join(conditions, " or ")
	if len(conditions) > 1 {
		when = "(" + when + ")"
	}
	return when, commands[0]
}
