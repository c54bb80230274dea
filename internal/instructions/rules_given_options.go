package instructions

import (
	"fmt"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// spokenPrograms are programs by the words for them.
var spokenPrograms = map[string]string{"artisan": "php artisan", "gradle": "./gradlew", "maven": "mvn"}

// variableNamed is a variable of the environment, with or without a value.
var variableNamed = lazy.Regexp{Source: `^([A-Z][A-Z0-9_]*)(?:=\S*)?$`}

// startsWith is a variable in front of a command.
var startsWith = lazy.Regexp{Source: `^([A-Z][A-Z0-9_]*=\S*) ([a-z./].*)$`}

// withVariable wants a variable of the environment to be set for a command.
func (b *builder) withVariable() (list []ruleFile) {
	said := b.termOf(b.hit.Slots["var"]).Text
	for _, with := range b.hit.Terms("with") {
		given := said
		if m := startsWith.Get().FindStringSubmatch(with.Text); m != nil && given == "" {
			given, with.Text = m[1], m[2]
		}
		m := variableNamed.Get().FindStringSubmatch(given)
		if m == nil || operator.Get().MatchString(slot.Get().ReplaceAllString(with.Text, "")) {
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
		r := ruleFile{ID: m[1] + " " + cmd, Trigger: "bash", Scope: scope, Message: "Run it with " + given + "."}
		r.When = fmt.Sprintf("not any(cmd.assigns, # startsWith %q) and not any(cmd.args, # startsWith %[1]q) and not any(commands, .program == \"export\" and any(.args, # startsWith %[1]q))", name)
		r.why = "It stops " + cmd + " without " + m[1] + "."
		r.Tests = []ruleCase{stops(ruleCase{Bash: example}), passes(ruleCase{Bash: given + " " + example}), passes(ruleCase{Bash: "export " + given + " && " + example}), passes(ruleCase{Bash: "ls -l"})}
		list = append(list, r)
	}
	return list
}

// withOwnOption wants the option that a command is written with. An option of a program without a
// sub-command is one of many.
func (b *builder) withOwnOption() []ruleFile {
	t := b.termOf(b.hit.Slots["with"])
	cmd, options, ok := strings.Cut(t.Text, " -")
	if !ok || len(strings.Fields(cmd)) < 2 || placeholder.Get().MatchString(cmd) || operator.Get().MatchString(t.Text) {
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
func (b *builder) editable() []ruleFile {
	r := ruleFile{Trigger: "bash", Scope: []string{"pip install *", "pip3 install *", "uv pip install *", "python -m pip install *"}, Message: "Install it with -e."}
	r.When = "any(cmd.operands, # matches `^\\./?(\\[.*\\])?$`) and not hasFlag(cmd, \"-e\", \"--editable\")"
	r.why = "It stops the installation of the project without -e."
	r.Tests = []ruleCase{stops(ruleCase{Bash: "pip install ."}), stops(ruleCase{Bash: "uv pip install '.[dev]'"}), passes(ruleCase{Bash: "pip install -e ."}), passes(ruleCase{Bash: "pip install left-pad"})}
	return []ruleFile{r}
}
