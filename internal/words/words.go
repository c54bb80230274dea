// Package words makes small parts of sentences: numbers with their nouns, and texts
// that depend on a condition.
package words

import (
	"strconv"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/text"
)

// Unless is text unless all is fine.
func Unless(fine bool, text string) string {
	if fine {
		return ""
	}
	return text
}

// After is text behind what introduces it, and "" for "".
func After(lead, text string) string {
	if text == "" {
		return ""
	}
	return lead + text
}

// When is text if something holds.
func When(holds bool, text string) string { return Unless(!holds, text) }

// Cut is the beginning of a text in one line.
func Cut(s string, most int) string { return text.Cut(text.OneLine(s), most) }

// Count is a number of things.
func Count(n int, what string) string {
	return strconv.Itoa(n) + " " + what + Unless(n == 1, "s")
}

// Many is a number of things, with the thousands apart.
func Many(n int64, what string) string {
	return Grouped(n) + " " + what + Unless(n == 1, "s")
}

// Grouped is a number with the thousands apart.
func Grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Problem is a problem in one line.
func Problem(p sentinel.Problem) string {
	if p.Warning {
		p.Message = "warning: " + p.Message
	}
	return text.OneLine(p.Error())
}
