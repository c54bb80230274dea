package instructions

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/markdown"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// A demand is made of what an agent is to run. A sentence may describe instead what a command does,
// or another line may leave the command to others.

var (
	// leaves is a sentence or a heading that leaves commands to others.
	leaves = lazy.Regexp{Source: `(?i)\b(?:never|do not|don['’]t) (?:ever |manually |directly )?(?:run|execute|invoke)\b`}
	// byOneself goes on with whom they are left to, or when.
	byOneself = lazy.Regexp{Source: `(?i)\b(?:yourself|manually|by hand|on your own|during (?:development|normal work|iteration)|while (?:developing|iterating))\b`}
	// needless is a sentence about a command that need not run.
	needless = lazy.Regexp{Source: "(?i)\\b(?:(?:don['’]t|do not) bother|(?:there is |there['’]s )?no need|need not|not necessary)(?: to| with)? (?:run|running|execute|executing)(?: the)? `?([\\w:./-]+)"}
)

// leftToOthers reports whether the headings of a statement, or another line of its file, say that
// an agent is not to run the commands itself.
func (b *builder) leftToOthers(names []string) bool {
	for _, above := range append(slices.Clone(b.s.Section), b.s.Lead) {
		if leaves.Get().MatchString(above) && byOneself.Get().MatchString(above) {
			return true
		}
	}
	file, ok := b.shows()
	return ok && slices.ContainsFunc(names, func(n string) bool {
		return slices.Contains(file.left(), n) || slices.Contains(file.left(), n[strings.LastIndexByte(n, ' ')+1:])
	})
}

// leftIn are the commands that the sentences of a file leave to others.
func leftIn(all []markdown.Block) (list []string) {
	for i := range all {
		if all[i].Invisible {
			continue
		}
		for _, said := range sentence.Sentences(all[i].Text()) {
			if m := needless.Get().FindStringSubmatch(said); m != nil {
				list = append(list, strings.TrimRight(m[1], ":."))
			}
			at := leaves.Get().FindStringIndex(said)
			if at == nil || !byOneself.Get().MatchString(said[at[1]:]) {
				continue
			}
			for _, c := range markdown.CodeSpan.Get().FindAllString(said[at[1]:], 3) {
				list = append(list, strings.Trim(c, "` "))
			}
		}
	}
	return list
}
