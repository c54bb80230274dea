package gpulock_test

import (
	"bufio"
	"context"
	"encoding/binary"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/gpulock"
)

// patient keeps all waiters from giving up while a test goes on.
func patient() *gpulock.Options {
	return &gpulock.Options{Waits: gpulock.Waits{Synthesizer: time.Hour, Accumulator: time.Hour, Scribe: time.Hour}}
}

// Fifty processes fight for the lock and are killed, some while they hold it,
// some while they wait, judges while they are announced. There are never two
// holders, the lock is always passed on, and nothing stays behind.
func TestKilledProcesses(t *testing.T) {
	t.Parallel()
	const processes = 50
	dir := t.TempDir()
	path, proof := filepath.Join(dir, "ollama.lock"), filepath.Join(dir, "proof")
	require.NoError(t, os.WriteFile(proof, make([]byte, 16), 0o600))

	var workers [processes]*player
	for i := range workers {
		workers[i] = start(t, "worker", path, proof, strconv.Itoa(i))
	}
	var rounds, inHold atomic.Int32
	var all sync.WaitGroup
	for i, p := range workers {
		all.Go(func() {
			p.tell("go") // all at once
			random := rand.New(rand.NewPCG(uint64(i), 2))
			for {
				says := p.hear()
				rounds.Add(1)
				switch {
				case says == "holding":
					p.kill()
					inHold.Add(1)
					return
				case says != "round":
					t.Errorf("process %d: %q", i, says)
					return
				case random.IntN(20) == 0:
					p.kill()
					return
				}
			}
		})
	}
	all.Wait()
	t.Logf("in %d rounds %d died while they held the lock, the others at some other moment", rounds.Load(), inHold.Load())

	lock := gpulock.New(path, patient())
	_, unlock, err := lock.Lock(t.Context(), sentinel.PriorityScribe)
	require.NoError(t, err)
	unlock()
	state, err := lock.Probe()
	require.NoError(t, err)
	require.True(t, state.Free(), "%+v", state)
}

// work takes the lock again and again, for a priority at random, and now and
// then keeps it until it is killed.
func work(args []string, in *bufio.Scanner, say func(string, ...any)) {
	lock := gpulock.New(args[0], patient())
	proof, err := os.OpenFile(args[1], os.O_RDWR, 0)
	if err != nil {
		say("%v", err)
		return
	}
	id, _ := strconv.ParseUint(args[2], 10, 64)
	random := rand.New(rand.NewPCG(id, 1))
	in.Scan() // until all are there
	for round := uint64(0); ; round++ {
		p := sentinel.Priority(random.IntN(4))
		_, unlock, err := lock.Lock(context.Background(), p)
		if err != nil {
			say("%v", err)
			return
		}
		if p != sentinel.PriorityJudge && !alone(proof, id<<32|round) {
			say("P%d was not alone", p)
			return
		}
		if random.IntN(20) == 0 {
			say("holding")
			in.Scan() // until it is killed
		}
		unlock()
		say("round")
	}
}

// alone writes mark into the file and says whether it stays.
func alone(f *os.File, mark uint64) bool {
	var mine, now [8]byte
	binary.LittleEndian.PutUint64(mine[:], mark)
	if _, err := f.WriteAt(mine[:], 0); err != nil {
		return false
	}
	for range 200 {
		if _, err := f.ReadAt(now[:], 0); err != nil || now != mine {
			return false
		}
		runtime.Gosched()
	}
	return true
}

// A process that dies while others wait makes way for the one of the highest priority.
func TestOrderAcrossProcesses(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ollama.lock")
	holder := start(t, "holder", path, "1")
	holder.tell("lock")
	require.Equal(t, "held", holder.hear())

	lock := gpulock.New(path, patient())
	said := make(chan string, 2)
	for _, p := range []string{"3", "2"} {
		waiter := start(t, "holder", path, p)
		waiter.tell("lock")
		priority, _ := strconv.Atoi(p)
		untilWaiting(t, lock, sentinel.Priority(priority))
		go func() {
			says := waiter.hear()
			said <- "P" + p + " " + says
			waiter.tell("unlock")
		}()
	}
	holder.kill()
	require.Equal(t, "P2 held", <-said)
	require.Equal(t, "P3 held", <-said)
}

// untilWaiting returns when somebody of priority p waits in line.
func untilWaiting(t *testing.T, lock *gpulock.File, p sentinel.Priority) {
	t.Helper()
	for t.Context().Err() == nil {
		state, err := lock.Probe()
		require.NoError(t, err)
		if state.Waiting[p] {
			return
		}
		runtime.Gosched()
	}
}

// holdOnCommand takes the lock when it is told "lock", and gives it back when it
// is told "unlock".
func holdOnCommand(args []string, in *bufio.Scanner, say func(string, ...any)) {
	p, _ := strconv.Atoi(args[1])
	lock := gpulock.New(args[0], patient())
	unlock := func() {}
	for in.Scan() {
		switch command, delay, _ := strings.Cut(in.Text(), " "); command {
		case "lock":
			var err error
			if _, unlock, err = lock.Lock(context.Background(), sentinel.Priority(p)); err != nil {
				say("%v", err)
				return
			}
			say("held")
		case "unlock":
			say("%d", givesBackAfter(delay, unlock))
		}
	}
}

// givesBackAfter holds the lock for as long as a call would take, and returns
// the time at which it gives it back.
func givesBackAfter(delay string, unlock func()) int64 {
	if d, err := time.ParseDuration(delay); err == nil {
		time.Sleep(d)
	}
	now := time.Now().UnixNano()
	unlock()
	return now
}
