package instructions

import (
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/instructions/statement"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// cells is a row of a table as a sentence: each cell behind the head of its column.
func cells(s *statement.Statement) sentence.Phrase {
	var parts []string
	for i, cell := range strings.Split(s.Text, "|") {
		head := ""
		if i < len(s.Heads) {
			head = strings.Trim(s.Heads[i], " *_:") + " "
		}
		parts = append(parts, head+strings.TrimSpace(cell))
	}
	p := sentence.NewPhrase(strings.Join(parts, ": "))
	p.Quote = s.Text
	return p
}

var (
	// ofCommands is the head of a column of commands, and someRows a cell of a row that does not
	// always hold.
	ofCommands = lazy.Regexp{Source: `(?i)^[*_ ]*(?:commands?|run|how(?: to run)?)[*_ ]*$`}
	someRows   = lazy.Regexp{Source: `(?i)\b(?:optional\w*|only|if|when|where|unless|for|as needed|slow|manual\w*)\b`}
)

// checksOf are the commands of a row of checks as the sentences that the text above the table makes
// of them: "before committing: run ‹c›".
func checksOf(s *statement.Statement) (list []sentence.Phrase) {
	cells := strings.Split(s.Text, "|")
	for i, cell := range cells {
		code := strings.TrimSpace(cell)
		if i >= len(s.Heads) || !ofCommands.Get().MatchString(s.Heads[i]) || !strings.HasPrefix(code, "`") || !strings.HasSuffix(code, "`") || strings.Count(code, "`") != 2 {
			continue
		}
		if someRows.Get().MatchString(strings.Join(append(cells[:i:i], cells[i+1:]...), "|")) {
			return nil
		}
		for _, lead := range statement.Leads(s) {
			p := sentence.NewPhrase(lead + " run " + code)
			p.Quote = s.Text
			list = append(list, p)
		}
	}
	return list
}

// refusals are the commands of a row that a column forbids, or leaves to the user, as sentences.
func refusals(s *statement.Statement) (list []sentence.Phrase) {
	first, _, _ := strings.Cut(s.Text, "|")
	for _, verb := range s.Refusals() {
		p := sentence.NewPhrase(verb + strings.TrimSpace(first))
		p.Quote = s.Text
		list = append(list, p)
	}
	return list
}
