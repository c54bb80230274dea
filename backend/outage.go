package backend

import "time"

// An Outage is what a [Breaker] keeps of a backend's failures, for display.
type Outage struct {
	Failures int       `json:"failures"`       // calls in a row that got no answer
	Since    time.Time `json:"since"`          // the first of them
	Until    time.Time `json:"until"`          // left alone until then; zero while the backend is only suspected
	Late     int       `json:"late,omitempty"` // questions in a row whose time ran out, whether or not pings were answered between them
	Reason   string    `json:"reason"`         // of the last one; it may be a server's words
}

// OutageOf returns what the breaker of that name knows of a model; ok is false
// when it knows of no failure. name and model are those of [Breaker] and of the
// requests that it saw. Nothing is changed.
func OutageOf(state Shared, name, model string) (o Outage, ok bool) {
	s := decodeOutage(state.Load(name + "\x00" + model))
	return s, s.Failures > 0
}
