package survey

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/markdown"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/instructions/statement"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// eitherCode begins a text about two commands that do the same: "`just format` or `just
// f` - formats the code".
var eitherCode = lazy.Regexp{Source: "^\\W*?(?:\\*{0,2}[\\w /()-]{1,40}\\*{0,2} ?[:—–-]\\*{0,2} ?)?`([^`]+)`,? \\(?or `([^`]+)`\\)?(?:$|[\\W_])"}

// alike are the commands of a file that do the same as another one by its own words.
func alike(all []markdown.Block) map[string][]string {
	same := map[string][]string{}
	for i := range all {
		b := &all[i]
		if b.Invisible || !slices.ContainsFunc(b.Lines, func(l string) bool { return strings.Contains(l, "`") }) {
			continue
		}
		for _, said := range sentence.Sentences(b.Text()) {
			m := eitherCode.Get().FindStringSubmatch(said)
			if m == nil || sentence.KindOf(m[1]) != sentence.Command || sentence.KindOf(m[2]) != sentence.Command || badAbove.Get().MatchString(markdown.CodeSpan.Get().ReplaceAllString(said, " ")) {
				continue
			}
			same[m[1]], same[m[2]] = append(same[m[1]], m[2]), append(same[m[2]], m[1])
		}
	}
	return same
}

// TellsToRun reports whether a file tells to run a command.
func (s *Shows) TellsToRun(cmd string) bool {
	return slices.ContainsFunc(s.Specimens(), func(o Specimen) bool { return o.Of == ToRun && o.Text == cmd })
}

// onlyFor lets a name be used in some places: "XCTest is only allowed for UI tests".
var onlyFor = lazy.Regexp{Source: "(?:`([^`]+)`|\\b([A-Z][\\w.]+)) (?:is|are) only (?:ever )?(?:allowed|permitted|acceptable|ok(?:ay)?|fine|used) (?:for|in|when|where|if|by|from|inside|within)\\b"}

// A Permit is a name that a section lets be used in some places.
type Permit struct {
	Section []string
	Name    string
}

// permitsOf are those of a file.
func permitsOf(all []markdown.Block) (list []Permit) {
	for i := range all {
		if b := &all[i]; !b.Invisible {
			for _, m := range onlyFor.Get().FindAllStringSubmatch(b.Text(), -1) {
				list = append(list, Permit{b.Section, m[1] + m[2]})
			}
		}
	}
	return list
}

// combinesIn are the umbrellas that a block of a file has in its code.
func combinesIn(b *markdown.Block) (list []Umbrella) {
	whole, parts := statement.Combined(b.Code)
	for _, c := range whole {
		if sentence.KindOf(c) == sentence.Command && !Operator.Get().MatchString(c) && !TooWide(c, false) && !History.Get().MatchString(c) {
			list = append(list, Umbrella{Section: b.Section, Line: b.Line, Command: c, Parts: parts})
		}
	}
	return list
}

var (
	// allInOne is a text about a command that does all that its section wants.
	allInOne = lazy.Regexp{Source: "(?i)`([^`]+)`,?(?: \\([^)]*\\))?(?: (?:which|that|it|also|just))* (?:runs?|executes?|performs?|does|covers|includes|wraps|combines) (?:all|every|each|both)(?: of)?(?: the| these| those)?(?: [\\w-]+){0,2}? (?:above|checks?|gates|steps|commands|them|this|it|in one (?:go|step|command)|at once)\\b|`([^`]+)` (?:is|as) (?:a |an |the )?(?:shortcut|short-?hand|wrapper|alias|one command) for (?:both|all|everything|the above|these|them)\\b"}
	// otherWay is one that says that all of it can be done in another way.
	otherWay = lazy.Regexp{Source: "(?i)\\b(?:all|any|each|every\\w*) (?:of )?(?:the )?(?:above|these|them|this|those)(?: \\w+)? can (?:also |instead )?be (?:run|done|executed|invoked|performed) (?:via|with|through|using|by|from|in)\\b"}
)

// An Umbrella is what the section of a file offers in the place of all its commands.
type Umbrella struct {
	Section []string
	Line    int
	Command string   // "" for a way that no command shows
	Parts   []string // the commands that it does the work of, where they are known
}

// umbrellas are those of a file.
func umbrellas(all []markdown.Block) (list []Umbrella) {
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
			case m != nil && sentence.KindOf(m[1]) == sentence.Command && !Operator.Get().MatchString(m[1]) && !TooWide(m[1], false) && !History.Get().MatchString(m[1]):
				list = append(list, Umbrella{Section: b.Section, Line: b.Line, Command: m[1]})
			case m == nil && otherWay.Get().MatchString(said):
				list = append(list, Umbrella{Section: b.Section, Line: b.Line})
			}
		}
	}
	return list
}

// AddedByHook is a sentence about what a program adds.
var AddedByHook = lazy.Regexp{Source: `(?i)\bauto-?(?:matically )?(?:insert|add|prepend|generat|appl|appended|updat)\w*|\b(?:insert|add|prepend|generat|appl)\w* automatically\b|\b(?:hooks?|ci|tool|bot|formatter|script) (?:will )?(?:insert|add|prepend|generate)s?\b|\b(?:don['’]t|do not|no need to|need not) (?:worry about |bother )?(?:to )?(?:add|insert|writ)\w*\b|\b(?:added|inserted|prepended) (?:for you|by (?:the |a |our )?(?:[\w-]+ )?(?:hooks?|ci|tool|bot|formatter|script))`}

// addedIn are the sentences of a file about what a program adds.
func addedIn(all []markdown.Block) (list []string) {
	for i := range all {
		if all[i].Invisible || !AddedByHook.Get().MatchString(all[i].Text()) {
			continue
		}
		for _, said := range sentence.Sentences(all[i].Text()) {
			if AddedByHook.Get().MatchString(said) {
				list = append(list, said)
			}
		}
	}
	return list
}

var (
	// Leaves is a sentence or a heading that leaves commands to others.
	Leaves = lazy.Regexp{Source: `(?i)\b(?:never|do not|don['’]t) (?:ever |manually |directly )?(?:run|execute|invoke)\b`}
	// ByOneself goes on with whom they are left to, or when.
	ByOneself = lazy.Regexp{Source: `(?i)\b(?:yourself|manually|by hand|on your own|during (?:development|normal work|iteration)|while (?:developing|iterating))\b`}
	// needless is a sentence about a command that need not run.
	needless = lazy.Regexp{Source: "(?i)\\b(?:(?:don['’]t|do not) bother|(?:there is |there['’]s )?no need|need not|not necessary)(?: to| with)? (?:run|running|execute|executing)(?: the)? `?([\\w:./-]+)"}
)

// leftIn are the commands that the sentences of a file leave to others.
func leftIn(all []markdown.Block) (list []string) {
	for i := range all {
		if all[i].Invisible {
			continue
		}
		for _, said := range sentence.Sentences(all[i].Text()) {
			if m := needless.Get().FindStringSubmatch(said); m != nil {
				list = append(list, strings.TrimRight(m[1], ":."))
			}
			at := Leaves.Get().FindStringIndex(said)
			if at == nil || !ByOneself.Get().MatchString(said[at[1]:]) {
				continue
			}
			for _, c := range markdown.CodeSpan.Get().FindAllString(said[at[1]:], 3) {
				list = append(list, strings.Trim(c, "` "))
			}
		}
	}
	return list
}

var (
	// useCode is a name in `code` that a text says to use.
	useCode = lazy.Regexp{Source: "(?i)\\b(?:use|using|prefer|call|with|via) (?:the |an? )?`([^`]+)`"}
	// notUsed is the beginning of a text that goes on with what is not to be used.
	notUsed = lazy.Regexp{Source: `(?i)(?:\b(?:not|never|avoid|without|instead of|rather than|over|no)|n['’]t)\b[^.;]{0,20}$`}
)

// banned reports whether the list or the heading of a block forbids what it says.
func banned(b *markdown.Block, all []markdown.Block) bool {
	above := b.Section[max(0, len(b.Section)-1):]
	if b.Lead >= 0 {
		above = append(slices.Clip(above), all[b.Lead].Text())
	}
	return statement.Refused.Get().MatchString(b.Text()) || slices.ContainsFunc(above, statement.Negative.Get().MatchString)
}

// wants notes the names in `code` that a text says to use.
func (p *Project) wants(said string) {
	said = strings.Join(strings.Fields(said), " ")
	for _, at := range useCode.Get().FindAllStringSubmatchIndex(said, -1) {
		if name := said[at[2]:at[3]]; !notUsed.Get().MatchString(said[:at[0]]) {
			if p.Wanted == nil {
				p.Wanted = map[string][]string{}
			}
			p.Wanted[name] = append(p.Wanted[name], said)
		}
	}
}

// shellIsBash is a text about the shell of the agent.
var shellIsBash = lazy.Regexp{Source: `(?i)\b(?:claude code|agent|codex|cursor|your|this session)(?:['’]s)? (?:own )?shell\b[^.;]{0,20}\bis (?:actually |always )?(?:git[ -])?bash\b|\bthe bash tool (?:is|runs|uses) (?:git[ -])?bash\b`}
