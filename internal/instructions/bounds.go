package instructions

import (
	"regexp"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/forms"
	"github.com/agentsentinel/sentinel/internal/instructions/pathglob"
	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/instructions/statement"
	"github.com/agentsentinel/sentinel/internal/instructions/survey"
	"github.com/agentsentinel/sentinel/internal/lazy"
	"github.com/agentsentinel/sentinel/scope"
)

// A list of permissions demands nothing. A verb that shares its object with another one is not
// forbidden by itself. A folder that is closed to some things may have other files. A sentence
// behind a prohibition may take cases out of it.

var (
	// inFiles are things that are added to files that exist as well as in new ones.
	inFiles = lazy.Regexp{Source: `(?:^|[ /-])(?:functions?|methods?|symbols?)$`}
	// wholeFiles are things that are files or folders themselves.
	wholeFiles = lazy.Regexp{Source: `(?:^|[ /-])(?:files?|scripts?|(?:sub-?)?(?:folders?|director(?:y|ies)|packages?|modules?)|projects?|documents?|docs|documentation|notes|reports?|plans?|adrs?|markdown|readmes?|migrations?|tests?|specs?|suites?|fixtures?|snapshots?|assets?|images?|screenshots?|pages?|binar(?:y|ies)|artifacts?|artefacts?|logs?|outputs?|builds?|dumps?|backups?|data|notebooks?|worktrees?|copies|configs?|templates?|dockerfiles?|workflows?|code|sources?)$`}
)

// bansParts reports whether a line bans things from a place that are parts of files: other new
// files may go there.
func (b *builder) bansParts() bool {
	before, _, _ := strings.Cut(b.hit.Phrase.Words, sentence.Mark.Get().FindString(b.hit.Slots["path"]))
	m := kindFirst.Get().FindStringSubmatch(before)
	return m != nil && (inFiles.Get().MatchString(m[1]) || !sentence.AllCases(m[1]) && !wholeFiles.Get().MatchString(m[1]))
}

// addsName reports whether a line is about a name that is put into a part of another file: "do not
// add ‹p› to a project reference".
func (b *builder) addsName() bool {
	behind, ok := b.after("path")
	return ok && addedTo.Get().MatchString(behind)
}

// addedTo are the words behind such a name.
var addedTo = lazy.Regexp{Source: `^ (?:in)?to (?:the |an? |any |your |its )?(?:[\w-]+ ){0,2}(?:references?|dependenc(?:y|ies)|lists?|tables?|imports?|exports?|arrays?|sections?|index(?:es)?|manifests?|paths?|includes?)\b`}

// marksOfIssues are words for names with slashes that no files have.
var marksOfIssues = lazy.Regexp{Source: `(?i)\b(?:labels?|topics?|milestones?|tags?)\b`}

// addsLabels reports whether the names of a line are those of labels or the like: the sentence or its
// heading says so, none has an ending, and the project has no such file.
func (b *builder) addsLabels() bool {
	list := b.hit.Terms("path")
	return (marksOfIssues.Get().MatchString(b.hit.Phrase.Words) || marksOfIssues.Get().MatchString(b.s.Heading())) &&
		!slices.ContainsFunc(list, func(t sentence.Term) bool { return survey.Certain(t.Text) || b.p.Known() && b.p.Has(t.Text) })
}

// onGit are the acts that are done to branches.
var onGit = []string{"commit", "push", "force-push", "merge", "squash-merge", "rebase-merge", "rebase", "rebase-on-latest", "amend", "reset", "pull-request", "push-tags", "branch-delete", "branch-create", "switch-branch", "destructive", "stage-all"}

// actsOnBranches reports whether what a line names is done to branches: others name a place.
func (b *builder) actsOnBranches() bool {
	acts := slices.DeleteFunc(slices.Clone(b.hit.Phrase.Terms), func(t sentence.Term) bool { return t.Kind != 'a' })
	return len(acts) == 0 || slices.ContainsFunc(acts, func(t sentence.Term) bool { return slices.Contains(onGit, t.Text) })
}

// branchesOf is the pattern of the branches of a name, which may have a mark for any part.
func branchesOf(name string) string {
	if strings.HasSuffix(name, "/") {
		name += "*"
	}
	return strings.ReplaceAll(regexp.QuoteMeta(name), `\*`, `.+`)
}

// oneBranch is one of these.
func oneBranch(name string) string {
	if strings.HasSuffix(name, "/") {
		name += "*"
	}
	return strings.ReplaceAll(name, "*", "x")
}

// takenOut is a clause that takes a case out of the prohibition in front of it.
var takenOut = lazy.Regexp{Source: `(?:^|[;,.(—–] ?|[.;] )(?:(?:this|that|it|the rule) (?:does not|doesn't) (?:apply|hold)(?: to| for| in)? ([^.;,()]{2,70})|((?:[^.;,:()—–]){2,60}?) (?:is|are) (?:the |an? )?(?:only |sole |one )?exceptions?\b|((?:[^.;,:()—–]){2,60}?) (?:may|can) (?:still |also )?(?:be (?:edited|changed|modified|touched|pushed|committed|deleted|removed|cleaned|written|used|created|run)|go|stay|push|commit|skip|bypass|land)\b|((?:[^.;,:()—–]){2,60}?) (?:is|are) (?:still |always )?(?:fine|ok|okay|allowed|permitted|exempt|excluded|hand-?written|hand-?maintained|written by hand|maintained by hand)\b|((?:[^.;,:()—–→]){2,60}?)(?: →| ->|:) (?:(?:‹[tp]\d+›|main|master|develop|direct|it|this) (?:is |are )?)?(?:ok|okay|fine|allowed|permitted)\b|only ((?:[^.;,:()—–]){2,50}?) (?:may|can)\b|(?:except|excluding|other than|apart from)(?: for| in)? ((?:the |any )?(?:‹p\d+›(?:,? (?:and |or )?)?)+)|\b(?:hand-?written|hand-?maintained)(?: [a-z]+){0,2}:? ((?:‹p\d+›(?:,? (?:and |or )?)?)+)|(?:they|it|which) (?:is|are) only for ([^.;,()]{2,60}))`}

// notCase are subjects that do not name a case: "it may push".
var notCase = lazy.Regexp{Source: `^\W*(?:and |but |or |so )?(?:\w+ing$|it|this|that|they|these|those|you|we|i|which|there|who|the user|users?|agents?|only|nothing|none|no|neither|what)\b|\b(?:not|never|no|none)\b`}

// casesOut are the cases that the words behind a prohibition take out of it, and the paths in them.
func (b *builder) casesOut() (cases []string, paths []sentence.Term) {
	at := b.ownSentence()
	for i := max(at, 0); at >= 0 && i < len(b.s.Phrases); i++ {
		p := &b.s.Phrases[i]
		words := p.Words
		if i == at {
			if forms.Strict.Get().FindStringIndex(words) == nil {
				continue
			}
			words = words[forms.Strict.Get().FindStringIndex(words)[0]:]
		}
		for _, m := range takenOut.Get().FindAllStringSubmatch(words, -1) {
			said := strings.TrimSpace(strings.Join(m[1:], ""))
			named := p.TermsIn(said)
			codes := slices.DeleteFunc(slices.Clone(named), func(t sentence.Term) bool { return t.Kind == sentence.File })
			switch {
			case slices.Contains([]string{"writes", "creates", "deletes", "reads"}, b.hit.Form.Rule) && len(codes) < len(named):
				paths = append(paths, named...)
			case len(codes) == 0 && !notCase.Get().MatchString(said):
				cases = append(cases, p.InWords(said))
			}
		}
	}
	return cases, paths
}

// takesOut lets pass what the words behind a prohibition take out of it: files by their patterns,
// other cases by a rule that only warns.
func (b *builder) takesOut(r *ruletext.Rule) {
	if !forms.Prohibits(b.hit.Form) {
		return
	}
	cases, paths := b.casesOut()
	for _, t := range paths {
		globs := statement.GlobsOf(t.Text)
		if r.Trigger != "file_write" || len(globs) == 0 || !holdsPath(r, pathglob.Sample(globs[0])) {
			continue
		}
		if r.Severity == "ask" && b.hit.Form.Severity == "" {
			r.Severity = "block"
		}
		r.Exclude = append(slices.Clone(r.Exclude), globs...)
		r.Tests = append(r.Tests, ruletext.AsPass(ruletext.Case{Write: pathglob.Sample(globs[0]), Content: "x"}))
	}
	if len(cases) > 0 && r.Severity == "block" {
		r.Severity = "warn"
		if strings.ContainsAny(cases[0], "|\"") {
			r.Message = "Check whether the exception in the line is about this. " + r.Message
		} else {
			r.Message = "Unless this is about " + cases[0] + ", " + statement.Lowered(r.Message)
		}
	}
}

// restricted is what limits an act behind it: "on shared branches".
var restricted = lazy.Regexp{Source: `^((?:in|inside|on|from|with|against|for|at|over|within|during|after|without|outside) [^.;:!?—–(),]{3,80}?)(?: (?:since|because|as it|so that)\b[^.;]*| —.*| –.*)?(?:[.;:!?,(—–]|$)`}

// longList goes on with more of what limits it.
var longList = lazy.Regexp{Source: `^,[^.;:!?]* (?:or|and) `}

// restNamed is what limits a prohibition of a command or an option: "" where no words do.
func (b *builder) restNamed() string {
	behind, ok := b.after("deny")
	if !ok || b.has("path") || !slices.Contains([]string{"commands", "options"}, b.hit.Form.Rule) {
		return ""
	}
	behind = strings.TrimSpace(b.hit.Form.Skip(behind))
	m := restricted.Get().FindStringSubmatch(behind)
	if m == nil || sometime.Get().MatchString(m[1]) || forms.NoLimit.Get().MatchString(","+m[1]) {
		return ""
	}
	said := m[1]
	if longList.Get().MatchString(behind[len(said):]) || len(said) > forms.MaxCase || strings.ContainsAny(said, `"|`) {
		return ""
	}
	return b.asWritten(strings.ReplaceAll(b.hit.Phrase.InWords(said), "**", ""))
}

// holdsPath reports whether a rule is about a path.
func holdsPath(r *ruletext.Rule, p string) bool {
	_, ok := scope.NewPaths(r.Scope, false).Match(p)
	return ok
}

var (
	// anyPlace is a part of a name in brackets that represents any other.
	anyPlace = lazy.Regexp{Source: `<[^<>/]*>`}
	// branchExample is the name of a branch, as an example.
	branchExample = lazy.Regexp{Source: "(?:e\\.g\\.?|for example|for instance|example|such as|like|i\\.e\\.?)[,:]? *`([\\w.-]+(?:/[\\w.-]+)+)`(?:(?:,| or| and)+ `([\\w.-]+(?:/[\\w.-]+)+)`)*"}
)

// branchPattern is the pattern of the names that begin as a line says: "" where an example of
// the line does not.
func (b *builder) branchPattern(prefixes []string) string {
	pattern := "^(" + strings.Join(pathglob.Each(prefixes, func(p string) string {
		p = kindsOfBranches.Get().ReplaceAllLiteralString(regexp.QuoteMeta(p), `[a-z]+`)
		return anyPlace.Get().ReplaceAllLiteralString(p, `[^/]+`)
	}), "|") + ")"
	re := regexp.MustCompile(pattern)
	for _, m := range branchExample.Get().FindAllStringSubmatch(b.s.Text+" "+strings.Join(b.s.Items, " "), -1) {
		if slices.ContainsFunc(m[1:], func(e string) bool { return e != "" && !sentence.Endings.Get().MatchString(e) && !re.MatchString(e) }) {
			return ""
		}
	}
	return pattern
}
