package instructions

import (
	"cmp"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/markdown"
	"github.com/agentsentinel/sentinel/internal/lazy"
	"github.com/agentsentinel/sentinel/scope"
)

// An item may say of the code in some folders what the list behind it then goes on with: "Code in `lib/` is
// performance sensitive", "Avoid: …".

var (
	// codeIn is a sentence about the code in some folders.
	codeIn = lazy.Regexp{Source: `^[\W_]*(?:the |all )?(?:code|files|sources) (?:in|inside|within|under|below) (‹p\d+›(?:(?:,| and|, and| or) ‹p\d+›)*) (?:is|are|must|has to|have to|should)\b`}
	// butSome is in one that does not hold for some of it.
	butSome = lazy.Regexp{Source: `(?i)\b(?:except|excluding|unless|apart from|other than|but not)\b`}
	// onlyLead is an item that only introduces its list.
	onlyLead = lazy.Regexp{Source: `(?i)^[\W_]*(?:avoid|never|never use|do not use|don['’]t use|do not|don['’]t|no)[\W_]*:[\W_]*$`}
)

// topicFolders notes the folders that the item in front of a list is about, for each item of the list.
func topicFolders(list []Statement) {
	for i := 1; i < len(list); i++ {
		s, about := &list[i], &list[i-1]
		if s.kind != markdown.Item || about.kind != markdown.Item || !onlyLead.Get().MatchString(s.Text) || about.Lead != s.Lead || !slices.Equal(about.Section, s.Section) || len(about.phrases) == 0 {
			continue
		}
		m := codeIn.Get().FindStringSubmatch(about.phrases[0].Words)
		if m == nil {
			continue
		}
		var dirs []string
		for _, t := range about.phrases[0].TermsIn(m[1]) {
			dirs = append(dirs, t.Text)
		}
		for k := i + 1; k < len(list) && list[k].kind == markdown.Item && list[k].Lead == s.Text; k++ {
			list[k].topics = dirs
			if butSome.Get().MatchString(about.Text) {
				list[k].except = cmp.Or(list[k].except, about.Text)
			}
		}
	}
}

// inTopics limits a rule about what is written to the folders that its list is about. It returns false for a
// rule that it cannot limit.
func (b *builder) inTopics(r *ruleFile) bool {
	if len(b.s.topics) == 0 {
		return true
	}
	if r.Trigger != "file_write" || len(r.Scope) == 0 {
		return false
	}
	var dirs, globs []string
	for _, t := range b.s.topics {
		dir := strings.Trim(b.p.placed(t, b.s.base()), "/")
		if dir == "" || strings.ContainsAny(dir, "*{[") {
			return false
		}
		dirs = append(dirs, dir)
		for _, g := range r.Scope {
			globs = append(globs, belowDir(dir, g))
		}
	}
	were := scope.NewPaths(r.Scope, false)
	r.Scope = globs
	r.moveCases(dirs[0]+"/**", were)
	return true
}
