package instructions

import (
	"path"
	"strings"

	"github.com/agentsentinel/sentinel/internal/lazy"
)

// putInto says in which folder some files are to be, the sentence behind it what they are called.
var putInto = lazy.Regexp{Source: `\b(?:placed?|put|lives?|stored?|kept|saved?|belongs?|go(?:es)?|created?|written) (?:only |all )?(?:in|into|under|inside|to) (?:the )?(‹p\d+›)`}

// ofMarkdown is the end of a pattern for documents.
const ofMarkdown = "*.{md,mdx}"

// filesPlaced are the files of the folder that the sentences in front of that of a rule put them
// into: documents, where the folder is one of documents.
func (b *builder) filesPlaced() (globs []string) {
	for i := range b.s.Phrases {
		p := &b.s.Phrases[i]
		if p.Quote == b.quote {
			break
		}
		m := putInto.Get().FindStringSubmatch(p.Words)
		if m == nil {
			continue
		}
		dir := strings.TrimRight(b.p.Placed(p.TermIn(m[1]).Text, b.s.Base()), "/*")
		if dir == "" || strings.ContainsAny(dir, "*<{$") || path.Ext(dir) != "" {
			continue
		}
		if first, _, _ := strings.Cut(dir, "/"); first == "docs" || first == "doc" {
			return []string{dir + "/**/" + ofMarkdown}
		}
		all, _ := b.codeFiles()
		for _, g := range all {
			if strings.HasPrefix(g, "**/") {
				globs = append(globs, dir+"/"+g)
			}
		}
		return globs
	}
	return nil
}
