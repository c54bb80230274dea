package instructions

import (
	"github.com/agentsentinel/sentinel/internal/instructions/statement"
	"github.com/agentsentinel/sentinel/internal/instructions/survey"
)

// Drafts makes the drafts of a statement.
func Drafts(s *statement.Statement, p *survey.Project) []Draft {
	list, _ := drafts(s, p)
	return list
}
