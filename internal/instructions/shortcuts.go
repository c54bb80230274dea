package instructions

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/markdown"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// A text near a list may change what its items say: it offers one command for all of them, or
// each of them is a pair of its own, or the list forbids its items.

var (
	// shortcut is a text that offers commands in the place of those of the list above it.
	shortcut = lazy.Regexp{Source: `^\W*(?:or|alternatively)\b,? (?:[^.‹]{0,60}[ :—–-])?((?:‹c\d+›(?:,? or )?)+)|^\W*(?:(?:to|you can) )?(?:run|do|check|execute) (?:all|everything|all of (?:these|them|the above))(?: of (?:these|them|the above|it))?(?: (?:required|quality|ci|local|necessary|checks?|steps?|gates?|commands?|validations?|verifications?|in)){0,3}?(?: at once| together| with| by| using|:| in one go)[^.‹]{0,20}?((?:‹c\d+›(?:,? or )?)+)`}
	// iterating is another time than that of the list.
	iterating = lazy.Regexp{Source: `\b(?:while|during|when|whenever|iterat\w*|quick(?:er|ly)?|faster)\b`}
	// replaced introduces a list of what the text behind it replaces.
	replaced = lazy.Regexp{Source: `(?i)^[\W_]*(?:instead of|rather than|in place of|as opposed to)\b[^,]*:[\W_]*$|^[\W_]*(?:don['’]ts?|do not|never|avoid|not)\b[^,.;]{0,40}:[\W_]*$`}
	// ownPair is a text about what changes with one thing, by an arrow.
	ownPair = lazy.Regexp{Source: `^[^‹→]{0,30}‹[pt]\d+›[^‹→.]{0,40}→ ?(?:also |then |always )*(?:update|change|edit|add|modify|regenerate|sync|extend)\b[^‹]*‹p`}
	// headBy names the command that writes the head of a file.
	headBy = lazy.Regexp{Source: `\b(?:licen[sc]e|copyright|spdx|headers?)\b[^.]*\b(?:by|with|via|using|run|running|through|use) (?:the |running |using )*‹c|\b(?:run|use) ‹c\d+› to (?:add|insert|update|apply|fix|write|put)\b[^.]*\b(?:licen[sc]e|copyright|spdx|headers?)\b`}
	// onlyThen goes on with the only case in which a command is to be run.
	onlyThen = lazy.Regexp{Source: `^(?: \([^)]*\))?,? (?:only|solely) (?:after|once|if|when)\b`}
)

// shortcuts notes for each item of a list the commands that the text behind the list offers
// in its place, and the items next to it that are about names.
func shortcuts(list []Statement) {
	for i := range list {
		if list[i].kind == markdown.Item && nameStyle.Get().MatchString(list[i].Text) {
			list[i].namesBeside(list, i)
		}
	}
	for i := range list {
		s := &list[i]
		combinedItem(list, i)
		if whole, parts := combined(s.code); len(parts) > 0 {
			s.instead = append(s.instead, whole...)
		}
		for k := 1; k < len(s.phrases); k++ { // in the statement itself
			s.instead = append(s.instead, offeredIn(&s.phrases[k])...)
		}
		if i == 0 || s.kind == markdown.Item || s.kind == markdown.Heading || len(s.phrases) == 0 || !slices.Equal(s.Section, list[i-1].Section) {
			continue
		}
		last, said := &list[i-1], offeredIn(&s.phrases[0])
		if len(said) == 0 && len(s.phrases) == 1 && orFirst.Get().MatchString(s.Text) && strings.HasSuffix(strings.TrimRight(s.Text, "*_ "), ":") && len(s.code) == 1 {
			said = append(said, strings.TrimPrefix(strings.TrimSpace(s.code[0]), "$ "))
		}
		if last.kind != markdown.Item && len(last.code) > 0 {
			last.instead = append(last.instead, said...)
		}
		for k := i - 1; k >= 0 && len(said) > 0 && list[k].kind == markdown.Item && list[k].Lead == last.Lead && slices.Equal(list[k].Section, last.Section); k-- {
			list[k].instead = append(list[k].instead, said...)
		}
	}
}

// offeredIn are the commands that a sentence offers in the place of those in front of it.
func offeredIn(p *sentence.Phrase) (list []string) {
	m := shortcut.Get().FindStringSubmatch(p.Words)
	if iterating.Get().MatchString(p.Words) {
		return nil
	}
	for _, at := range m[min(1, len(m)):] {
		for _, t := range p.TermsIn(at) {
			list = append(list, t.Text)
		}
	}
	return list
}

// withShortcut adds to each duty of an item what is offered in the place of its list.
func (b *builder) withShortcut(list []duty) []duty {
	for _, o := range b.s.instead {
		cmd := withoutArguments(sentence.Cleaned(sentence.CommandTerm(o)))
		p, example := patterns(cmd)
		if len(p) == 0 || operator.Get().MatchString(cmd) || tooWide(cmd, false) {
			continue
		}
		for i := range list {
			if !slices.Contains(list[i].names, cmd) {
				list[i].add(cmd, p, example)
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
	// nameStyle is the name of a style of names.
	nameStyle = lazy.Regexp{Source: `(?i)\b(?:kebab-case|snake_case|pascal-?case|camel-?case)\b`}
	// ownNames is a label of files that have names of their own.
	ownNames = lazy.Regexp{Source: `(?i)^\W*(?:[\w.]+ ){0,2}(components?|hooks?|pages?|screens?|views?|stores?|services?|models?|controllers?|tests?|layouts?)(?: and [\w ]+| files?| names?| file ?names?| naming|/\w+)*[*_\x60 ]*(?:[:—–→(|]|-+ |\bin\b|\buse\b)`}
)

var (
	// ofTheFile are things that have a file each, with their name.
	ofTheFile = lazy.Regexp{Source: `(?i)^(?:components?|hooks?|pages?|screens?|layouts?)$`}
	// namesFile is a text that says that it is about files.
	namesFile = lazy.Regexp{Source: `(?i)\bfiles?\b|\w\.(?:tsx?|jsx?|py|go|rs|rb|vue|svelte|cs|java|kt|swift|php|dart)\b`}
)

// maxBeside bounds the items in front of one of a list, and those behind it, that are looked at for
// names: each item of a list is compared with the others.
const maxBeside = 64

// namesBeside notes the items next to one of a list that are about names, too.
func (s *Statement) namesBeside(list []Statement, at int) {
	for _, step := range []int{-1, 1} {
		for k := at + step; k >= max(0, at-maxBeside) && k < min(len(list), at+maxBeside+1) && list[k].kind == markdown.Item && list[k].Lead == s.Lead && slices.Equal(list[k].Section, s.Section); k += step {
			if nameStyle.Get().MatchString(list[k].Text) {
				s.named = append(s.named, list[k].Text)
			}
		}
	}
}

// otherNames takes out of a rule about all file names the components that an item next to
// the line gives names of their own, and warns where those are other files.
func (b *builder) otherNames(r *ruleFile, style string) {
	for _, said := range b.s.named {
		m := ownNames.Get().FindStringSubmatch(said)
		if m == nil || !ofTheFile.Get().MatchString(m[1]) && !namesFile.Get().MatchString(said) || strings.EqualFold(strings.Replace(nameStyle.Get().FindString(said), "l-c", "lc", 1), style) {
			continue
		}
		switch what := strings.ToLower(m[1]); {
		case strings.HasPrefix(what, "component") && slices.ContainsFunc(r.Scope, func(g string) bool { return strings.Contains(g, "tsx") }):
			r.Exclude = append(slices.Clone(r.Exclude), "**/*.{tsx,jsx,vue,svelte}")
		case b.hit.Severity == "block":
			b.hit.Severity = "warn"
			fallthrough
		default:
			r.Message = "If this is not one of the " + strings.TrimSuffix(what, "s") + "s that have names of their own, " + lowered(r.Message)
		}
	}
}
