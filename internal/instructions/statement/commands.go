package statement

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/markdown"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
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

// About reports whether the last sentence of a statement is about a line of its code: not where
// another line is what it names, and this one is a step before or behind that.
func (s *Statement) About(i int) bool {
	lead := wordsOf(s.Phrases[len(s.Phrases)-1].Quote)
	if sameWords(lead, lineWords(s.Code, i), func(string) bool { return true }) > 0 {
		return true
	}
	for k := range s.Code {
		own := func(w string) bool { return !ofAnyCheck.Get().MatchString(w) }
		if k != i && sameWords(lead, lineWords(s.Code, k), own) > 1 {
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
	// atOnce is a text about a command that does the work of those around it.
	atOnce = lazy.Regexp{Source: `(?i)^[\W_\d]*(?:the |a )?combined\b|\b(?:all|both|everything|each|all (?:of )?(?:the|these|those) [\w-]+|all of (?:the above|them|these|it))[*_]* (?:at once|together|in one(?: go| command| step)?|in a single (?:command|step|go)|combined)\b|\ball[- ]in[- ]one\b|\b(?:all|any) of the above\b|^[\W_\d]*(?:or|alternatively)\b[^.]*\b(?:all|both|everything|combined|one command)\b`}
	// ofWatching is one about a command that goes on.
	ofWatching = lazy.Regexp{Source: `(?i)\b(?:start\w*|watch\w*|serve\w*|install\w*|clean\w*|dev|run both (?:servers|apps))\b`}
)

// Combined are the commands of a block of code that do the work of its others, and these.
func Combined(code []string) (whole, parts []string) {
	is := false
	for _, l := range code {
		cmd, remark, _ := strings.Cut(strings.TrimSpace(l), " #")
		said := remark
		switch {
		case strings.HasPrefix(cmd, "#"):
			is = doesAll(strings.TrimSpace(l))
			continue
		case cmd == "":
			is = false
			continue
		}
		if cmd = strings.TrimPrefix(strings.TrimSpace(cmd), "$ "); is || doesAll(said) {
			whole = append(whole, cmd)
		} else {
			parts = append(parts, cmd)
		}
	}
	return whole, parts
}

func doesAll(said string) bool {
	return atOnce.Get().MatchString(said) && !ofWatching.Get().MatchString(said)
}

// CombinesAll reports whether a line of a statement's code does the work of the others.
func (s *Statement) CombinesAll(cmd string) bool {
	whole, parts := Combined(s.Code)
	return len(parts) > 0 && slices.Contains(whole, cmd)
}

// combinedItem takes an item of a list that names one command for the work of all others as
// one that is in the place of each.
func combinedItem(list []Statement, at int) {
	s := &list[at]
	if s.Block != markdown.Item || len(s.Phrases) == 0 || !doesAll(markdown.CodeSpan.Get().ReplaceAllString(s.Text, "")) {
		return
	}
	var said []string
	for _, t := range s.Phrases[0].Terms {
		if t.Kind == sentence.Command && t.Code {
			said = append(said, t.Text)
		}
	}
	for _, step := range []int{-1, 1} {
		for k := at + step; len(said) == 1 && k >= 0 && k < len(list) && list[k].Block == markdown.Item && list[k].Lead == s.Lead && slices.Equal(list[k].Section, s.Section); k += step {
			list[k].Instead, s.Either, s.whole = append(list[k].Instead, said...), true, true
		}
	}
}

// itMust says when the command of the sentence in front has to pass.
var itMust = lazy.Regexp{Source: `(?i)^(?:it|this|that) ((?:must|has to|needs to|should) (?:always |also )?(?:pass|succeed|be (?:clean|green)) before .*)$`}

// MustPass names the command in a sentence that only points to it: "`x`. It must pass before you
// push."
func (s *Statement) MustPass() (list []sentence.Phrase) {
	for i := 1; i < len(s.Phrases); i++ {
		m, before := itMust.Get().FindStringSubmatch(s.Phrases[i].Quote), &s.Phrases[i-1]
		spans := markdown.CodeSpan.Get().FindAllString(before.Quote, -1)
		if m == nil || len(spans) != 1 || len(before.TermsIn(before.Words)) != 1 || before.Terms[0].Kind != sentence.Command || sentence.Denies.Get().MatchString(before.Words) || strings.Contains(before.Words, "skip") {
			continue
		}
		named := sentence.NewPhrase(spans[0] + " " + m[1])
		named.Quote = before.Quote + " " + s.Phrases[i].Quote
		list = append(list, named)
	}
	return list
}

// OwnCommands reports whether the items below a statement name the commands of its job.
func (s *Statement) OwnCommands() bool {
	return slices.ContainsFunc(s.Items, func(one string) bool {
		return slices.ContainsFunc(markdown.CodeSpan.Get().FindAllString(one, -1), func(c string) bool { return sentence.KindOf(strings.Trim(c, "` ")) == sentence.Command })
	})
}

// aboutScripts is a text above lines about commands in files.
var aboutScripts = lazy.Regexp{Source: `(?i)\b(?:(?:shell|bash|sh) scripts?|scripting|scripts|github actions|gitlab ci|workflow files|(?:ci|github) workflows|makefiles?|dockerfiles?)\b`}

// InScripts reports whether a statement is below a text about commands in files. Such a text is not about
// the commands that the agent runs.
func (s *Statement) InScripts() bool {
	return aboutScripts.Get().MatchString(s.Lead) || slices.ContainsFunc(s.Section, aboutScripts.Get().MatchString)
}
