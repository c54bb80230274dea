// Package statement splits an instruction file into statements, and says of each what it asks for: by its
// words, by the headings and leads above it, and by the items of its list.
package statement

import (
	"cmp"
	"path"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/sync/errgroup"

	"github.com/agentsentinel/sentinel/internal/instructions/markdown"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// A File is an instruction file of a project.
type File struct {
	Path       string   // from the project's folder, with slashes
	Text       string   // as it is, at most instructions.MaxFile bytes
	ImportedBy string   // the Path of the file that imports it; "" for one that agents read themselves
	Imports    []string // the Paths of the files that it imports
	Globs      []string // paths that it is about, by its front matter or its folder; none for all of the project
	Excluded   []string // paths that it is not about, by its front matter: "!lib/gen/**"
}

// A Kind says what a statement asks for.
type Kind string

// The kinds. All but Description are directives.
const (
	Description Kind = "description" // it asks for nothing
	Call        Kind = "call"        // one call tells whether it is kept: "never push to main"
	Order       Kind = "order"       // several calls tell it: "run the tests before you commit"
	Content     Kind = "content"     // what is written tells it: "no emojis in commits"
	Meaning     Kind = "meaning"     // only somebody who understands it can tell: "keep answers short"
)

// A Statement is one thing that a file says: an item of a list, a row of a table, or a
// sentence of a paragraph.
type Statement struct {
	File          string   // [File.Path]
	Line, EndLine int      // its first and its last line, from 1
	Section       []string // the headings that it is below, from the top
	Lead          string   // the sentence that introduces its list: "Never run:"; "" without one
	Text          string   // its words in one line, with marks such as `code` and **bold**
	Globs         []string // [File.Globs]
	Kind          Kind

	Excluded []string // [File.Excluded]
	Block    markdown.BlockKind
	Phrases  []sentence.Phrase
	Heads    []string // of the columns of its table
	Items    []string // of the list that it introduces
	Code     []string // of the code blocks below it
	Shell    bool     // the code is said to be of a shell
	Lines    []string // of the file, without marks of lists
	Behind   []string // the texts that go on below it, up to the next heading
	Outer    []string // the sentences that introduce the lists that its list is in, from the nearest
	Named    []string // the items next to it that say how things are named
	Either   bool     // an item next to it is in its place
	whole    bool     // it is in the place of all items next to it
	Instead  []string // the commands that a text behind its list offers in the place of it
	Except   string   // the item behind it that begins with its exception
	Folder   string   // that a sentence limits itself to, in the place of that of the file
	Topics   []string // the folders that the item in front of its list is about
	Then     string   // the beginning of a sentence about a step before the work is recorded: "Before committing:"

	evidence int
}

// Source is where the statement is, as in "CLAUDE.md:14".
func (s *Statement) Source() string { return s.File + ":" + strconv.Itoa(s.Line) }

// jobLabel is the title of commands for a job, which does not say when they are to be run.
var jobLabel = lazy.Regexp{Source: `(?i)^\W*(?:run )?(?:the )?(?:unit )?(?:tests?|testing|lint(?:ing|ers?)?|format(?:ting)?|type[- ]?check(?:ing|s)?|(?:code )?(?:quality|style|formatting)|static analysis|(?:quality )?checks|security)(?: checks?| code| tests)?(?: \((?:required|mandatory|always)\))?\W*$`}

// maxOuter bounds the lists around one whose leads are read.
const maxOuter = 16

// Of splits a file. Blocks with text that a reader cannot see are in none, and
// neither are headings that ask for nothing and code.
func Of(f *File) []Statement {
	all := markdown.Blocks(f.Text)
	list := make([]Statement, 0, len(all))
	for i := range all {
		b := &all[i]
		if b.Invisible || b.Text() == "" {
			continue
		}
		s := Statement{File: f.Path, Line: b.Line, EndLine: b.End, Section: b.Section, Text: b.Text(), Globs: f.Globs, Excluded: f.Excluded, Block: b.Kind, Code: b.Code, Shell: b.Shell, Lines: b.Lines, Heads: b.Heads}
		if b.CodeEnd > 0 {
			s.EndLine = b.CodeEnd
		}
		if b.Lead >= 0 && all[b.Lead].Kind != markdown.Heading {
			s.Lead = leadOf(all[b.Lead].Text())
			for up := all[b.Lead].Lead; up >= 0 && all[up].Kind != markdown.Heading && len(s.Outer) < maxOuter; up = all[up].Lead {
				s.Outer = append(s.Outer, leadOf(all[up].Text()))
			}
			if len(s.Outer) > 0 && jobLabel.Get().MatchString(strings.NewReplacer("*", "", "_", "").Replace(s.Lead)) { // a list of lists
				s.Lead = cmp.Or(s.Outer[0], s.Lead)
			}
		}
		if b.Kind == markdown.Row {
			s.Lead = aboveTable(all[:i])
		}
		for _, c := range b.Children {
			if !all[c].Invisible {
				s.Items = append(s.Items, all[c].Text())
			}
		}
		list = append(list, s)
	}
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i := range list {
		s := &list[i]
		group.Go(func() error {
			s.Phrases = sentence.Phrases(s.Text)
			s.evidence = evidence(s)
			return nil
		})
	}
	group.Wait()
	steps(list)
	shortcuts(list)
	exceptions(list)
	topicFolders(list)
	follow(list)
	needed := threshold(list)
	lists := func(s *Statement) bool {
		paths, _ := Listing(s)
		return len(paths) > 0
	}
	for i := range list {
		s := &list[i]
		switch s.Kind = Description; {
		case s.onlyLeads():
		case s.Block == markdown.Heading && len(s.Code) > 0 && (len(Leads(s)) > 0 || s.BansCode()), s.Block <= markdown.Heading && lists(s):
			s.Kind = Order
		case s.evidence >= directiveFrom, s.Block == markdown.Item && s.evidence >= needed:
			s.Kind = kindOfDirective(s)
		}
	}
	return slices.DeleteFunc(list, func(s Statement) bool {
		return s.Block == markdown.Heading && (s.Kind == Description || s.Kind != Order && strings.Count(strings.TrimLeftFunc(s.Text, func(r rune) bool { return !unicode.IsLetter(r) }), " ") < 2)
	})
}

// directiveFrom is the evidence from which a block is a directive.
const directiveFrom = 2

// threshold is the evidence that an item needs: less in a file that consists of
// directives, whose authors often leave out the verb.
func threshold(list []Statement) int {
	items, directives := 0, 0
	for i := range list {
		if list[i].Block == markdown.Item {
			items++
			if list[i].evidence >= directiveFrom {
				directives++
			}
		}
	}
	switch {
	case directives*10 >= items*7:
		return directiveFrom - 2
	case directives*2 >= items:
		return directiveFrom - 1
	}
	return directiveFrom
}

// maxLead bounds a sentence that introduces others, in bytes: it is read again for each of them.
const maxLead = 1000

// leadOf is the sentence of a text that introduces what follows, or "".
func leadOf(s string) string {
	list := sentence.Sentences(s)
	last := list[len(list)-1]
	if len(last) > maxLead {
		return ""
	}
	if plain := strings.TrimRight(last, "*_ "); strings.HasSuffix(plain, ":") || len(list) == 1 {
		return last
	}
	return ""
}

// Heading is the nearest heading above a statement, "" without one.
func (s *Statement) Heading() string {
	if len(s.Section) == 0 {
		return ""
	}
	return s.Section[len(s.Section)-1]
}

// aboveTable is the sentence that introduces a table, of whose rows the first blocks end with: ""
// for none.
func aboveTable(before []markdown.Block) string {
	i := len(before) - 1
	for i >= 0 && before[i].Kind == markdown.Row {
		i--
	}
	if i < 0 || before[i].Kind != markdown.Paragraph || before[i].Invisible || !strings.HasSuffix(strings.TrimRight(before[i].Text(), "*_ "), ":") {
		return ""
	}
	return leadOf(before[i].Text())
}

// Within is the statement as one of a file in a folder: itself for "".
func (s *Statement) Within(dir string) *Statement {
	if dir == "" {
		return s
	}
	of := *s
	of.Folder, of.Globs = dir, []string{dir + "/**"}
	return &of
}

// Base is the file from whose folder paths are named.
func (s *Statement) Base() string {
	if s.Folder != "" {
		return s.Folder + "/" + Everywhere[0]
	}
	return s.File
}

// OfFolder is the folder of an instruction file that agents read for that folder only: "" for
// one of the whole project.
func (s *Statement) OfFolder() string {
	if s.Folder != "" {
		return s.Folder
	}
	if dir := DirOfFile(s.File); len(s.Globs) > 0 && dir != "" && sentence.PathForm.Get().MatchString(dir+"/") {
		return dir
	}
	return ""
}

// DirOfFile is the folder of a file that agents read in every folder: "" for the project's.
func DirOfFile(rel string) string {
	if dir := path.Dir(rel); dir != "." && slices.Contains(Everywhere, path.Base(rel)) {
		return dir
	}
	return ""
}

// Everywhere are the files that agents read in every folder.
var Everywhere = []string{"CLAUDE.md", "AGENTS.md", "GEMINI.md"}
