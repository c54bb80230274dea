// Package intent finds out whether a person asked for an action in so many words.
//
// It works on the texts that a person has typed, the oldest first. The caller has to know
// who typed them. Only the last one counts, and only if nothing in it can be from
// elsewhere or say the contrary. A sentence of it asks for an action if it names all that
// the action does and says nothing else: each word of the one is in the other. So the words
// for refusals, conditions and reports need not be known.
package intent

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agentsentinel/sentinel/internal/text"
)

const (
	// maxRequest bounds a request that counts, in characters. What is longer was pasted,
	// at least in part.
	maxRequest = 1000
	// shownMax bounds what is kept of a longer one.
	shownMax = 1000
	// cutMark begins a request that does not count. No request of a person keeps it.
	cutMark = "⟦a request that does not count⟧ "
	// maxQuote bounds a sentence that asks, in characters.
	maxQuote = 300
)

// Own returns what is kept of a text that a person sent. One that is not whole, or that may
// have parts of somebody else, is marked, so that it is shown and lets nothing pass.
func Own(said string, whole bool) string {
	said = strings.TrimRight(strings.TrimLeft(said, "\r\n"), " \t\r\n")
	if n := len(said) - 1; n > 0 && said[0] == '"' && strings.IndexByte(said[1:], '"') == n-1 {
		said = said[1:n] // as some programs hand on what they are started with
	}
	kept := strings.TrimSpace(text.Clean(strings.ReplaceAll(said, "⟦", "[")))
	if kept == "" || whole && typed(said) {
		return kept
	}
	return cutMark + text.Middle(kept, shownMax)
}

// foreign are characters of markup, code, quotations and tables: what has them may have
// been pasted or put there by a program.
const foreign = "<>`\"“”„«»‹›‘|{}⟦⟧\t"

// typed reports whether a text is short and plain, as a person types it: no markup, no
// quotation, no list, no heading, no header of a mail or a log, and no word that refuses.
func typed(said string) bool {
	if utf8.RuneCountInString(said) > maxRequest || strings.ContainsAny(said, foreign) || text.Clean(said) != said {
		return false
	}
	for line := range strings.Lines(said) {
		line = strings.TrimRight(line, "\r\n")
		if line == "" {
			continue
		}
		first, _ := utf8.DecodeRuneInString(line)
		if !unicode.IsLetter(first) || strings.HasSuffix(strings.TrimSpace(line), ":") || strings.Contains(line, ": ") {
			return false
		}
	}
	return !slices.ContainsFunc(words(said), func(w string) bool { return slices.Contains(refusals, w) })
}

// Asked returns the sentence of the last request that asks for a call; "" if none does.
func Asked(requests []string, call Call) string {
	if len(requests) == 0 || len(call.Names) == 0 {
		return ""
	}
	last := requests[len(requests)-1]
	if !typed(last) { // also one with the mark
		return ""
	}
	for _, s := range sentences(last) {
		if asks(s, call) {
			return text.Cut(s, maxQuote)
		}
	}
	return ""
}

// Holds reports whether a quotation is in a sentence, with its first and last words whole.
func Holds(sentence, quote string) bool {
	quoted, of := strings.Fields(quote), strings.Fields(sentence)
	for i := range of {
		if len(quoted) > 0 && len(of)-i >= len(quoted) && slices.EqualFunc(of[i:i+len(quoted)], quoted, func(a, b string) bool { return bare(a) == bare(b) }) {
			return true
		}
	}
	return false
}

// asks reports whether a sentence names all of a call and nothing else.
func asks(sentence string, call Call) bool {
	said := strings.Fields(sentence)
	if utf8.RuneCountInString(sentence) > maxQuote {
		return false
	}
	if strings.HasSuffix(sentence, "?") && !(len(said) > 2 && slices.Contains(polite, strings.ToLower(said[0])) && strings.EqualFold(said[1], "you")) {
		return false
	}
	for i := range said {
		said[i] = bare(said[i])
	}
	used := make([]bool, len(said))
	for _, n := range call.Names {
		if !n.in(said, used) && !n.Optional {
			return false
		}
	}
	for i, word := range said {
		if !used[i] && !slices.Contains(filler, strings.ToLower(word)) {
			return false
		}
	}
	return true
}

// bare is a word of a sentence without the marks around it.
func bare(word string) string { return strings.TrimRight(strings.TrimLeft(word, "("), ".,;!?)") }

// words are the words of a text in small letters, without marks.
func words(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// sentences are those of a text, each on one line. One ends at an empty line, or at a mark
// before a blank: a line may be broken anywhere.
func sentences(s string) (all []string) {
	var one []string
	end := func() {
		if len(one) > 0 {
			all = append(all, strings.Join(one, " "))
		}
		one = nil
	}
	for line := range strings.Lines(s) {
		of := strings.Fields(line)
		if len(of) == 0 {
			end()
		}
		for _, word := range of {
			one = append(one, word)
			if strings.ContainsAny(word[len(word)-1:], ".!?;") {
				end()
			}
		}
	}
	end()
	return all
}

var (
	// filler are words that a sentence may have besides what it asks for. None of them
	// changes what that is.
	filler = []string{
		"please", "now", "ok", "okay", "yes", "go", "ahead", "and", "then", "just", "can", "could", "would", "you", "thanks", "lets",
		"the", "a", "an", "my", "our", "to", "on", "in", "run", "execute", "do",
		"branch", "tag", "folder", "directory", "file", "files", "remote", "repository", "package",
	}
	// polite are the first words of a question that asks for something to be done.
	polite = []string{"can", "could", "would"}
	// refusals are words with which a sentence of a request refuses, makes a condition or
	// takes something back. A sentence with one of them asks for nothing anyway: they are
	// for the sentences before and after the one that asks.
	refusals = []string{
		"not", "t", "dont", "never", "no", "none", "nothing", "nobody", "without", "avoid", "stop", "instead", "except", "cannot", "wont", "shouldnt", "mustnt", "neither", "nor",
		"refuse", "forbid", "forbidden", "prohibited", "wait", "hold", "cancel", "forget", "undo", "keep", "leave", "ignore", "nope", "rather", "only", "but", "before", "until", "unless",
		"if", "when", "once", "whether", "suppose", "after", "example", "said", "says", "wrote", "told", "claims", "quote",
		"nicht", "nie", "niemals", "kein", "keine", "keinen", "nein", "ohne", "statt", "erst", "wenn", "falls", "ob", "pas", "jamais", "sans", "aucun", "non", "si", "sauf", "nunca", "sin", "jamás", "ningún",
		"não", "sem", "mai", "senza", "niet", "nooit", "geen", "не", "нет", "никогда", "inte", "aldrig", "ikke", "nie", "bez",
	}
)
