package prompt

import "strings"

// reasonMax bounds a text that is shown in one line, in characters. A judge's
// reason is asked to be one short sentence.
const reasonMax = 500

// Line makes one line of a text that somebody else wrote, for an agent or a
// person to read: cleaned, white space folded, cut.
func Line(s string) string {
	return fold(middle(fold(Clean(s)), reasonMax)) // the note of a cut stands in lines of its own
}

func fold(s string) string { return strings.Join(strings.Fields(s), " ") }
