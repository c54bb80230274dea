package capabilities

import (
	"encoding/json"
	"fmt"
	"sync"
	"time"
)

// Notes are texts that a server told about its models, kept as long as a mode. Safe for
// concurrent use.
type Notes struct {
	name  string
	store Store
	now   func() time.Time

	mu sync.Mutex
	by map[string]note
}

// NewNotes returns the notes about a server; the arguments are those of [New].
func NewNotes(name string, store Store, now func() time.Time) *Notes {
	if now == nil {
		now = time.Now
	}
	return &Notes{name: name, store: store, now: now, by: make(map[string]note)}
}

// note is a text as it is stored.
type note struct {
	Text string    `json:"text"`
	When time.Time `json:"when"`
}

// Of returns what is known of a model, asking for it where nothing is. A failure is not
// kept.
func (n *Notes) Of(model string, ask func() (string, error)) (string, error) {
	if text, _, known := n.Known(model); known {
		return text, nil
	}
	text, err := ask() // two callers at once ask twice, and neither waits for the other's time
	if err != nil {
		return "", err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.by[model] = note{text, n.now()}
	n.keep(model, n.by[model])
	return text, nil
}

// Known returns what is known of a model, and since when.
func (n *Notes) Known(model string) (text string, since time.Time, ok bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	kept, ok := n.by[model]
	if !ok && n.store != nil && json.Unmarshal(n.store.Load(n.key(model)), &kept) == nil && fresh(n.now(), kept.When) {
		n.by[model], ok = kept, true
	}
	return kept.Text, kept.When, ok
}

// Forget has a model asked about again.
func (n *Notes) Forget(model string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.by, model)
	n.keep(model, note{})
}

func (n *Notes) keep(model string, kept note) {
	value, err := json.Marshal(kept)
	if n.store == nil || err != nil {
		return
	}
	n.store.Update(n.key(model), func([]byte) []byte { return value }) // a value that is lost is asked for again
}

func (n *Notes) key(model string) string { return fmt.Sprintf("note-1 %q %q", n.name, model) }
