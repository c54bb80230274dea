package sentinel

import "context"

// Priority orders those who share one GPU. A smaller value goes first.
type Priority uint8

// P0 to P3 are their names in the documentation and in messages.
const (
	PriorityJudge       Priority = iota // P0: on the critical path of a tool call; never waits
	PrioritySynthesizer                 // P1: advice after a tool has run
	PriorityAccumulator                 // P2: the summary of the session
	PriorityScribe                      // P3: learning and everything else in the background
	PriorityAudit                       // P3 as well, for the many questions of a job that a user waits for: none is given up for the lock
)

// A Lock shares one GPU between processes. It is safe for concurrent use.
//
//  1. ctx bounds the wait; so does the priority's own limit, after which the
//     error is [ErrBusy]. PriorityAudit has none.
//  2. PriorityJudge never waits and never fails because the lock is held. It is announced until unlock is called, and no P2 or P3 starts
//     meanwhile.
//  3. held ends with cause [ErrPreempted] when a P2 or P3 holder should yield.
//  4. unlock is never nil and may be called twice.
//  5. A lower priority never passes a waiting higher one.
//  6. A lock of a process that died is free.
type Lock interface {
	Lock(ctx context.Context, p Priority) (held context.Context, unlock func(), err error)
}
