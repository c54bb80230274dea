// Package exit has the exit statuses of the commands and of the hook.
package exit

import "fmt"

// Exit statuses. Those of one command alone are in that command.
const (
	OK    = 0
	Error = 1 // of the program, or of how it was called
	Block = 2 // something is stopped; agents that know statuses stop the call

	// NotJudged says that nothing is wrong as far as could be judged, and that something
	// could not.
	NotJudged = 3
)

// Status is an exit status as an error without a message: what there was to say has been
// printed.
type Status int

func (s Status) Error() string { return fmt.Sprintf("exit status %d", int(s)) }
