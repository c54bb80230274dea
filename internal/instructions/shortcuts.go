package instructions

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/instructions/statement"
	"github.com/agentsentinel/sentinel/internal/instructions/survey"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// A text near a list may change what its items say: it offers one command for all of them, or
// each of them is a pair of its own, or the list forbids its items.

var (
	// replaced introduces a list of what the text behind it replaces.
	replaced = lazy.Regexp{Source: `(?i)^[\W_]*(?:instead of|rather than|in place of|as opposed to)\b[^,]*:[\W_]*$|^[\W_]*(?:don['’]ts?|do not|never|avoid|not)\b[^,.;]{0,40}:[\W_]*$`}
	// headBy names the command that writes the head of a file.
	headBy = lazy.Regexp{Source: `\b(?:licen[sc]e|copyright|spdx|headers?)\b[^.]*\b(?:by|with|via|using|run|running|through|use) (?:the |running |using )*‹c|\b(?:run|use) ‹c\d+› to (?:add|insert|update|apply|fix|write|put)\b[^.]*\b(?:licen[sc]e|copyright|spdx|headers?)\b`}
	// onlyThen goes on with the only case in which a command is to be run.
	onlyThen = lazy.Regexp{Source: `^(?: \([^)]*\))?,? (?:only|solely) (?:after|once|if|when)\b`}
)

// withShortcut adds to each duty of an item what is offered in the place of its list.
func (b *builder) withShortcut(list []ruletext.Duty) []ruletext.Duty {
	for _, o := range b.s.Instead {
		cmd := withoutArguments(sentence.Cleaned(sentence.CommandTerm(o)))
		p, example := patterns(cmd)
		if len(p) == 0 || survey.Operator.Get().MatchString(cmd) || survey.TooWide(cmd, false) {
			continue
		}
		for i := range list {
			if !slices.Contains(list[i].Names, cmd) {
				list[i].Add(cmd, p, example)
			}
		}
	}
	return list
}

// onlyThen reports whether a sentence says of a command when alone it may be run.
func (b *builder) onlyThen() bool {
	behind, ok := b.after("run")
	return ok && onlyThen.Get().MatchString(behind)
}

var (
	// ownNames is a label of files that have names of their own.
	ownNames = lazy.Regexp{Source: `(?i)^\W*(?:[\w.]+ ){0,2}(components?|hooks?|pages?|screens?|views?|stores?|services?|models?|controllers?|tests?|layouts?)(?: and [\w ]+| files?| names?| file ?names?| naming|/\w+)*[*_\x60 ]*(?:[:—–→(|]|-+ |\bin\b|\buse\b)`}
)

var (
	// ofTheFile are things that have a file each, with their name.
	ofTheFile = lazy.Regexp{Source: `(?i)^(?:components?|hooks?|pages?|screens?|layouts?)$`}
	// namesFile is a text that says that it is about files.
	namesFile = lazy.Regexp{Source: `(?i)\bfiles?\b|\w\.(?:tsx?|jsx?|py|go|rs|rb|vue|svelte|cs|java|kt|swift|php|dart)\b`}
)

// otherNames takes out of a rule about all file names the components that an item next to
// the line gives names of their own, and warns where those are other files.
func (b *builder) otherNames(r *ruletext.Rule, style string) {
	for _, said := range b.s.Named {
		m := ownNames.Get().FindStringSubmatch(said)
		if m == nil || !ofTheFile.Get().MatchString(m[1]) && !namesFile.Get().MatchString(said) || strings.EqualFold(strings.Replace(statement.NameStyle.Get().FindString(said), "l-c", "lc", 1), style) {
			continue
		}
		switch what := strings.ToLower(m[1]); {
		case strings.HasPrefix(what, "component") && slices.ContainsFunc(r.Scope, func(g string) bool { return strings.Contains(g, "tsx") }):
			r.Exclude = append(slices.Clone(r.Exclude), "**/*.{tsx,jsx,vue,svelte}")
		case b.hit.Severity == "block":
			b.hit.Severity = "warn"
			fallthrough
		default:
			r.Message = "If this is not one of the " + strings.TrimSuffix(what, "s") + "s that have names of their own, " + statement.Lowered(r.Message)
		}
	}
}
