package install

import "sync/atomic"

const sentinelName = "sentinel"

// ownName is what this program is called, nil for sentinel.
var ownName atomic.Pointer[string]

// SetName says what this program is called, where that is not sentinel: its hook is
// written and recognised by that name, and sentinel's is recognised too. It is
// called once, before anything else here.
func SetName(name string) { ownName.Store(&name) }

// Name is what this program is called.
func Name() string {
	if name := ownName.Load(); name != nil {
		return *name
	}
	return sentinelName
}
