// Package injection finds prompt injection: text in a repository or document that
// tells a model how to judge it. It works by patterns without a model, so equal
// texts give equal results.
//
// The report lists prompt injection, and judges do not see it. More than that
// protects a judge: code finds the facts, no text can lift a cap, and all text for
// judges is fenced. Injection that no pattern matches is still only data. A text
// that merely quotes such words matches, too.
//
// The patterns are about judging: a guide for coding agents ("you are a careful
// engineer", "instructions for Claude") is not prompt injection here.
package injection

import (
	"cmp"
	"slices"
)

// Attempt is one place with prompt injection.
type Attempt struct {
	Start, End int    // bytes of the text
	Kind       string // one of Kinds
}

// The kinds of attempts.
const (
	KindInstruction = "instruction" // "ignore all previous instructions"
	KindRole        = "role"        // "note to the AI reviewer", "you are the judge of this repository"
	KindScore       = "score"       // "give this repository 5/5"
	KindVerdict     = "verdict"     // an answer for the judge to repeat: {"score": 5, "argument": …}
	KindMarker      = "marker"      // marks of a chat's turns before words about judging: <|im_start|>system
	KindHidden      = "hidden"      // invisible letters: Unicode tags, runs of variation selectors
)

// Kinds lists the kinds of attempts.
func Kinds() []string {
	return []string{KindInstruction, KindRole, KindScore, KindVerdict, KindMarker, KindHidden}
}

// MaxAttempts bounds the attempts in one text.
const MaxAttempts = 100

// Attempts returns the places with prompt injection in their order, without
// overlaps. The text may be anything, valid UTF-8 or not; the time is linear in
// its length. Letters of other scripts that look Latin, invisible characters
// between letters, and line breaks within a comment do not hide a sentence.
//
// It is safe for concurrent use.
func Attempts(text string) []Attempt {
	found := hidden(text)
	folded, offsets := fold(text)
	for _, r := range regions(folded) {
		found = append(found, r.attempts(folded, offsets)...)
	}
	slices.SortFunc(found, func(a, b Attempt) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End)) })
	end := 0
	found = slices.DeleteFunc(found, func(a Attempt) bool {
		overlaps := a.Start < end
		end = max(end, a.End)
		return overlaps
	})
	return found[:min(len(found), MaxAttempts)]
}

// Has reports whether there is prompt injection in text.
func Has(text string) bool { return len(Attempts(text)) > 0 }
