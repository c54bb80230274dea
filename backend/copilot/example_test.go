package copilot_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/backend/copilot"
)

// Where Copilot is not installed, each question ends with ErrUnavailable: the rule's
// fallback is asked then.
func Example() {
	b := copilot.New(&copilot.Options{Path: "/nowhere/copilot"})
	_, err := b.Complete(context.Background(), sentinel.Request{Prompt: "Does this break the rule?"})
	fmt.Println(errors.Is(err, sentinel.ErrUnavailable))
	// Output: true
}
