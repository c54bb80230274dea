package instructions

import "sync"

// Bounds of a memo: texts, and the bytes of one that is kept.
const (
	maxKept     = 4096
	maxKeptText = 2 << 10
)

// A memo keeps what a function makes of a text: headings and leads are read again for each line
// below them. It is safe for concurrent use. What it keeps must not be changed.
type memo[T any] struct {
	mu   sync.Mutex
	kept map[string]T
}

// of is what the function makes of a text.
func (m *memo[T]) of(text string, read func(string) T) T {
	if len(text) > maxKeptText {
		return read(text)
	}
	m.mu.Lock()
	value, known := m.kept[text]
	m.mu.Unlock()
	if known {
		return value
	}
	value = read(text)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.kept == nil || len(m.kept) >= maxKept {
		m.kept = map[string]T{}
	}
	m.kept[text] = value
	return value
}
