package instructions

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/forms"
	"github.com/agentsentinel/sentinel/internal/instructions/pathglob"
	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// mergeMethods are the ways in which gh merges.
var mergeMethods = []string{"merge", "squash", "rebase"}

// merges wants one way to merge pull requests.
func (b *builder) merges() []ruletext.Rule {
	method := b.hit.Slots["method"]
	if gh := b.termOf(b.hit.Slots["gh"]).Text; strings.HasPrefix(gh, "gh pr merge") {
		for _, m := range mergeMethods {
			if strings.Contains(gh, "--"+m) {
				method = m
			}
		}
	}
	if method == "" {
		return nil
	}
	r := ruletext.Rule{ID: method, Trigger: "bash", Message: "Merge with gh pr merge --" + method + "."}
	r.Why = "It stops other ways to merge than --" + method + "."
	for _, m := range mergeMethods {
		if m != method {
			r.Scope = append(r.Scope, "gh pr merge --"+m+"*", "gh pr merge -"+m[:1]+"*")
			r.Tests = append(r.Tests, ruletext.AsStop(ruletext.Case{Bash: "gh pr merge 12 --" + m}))
		}
	}
	r.Tests = append(r.Tests, ruletext.AsPass(ruletext.Case{Bash: "gh pr merge 12 --" + method}))
	return []ruletext.Rule{r}
}

// onGitHub are the acts that the web interface does, too.
var onGitHub = []string{"pull-request", "issue", "comment", "close", "merge"}

// usedThen is the case that a command is used, which does not ask for it.
var usedThen = lazy.Regexp{Source: `\b(?:if|when(?:ever)?|while|where) (?:you )?(?:use|using|run|running|call|calling|invoke|invoking) (?:the )?‹c\d+›`}

// github wants gh in the place of calls of the web interface.
func (b *builder) github() []ruletext.Rule {
	isGit := func(t sentence.Term) bool { return t.Text == "git" } // the line is about another choice
	another := func(t sentence.Term) bool { return t.Kind == 'a' && !slices.Contains(onGitHub, t.Text) }
	if slices.ContainsFunc(b.hit.Phrase.Terms, another) {
		return nil
	}
	if use := b.hit.Terms("use"); len(use) == 0 || usedThen.Get().MatchString(b.hit.Phrase.Words) || use[0].Text != "gh" && !strings.HasPrefix(use[0].Text, "gh ") || slices.ContainsFunc(b.hit.Phrase.Terms, isGit) {
		return nil
	}
	r := ruletext.Rule{Trigger: "bash", Scope: []string{"curl *api.github.com*", "wget *api.github.com*", "http *api.github.com*"}, Message: "Use gh, as in gh pr view or gh api."}
	r.Why = "It stops calls of GitHub's interface by other programs than gh."
	bad := "curl -s https://api.github.com/repos/a/b/issues"
	if all := b.hit.Phrase.TermsIn(strings.Join(actMark.Get().FindAllString(b.hit.Phrase.Words, -1), " ")); len(all) == 1 && all[0].Text == "pull-request" && !moreOfGitHub.Get().MatchString(b.hit.Phrase.Words) {
		r.When, bad = "cmd.text matches `/pulls\\b`", "curl -s https://api.github.com/repos/a/b/pulls -d @x"
		r.Tests = []ruletext.Case{ruletext.AsPass(ruletext.Case{Bash: "curl -s https://api.github.com/repos/a/b/releases/latest"})}
	}
	if m := forThings.Get().FindStringSubmatch(b.quote); m != nil && r.When == "" {
		parts := pathglob.Each(thingIn.Get().FindAllString(strings.ToLower(m[1]), -1), func(s string) string {
			return strings.Replace(strings.Replace(s, "pull request", "pull", 1), "pr", "pull", 1) + "s"
		})
		r.When, bad = "cmd.text matches `/("+strings.Join(parts, "|")+")\\b`", "curl -s https://api.github.com/repos/a/b/"+parts[0]
		r.Tests = []ruletext.Case{ruletext.AsPass(ruletext.Case{Bash: "curl -s https://api.github.com/repos/a/b/contents/c"})}
	}
	r.Tests = append(r.Tests, ruletext.AsStop(ruletext.Case{Bash: bad}), ruletext.AsPass(ruletext.Case{Bash: "gh api repos/a/b/issues"}), ruletext.AsPass(ruletext.Case{Bash: "curl https://example.com"}))
	return []ruletext.Rule{r}
}

// forThings are the things on the host that a line limits itself to, and thingIn one of them.
var (
	forThings = lazy.Regexp{Source: `(?i)\bfor (?:all )?((?:(?:issue|pr|pull request|release)s?(?:/|,? and |,? or |, ))+(?:issue|pr|pull request|release)s?)(?: (?:operations?|work|tasks|actions|management|access))?(?:$|[.,;:)])`}
	thingIn   = lazy.Regexp{Source: `issue|pull request|pr|release`}
)

// moreOfGitHub are things there besides pull requests.
var moreOfGitHub = lazy.Regexp{Source: `\b(?:issues?|releases?|api|all|operations?|actions?|ci|workflows?|interactions?|everything|github)\b`}

var (
	branchKinds = lazy.Regexp{Source: `^(?:feat|feature|fix|bug|bugfix|hotfix|chore|docs?|refactor|tests?|release|perf|ci|users?|tasks?|issues?|agents?|claude|ai|codex|wip|dev)$`}
	// kindsOfBranches is the place of one of them in a name.
	kindsOfBranches = lazy.Regexp{Source: `<(?:type|kind|category|prefix)>`}
	branchForm      = lazy.Regexp{Source: `^[\w./-]+$`}
)

// oneKind is about branches of one kind.
var oneKind = lazy.Regexp{Source: `\b(feat|hotfix|bugfix|fix|release|chore|docs)(?:ure)? branch(?:es)?\b`}

// newBranches are the commands that make branches, or rename one, and newBranch is the name of it in
// a condition: a call of git branch with another option only shows or removes some.
var newBranches = []string{"git checkout -b*", "git checkout -B*", "git switch -c*", "git switch -C*", "git switch --create*", "git switch --force-create*", "git branch *", "git worktree add *"}

const newBranch = `let words = filter(cmd.args, not (# startsWith "-"));
let at = findIndex(cmd.args, # in ["-b", "-B", "-c", "-C", "--create", "--force-create"]);
let moved = hasFlag(cmd, "-m", "-M", "--move");
let made = all(cmd.args, not (# startsWith "-") or # in ["-m", "-M", "--move", "-f", "--force", "-t", "--track", "--no-track"]);
let name = (cmd.subcommand == "branch" ? (made ? get(words, moved ? len(words) - 1 : 1) : "") : at == nil ? "" : get(cmd.args, at + 1)) ?? "";
`

// branchName wants a beginning of the names of new branches.
func (b *builder) branchName() []ruletext.Rule {
	var prefixes []string
	for _, t := range b.hit.Terms("prefix") {
		if t.Text = b.unplaced(t.Text); strings.HasPrefix(t.Text, "{") {
			t.Text = strings.NewReplacer("{", "<", "}", ">").Replace(t.Text)
		}
		before, _, ok := strings.Cut(t.Text, "/")
		if i := strings.IndexByte(before, '<'); ok && i >= 0 && !kindsOfBranches.Get().MatchString(before) {
			continue // what begins the name the line does not say
		}
		if ok && !slices.Contains(prefixes, before+"/") && !sentence.Endings.Get().MatchString(t.Text) && (strings.Contains(t.Text, "<") || branchKinds.Get().MatchString(before)) {
			prefixes = append(prefixes, before+"/")
		}
	}
	if len(prefixes) == 0 {
		return nil
	}
	if m := oneKind.Get().FindStringSubmatch(strings.ToLower(b.quote)); len(prefixes) == 1 && m != nil && strings.HasPrefix(prefixes[0], m[1]) && b.hit.Severity == "block" {
		b.hit.Severity = forms.Reminder // other branches have other names
	}
	pattern := b.branchPattern(prefixes)
	if pattern == "" {
		return nil
	}
	list := strings.Join(prefixes, " or ")
	good := anyPlace.Get().ReplaceAllLiteralString(kindsOfBranches.Get().ReplaceAllLiteralString(prefixes[0], "feat"), "ab-12") + "login"
	r := namedBranches(strings.Join(prefixes, " "), pattern, good)
	r.Message = "Name the branch so that it begins with " + list + "."
	r.Why = "It stops new branches whose names do not begin with " + list + "."
	return []ruletext.Rule{r}
}

// namedBranches wants the names of new branches to be as a pattern says.
func namedBranches(id, pattern, good string) ruletext.Rule {
	r := ruletext.Rule{ID: id, Trigger: "bash", Scope: newBranches}
	r.When = newBranch + fmt.Sprintf("name != \"\" and not (name matches `%s`)", pattern)
	r.Tests = []ruletext.Case{ruletext.AsStop(ruletext.Case{Bash: "git checkout -b wip"}), ruletext.AsStop(ruletext.Case{Bash: "git switch -C wip"}), ruletext.AsStop(ruletext.Case{Bash: "git branch wip"}), ruletext.AsStop(ruletext.Case{Bash: "git branch -m wip"}), ruletext.AsStop(ruletext.Case{Bash: "git worktree add -b wip ../x"}),
		ruletext.AsPass(ruletext.Case{Bash: "git branch --contains wip"}), ruletext.AsPass(ruletext.Case{Bash: "git branch -D wip"}), ruletext.AsPass(ruletext.Case{Bash: "git worktree add ../wip"}),
		ruletext.AsPass(ruletext.Case{Bash: "git checkout -b " + good}), ruletext.AsPass(ruletext.Case{Bash: "git checkout main"})}
	return r
}

// ticket is the number of a ticket, as JIRA and Linear write it.
var ticket = lazy.Regexp{Source: `\b[A-Z][A-Z\d]+-(?:\d+|[Xx]{2,}|#+)`}

// branchTicket wants the number of a ticket in the names of new branches.
func (b *builder) branchTicket() []ruletext.Rule {
	example := b.termOf(b.hit.Slots["example"]).Text
	if !ticket.Get().MatchString(example) {
		return nil
	}
	r := namedBranches("", `(?i)(^|[^a-z\d])[a-z][a-z\d]+-\d+`, "feature/ab-12-login")
	r.Message = "Put the number of the ticket into the name, as in " + example + "."
	r.Why = "It stops new branches without the number of a ticket in their names."
	return []ruletext.Rule{r}
}

// namedBranch is the branch that a line names, without its remote.
func (b *builder) namedBranch() string {
	said := b.hit.Slots["branch"]
	if t := b.termOf(sentence.Mark.Get().FindString(said)); t.Text != "" {
		return strings.TrimPrefix(t.Text, "origin/")
	}
	return said
}

// otherBase matches a line that sends some pull requests to another branch.
var otherBase = lazy.Regexp{Source: `(?i)\b(?:default|promotions?|hotfix\w*|backports?|releases?) (?:PR|pull request|target|branch|merge)`}

// base wants one branch that pull requests are for. Without an option it is the one that
// the repository says.
func (b *builder) base() []ruletext.Rule {
	name := b.namedBranch()
	if !branchForm.Get().MatchString(name) || strings.HasSuffix(name, "/") || strings.HasSuffix(name, ".md") {
		return nil
	}
	if b.hit.Severity == "block" && otherBase.Get().MatchString(b.s.Text) {
		b.hit.Severity = forms.Reminder
	}
	r := ruletext.Rule{ID: name, Trigger: "bash", Scope: []string{"gh pr create*"}, Message: "Open the pull request with --base " + name + "."}
	r.Why = "It stops pull requests for another branch than " + name + "."
	r.When = valueOf("--base", `in ["-B", "--base"]`, "base") + fmt.Sprintf("base != \"\" and base != %q and not (base startsWith \"$\")", name)
	r.Tests = []ruletext.Case{ruletext.AsStop(ruletext.Case{Bash: "gh pr create --fill --base other"}), ruletext.AsStop(ruletext.Case{Bash: "gh pr create -B other"}), ruletext.AsPass(ruletext.Case{Bash: "gh pr create --fill"}), ruletext.AsPass(ruletext.Case{Bash: "gh pr create --base " + name})}
	return []ruletext.Rule{r}
}

// mainBranches are the usual names of branches, with a slash between them.
var mainBranches = lazy.Regexp{Source: `\b(?:main|master|develop|dev|staging|production|prod|trunk|release)(?:/(?:main|master|develop|dev|staging|production|prod|trunk|release))+\b`}

// remoteName are usual names of other repositories, which no branch has.
var remoteName = lazy.Regexp{Source: `^(?:upstream|origin)(?: (?:upstream|origin))*$`}

// toRemote forbids pushes to other repositories by their names.
func (b *builder) toRemote(names []string) []ruletext.Rule {
	if slices.ContainsFunc(b.hit.Phrase.Terms, func(t sentence.Term) bool { return t.Kind == 'a' && t.Text != "push" }) {
		return nil
	}
	r := ruletext.Rule{ID: strings.Join(names, " "), Trigger: "bash", Scope: []string{"git push*"}, Message: "Push to another repository, or leave it to the user."}
	r.Why = "It stops pushes to " + strings.Join(names, ", ") + "."
	r.When = "any(commands, .program == \"git\" and .subcommand == \"push\" and len(.operands) > 1 and .operands[1] in [\"" + strings.Join(names, `", "`) + "\"])"
	for _, n := range names {
		r.Tests = append(r.Tests, ruletext.AsStop(ruletext.Case{Bash: "git push " + n + " main"}), ruletext.AsStop(ruletext.Case{Bash: "git push -u " + n + " feature"}))
	}
	r.Tests = append(r.Tests, ruletext.AsPass(ruletext.Case{Bash: "git push my-fork " + names[0]}), ruletext.AsPass(ruletext.Case{Bash: "git fetch " + names[0]}))
	return []ruletext.Rule{r}
}

// signOff wants a sign-off of commits.
func (b *builder) signOff() []ruletext.Rule {
	if b.otherTrailer() {
		return nil
	}
	if flag := b.termOf(b.hit.Slots["with"]); flag.Kind == 'f' && flag.Text != "-s" && flag.Text != "--signoff" { // -S is a signature
		return nil
	}
	r := ruletext.Rule{Trigger: "bash", Scope: []string{"git commit*"}, When: `not hasFlag(cmd, "-s", "--signoff") and not (hasFlag(cmd, "--amend") and hasFlag(cmd, "--no-edit")) and not (cmd.text matches "(?i)signed-off-by:")`, Message: "Commit with git commit -s."}
	r.Why = "It stops commits without a sign-off."
	if strings.Contains(b.s.Text, "format.signoff") { // git does it then
		b.hit.Severity = forms.Reminder
	}
	r.Tests = []ruletext.Case{ruletext.AsStop(ruletext.Case{Bash: "git commit -m x"}), ruletext.AsPass(ruletext.Case{Bash: "git commit -s -m x"}), ruletext.AsPass(ruletext.Case{Bash: `git commit -m "x" --trailer "Signed-off-by: A <a@b.c>"`}), ruletext.AsPass(ruletext.Case{Bash: "git status"})}
	return []ruletext.Rule{r}
}

// stagesAll is a command that stages more than a file that it names.
var stagesAll = lazy.Regexp{Source: `^git (?:(?:add|stage) (?:-A|--all|-u|--update|\.|\*)|commit (?:-a|--all))(?: |$)`}

// namesStaging reports whether a wish to stage some files only names the commands that are forbidden
// for it: then no other one is.
func (b *builder) namesStaging() bool {
	return b.hit.Form.Act == "stage-all" && slices.ContainsFunc(b.hit.Phrase.Terms, func(t sentence.Term) bool { return t.Kind == sentence.Command && stagesAll.Get().MatchString(t.Text) })
}
