package instructions

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/forms"
	"github.com/agentsentinel/sentinel/internal/instructions/markdown"
	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

var (
	// allInOne is a text about a command that does all that its section wants.
	allInOne = lazy.Regexp{Source: "(?i)`([^`]+)`,?(?: \\([^)]*\\))?(?: (?:which|that|it|also|just))* (?:runs?|executes?|performs?|does|covers|includes|wraps|combines) (?:all|every|each|both)(?: of)?(?: the| these| those)?(?: [\\w-]+){0,2}? (?:above|checks?|gates|steps|commands|them|this|it|in one (?:go|step|command)|at once)\\b|`([^`]+)` (?:is|as) (?:a |an |the )?(?:shortcut|short-?hand|wrapper|alias|one command) for (?:both|all|everything|the above|these|them)\\b"}
	// otherWay is one that says that all of it can be done in another way.
	otherWay = lazy.Regexp{Source: "(?i)\\b(?:all|any|each|every\\w*) (?:of )?(?:the )?(?:above|these|them|this|those)(?: \\w+)? can (?:also |instead )?be (?:run|done|executed|invoked|performed) (?:via|with|through|using|by|from|in)\\b"}
)

// An umbrella is what the section of a file offers in the place of all its commands.
type umbrella struct {
	section []string
	line    int
	command string   // "" for a way that no command shows
	parts   []string // the commands that it does the work of, where they are known
}

// umbrellas are those of a file.
func umbrellas(all []markdown.Block) (list []umbrella) {
	for i := range all {
		b := &all[i]
		if b.Invisible || len(b.Section) == 0 {
			continue
		}
		list = append(list, combinesIn(b)...)
		for _, said := range sentence.Sentences(b.Text()) {
			if badAbove.Get().MatchString(markdown.CodeSpan.Get().ReplaceAllString(said, " ")) {
				continue
			}
			m := allInOne.Get().FindStringSubmatch(said)
			if m != nil && m[1] == "" {
				m[1] = m[2]
			}
			switch {
			case m != nil && sentence.KindOf(m[1]) == sentence.Command && !operator.Get().MatchString(m[1]) && !tooWide(m[1], false) && !history.Get().MatchString(m[1]):
				list = append(list, umbrella{section: b.Section, line: b.Line, command: m[1]})
			case m == nil && otherWay.Get().MatchString(said):
				list = append(list, umbrella{section: b.Section, line: b.Line})
			}
		}
	}
	return list
}

// under adds to a duty the commands that do all that the section of the statement wants. A
// rule only reminds where that can be done in a way that no command shows.
func (b *builder) under(d *ruletext.Duty, list []umbrella) {
	for _, u := range list {
		switch {
		case !slices.Equal(u.section, b.s.Section):
		case u.command == "" && u.line > b.s.Line && b.hit.Severity == "block":
			b.hit.Severity = forms.Reminder
		case u.command != "" && !slices.Contains(d.Names, u.command):
			if p, _ := ranPatterns(u.command); len(p) > 0 {
				d.Add(u.command, p, d.Example)
			}
		case u.command != "" && len(d.Names) == 1:
			for _, part := range u.parts { // one of which an agent may begin with
				if p, _ := ranPatterns(part); len(p) > 0 && !operator.Get().MatchString(part) && !tooWide(part, false) {
					d.Add(part, p, d.Example)
				}
			}
		}
	}
}

var (
	// parted is a part of a project behind the command for it.
	parted = lazy.Regexp{Source: `‹c\d+›(?: \w+)? \((?:the |for (?:the )?)?(front-?end|back-?end|servers?|clients?|web|mobile|desktop|ios|android|apple|python|rust|go|golang|typescript|javascript|ts|js|swift|kotlin|java|firmware|cli)(?: only)?\)`}
	// orDuty is something else that is offered behind a command, and its part of the project.
	orDuty = lazy.Regexp{Source: `^(?: (?:passes|pass|succeeds|is green|is clean))?(?: \([^)]{1,40}\))?,? (?:and/or |or (?:[^‹]|‹[^c]))`}
)

// ofParts reports whether a line has a command for one part of a project and another thing for
// others.
func (b *builder) ofParts() bool {
	behind, _ := b.after("run")
	words := b.hit.Phrase.Words
	if !strings.Contains(b.hit.Slots["run"], "‹c") {
		return false
	}
	return orDuty.Get().MatchString(behind) && (strings.Contains(behind, "and/or") || parted.Get().MatchString(words)) || len(parted.Get().FindAllString(words, -1)) > 1
}
