//go:build !unix

package safefile_test

import "testing"

func fifo(t *testing.T, _ string)   { t.Skip("no FIFO here") }
func socket(t *testing.T, _ string) { t.Skip("no socket in a folder here") }
