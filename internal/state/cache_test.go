package state_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/state"
)

func TestCache(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "answers")
	c := state.NewCache(dir, nil)
	_, ok := c.Get("a")
	require.False(t, ok)
	require.NoDirExists(t, dir)

	for key, value := range map[string]string{"a": "1", "": "empty key", "../../etc/passwd": "no path", "none": "", strings.Repeat("k", 1000): "long"} {
		c.Put(key, []byte(value))
		got, ok := c.Get(key)
		require.True(t, ok, key)
		require.Equal(t, value, string(got))
	}
	c.Put("a", []byte("2"))
	got, _ := state.NewCache(dir, nil).Get("a") // as another process does
	require.Equal(t, "2", string(got))

	c.Put("a", make([]byte, 1<<20))
	got, _ = c.Get("a")
	require.Equal(t, "2", string(got), "what is too large is not kept")
}

func TestCacheAge(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 30, 14, 0, 0, 0, time.UTC)
	c := state.NewCache(t.TempDir(), &state.CacheOptions{MaxAge: time.Hour, Now: func() time.Time { return now }})
	c.Put("a", []byte("1"))
	for _, step := range []struct {
		after time.Duration
		want  bool
	}{{0, true}, {time.Hour - 1, true}, {1, false}, {-2 * time.Hour, false}} { // the last: the clock was set back
		now = now.Add(step.after)
		_, ok := c.Get("a")
		require.Equal(t, step.want, ok, "%v", step.after)
	}
}

// Nothing is believed that this user's Sentinel did not write under this key.
func TestCacheBelievesNobody(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	secret := []byte("the user's key")
	asked := 0
	opts := &state.CacheOptions{Key: func() []byte { asked++; return secret }}
	c := state.NewCache(dir, opts)
	require.Zero(t, asked)
	c.Put("a", []byte("value"))
	path := onlyFile(t, dir)
	whole, err := os.ReadFile(path)
	require.NoError(t, err)

	for i := range whole {
		damaged := bytes.Clone(whole)
		damaged[i] ^= 0x10
		require.NoError(t, os.WriteFile(path, damaged, 0o600))
		_, ok := c.Get("a")
		require.False(t, ok, "byte %d is another", i)
		require.NoError(t, os.WriteFile(path, whole[:i], 0o600))
		_, ok = c.Get("a")
		require.False(t, ok, "cut at byte %d", i)
	}

	require.NoError(t, os.WriteFile(path, whole, 0o600))
	_, ok := c.Get("a")
	require.True(t, ok)
	require.Equal(t, 1, asked)
	_, ok = state.NewCache(dir, &state.CacheOptions{Key: func() []byte { return []byte("another key") }}).Get("a")
	require.False(t, ok, "sealed with another key")
	_, ok = state.NewCache(dir, nil).Get("a")
	require.False(t, ok, "sealed, but asked without a key")

	// An answer that was moved to where another one is looked for.
	other := fmt.Sprintf("%x", sha256.Sum256([]byte("b")))
	require.NoError(t, os.MkdirAll(filepath.Join(dir, other[:1]), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, other[:1], other), whole, 0o600))
	_, ok = c.Get("b")
	require.False(t, ok)

	c.Put("a", []byte("repaired"))
	got, _ := c.Get("a")
	require.Equal(t, "repaired", string(got))
}

// What lies where an entry should be may be anything.
func TestCacheWhereNothingCanBeKept(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	c := state.NewCache(file, nil)
	c.Put("a", []byte("1"))
	_, ok := c.Get("a")
	require.False(t, ok)

	dir := t.TempDir()
	c = state.NewCache(dir, nil)
	c.Put("a", []byte("1"))
	path := onlyFile(t, dir)
	require.NoError(t, os.Remove(path))
	require.NoError(t, os.Mkdir(path, 0o700))
	c.Put("a", []byte("1"))
	_, ok = c.Get("a")
	require.False(t, ok, "a folder stands in its place")
	entries, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	require.Len(t, entries, 1, "no temporary file is left")
}

// size is what the files below dir take in blocks.
func size(t testing.TB, dir string) (bytes int64) {
	t.Helper()
	require.NoError(t, filepath.Walk(dir, func(_ string, info os.FileInfo, err error) error {
		if err == nil && info.Mode().IsRegular() {
			bytes += (info.Size()/4096 + 1) * 4096
		}
		return nil
	}))
	return bytes
}

func TestCacheIsBounded(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ maxBytes, value, puts int }{
		{1 << 20, 200, 600},
		{1 << 20, 15 << 10, 200},
		{4 << 20, 9000, 600},
		{8 << 20, 200, 3000},
	} {
		dir := t.TempDir()
		cache := state.NewCache(dir, &state.CacheOptions{MaxBytes: int64(c.maxBytes)})
		for i := range c.puts {
			cache.Put(strconv.Itoa(i), make([]byte, c.value))
		}
		used := size(t, dir)
		require.Less(t, used, int64(c.maxBytes)*11/10, "%+v", c)
		require.Greater(t, used, int64(c.maxBytes)/2, "it does not forget without need: %+v", c)
	}
}

// The entries that were put last are the ones that stay.
func TestCacheForgetsTheOldest(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := state.NewCache(dir, &state.CacheOptions{MaxBytes: 1 << 20})
	past := time.Now().Add(-time.Hour)
	for i := range 300 {
		c.Put(fmt.Sprint("old ", i), []byte("x"))
	}
	require.NoError(t, filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if info.Mode().IsRegular() {
			os.Chtimes(path, past, past)
		}
		return err
	}))
	for i := range 100 {
		c.Put(fmt.Sprint("new ", i), []byte("x"))
	}
	kept := map[string]int{}
	for _, kind := range []string{"old", "new"} {
		for i := range 300 {
			if _, ok := c.Get(fmt.Sprint(kind, " ", i)); ok {
				kept[kind]++
			}
		}
	}
	require.Greater(t, kept["new"], 90)
	require.Less(t, kept["old"], 170)
}

// A sweep takes what is too old and what dead processes left, and nothing that
// is not ours.
func TestCacheSweeps(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := state.NewCache(dir, &state.CacheOptions{MaxBytes: 1 << 20, MaxAge: 24 * time.Hour}) // so small that every Put sweeps
	c.Put("a", []byte("1"))
	shard := filepath.Dir(onlyFile(t, dir))
	ago := func(name string, age time.Duration) string {
		path := filepath.Join(shard, name)
		require.NoError(t, os.WriteFile(path, []byte("x"), 0o600))
		when := time.Now().Add(-age)
		require.NoError(t, os.Chtimes(path, when, when))
		return path
	}
	stray := ago(".tmp-123", 2*time.Hour)
	atWork := ago(".tmp-456", time.Minute)
	foreign := ago("README", 1000*time.Hour)
	c.Put("a", []byte("1"))
	require.NoFileExists(t, stray)
	require.FileExists(t, atWork)
	require.FileExists(t, foreign)
}

func TestCacheInProcesses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	inProcesses(t, 4, "answers", dir)
	used := size(t, dir)
	require.Less(t, used, int64(1<<20)*12/10)
}

// answersTask puts and gets the same keys as the others, in a cache that is too
// small for them.
func answersTask(t *testing.T, dir string, _ []string) {
	c := state.NewCache(dir, &state.CacheOptions{MaxBytes: 1 << 20})
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			for i := range 120 {
				key := strconv.Itoa(i)
				want := bytes.Repeat([]byte(key), 20)
				c.Put(key, want)
				if got, ok := c.Get(key); ok && !bytes.Equal(got, want) {
					t.Errorf("%s: %q", key, got)
				}
			}
		})
	}
	wait.Wait()
}

// Where the secret cannot be read nothing is kept, and nothing that is there is believed:
// an entry that is sealed with no key could be anybody's.
func TestNoJudgementsWithoutTheSecret(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	state.NewCache(dir, nil).Put("a", []byte("anybody's"))
	none := state.NewCache(dir, &state.CacheOptions{Key: func() []byte { return nil }})
	_, ok := none.Get("a")
	require.False(t, ok)
	none.Put("b", []byte("x"))
	_, ok = state.NewCache(dir, nil).Get("b")
	require.False(t, ok)
}
