package hook

// Senders returns all agents that take an event for their own. [Detect] names the
// first of them; there should be no second.
func Senders(stdin []byte) (names []string) {
	ev, err := parsePayload(stdin)
	if err != nil {
		return nil
	}
	for _, p := range protocols() {
		if p.sends(ev) {
			names = append(names, p.Name())
		}
	}
	return names
}
