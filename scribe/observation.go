package scribe

import (
	"encoding/json"
	"errors"
	"time"

	"github.com/agentsentinel/sentinel/rule"
)

// State is the state of an observation.
type State string

// The states. An observation begins as Observed and stays so until its draft is
// written or found to be superfluous.
const (
	Observed  State = "observed"
	Drafted   State = "drafted"   // a draft waits for the user
	Redundant State = "redundant" // a rule or another draft covers it
	Dismissed State = "dismissed" // the user does not want it
	Promoted  State = "promoted"  // its draft has become a rule
)

// An Observation is one convention with its origin and its state.
type Observation struct {
	ID    string    `json:"id"` // of its normalised statement
	Time  time.Time `json:"ts"` // when it was first observed
	State State     `json:"state"`

	Statement   string  `json:"statement"`
	ScopeHint   string  `json:"scope_hint,omitempty"`
	TriggerHint string  `json:"trigger_hint,omitempty"`
	Confidence  float64 `json:"confidence"`
	Evidence    string  `json:"evidence"` // a quotation
	Source      Source  `json:"source"`

	Agent    string `json:"agent,omitempty"`
	Session  string `json:"session,omitempty"`  // in which it was observed last
	Document string `json:"document,omitempty"` // from the project's folder
	Model    string `json:"model,omitempty"`    // that found it

	Seen     int    `json:"times_observed"`
	Draft    string `json:"draft,omitempty"`    // id of its draft, later of its rule
	RuleID   string `json:"rule_id,omitempty"`  // the rule that covers it, when redundant
	Reason   string `json:"reason,omitempty"`   // why it is redundant, or has no draft
	Attempts int    `json:"attempts,omitempty"` // answers that made no draft

	// Cases are actions of the same session from which the draft's are chosen.
	Cases *Candidates `json:"cases,omitempty"`
}

// Candidates are actions that were seen near a convention.
type Candidates struct {
	Wrong  []rule.Case `json:"wrong,omitempty"`  // went wrong, were revised or rejected
	Before []rule.Case `json:"before,omitempty"` // were done just before the user's remark
	Right  []rule.Case `json:"right,omitempty"`  // replaced those
	Other  []rule.Case `json:"other,omitempty"`  // the rest, the nearest to the evidence first
}

// A change is a later line about an observation. Only its set fields count.
type change struct {
	ID         string    `json:"id"`
	Changed    time.Time `json:"changed"`
	State      State     `json:"state,omitempty"`
	Seen       int       `json:"times_observed,omitempty"`
	Session    string    `json:"session,omitempty"`
	Confidence float64   `json:"confidence,omitempty"`
	Draft      string    `json:"draft,omitempty"`
	RuleID     string    `json:"rule_id,omitempty"`
	Reason     string    `json:"reason,omitempty"`
	Attempts   int       `json:"attempts,omitempty"`
}

// maxLine bounds one line of the store, in bytes. An observation with all its cases is
// shorter, so a longer line is foreign.
const maxLine = 512 << 10

// apply reads one line of the store into the observations by id. The first line of an
// observation has all fields, each later one the changed ones. Any other line is an
// error and changes nothing.
func apply(line []byte, byID map[string]*Observation) (id string, err error) {
	if len(line) > maxLine {
		return "", errors.New("the line is too long")
	}
	var key struct {
		ID    string `json:"id"`
		State State  `json:"state"`
	}
	if err := json.Unmarshal(line, &key); err != nil {
		return "", err
	}
	if key.ID == "" {
		ob, ok := pythonObservation(line)
		if !ok {
			return "", errors.New("the line is not an observation")
		}
		if byID[ob.ID] == nil {
			byID[ob.ID] = &ob
		}
		return ob.ID, nil
	}
	switch key.State {
	case "", Observed, Drafted, Redundant, Dismissed, Promoted:
	default:
		return "", errors.New("the state is not known")
	}
	old, known := byID[key.ID]
	next := Observation{}
	if known {
		next = *old
	}
	if err := json.Unmarshal(line, &next); err != nil {
		return "", err
	}
	if next.ID == "" || next.ID != digestOf(normal(next.Statement)) || next.State == "" {
		return "", errors.New("the line is not an observation")
	}
	next.Confidence = min(max(next.Confidence, 0), 1)
	next.Seen = max(next.Seen, 1)
	byID[key.ID] = &next
	return key.ID, nil
}
