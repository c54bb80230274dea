package scribe

// Covers reports whether a convention was dismissed by d.
func (d *Dismissal) Covers(statement, scope, trigger string) bool {
	return d.covers(&Observation{ID: digestOf(normal(statement)), Statement: statement, ScopeHint: scope, TriggerHint: trigger})
}
