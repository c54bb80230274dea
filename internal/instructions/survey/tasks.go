package survey

import (
	"path"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/markdown"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// A NamedFile is a file that a text of a section names in `code`.
type NamedFile struct {
	Section []string
	Name    string
	Text    string
}

// namedFiles are those of a file.
func namedFiles(all []markdown.Block) (list []NamedFile) {
	for i := range all {
		if all[i].Invisible {
			continue
		}
		said := all[i].Text()
		for _, m := range inCode.Get().FindAllStringSubmatch(said, -1) {
			if name := strings.TrimSpace(m[1]); fileName.Get().MatchString(name) {
				list = append(list, NamedFile{Section: all[i].Section, Name: path.Clean(name), Text: said})
			}
		}
	}
	return list
}

var (
	// fileName is a path of a file with an ending.
	fileName = lazy.Regexp{Source: `^[\w./-]*\w\.[a-z]{1,4}$`}
	// nextStory is an order to a loop of sessions, where each does the next part of a plan.
	nextStory = lazy.Regexp{Source: `(?i)\b(?:pick|select|choose|take|implement) (?:the |that |one |a |single |next |\*\*)*(?:highest[ -]priority|single user story|next (?:user )?(?:story|task|item))`}
	// whenSaid begins the task that some words of the user start, and stepsOf is the title of its steps.
	whenSaid = lazy.Regexp{Source: `(?i)\bwhen (?:the |a )?user (?:says|asks|types|writes|requests)(?: for| to)? ["“']`}
	stepsOf  = lazy.Regexp{Source: `(?i)^[\W\d]*(?:procedure|steps|inputs?|workflow|process)\W*$`}
)

// ofOneTask reports whether a file is the prompt of one task: of a step of a loop, or of what some words of the
// user start. What it says holds in that task.
func ofOneTask(all []markdown.Block) bool {
	said, steps := false, false
	for i := range all {
		b := &all[i]
		if b.Invisible {
			continue
		}
		if nextStory.Get().MatchString(b.Text()) {
			return true
		}
		said = said || whenSaid.Get().MatchString(b.Text())
		steps = steps || slices.ContainsFunc(b.Section, stepsOf.Get().MatchString)
	}
	return said && steps
}
