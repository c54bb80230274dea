package instructions

import (
	"path"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/pathglob"
	"github.com/agentsentinel/sentinel/internal/instructions/repo"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/instructions/statement"
	"github.com/agentsentinel/sentinel/internal/instructions/survey"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// The words of a case may name the place that it is about: a path, or folders and files of the tree
// that are called by them.

var (
	// noun is a word that a folder may be named by.
	noun = lazy.Regexp{Source: `[a-z][a-z_-]{2,}`}
	// madeInAll names the folders of a case: "changes in common, core, or protocol".
	madeInAll = lazy.Regexp{Source: `\b(?:chang|edit|modif|touch|work|made)\w* (?:(?:were|are|is|was|made|done|code|files|anything) )*(?:in|to|inside|under|within) (?:the )?([a-z][\w-]*(?:, [a-z][\w-]*)*,? (?:or|and) [a-z][\w-]*)(?: (?:folders?|director(?:y|ies)|crates?|packages?|modules?))?$`}
	// itsEnds are around the alternatives of a case.
	itsEnds = lazy.Regexp{Source: `,? (?:or|and) |, `}
	// pathInWords is a path without marks.
	pathInWords = lazy.Regexp{Source: `[\w.-]+(?:/[\w.-]+)+`}
	// wholeCrates is a case about crates that come, go or get another name: their manifests show it.
	wholeCrates = lazy.Regexp{Source: `^(?:you )?(?:(?:add|creat|remov|delet|renam|mov|introduc|split|merg)(?:e|ing|t?ting)?(?:,? (?:or|and) |, |/)?)+ (?:an? |any |the |new |workspace )*(?:crates?|workspace members?)$`}
	// partOfProgram is a part of a program that has files in many folders.
	partOfProgram = lazy.Regexp{Source: `\b(?:(?:public|external|exported|stable|user-facing) (?:[a-z]+ )?(?:apis?|interfaces?|surfaces?|symbols?|functions?|types?|behaviou?rs?)|api surface|(?:core|business|domain|critical|shared|application) (?:logic|functionality|behaviou?rs?|rules?|algorithms?|flows?|invariants?)|(?:(?:hot|critical|code|happy|error|fast|slow|performance|execution|security)[ -])+(?:(?:critical|sensitive) )?(?:code )?paths?|hot (?:loops?|code|functions?)|(?:performance|security|safety)[ -](?:critical|sensitive|relevant)|error handling|data model|control flow)\b`}
	// anyOfThem is a case about each file of a name.
	anyOfThem = lazy.Regexp{Source: `\b(?:any|every|each|all|some)(?: of the)? ‹p`}
)

// casePlaces are the files below dir that the words of a case name, with one of them: "changing
// serializers" is about those in app/serializers/, or else about serializers.rb. Each of several
// alternatives has to name some. Files that have to change with them are left out.
func (b *builder) casePlaces(words, dir string) (globs []string, example string) {
	for _, t := range b.hit.Terms("words") {
		if t.Kind == sentence.File && !repo.OfDocument(t.Text) {
			globs = append(globs, loose(b.p, b.anywhere(statement.GlobsOf(t.Text)))...)
		}
	}
	if of := filesSaid(words); len(globs) == 0 && len(of) > 0 {
		return pathglob.Each(of, func(g string) string { return dir + g }), dir + sampleOf(of[0])
	}
	if len(globs) == 0 && wholeCrates.Get().MatchString(words) {
		return []string{dir + "**/Cargo.toml"}, dir + "a/Cargo.toml"
	}
	if of := b.filesCalled(); len(of) > 0 {
		return of, strings.TrimPrefix(of[0], "**/")
	}
	if anyOfThem.Get().MatchString(b.hit.Slots["words"]) {
		globs = pathglob.Each(globs, func(g string) string { return "**/" + strings.TrimPrefix(g, "**/") })
	}
	if len(globs) > 0 {
		return globs, pathglob.Sample(globs[0])
	}
	if patterns, _ := b.textOf(words); len(patterns) > 0 {
		return nil, ""
	}
	if m := madeInAll.Get().FindStringSubmatch(words); m != nil && !b.p.Whole() {
		all := itsEnds.Get().Split(m[1], -1)
		return pathglob.Each(all, func(name string) string { return dir + "**/" + name + "/**" }), dir + all[0] + "/a.ts"
	}
	if !b.p.Known() {
		return nil, ""
	}
	companions := append(b.hit.Terms("with"), b.hit.Terms("read")...)
	for _, one := range itsEnds.Get().Split(words, -1) {
		if partOfProgram.Get().MatchString(one) {
			return nil, "" // a folder of that name is another thing
		}
		nouns := noun.Get().FindAllString(one, -1)
		if !slices.ContainsFunc(nouns, func(w string) bool { return !survey.NoFolder.Get().MatchString(w) }) {
			continue // verbs alone
		}
		named := b.p.Called(nouns, dir, companions)
		if at := pathInWords.Get().FindString(one); at != "" {
			named = b.p.FoldersAt(at)
		}
		if len(named) == 0 {
			return nil, ""
		}
		for _, g := range named {
			if !slices.Contains(globs, g) {
				globs = append(globs, g)
			}
		}
	}
	if len(globs) == 0 {
		return nil, ""
	}
	return globs, strings.NewReplacer("**/", "", "/**", "/a.ts").Replace(globs[0])
}

// filesCalled are the files of the tree that the names in `code` of a case name: each name has some.
func (b *builder) filesCalled() (globs []string) {
	for _, t := range b.hit.Terms("words") {
		if t.Kind != sentence.Name || !t.Code || !b.p.Known() {
			return nil
		}
		n := len(globs)
		for _, at := range b.p.Names().Files[repo.BareName(t.Text)] {
			base := path.Base(b.p.Files()[at])
			if stem, ext, _ := strings.Cut(base, "."); stem == t.Text && ext != "" && !slices.Contains(globs, "**/"+base) {
				globs = append(globs, "**/"+base)
			}
			if len(globs) > survey.MostPlaces {
				return nil
			}
		}
		if len(globs) == n {
			return nil
		}
	}
	return globs
}
