package instructions

import (
	"path"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/forms"
	"github.com/agentsentinel/sentinel/internal/instructions/pathglob"
	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/lazy"
	"github.com/agentsentinel/sentinel/scope"
)

// endingWanted is a name of files with any beginning: *.spec.ts, _test.go, *Controller.php.
var endingWanted = lazy.Regexp{Source: `^\*?((?:[._-]?[A-Za-z]\w*)(?:[.-]\w+)*?(\.[a-z]{1,5}))$`}

// otherTests are names that files of tests have in other projects.
var otherTests = []string{"**/*.test", "**/*.spec", "**/*_test", "**/*_spec", "**/*-test"}

// fileEndings wants files of a kind to have names with one end.
func (b *builder) fileEndings() []ruletext.Rule {
	m := endingWanted.Get().FindStringSubmatch(path.Base(b.termOf(b.hit.Slots["ending"]).Text))
	subject := b.hit.Slots["subject"]
	if m == nil || m[1] == m[2] {
		return nil
	}
	wanted, ext := scope.NewPaths([]string{"**/*" + m[1]}, false), m[2]
	r := ruletext.Rule{ID: m[1], Trigger: "file_write", When: makesFile, Message: "Name the file so that it ends with " + m[1] + "."}
	r.Why = "It stops new " + subject + " whose names do not end with " + m[1] + "."
	good := "src/a" + m[1]
	if strings.HasPrefix(subject, "test") || subject == "specs" {
		for _, other := range otherTests {
			if _, ok := wanted.Match(pathglob.Sample(other + ext)); !ok {
				r.Scope = append(r.Scope, other+ext)
			}
		}
		r.Exclude = []string{"**/*{util,helper,setup,fixture,mock,base,common,data,config,support}*"}
		if b.p.Known() && !b.p.Young() && b.p.Holds(r.Scope) && b.hit.Severity == "block" {
			b.hit.Severity = forms.Reminder
		}
	} else {
		if !strings.EqualFold(strings.TrimSuffix(subject, "s")+ext, m[1]) || !strings.HasSuffix(subject, "s") {
			return nil // the files are not those of a folder of that name
		}
		folder := "{" + subject + "," + strings.ToUpper(subject[:1]) + subject[1:] + "}"
		r.Scope = []string{"**/" + folder + "/**/*" + ext}
		r.Exclude = []string{"**/*" + m[1], "**/{Concerns,Traits,concerns,traits,tests,Tests}/**"}
		good, r.Warns = "src/"+subject+"/A"+m[1], true
	}
	dir := ""
	if of := b.s.OfFolder(); of != "" {
		dir = of + "/"
		r.Scope = pathglob.Each(r.Scope, func(g string) string { return dir + g })
	}
	bad := strings.Replace(pathglob.Sample(r.Scope[0]), "/a/", "/", 1)
	r.Tests = []ruletext.Case{ruletext.AsStop(ruletext.Case{Write: bad, Content: "x"}), ruletext.AsPass(ruletext.Case{Write: dir + good, Content: "x"}), ruletext.AsPass(ruletext.Case{Write: dir + path.Join("src", "other"+ext), Content: "x"})}
	if slices.ContainsFunc(r.Tests[1:], func(c ruletext.Case) bool { return c.Write == bad }) {
		return nil
	}
	return []ruletext.Rule{r}
}

// summaries forbids new documents that sum up the work.
func (b *builder) summaries() []ruletext.Rule {
	r := ruletext.Rule{Trigger: "file_write", Scope: []string{"**/*{SUMMARY,Summary,summary}*.{md,mdx}", "**/*{IMPLEMENTATION,CHANGES,WORK,SESSION,FINAL}_{REPORT,NOTES}*.md"}, When: makesFile, Message: "Say it in the answer."}
	r.Exclude = []string{"**/SUMMARY.md"} // of a book
	r.Why = "It stops new documents that sum up the work."
	r.Tests = []ruletext.Case{ruletext.AsStop(ruletext.Case{Write: "IMPLEMENTATION_SUMMARY.md", Content: "x"}), ruletext.AsStop(ruletext.Case{Write: "docs/refactoring-summary.md", Content: "x"}), ruletext.AsPass(ruletext.Case{Write: "docs/SUMMARY.md", Content: "x"}), ruletext.AsPass(ruletext.Case{Write: "docs/guide.md", Content: "x"})}
	return []ruletext.Rule{r}
}
