package capabilities

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
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

// A question that a call can do without has a share of the call's time, and at most this.
const (
	asideShare = 5
	asideMost  = 2 * time.Second
)

// Retry is how long it is remembered that a server did not tell.
const Retry = time.Minute

// NewNotes returns the notes about a server; the arguments are those of [New].
func NewNotes(name string, store Store, now func() time.Time) *Notes {
	if now == nil {
		now = time.Now
	}
	return &Notes{name: name, store: store, now: now, by: make(map[string]note)}
}

// note is a text as it is stored.
type note struct {
	Text  string    `json:"text"`
	Fault string    `json:"fault,omitempty"` // why this is all that is known
	When  time.Time `json:"when"`
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
	n.put(model, note{Text: text, When: n.now()})
	return text, nil
}

// Learn is [Notes.Of] for what a call can do without: ask gets a small part of ctx's time.
// With an error comes what was learned all the same. Both are kept for [Retry], so that a page
// that hangs does not hold each call up, unless the server could not be reached or ctx ended.
func (n *Notes) Learn(ctx context.Context, model string, ask func(context.Context) (string, error)) (string, error) {
	if kept, known := n.get(model); known {
		return kept.Text, kept.err()
	}
	part := asideMost
	if end, limited := ctx.Deadline(); limited {
		part = min(part, time.Until(end)/asideShare)
	}
	short, cancel := context.WithTimeout(ctx, part)
	defer cancel()
	text, err := ask(short)
	kept := note{Text: text, When: n.now()}
	var unreachable net.Error
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return text, err
	case short.Err() != nil:
		kept.Fault = fmt.Sprintf("the server did not tell within %v", part.Round(time.Millisecond))
	case errors.As(err, &unreachable):
		return text, err
	default:
		kept.Fault = err.Error()
	}
	n.put(model, kept)
	return text, kept.err()
}

func (k note) err() error {
	if k.Fault == "" {
		return nil
	}
	return errors.New(k.Fault)
}

// Known returns what is known of a model, and since when.
func (n *Notes) Known(model string) (text string, since time.Time, ok bool) {
	kept, ok := n.get(model)
	return kept.Text, kept.When, ok && kept.Fault == ""
}

func (n *Notes) get(model string) (kept note, ok bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	kept, ok = n.by[model]
	if !ok && n.store != nil && json.Unmarshal(n.store.Load(n.key(model)), &kept) == nil && fresh(n.now(), kept.When) {
		n.by[model], ok = kept, true
	}
	return kept, ok && (kept.Fault == "" || n.now().Sub(kept.When) < Retry)
}

func (n *Notes) put(model string, kept note) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.by[model] = kept
	n.keep(model, kept)
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
