package prompt

import "strings"

// reasonMax bounds a text that is shown in one line, in characters. A judge's
// reason is asked to be one short sentence.
const reasonMax = 500

// OneLine makes one line of a text that may come from anywhere: nothing in it moves
// a terminal's cursor or hides. All of it stays.
func OneLine(s string) string { return fold(Clean(s)) }

// Name makes one line of a name in which each character counts, as those of files,
// commits and branches: line feeds and tabs are shown instead of folded.
func Name(s string) string { return strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(Clean(s)) }

// Line makes one line of a text that somebody else wrote, for an agent or a
// person to read: cleaned, white space folded, cut.
func Line(s string) string {
	return fold(middle(OneLine(s), reasonMax)) // the note of a cut stands in lines of its own
}

func fold(s string) string { return strings.Join(strings.Fields(s), " ") }
