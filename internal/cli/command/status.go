package command

import "fmt"

// Exit statuses.
const (
	ExitOK    = 0
	ExitError = 1
	ExitBlock = 2
)

// Status is an exit status without a message: what there was to say has been
// printed.
type Status int

func (s Status) Error() string { return fmt.Sprintf("exit status %d", int(s)) }
