package survey

import (
	"path"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/forms"
	"github.com/agentsentinel/sentinel/internal/instructions/markdown"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// A places is what a file names: folders and endings of tests and of documents, and languages.
type places struct {
	Tests, Docs []string
	Languages   map[string]int // how often it names one, by the words for it
}

var (
	// testFolder and docFolder are folders of tests and of documents, testEnding and docEnding
	// the endings of such files.
	testFolder = lazy.Regexp{Source: `^(?:t|xt|testing|Tests?|[\w-]*[_-](?:tests?|specs?)|(?:tests?|specs?)[_-][\w-]+|[a-z]+Test)$`}
	testEnding = lazy.Regexp{Source: `\*?(?:\.t|\.bats|\.feature|(?:Spec|IT)\.(?:scala|kt|groovy|java|hs)|[_-]tests?\.\w+)$`}
	docFolder  = lazy.Regexp{Source: `^(?:doc|docs|documentation|man|manual|wiki|vignettes|guides|handbook)$`}
	docEnding  = lazy.Regexp{Source: `\.(?:pod|adoc|asciidoc|Rd|Rmd|qmd|org|tex|texi|textile|typ|man|rdoc)$`}
)

// placesOf reads what the blocks of a file name.
func placesOf(all []markdown.Block) places {
	p := places{Languages: map[string]int{}}
	for i := range all {
		b := &all[i]
		if b.Invisible {
			continue
		}
		said := b.Text()
		for _, l := range LanguagesIn(Plain(said)) {
			p.Languages[l.Words]++
		}
		for _, c := range markdown.CodeSpan.Get().FindAllString(said, -1) {
			p.note(strings.Trim(c, "` "))
		}
		for k := range b.Fences {
			for _, l := range LanguagesIn(b.Fences[k].Lang) {
				p.Languages[l.Words]++
			}
			for _, l := range b.Fences[k].Lines {
				for _, word := range strings.Fields(l) {
					p.note(word)
				}
			}
		}
	}
	return p
}

// note takes a path.
func (p *places) note(name string) {
	name = strings.TrimPrefix(name, "./")
	if !sentence.PathForm.Get().MatchString(name) || strings.HasPrefix(name, "-") || sentence.KindOf(name) != sentence.File && !testEnding.Get().MatchString(name) && !docEnding.Get().MatchString(name) {
		return
	}
	base := path.Base(name)
	folders := strings.Split(strings.Trim(path.Dir(name+"x"), "/"), "/")
	for _, f := range folders {
		if testFolder.Get().MatchString(f) {
			p.Tests = added(p.Tests, "**/"+f+"/**")
		}
		if docFolder.Get().MatchString(f) {
			p.Docs = added(p.Docs, "**/"+f+"/**")
		}
	}
	if m := testEnding.Get().FindString(base); m != "" {
		p.Tests = added(p.Tests, "**/*"+strings.TrimPrefix(m, "*"))
	}
	if m := docEnding.Get().FindString(base); m != "" {
		p.Docs = added(p.Docs, "**/*"+m)
	}
	ext := strings.TrimPrefix(path.Ext(base), ".")
	for _, l := range forms.All().Languages {
		if ext != "" && l.HasEnding(ext) {
			p.Languages[l.Words]++
		}
	}
}

// MaxPlaces bounds the patterns that a file adds.
const MaxPlaces = 6

func added(list []string, g string) []string {
	if len(list) < MaxPlaces && !slices.Contains(list, g) {
		list = append(list, g)
	}
	return list
}
