package instructions

import (
	"path"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/instructions/survey"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

var (
	// unnamedWay goes on with another way than a command, which the line does not name.
	unnamedWay = lazy.Regexp{Source: `^,? \(?or (?:use |run |via |with )?(?:the |an? |your |any )(?:\w+ )?(?:relevant|appropriate|corresponding|equivalent|matching|respective|applicable|usual|suitable|related)\b`}
	// namesHow is a sentence that tells the command for something, and no time for it.
	namesHow = lazy.Regexp{Source: `^[\W_]*(?:you can )?(?:run|execute) (?:all|every|the)\b[^.‹]* (?:with|via|using|by|through)(?: running)?:? ‹c\d+›\W*$`}
	// listedBelow ends with a change that the list below the sentence names.
	listedBelow = lazy.Regexp{Source: `\b(?:after|when(?:ever)?|if|once|before|for)(?: you)?(?: \w+)? (?:add|chang|modif|edit|updat|touch|alter)\w*(?: (?:any|one|some|either))?(?: of)?(?: the| these| this)?(?: following)?(?: files?| items?| things?)?:[\W_]*$`}
	// whenDeleted is a sentence about files that are deleted.
	whenDeleted = lazy.Regexp{Source: `^[\W_]*(?:when(?:ever)?|if|after|before|once)(?: you)? (?:delet|remov)(?:e|ed|ing) (?:[\w+#-]+ ){0,3}?(?:files?|modules?|class(?:es)?|scripts?|folders?|‹p\d+›)`}
)

// orderedHere reports whether a sentence orders its command, for changes that the rule can see.
func (b *builder) orderedHere(g *gate) bool {
	words := b.hit.Phrase.Words
	behind, named := b.after("run")
	switch {
	case named && unnamedWay.Get().MatchString(behind), g == nil && namesHow.Get().MatchString(words):
		return false
	case !b.has("changed") && listedBelow.Get().MatchString(words):
		return false
	}
	i := b.ownSentence()
	return i < 1 || b.has("changed") || b.has("generic") || !whenDeleted.Get().MatchString(b.s.Phrases[i-1].Words)
}

var (
	// ofLanguage begins a sentence about the code of one language.
	ofLanguage = lazy.Regexp{Source: `^[\W_]*(?:[\w ]{0,20}: )?(?:all |any |the |new |keep |put |place )*([\w+#.-]+) (?:imports?|use statements|tests?|code|files?)\b`}
	// inlineStyles are in the code of components, and never in a file of styles.
	inlineStyles = lazy.Regexp{Source: `(?i)\binline[- ]styles?\b`}
	// ofStyles is a pattern of files of styles.
	ofStyles = lazy.Regexp{Source: `\*\.\{?(?:css|scss|sass|less)\b`}
)

// inFilesOfOthers reports whether the files of a rule about text cannot have what its sentence is about.
func (b *builder) inFilesOfOthers(r *ruletext.Rule) bool {
	if r.Trigger != "file_write" || b.hit.Form.Rule != "content" || len(r.Scope) == 0 {
		return false
	}
	if inlineStyles.Get().MatchString(b.quote) {
		return !slices.ContainsFunc(r.Scope, func(g string) bool { return !ofStyles.Get().MatchString(g) })
	}
	m := ofLanguage.Get().FindStringSubmatch(sentence.NewPhrase(b.quote).Words)
	if m == nil {
		return false
	}
	_, example := survey.FilesOf(survey.LanguagesIn(m[1]))
	ending := strings.TrimPrefix(path.Ext(example), ".")
	return ending != "" && !slices.ContainsFunc(r.Scope, func(g string) bool { return !strings.Contains(g, "*.") || strings.Contains(g, ending) })
}
