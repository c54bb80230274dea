package statement

import (
	"cmp"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/markdown"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

var (
	// protects is a heading above files that are not to be changed.
	protects = lazy.Regexp{Source: `(?i)^[\W_\d]*(?:(?:protected|read-?only|off-?limits|untouchable|frozen|locked)(?: (?:files?|paths?|folders?|directories|code|areas?|zones?|and|or|/))*|(?:files?|paths?|folders?|directories|code|areas?|things)(?: (?:that|which|and|folders?|directories|paths?))*(?: (?:you|agents?|ai|claude))? (?:must |should |may |to |are |is )?(?:not|never|off-limits)(?: (?:to|be|ever))*(?: (?:edit|touch|modify|change|alter)(?:ed|ied|d)?)?|(?:auto-?)?generated (?:files?|code|outputs?)[ (—–:-]+(?:do not|don['’]t|never) (?:edit|touch|modify|change)|(?:do not|don['’]t|never) (?:edit|touch|modify|change|alter)(?: (?:these|the following|any of these|files?|folders?|directories|paths?))*|` +
		`(?:the following|these|all of these)\b[\w ,/-]{0,60} (?:must|should|may) (?:not|never) be (?:edited|modified|changed|touched)(?: by hand| manually| directly| by agents?)?)(?: \([^)]*\))?[\W_]*$|` + remarkedBan}
	// prePull is one above what is to be done before a pull request.
	prePull = lazy.Regexp{Source: `(?i)^[\W_\d]*(?:pre-?pr|(?:pr|pull request|merge request|pre-?submission|submission|pre-?submit)(?: (?:submission|review|merge))? (?:checklist|requirements?|readiness|gates?|checks)|checklist (?:before|for) (?:a |an |the |your |opening |submitting |creating )*(?:prs?|pull requests?))\b[^.]{0,20}$`}
	// process is the heading of the steps of work of all kinds.
	process = lazy.Regexp{Source: `(?i)^[\W_\d]*(?:(?:development|dev|git|work|coding|standard|typical|general|basic|recommended|feature|contribution|agent|implementation|required|daily|local|core|our|the|task|session|change|default|mandatory) )*(?:workflow|process|work ?flow|steps|contributing|development|procedure|loop|making changes|working on (?:a |an )?(?:tasks?|features?|issues?)|development cycle|how to contribute|how to work)\b[^.]{0,20}$`}
	// recording is a step in which what was done is recorded, by the sentence about what is
	// to happen before it.
	recording = []struct {
		step lazy.Regexp
		then string
	}{
		{lazy.Regexp{Source: `(?i)^\W*(?:(?:then|finally|and|now),? )?(?:git )?commit(?:\b(?: (?:and push|your|the|with|changes|work|all)\b.*)?\W*$|\b[:(—–-].*| with a .*)`}, "Before committing:"},
		{lazy.Regexp{Source: "(?i)^\\W*(?:(?:then|finally|and|now),? )?(?:push(?: (?:to|the|your|and|changes|branch)\\b.*)?|`git push[^`]*`)\\W*$"}, "Before pushing:"},
		{lazy.Regexp{Source: `(?i)^\W*(?:(?:then|finally|and|now),? )?(?:open|create|submit|raise|make) (?:a |the |your )?(?:draft )?(?:PR|pull request|merge request)\b`}, "Before opening a PR:"},
	}
)

// steps notes for each item of a list of steps which later one records the work.
func steps(list []Statement) {
	for i := range list {
		s := &list[i]
		if s.Block != markdown.Item || len(s.Section) == 0 || !process.Get().MatchString(s.Heading()) {
			continue
		}
		for k := i + 1; k < len(list) && k < i+8 && s.Then == "" && list[k].Block == markdown.Item && list[k].Lead == s.Lead && slices.Equal(list[k].Section, s.Section); k++ {
			for r := range recording {
				if recording[r].step.Get().MatchString(strings.TrimLeft(list[k].Text, "*_ ")) {
					s.Then = recording[r].then
					break
				}
			}
		}
	}
}

var (
	// orFirst and orLast are in an item that is in the place of the one in front of it, or of the next.
	orFirst = lazy.Regexp{Source: `(?i)^[*_ ]*(?:or|alternatively)\b`}
	orLast  = lazy.Regexp{Source: `(?i)\bor[*_ ]*$`}
)

// maxBehind bounds the texts behind a statement that may open what it closes.
const maxBehind = 30

// follow notes for each statement about messages the texts that go on below it, and which
// items of a list are in the place of one another.
func follow(list []Statement) {
	for i := range list {
		if i > 0 && list[i].Block == markdown.Item && !list[i].whole && list[i-1].Block == markdown.Item && list[i].Lead == list[i-1].Lead && (orLast.Get().MatchString(list[i-1].Text) || orFirst.Get().MatchString(list[i].Text)) {
			list[i-1].Either, list[i].Either = true, true
		}
		if s := &list[i]; Conventions.Get().MatchString(strings.ToLower(s.Text)) {
			for k := i + 1; k < len(list) && k < i+maxBehind && list[k].Block != markdown.Heading && slices.Equal(list[k].Section, s.Section); k++ {
				s.Behind = append(s.Behind, list[k].Text)
			}
		}
	}
}

var (
	// codeIn is a sentence about the code in some folders.
	codeIn = lazy.Regexp{Source: `^[\W_]*(?:the |all )?(?:code|files|sources) (?:in|inside|within|under|below) (‹p\d+›(?:(?:,| and|, and| or) ‹p\d+›)*) (?:is|are|must|has to|have to|should)\b`}
	// butSome is in one that does not hold for some of it.
	butSome = lazy.Regexp{Source: `(?i)\b(?:except|excluding|unless|apart from|other than|but not)\b`}
	// onlyLead is an item that only introduces its list.
	onlyLead = lazy.Regexp{Source: `(?i)^[\W_]*(?:avoid|never|never use|do not use|don['’]t use|do not|don['’]t|no)[\W_]*:[\W_]*$`}
)

// topicFolders notes the folders that the item in front of a list is about, for each item of the list.
func topicFolders(list []Statement) {
	for i := 1; i < len(list); i++ {
		s, about := &list[i], &list[i-1]
		if s.Block != markdown.Item || about.Block != markdown.Item || !onlyLead.Get().MatchString(s.Text) || about.Lead != s.Lead || !slices.Equal(about.Section, s.Section) || len(about.Phrases) == 0 {
			continue
		}
		m := codeIn.Get().FindStringSubmatch(about.Phrases[0].Words)
		if m == nil {
			continue
		}
		var dirs []string
		for _, t := range about.Phrases[0].TermsIn(m[1]) {
			dirs = append(dirs, t.Text)
		}
		for k := i + 1; k < len(list) && list[k].Block == markdown.Item && list[k].Lead == s.Text; k++ {
			list[k].Topics = dirs
			if butSome.Get().MatchString(about.Text) {
				list[k].Except = cmp.Or(list[k].Except, about.Text)
			}
		}
	}
}

// shortcut is a text that offers commands in the place of those of the list above it.
var shortcut = lazy.Regexp{Source: `^\W*(?:or|alternatively)\b,? (?:[^.‹]{0,60}[ :—–-])?((?:‹c\d+›(?:,? or )?)+)|^\W*(?:(?:to|you can) )?(?:run|do|check|execute) (?:all|everything|all of (?:these|them|the above))(?: of (?:these|them|the above|it))?(?: (?:required|quality|ci|local|necessary|checks?|steps?|gates?|commands?|validations?|verifications?|in)){0,3}?(?: at once| together| with| by| using|:| in one go)[^.‹]{0,20}?((?:‹c\d+›(?:,? or )?)+)`}

// iterating is another time than that of the list.
var iterating = lazy.Regexp{Source: `\b(?:while|during|when|whenever|iterat\w*|quick(?:er|ly)?|faster)\b`}

// OwnPair is a text about what changes with one thing, by an arrow.
var OwnPair = lazy.Regexp{Source: `^[^‹→]{0,30}‹[pt]\d+›[^‹→.]{0,40}→ ?(?:also |then |always )*(?:update|change|edit|add|modify|regenerate|sync|extend)\b[^‹]*‹p`}

// shortcuts notes for each item of a list the commands that the text behind the list offers
// in its place, and the items next to it that are about names.
func shortcuts(list []Statement) {
	for i := range list {
		if list[i].Block == markdown.Item && NameStyle.Get().MatchString(list[i].Text) {
			list[i].namesBeside(list, i)
		}
	}
	for i := range list {
		s := &list[i]
		combinedItem(list, i)
		if whole, parts := Combined(s.Code); len(parts) > 0 {
			s.Instead = append(s.Instead, whole...)
		}
		for k := 1; k < len(s.Phrases); k++ { // in the statement itself
			s.Instead = append(s.Instead, offeredIn(&s.Phrases[k])...)
		}
		if i == 0 || s.Block == markdown.Item || s.Block == markdown.Heading || len(s.Phrases) == 0 || !slices.Equal(s.Section, list[i-1].Section) {
			continue
		}
		last, said := &list[i-1], offeredIn(&s.Phrases[0])
		if len(said) == 0 && len(s.Phrases) == 1 && orFirst.Get().MatchString(s.Text) && strings.HasSuffix(strings.TrimRight(s.Text, "*_ "), ":") && len(s.Code) == 1 {
			said = append(said, strings.TrimPrefix(strings.TrimSpace(s.Code[0]), "$ "))
		}
		if last.Block != markdown.Item && len(last.Code) > 0 {
			last.Instead = append(last.Instead, said...)
		}
		for k := i - 1; k >= 0 && len(said) > 0 && list[k].Block == markdown.Item && list[k].Lead == last.Lead && slices.Equal(list[k].Section, last.Section); k-- {
			list[k].Instead = append(list[k].Instead, said...)
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

// NameStyle is the name of a style of names.
var NameStyle = lazy.Regexp{Source: `(?i)\b(?:kebab-case|snake_case|pascal-?case|camel-?case)\b`}

// maxBeside bounds the items in front of one of a list, and those behind it, that are looked at for
// names: each item of a list is compared with the others.
const maxBeside = 64

// namesBeside notes the items next to one of a list that are about names, too.
func (s *Statement) namesBeside(list []Statement, at int) {
	for _, step := range []int{-1, 1} {
		for k := at + step; k >= max(0, at-maxBeside) && k < min(len(list), at+maxBeside+1) && list[k].Block == markdown.Item && list[k].Lead == s.Lead && slices.Equal(list[k].Section, s.Section); k += step {
			if NameStyle.Get().MatchString(list[k].Text) {
				s.Named = append(s.Named, list[k].Text)
			}
		}
	}
}
