package instructions

import "github.com/agentsentinel/sentinel/internal/instructions/survey"

// shows is what the statement's file shows; ok is false for a file that was not surveyed.
func (b *builder) shows() (s survey.Shows, ok bool) {
	if b.p != nil {
		s, ok = b.p.Shown[b.s.File]
	}
	return s, ok
}
