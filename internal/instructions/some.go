package instructions

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/pathglob"
	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/instructions/statement"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// A line may be about some of the files that it names, or about no file of code: about what is
// made new in them, those of one framework, or the keys of settings.

var (
	// partsOfSettings goes on behind names with what they are parts of, and no code.
	partsOfSettings = lazy.Regexp{Source: `^(?:,? ?(?:(?:or|and|nor) )?‹[pt]\d+›)* (?:front ?matter |top-level |metadata |ya?ml |json |toml )*(?:fields?|keys?|columns?|sections?|headings?|front ?matter)\b`}
	// plainKey is a name that a key or a column may have.
	plainKey = lazy.Regexp{Source: `^["']?[A-Za-z][\w -]*["']?:?$`}
)

// ofSettingsPart reports whether names are those of fields, keys, columns, sections or headings,
// where the line does not name the language that they are in: the files that have these are
// others than code.
func (b *builder) ofSettingsPart() bool {
	behind, ok := b.after("deny")
	if first := sentence.Mark.Get().FindString(b.hit.Slots["deny"]); ok {
		_, behind, _ = strings.Cut(b.hit.Phrase.Words, first)
	}
	return ok && partsOfSettings.Get().MatchString(behind) && len(b.s.Globs) == 0 && len(b.languagesOf()) == 0 &&
		!slices.ContainsFunc(b.hit.Terms("deny"), func(t sentence.Term) bool { return !plainKey.Get().MatchString(t.Text) })
}

// textFile is a file of settings, or a text with settings at its head.
var textFile = lazy.Regexp{Source: `\.(?:mdx?|mdc|ya?ml|jsonc?|json5|toml|ini|cfg|conf|properties)$`}

// partsIn forbids keys and headings in the files of settings and texts that the line names, or the
// texts above it. A column may be in any file.
func (b *builder) partsIn() (list []ruletext.Rule) {
	behind, _ := b.after("deny")
	texts := []sentence.Phrase{*b.hit.Phrase, sentence.NewPhrase(b.s.Lead)}
	if n := len(b.s.Section); n > 0 {
		texts = append(texts, sentence.NewPhrase(b.s.Section[n-1]))
	}
	var globs []string
	for _, p := range texts {
		for _, t := range p.Terms {
			if t.Kind == sentence.File && textFile.Get().MatchString(t.Text) && len(globs) == 0 {
				globs = statement.GlobsOf(t.Text)
			}
		}
	}
	if len(globs) == 0 || ofColumns.Get().MatchString(behind) {
		return nil
	}
	first := sentence.Mark.Get().FindString(b.hit.Slots["deny"])
	_, rest, _ := strings.Cut(b.hit.Phrase.Words, first)
	for _, t := range b.hit.Phrase.TermsIn(first + partsOfSettings.Get().FindString(rest)) {
		name := strings.Trim(t.Text, `"':`)
		pattern, shown := `(?m)^\s*(-\s*)?["']?`+regexp.QuoteMeta(name)+`["']?\s*[:=]`, name+": x\n"
		if ofHeadings.Get().MatchString(behind) {
			pattern, shown = `(?m)^#+\s*`+regexp.QuoteMeta(name)+`\b`, "## "+name+"\n"
		}
		r := ruletext.Rule{ID: name, Trigger: "file_write", Scope: globs, When: "content matches " + strconv.Quote(pattern), Message: "Leave " + name + " out."}
		r.Why = "It stops " + strings.Join(globs, ", ") + " with " + name + "."
		p := pathglob.Sample(globs[0])
		r.Tests = []ruletext.Case{ruletext.AsStop(ruletext.Case{Write: p, Content: shown}), ruletext.AsPass(ruletext.Case{Write: p, Content: "other: the " + name + " of all\n"}), ruletext.AsPass(ruletext.Case{Write: other(globs), Content: shown})}
		list = append(list, r)
	}
	return list
}

var (
	ofColumns  = lazy.Regexp{Source: `^[^.;:]*\bcolumns?\b`}
	ofHeadings = lazy.Regexp{Source: `^[^.;:]*\b(?:headings?|sections?)\b`}
)

// nextWord is the word behind an ending of files, which may say which of these a line is about.
var nextWord = lazy.Regexp{Source: `^ ([a-z][\w-]*)`}

// fileNoun is a word that does not narrow it.
var fileNoun = lazy.Regexp{Source: `^(?:files?|pages?|sources?|code|modules?|scripts?|documents?|docs?|templates?|changes?|edits?|updates?|modifications?|content|tests?|specs?|is|are|was|were|has|have|or|and|in|under|within|inside|at|from|with|by|to|on|for|that|which|then|before|after|run|always|must|you|please|also)$`}

// narrowedBy is what a sentence is about, where that is some of the files with an ending: "any
// ‹p› report".
func (b *builder) narrowedBy(slot string) string {
	behind, ok := b.after(slot)
	all := b.hit.Terms(slot)
	if m := nextWord.Get().FindStringSubmatch(behind); ok && len(all) > 0 && m != nil && !fileNoun.Get().MatchString(m[1]) && !sentence.DotFile(all[len(all)-1].Text) && strings.HasPrefix(strings.TrimPrefix(all[len(all)-1].Text, "**/*"), ".") {
		return "any " + m[1] + " in " + strings.TrimPrefix(all[len(all)-1].Text, "**/*") + " files"
	}
	return ""
}

var (
	// newIn is what is made new in files, which also have other things.
	newIn = lazy.Regexp{Source: `\b(?:when(?:ever)?|before|prior to|if|any ?time|for) (?:you )?((?:creat|add|mak|generat|scaffold|introduc)(?:e|es|ing|ting)? [^‹;:]{3,140}?)(?:,? (?:in|to|into|under|inside|within|below|at) (?:[\w ]{1,30} (?:in|under|inside|of|below) )?(?:the |any )?‹p\d+›)`}
	// changesToo is a case about what is there, too.
	changesToo = lazy.Regexp{Source: `\b(?:chang|edit|modif|updat|touch|work|fix|refactor|review|debug|mov|renam|delet|remov)\w*\b`}
)

// madeNew is what a sentence about files is about, where it is something new in them: "" for
// all of their changes.
func (b *builder) madeNew() string {
	above := sentence.NewPhrase(b.s.Lead)
	for _, p := range []*sentence.Phrase{&above, b.hit.Phrase} {
		if m := newIn.Get().FindStringSubmatch(p.Words); m != nil && !changesToo.Get().MatchString(p.Words) {
			return strings.ReplaceAll(p.InWords(m[1]), ", or when ", " or ")
		}
	}
	return ""
}

// ofFramework is a label of a line about what one framework has.
var ofFramework = lazy.Regexp{Source: `(?i)^[\W_]*((?:next|nuxt|vue|react|svelte(?:kit)?|remix|astro|angular|gatsby|expo|electron|tauri|vite|webpack|tailwind|storybook|express|nest|django|flask|fastapi|rails|laravel|symfony|spring|phoenix|quarkus)(?:\.?js)?(?: \w+)?)[\W_]*:`}

// ofOneFramework makes a rule about a name of files warn, where the line is about those of one
// framework, which other parts of a project may do without.
func (b *builder) ofOneFramework(list []ruletext.Rule) {
	m := ofFramework.Get().FindStringSubmatch(b.s.Text)
	for i := range list {
		if r := &list[i]; m != nil && !slices.ContainsFunc(r.Scope, func(g string) bool { return strings.Contains(g, "/") }) {
			b.hit.Severity, r.Message = "warn", statement.IfAbout(m[1])+statement.Lowered(r.Message)
		}
	}
}
