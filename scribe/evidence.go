package scribe

import (
	"strings"
	"unicode/utf8"

	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/internal/transcript"
)

// quotation is a text as it is looked for: white space folded, letters small,
// typographic quotes plain, and without the quotes that a model sets around it.
func quotation(s string) string {
	s = strings.NewReplacer("“", `"`, "”", `"`, "‘", "'", "’", "'").Replace(strings.ToLower(text.Fold(s)))
	return strings.Trim(s, "\"' ")
}

// enough reports whether a quotation is long enough to prove anything: two words,
// or so many characters where words are not written apart.
func enough(evidence string) bool {
	n := len(words(evidence))
	return n >= 2 || n == 1 && utf8.RuneCountInString(evidence) >= 8
}

// whoSaid finds the line in which the evidence of a convention stands, and what
// that makes it: a person's words, or a call that a person refused, are
// user_feedback; the agent's words and calls beside a correction are
// agent_self_correction. Whatever stands in tool output alone, or nowhere, is no
// evidence. A person's line goes before an agent's.
func whoSaid(evidence string, lines []*line) (at *line, source Source, ok bool) {
	quote := quotation(evidence)
	for _, l := range lines {
		text, found := strings.CutPrefix(quote, quotation(label(l))) // models copy the line whole
		if text = strings.TrimSpace(strings.TrimPrefix(text, ":")); !found {
			text = quote
		}
		if !enough(text) || !strings.Contains(quotation(said(l)), text) {
			continue
		}
		switch l.speaker() {
		case transcript.Human:
			return l, UserFeedback, true
		case transcript.Call, transcript.Assistant:
			switch {
			case ok:
			case l.denied:
				at, source, ok = l, UserFeedback, true
			case l.corrective:
				at, source, ok = l, AgentSelfCorrection, true
			}
		}
	}
	return at, source, ok
}

// label is what a shown line begins with, said what follows it.
func label(l *line) string {
	head, _, found := strings.Cut(l.text, ": ")
	if !found {
		return ""
	}
	return head
}

func said(l *line) string {
	_, text, _ := strings.Cut(l.text, ": ")
	return text
}

// fromOutput reports whether what a statement says stems from tool output: of its
// telling words more than half stand in what tools returned and in nothing that a
// person or the agent said. Tools return what anybody wrote.
func fromOutput(statement string, lines []*line) bool {
	spoken, returned := map[string]bool{}, map[string]bool{}
	for _, l := range lines {
		into := spoken
		if l.speaker() == transcript.Result {
			into = returned
		}
		for _, w := range words(said(l)) {
			into[stem(w)] = true
		}
	}
	telling, foreign := 0, 0
	for _, w := range words(statement) {
		s := stem(w)
		switch {
		case utf8.RuneCountInString(w) < 4 || plainWord(w):
		case spoken[s]:
			telling++
		case returned[s]:
			telling++
			foreign++
		}
	}
	return foreign > 0 && 2*foreign > telling
}

// stem makes forms of a word alike: its first five letters.
func stem(word string) string {
	n := 0
	for i := range word {
		if n++; n > 5 {
			return word[:i]
		}
	}
	return word
}

// plainWord reports whether a word stands in rules of every kind.
func plainWord(w string) bool {
	switch w {
	case "always", "never", "must", "should", "with", "from", "that", "this", "instead", "before", "after", "when", "only",
		"file", "files", "command", "commands", "directory", "folder", "project", "repository", "have", "into", "using", "used", "through":
		return true
	}
	return false
}
