package instructions

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/forms"
	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/instructions/statement"
	"github.com/agentsentinel/sentinel/internal/instructions/survey"
	"github.com/agentsentinel/sentinel/internal/lazy"
	"github.com/agentsentinel/sentinel/internal/text"
)

// forAJob is the title of what holds for one kind of work.
var forAJob = lazy.Regexp{Source: `(?i)^[\W\d]*(?:for|when|during|in) (?:(?:running|writing|local|unit|integration) )*(?:testing|tests?|releases?|releasing|packaging|publishing|debugging|benchmarks?|benchmarking|ci)(?:/\w+)?\W*$`}

// options forbids options of commands.
func (b *builder) options() (list []ruletext.Rule) {
	if b.hit.Severity != "warn" && (forAJob.Get().MatchString(b.s.Heading()) || forAJob.Get().MatchString(b.s.Lead)) {
		b.hit.Severity = forms.Reminder // what is done besides may need the option
	}
	with := b.hit.Terms("with")
	if len(with) == 0 {
		with = b.optionsOf()
	}
	behind, _ := b.after("deny")
	if m := optionWith.Get().FindStringSubmatch(behind); m != nil && len(with) == 0 {
		with = b.hit.Phrase.TermsIn(m[1])
	}
	for _, t := range b.hit.Terms("deny") {
		name, value := optionOf(t)
		with := with
		if name == "--force" && strings.Contains(b.quote, "--force-with-lease") && !slices.ContainsFunc(with, func(w sentence.Term) bool { return w.Kind == sentence.Command && !strings.HasPrefix(w.Text, "gh ") }) {
			with = []sentence.Term{{Kind: sentence.Command, Text: "git push"}} // which alone has the other one
		}
		if b.demandedToo(t) || b.spellsAnother(t) {
			continue
		}
		if len(strings.Trim(name, "-")) < 2 && len(with) == 0 {
			continue
		}
		r := ruletext.Rule{ID: strings.Trim(name, "-"), Trigger: "bash", Message: b.withUnless("Run it without " + t.Text + ".")}
		r.Why = "It stops commands with " + t.Text + "."
		program, given, cond := "tool run", t.Text, fmt.Sprintf("hasFlag(cmd, %q)", name)
		if name == "--force" && len(with) > 0 && with[0].Text == "git push" {
			cond = `hasFlag(cmd, "-f", "--force")`
		}
		if value != "" {
			r.ID += " " + value
			cond = fmt.Sprintf("any(cmd.args, # == %q) or %s and any(cmd.args, # == %q)", name+"="+value, cond, value)
		}
		switch {
		case len(with) > 0:
			command, scope, example := calls(with[0])
			if len(scope) == 0 || survey.Operator.Get().MatchString(command) {
				continue // an option belongs to the program that is named with it
			}
			r.ID, r.Scope, program = r.ID+" "+command, scope, example
			if r.When = cond; multi.Get().MatchString(b.hit.Phrase.Words) {
				r.When += ` and any(cmd.args, # contains "\n")`
				given += " 'a\n\nb'"
			}
		case name == "--no-verify":
			program = "git commit"
			r.Scope = []string{"git commit --no-verify*", "git push --no-verify*"}
		default:
			r.When = "any(commands, " + strings.NewReplacer("cmd.", ".", "cmd", "#").Replace(cond) + ")"
		}
		r.Tests = []ruletext.Case{ruletext.AsStop(ruletext.Case{Bash: program + " " + given}), ruletext.AsPass(ruletext.Case{Bash: program}), ruletext.AsPass(ruletext.Case{Bash: "echo done"})}
		list = append(list, r)
	}
	return list
}

// optionWith is the command that an option is not for: "no ‹f› with ‹c›".
var optionWith = lazy.Regexp{Source: `^ (?:option |flag |switch )?(?:with|for|on|of|to|when (?:you )?(?:run|us|call|invok)\w*) (?:the )?(‹[ct]\d+›)`}

// optionsOf is the command, or that of the act, which the sentence names last in front of an
// option: "run ‹c›, never ‹f›".
func (b *builder) optionsOf() []sentence.Term {
	before, _, _ := strings.Cut(b.hit.Phrase.Words, sentence.Mark.Get().FindString(b.hit.Slots["deny"]))
	all := b.hit.Phrase.TermsIn(before)
	i := len(all) - 1
	for i >= 0 && all[i].Kind != sentence.Command && all[i].Kind != 'a' {
		i--
	}
	if i < 0 {
		return nil
	}
	said := all[i].Text
	if a := forms.ActOf(all[i]); a != nil {
		said = a.Commands[0]
	}
	said, _, _ = strings.Cut(said, " -")
	return []sentence.Term{{Kind: sentence.Command, Text: strings.TrimRight(said, " *?")}}
}

// optionOf is an option without its value, and the value.
func optionOf(t sentence.Term) (name, value string) {
	name = t.Text
	if i := strings.IndexAny(name, " ="); i > 0 {
		name, value = name[:i], strings.Trim(name[i+1:], " \"'")
	}
	if placeholder.Get().MatchString("=" + value) {
		value = "" // any
	}
	return name, value
}

// withOption wants an option of a command.
func (b *builder) withOption() (list []ruletext.Rule) {
	all := b.hit.Terms("with")
	if said := b.said("program"); said != "" {
		all = append(all, sentence.CommandTerm(cmp.Or(spokenPrograms[said], said)))
	}
	for _, with := range all {
		if with = b.calledTo(with); with.Text == "" {
			continue
		}
		if !survey.Operator.Get().MatchString(with.Text) && !placeholder.Get().MatchString(with.Text) {
			list = append(list, b.withOptionOf(with)...)
		}
	}
	return list
}

// looksAt is what gh is used for, where a line names no command of it.
var looksAt = lazy.Regexp{Source: `\b(?:retriev|read|view|look|get|fetch|see|check|inspect|find|show)\w*\b.*\b(issues?|prs?|pull requests?)\b`}

// calledTo is the command of a line that names what it is for. The rule only warns then. A program
// alone is used for other things, too: it has no text then.
func (b *builder) calledTo(t sentence.Term) sentence.Term {
	aim := b.said("aim")
	if aim == "" {
		return t
	}
	b.hit.Severity = "warn"
	m := looksAt.Get().FindStringSubmatch(aim)
	switch {
	case t.Text == "gh" && m != nil && strings.HasPrefix(m[1], "issue"):
		return sentence.CommandTerm("gh issue view")
	case t.Text == "gh" && m != nil:
		return sentence.CommandTerm("gh pr view")
	case !strings.Contains(t.Text, " "):
		return sentence.Term{}
	}
	return t
}

// withOptionOf wants an option of one command.
func (b *builder) withOptionOf(with sentence.Term) (list []ruletext.Rule) {
	cmd, scope, example := calls(with)
	if len(scope) == 0 {
		return nil
	}
	for _, t := range b.hit.Terms("flag") {
		name, value := optionOf(t)
		r := ruletext.Rule{ID: name + " " + cmd, Trigger: "bash", Scope: scope, Message: "Run it with " + t.Text + "."}
		if aim := b.said("aim"); aim != "" {
			r.Message = "If this is " + aim + ", " + statement.Lowered(r.Message)
		}
		r.Why = "It stops " + cmd + " without " + name + "."
		r.When = lacksOption(cmd, name)
		if len(name) == 2 && setsOne.Get().MatchString(value) {
			r.When = fmt.Sprintf("not any(cmd.args, # endsWith %q)", value)
			r.Tests = append(r.Tests, ruletext.AsStop(ruletext.Case{Bash: example + " " + name + " Other=1"}), ruletext.AsPass(ruletext.Case{Bash: example + " " + name + value}))
			r.Why = "It stops " + cmd + " without " + t.Text + "."
		}
		if (cmd == "gh" || cmd == "glab") && (name == "--repo" || name == "-R") {
			r.Scope, example = ofRepository(cmd)
			r.When = `not hasFlag(cmd, "--repo", "-R") and not any(cmd.operands, # startsWith "https://")`
			r.Tests = []ruletext.Case{ruletext.AsPass(ruletext.Case{Bash: cmd + " api user"}), ruletext.AsPass(ruletext.Case{Bash: cmd + " auth status"})}
		}
		r.Tests = append(r.Tests, ruletext.AsStop(ruletext.Case{Bash: example}), ruletext.AsPass(ruletext.Case{Bash: example + " " + t.Text}), ruletext.AsPass(ruletext.Case{Bash: "ls -l"}))
		list = append(list, r)
	}
	return list
}

// shortForms are the letters of options of programs.
var shortForms = map[string]string{"php artisan --no-interaction": "-n", "composer --no-interaction": "-n"}

// lacksOption is an expression for a call without an option, also where another option may take it for its
// value. A call that a script makes, as composer does, has its options there.
func lacksOption(cmd, name string) string {
	short, long := shortForms[cmd+" "+name], strings.HasPrefix(name, "--")
	when := fmt.Sprintf("not hasFlag(cmd, %q%s)", name, text.When(short != "", ", "+strconv.Quote(short)))
	if long {
		when += fmt.Sprintf(" and %q not in cmd.args", name)
	}
	if program, sub, ok := strings.Cut(cmd, " "); ok && program == "php" {
		when += fmt.Sprintf(" and command contains %q", sub)
	}
	return when
}

// setsOne is the value of an option that is given once for each setting: "-o BatchMode=yes".
var setsOne = lazy.Regexp{Source: `^[A-Za-z][\w.-]*=[\w./:-]+$`}

// ofRepository are the calls of a client of a forge that take the option that names a repository, and one of them.
func ofRepository(client string) (scope []string, example string) {
	for _, of := range []string{"issue", "pr", "mr", "release", "run", "ci", "workflow", "label", "cache"} {
		scope = append(scope, client+" "+of+" *")
	}
	return scope, client + " issue list"
}

// calls are the patterns of a command's calls, or of an act's of one command, without
// options, with its name and an example.
func calls(t sentence.Term) (name string, scope []string, example string) {
	a := forms.ActOf(t)
	if a == nil {
		name, _, _ = strings.Cut(t.Text, " -")
		scope, example = patterns(name)
		return name, scope, example
	}
	if len(a.Commands) > 1 || strings.Contains(a.Commands[0], " -") {
		return a.Name, nil, ""
	}
	return a.Name, a.Commands, a.Example
}

// withOption is an act or a command, and an option behind it.
var withOption = lazy.Regexp{Source: `(‹[ac]\d+›)(?: \w+){0,3} (?:with|without|using|via) (?:(?:the|any|an?) )?(?:‹f\d+›|-)`}

// optioned reports whether a term is meant with an option alone, or without one, that its
// commands do not have: "never push with --force" does not forbid other pushes.
func (b *builder) optioned(t sentence.Term) bool {
	m := withOption.Get().FindStringSubmatch(b.hit.Phrase.Words)
	if m == nil || b.termOf(m[1]) != t {
		return false
	}
	a := forms.ActOf(t)
	return a == nil || !slices.ContainsFunc(a.Commands, func(c string) bool { return strings.Contains(c, " -") })
}

// spellsAnother reports whether an option is another of the line in other letters: the line is
// about how options are named.
func (b *builder) spellsAnother(t sentence.Term) bool {
	bare := func(s string) string { return strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(s)) }
	return slices.ContainsFunc(b.hit.Phrase.Terms, func(o sentence.Term) bool {
		return o.Kind == t.Kind && o.Text != t.Text && bare(o.Text) == bare(t.Text)
	})
}
