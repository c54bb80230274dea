package coverage

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/agentsentinel/sentinel/internal/authoring"
	"github.com/agentsentinel/sentinel/internal/instructions"
	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/internal/settings"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/project"
	"github.com/agentsentinel/sentinel/rule"
)

// A Stale is a rule that was made of a line that is not what it was.
type Stale struct {
	Rule   string `json:"rule"`
	Source string `json:"source"`
	Quote  string `json:"quote"`
	Now    string `json:"now"` // where the words are now; "" where they are gone
	Why    string `json:"why"`
}

// Stale are the rules whose line has other words, or is at another place.
func (r *Reader) Stale() []Stale { return StaleOf(r.root, r.rules) }

// StaleOf are those of rules whose line in the project root has other words now, or is at
// another place. It reads the files that the rules name.
func StaleOf(root string, rules []*rule.Rule) []Stale {
	found := []Stale{}
	said := map[string][]instructions.Statement{} // by file
	for _, r := range rules {
		d := r.Definition()
		if d.Source == "" || d.Quote == "" {
			continue
		}
		s := Stale{Rule: r.Spec().ID, Source: text.OneLine(d.Source), Quote: text.OneLine(d.Quote)}
		file, line := d.Place()
		if said[file] == nil {
			said[file] = statements(root, file)
		}
		switch now := linesOf(said[file], d.Quote); {
		case slices.Contains(now, line):
			continue
		case len(now) > 0:
			s.Now = fmt.Sprintf("%s:%d", text.OneLine(file), now[0])
			s.Why = fmt.Sprintf("its words are in line %d now", now[0])
		default:
			s.Why = "no line of " + text.OneLine(file) + " says so any more"
		}
		found = append(found, s)
	}
	return found
}

// Follow notes in the rules of a folder where the words are now that they come from. It
// returns the files that it changed.
func Follow(f *project.Folder) (changed []string, err error) {
	byID := map[string]*rule.Rule{}
	for _, r := range f.Written() {
		byID[r.Spec().ID] = r
	}
	for _, s := range StaleOf(f.Root, f.Written()) {
		if s.Now == "" {
			continue
		}
		file := authoring.SourceFile(byID[s.Rule])
		before, mode, err := settings.Read(file)
		if err != nil {
			return changed, err
		}
		after, err := authoring.Set(before, file, "source", s.Now)
		if err != nil {
			continue // its owner wrote it in another form
		}
		if err := safefile.Replace(file, after, mode); err != nil {
			return changed, err
		}
		changed = append(changed, file)
	}
	return changed, nil
}

// statements are what a file says. A file that is not in the project says nothing.
func statements(root, file string) []instructions.Statement {
	said := []instructions.Statement{}
	if !filepath.IsLocal(filepath.FromSlash(file)) {
		return said
	}
	files, _ := instructions.Find(root, instructions.Options{Names: []string{file}})
	for i := range files {
		if files[i].Path == file { // and no import of it
			said = append(said, instructions.Statements(&files[i])...)
		}
	}
	return said
}

// linesOf are the lines of the statements that say a quotation.
func linesOf(said []instructions.Statement, quote string) (lines []int) {
	for i := range said {
		if line := said[i].Says(quote); line > 0 {
			lines = append(lines, line)
		}
	}
	return lines
}
