package instructions

import (
	"regexp"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/pathglob"
	"github.com/agentsentinel/sentinel/internal/instructions/repo"
	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/instructions/survey"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

var (
	// quotedWords are words in quotes in a sentence.
	quotedWords = lazy.Regexp{Source: `["“]([^"”“]{2,30}?)[,.]?["”]`}
	// onTexts is a heading or a line about how texts are written.
	onTexts = lazy.Regexp{Source: `(?i)\b(?:docs?|documentation|writing|prose|style guide|wording|readme|titles?|headings?|articles?)\b`}
	// ofSpeech is a line about what somebody says, or about names in code.
	ofSpeech = lazy.Regexp{Source: `(?i)\b(?:users?|asks?|asked|says?|said|reply|answer|respond|errors?|variables?|parameters?|identifiers?|functions?|class(?:es)?|fields?|commits?|branch(?:es)?|pull requests?|prs?|labels?|button)\b`}
)

// agentFiles are files for agents, which say the words that they forbid, and those of what has been.
var agentFiles = []string{"**/{AGENTS,CLAUDE,GEMINI,CHANGELOG,CONTRIBUTING}*.md", ".github/**", ".claude/**", ".cursor/**", ".agents/**"}

// wording warns of words that a line does not want in documents, or in comments.
func (b *builder) wording() []ruletext.Rule {
	said := strings.Join(append(slices.Clone(b.s.Section[max(0, len(b.s.Section)-2):]), b.s.Lead, survey.Plain(b.quote)), "\n")
	at := strings.LastIndexAny(b.quote, `"”`)
	if found := regexp.MustCompile(`(?i)` + regexp.QuoteMeta(strings.Trim(b.hit.Slots["words"], `"`))).FindStringIndex(b.quote); found != nil {
		at = found[0]
	}
	var words []string
	denied := b.quote[max(0, at-1):]
	for _, m := range quotedWords.Get().FindAllStringSubmatch(denied, strings.Count(b.hit.Slots["words"], `"`)/2) {
		word := regexp.QuoteMeta(m[1])
		if m[1] == strings.ToLower(m[1]) {
			word = `(?i:` + word + `)`
		}
		words = append(words, word)
	}
	comments := strings.Contains(b.hit.Slots["where"], "comment")
	if len(words) == 0 || ofSpeech.Get().MatchString(survey.Plain(b.quote)) || !comments && !onTexts.Get().MatchString(said) {
		return nil
	}
	first := quotedWords.Get().FindStringSubmatch(denied)[1]
	r := ruletext.Rule{ID: first, Trigger: "file_write", Message: "Write it in other words."}
	if m := quotedWords.Get().FindStringSubmatch(b.quote); m != nil && m[1] != first {
		r.Message = "Write “" + m[1] + "” instead."
	}
	pattern := `(?m)(?:^|[^\w` + "`" + `-])(?:` + strings.Join(words, "|") + `)(?:$|[^\w` + "`" + `-])`
	p, front := "docs/a.md", "We say "
	r.Scope, r.Exclude = []string{"**/*.{md,mdx,rst,adoc}"}, agentFiles
	switch where := b.hit.Slots["where"]; {
	case comments:
		globs, example := b.codeFiles()
		r.Scope, r.Exclude, p, front = globs, nil, example, "// "
		pattern = `(?m)(?://+|#+|--|/\*+)[ \t]*(?:` + strings.Join(words, "|") + `)(?:$|[^\w-])`
	case strings.Contains(where, "title") || strings.Contains(where, "heading"):
		front, pattern = "# The ", `(?m)^#+ [^\n]*\b(?:`+strings.Join(words, "|")+`)(?:$|[^\w-])`
	}
	if !comments && !b.inDocuments(&r, &p) {
		return nil
	}
	r.When, r.Why = putsIn(pattern), "It warns of the words that the line does not want."
	r.Tests = []ruletext.Case{ruletext.AsStop(ruletext.Case{Write: p, Content: front + first}), ruletext.AsPass(ruletext.Case{Write: p, Content: front + "another1 thing"}), ruletext.AsPass(ruletext.Case{Write: "a.bin", Content: front + first})}
	return []ruletext.Rule{r}
}

// bannedWords warns of words of a list in documents. One with a remark is meant in some cases.
func (b *builder) bannedWords() []ruletext.Rule {
	var words []string
	for _, w := range strings.Split(b.hit.Slots["words"], ", ") {
		if w = strings.TrimSpace(w); w != "" && !strings.ContainsAny(w, "()‹") {
			words = append(words, regexp.QuoteMeta(w))
		}
	}
	if len(words) < 2 {
		return nil
	}
	r := ruletext.Rule{ID: words[0], Trigger: "file_write", Scope: []string{"**/*.{md,mdx,rst,adoc}"}, Exclude: agentFiles, Message: "Write it in other words."}
	p := "docs/a.md"
	if !b.inDocuments(&r, &p) {
		return nil
	}
	r.When, r.Why = putsIn(`(?i)\b(?:`+strings.Join(words, "|")+`)\b`), "It warns of the words that the line does not want."
	r.Tests = []ruletext.Case{ruletext.AsStop(ruletext.Case{Write: p, Content: "A " + words[0] + " thing"}), ruletext.AsPass(ruletext.Case{Write: p, Content: "another1 thing"}), ruletext.AsPass(ruletext.Case{Write: "a.bin", Content: words[0]})}
	return []ruletext.Rule{r}
}

// contraction is a word with a part that is left out.
const contraction = `(?i)\b(?:do|does|did|is|are|was|were|has|have|had|would|could|should|ca|wo|must|need)n['’]t\b|\b(?:it|that|there|what|let)['’]s\b|\b(?:you|we|they|i)['’](?:re|ve|ll|d|m)\b`

// contractions warns of contractions in documents.
func (b *builder) contractions() []ruletext.Rule {
	r := ruletext.Rule{ID: "in documents", Trigger: "file_write", Scope: []string{"**/*.{md,mdx,rst,adoc}"}, Exclude: agentFiles, When: putsIn(contraction), Message: "Write both words in full."}
	p := "docs/a.md"
	if b.ofReplies() && !onTexts.Get().MatchString(b.s.Heading()+"\n"+survey.Plain(b.quote)) || !b.inDocuments(&r, &p) {
		return nil
	}
	r.Why = "It warns of contractions in documents."
	r.Tests = []ruletext.Case{ruletext.AsStop(ruletext.Case{Write: p, Content: "It doesn't work."}), ruletext.AsStop(ruletext.Case{Write: p, Content: "You’re done."}), ruletext.AsPass(ruletext.Case{Write: p, Content: "It does not work; the cat's tail."}), ruletext.AsPass(ruletext.Case{Write: "src/a.ts", Content: "// it doesn't"})}
	return []ruletext.Rule{r}
}

// inDocuments makes a rule about documents one about those that the statement is about, with one of
// them. It is not ok where these are no documents.
func (b *builder) inDocuments(r *ruletext.Rule, example *string) (ok bool) {
	dirs := []string{b.s.OfFolder()}
	if dirs[0] == "" && len(b.s.Globs) > 0 {
		dirs = nil
		var named []string
		for _, g := range b.s.Globs {
			if all, ok := strings.CutSuffix(strings.TrimSuffix(g, "/*.*"), "/**"); ok {
				dirs = append(dirs, all)
			} else if repo.OfDocument(pathglob.Sample(g)) {
				named = append(named, g)
			}
		}
		if len(dirs) == 0 && len(named) > 0 {
			r.Scope, *example = named, pathglob.Sample(named[0])
			return true
		}
	}
	if len(dirs) == 0 || dirs[0] == "" {
		return len(dirs) > 0
	}
	documents := r.Scope
	r.Scope, *example = nil, dirs[0]+"/docs/a.md"
	for _, dir := range dirs {
		r.Scope = append(r.Scope, pathglob.Each(documents, func(g string) string { return dir + "/" + g })...)
	}
	return true
}
