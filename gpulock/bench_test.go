package gpulock_test

import (
	"bufio"
	"context"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/backend"
	"github.com/agentsentinel/sentinel/gpulock"
)

// What a model call costs more when no other process wants the GPU.
func BenchmarkFree(b *testing.B) {
	for name, p := range map[string]sentinel.Priority{"P0": sentinel.PriorityJudge, "P3": sentinel.PriorityScribe} {
		b.Run(name, func(b *testing.B) {
			lock := gpulock.New(gpulock.SessionPath(b.TempDir(), "s"), nil)
			for b.Loop() {
				_, unlock, err := lock.Lock(b.Context(), p)
				require.NoError(b, err)
				unlock()
			}
		})
	}
}

// From the moment at which another process gives the lock back to the moment at
// which a waiting one has it, compared with a bare flock.
func BenchmarkHandOver(b *testing.B) {
	for name, p := range map[string]sentinel.Priority{"P1": sentinel.PrioritySynthesizer, "P3": sentinel.PriorityScribe} {
		b.Run(name, func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "ollama.lock")
			lock := gpulock.New(path, patient())
			handOver(b, start(b, "holder", path, "1"), func() func() {
				_, unlock, err := lock.Lock(b.Context(), p)
				require.NoError(b, err)
				return unlock
			})
		})
	}
	b.Run("flock", func(b *testing.B) {
		path := filepath.Join(b.TempDir(), "bare.lock")
		require.NoError(b, os.WriteFile(path, nil, 0o600))
		handOver(b, start(b, "bareHolder", path), func() func() {
			f, err := os.OpenFile(path, os.O_RDWR, 0)
			require.NoError(b, err)
			require.NoError(b, gpulock.WaitLock(f))
			return func() { gpulock.Unlock(f); f.Close() }
		})
	})
}

// handOver has holder take the lock and give it back some milliseconds after
// wait has begun to wait for it.
func handOver(b *testing.B, holder *player, wait func() (unlock func())) {
	var took []time.Duration
	for b.Loop() {
		holder.tell("lock")
		require.Equal(b, "held", holder.hear())
		holder.tell("unlock " + (5*time.Millisecond + rand.N(5*time.Millisecond)).String())
		unlock := wait()
		now := time.Now().UnixNano()
		unlock()
		gaveBack, err := strconv.ParseInt(holder.hear(), 10, 64)
		require.NoError(b, err)
		took = append(took, time.Duration(now-gaveBack))
	}
	report(b, took)
}

// holdBareOnCommand is holdOnCommand with nothing but a lock of the operating
// system.
func holdBareOnCommand(args []string, in *bufio.Scanner, say func(string, ...any)) {
	f, err := os.OpenFile(args[0], os.O_RDWR, 0)
	for err == nil && in.Scan() {
		if err = gpulock.WaitLock(f); err == nil {
			say("held")
			in.Scan()
			say("%d", givesBackAfter(in.Text()[len("unlock "):], func() { gpulock.Unlock(f) }))
		}
	}
	if err != nil {
		say("%v", err)
	}
}

// From the moment at which a judge comes to the moment at which the server of the
// model sees that the scribe, in another process, has called its request off.
func BenchmarkPreemption(b *testing.B) {
	asked, calledOff := make(chan struct{}), make(chan time.Time)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		<-r.Context().Done()
		calledOff <- time.Now()
	}))
	b.Cleanup(server.Close)
	path := filepath.Join(b.TempDir(), "ollama.lock")
	lock := gpulock.New(path, nil)
	scribe := start(b, "scribe", path, server.URL)
	b.Cleanup(scribe.kill)
	<-asked
	var took []time.Duration
	for b.Loop() {
		arrival := time.NewTimer(rand.N(10 * time.Millisecond))
		<-arrival.C
		came := time.Now()
		_, unlock, err := lock.Lock(b.Context(), sentinel.PriorityJudge)
		require.NoError(b, err)
		took = append(took, (<-calledOff).Sub(came))
		unlock()
		<-asked // again
	}
	scribe.kill()
	<-calledOff
	report(b, took)
}

// askAsScribe asks the server at args[1] with the lock at args[0].
func askAsScribe(args []string, _ *bufio.Scanner, say func(string, ...any)) {
	model := sentinel.BackendFunc(func(ctx context.Context, _ sentinel.Request) (sentinel.Response, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, args[1], nil)
		if err != nil {
			return sentinel.Response{}, err
		}
		resp, err := http.DefaultClient.Do(req)
		if err == nil {
			err = resp.Body.Close()
		}
		return sentinel.Response{}, err
	})
	b := backend.Locked(model, gpulock.New(args[0], patient()))
	_, err := b.Complete(context.Background(), sentinel.Request{Priority: sentinel.PriorityScribe})
	say("%v", err)
}

// report tells the median and the 99th percentile.
func report(b *testing.B, took []time.Duration) {
	slices.Sort(took)
	at := func(q float64) float64 {
		return float64(took[int(q*float64(len(took)-1))]) / float64(time.Millisecond)
	}
	b.ReportMetric(at(0.5), "p50-ms")
	b.ReportMetric(at(0.99), "p99-ms")
	b.ReportMetric(0, "ns/op") // most of it is waiting for the other process
}
