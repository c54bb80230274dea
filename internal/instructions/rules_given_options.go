package instructions

import (
	"fmt"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/instructions/survey"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// spokenPrograms are programs by the words for them.
var spokenPrograms = map[string]string{"artisan": "php artisan", "gradle": "./gradlew", "maven": "mvn"}

// variableNamed is a variable of the environment, with or without a value.
var variableNamed = lazy.Regexp{Source: `^([A-Z][A-Z0-9_]*)(?:=\S*)?$`}

// startsWith is a variable in front of a command.
var startsWith = lazy.Regexp{Source: `^([A-Z][A-Z0-9_]*=\S*) ([a-z./].*)$`}

// withVariable wants a variable of the environment to be set for a command.
func (b *builder) withVariable() (list []ruletext.Rule) {
	said := b.termOf(b.hit.Slots["var"]).Text
	for _, with := range b.hit.Terms("with") {
		given := said
		if m := startsWith.Get().FindStringSubmatch(with.Text); m != nil && given == "" {
			given, with.Text = m[1], m[2]
		}
		m := variableNamed.Get().FindStringSubmatch(given)
		if m == nil || survey.Operator.Get().MatchString(slot.Get().ReplaceAllString(with.Text, "")) {
			continue
		}
		if !strings.Contains(given, "=") {
			if !strings.Contains(b.hit.Phrase.Words, " env") {
				continue
			}
			given += "=1"
		}
		cmd, scope, example := calls(with)
		if len(scope) == 0 {
			continue
		}
		name := m[1] + "="
		r := ruletext.Rule{ID: m[1] + " " + cmd, Trigger: "bash", Scope: scope, Message: "Run it with " + given + "."}
		r.When = fmt.Sprintf("not any(cmd.assigns, # startsWith %q) and not any(cmd.args, # startsWith %[1]q) and not any(commands, .program == \"export\" and any(.args, # startsWith %[1]q))", name)
		r.Why = "It stops " + cmd + " without " + m[1] + "."
		r.Tests = []ruletext.Case{ruletext.AsStop(ruletext.Case{Bash: example}), ruletext.AsPass(ruletext.Case{Bash: given + " " + example}), ruletext.AsPass(ruletext.Case{Bash: "export " + given + " && " + example}), ruletext.AsPass(ruletext.Case{Bash: "ls -l"})}
		list = append(list, r)
	}
	return list
}

// withOwnOption wants the option that a command is written with. An option of a program without a
// sub-command is one of many.
func (b *builder) withOwnOption() []ruletext.Rule {
	t := b.termOf(b.hit.Slots["with"])
	cmd, options, ok := strings.Cut(t.Text, " -")
	if !ok || len(strings.Fields(cmd)) < 2 || placeholder.Get().MatchString(cmd) || survey.Operator.Get().MatchString(t.Text) {
		return nil
	}
	option, rest, _ := strings.Cut("-"+options, " ")
	switch {
	case cmd == "git commit" && (option == "-s" || option == "--signoff"):
		return b.signOff()
	case rest != "" && !oneHole.Get().MatchString(rest) || strings.ContainsAny(option, "=<"):
		return nil
	}
	b.hit.Slots["flag"] = b.hit.Phrase.Add(sentence.Flag, option, true)
	return b.withOptionOf(sentence.CommandTerm(cmd))
}

// oneHole is a name in the place of an argument.
var oneHole = lazy.Regexp{Source: `^(?:<[^<>]*>|\{[^{}]*\}|\[[^\[\]]*\])$`}

// editable wants a project to be installed so that its changes count.
func (b *builder) editable() []ruletext.Rule {
	r := ruletext.Rule{Trigger: "bash", Scope: []string{"pip install *", "pip3 install *", "uv pip install *", "python -m pip install *"}, Message: "Install it with -e."}
	r.When = "any(cmd.operands, # matches `^\\./?(\\[.*\\])?$`) and not hasFlag(cmd, \"-e\", \"--editable\")"
	r.Why = "It stops the installation of the project without -e."
	r.Tests = []ruletext.Case{ruletext.AsStop(ruletext.Case{Bash: "pip install ."}), ruletext.AsStop(ruletext.Case{Bash: "uv pip install '.[dev]'"}), ruletext.AsPass(ruletext.Case{Bash: "pip install -e ."}), ruletext.AsPass(ruletext.Case{Bash: "pip install left-pad"})}
	return []ruletext.Rule{r}
}
