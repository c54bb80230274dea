package instructions

import (
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/instructions/statement"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

const (
	// otherWay is the message of a rule that has nothing to do instead, and askFirst that of one which asks.
	otherWay = "Do it in another way, or leave it to the user."
	askFirst = "Ask the user first."
	// sendsBack begins what a rule does that holds at the end of a turn.
	sendsBack = "It sends the agent back at the end of a turn that changed files, until "
)

// beginnings replace that of what a rule does where it stops nothing.
var beginnings = map[string][][2]string{
	"warn": {{"It stops ", "It warns of "}, {sendsBack, "It warns at the end of a turn that changed files, until "}},
	"ask":  {{"It stops ", "It asks about "}},
}

// asItActs makes the message and the description of a rule match its severity.
func asItActs(r *ruletext.Rule) {
	for _, said := range beginnings[r.Severity] {
		if rest, ok := strings.CutPrefix(r.Why, said[0]); ok {
			r.Why = said[1] + rest
			break
		}
	}
	if r.Severity == "ask" {
		r.Message = strings.NewReplacer(otherWay, askFirst, statement.Lowered(otherWay), statement.Lowered(askFirst)).Replace(r.Message)
		r.Message = onRequestFirst.Get().ReplaceAllString(r.Message, askFirst)
	}
}

// onRequestFirst matches a message that says twice that the user decides.
var onRequestFirst = lazy.Regexp{Source: `^Unless [^,]*\b(?:ask|request|instruct|approv|specif|told|explicit|want|say)[a-z]*\b[^,]*, ask the user first\.$`}
