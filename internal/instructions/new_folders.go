package instructions

import (
	"path"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/repo"
	"github.com/agentsentinel/sentinel/internal/instructions/statement"
	"github.com/agentsentinel/sentinel/internal/instructions/survey"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// Something new may be a folder. No write tells that a folder is new, but one of the file that each such
// folder has does.

var (
	// folderStep is a step that makes a folder in another one.
	folderStep = lazy.Regexp{Source: "(?i)^\\W*(?:create|add|make|set up) (?:[\\w-]+ ){0,3}(?:folder|directory|dir|subfolder|subdirectory) (?:[\\w-]+ ){0,2}?(?:in|under|inside|below|at|within) `"}
	// inItself says of a file that it is in the new folder.
	inItself = lazy.Regexp{Source: "(?i)` [^`]*\\b(?:in|inside|within|under) (?:it|there|(?:the|that|this|your) (?:new )?(?:[\\w-]+ )?(?:folder|directory|dir|subfolder|subdirectory))\\b"}
)

// stepOf is the item of a list that names a path.
func stepOf(s *statement.Statement, said string) string {
	i := slices.IndexFunc(s.Items, func(item string) bool { return strings.Contains(item, "`"+said+"`") })
	if i < 0 {
		return ""
	}
	return s.Items[i]
}

// makesFolder reports whether the step of a path makes a folder in it.
func makesFolder(s *statement.Statement, said string) bool {
	return folderStep.Get().MatchString(stepOf(s, said))
}

// ofNewFolder reports whether a file of a list belongs into the new folder, which has a mark.
func ofNewFolder(s *statement.Statement, p *survey.Project, said, mark string) bool {
	if inItself.Get().MatchString(stepOf(s, said)) {
		return true
	}
	dir, _, _ := strings.Cut(mark, "/*/")
	return !strings.Contains(said, "/") && (ofFolder.Get().MatchString(said) || p.Known() && p.HoldsBut([]string{dir + "/*/" + said}, nil))
}

// markOf is a pattern of a file that each folder in dir has. It prefers a file that a step puts into the new
// folder, and takes no document. It is "" if there are fewer than two folders, or no such file.
func markOf(s *statement.Statement, p *survey.Project, dir string, paths []string) string {
	if !p.Known() {
		return ""
	}
	var folders []string
	for _, f := range p.Folders() {
		if path.Dir(f) == dir {
			folders = append(folders, f)
		}
	}
	if len(folders) < 2 {
		return ""
	}
	inEach := func(file string) bool { // or in all but a few, which are for something else
		n := 0
		for _, f := range folders {
			if p.Has(f + "/" + file) {
				n++
			}
		}
		return n > 1 && 4*n >= 3*len(folders)
	}
	for _, said := range paths {
		if inItself.Get().MatchString(stepOf(s, said)) && inEach(said) {
			return dir + "/*/" + said
		}
	}
	best := ""
	for _, f := range p.Files() {
		file, ok := strings.CutPrefix(f, folders[0]+"/")
		if !ok || repo.OfDocument(file) || strings.HasPrefix(path.Base(file), ".git") || !inEach(file) {
			continue
		}
		if best == "" || len(file) < len(best) || len(file) == len(best) && file < best {
			best = file
		}
	}
	if best == "" {
		return ""
	}
	return dir + "/*/" + best
}
