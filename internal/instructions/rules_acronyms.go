package instructions

import (
	"regexp"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/forms"
	"github.com/agentsentinel/sentinel/internal/instructions/pathglob"
	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/instructions/survey"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

var (
	// titled and capitals are an acronym as a word, and as one.
	titled   = lazy.Regexp{Source: `^[A-Z][a-z]{1,4}$`}
	capitals = lazy.Regexp{Source: `^[A-Z]{2,5}$`}
	// fixedNames are languages whose platform has names with acronyms of both kinds.
	fixedNames = lazy.Regexp{Source: `^(?:typescript|javascript)\b`}
)

// acronyms warns of names with an acronym in other letters than those that a line wants.
func (b *builder) acronyms() []ruletext.Rule {
	pairs := map[string]string{} // the second of two is not to be in the place of the first
	for i, use := range b.hit.Phrase.Terms {
		for _, deny := range b.hit.Phrase.Terms[i+1:] {
			if use.Text != deny.Text && strings.EqualFold(use.Text, deny.Text) {
				pairs[deny.Text] = use.Text
			}
		}
	}
	var words, all []string
	for deny, use := range pairs {
		if titled.Get().MatchString(deny) && capitals.Get().MatchString(use) {
			words = append(words, deny)
		} else if capitals.Get().MatchString(deny) && titled.Get().MatchString(use) {
			all = append(all, deny)
		}
	}
	if len(words) == 0 {
		words, all = all, nil
	}
	languages := b.languagesOf()
	if len(languages) == 0 {
		languages = b.mainLanguage()
	}
	if len(languages) == 0 {
		languages = b.p.SoleLanguage()
	}
	if len(words) == 0 || len(all) > 0 || len(languages) == 0 || slices.ContainsFunc(languages, func(l forms.Language) bool { return fixedNames.Get().MatchString(l.Words) }) {
		return nil
	}
	slices.Sort(words)
	pattern := `\b[A-Za-z][\w]*[a-z\d](?:` + strings.Join(words, "|") + `)(?:[^a-z]|$)`
	if re := regexp.MustCompile(pattern); b.p.HasWidely(re.Match) {
		return nil
	}
	globs, p := survey.FilesOf(languages)
	if len(globs) == 0 {
		return nil
	}
	if dir := b.s.OfFolder(); dir != "" {
		globs, p = pathglob.Each(globs, func(g string) string { return dir + "/" + g }), dir+"/"+p
	}
	r := ruletext.Rule{ID: strings.Join(words, " "), Trigger: "file_write", Scope: b.below(globs), When: putsIn(pattern), Warns: true}
	p = b.above.dir + p
	var good []string
	for _, w := range words {
		good = append(good, pairs[w])
		r.Tests = append(r.Tests, ruletext.AsStop(ruletext.Case{Write: p, Content: "user" + w + " = 1"}), ruletext.AsPass(ruletext.Case{Write: p, Content: "user" + pairs[w] + " = 1"}))
	}
	r.Tests = append(r.Tests, ruletext.AsPass(ruletext.Case{Write: p, Content: "user" + words[0] + "entity = 1"}))
	r.Why, r.Message = "It warns of names with "+strings.Join(words, ", ")+".", "Write "+strings.Join(good, ", ")+" in names of our own."
	return []ruletext.Rule{r}
}
