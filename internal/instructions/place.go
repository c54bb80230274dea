package instructions

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/pathglob"
	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// An instruction file in a folder mostly names paths from that folder, some from the project's,
// and some by their last parts. The tree tells which. Rules name all of them from the project's
// folder.

// unplaced returns a name that looks like a path as the statement writes it, without its folder.
func (b *builder) unplaced(name string) string {
	for i := range b.s.Phrases {
		for _, t := range b.s.Phrases[i].Terms {
			if t.Kind == sentence.File && b.p.Placed(t.Text, b.s.Base()) == name {
				return t.Text
			}
		}
	}
	return name
}

// onPrograms are the kinds of rules about programs, which other folders may use.
var onPrograms = []string{"commands", "rivals", "options", "with-option", "via", "scripts", "environment", "runners", "job", "job-banned", "adds", "alternatives", "through", "pipes", "installs-with", "not-installed", "pinned", "on-files", "of-system", "parses", "with-variable", "own-option", "editable", "in-container", "single-quotes"}

// namePackage reports whether calls say themselves which folder they are about: they run in the
// project's folder.
func namePackage(scope []string) bool {
	return len(scope) > 0 && !slices.ContainsFunc(scope, func(s string) bool { return !itsPackage.Get().MatchString(s) })
}

// itsPackage is an option that names the package of a call.
var itsPackage = lazy.Regexp{Source: ` (?:--filter|--workspace|--prefix|--cwd|--dir|--manifest-path|--project-dir)[ =]`}

// inItsFolder makes a rule of a folder's file about programs one about calls in that folder. Acts
// in git and on its host are of the whole project.
func (b *builder) inItsFolder(r *ruletext.Rule) {
	dir := cmp.Or(b.folderOfAct(), b.s.OfFolder())
	if b.topic != "" && dir == b.topic && !b.ofFolder(r) {
		return // the folder is a topic: its commands may run from the project's folder
	}
	if dir == "" ||
		pathglob.Hidden(dir) ||
		b.fromAbove(dir) ||
		b.onlyAbove(r.Scope, dir) ||
		r.Trigger != "bash" ||
		r.Requires != nil ||
		!slices.Contains(onPrograms, b.hit.Form.Rule) ||
		slices.ContainsFunc(r.Scope, repositoryWide.Get().MatchString) ||
		namePackage(r.Scope) {
		return
	}
	here := "within(cmd.folder, " + strconv.Quote(dir) + ")"
	switch each, ofAny := strings.CutPrefix(r.When, "any(commands, "); {
	case r.When == "" || r.When == "true":
		r.When = here
	case ofAny && strings.HasSuffix(each, "))"):
		each = strings.TrimSuffix(each, ")")
		if strings.Contains(each, " or ") {
			each = "(" + each + ")"
		}
		r.When = "any(commands, " + each + " and within(#.folder, " + strconv.Quote(dir) + "))"
	default:
		r.When = "(" + r.When + ") and " + here
	}
	outside := ""
	for i := range r.Tests {
		c := &r.Tests[i]
		if c.Bash == "" {
			continue
		}
		if c.Expect == ruletext.Violation && outside == "" {
			outside = c.Bash
		}
		c.Bash = "cd " + dir + " && " + c.Bash
	}
	if outside != "" {
		r.Tests = append(r.Tests, ruletext.AsPass(ruletext.Case{Bash: outside}))
	}
}

// whereTheyAre makes a demand after changes in the folder of the file one after changes anywhere, where
// the project has such files, and none of them in that folder.
func (b *builder) whereTheyAre(r *ruletext.Rule) {
	dir := b.s.OfFolder()
	if dir == "" || pathglob.Hidden(dir) || r.Requires == nil || len(r.Requires.Since) == 0 || !b.p.Whole() || b.p.Holds(r.Requires.Since) {
		return
	}
	if anywhere := pathglob.Each(r.Requires.Since, func(g string) string { return strings.TrimPrefix(g, dir+"/") }); b.p.Holds(anywhere) {
		r.Requires.Since = anywhere
	}
}

// fromAbove reports whether the command of a line names the folder of its file: it runs above it.
func (b *builder) fromAbove(dir string) bool {
	return slices.ContainsFunc(b.hit.Phrase.Terms, func(t sentence.Term) bool {
		return t.Kind == sentence.Command && !strings.HasPrefix(t.Text, "cd ") && slices.ContainsFunc(strings.Fields(t.Text), func(w string) bool {
			return strings.HasPrefix(w, strings.SplitN(dir, "/", 2)[0]+"/") || strings.Contains(w, ":"+path.Base(dir)+":")
		})
	})
}

var (
	// intoFolderOf is a folder that dependencies are added to.
	intoFolderOf = lazy.Regexp{Source: `‹a\d+› (?:to|in|into|inside|under|within|for) (?:the |any |our )?(‹p\d+›)`}
	// partOfManifest is a place within a file that they are added to.
	partOfManifest = lazy.Regexp{Source: `‹a\d+› (?:to|in|into|under|within) (?:[\w-]+ ){0,3}(?:‹\w\d+› )?(?:list|section|group|table|array|block|extras?)\b`}
)

// folderOfAct is the folder that a line about new dependencies names: "" for all.
func (b *builder) folderOfAct() string {
	m := intoFolderOf.Get().FindStringSubmatch(b.hit.Phrase.Words)
	if m == nil {
		return ""
	}
	if name := b.termOf(m[1]).Text; strings.HasSuffix(name, "/") && !strings.ContainsAny(name, "*{<") {
		return strings.TrimSuffix(name, "/")
	}
	return ""
}

var repositoryWide = lazy.Regexp{Source: `^(?:git|gh|glab|jj|hg)\b`}

var (
	// goesOut is a command that is run in a folder by its whole path or below the user's own.
	goesOut = lazy.Regexp{Source: `^(?:(?:cd|pushd)|(?:git|make|pnpm|npm|yarn|bun) (?:-C|--prefix|--cwd)) ["']?((?:~|\$\{?HOME\}?)/[^\s"';&]+|/[^\s"';&]+)`}
	// anyProject is a path in the place of that of the project, or where a container has it.
	anyProject = lazy.Regexp{Source: `[<{\[$]\w|path/to|\b(?:your|my|some|project|repo|repository|root)\b|^/(?:app|work|workspace|workspaces|src|code|tmp)(?:/|$)`}
)

// inOtherProject reports whether what a line wants to run is run outside of the project.
func (b *builder) inOtherProject(r *ruletext.Rule) bool {
	if r.Requires == nil && b.hit.Form.Rule != "scripts" {
		return false
	}
	return slices.ContainsFunc(b.hit.Phrase.Terms, func(t sentence.Term) bool {
		m := goesOut.Get().FindStringSubmatch(t.Text)
		if t.Kind != sentence.Command || m == nil || anyProject.Get().MatchString(strings.TrimPrefix(strings.ReplaceAll(m[1], "${HOME}", "~"), "$HOME")) {
			return false
		}
		return b.p == nil || b.p.Root == "" || !slices.Contains(strings.Split(m[1], "/"), path.Base(b.p.Root))
	})
}
