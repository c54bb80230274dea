package gpulock_test

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/gpulock"
)

// The scribe uses the GPU until a judge comes.
func Example() {
	root, err := os.MkdirTemp("", "project")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(root)
	ctx := context.Background()
	lock := gpulock.New(gpulock.SessionPath(root, "2f1c"), nil)

	held, unlock, err := lock.Lock(ctx, sentinel.PriorityScribe)
	fmt.Println("scribe:", err)

	_, unlockJudge, err := lock.Lock(ctx, sentinel.PriorityJudge) // in another process, as a rule
	fmt.Println("judge:", err)

	<-held.Done() // the scribe's request goes with it
	fmt.Println("scribe:", errors.Is(context.Cause(held), sentinel.ErrPreempted))
	unlock()
	unlockJudge()
	// Output:
	// scribe: <nil>
	// judge: <nil>
	// scribe: true
}
