package instructions

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/forms"
	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// A line about commits that were pushed leaves others alone. The session knows what was pushed in it.

// pushedCommits are the words for commits that others may have.
var pushedCommits = lazy.Regexp{Source: `\b(?:already[- ])?(?:pushed|published) (?:commits?|branch(?:es)?|history|work)\b|\b(?:commits?|it|they|them|that)(?: has| have| is| are| was| were)(?: already| been)* (?:pushed|published)\b|\bafter (?:you (?:have |'ve )?|it (?:is|was|has been) |they (?:are|were|have been) )?(?:pushed|published|pushing|publishing|a push)\b`}

// whetherPushed is a line about all commits.
var whetherPushed = lazy.Regexp{Source: `(?i)\b(?:even (?:after|if|when)|whether)\b|[;(:—–][^.]*\bpush`}

// ofPushed reports whether a prohibition of what rewrites commits is about pushed ones.
func (b *builder) ofPushed() bool {
	return !whetherPushed.Get().MatchString(b.quote) && pushedCommits.Get().MatchString(strings.ToLower(b.quote)) && slices.ContainsFunc(b.hit.Terms("deny"), func(t sentence.Term) bool { return rewrites(t) != "" })
}

// rewrites is how an act or a command rewrites commits, as a pattern of commands: "" for others.
func rewrites(t sentence.Term) string {
	for _, cmd := range []string{"git commit --amend", "git rebase"} {
		if strings.HasPrefix(t.Text, cmd) {
			return cmd + "*"
		}
	}
	switch {
	case t.Kind != 'a':
	case t.Text == "amend":
		return "git commit --amend*"
	case strings.HasPrefix(t.Text, "rebase") && t.Text != "rebase-merge":
		return "git rebase*"
	}
	return ""
}

// pushed forbids to rewrite commits that were pushed in the session. The last commit was, if no other
// one came behind the push.
func (b *builder) pushed() (list []ruletext.Rule) {
	if !b.ofPushed() {
		return nil
	}
	if b.hit.Severity == "block" && forms.Excepted.Get().MatchString(b.hit.Phrase.Words) {
		b.hit.Severity = "ask"
	}
	for _, t := range b.hit.Terms("deny") {
		cmd := rewrites(t)
		if cmd == "" {
			continue
		}
		run := strings.TrimSuffix(cmd, "*")
		r := ruletext.Rule{ID: run, Trigger: "bash", Scope: []string{cmd}, When: `ran("git push*")`, Message: "Make a new commit instead: what was pushed stays as it is.", Why: "It stops " + run + " after a push."}
		commit, push := ruletext.RanStep("git commit -m x"), ruletext.RanStep("git push origin feature")
		if run == "git rebase" {
			run += " main"
			r.Exclude = []string{"git rebase --abort*", "git rebase --continue*", "git rebase --skip*", "git rebase --quit*", "git rebase --edit-todo*", "git rebase --show-current-patch*"}
			r.Warns = true // it may be another branch that was pushed
			r.Message = "Merge instead: what was pushed stays as it is."
		} else {
			r.When = `last(ran("git push*")) > last(ran("git commit*"))`
			r.Tests = []ruletext.Case{ruletext.AsPass(ruletext.Case{Bash: run, Before: []ruletext.Step{push, commit}})}
		}
		r.Tests = append([]ruletext.Case{ruletext.AsStop(ruletext.Case{Bash: run, Before: []ruletext.Step{commit, push}}), ruletext.AsPass(ruletext.Case{Bash: run, Before: []ruletext.Step{commit}})}, r.Tests...)
		list = append(list, r)
	}
	return list
}
