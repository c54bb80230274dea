package instructions

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/pathglob"
	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// Branches, and where and when something is done with them.

// pushes is the condition of a push to one of some branches, also of the one that is checked out:
// tags alone, and what a push deletes by an option, are no push of it.
const pushes = "any(commands, .program == \"git\" and .subcommand == \"push\" and any(.operands, # matches `^\\+?([^:]*:)?(refs/heads/)?(%s)$`))\n" +
	"  or any(commands, .program == \"git\" and not hasFlag(#, \"--ff-only\", \"--tags\")\n" +
	"    and (%s.subcommand == \"push\" and (len(.operands) < 3 or \"HEAD\" in .operands))\n" +
	"    and branch(#) matches `^(%s)$`)"

// onBranches makes the condition and the cases of a rule about branches: of pushes to them where the
// line speaks of nothing else, or of commits, too.
func (b *builder) onBranches(r *ruletext.Rule, names []string, pattern string) {
	list, one := strings.Join(names, ", "), oneBranch(names[0])
	r.Scope, r.Why = []string{"git push*"}, "It stops pushes to "+list+"."
	commits, onIt := "", "git push"
	if !b.ofPushesAlone() {
		commits, onIt = `.subcommand in ["commit", "merge", "cherry-pick"] or `, "git commit -m x"
		r.Scope = append(r.Scope, "git commit*", "git merge*", "git cherry-pick*")
		r.Why = "It stops pushes to " + list + ", and commits while one of them is checked out."
		if len(names) == 1 {
			r.Why = "It stops pushes to " + list + ", and commits while it is checked out."
		}
	} else {
		r.Tests = []ruletext.Case{ruletext.AsPass(ruletext.Case{Bash: "git checkout " + one + " && git commit -m x && git merge work"})}
	}
	r.When = fmt.Sprintf(pushes, pattern, commits, pattern)
	for i, n := range names {
		n = oneBranch(n)
		names[i] = n
		r.Tests = append(r.Tests, ruletext.AsStop(ruletext.Case{Bash: "git push origin " + n}), ruletext.AsStop(ruletext.Case{Bash: "git push origin HEAD:" + n}))
	}
	r.Tests = append(r.Tests, ruletext.AsStop(ruletext.Case{Bash: "git checkout " + one + " && " + onIt}), ruletext.AsPass(ruletext.Case{Bash: "git push origin my-feature"}),
		ruletext.AsPass(ruletext.Case{Bash: "git push -u origin my-" + one}), ruletext.AsPass(ruletext.Case{Bash: "git pull origin " + one}), ruletext.AsPass(ruletext.Case{Bash: "git checkout " + one + " && git push --tags"}),
		ruletext.AsPass(ruletext.Case{Bash: "git checkout " + one + " && git pull && git checkout -b my-feature && git commit -m x"}))
}

// ofPushesAlone reports whether a sentence about branches speaks of pushes, and of nothing else that
// is done on them.
func (b *builder) ofPushesAlone() bool {
	on := []string{"commit", "merge", "squash-merge", "rebase-merge", "rebase", "amend", "reset"}
	said := b.saidOfBranches()
	acts := slices.DeleteFunc(b.hit.Phrase.TermsIn(said), func(t sentence.Term) bool { return t.Kind != 'a' })
	return (pushWord.Get().MatchString(said) || slices.ContainsFunc(acts, func(t sentence.Term) bool { return t.Text == "push" })) &&
		!onBranch.Get().MatchString(said) && !slices.ContainsFunc(acts, func(t sentence.Term) bool { return slices.Contains(on, t.Text) })
}

// saidOfBranches are the words of a phrase without its next sentence, where that speaks of other
// things: "never push to ‹t›. Run ‹c› before ‹a›".
func (b *builder) saidOfBranches() string {
	first, next, two := strings.Cut(b.hit.Phrase.Words, ". ")
	if two && strings.Contains(first, b.hit.Slots["branch"]) && !ofTheBranch.Get().MatchString(next) {
		return first
	}
	return b.hit.Phrase.Words
}

// ofTheBranch is a word for a branch that is named in front, or for one more.
var ofTheBranch = lazy.Regexp{Source: `\b(?:it|there|them|that|this|these|those|branch(?:es)?|main|master|develop|trunk)\b|‹t\d+›`}

var (
	// pushWord and onBranch are words for pushes, and for other work on a branch.
	pushWord = lazy.Regexp{Source: `\bpush(?:es|ed|ing)?\b`}
	onBranch = lazy.Regexp{Source: `\b(?:commit\w*|merg\w+|work\w*|develop(?:ing)?|chang(?:e|ing|es)) (?:\w+ )?(?:to|on|into|in)\b`}
	// toNamed goes on behind an act with the branch that it is about.
	toNamed = lazy.Regexp{Source: `^ (?:directly )?(?:to|on|onto|into) (?:the )?(‹[tp]\d+›|main|master|develop|trunk|production|staging)(?: branch)?(?:$|[.,;)])`}
)

// askedOf makes the rule of an act that needs an approval on one branch: "ask before pushing to ‹t›".
func (b *builder) askedOf() []ruletext.Rule {
	behind, _ := b.after("deny")
	m := toNamed.Get().FindStringSubmatch(behind)
	if m == nil || slices.ContainsFunc(b.denied(), func(t sentence.Term) bool { return t.Kind != 'a' || t.Text != "push" && t.Text != "commit" }) {
		return nil
	}
	b.hit.Slots["branch"] = m[1]
	return b.branch()
}

// branchHistory forbids to rewrite branches: "never ‹rebase› ‹t›". A rebase of another branch onto one rewrites the other.
func (b *builder) branchHistory() []ruletext.Rule {
	names := b.branchesNamed()
	switch act := b.act().Name; {
	case act == "force-push":
		return b.branch()
	case act != "rebase" || len(names) == 0 || slices.ContainsFunc(names, func(n string) bool { return !branchForm.Get().MatchString(n) }):
		return nil
	}
	r := ruletext.Rule{ID: "rebase " + strings.Join(names, " "), Trigger: "bash", Scope: []string{"git rebase*"}, Message: "Leave the history of " + strings.Join(names, ", ") + " as it is."}
	r.Why = "It stops rebases of " + strings.Join(names, ", ") + "."
	pattern := strings.Join(pathglob.Each(names, branchesOf), "|")
	r.When = fmt.Sprintf("not hasFlag(cmd, \"--abort\", \"--quit\", \"--continue\", \"--skip\")\n  and (get(cmd.operands, 2) ?? branch(cmd) ?? \"\") matches `^(%s)$`", pattern)
	for _, n := range names {
		n = oneBranch(n)
		r.Tests = append(r.Tests, ruletext.AsStop(ruletext.Case{Bash: "git checkout " + n + " && git rebase other"}), ruletext.AsStop(ruletext.Case{Bash: "git rebase other " + n}),
			ruletext.AsPass(ruletext.Case{Bash: "git checkout my-feature && git rebase " + n}), ruletext.AsPass(ruletext.Case{Bash: "git checkout " + n + " && git rebase --abort"}))
	}
	return []ruletext.Rule{r}
}

// notBase forbids pull requests for a branch.
func (b *builder) notBase() []ruletext.Rule {
	name := b.namedBranch()
	if b.act().Name != "pull-request" || !branchForm.Get().MatchString(name) {
		return nil
	}
	r := ruletext.Rule{ID: name, Trigger: "bash", Scope: []string{"gh pr create*", "gh pr edit*"}, Message: "Open the pull request for another branch than " + name + "."}
	r.When = valueOf("--base", `in ["-B", "--base"]`, "base") + fmt.Sprintf("base == %q", name)
	r.Why = "It stops pull requests for " + name + "."
	r.Tests = []ruletext.Case{ruletext.AsStop(ruletext.Case{Bash: "gh pr create --fill --base " + name}), ruletext.AsStop(ruletext.Case{Bash: "gh pr create -B " + name}), ruletext.AsPass(ruletext.Case{Bash: "gh pr create --fill --base other"}), ruletext.AsPass(ruletext.Case{Bash: "gh pr create --fill"})}
	return []ruletext.Rule{r}
}

// ofPullsAlone reports whether the acts of a sentence are pull requests.
func (b *builder) ofPullsAlone() bool {
	another := func(t sentence.Term) bool { return t.Kind == 'a' && t.Text != "pull-request" }
	return actMark.Get().MatchString(b.hit.Phrase.Words) && !slices.ContainsFunc(b.hit.Phrase.Terms, another)
}

// mergeCommits warns of merges that may make a commit.
func (b *builder) mergeCommits() []ruletext.Rule {
	r := ruletext.Rule{Trigger: "bash", Scope: []string{"git merge *", "git pull --no-rebase*", "git pull --no-ff*", "gh pr merge --merge*", "gh pr merge -m*"}, Message: "Rebase instead, or merge with --ff-only."}
	r.Exclude = []string{"git merge --ff-only*", "git merge --squash*", "git merge --abort*", "git merge --continue*", "git merge --quit*"}
	r.Why = "It stops merges that may make a commit."
	if name := b.namedBranch(); branchForm.Get().MatchString(name) {
		r.Why = "It stops merges into " + name + " that may make a commit."
		r.When = fmt.Sprintf("cmd.program == \"gh\" or branch(cmd) == %q", name)
		r.Tests = []ruletext.Case{ruletext.AsStop(ruletext.Case{Bash: "git checkout " + name + " && git merge other"}), ruletext.AsStop(ruletext.Case{Bash: "gh pr merge 12 --merge"}), ruletext.AsPass(ruletext.Case{Bash: "git checkout other && git merge " + name}), ruletext.AsPass(ruletext.Case{Bash: "git rebase " + name})}
		return []ruletext.Rule{r}
	}
	r.Tests = []ruletext.Case{ruletext.AsStop(ruletext.Case{Bash: "git merge main"}), ruletext.AsStop(ruletext.Case{Bash: "gh pr merge 12 --merge"}), ruletext.AsPass(ruletext.Case{Bash: "git merge --ff-only main"}), ruletext.AsPass(ruletext.Case{Bash: "git rebase main"})}
	return []ruletext.Rule{r}
}

// commentFirst wants a comment on an issue before it is closed.
func (b *builder) commentFirst() []ruletext.Rule {
	merging := b.has("merging") || b.act().Name == "merge"
	switch above := b.s.Heading() + "\n" + b.s.Text; {
	case b.has("act") && b.act().Name != "close" && !merging:
		return nil
	case !b.has("act") && !ofIssues.Get().MatchString(strings.ToLower(above)) && !ofPullRequests.Get().MatchString(above):
		return nil
	}
	r := ruletext.Rule{Trigger: "bash", Scope: []string{"gh issue close*", "gh pr close*"}, Message: "Comment on it first. {{missing}}"}
	comment, done := []string{"gh issue comment*", "gh pr comment*"}, "gh issue comment 12 --body x"
	if merging {
		r.Scope, comment, done = []string{"gh pr merge*"}, []string{"gh pr comment*", "gh pr review*"}, "gh pr comment 12 --body x"
	}
	call := strings.TrimSuffix(r.Scope[0], "*") + " 12"
	r.Requires = &ruletext.Requires{Ran: comment}
	r.When = `not hasFlag(cmd, "--comment", "-c")`
	r.Why = "It stops " + strings.TrimSuffix(r.Scope[0], "*") + " without a comment before it."
	r.Tests = []ruletext.Case{ruletext.AsStop(ruletext.Case{Bash: call}), ruletext.AsPass(ruletext.Case{Bash: call, Before: []ruletext.Step{{Bash: done}}}), ruletext.AsPass(ruletext.Case{Bash: "gh issue view 12"})}
	return []ruletext.Rule{r}
}

// thenMerged wants a look at the checks before a merge that the line does not name as an act.
func (b *builder) thenMerged() []ruletext.Rule {
	if !b.has("act") {
		b.hit.Slots["act"] = b.hit.Phrase.Add('a', "merge", false)
	}
	return b.ciFirst()
}

// scriptsOf forbids to run the files in a folder of the project by themselves.
func (b *builder) scriptsOf() []ruletext.Rule {
	dir := strings.Trim(b.hit.Slots["folder"], " /")
	if t := b.termOf(b.hit.Slots["folder"]); t.Text != "" {
		dir = strings.Trim(t.Text, "/*")
	}
	if !b.p.Known() {
		return nil
	}
	at := ""
	for _, f := range b.p.Files() {
		if in := path.Dir(f); (path.Base(in) == dir || strings.HasPrefix(f, dir+"/") || strings.Contains(f, "/"+dir+"/")) && !strings.HasSuffix(f, ".md") {
			at = f[:strings.Index("/"+f, "/"+dir+"/")] + dir
			break
		}
	}
	if at == "" || strings.ContainsAny(at, `"*[`) {
		return nil
	}
	r := ruletext.Rule{ID: at, Trigger: "bash", Scope: []string{"*" + at + "/*"}, Message: "Run it by the command of the project."}
	if use := b.wantedOwn(); len(use) > 0 {
		r.Message = "Run it by " + slot.Get().ReplaceAllString(use[0].Text, "…") + "."
	}
	r.When = fmt.Sprintf("trimPrefix(cmd.path, \"./\") startsWith %q or trimPrefix(cmd.script ?? \"\", \"./\") startsWith %[1]q", at+"/")
	r.Why = "It stops runs of the files in " + at + "."
	r.Tests = []ruletext.Case{ruletext.AsStop(ruletext.Case{Bash: "./" + at + "/zz_a"}), ruletext.AsStop(ruletext.Case{Bash: "bash " + at + "/zz_a"}), ruletext.AsPass(ruletext.Case{Bash: "cat " + at + "/zz_a"}), ruletext.AsPass(ruletext.Case{Bash: "ls -l"})}
	return []ruletext.Rule{r}
}

// onHost are the programs that run a test where they are started themselves.
const onHost = `"bundle exec", "uv run", "poetry run", "pipenv run", "pdm run", "hatch run", "npx", "bunx", "pnpm exec", "yarn exec", "npm exec", "mise exec", `

// inContainer warns of tests outside of a container.
func (b *builder) inContainer() []ruletext.Rule {
	scope := allPatterns(b.jobCommands("tests"))
	if len(scope) == 0 {
		scope = append(slices.Clone(testCommands), "php artisan test*", "vendor/bin/pest*", "vendor/bin/phpunit*", "composer test*", "rspec*", "bin/rails test*", "mix test*")
	}
	example := strings.TrimRight(scope[0], "* ")
	r := ruletext.Rule{ID: "tests", Trigger: "bash", Scope: scope, Message: "Run it in the container, as with docker compose exec."}
	if kind := b.said("kind"); kind != "" && kind != "all" && kind != "any" {
		r.Message = "If these are " + kind + " tests, run them in the container, as with docker compose exec."
	}
	r.When, r.Why = strings.Replace(givenItself, `["sudo"`, `[`+onHost+`"sudo"`, 1), "It stops tests that are run outside of a container."
	r.Tests = []ruletext.Case{ruletext.AsStop(ruletext.Case{Bash: example}), ruletext.AsStop(ruletext.Case{Bash: "uv run " + example}), ruletext.AsPass(ruletext.Case{Bash: "docker compose exec app " + example}), ruletext.AsPass(ruletext.Case{Bash: "ls -l"})}
	return []ruletext.Rule{r}
}
