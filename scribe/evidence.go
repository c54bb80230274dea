package scribe

import (
	"strings"
	"unicode/utf8"

	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/internal/transcript"
)

// quotation is the form in which texts are compared: white space folded, letters
// small, typographic quotes replaced, and without quotes around it.
func quotation(s string) string {
	s = strings.NewReplacer("“", `"`, "”", `"`, "‘", "'", "’", "'").Replace(strings.ToLower(text.Fold(s)))
	return strings.Trim(s, "\"' ")
}

// enough reports whether a quotation is long enough to prove anything: two words,
// or 8 characters for languages without spaces between words.
func enough(evidence string) bool {
	n := len(words(evidence))
	return n >= 2 || n == 1 && utf8.RuneCountInString(evidence) >= 8
}

// whoSaid finds the line with the evidence of a convention, and its source: words of
// the user, or a call that the user refused, are user_feedback; the agent's words and
// calls near a correction are agent_self_correction. A quotation that only tool output
// has, or no line, proves nothing. A line of the user wins over one of the agent.
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

// label is the beginning of a shown line, said the rest.
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

// fromOutput reports whether a statement comes from tool output: more than half of its
// telling words are in output and not in words of the user or the agent. Tool output
// may have any author.
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
		case utf8.RuneCountInString(w) < 4 || commonWord(w):
		case spoken[s]:
			telling++
		case returned[s]:
			telling++
			foreign++
		}
	}
	return foreign > 0 && 2*foreign > telling
}

// stem is the same for forms of a word: its first five letters.
func stem(word string) string {
	n := 0
	for i := range word {
		if n++; n > 5 {
			return word[:i]
		}
	}
	return word
}

// commonWord reports whether rules of every kind use a word.
func commonWord(w string) bool {
	switch w {
	case "always", "never", "must", "should", "with", "from", "that", "this", "instead", "before", "after", "when", "only",
		"file", "files", "command", "commands", "directory", "folder", "project", "repository", "have", "into", "using", "used", "through":
		return true
	}
	return false
}
