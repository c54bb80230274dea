// Package learned remembers how servers want to be asked. A server that refuses a
// part of a request is asked again without it; what it took in the end is what the
// next process begins with, for a while, since servers are updated.
package learned

import (
	"encoding/json"
	"fmt"
	"sync"
	"time"
)

// Store keeps small values by name for all processes. It may lose them.
type Store interface {
	Load(name string) []byte
	Update(name string, change func(old []byte) []byte) error
}

// Expiry is after how long a way is found out anew: servers are updated, and take
// then what they refused before.
const Expiry = 7 * 24 * time.Hour

// format is part of every name: the bits of a way have other meanings in another
// version.
const format = "way-1"

// Ways are how one server wants to be asked, by model. Safe for concurrent use.
type Ways struct {
	first uint32
	name  string
	store Store
	now   func() time.Time

	mu sync.Mutex
	by map[string]uint32
}

// New returns the ways of a server. first is the way that is tried when nothing is
// known; name says which server it is, and what of its settings changes the way. A
// nil store keeps what is learned for this value alone.
func New(first uint32, name string, store Store, now func() time.Time) *Ways {
	if now == nil {
		now = time.Now
	}
	return &Ways{first: first, name: name, store: store, now: now, by: make(map[string]uint32)}
}

// kept is a way as it is stored.
type kept struct {
	Way  uint32    `json:"way"`
	When time.Time `json:"when"`
}

// Of returns how a model is to be asked.
func (w *Ways) Of(model string) uint32 {
	w.mu.Lock()
	defer w.mu.Unlock()
	if way, known := w.by[model]; known {
		return way
	}
	way := w.first
	if w.store != nil {
		var k kept
		if json.Unmarshal(w.store.Load(w.key(model)), &k) == nil && w.fresh(k) {
			way = k.Way
		}
	}
	w.by[model] = way
	return way
}

// Learn notes the way in which a model was asked with success.
func (w *Ways) Learn(model string, way uint32) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if old, known := w.by[model]; known && old == way {
		return // the usual case costs nothing
	}
	w.by[model] = way
	if w.store == nil {
		return
	}
	value, err := json.Marshal(kept{way, w.now()})
	if err != nil {
		return // a year beyond 9999: the clock is wrong
	}
	w.store.Update(w.key(model), func([]byte) []byte { return value }) // who cannot keep it learns it again
}

// fresh reports whether a way still counts. One from the future, after the clock
// was set back, does not.
func (w *Ways) fresh(k kept) bool {
	age := w.now().Sub(k.When)
	return age >= 0 && age < Expiry
}

func (w *Ways) key(model string) string {
	return fmt.Sprintf("%s %q %d %q", format, w.name, w.first, model)
}
