package text

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// lineMax bounds a text that is shown in one line, in characters. A judge's
// reason is asked to be one short sentence.
const lineMax = 500

// Command is a command line for a sentence: what the user types to start program, ""
// for sentinel, with words after it.
func Command(program, words string) string { return cmp.Or(program, "sentinel") + " " + words }

// Fold puts one space for each run of white space in s, and none at its ends.
func Fold(s string) string { return strings.Join(strings.Fields(s), " ") }

// OneLine makes one line of a text from anywhere: cleaned, white space folded.
// It cuts nothing.
func OneLine(s string) string { return Fold(Clean(s)) }

// Name makes one line of a name in which each character counts, as those of files,
// commits and branches: line feeds and tabs are shown instead of folded.
func Name(s string) string { return ShowBreaks(Clean(s)) }

// ShowBreaks shows line feeds and tabs as \n and \t.
func ShowBreaks(s string) string { return strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(s) }

// Line makes one line of at most 500 characters: cleaned, white space folded, the
// middle cut out.
func Line(s string) string {
	return Fold(Middle(OneLine(s), lineMax)) // Middle puts its note on a line of its own
}

// Cut bounds s to limit characters; the last one of a cut text is an ellipsis. A
// limit below 1 counts as 1.
func Cut(s string, limit int) string {
	limit = max(limit, 1)
	if len(s) <= limit {
		return s
	}
	n, last := 0, 0 // last is where the last character that may stay begins
	for i := range s {
		if n++; n == limit {
			last = i
		} else if n > limit {
			return s[:last] + "…"
		}
	}
	return s
}

// CutNoted bounds s to limit characters; a cut text ends with how many more there
// were. A limit below 41 counts as 41.
func CutNoted(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	limit = max(limit, noteRoom+1)
	n := utf8.RuneCountInString(s)
	if n <= limit {
		return s
	}
	keep, runes := limit-noteRoom, 0
	for i := range s {
		if runes == keep {
			return s[:i] + fmt.Sprintf(" … [%d more characters]", n-keep)
		}
		runes++
	}
	return s
}

// noteRoom is what the note about a cut takes at most, in characters.
const noteRoom = 40

// CutBytes bounds s to limit bytes and breaks no character. It adds nothing.
func CutBytes(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
}

// ClipBytes bounds s to limit bytes; a cut text ends in an ellipsis.
func ClipBytes(s string, limit int) string {
	const more = "…"
	if len(s) <= limit {
		return s
	}
	return CutBytes(s, limit-len(more)) + more
}

// Count is a number of things, as in "1 rule" and "2 rules".
func Count(n int, thing string) string { return Plural(n, thing, thing+"s") }

// Plural is a number of things whose plural is not made with an s.
func Plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// Thousands writes n with a comma before each three digits.
func Thousands(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Many is [Count] with a comma before each three digits.
func Many(n int64, thing string) string { return Thousands(n) + " " + thing + When(n != 1, "s") }

// Join joins the sentences that are not empty.
func Join(sentences ...string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(sentences), func(s string) bool { return s == "" }), " ")
}

// When is s if something holds, else "".
func When(holds bool, s string) string {
	if holds {
		return s
	}
	return ""
}

// Unless is s if something does not hold, else "".
func Unless(holds bool, s string) string { return When(!holds, s) }

// After is s behind a lead, and "" for "".
func After(lead, s string) string { return When(s != "", lead+s) }

// Truth is what an expression came to: "true", "false", or the error in one line.
func Truth(holds bool, err error) string {
	switch {
	case err != nil:
		return OneLine(err.Error())
	case holds:
		return "true"
	}
	return "false"
}

// Stamp is a time in JSON, to the second and in UTC; "" for none.
func Stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}
