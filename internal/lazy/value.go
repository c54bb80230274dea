package lazy

import "sync"

// A Value is made when it is first asked for. The zero value is ready, safe for concurrent
// use, and must not be copied after that.
type Value[T any] struct {
	once  sync.Once
	value *T
}

// Get returns the value, which the first call makes by create.
func (v *Value[T]) Get(create func() *T) *T {
	v.once.Do(func() { v.value = create() })
	return v.value
}
