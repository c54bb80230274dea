//go:build !linux

package person

// Ancestry knows nothing of the processes above: the environment of this one has
// to tell.
func Ancestry() string { return "" }
