package scribe

import (
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/agentsentinel/sentinel/internal/digest"
)

// The original Python Sentinel keeps observations, dismissals and drafts in the same
// places, in another form: an observation has no id and says whether it was drafted, a
// dismissal has a digest in the place of its statement and one pattern, the evidence
// of a draft is a list, and times are written as Python's isoformat does.

// texts is a text, or a list of texts as the Python Sentinel writes it.
type texts []string

func (t *texts) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		if *t = nil; one != "" {
			*t = texts{one}
		}
		return nil
	}
	var list []string
	err := json.Unmarshal(data, &list)
	*t = list
	return err
}

// String joins the texts in one line.
func (t texts) String() string { return strings.Join(t, "; ") }

// moment is a time in one of the forms of ISO 8601 that Python writes.
type moment struct{ time.Time }

func (m *moment) UnmarshalJSON(data []byte) error {
	var said string
	if err := json.Unmarshal(data, &said); err != nil {
		return err
	}
	if said == "" {
		m.Time = time.Time{}
		return nil
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05", time.DateOnly} {
		if at, err := time.Parse(layout, said); err == nil {
			m.Time = at.UTC()
			return nil
		}
	}
	return errors.New("the time " + sentence(said, maxHint) + " is not in ISO 8601")
}

// pythonSource is the source by its older name too.
func pythonSource(s Source) Source {
	if s == "user_prompt" {
		return UserFeedback
	}
	return s
}

// UnmarshalJSON reads the origin of a draft, and that of a draft of the Python Sentinel.
func (p *Provenance) UnmarshalJSON(data []byte) error {
	type plain Provenance
	var in struct {
		plain
		Evidence    texts  `json:"evidence"`
		FirstSeen   moment `json:"first_seen"`
		Synthesized moment `json:"synthesized"`
		SessionID   string `json:"session_id"`
	}
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	*p = Provenance(in.plain)
	p.Source, p.Evidence, p.FirstSeen = pythonSource(p.Source), in.Evidence.String(), in.FirstSeen.Time
	if p.FirstSeen.IsZero() {
		p.FirstSeen = in.Synthesized.Time
	}
	if p.Session == "" {
		p.Session = in.SessionID
	}
	return nil
}

// pythonObservation is a line of the Python Sentinel as an observation; ok is false if it
// is not one.
func pythonObservation(line []byte) (ob Observation, ok bool) {
	var in struct {
		Time        moment  `json:"ts"`
		Source      Source  `json:"source"`
		SessionID   string  `json:"session_id"`
		Statement   string  `json:"statement"`
		ScopeHint   string  `json:"scope_hint"`
		TriggerHint string  `json:"trigger_hint"`
		Confidence  float64 `json:"confidence"`
		Evidence    texts   `json:"evidence"`
		Drafted     *bool   `json:"drafted"`
	}
	if json.Unmarshal(line, &in) != nil || in.Drafted == nil || normal(in.Statement) == "" {
		return ob, false
	}
	ob = Observation{
		ID: digestOf(normal(in.Statement)), Time: in.Time.Time, State: Observed, Statement: in.Statement,
		ScopeHint: in.ScopeHint, TriggerHint: in.TriggerHint, Confidence: min(max(in.Confidence, 0), 1),
		Evidence: in.Evidence.String(), Source: pythonSource(in.Source), Session: in.SessionID, Seen: 1,
	}
	if *in.Drafted {
		ob.State = Drafted
	}
	return ob, true
}

// UnmarshalJSON reads a dismissal, and one of the Python Sentinel.
func (d *Dismissal) UnmarshalJSON(data []byte) error {
	type plain Dismissal
	var in struct {
		plain
		Time          moment `json:"ts"`
		DismissedAt   moment `json:"dismissed_at"`
		Scope         texts  `json:"scope"`
		StatementHash string `json:"statement_hash"`
	}
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	*d = Dismissal(in.plain)
	d.Time, d.Scope, d.hash = in.Time.Time, in.Scope, in.StatementHash
	if d.Time.IsZero() {
		d.Time = in.DismissedAt.Time
	}
	return nil
}

// covers reports whether a convention was dismissed by d. The Python Sentinel compares
// patterns and triggers, and notes the first 12 digits of the statement's SHA-256.
func (d *Dismissal) covers(ob *Observation) bool {
	if d.hash == "" {
		return d.ID == ob.ID
	}
	if strings.EqualFold(d.hash, digest.Hex(strings.TrimSpace(ob.Statement))[:12]) {
		return true
	}
	return len(d.Scope) == 1 && d.Scope[0] != "" && d.Scope[0] == ob.ScopeHint && d.Trigger == ob.TriggerHint
}
