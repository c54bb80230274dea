package instructions

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/markdown"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

var (
	// leadWord is a word of a text.
	leadWord = lazy.Regexp{Source: `[a-z][a-z0-9]+`}
	// everyLine is a word that says nothing of what a command is for.
	everyLine = lazy.Regexp{Source: `^(?:run|runs|running|the|and|for|with|all|any|are|is|you|your|must|should|always|after|before|when|then|first|this|that|these|those|from|into|use|using|npm|pnpm|yarn|bun|make|uv|cargo|go|step|mandatory|required|important|critical|\w)$`}
	// ofAnyCheck is one that is said of checks of all kinds.
	ofAnyCheck = lazy.Regexp{Source: `^(?:tests?|testing|checks?|code|changes?|changing|edit\w*|modif\w*|project|files?|commit\w*|push\w*|pr|commands?|quality|significant|local\w*|suite|full|complete|build\w*|new|feature|task|work|finish\w*|final\w*)$`}
)

// wordsOf are the words of a text that may say what a command is for.
func wordsOf(said string) (list []string) {
	for _, w := range leadWord.Get().FindAllString(strings.ToLower(said), -1) {
		if w = strings.TrimSuffix(w, "s"); !everyLine.Get().MatchString(w) {
			list = append(list, w)
		}
	}
	return list
}

// sameWords counts the words of a list that another one has.
func sameWords(list, other []string, counts func(string) bool) (n int) {
	for i, w := range list {
		if slices.Contains(other, w) && !slices.Contains(list[:i], w) && counts(w) {
			n++
		}
	}
	return n
}

// about reports whether the last sentence of a statement is about a line of its code: not where
// another line is what it names, and this one is a step before or behind that.
func (s *Statement) about(i int) bool {
	lead := wordsOf(s.phrases[len(s.phrases)-1].Quote)
	if sameWords(lead, lineWords(s.code, i), func(string) bool { return true }) > 0 {
		return true
	}
	for k := range s.code {
		own := func(w string) bool { return !ofAnyCheck.Get().MatchString(w) }
		if k != i && sameWords(lead, lineWords(s.code, k), own) > 1 {
			return false
		}
	}
	return true
}

// lineWords are the words of a line of code, and of the remarks above it.
func lineWords(code []string, i int) []string {
	if l := strings.TrimSpace(code[i]); l == "" || strings.HasPrefix(l, "#") {
		return nil
	}
	said := code[i]
	for k := i - 1; k >= 0 && strings.TrimSpace(code[k]) != ""; k-- {
		if strings.HasPrefix(strings.TrimSpace(code[k]), "#") {
			said += " " + code[k]
			break
		}
	}
	return wordsOf(said)
}

var (
	// weighty is a change that a sentence is about alone, by its weight.
	weighty = lazy.Regexp{Source: `\b((?:significant|meaningful|substantial|substantive|major|large|big|important|non-?trivial|larger|bigger)(?:(?: or|,| and|/) ?(?:\w+))? (?:[a-z]+ )?(?:changes?|edits?|work|refactor\w*|features?|modifications?|updates?|rewrites?))\b`}
	// asideOf is a remark that names no moment.
	asideOf = lazy.Regexp{Source: `\((?:[^b)]|b[^e)])*\)`}
	// insideOther runs a tool in a container that runs.
	insideOther = lazy.Regexp{Source: `^docker(?: compose|-compose)?(?: -\S+(?: [^ -]\S*)??)*? (?:exec|run)\b`}
)

// ofWeight makes a demand after changes of some weight one that reminds of it.
func (b *builder) ofWeight() {
	m := weighty.Get().FindStringSubmatch(asideOf.Get().ReplaceAllString(b.sentence(), ""))
	if m == nil && b.s.kind == markdown.Item {
		m = weighty.Get().FindStringSubmatch(strings.ToLower(b.s.Lead))
	}
	if m == nil || b.hit.Severity != "block" || b.has("words") || b.hit.Form.Rule != "requires" {
		return
	}
	b.hit.Severity, b.hit.Slots["words"] = "warn", m[1]
}
