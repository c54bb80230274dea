package survey

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/pathglob"
	"github.com/agentsentinel/sentinel/internal/instructions/repo"
	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/instructions/statement"
	"github.com/agentsentinel/sentinel/internal/lazy"
	"github.com/agentsentinel/sentinel/scope"
)

// Place names the paths of a phrase from the project's folder.
func (p *Project) Place(said *sentence.Phrase, instructions string) {
	if !p.Known() {
		return
	}
	said.Terms = slices.Clone(said.Terms) // those of a statement stay as they are written
	for i := range said.Terms {
		if t := &said.Terms[i]; t.Kind == sentence.File {
			t.Text = p.Placed(t.Text, instructions)
		}
	}
}

// Placed is a path of an instruction file, from the project's folder.
func (p *Project) Placed(name, instructions string) string {
	if !p.Known() ||
		!sentence.PathForm.Get().MatchString(name) ||
		sentence.Ending.Get().MatchString(name) ||
		strings.Trim(name, "./") == "" ||
		strings.HasPrefix(name, "/") ||
		strings.HasPrefix(name, "~") ||
		strings.HasPrefix(name, "**/") {
		return name
	}
	dir := ""
	switch d := statement.DirOfFile(instructions); {
	case d == "":
	case !pathglob.Hidden(d):
		dir = d + "/"
	case p.Has(d + "/" + name):
		return d + "/" + name
	}
	name = strings.TrimPrefix(name, "./")
	if strings.HasPrefix(name, ".github/") && !p.Has(dir+".github") { // GitHub reads the project's alone
		return name
	}
	if strings.HasPrefix(name, "../") {
		if up := path.Join(dir, name); !strings.HasPrefix(up, "../") {
			return keepSlash(up, name)
		}
		return name
	}
	known := name // the part without patterns
	if i := strings.IndexAny(known, "*?[{<$"); i >= 0 {
		known = known[:strings.LastIndexByte(known[:i], '/')+1]
	}
	folder := strings.HasSuffix(strings.TrimRight(name, "*"), "/") || path.Ext(name) == "" && strings.Contains(name, "/")
	switch {
	case dir != "" && strings.HasPrefix(name, dir):
		return name
	case known == "" && dir != "":
		return dir + "**/" + name
	case known == "", dir != "" && p.Has(dir+known):
		return dir + name
	case p.Has(known):
		return name
	case folder && p.Deeper(dir, strings.TrimRight(known, "/"), ""), !folder && strings.Contains(known, "/") && p.Deeper(dir, path.Dir(known), path.Base(known)):
		return dir + "**/" + name
	case dir != "" && strings.Contains(name, "/"): // it may come
		return dir + name
	}
	return name
}

// keepSlash is a cleaned path with the slash that it had at its end.
func keepSlash(cleaned, was string) string {
	if strings.HasSuffix(was, "/") {
		return cleaned + "/"
	}
	return cleaned
}

var (
	// folderFirst is the folder that a sentence begins with.
	folderFirst = lazy.Regexp{Source: `^\W*((?:when|whenever|if|while) (?:you(?:['’]re| are)? )?(?:work|edit|cod|develop|mak)\w*(?: (?:code|files|changes|anything))? )?(?:in|inside|within|under|below|for) (?:the |our )?(‹p\d+›)(?: (?:folder|directory|package|app|module|library|service|crate|workspace))?(?: only)?[,:] `}
	// folderBehind is one behind the moment of a demand.
	folderBehind = lazy.Regexp{Source: `\bbefore (?:you )?(?:(?:any|each|every|your) )*(?:‹a\d+›)( (?:(?:to|of|changes|code|anything|work|files) )*(?:in|inside|within|under|below) (?:the |our )?(‹p\d+›))(?:$|[.,;)])`}
	// exceptFirst is an exception to the folder.
	exceptFirst = lazy.Regexp{Source: `^(?:except|excluding|apart from|other than|unless|but not)\b`}
	// readsThere is an order to read something before work in the folder.
	readsThere = lazy.Regexp{Source: `^(?:(?:first|always|also|please|then) )*(?:follow|see|read|consult|check|refer to|review|use|look at|load|start with) (?:the |its )?(?:[\w-]+ ){0,3}?‹p`}
)

// InOwnFolder takes the folder out of a sentence of an instruction file that limits itself to one.
func (p *Project) InOwnFolder(said sentence.Phrase, instructions string) sentence.Phrase {
	own, at := said, ""
	if m := folderFirst.Get().FindStringSubmatch(said.Words); m != nil {
		own.Words, at = said.Words[len(m[0]):], m[2]
		if m[1] != "" && readsThere.Get().MatchString(own.Words) {
			return said
		}
	} else if m := folderBehind.Get().FindStringSubmatch(said.Words); m != nil {
		own.Words, at = strings.Replace(said.Words, m[1], "", 1), m[2]
	}
	dir := strings.TrimRight(said.FolderIn(at), "/")
	if p.Known() && dir != "" {
		dir = strings.TrimRight(p.Placed(dir+"/", instructions), "/")
	}
	if dir == "" || p.Whole() && !p.Has(dir) || exceptFirst.Get().MatchString(own.Words) {
		return said
	}
	inFolder := func(t sentence.Term) bool {
		return !strings.Contains(t.Text, "/") || strings.HasPrefix(p.Placed(t.Text, dir+"/"+statement.Everywhere[0]), dir+"/")
	}
	for _, t := range own.TermsIn(own.Words) {
		if t.Kind == sentence.File && sentence.Denies.Get().MatchString(own.Words) && Certain(t.Text) && !inFolder(t) {
			return said // it forbids something elsewhere
		}
	}
	own.Folder = dir
	return own
}

// NoFolder are words of cases that do not tell the folder.
var NoFolder = lazy.Regexp{Source: `^(?:add|chang|edit|modif|updat|touch|work|creat|remov|renam|introduc|writ|implement|bump|delet|adjust|regenerat|extend|mov|replac|refactor|alter|rewrit|fix|review)(?:e?s|e?d|ted|ied|y|e|(?:t|y)?ing)?$|^(?:about|after|before|when|this|that|these|with|from|into|the|and|for|any|all|you|are|was|our|new|not|out|its|has|one|two|how|who|use|run|set|get|may|can|must|now|own|per|via|first|other|another|more|than|also|only|code|source|sources|src|file|files|test|tests|type|types|docs?|config|common|core|main|utils?|scripts?|build|packages?|pkg|cmd|data|templates?|lib|project|public|shared|tools?|apps?|features?|changes?|values?|fields?|names?|support|logic|behaviou?r|existing|definitions?|handlers?|comments?|variables?|functions?|class(?:es)?|methods?|imports?|exports?|strings?|branch(?:es)?|commits?|versions?|descriptions?|texts?|linters?|code-?base|users?|agents?|paths?|lines?|root|production|rules?|contract|memory|surface|end)$`}

// MostPlaces bounds the folders and files of the tree that words name: with more, the place is not known.
const MostPlaces = 6

// maxNoun bounds the words that folders are looked for by, in bytes.
const maxNoun = 40

// Called are the folders below dir that have the name of one of the words, or else the files that have
// the name of one word or two. Documents, companions, and folders with a companion that is a document
// are left out.
func (p *Project) Called(words []string, dir string, companions []sentence.Term) (globs []string) {
	var folders, files []string // the names that are looked for
	words = slices.DeleteFunc(slices.Clone(words), func(w string) bool { return len(w) > maxNoun })
	for i, w := range words {
		ofPlace := !NoFolder.Get().MatchString(w)
		if ofPlace {
			folders = append(folders, inNumbers(w)...)
		}
		if ofPlace && len(w) > 3 {
			files = append(files, inNumbers(w)...)
		}
		if i > 0 {
			files = append(files, inNumbers(words[i-1]+w)...)
		}
	}
	add := func(g string) {
		if !slices.Contains(globs, g) && len(globs) <= MostPlaces {
			globs = append(globs, g)
		}
	}
	var of []string // the folders
	for _, at := range p.Names().Of(p.Names().Folders, folders) {
		f := p.Folders()[at]
		if strings.HasPrefix(f, dir) && !slices.ContainsFunc(companions, func(t sentence.Term) bool { return repo.OfDocument(t.Text) && strings.HasPrefix(t.Text, f+"/") }) {
			of = append(of, f)
		}
	}
	if of = nested(of); len(of) > 0 {
		for _, f := range of {
			add(dir + "**/" + f + "/**")
		}
		if len(globs) <= MostPlaces {
			return globs
		}
		globs = nil
	}
	for _, at := range p.Names().Of(p.Names().Files, files) {
		f := p.Files()[at]
		isCompanion := func(t sentence.Term) bool {
			return t.Text == path.Base(t.Text) || strings.Contains("/"+t.Text, "/"+path.Base(f))
		}
		if strings.HasPrefix(f, dir) && !slices.ContainsFunc(companions, isCompanion) {
			add(dir + "**/" + path.Base(f))
		}
	}
	if len(globs) > MostPlaces {
		return nil
	}
	return globs
}

// FoldersAt are the folders of the tree that a path names: "server/auth" also one below "apps".
func (p *Project) FoldersAt(at string) (globs []string) {
	for _, f := range p.Folders() {
		if strings.HasSuffix("/"+strings.ToLower(f), "/"+at) && !strings.ContainsAny(f, repo.SignsOfGlobs) && len(globs) <= MostPlaces {
			globs = append(globs, f+"/**")
		}
	}
	if len(globs) > MostPlaces {
		return nil
	}
	return globs
}

// nested are the names of some folders. Where the words name several, as "the web auth" does, they are
// those that lie in a folder of another name, with that: "web/auth".
func nested(folders []string) (names []string) {
	noun := func(f string) string { return strings.TrimSuffix(strings.ToLower(path.Base(f)), "s") }
	several := slices.ContainsFunc(folders, func(f string) bool { return noun(f) != noun(folders[0]) })
	for _, f := range folders {
		name := path.Base(f)
		if several {
			in := slices.IndexFunc(folders, func(o string) bool { return noun(o) != noun(f) && strings.HasPrefix(f, o+"/") })
			if in < 0 {
				continue
			}
			name = path.Base(folders[in]) + f[len(folders[in]):]
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// inNumbers are a word and its singular and plural.
func inNumbers(word string) []string {
	return []string{word, strings.TrimSuffix(word, "s"), word + "s"}
}

// fewNamed is up to how many files tell nothing of how files are called.
const fewNamed = 20

// NamedOtherwise reports whether most of the files in the tree that a rule about names is about have
// no such name.
func (p *Project) NamedOtherwise(r *ruletext.Rule, style string) bool {
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

// WithinFolders makes patterns of the files of folders: who reads one of these has read there.
func (p *Project) WithinFolders(globs []string) {
	for i, g := range globs {
		if p.Known() && !strings.ContainsAny(g, "*{") && slices.Contains(p.Folders(), strings.TrimSuffix(g, "/")) {
			globs[i] = strings.TrimSuffix(g, "/") + "/**"
		}
	}
}

// Apart are folders of tests alone.
var Apart = []string{"**/{test,tests,__tests__,spec,specs}/**/*{.,_}{test,spec}.*"}

// FoldersOfTests are patterns of the folders at the top of the tree that are named for tests and have
// some. New tests may be added there.
func (p *Project) FoldersOfTests() (globs []string) {
	if !p.Known() {
		return nil
	}
	for _, f := range p.Files() {
		top, _, ok := strings.Cut(f, "/")
		if g := top + "/**"; ok && isTestFolder.Get().MatchString(top) && !slices.Contains(globs, g) && pathglob.Match(Apart[0], f) {
			globs = append(globs, g)
		}
	}
	return globs
}

// isTestFolder is a folder for tests alone.
var isTestFolder = lazy.Regexp{Source: `^(?:tests?|specs?)$`}

// History are commands that do not check a change but belong to a release or a merge.
var History = lazy.Regexp{Source: `^(?:git|gh|npm publish|npm version)\b`}

// Certain reports whether a name is a file's, and no pointer into one.
func Certain(s string) bool {
	return strings.HasSuffix(s, "/") || path.Ext(s) != "" || sentence.Known.Get().MatchString(path.Base(s))
}
