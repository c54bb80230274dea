package instructions

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// `git checkout` changes the branch, and takes files back. The command that a line wants in its place
// tells which of them it means.

// ofCheckout are the patterns of the calls of `git checkout` that a line means by what it wants instead,
// with one of them: none for other commands, and where it means all of them.
func ofCheckout(cmd string, use []sentence.Term) (list []string, example string) {
	wants := func(with string) bool {
		return slices.ContainsFunc(use, func(t sentence.Term) bool { return t.Text == with || strings.HasPrefix(t.Text, with+" ") })
	}
	if cmd != "git checkout" || wants("git restore") == wants("git switch") {
		return nil, ""
	}
	if wants("git restore") {
		return []string{"git checkout -- *", "git checkout * -- *", "git checkout ."}, "git checkout -- a.txt"
	}
	return []string{"git checkout -b *", "git checkout -B *", "git checkout -", "git checkout main", "git checkout master"}, "git checkout -b x"
}

// meantBy are the patterns of a command that a line has another one in the place of, with an example of it.
func meantBy(cmd string, use []sentence.Term) (list []string, example string) {
	if list, example = ofCheckout(cmd, use); len(list) > 0 {
		return list, example
	}
	return patternsBelow(cmd)
}

// byState goes on with files that only the state of the work tree tells.
var byState = lazy.Regexp{Source: `\bfor (?:the |all |any |your )?(?:untracked|ignored|unstaged|uncommitted|unmerged|conflicted|conflicting|unmodified) (?:files?|changes|paths?|work)\b`}
