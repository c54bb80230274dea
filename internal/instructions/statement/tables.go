package statement

import (
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/markdown"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

var (
	// permission is the head of a column that says of the command of each row whether it may run.
	permission = lazy.Regexp{Source: `(?i)^[\W_]*(?:(?:is it |are they )?(?:allowed|permitted|permission|ok(?:ay)?|safe)(?: (?:to run|here|for agents))?|(?:may|can)(?: (?:you|agents?|claude|i|we))?(?: (?:run|use))?(?: it)?|policy|rule|when(?: to (?:run|use)(?: it)?)?)[\W_]*$`}
	// refusal is a cell of it that forbids, and consent one that leaves it to the user.
	refusal = lazy.Regexp{Source: `(?i)^[\W_]*(?:never|no|forbidden|prohibited|banned|not allowed|not permitted|disallowed)(?: run(?: it)?)?[\W_]*$|^[\s*]*(?:❌|🚫|⛔|✗|✘)[\s*]*$`}
	consent = lazy.Regexp{Source: `(?i)^[\W_]*(?:ask(?: (?:first|the user|before(?: running)?))*|(?:only )?(?:with|needs|requires) (?:approval|permission|confirmation)|(?:only )?when asked)[\W_]*$`}
	// someTimes is in a cell of a row that does not always hold.
	someTimes = lazy.Regexp{Source: `(?i)\b(?:only|if|when|where|unless|except|outside|for)\b`}
	// onlyCommands is a cell that has names in code and no words.
	onlyCommands = lazy.Regexp{Source: "^[\\s*]*`[^`]+`(?:(?:,| or| and| ?/)? ?`[^`]+`)*[\\s*]*$"}
)

// Refusals returns what a table says about the commands in the first cell of a row: that they must not run, or
// that the user is asked first. It returns none if another cell limits that.
func (s *Statement) Refusals() (verbs []string) {
	cells := strings.Split(s.Text, "|")
	if s.Block != markdown.Row || !onlyCommands.Get().MatchString(cells[0]) {
		return nil
	}
	for i := 1; i < len(cells) && i < len(s.Heads); i++ {
		switch {
		case !permission.Get().MatchString(s.Heads[i]) || someTimes.Get().MatchString(strings.Join(cells[1:i], "|")+strings.Join(cells[i+1:], "|")):
		case refusal.Get().MatchString(cells[i]):
			verbs = append(verbs, "Never run ")
		case consent.Get().MatchString(cells[i]):
			verbs = append(verbs, "Ask before running ")
		}
	}
	return verbs
}
