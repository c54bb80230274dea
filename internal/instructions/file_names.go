package instructions

import (
	"path"
	"regexp"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/lazy"
	"github.com/agentsentinel/sentinel/scope"
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
		dir := strings.TrimRight(b.p.placed(p.TermIn(m[1]).Text, b.s.Base()), "/*")
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

// fewNamed is up to how many files tell nothing of how files are called.
const fewNamed = 20

// namedOtherwise reports whether most of the files in the tree that a rule about names is about have
// no such name.
func (p *Project) namedOtherwise(r *ruletext.Rule, style string) bool {
	if !p.Known() {
		return false
	}
	in, out, is := scope.NewPaths(r.Scope, false), scope.NewPaths(r.Exclude, false), regexp.MustCompile(style)
	all, others := 0, 0
	for _, f := range p.Files() {
		if _, ok := in.Match(f); !ok {
			continue
		}
		if _, ok := out.Match(f); ok {
			continue
		}
		if all++; !is.MatchString(path.Base(f)) {
			others++
		}
	}
	return all > fewNamed && 2*others > all
}
