package rule

import "fmt"

// A Problem is a fault in a file that a user wrote: a rule, a configuration.
type Problem struct {
	File    string // relative to the project where it is inside it
	Line    int    // 1 is the first; 0 when the fault has no place
	Column  int    // in characters, 1 is the first; 0 when the line says enough
	Message string // what is wrong and what to write instead
	Warning bool   // the file still means what it says; lint shows it, nothing fails
}

// Error returns "file:line:column: message", leaving out what is 0.
func (p Problem) Error() string {
	switch {
	case p.Line == 0:
		return fmt.Sprintf("%s: %s", p.File, p.Message)
	case p.Column == 0:
		return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Message)
	}
	return fmt.Sprintf("%s:%d:%d: %s", p.File, p.Line, p.Column, p.Message)
}
