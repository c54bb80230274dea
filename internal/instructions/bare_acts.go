package instructions

import (
	"strings"

	"github.com/agentsentinel/sentinel/internal/lazy"
)

// "Never commit" without more forbids each commit. Where a line has the object behind a colon, or
// in front of parentheses, it is about that object only.

var (
	// colonObjects is a prohibition with its objects behind a colon.
	colonObjects = lazy.Regexp{Source: `\b((?:never|do not|don't|avoid) (?:commit|push|stage|add|merge|check in|edit|modify|touch|delete|remove|read|print|log|include|write|create|upload|share|expose|publish)): ([^.;!?]+)`}
	// givesReason is a reason, or what to do instead, and no object.
	givesReason = lazy.Regexp{Source: `^(?:never|not|do not|don't|it|they|this|that|these|those|we|you|i|there|the user|users?|only|always|instead|because|since|if|when|unless|until|ci|a human|humans|someone|people|please|just|‹c\d+› (?:\w+s|is|are|will)\b)\b|\b(?:is|are|was|will|would|has|have|must|should|does|do|can|may|needs?|handles?|owns?|makes?|breaks?)\b`}
)

// withObjects takes the colon out of "never commit: keys, dumps".
func withObjects(words string) string {
	return replaceAllSubmatch(colonObjects.Get(), words, func(m []string) string {
		if givesReason.Get().MatchString(m[2]) || startsVerb(m[2]) {
			return m[0]
		}
		return m[1] + " " + m[2]
	})
}

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
