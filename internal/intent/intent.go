// Package intent finds out whether a person asked for an action in so many words.
//
// It works on requests: texts that a person has typed, the oldest first. Who has typed
// them is for the caller to know. A request counts by its sentences: one that refuses,
// asks a question or makes a condition asks for nothing.
package intent

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/shell"
)

const (
	// MaxRequest bounds a request that counts, in characters. What is longer was pasted,
	// at least in part.
	MaxRequest = 4000
	// shownMax bounds what is kept of a longer one.
	shownMax = 1000
	// cutMark begins a request that does not count. No request of a person keeps it.
	cutMark = "⟦a request of "
	// maxQuote bounds a quotation, in characters.
	maxQuote = 300
	// wordMin is the length from which a word tells something, in bytes.
	wordMin = 3
	// wordsMin is how many telling words a quotation has in common with the call.
	wordsMin = 2
)

// Own returns what a person wrote of a text that they sent: without code blocks and
// quoted lines, which they may have pasted. A text beyond [MaxRequest] is cut, and does
// not count.
func Own(said string) string {
	var b strings.Builder
	fenced := ""
	size := len(said)
	for line := range strings.Lines(said) {
		line = strings.TrimRight(line, "\r\n")
		bare := strings.TrimSpace(line)
		mark := fence(bare)
		switch {
		case fenced != "":
			if strings.HasPrefix(mark, fenced) && mark == bare {
				fenced = ""
			}
		case mark != "":
			fenced = mark
		case strings.HasPrefix(bare, ">"):
		default:
			b.WriteString(line + "\n")
		}
	}
	if size > MaxRequest && utf8.RuneCountInString(said) > MaxRequest {
		return cutMark + text.Count(utf8.RuneCountInString(said), "character") + ", of which this is a part⟧\n" + text.Middle(unmarked(b.String()), shownMax)
	}
	return strings.TrimSpace(text.Clean(unmarked(b.String())))
}

// unmarked takes the mark of a cut out of a text.
func unmarked(s string) string { return strings.ReplaceAll(s, "⟦", "[") }

// fence is the mark at the beginning of a line that opens or ends a code block.
func fence(line string) string {
	for _, mark := range []string{"`", "~"} {
		if rest := strings.TrimLeft(line, mark); len(line)-len(rest) >= 3 {
			return line[:len(line)-len(rest)]
		}
	}
	return ""
}

// counts reports whether a request may let a call through.
func counts(request string) bool { return !strings.HasPrefix(request, cutMark) }

// Plain reports whether a command line is one simple command that is known whole, after
// changes of the folder at most. What else is on a line nobody may have asked for.
func Plain(line *shell.Line) bool {
	if line == nil || line.Unparsed != "" || line.Bounded {
		return false
	}
	others := 0
	for i := range line.Commands {
		c := &line.Commands[i]
		if !c.Certain {
			return false
		}
		if c.Program != "cd" {
			others++
		}
	}
	return others == 1
}

// Matching returns the person's sentence that a pattern matches and that has all names in
// it: the last one that says anything about it. It is "" where there is none, or where that
// one does not ask.
func Matching(requests []string, pattern *regexp.Regexp, names ...string) string {
	for _, request := range slices.Backward(requests) {
		if !counts(request) {
			continue
		}
		for _, s := range slices.Backward(sentences(request)) {
			if !pattern.MatchString(s) {
				continue
			}
			if !asks(s) || slices.ContainsFunc(names, func(n string) bool { return !nameIn(s, n) }) {
				return ""
			}
			return text.Cut(text.OneLine(s), maxQuote)
		}
	}
	return ""
}

// Quoted reports whether a quotation is the person's, word for word, and asks for a call
// that these words are of. It is not where a later sentence about the same refuses.
func Quoted(requests []string, quote string, call ...string) bool {
	quote = text.OneLine(quote)
	common := shared(quote, call)
	if len(common) < wordsMin || utf8.RuneCountInString(quote) > maxQuote {
		return false
	}
	for _, request := range slices.Backward(requests) {
		if !counts(request) {
			continue
		}
		for _, s := range slices.Backward(sentences(request)) {
			switch about := slices.ContainsFunc(words(s), func(w string) bool { return slices.Contains(common, w) }); {
			case about && refuses(s):
				return false
			case asks(s) && holds(text.OneLine(s), quote):
				return true
			}
		}
	}
	return false
}

// holds reports whether a sentence has the quotation in it, from the beginning of a word to
// the end of one.
func holds(sentence, quote string) bool {
	for at := 0; ; {
		i := strings.Index(sentence[at:], quote)
		if i < 0 {
			return false
		}
		before, _ := utf8.DecodeLastRuneInString(sentence[:at+i])
		after, _ := utf8.DecodeRuneInString(sentence[at+i+len(quote):])
		if !ofWord(before) && !ofWord(after) {
			return true
		}
		at += i + 1
	}
}

// nameIn reports whether a sentence has a name in it, and not as a part of another name.
func nameIn(sentence, name string) bool {
	ofName := func(r rune) bool { return ofWord(r) || strings.ContainsRune("-_/@:~", r) }
	for _, one := range strings.Fields(sentence) {
		if one = strings.Trim(one, ".,;!?()'\"`"); one == name && strings.IndexFunc(one, ofName) >= 0 {
			return true
		}
	}
	return false
}

// shared are the telling words that a quotation has in common with a call.
func shared(quote string, call []string) (common []string) {
	of := words(strings.Join(call, " "))
	for _, w := range words(quote) {
		if len(w) >= wordMin && slices.Contains(of, w) && !slices.Contains(common, w) && !slices.Contains(empty, w) {
			common = append(common, w)
		}
	}
	return common
}

// empty are words that tell nothing about a call.
var empty = []string{"the", "and", "for", "with", "that", "this", "you", "please", "now", "file", "run", "from", "into", "all", "any", "use"}

// words are the words of a text in small letters; a name such as feature-x is two.
func words(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !ofWord(r) })
}

func ofWord(r rune) bool { return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r)) }

// sentences are those of a text: each ends at a line's end, or at a mark before a blank.
func sentences(s string) (all []string) {
	start := 0
	end := func(at int) {
		if one := strings.TrimSpace(s[start:at]); one != "" {
			all = append(all, one)
		}
		start = at
	}
	for i, r := range s {
		next := i + utf8.RuneLen(r)
		switch {
		case r == '\n':
			end(i)
		case strings.ContainsRune(".!?;", r) && (next == len(s) || strings.ContainsRune(" \t\n", rune(s[next]))):
			end(next)
		}
	}
	end(len(s))
	return all
}

// asks reports whether a sentence asks for what it speaks of: it does not refuse it, make a
// condition, or ask whether it should be.
func asks(sentence string) bool {
	of := words(sentence)
	if refuses(sentence) || has(of, conditions) {
		return false
	}
	return !strings.HasSuffix(sentence, "?") || slices.Contains(of, "please") || len(of) > 0 && slices.Contains(polite, of[0])
}

// refuses reports whether a sentence says that something is not to be. A short form such as
// don't is two words here, don and t.
func refuses(sentence string) bool { return has(words(sentence), refusals) }

func has(words, some []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(some, w) })
}

// The words by which a sentence refuses, makes a condition, or begins as a question that
// asks for something, in English, German, French and Spanish.
var (
	refusals = []string{
		"not", "t", "dont", "never", "no", "none", "without", "avoid", "stop", "instead", "except", "cannot", "wont", "shouldnt", "mustnt", "neither", "nor", "refuse", "forbidden",
		"nicht", "nie", "niemals", "kein", "keine", "keinen", "ohne", "statt", "pas", "jamais", "sans", "aucun", "nunca", "sin", "jamás", "ningún",
	}
	conditions = []string{"if", "unless", "whether", "wenn", "falls", "ob", "si", "sauf"}
	polite     = []string{"can", "could", "would", "will", "kannst", "könntest", "würdest", "peux", "pourrais", "puedes", "podrías"}
)
