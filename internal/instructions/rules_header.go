package instructions

import (
	"slices"
	"strconv"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/pathglob"
	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/instructions/statement"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

var (
	// followedBy is what the head of files has behind its first part, which tells less.
	followedBy = lazy.Regexp{Source: `‹t\d+› (?:immediately |directly )?followed by (?:an? |the )?(‹t\d+›)`}
	// headBegins is a sentence about what files begin with, which may be their names: those are plain words.
	headBegins = lazy.Regexp{Source: `\b(?:start|begin)s?\b`}
	partOfName = lazy.Regexp{Source: `^[\w.*-]+$`}
	// shellOptions are set in the first lines of a script, in one of several ways.
	shellOptions = lazy.Regexp{Source: `^set -[A-Za-z]+(?: pipefail)?$`}
	// scriptsUse is a sentence about what scripts use, which most of them need not have as a whole.
	scriptsUse = lazy.Regexp{Source: `\bscripts?\b[^‹]*\buse\b`}
	// ofScripts is a sentence about scripts.
	ofScripts = lazy.Regexp{Source: `\bscripts?(?: files?)?(?: (?:must|should|need to|have to|has to|always|shall))* (?:start|begin|have|include|contain|use)s?\b|\b(?:shell|bash) (?:files?|scripts?)\b`}
)

// scriptFiles are the files of scripts, by what a line says of them.
func scriptFiles() map[string]string {
	return map[string]string{"powershell": "**/*.ps1", "pwsh": "**/*.ps1", "set-strictmode": "**/*.ps1", "bash": "**/*.{sh,bash}", "shell": "**/*.{sh,bash}", "set -": "**/*.{sh,bash}", "python": "**/*.py", "ruby": "**/*.rb"}
}

// header wants texts in new files: each of them, or one where the line lets choose.
func (b *builder) header() []ruletext.Rule {
	terms := b.headOf()
	var wants, texts []string
	for _, t := range terms {
		if want := b.headText(t.Text); want != "" {
			wants, texts = append(wants, want), append(texts, t.Text)
		}
	}
	globs, p := b.filesWithHead(terms)
	if len(wants) == 0 || len(globs) == 0 || scriptsUse.Get().MatchString(b.hit.Phrase.Words) && !shellOptions.Get().MatchString(wants[0]) {
		return nil
	}
	lacks, and := " or ", " and "
	if strings.Contains(sentence.Mark.Get().ReplaceAllString(b.hit.Slots["text"], ""), " or ") {
		lacks, and = and, lacks
	}
	r := ruletext.Rule{ID: wants[0], Trigger: "file_write", Scope: globs, Message: "Begin the file with " + strings.Join(wants, and) + "."}
	r.When = `operation in ["create", "overwrite"] and ` + mayChoose(pathglob.Each(wants, lacksText), lacks)
	r.Why = "It stops new files without " + strings.Join(wants, and) + "."
	r.Tests = []ruletext.Case{ruletext.AsStop(ruletext.Case{Write: p, Content: "x = 1"}), ruletext.AsPass(ruletext.Case{Write: p, Content: strings.Join(texts, "\n") + "\nx = 1"}), ruletext.AsPass(ruletext.Case{Write: p, Old: "a", Content: "b"})}
	if slices.ContainsFunc(globs, func(g string) bool { return strings.HasSuffix(g, ".php") }) {
		r.Exclude = []string{"**/*.blade.php"} // templates
	}
	return []ruletext.Rule{r}
}

// headText is what of a text in `code` new files are to have: "" for nothing that can be looked for.
func (b *builder) headText(t string) string {
	want := strings.Trim(t, `"'`)
	if loc := placeholder.Get().FindStringIndex(want); loc != nil {
		want = strings.TrimSpace(want[:loc[0]])
	}
	if len(want) < 4 || strings.Contains(want, "`") || want == "<?php" || headBegins.Get().MatchString(b.hit.Phrase.Words) && partOfName.Get().MatchString(want) {
		return ""
	}
	return want
}

// lacksText is a condition for new files without a text.
func lacksText(want string) string {
	if !shellOptions.Get().MatchString(want) {
		return "not (content contains " + strconv.Quote(want) + ")"
	}
	if strings.HasSuffix(want, "pipefail") {
		return "not (content matches `(?m)^\\s*set -[^#\\n]*pipefail`)"
	}
	return "not (content matches `(?m)^\\s*set -`)"
}

// mayChoose joins conditions, in brackets where there are several.
func mayChoose(list []string, by string) string {
	if len(list) == 1 {
		return list[0]
	}
	return "(" + strings.Join(list, by) + ")"
}

// headOf are the texts that new files are to begin with.
func (b *builder) headOf() []sentence.Term {
	if m := followedBy.Get().FindStringSubmatch(b.hit.Phrase.Words); m != nil {
		return []sentence.Term{b.termOf(m[1])}
	}
	return b.hit.Terms("text")
}

// filesWithHead are the files whose head a line is about, with one of them: none for scripts whose
// language it does not tell.
func (b *builder) filesWithHead(texts []sentence.Term) (globs []string, example string) {
	for _, t := range b.hit.Phrase.Terms { // "all ‹p› files"
		if list := statement.GlobsOf(t.Text); t.Kind == sentence.File && len(list) > 0 && strings.HasPrefix(strings.TrimPrefix(list[0], "**/"), "*.") {
			globs = append(globs, b.below(list)...)
		}
	}
	if len(globs) > 0 {
		return globs, pathglob.Sample(globs[0])
	}
	words := b.hit.Phrase.Words
	if !ofScripts.Get().MatchString(words) || len(b.hit.Phrase.TermsIn(words)) > len(texts) {
		if globs, example = b.codeFiles(); globs[0] == b.usual() && ofUnknownKind.Get().MatchString(generalFiles.Get().ReplaceAllString(words, "files")) {
			return nil, "" // which files these are is not known
		}
		return globs, example
	}
	for _, t := range texts {
		words += "\n" + strings.ToLower(t.Text)
	}
	for said, glob := range scriptFiles() {
		if strings.Contains(words, said) && !slices.Contains(globs, glob) {
			globs = append(globs, glob)
		}
	}
	if len(globs) != 1 {
		return nil, ""
	}
	globs = b.below(globs)
	return globs, pathglob.Sample(globs[0])
}

var (
	// ofUnknownKind are files of one kind, where no language is known.
	ofUnknownKind = lazy.Regexp{Source: `\b(?:new|all|every|each|any) [a-z][\w#+.-]* files?\b`}
	// generalFiles are files of all kinds.
	generalFiles = lazy.Regexp{Source: `\b(?:(?:new|source|code|program|project|non-generated|hand-written|checked-in|tracked|created|added|in-repo|your|our|the|other|library|product(?:ion)?|modified|first-party|sources?) )+files?\b`}
)
