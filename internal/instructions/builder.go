package instructions

import (
	"fmt"
	"slices"
	"sync"

	"github.com/agentsentinel/sentinel/internal/instructions/forms"
	"github.com/agentsentinel/sentinel/internal/instructions/pathglob"
	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/instructions/statement"
	"github.com/agentsentinel/sentinel/internal/instructions/survey"
)

// A builder makes the rules of one form that was found.
type builder struct {
	s     *statement.Statement
	p     *survey.Project
	hit   *forms.Found
	quote string
	above above
	topic string // the folder that is named above the statement

	against obstacle         // why a rule is not a draft
	held    *ruletext.Parsed // the text that was last found to hold
}

// builders are the kinds of rules that forms make, by their names in forms/.
var builders = sync.OnceValue(func() map[string]func(*builder) []ruletext.Rule {
	return map[string]func(*builder) []ruletext.Rule{
		"commands": (*builder).commands, "rivals": (*builder).rivals, "options": (*builder).options, "branch": (*builder).branch, "branch-history": (*builder).branchHistory, "branch-name": (*builder).branchName,
		"writes": (*builder).writes, "creates": (*builder).creates, "new-kind": (*builder).newKind, "test-files": (*builder).testFiles, "deletes": (*builder).deletes, "stages": (*builder).stages, "reads": (*builder).reads,
		"secrets": (*builder).secrets, "content": (*builder).content, "uses": (*builder).uses, "type-names": (*builder).typeNames, "assigns": (*builder).assigns, "header": (*builder).header, "emoji": (*builder).emoji, "names": (*builder).names,
		"conventional": (*builder).conventional, "attribution": (*builder).attribution, "subject": (*builder).subject,
		"keys": (*builder).keys, "root": (*builder).root, "documents": (*builder).documents, "merges": (*builder).merges, "github": (*builder).github, "with-option": (*builder).withOption,
		"runners": (*builder).runners, "via": (*builder).via, "prints": (*builder).prints, "pins": (*builder).pins, "placement": (*builder).placement, "links": (*builder).links,
		"scripts": (*builder).scripts, "lastly": (*builder).lastly, "own-branch": (*builder).ownBranch, "pull-base": (*builder).pullBase, "adds": (*builder).adds,
		"merge-act": (*builder).mergeAct, "merged": (*builder).merged, "alternatives": (*builder).alternatives, "also-file": (*builder).alsoFile,
		"english": (*builder).english, "environment": (*builder).environment, "dependencies": (*builder).dependencies,
		"feature-branch": (*builder).featureBranch, "never-skip": (*builder).neverSkip, "imperative": (*builder).imperative, "references": (*builder).references,
		"outside": (*builder).outside, "branch-banned": (*builder).branchBanned, "job-banned": (*builder).jobBanned, "through": (*builder).through, "draft-pulls": (*builder).draftPulls, "ci-first": (*builder).ciFirst, "tools": (*builder).tools, "tracker": (*builder).tracker, "untyped": (*builder).untyped, "this-file": (*builder).thisFile, "installs-with": (*builder).installsWith, "not-installed": (*builder).notInstalled, "pipes": (*builder).pipes,
		"base": (*builder).base, "new-files": (*builder).newFiles, "imports": (*builder).imports, "imports-of": (*builder).importsOf, "import-named": (*builder).importNamed,
		"kinds": (*builder).kinds, "job": (*builder).job, "sign-off": (*builder).signOff,
		"template": (*builder).template, "kept": (*builder).kept, "logged": (*builder).logged, "pushed": (*builder).pushed, "beside": (*builder).beside, "exports": (*builder).exports, "licence": (*builder).licence, "length": (*builder).length, "columns": (*builder).columns,
		"pinned": (*builder).pinned, "known-word": (*builder).knownWord, "acronyms": (*builder).acronyms, "action-shas": (*builder).actionShas,
		"on-files": (*builder).onFiles, "in-front": (*builder).changesDir, "of-system": (*builder).ofSystem, "parses": (*builder).parses,
		"with-variable": (*builder).withVariable, "own-option": (*builder).withOwnOption, "editable": (*builder).editable,
		"subject-case": (*builder).subjectCase, "subject-end": (*builder).subjectEnd, "no-issues": (*builder).noIssues, "banned-text": (*builder).bannedText, "trailer": (*builder).withTrailer, "with-body": (*builder).withBody, "listed-types": (*builder).listedTypes, "imperative-here": (*builder).imperativeHere, "untyped-titles": (*builder).untypedTitles, "titles-of-issues": (*builder).titlesOfIssues, "titles-like-commits": (*builder).titlesLikeCommits, "not-base": (*builder).notBase, "merge-commits": (*builder).mergeCommits, "comment-first": (*builder).commentFirst, "then-merged": (*builder).thenMerged, "scripts-of": (*builder).scriptsOf, "in-container": (*builder).inContainer,
		"one-line": (*builder).oneLine, "pull-label": (*builder).pullLabels, "substitution": (*builder).substitution,
		"branch-ticket": (*builder).branchTicket, "pull-heading": (*builder).pullHeading, "pull-title": (*builder).pullTitle, "pull-title-length": (*builder).pullTitleLength, "file-endings": (*builder).fileEndings, "summaries": (*builder).summaries,
		"heredocs": (*builder).heredocs, "joined": (*builder).joined, "shell-edits": (*builder).shellEdits, "single-quotes": (*builder).singleQuotes,
		"wording": (*builder).wording, "banned-words": (*builder).bannedWords, "vague-messages": (*builder).vagueMessages, "contractions": (*builder).contractions,
		"read-itself": (*builder).readItself, "requires": (*builder).requires, "also": (*builder).alsoIn, "new-also": (*builder).newAlso, "before-first": (*builder).beforeFirst,
	}
})

// build makes the drafts. One that does not lint, or whose cases do not pass, is not a
// draft.
func (b *builder) build() []Draft { return b.finish(builders()[b.hit.Form.Rule](b)) }

// finish makes drafts of rules. Those about names that differ in their signs alone, as == null and
// != null, are numbered.
func (b *builder) finish(rules []ruletext.Rule) (list []Draft) {
	for _, r := range rules {
		of := slug(b.hit.Form.Name, r.ID)
		if slices.ContainsFunc(list, func(d Draft) bool { return d.ID == of }) {
			r.ID += fmt.Sprint(" ", len(list)+1)
		}
		if d, ok := b.draft(r); ok {
			list = append(list, d)
		}
	}
	return list
}

// maxQuote bounds the words of a line that a rule repeats, in characters.
const maxQuote = 300

// codeFiles are the files of the languages that the statement is about, with one of
// them; all code without one.
func (b *builder) codeFiles(more ...string) (globs []string, example string) {
	if dir := b.s.OfFolder(); dir != "" && dir[0] != '.' && !docsFolder.Get().MatchString(dir+"/") && (b.p.Young() || b.p.SourcesBelow(dir)) {
		if globs, example = survey.FilesOf(b.languagesOf(more...)); len(globs) == 0 {
			globs, example = []string{b.usual()}, "src/a.ts"
		}
		return pathglob.Each(globs, func(g string) string { return dir + "/" + g }), dir + "/" + example
	}
	if len(b.s.Globs) > 0 {
		return b.s.Globs, pathglob.Sample(b.s.Globs[0])
	}
	dir := b.above.dir
	switch globs, example = survey.FilesOf(b.languagesOf(more...)); {
	case len(globs) > 0:
		return b.below(globs), dir + example
	case dir != "":
		return []string{dir + "**"}, dir + "a.ts"
	}
	return []string{b.usual()}, "src/a.ts"
}
