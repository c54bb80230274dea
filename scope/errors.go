package scope

import (
	"fmt"
	"unicode/utf8"
)

// PatternError says what is wrong with a pattern.
type PatternError struct {
	Pattern string
	Offset  int    // in bytes, of the character that is wrong
	Message string // what is wrong and what to write instead
}

// Error returns the message with the pattern and the place in it, counted in
// characters from 1, as editors do.
func (e *PatternError) Error() string {
	at := utf8.RuneCountInString(e.Pattern[:min(e.Offset, len(e.Pattern))])
	return fmt.Sprintf("scope: pattern %q, character %d: %s", e.Pattern, at+1, e.Message)
}
