package agent

import "github.com/agentsentinel/sentinel/agent/internal/wire"

// Senders returns all agents that take an event for their own: by a mark or, where no
// agent finds one, by another sign. [Registry.Detect] names the first of them; there
// should be no second.
func Senders(stdin []byte) (names []string) {
	ev, err := wire.Parse(stdin)
	if err != nil {
		return nil
	}
	arrived := wire.Arrived(ev)
	for _, known := range []func(*Agent, *wire.Arrival) bool{marked, signed} {
		for _, a := range builtin {
			if known(a, arrived) {
				names = append(names, a.Name)
			}
		}
		if names != nil {
			break
		}
	}
	return names
}
