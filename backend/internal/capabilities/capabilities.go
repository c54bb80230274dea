// Package capabilities remembers what servers accept. A server that refuses a part of
// a request is asked again without it. The mode that it accepted is what the next
// process begins with, for a while, because servers are updated.
package capabilities

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

// Expiry is how long a mode is remembered. An updated server may accept more.
const Expiry = 7 * 24 * time.Hour

// format is part of every name: the bits of a mode have other meanings in another
// version.
const format = "way-1"

// Modes are the modes in which the models of one server are asked. A mode is a set of
// bits, whose meaning is the backend's. Safe for concurrent use.
type Modes struct {
	first uint32
	name  string
	store Store
	now   func() time.Time

	mu sync.Mutex
	by map[string]uint32
}

// New returns the modes of a server. first is tried when nothing is known; name
// identifies the server and those of its settings that change the mode. A nil store
// remembers for this value alone.
func New(first uint32, name string, store Store, now func() time.Time) *Modes {
	if now == nil {
		now = time.Now
	}
	return &Modes{first: first, name: name, store: store, now: now, by: make(map[string]uint32)}
}

// storedMode is a mode as it is stored.
type storedMode struct {
	Mode uint32    `json:"way"`
	When time.Time `json:"when"`
}

// Of returns the mode in which a model is to be asked.
func (m *Modes) Of(model string) uint32 {
	m.mu.Lock()
	defer m.mu.Unlock()
	if mode, known := m.by[model]; known {
		return mode
	}
	mode := m.first
	if m.store != nil {
		var k storedMode
		if json.Unmarshal(m.store.Load(m.key(model)), &k) == nil && fresh(m.now(), k.When) {
			mode = k.Mode
		}
	}
	m.by[model] = mode
	return mode
}

// Learn notes the mode in which a model was asked with success.
func (m *Modes) Learn(model string, mode uint32) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if old, known := m.by[model]; known && old == mode {
		return // the usual case costs nothing
	}
	m.by[model] = mode
	if m.store == nil {
		return
	}
	value, err := json.Marshal(storedMode{mode, m.now()})
	if err != nil {
		return // a year beyond 9999: the clock is wrong
	}
	m.store.Update(m.key(model), func([]byte) []byte { return value }) // a value that is lost is learned again
}

// fresh reports whether what was learned at a time still counts. What is from the
// future does not: the clock was set back.
func fresh(now, when time.Time) bool {
	age := now.Sub(when)
	return age >= 0 && age < Expiry
}

func (m *Modes) key(model string) string {
	return fmt.Sprintf("%s %q %d %q", format, m.name, m.first, model)
}
