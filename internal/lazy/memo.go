package lazy

import "sync"

// A Memo keeps what a function makes of a text, for texts that come again. It forgets all
// when it is full. Declared with its bounds it is data; it is safe for concurrent use, and
// must not be copied. What it returns must not be changed.
type Memo[T any] struct {
	Texts int // that are kept
	Bytes int // of the longest one that is kept

	mu   sync.Mutex
	kept map[string]T
}

// Get returns what make makes of a text. An error is not kept.
func (m *Memo[T]) Get(text string, make func(string) (T, error)) (T, error) {
	m.mu.Lock()
	value, known := m.kept[text]
	m.mu.Unlock()
	if known {
		return value, nil
	}
	value, err := make(text)
	if err != nil || len(text) > m.Bytes {
		return value, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.kept == nil || len(m.kept) >= m.Texts {
		m.kept = map[string]T{}
	}
	m.kept[text] = value
	return value, nil
}
