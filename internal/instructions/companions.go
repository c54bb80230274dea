package instructions

import (
	"path"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/forms"
	"github.com/agentsentinel/sentinel/internal/instructions/pathglob"
	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/instructions/statement"
	"github.com/agentsentinel/sentinel/internal/instructions/survey"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// Files that have to change with others are named in a few words: a name without its folder, the
// last parts of a path that each module has, one file or another one. A demand is met by any
// file that the words may mean.

var (
	// rootFolder begins a path that is named from the folder of the project.
	rootFolder = lazy.Regexp{Source: `^(?:\.[\w-]|src/|docs?/|lib/|apps?/|packages?/|pkg/|internal/|cmd/|crates/|config/|scripts?/|tools?/|examples?/|server/|client/|backend/|frontend/|web/|hack/|build/|deploy/|infra/|include/|vendor/)`}
	// rootFile is a file that a project has once.
	rootFile = lazy.Regexp{Source: `^(?:\.|[A-Z][A-Z_]+(?:\.\w+)?$|(?:package|composer|tsconfig|deno)(?:-lock)?\.json$|(?:Cargo|pyproject|mkdocs)\.\w+$|go\.(?:mod|sum|work)$|requirements[\w-]*\.txt$|[\w-]+\.lock$|CMakeLists\.txt$|Makefile$|Dockerfile$|Gemfile$|mix\.exs$|build\.(?:gradle|zig|sbt)\b)`}
)

// fullPath is how many parts a path may have and still be the last ones of another path.
const fullPath = 2

var (
	// dangling is a case that goes on with the name of a file, and intoFolder what goes there.
	dangling   = lazy.Regexp{Source: ` (?:in|of|by|under|from)$`}
	intoFolder = lazy.Regexp{Source: `\b(?:place|put|store|keep|save|lives?|belongs?|goes?) (?:[a-z]+ ){0,3}(?:in|into|under|at|to) (?:the )?‹p\d+›`}
	// avoids is a lead whose code shows how to avoid something.
	avoids = lazy.Regexp{Source: `(?i), (?:avoid|prevent|bypass|work around|circumvent)(?:ing)?\b`}
)

// loose are the files of a path that may be the last parts of another one: where the tree
// has no such path, or is not known.
func loose(p *survey.Project, globs []string) []string {
	return pathglob.Each(globs, func(g string) string {
		if deep := pathglob.AtAnyDepth(g); deep != g {
			return deep
		}
		if dir, base := path.Split(g); strings.Contains(base, "*") && base != "**" && dir != "" && p.Whole() && !p.Holds([]string{g}) && p.Holds([]string{dir + "**/" + base}) {
			return dir + "**/" + base // the files are further down
		}
		parts := strings.Split(strings.TrimSuffix(g, "/**"), "/")
		if len(parts) > fullPath || strings.ContainsAny(parts[0], "*{") || rootFolder.Get().MatchString(g) || len(parts) == 1 && rootFile.Get().MatchString(g) || p.Known() && p.Has(strings.Join(parts, "/")) {
			return g
		}
		return "**/" + g
	})
}

var (
	// besideOr is another file that does as well as the one in front of it.
	besideOr = lazy.Regexp{Source: `^(?: \([^)‹]*\))?,? ?(?:\(?(?:and/)?or|\(?alternatively,?|/) (?:[a-z]+ ){0,5}?(‹p\d+›)`}
	// orThing is something else that does as well.
	orThing = lazy.Regexp{Source: `^(?: \([^)‹]*\))? (?:and/)?or (?:(?:in|the|its|your|any|other|a|an|relevant|related|corresponding|appropriate) )*([a-z][^.;,:‹]*)`}
	// sayNext goes on with a case.
	sayNext = lazy.Regexp{Source: `^(?:if|when|whenever|after|before|more|less|later|so|similar)\b`}
	// affected is a file of the folder of a change.
	affected = lazy.Regexp{Source: `\b(?:affected|touched|impacted|changed) (?:[\w-]+ )?‹p\d+›`}
)

// companions are the files that have to change with others: each of those that a line names, or
// one of them. There are none where the line offers something that is not a file.
func (b *builder) companions() []choice {
	list := b.choices("with")
	if behind, _ := b.after("with"); len(list) > 0 && !besideOr.Get().MatchString(behind) {
		if m := orThing.Get().FindStringSubmatch(behind); m != nil && !sayNext.Get().MatchString(m[1]) {
			k := forms.KindCalled(m[1])
			if k == nil {
				return nil
			}
			last := &list[len(list)-1]
			last.globs, last.other = append(last.globs, k.Files...), strings.Fields(m[1])[0]
		}
	}
	own := ownFolder.Get().MatchString(b.hit.Phrase.Words) || affected.Get().MatchString(b.hit.Phrase.Words)
	for i := range list {
		c := &list[i]
		c.names = pathglob.Each(c.names, func(n string) string {
			if rest, ok := strings.CutPrefix(n, "**/"); ok && !strings.Contains(rest, "*") {
				return rest // its folder is of the tree, and not of the line
			}
			return n
		})
		if c.globs = loose(b.p, c.globs); own {
			c.globs = pathglob.Each(c.globs, func(g string) string {
				if dir := b.s.OfFolder(); dir != "" && g == dir+"/"+path.Base(g) {
					return dir + "/**/" + path.Base(g)
				}
				if path.Base(g) == g && !strings.HasPrefix(g, "*") {
					return "**/" + g
				}
				return g
			})
		}
	}
	return list
}

// vain reports whether a name does not name a file that has to change: a pattern, an invented
// name, or the folder that something new goes into.
func (b *builder) vain(name string) bool {
	return !survey.Certain(name) ||
		strings.Contains(statement.GlobsOf(name)[0], "*") && !strings.HasSuffix(name, "/") ||
		statement.Placed.Get().MatchString(strings.TrimPrefix(name, ".env")) ||
		fixed(name, b.hit.Phrase.Words) ||
		strings.HasSuffix(name, "/") && intoFolder.Get().MatchString(b.hit.Phrase.Words)
}

// lists makes the drafts of a list of files that change together: with a new one of its
// first file, if its name has a part for anything, else with any change.
func lists(s *statement.Statement, p *survey.Project) (list []Draft) {
	paths, sometimes := statement.Listing(s)
	first := slices.IndexFunc(paths, func(p string) bool {
		return strings.Contains(p, "/") && !strings.HasSuffix(p, ".md") && !strings.Contains(p, "test") && !strings.Contains(p, "index.")
	})
	if first < 0 {
		return nil
	}
	b := builder{s: s, p: p, hit: &forms.Found{Form: &forms.Form{Name: "together"}, Severity: "warn", Phrase: &sentence.Phrase{Quote: s.Text}}, quote: s.Text}
	changed := loose(p, statement.GlobsOf(p.Placed(paths[first], s.Base())))
	if top, _, _ := strings.Cut(changed[0], "/"); p.Whole() && !p.Young() && !strings.Contains(top, "*") && !p.Has(top) {
		return nil // the project has no such folder: the name is an example
	}
	mark := ""
	if makes := paths[first]; makesFolder(s, makes) {
		mark = markOf(s, p, strings.TrimSuffix(changed[0], "/**"), paths)
		if mark == "" {
			return nil // a new folder, which no write tells
		}
		changed, first = []string{mark}, -1
		paths = slices.DeleteFunc(paths, func(said string) bool { return said == makes || ofNewFolder(s, p, said, mark) })
	}
	fresh := mark != "" || strings.Contains(strings.TrimPrefix(changed[0], "**/"), "*") && (strings.Contains(path.Base(changed[0]), "*") || !p.Holds(changed)) // else it is there
	for i, said := range paths {
		name := p.Placed(said, s.Base())
		with := loose(p, statement.GlobsOf(name))
		switch {
		case i == first || slices.Contains(sometimes, said) || p.Lacks(with):
		case strings.HasSuffix(changed[0], "/*"), strings.HasSuffix(changed[0], "/*/**"): // a new folder, which no write tells
		case fresh:
			r := newNeeds(changed[:1], with, name)
			r.Message = s.IfAdds() + "it needs its place in " + name + " too. {{missing}}"
			list = append(list, b.finish([]ruletext.Rule{r})...)
		default:
			r := together(changed, with, name)
			r.Message = s.IfAdds() + "change " + name + " too. {{missing}}"
			list = append(list, b.finish([]ruletext.Rule{r})...)
		}
	}
	return list[:min(len(list), sentence.MaxDrafts)]
}
