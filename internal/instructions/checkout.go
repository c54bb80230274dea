package instructions

import (
	"regexp"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/forms"
	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
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

// switches widens a rule about changes of the branch to every git checkout whose argument is not a folder of the
// tree. If the line names worktrees too, the rule also covers them.
func (b *builder) switches(r *ruletext.Rule, act *forms.Act) {
	r.Scope = append(slices.DeleteFunc(r.Scope, func(c string) bool {
		return strings.HasPrefix(c, "git checkout ") && slices.Contains(act.Commands, c)
	}), "git checkout *")
	if withWorktrees.Get().MatchString(b.quote) {
		trees := forms.ActOf(sentence.Term{Kind: 'a', Text: "worktree"})
		r.Scope = append(r.Scope, trees.Commands...)
		r.Tests = append(r.Tests, ruletext.AsStop(ruletext.Case{Bash: trees.Example}), ruletext.AsPass(ruletext.Case{Bash: trees.Except}))
	}
	r.Tests = append(r.Tests, ruletext.AsStop(ruletext.Case{Bash: "git checkout feature/other"}))
	var top []string
	if b.p != nil && b.p.Known() {
		for _, f := range b.p.Folders() {
			if !strings.ContainsAny(f, "/\"`") && len(top) < mostFolders {
				top = append(top, regexp.QuoteMeta(f))
			}
		}
	}
	if len(top) > 0 {
		r.When = "(" + r.When + ") and not (cmd.subcommand == \"checkout\" and any(cmd.operands, # matches `^(" + strings.Join(top, "|") + ")$`))"
	}
}

// mostFolders bounds the folders in a condition.
const mostFolders = 40

// withWorktrees matches a line that names branches and worktrees.
var withWorktrees = lazy.Regexp{Source: `(?i)\bbranch(?:es)?(?:/| or | and )(?:git )?worktrees?\b`}

// byState goes on with files that only the state of the work tree tells.
var byState = lazy.Regexp{Source: `\bfor (?:the |all |any |your )?(?:untracked|ignored|unstaged|uncommitted|unmerged|conflicted|conflicting|unmodified) (?:files?|changes|paths?|work)\b`}
