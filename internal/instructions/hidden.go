package instructions

import (
	"fmt"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/markdown"
	"github.com/agentsentinel/sentinel/internal/instructions/statement"
	"github.com/agentsentinel/sentinel/internal/lazy"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/rule"
)

// maxHidden bounds the places of hidden text that are named for one file.
const maxHidden = 20

// Hidden lists the places of a file where text is that a reader does not see or that
// is meant for a program: characters without ink, comments, and orders to the program that
// makes rules of the file. No statement and no draft comes from them.
func Hidden(f *statement.File) (found []rule.Problem) {
	more := 0
	note := func(line int, message string) {
		if len(found) == maxHidden {
			more++
			return
		}
		found = append(found, rule.Problem{File: f.Path, Line: line, Warning: true, Message: message})
	}
	for i, l := range markdown.Scan(f.Text) {
		switch {
		case l.Invisible:
			note(i+1, "has characters that cannot be seen, and makes no draft: "+text.Cut(text.OneLine(l.Raw), maxShown))
		case strings.Count(l.Hidden, " ") > 1:
			note(i+1, "has text that a page does not show, and makes no draft: "+text.Cut(text.OneLine(l.Hidden), maxShown))
		case order.Get().MatchString(l.Shown):
			note(i+1, "tells whoever makes rules of this file what to do, and makes no draft: "+text.Cut(text.OneLine(l.Shown), maxShown))
		}
	}
	if more > 0 {
		note(0, "")
		found[len(found)-1] = rule.Problem{File: f.Path, Warning: true, Message: fmt.Sprintf("has %d more places with hidden text", more+1)}
	}
	return found
}

// maxShown bounds how much of a hidden text is shown, in characters.
const maxShown = 120

// order is a sentence that is about rules, drafts and those who make them, and wants less of them.
var order = lazy.Regexp{Source: `(?i)\b(ignore|disregard|forget)\b.{0,30}\b(previous|prior|above|earlier|other) (instructions?|rules?|prompts?)\b` +
	`|\b(draft|drafts|sentinel|rule file|hooks?)\b.{0,60}\b(allows?|permits?|disables?|passes|approves?|weakens?|switch(es)? off|turns? off)\b` +
	`|\b(allow|permit|approve|disable|weaken|skip|turn off|switch off)\b.{0,40}\b(everything|sentinel|every (rule|draft)|all (rules|drafts|hooks))\b`}
