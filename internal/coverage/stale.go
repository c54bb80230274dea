package coverage

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/agentsentinel/sentinel/internal/authoring"
	"github.com/agentsentinel/sentinel/internal/instructions"
	"github.com/agentsentinel/sentinel/internal/instructions/statement"
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

// Moved reports whether another line, or another file, has the words now: then the rule is as true as it was.
func (s *Stale) Moved() bool { return s.Now != "" }

// String says it in one line.
func (s *Stale) String() string {
	return fmt.Sprintf("%s was made of %s: %s", text.OneLine(s.Rule), s.Source, s.Why)
}

// StaleOf are those of rules whose line in the project root has other words now, or is at
// another place. It reads the files that the rules name, and the others that agents read where
// words are gone from these.
func StaleOf(root string, rules []*rule.Rule) []Stale {
	return staleOf(root, rules, func(file string) ([]statement.Statement, string) { return statements(root, file) })
}

// staleOf does that with a function that reads what a file says, or says why it cannot be read.
func staleOf(root string, rules []*rule.Rule, read func(file string) (said []statement.Statement, fault string)) []Stale {
	found := []Stale{}
	said, faults := map[string]*instructions.Sayings{}, map[string]string{} // by file
	others := sync.OnceValue(func() []elsewhere { return forAll(root) })
	for _, r := range rules {
		d := r.Definition()
		if d.Source == "" || d.Quote == "" {
			continue
		}
		s := Stale{Rule: r.Spec().ID, Source: text.OneLine(d.Source), Quote: text.OneLine(d.Quote)}
		file, line := d.Place()
		if said[file] == nil {
			all, fault := read(file)
			said[file], faults[file] = instructions.NewSayings(all), fault
		}
		switch now := said[file].Lines(d.Quote); {
		case slices.Contains(now, line):
			continue
		case len(now) > 0:
			s.Now = fmt.Sprintf("%s:%d", text.OneLine(file), now[0])
			s.Why = fmt.Sprintf("its words are in line %d now", now[0])
		default:
			s.Why = cmp.Or(faults[file], "no line of "+text.OneLine(file)+" says so any more")
			for _, o := range others() {
				if lines := o.said.Lines(d.Quote); len(lines) > 0 {
					s.Now = fmt.Sprintf("%s:%d", text.OneLine(o.file), lines[0])
					s.Why = "its words are in " + s.Now + " now"
					break
				}
			}
		}
		found = append(found, s)
	}
	return found
}

// An elsewhere is a file that words may have moved to.
type elsewhere struct {
	file string
	said *instructions.Sayings
}

// forAll are the files that agents read, and their imports, with what they say of the whole project. A line of a
// part of it says less than a rule that was made for all.
func forAll(root string) (list []elsewhere) {
	files, _ := instructions.Find(root, instructions.Options{})
	for i := range files {
		if f := &files[i]; len(f.Globs)+len(f.Excluded) == 0 {
			list = append(list, elsewhere{f.Path, instructions.NewSayings(statement.Of(f))})
		}
	}
	return list
}

// stale notes in the report which rules come from lines that are not what they were, and at
// the statements what was made of them when they had other words.
func (r *Reader) stale(out *Report) {
	out.Stale, out.Moved = []Stale{}, []Stale{}
	for _, s := range staleOf(r.root, r.rules, r.said) {
		if s.Moved() {
			out.Moved = append(out.Moved, s)
			continue
		}
		out.Stale = append(out.Stale, s)
		if now := out.changed(&s); now != nil {
			now.Stale = append(now.Stale, s.Rule)
		}
	}
}

// said are the statements of a file, which was perhaps read for the report.
func (r *Reader) said(file string) ([]statement.Statement, string) {
	if said, known := r.read[file]; known {
		return said, ""
	}
	return statements(r.root, file)
}

// changed is the statement that a stale rule was made of when it had other words: the one
// on its line, if that still has most of them; nil where none is known.
func (r *Report) changed(s *Stale) *Statement {
	file, line := (&rule.Definition{Source: s.Source}).Place()
	for i := range r.Files {
		if r.Files[i].Path != file {
			continue
		}
		all := r.Files[i].Statements
		at := slices.IndexFunc(all, func(o Statement) bool { return line >= o.Line && line <= o.EndLine && alike(s.Quote, o.Text) })
		if at < 0 {
			return nil
		}
		return &all[at]
	}
	return nil
}

// alike reports whether a text has half of the words of another one or more.
func alike(was, is string) bool {
	words, same := strings.Fields(strings.ToLower(was)), 0
	now := strings.Fields(strings.ToLower(is))
	for _, w := range words {
		if slices.Contains(now, w) {
			same++
		}
	}
	return 2*same >= len(words)
}

// Follow notes in the rules of a folder where the words are now that they come from. It
// returns the files that it changed.
func Follow(f *project.Folder) (changed []string, err error) {
	byID := map[string]*rule.Rule{}
	for _, r := range f.Written() {
		byID[r.Spec().ID] = r
	}
	for _, s := range StaleOf(f.Root, f.Written()) {
		if !s.Moved() {
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

// statements are what a file says, or fault says why that is not known. A file that is not in the project
// says nothing.
func statements(root, file string) (said []statement.Statement, fault string) {
	if !filepath.IsLocal(filepath.FromSlash(file)) {
		return nil, ""
	}
	files, problems := instructions.Find(root, instructions.Options{Names: []string{file}})
	for i := range files {
		if files[i].Path == file { // and no import of it
			return statement.Of(&files[i]), ""
		}
	}
	if len(problems) == 0 {
		return nil, ""
	}
	if message := text.OneLine(problems[0].Message); !strings.HasPrefix(message, text.OneLine(file)) {
		return nil, text.OneLine(file) + " " + message
	}
	return nil, text.OneLine(problems[0].Message)
}
