package sentineltest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/agentsentinel/sentinel"
)

// How long the kit waits for a lock. A correct lock never uses these up.
const (
	// granted is within what a free lock must be had.
	granted = 5 * time.Second
	// standsInLine is what the kit gives a waiter to be in line, or a lock that
	// lets the wrong one through to do so; it cannot be seen from outside.
	standsInLine = 100 * time.Millisecond
	// ownLimit is what the kit gives a priority's own limit to end the wait.
	ownLimit = 5 * time.Second
	// started is within what another process must have the lock.
	started = 30 * time.Second
)

// RunLock checks a [sentinel.Lock] against its contract, one subtest a clause.
//
// newLock returns a handle on the lock that lives in the folder dir, the same
// lock each time for the same dir, also in another process: the kit takes two
// handles for two holders. Give the lock limits of its own of about a second for
// each priority but the judge's: the kit waits for one of them to run out, and
// lets others wait for a part of it.
//
// For the clause on dead processes the test binary runs the test that calls
// RunLock again in a process of its own, which takes the lock and is killed. A
// lock that is shared within a process only passes that case.
func RunLock(t *testing.T, newLock func(t *testing.T, dir string) sentinel.Lock) {
	t.Helper()
	if dir := os.Getenv(holderVar); dir != "" {
		holdForEver(t, newLock(t, dir))
		return
	}
	for _, c := range lockCases() {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			open := func() sentinel.Lock { return newLock(t, dir) }
			if err := c.check(t.Context(), open); err != nil {
				t.Errorf("%v\nThe contract: %s", err, c.explanation)
			}
		})
	}
	name := t.Name()
	t.Run("6 dead holder", func(t *testing.T) {
		dir := t.TempDir()
		if err := checkDeadHolder(t, name, dir, func() sentinel.Lock { return newLock(t, dir) }); err != nil {
			t.Errorf("%v\nThe contract: 6. What a dead process held is free.", err)
		}
	})
}

// opener returns another handle on the lock of a case.
type opener func() sentinel.Lock

type lockCase struct {
	name, explanation string
	check             func(context.Context, opener) error
}

func lockCases() []lockCase {
	return []lockCase{
		{"0 exclusive", "A Lock shares one GPU: of those who are no judges one holds it at a time.", checkExclusive},
		{"1 ctx bounds the wait", "1. ctx bounds the wait.", checkLockContext},
		{"1 own limit", "1. The priority's own limit bounds the wait, after which the error is ErrBusy.", checkOwnLimit},
		{"2 judge never waits", "2. PriorityJudge never waits and never fails because somebody else holds the lock.", checkJudgeNeverWaits},
		{"2 judge is announced", "2. A judge is announced until unlock is called, and no P2 or P3 starts meanwhile.", checkJudgeAnnounced},
		{"3 preempted", "3. held ends with cause ErrPreempted when a P2 or P3 holder should give way.", checkPreempted},
		{"4 unlock after failure", "4. unlock is never nil.", checkUnlockNeverNil},
		{"4 unlock twice", "4. unlock may be called twice; the second call takes nothing from the next holder.", checkUnlockTwice},
		{"5 order", "5. A lower priority never passes a waiting higher one.", checkOrder},
	}
}

// hold takes a lock that is free.
func hold(ctx context.Context, l sentinel.Lock, p sentinel.Priority) (held context.Context, unlock func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, granted)
	held, release, err := l.Lock(ctx, p)
	if err != nil {
		cancel()
		return nil, nil, fmt.Errorf("priority P%d did not get a free lock: %w", p, err)
	}
	if held == nil || release == nil {
		cancel()
		return nil, nil, fmt.Errorf("priority P%d got the lock, but held or unlock is nil", p)
	}
	return held, func() { release(); cancel() }, nil
}

// mustWait checks that p does not get the lock while another holder has it.
func mustWait(ctx context.Context, l sentinel.Lock, p sentinel.Priority, because string) error {
	ctx, cancel := context.WithTimeout(ctx, standsInLine)
	defer cancel()
	_, unlock, err := l.Lock(ctx, p)
	if unlock != nil {
		defer unlock()
	}
	if err == nil {
		return fmt.Errorf("priority P%d got the lock while %s", p, because)
	}
	return nil
}

func checkExclusive(ctx context.Context, open opener) error {
	a, b := open(), open()
	for _, holder := range []sentinel.Priority{sentinel.PrioritySynthesizer, sentinel.PriorityAccumulator, sentinel.PriorityScribe} {
		_, unlock, err := hold(ctx, a, holder)
		if err != nil {
			return err
		}
		var errs []error
		for p := sentinel.PrioritySynthesizer; p <= sentinel.PriorityScribe; p++ {
			errs = append(errs, mustWait(ctx, b, p, fmt.Sprintf("P%d held it", holder)))
		}
		unlock()
		if err := errors.Join(errs...); err != nil {
			return err
		}
	}
	_, unlock, err := hold(ctx, b, sentinel.PriorityScribe)
	if err == nil {
		unlock()
	}
	return err
}

func checkLockContext(ctx context.Context, open opener) error {
	_, unlock, err := hold(ctx, open(), sentinel.PrioritySynthesizer)
	if err != nil {
		return err
	}
	defer unlock()
	waiting, cancel := context.WithCancel(ctx)
	cancel()
	return within(promptly, func() error {
		_, unlock, err := open().Lock(waiting, sentinel.PriorityScribe)
		if unlock != nil {
			unlock()
		}
		if !errors.Is(err, context.Canceled) {
			return fmt.Errorf("with a context that had ended Lock returned %v, which does not wrap %q", err, context.Canceled)
		}
		return nil
	})
}

func checkOwnLimit(ctx context.Context, open opener) error {
	_, unlock, err := hold(ctx, open(), sentinel.PrioritySynthesizer)
	if err != nil {
		return err
	}
	defer unlock()
	err = within(ownLimit, func() error {
		_, unlock, err := open().Lock(ctx, sentinel.PrioritySynthesizer)
		if unlock != nil {
			unlock()
		}
		if !errors.Is(err, sentinel.ErrBusy) {
			return fmt.Errorf("after waiting for a held lock Lock returned %v, which is not ErrBusy", err)
		}
		return nil
	})
	return err
}

func checkJudgeNeverWaits(ctx context.Context, open opener) error {
	for _, holder := range []sentinel.Priority{sentinel.PriorityJudge, sentinel.PrioritySynthesizer, sentinel.PriorityScribe} {
		_, unlock, err := hold(ctx, open(), holder)
		if err != nil {
			return err
		}
		err = within(promptly, func() error {
			_, unlockJudge, err := open().Lock(ctx, sentinel.PriorityJudge)
			if unlockJudge != nil {
				unlockJudge()
			}
			return err
		})
		unlock()
		if err != nil {
			return fmt.Errorf("while P%d held the lock, a judge: %w", holder, err)
		}
	}
	return nil
}

func checkJudgeAnnounced(ctx context.Context, open opener) error {
	_, unlock, err := hold(ctx, open(), sentinel.PriorityJudge)
	if err != nil {
		return err
	}
	_, unlockSecond, err := hold(ctx, open(), sentinel.PriorityJudge)
	if err != nil {
		unlock()
		return err
	}
	unlock()
	err = errors.Join(
		mustWait(ctx, open(), sentinel.PriorityAccumulator, "a judge was announced"),
		mustWait(ctx, open(), sentinel.PriorityScribe, "a judge was announced"))
	unlockSecond()
	if err != nil {
		return err
	}
	_, unlock, err = hold(ctx, open(), sentinel.PriorityScribe)
	if err == nil {
		unlock()
	}
	return err
}

func checkPreempted(ctx context.Context, open opener) error {
	for _, p := range []sentinel.Priority{sentinel.PriorityAccumulator, sentinel.PriorityScribe} {
		held, unlock, err := hold(ctx, open(), p)
		if err != nil {
			return err
		}
		if cause := context.Cause(held); cause != nil {
			unlock()
			return fmt.Errorf("before any judge came, held of P%d had ended: %w", p, cause)
		}
		_, unlockJudge, err := hold(ctx, open(), sentinel.PriorityJudge)
		if err != nil {
			unlock()
			return nil // the case for clause 2 reports it
		}
		err = within(promptly, func() error { <-held.Done(); return nil })
		cause := context.Cause(held)
		unlockJudge()
		unlock()
		if err != nil {
			return fmt.Errorf("a judge came, and held of P%d did not end: %w", p, err)
		}
		if !errors.Is(cause, sentinel.ErrPreempted) {
			return fmt.Errorf("a judge came, and held of P%d ended with cause %q, not ErrPreempted", p, cause)
		}
	}
	return nil
}

func checkUnlockNeverNil(ctx context.Context, open opener) error {
	_, unlock, err := hold(ctx, open(), sentinel.PrioritySynthesizer)
	if err != nil {
		return err
	}
	defer unlock()
	waiting, cancel := context.WithCancel(ctx)
	cancel()
	return within(promptly, func() error {
		_, unlock, err := open().Lock(waiting, sentinel.PriorityScribe)
		if unlock == nil {
			return fmt.Errorf("with the error %v Lock returned a nil unlock", err)
		}
		unlock()
		return nil
	})
}

func checkUnlockTwice(ctx context.Context, open opener) error {
	first, second, third := open(), open(), open()
	_, unlockFirst, err := hold(ctx, first, sentinel.PrioritySynthesizer)
	if err != nil {
		return err
	}
	unlockFirst()
	_, unlockSecond, err := hold(ctx, second, sentinel.PrioritySynthesizer)
	if err != nil {
		return err
	}
	defer unlockSecond()
	unlockFirst()
	return mustWait(ctx, third, sentinel.PriorityScribe, "another held it, whose lock a second unlock of the one before gave away")
}

// checkOrder has two rounds of three come out wrong before it blames: on a busy
// machine the higher one may not be in line yet.
func checkOrder(ctx context.Context, open opener) error {
	var wrong []error
	for range 3 {
		if err := orderOnce(ctx, open); err != nil {
			wrong = append(wrong, err)
		}
	}
	if len(wrong) > 1 {
		return wrong[0]
	}
	return nil
}

// orderOnce has a P3 and then a P1 wait for a lock and looks who gets it first.
func orderOnce(ctx context.Context, open opener) error {
	_, unlock, err := hold(ctx, open(), sentinel.PrioritySynthesizer)
	if err != nil {
		return err
	}
	type turn struct {
		priority sentinel.Priority
		err      error
	}
	turns := make(chan turn, 2)
	wait := func(p sentinel.Priority) {
		ctx, cancel := context.WithTimeout(ctx, granted)
		defer cancel()
		_, unlock, err := open().Lock(ctx, p)
		turns <- turn{p, err}
		if unlock != nil {
			unlock()
		}
	}
	go wait(sentinel.PriorityScribe)
	<-time.After(standsInLine)
	go wait(sentinel.PrioritySynthesizer)
	<-time.After(standsInLine)
	unlock()

	first, second := <-turns, <-turns
	switch {
	case first.err != nil || second.err != nil:
		return fmt.Errorf("of two who waited not both got the lock: P%d: %v, P%d: %v", first.priority, first.err, second.priority, second.err)
	case first.priority != sentinel.PrioritySynthesizer:
		return errors.New("priority P3 got the lock before a P1 that was waiting")
	}
	return nil
}

// holderVar names, to the process that is going to be killed, the folder of the
// lock that it has to take.
const holderVar = "SENTINELTEST_LOCK_DIR"

// holding is what that process prints when it has the lock.
const holding = "sentineltest: holding"

// holdForEver is what that process does.
func holdForEver(t *testing.T, l sentinel.Lock) {
	_, _, err := l.Lock(t.Context(), sentinel.PrioritySynthesizer)
	fmt.Println(holding, err)
	_, _ = io.Copy(io.Discard, os.Stdin) // until it is killed, or the parent is
}

func checkDeadHolder(t *testing.T, test, dir string, open opener) error {
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run="+exactly(test), "-test.count=1")
	cmd.Env = append(os.Environ(), holderVar+"="+dir)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	defer stdin.Close()
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	err = awaitHolder(stdout)
	_ = cmd.Process.Kill()
	_ = cmd.Wait() // it was killed, and says so
	if err != nil {
		return err
	}
	_, unlock, err := hold(t.Context(), open(), sentinel.PrioritySynthesizer)
	if err != nil {
		return fmt.Errorf("after its holder was killed: %w", err)
	}
	unlock()
	return nil
}

// awaitHolder reads what the other process prints until it has the lock.
func awaitHolder(stdout io.Reader) error {
	return within(started, func() error {
		lines := bufio.NewScanner(stdout)
		for lines.Scan() {
			if says, ok := strings.CutPrefix(lines.Text(), holding); ok {
				if says != " <nil>" {
					return fmt.Errorf("in another process P1 did not get a free lock:%s", says)
				}
				return nil
			}
		}
		return fmt.Errorf("the process that was to hold the lock ended: %v", lines.Err())
	})
}

// exactly is a pattern for go test that runs this one test.
func exactly(test string) string {
	parts := strings.Split(test, "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	return strings.Join(parts, "/")
}
