//go:build !windows

package safefile

// LongName is path: short names are Windows' own.
func LongName(path string) string { return path }
