package contextacc

import (
	"strings"
	"unicode/utf8"

	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/internal/transcript"
)

// sessionChars bounds the new part of a session that the model gets, in characters.
// Together with a summary of 150 words and the answer it fits the 4,096 tokens that
// a local model has by default.
const sessionChars = 7000

// news is the part of a session since the last summary, in constant memory: its
// beginning, which has the user's wish, its end, which has the state of the work,
// and between them the user's words and the errors.
type news struct {
	events int
	shown  *transcript.Selection
}

func newNews() *news { return &news{shown: transcript.NewSelection(sessionChars)} }

func (n *news) add(e transcript.Entry) {
	n.events++
	n.shown.Add(e)
}

// text is the part for the model, one event a line, with a note where some are left
// out.
func (n *news) text() string { return text.Clean(strings.Join(n.shown.Lines(), "\n")) }

// cut bounds the summary to max words in all. The longest part is cut first, so that
// none of the three displaces another.
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

// partBytes bounds one part of a summary, for languages without spaces between words.
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
