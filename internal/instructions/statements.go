package instructions

import (
	"cmp"
	"runtime"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/sync/errgroup"

	"github.com/agentsentinel/sentinel/internal/instructions/markdown"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// jobLabel is the title of commands for a job, which does not say when they are to be run.
var jobLabel = lazy.Regexp{Source: `(?i)^\W*(?:run )?(?:the )?(?:unit )?(?:tests?|testing|lint(?:ing|ers?)?|format(?:ting)?|type[- ]?check(?:ing|s)?|(?:code )?(?:quality|style|formatting)|static analysis|(?:quality )?checks|security)(?: checks?| code| tests)?(?: \((?:required|mandatory|always)\))?\W*$`}

// maxOuter bounds the lists around one whose leads are read.
const maxOuter = 16

// Statements splits a file. Blocks with text that a reader cannot see are in none, and
// neither are headings that ask for nothing and code.
func Statements(f *File) []Statement {
	all := markdown.Blocks(f.Text)
	list := make([]Statement, 0, len(all))
	for i := range all {
		b := &all[i]
		if b.Invisible || b.Text() == "" {
			continue
		}
		s := Statement{File: f.Path, Line: b.Line, EndLine: b.End, Section: b.Section, Text: b.Text(), Globs: f.Globs, excluded: f.Excluded, kind: b.Kind, code: b.Code, shell: b.Shell, lines: b.Lines, heads: b.Heads}
		if b.CodeEnd > 0 {
			s.EndLine = b.CodeEnd
		}
		if b.Lead >= 0 && all[b.Lead].Kind != markdown.Heading {
			s.Lead = leadOf(all[b.Lead].Text())
			for up := all[b.Lead].Lead; up >= 0 && all[up].Kind != markdown.Heading && len(s.outer) < maxOuter; up = all[up].Lead {
				s.outer = append(s.outer, leadOf(all[up].Text()))
			}
			if len(s.outer) > 0 && jobLabel.Get().MatchString(strings.NewReplacer("*", "", "_", "").Replace(s.Lead)) { // a list of lists
				s.Lead = cmp.Or(s.outer[0], s.Lead)
			}
		}
		if b.Kind == markdown.Row {
			s.Lead = aboveTable(all[:i])
		}
		for _, c := range b.Children {
			if !all[c].Invisible {
				s.items = append(s.items, all[c].Text())
			}
		}
		list = append(list, s)
	}
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i := range list {
		s := &list[i]
		group.Go(func() error {
			s.phrases = sentence.Phrases(s.Text)
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
		paths, _ := listing(s)
		return len(paths) > 0
	}
	for i := range list {
		s := &list[i]
		if s.Kind = Description; s.kind == markdown.Heading && len(s.code) > 0 && len(leads(s)) > 0 || s.kind <= markdown.Heading && lists(s) {
			s.Kind = Order
		} else if s.evidence >= directiveFrom || s.kind == markdown.Item && s.evidence >= needed {
			s.Kind = kindOfDirective(s)
		}
	}
	return slices.DeleteFunc(list, func(s Statement) bool {
		return s.kind == markdown.Heading && (s.Kind == Description || s.Kind != Order && strings.Count(strings.TrimLeftFunc(s.Text, func(r rune) bool { return !unicode.IsLetter(r) }), " ") < 2)
	})
}

// directiveFrom is the evidence from which a block is a directive.
const directiveFrom = 2

// threshold is the evidence that an item needs: less in a file that consists of
// directives, whose authors often leave out the verb.
func threshold(list []Statement) int {
	items, directives := 0, 0
	for i := range list {
		if list[i].kind == markdown.Item {
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

// leadOf is the sentence of a text that introduces what follows, or "".
func leadOf(s string) string {
	list := sentence.Sentences(s)
	last := list[len(list)-1]
	if plain := strings.TrimRight(last, "*_ "); strings.HasSuffix(plain, ":") || len(list) == 1 {
		return last
	}
	return ""
}

// heading is the nearest heading above a statement, "" without one.
func (s *Statement) heading() string {
	if len(s.Section) == 0 {
		return ""
	}
	return s.Section[len(s.Section)-1]
}
