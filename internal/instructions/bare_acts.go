package instructions

import (
	"strings"

	"github.com/agentsentinel/sentinel/internal/lazy"
)

// "Never commit" without more forbids each commit. Where a line has the object behind a colon, or
// in front of parentheses, it is about that object only.

// nounFront is the end of words about files or data: what follows forbids something to do to them.
var nounFront = lazy.Regexp{Source: `\b(?:files?|outputs?|artifacts?|artefacts?|secrets?|credentials?|keys?|tokens?|builds?|dumps?|data|logs?|caches?|binar(?:y|ies)|folders?|director(?:y|ies)|configs?|configurations?|archives?|snapshots?|backups?|database|downloads?)(?: [\w-]+)?\W*$`}

// ofNoun reports whether an act without an object is about the noun in front of it: "the cache
// (do not push)", "build outputs: never commit".
func ofNoun(before, match, after string) bool {
	if !actLast.Get().MatchString(match) {
		return false
	}
	const signs = " (,:—–-"
	before += match[:len(match)-len(strings.TrimLeft(match, signs))]
	whole := strings.TrimRight(before, signs)
	front := strings.TrimSpace(segment.Get().FindString(whole))
	if front == "" || strings.Contains(front, "‹a") {
		return false
	}
	noun := nounFront.Get().MatchString(front) && (strings.Count(front, " ") < 2 || !imperative(front))
	if strings.HasSuffix(before, "(") && strings.HasPrefix(after, ")") {
		return noun || !imperative(front) && !ofReader.Get().MatchString(front)
	}
	return noun && whole != strings.TrimRight(before, " ") && strings.Trim(after, ".,;:!) ") == ""
}

// placeTaken ends with what is not to be used: code below it is what to use in its place.
var placeTaken = lazy.Regexp{Source: `\b(?:instead of|rather than|in place of) [^.;:,]*[\w›)][^.;:,]*$`}

// owned is a file of another thing than the working tree: "a ‹p› branch's ‹p›".
var owned = lazy.Regexp{Source: `‹[pt]\d+› (?:branch|tag|release|version|repo|repository|fork|project)'s ‹p`}
