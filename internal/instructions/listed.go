package instructions

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/instructions/survey"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// listsMore reports whether the list of types below a line has something else, too.
func (b *builder) listsMore() bool {
	known, found := 0, 0
	for _, l := range b.s.Items {
		if m := survey.TypeItem.Get().FindStringSubmatch(strings.TrimSpace(l)); m != nil {
			if found++; survey.IsType(strings.ToLower(m[1])) {
				known++
			}
		}
	}
	return found < len(b.s.Items) && (known > 1 || known == 1 && survey.NamesTypes.Get().MatchString(b.s.Text))
}

// opens is a sentence that permits other messages than those that were named.
var opens = lazy.Regexp{Source: `(?i)\b(?:also|additionally)\b[^.]*\b(?:valid|allowed|accepted|permitted|fine|ok|okay|exempt)\b|\b(?:exempt\w*|exceptions?|except(?: for)?|need not|do not need|don['’]t need)\b`}

// aboutMessages is one about messages or titles.
var aboutMessages = lazy.Regexp{Source: `(?i)\b(?:titles?|prefix(?:es)?|commits?|messages?|types?|subjects?|merges?|releases?|prs?)\b`}

// openTypes reports whether other messages are permitted than those of the types that are known
// or named: by the list below, or by a sentence behind it.
func (b *builder) openTypes() bool {
	return b.listsMore() || slices.ContainsFunc(b.s.Behind, func(s string) bool {
		return slices.ContainsFunc(sentence.Sentences(s), func(s string) bool {
			return opens.Get().MatchString(s) && aboutMessages.Get().MatchString(s)
		})
	})
}

// narrower is a remark on a variant of a command that is for some cases.
var narrower = lazy.Regexp{Source: `(?i)\b(?:only|just|faster|quick(?:er)?|instead|skips?|without|variant|subset)\b`}

// variant reports whether a line of code is a command that another line has with fewer options,
// so that the other does all that this one does, or whether the remark above or behind it says
// that it is for some cases.
func variant(code []string, i int) bool {
	l, remark, _ := strings.Cut(strings.TrimSpace(code[i]), " #")
	l = strings.TrimSpace(l)
	if l == "" || strings.HasPrefix(l, "#") {
		return false
	}
	if i > 0 {
		if above := strings.TrimSpace(code[i-1]); strings.HasPrefix(above, "#") {
			remark += " " + above
		}
	}
	other := func(o string) bool {
		o, _, _ = strings.Cut(strings.TrimSpace(o), " #")
		o = strings.TrimSpace(o)
		return o != "" && o != l && !strings.HasPrefix(o, "#") && (strings.HasPrefix(l, o+" ") || narrower.Get().MatchString(remark) && strings.HasPrefix(l, o))
	}
	return slices.ContainsFunc(code, other)
}

// oneScript is the script that each line of some code runs, with names for what it is about in each: it
// is to run in one of these ways. "" for other code.
func oneScript(code []string) (script string) {
	n := 0
	for _, l := range code {
		l, _, _ = strings.Cut(strings.TrimPrefix(strings.TrimSpace(l), "$ "), " #")
		if l == "" || strings.HasPrefix(l, "#") {
			continue
		}
		of := sentence.Program(l)
		if !strings.Contains(of, "/") || !slot.Get().MatchString(l) || n > 0 && of != script {
			return ""
		}
		script = of
		n++
	}
	if n < 2 {
		return ""
	}
	return script
}

// labelOnly is the label of a lead that goes on with a description, as in "Styles: what they are
// made with", else the lead.
func labelOnly(lead string) string {
	if label, rest, ok := strings.Cut(lead, ":"); ok && len(strings.Fields(strings.Trim(rest, "*_ "))) > 2 {
		return label
	}
	return lead
}

var (
	// typeRow is a list of types in a text, and oneType one of them.
	typeRow = lazy.Regexp{Source: "(?:`?\\b[a-z][a-z-]{1,11}(?:\\([^)]*\\))?[:!]?`?(?:, (?:and |or )?| ?[|/] ?| (?:and|or) )){2,}`?[a-z][a-z-]{1,11}\\b(?:\\([^)]*\\))?[:!]?`?"}
	oneType = lazy.Regexp{Source: `[a-z][a-z-]*`}
	// closesTypes says that a list of types has no others.
	closesTypes = lazy.Regexp{Source: `(?i)\b(?:types?|only|one of|either|allowed|valid|permitted|accepted|must be)\b`}
	// asExamples says that a list of types has others, in front of it or behind.
	asExamples = lazy.Regexp{Source: `(?i)\b(?:such as|like|e\.g\.?|for example|for instance|including|etc|and so on|and others|and more|or others|or similar|usually|typically)\b|…|\.\.\.`}
)

// onlyTypes are the types that the statement lists as those of messages: none where it lists no more than
// examples.
func (b *builder) onlyTypes() (list []string) {
	if asExamples.Get().MatchString(b.s.Text) || b.openTypes() {
		return nil
	}
	if own := b.p.CommitTypes(); len(own) > 0 && typeRow.Get().FindString(b.s.Text) == "" && len(b.s.Items) == 0 {
		return own
	}
	var named []string
	few := 3
	if row := typeRow.Get().FindString(b.s.Text); row != "" {
		if !closesTypes.Get().MatchString(b.s.Text) {
			few = 5 // three or four in brackets may be examples
		}
		for _, w := range oneType.Get().FindAllString(argumentsOf.Get().ReplaceAllString(row, ""), -1) {
			if w != "and" && w != "or" {
				named = append(named, w)
			}
		}
	} else {
		for _, l := range b.s.Items {
			if m := survey.TypeItem.Get().FindStringSubmatch(strings.TrimSpace(l)); m != nil {
				named = append(named, strings.ToLower(m[1]))
			}
		}
	}
	known := 0
	for _, n := range named {
		if survey.IsType(n) {
			known++
		}
	}
	if known < few || known*3 < len(named)*2 {
		return nil
	}
	return named
}

// ofBranches is a line about the names of branches alone.
var ofBranches = lazy.Regexp{Source: `^\W*(?:(?:always |please )?(?:name|call|prefix) (?:the |all |your |new |feature )*branches\b|branch(?:es| names?| naming)\b)`}

// ofTexts is a word for messages or titles.
var ofTexts = lazy.Regexp{Source: `\b(?:messages?|titles?|subjects?)\b`}

// argumentsOf is a scope behind a type.
var argumentsOf = lazy.Regexp{Source: `\([^)]*\)`}

// typesWanted are the types that a line permits, in words.
func (b *builder) typesWanted() string {
	form := ", as in `" + b.sampleType() + "(scope): what changed`"
	if only := b.onlyTypes(); len(only) > 0 {
		return "one of " + strings.Join(only, ", ") + form
	}
	return "a type" + form
}

// sampleType is a type that a line permits.
func (b *builder) sampleType() string {
	if only := b.onlyTypes(); len(only) > 0 && !slices.Contains(only, "fix") {
		return only[0]
	}
	return "fix"
}
