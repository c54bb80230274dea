package document

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// sentences splits prose. A dot ends a sentence when a space and the beginning of
// another sentence follow: so neither src/x.py nor e.g. ends one.
func sentences(text string) []string {
	var all []string
	start := 0
	for i := 0; i < len(text); i++ {
		if text[i] != '.' && text[i] != '!' && text[i] != '?' {
			continue
		}
		end := i + 1
		for end < len(text) && strings.IndexByte(`.!?"')]`, text[end]) >= 0 {
			end++
		}
		if end < len(text) && (text[end] != ' ' || !begins(text[end:]) || text[i] == '.' && abbreviation(text[start:i])) {
			continue
		}
		all = append(all, strings.TrimSpace(text[start:end]))
		start, i = end, end-1
	}
	if rest := strings.TrimSpace(text[start:]); rest != "" {
		all = append(all, rest)
	}
	return all
}

// begins reports whether text, after its spaces, may begin a sentence. A path may,
// although it begins with a small letter.
func begins(text string) bool {
	text = strings.TrimLeft(text, " ")
	word := text[:min(len(text), maxPath)]
	if end := strings.IndexByte(word, ' '); end >= 0 {
		word = word[:end]
	}
	r, _ := utf8.DecodeRuneInString(text)
	return !unicode.IsLower(r) || strings.Contains(word, "/") || knownExtension(strings.TrimRight(word, ".,:;"))
}

// abbreviation reports whether text ends in one that a dot belongs to.
func abbreviation(text string) bool {
	word := strings.TrimLeft(text[strings.LastIndexByte(text, ' ')+1:], "([\"'`")
	if len(word) == 1 && unicode.IsUpper(rune(word[0])) { // an initial
		return true
	}
	switch strings.ToLower(word) {
	case "e.g", "i.e", "vs", "cf", "fig", "figs", "eq", "sec", "no", "dr", "mr", "mrs", "ms", "st", "approx", "resp", "ca":
		return true
	}
	return false
}

// words are the runs of letters and digits in a text, in lower case.
func words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// occurrences counts term in text, word by word; the last word may have a plural s.
func occurrences(text, term []string) int {
	if len(term) == 0 {
		return 0
	}
	n, last := 0, len(term)-1
	for i := 0; i+last < len(text); i++ {
		if slices.Equal(text[i:i+last], term[:last]) && (text[i+last] == term[last] || text[i+last] == term[last]+"s") {
			n++
		}
	}
	return n
}

// keywordList reports whether a sentence only lists things: four or more parts,
// nearly all of them of three words or fewer.
func keywordList(sentence string) bool {
	parts := strings.FieldsFunc(sentence, func(r rune) bool { return strings.ContainsRune(",;|•·", r) })
	short := 0
	for _, p := range parts {
		if len(words(p)) <= 3 {
			short++
		}
	}
	return len(parts) >= 4 && 4*short >= 3*len(parts)
}
