package cli_test

import "github.com/rogpeppe/go-internal/testscript"

func cmdMkfifo(ts *testscript.TestScript, neg bool, args []string) {
	ts.Fatalf("there are no FIFOs in folders here")
}
