package instructions

import (
	"maps"
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
	tests, docs []string
	languages   map[string]int // how often it names one, by the words for it
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
	p := places{languages: map[string]int{}}
	for i := range all {
		b := &all[i]
		if b.Invisible {
			continue
		}
		said := b.Text()
		for _, l := range languagesIn(plain(said)) {
			p.languages[l.Words]++
		}
		for _, c := range markdown.CodeSpan.Get().FindAllString(said, -1) {
			p.note(strings.Trim(c, "` "))
		}
		for k := range b.Fences {
			for _, l := range languagesIn(b.Fences[k].Lang) {
				p.languages[l.Words]++
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
			p.tests = added(p.tests, "**/"+f+"/**")
		}
		if docFolder.Get().MatchString(f) {
			p.docs = added(p.docs, "**/"+f+"/**")
		}
	}
	if m := testEnding.Get().FindString(base); m != "" {
		p.tests = added(p.tests, "**/*"+strings.TrimPrefix(m, "*"))
	}
	if m := docEnding.Get().FindString(base); m != "" {
		p.docs = added(p.docs, "**/*"+m)
	}
	ext := strings.TrimPrefix(path.Ext(base), ".")
	for _, l := range forms.All().Languages {
		if ext != "" && l.HasEnding(ext) {
			p.languages[l.Words]++
		}
	}
}

// maxPlaces bounds the patterns that a file adds.
const maxPlaces = 6

func added(list []string, g string) []string {
	if len(list) < maxPlaces && !slices.Contains(list, g) {
		list = append(list, g)
	}
	return list
}

// Bounds of the language that a file is about: how often it names it, and how much more often than
// all others.
const (
	manyNames = 8
	mostOf    = 2
)

// noPrograms are languages of data and of texts, and C, whose files others have, too.
var noPrograms = lazy.Regexp{Source: `^(?:markdown|css|graphql|proto|msbuild|dbt|ansi c)\b`}

// mainLanguage is the language of programs that a file names far more often than all others.
func (b *builder) mainLanguage() (list []forms.Language) {
	file, ok := b.shows()
	if !ok {
		return nil
	}
	all, sum := file.places().languages, 0
	for words, n := range all {
		if !noPrograms.Get().MatchString(words) {
			sum += n
		}
	}
	for _, l := range forms.All().Languages {
		if n := all[l.Words]; n >= manyNames && n >= mostOf*(sum-n) && !noPrograms.Get().MatchString(l.Words) {
			return []forms.Language{l}
		}
	}
	return nil
}

// named are the files of a kind, with those that the project's files name as such.
func (b *builder) named(k *forms.Kind) []string {
	list := slices.Clone(k.Files)
	if b.p == nil {
		return list
	}
	for _, of := range slices.Sorted(maps.Keys(b.p.shown)) {
		more := b.p.shown[of].places()
		switch {
		case k.Said.Get().MatchString("tests"):
			list = append(list, more.tests...)
		case k.Said.Get().MatchString("docs"):
			list = append(list, more.docs...)
		}
	}
	seen := map[string]bool{}
	list = slices.DeleteFunc(list, func(g string) bool { twice := seen[g]; seen[g] = true; return twice })
	return list[:min(len(list), len(k.Files)+maxPlaces)]
}
