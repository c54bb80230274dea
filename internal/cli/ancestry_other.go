//go:build !linux

package cli

// ancestry knows nothing of the processes above: the environment of this one has
// to tell.
func ancestry() string { return "" }
