package state_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/facts"
	"github.com/agentsentinel/sentinel/internal/state"
)

// Each figure is next to the bare file operation that it cannot do without.

var verdict = []byte(`{"violation":true,"confidence":0.97,"reason":"rewrites the history that others have"} ollama gemma3:4b`)

func BenchmarkCacheGet(b *testing.B) {
	dir := b.TempDir()
	c := state.NewCache(dir, &state.CacheOptions{Key: func() []byte { return make([]byte, 32) }})
	c.Put("a", verdict)
	path := onlyFile(b, dir)
	b.Run("hit", func(b *testing.B) {
		for b.Loop() {
			if _, ok := c.Get("a"); !ok {
				b.Fatal("not there")
			}
		}
	})
	b.Run("miss", func(b *testing.B) {
		for b.Loop() {
			c.Get("b")
		}
	})
	b.Run("of=os.ReadFile", func(b *testing.B) {
		for b.Loop() {
			if _, err := os.ReadFile(path); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkCachePut fills a cache of the default size beyond its limit, sweeps
// included.
func BenchmarkCachePut(b *testing.B) {
	b.Run("into=full", func(b *testing.B) {
		c := state.NewCache(b.TempDir(), nil)
		for i := range 20000 {
			c.Put(strconv.Itoa(i), verdict)
		}
		i := 20000
		for b.Loop() {
			c.Put(strconv.Itoa(i), verdict)
			i++
		}
	})
	b.Run("of=write-and-rename", func(b *testing.B) {
		dir := b.TempDir()
		i := 0
		for b.Loop() {
			tmp := filepath.Join(dir, "tmp")
			if os.WriteFile(tmp, verdict, 0o600) != nil || os.Rename(tmp, filepath.Join(dir, strconv.Itoa(i))) != nil {
				b.Fatal("cannot write")
			}
			i++
		}
	})
}

func BenchmarkGiven(b *testing.B) {
	given := state.NewGiven(b.TempDir(), nil)
	for i := range 100 {
		given.Repeated("s", "r", strconv.Itoa(i), 0)
	}
	b.Run("again", func(b *testing.B) {
		for b.Loop() {
			given.Repeated("s", "r", "99", 0)
		}
	})
	b.Run("anew", func(b *testing.B) {
		for b.Loop() {
			given.Repeated("s", "r", "window", time.Nanosecond)
		}
	})
}

func BenchmarkValues(b *testing.B) {
	v := state.NewValues(b.TempDir())
	b.Run("load=none", func(b *testing.B) {
		for b.Loop() {
			v.Load("n")
		}
	})
	b.Run("update", func(b *testing.B) {
		for b.Loop() {
			if err := v.Update("n", increment); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkLedger adds one call, and adds up a day of 10,000 as a fresh process
// has to.
func BenchmarkLedger(b *testing.B) {
	dir := b.TempDir()
	for range 10000 {
		if err := state.NewLedger(dir).Add(today, 300, 0.25, false); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("add-up=10000", func(b *testing.B) {
		for b.Loop() {
			if _, err := state.NewLedger(dir).Usage(today); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("of=os.ReadFile", func(b *testing.B) {
		for b.Loop() {
			if _, err := os.ReadFile(filepath.Join(dir, today)); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("add", func(b *testing.B) {
		l := state.NewLedger(dir)
		for b.Loop() {
			if err := l.Add("2026-03-31", 300, 0.25, false); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkFacts reads the facts of a session of 5,000 calls, which wrote 500 files.
func BenchmarkFacts(b *testing.B) {
	f := state.NewFacts(b.TempDir(), func() []byte { return []byte("key") }, nil)
	call := state.FactCall{Tree: "/r", Session: "s"}
	for i := range 5000 {
		call.Call = uint64(i)
		require.NoError(b, f.Done(call, []facts.Fact{{Kind: facts.Wrote, Text: fmt.Sprintf("internal/package%d/file.go", i%500)}}, 0))
	}
	for b.Loop() {
		_, err := f.Read("/r", "s", true)
		require.NoError(b, err)
	}
}
