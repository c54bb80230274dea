package state_test

import "testing"

func fullTask(t *testing.T, _ string, _ []string) { t.Skip("no limit on the size of files") }
