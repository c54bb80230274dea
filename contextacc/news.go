package contextacc

import (
	"strings"
	"unicode/utf8"

	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/internal/transcript"
)

// sessionChars is how much of what is new the model is shown, in characters.
// Together with a summary of 150 words and the answer it fits the 4,096 tokens that
// a local model has by default.
const sessionChars = 7000

// news is what has come since the last summary, in constant memory: its beginning,
// where a person's wish stands, its end, where the work stands, and between them
// what a person said and what went wrong.
type news struct {
	events int
	shown  *transcript.Selection
}

func newNews() *news { return &news{shown: transcript.NewSelection(sessionChars)} }

func (n *news) add(e transcript.Entry) {
	n.events++
	n.shown.Add(e)
}

// text is what the model sees, one event a line, with a note where some were left
// out.
func (n *news) text() string { return text.Clean(strings.Join(n.shown.Lines(), "\n")) }

// cut bounds the summary to max words in all. What is longest gives way first, so
// that none of the three is lost to another.
func (s Summary) cut(max int) Summary {
	parts := [...]*string{&s.TaskScope, &s.Progress, &s.CurrentFocus}
	var split [len(parts)][]string
	for i, p := range parts {
		split[i] = strings.Fields(*p)
	}
	keep := share(split[:], max)
	for i, p := range parts {
		*p = strings.Join(split[i][:min(keep, len(split[i]))], " ")
		if keep < len(split[i]) && *p != "" {
			*p += " …"
		}
		*p = bounded(*p)
	}
	return s
}

// share is the largest number of words of each part with which all of them
// together have at most limit.
func share(parts [][]string, limit int) int {
	keep := 0
	for {
		sum, longest := 0, 0
		for _, p := range parts {
			sum += min(len(p), keep+1)
			longest = max(longest, len(p))
		}
		if sum > limit || keep >= longest {
			return keep
		}
		keep++
	}
}

// partBytes bounds one part of a summary whose words have no spaces between them.
const partBytes = 4000

func bounded(s string) string {
	if len(s) <= partBytes {
		return s
	}
	end := partBytes
	for !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + " …"
}
