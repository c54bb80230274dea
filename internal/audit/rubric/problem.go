package rubric

import (
	"fmt"
	"strings"
)

// Problem is what is wrong with a rubric, or doubtful.
type Problem struct {
	Line   int    // 1 is the first; 0 when it is about the whole
	Column int    // in characters, 1 is the first; 0 when the line says enough
	Error  bool   // the rubric cannot be used; else it is a warning, and the rubric means what Text says
	Text   string // what is wrong and what to write instead
}

// In returns "name:line:column: text", leaving out what is 0. name is the file's.
func (p Problem) In(name string) string {
	switch {
	case p.Line == 0:
		return fmt.Sprintf("%s: %s", name, p.Text)
	case p.Column == 0:
		return fmt.Sprintf("%s:%d: %s", name, p.Line, p.Text)
	}
	return fmt.Sprintf("%s:%d:%d: %s", name, p.Line, p.Column, p.Text)
}

// InvalidError says that a rubric cannot be used.
type InvalidError struct {
	Name     string    // of the file
	Problems []Problem // errors and warnings, in the order of the text
}

// Error returns the errors, a line each, with file, line and column.
func (e *InvalidError) Error() string {
	lines := []string{"rubric: " + e.Name + " cannot be used"}
	for _, p := range e.Problems {
		if p.Error {
			lines = append(lines, p.In(e.Name))
		}
	}
	return strings.Join(lines, "\n")
}
