package project

import (
	"path/filepath"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/state"
)

// adviceRepeat is how long an info rule does not repeat the same text. A warning
// is not repeated in the whole session.
const adviceRepeat = 30 * time.Second

// given reports whether a text of a rule was given to a session already, and
// remembers it; nil if nothing can be kept.
func (o *Options) given(session string) func(*sentinel.RuleSpec, string) bool {
	if o.StateDir == "" || o.NoLog {
		return nil
	}
	store := o.givenTexts()
	return func(r *sentinel.RuleSpec, text string) bool {
		within := time.Duration(0)
		if r.Severity == sentinel.SeverityInfo {
			within = adviceRepeat
		}
		return store.Repeated(session, r.ID, text, within)
	}
}

func (o *Options) givenTexts() *state.Given {
	return state.NewGiven(filepath.Join(o.StateDir, "told"), o.Now)
}
