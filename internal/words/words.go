// Package words makes small parts of sentences: numbers with their nouns, and texts
// that depend on a condition.
package words

import (
	"strconv"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/prompt"
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
func Cut(text string, most int) string {
	r := []rune(prompt.OneLine(text))
	if len(r) <= most {
		return string(r)
	}
	return string(r[:most-1]) + "…"
}

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
	return prompt.OneLine(p.Error())
}
