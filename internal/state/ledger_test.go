package state_test

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/programtest"
	"github.com/agentsentinel/sentinel/internal/state"
)

const today = "2026-03-30"

func TestLedger(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "usage")
	l := state.NewLedger(dir)
	u, err := l.Usage(today)
	require.NoError(t, err)
	require.Zero(t, u)
	require.NoDirExists(t, dir)

	require.NoError(t, l.Add(today, 300, 0.25, false))
	require.NoError(t, l.Add(today, 20, 0.5, true))
	require.NoError(t, l.Add("2026-03-31", 7, 0, false))
	want := state.Usage{Calls: 2, Tokens: 320, Money: 0.75, Estimated: 1}
	for range 2 { // the second time nothing is read again
		u, err = l.Usage(today)
		require.NoError(t, err)
		require.Equal(t, want, u)
	}
	require.NoError(t, state.NewLedger(dir).Add(today, 1, 0, false)) // as another process does
	tokens, money, err := l.Used(today)
	require.NoError(t, err)
	require.EqualValues(t, 321, tokens)
	require.EqualValues(t, 0.75, money)
	tokens, _, err = l.Used("2026-03-31")
	require.NoError(t, err)
	require.EqualValues(t, 7, tokens)

	require.NoError(t, os.Remove(filepath.Join(dir, today)))
	tokens, _, err = l.Used(today)
	require.NoError(t, err)
	require.Zero(t, tokens)
}

func TestLedgerRefuses(t *testing.T) {
	t.Parallel()
	l := state.NewLedger(t.TempDir())
	for _, day := range []string{"", "..", "../x", "2026-13-01", "2026-03-30/x", "today"} {
		_, _, err := l.Used(day)
		require.ErrorContains(t, err, "YYYY-MM-DD", day)
		require.Error(t, l.Add(day, 1, 1, false), day)
	}
	require.Error(t, l.Add(today, -1, 0, false))
	for _, money := range []float64{-1, math.NaN(), math.Inf(1)} {
		require.Error(t, l.Add(today, 1, money, false))
	}
}

// Damage loses the record that it hits and no other.
func TestLedgerDamaged(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	l := state.NewLedger(dir)
	for i := range 10 {
		require.NoError(t, l.Add(today, 1<<i, 0, false))
	}
	path := filepath.Join(dir, today)
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	size := len(whole) / 10
	flipped := append([]byte(nil), whole...)
	flipped[3*size+5] ^= 1
	for name, c := range map[string]struct {
		data []byte
		want int64
	}{
		"flipped":     {flipped, 1023 - 8},
		"torn at end": {whole[:len(whole)-3], 1023 - 512},
		"torn inside": {append(append([]byte(nil), whole[:2*size-7]...), whole[2*size:]...), 1023 - 2},
		"garbage":     {append([]byte("garbage"), whole...), 1023},
	} {
		require.NoError(t, os.WriteFile(path, c.data, 0o600))
		tokens, _, err := state.NewLedger(dir).Used(today)
		require.NoError(t, err, name)
		require.Equal(t, c.want, tokens, name)
	}

	// A record that was torn does not block others, even while a reader waits for it.
	require.NoError(t, os.WriteFile(path, whole[:size+size/2], 0o600))
	l = state.NewLedger(dir)
	tokens, _, err := l.Used(today)
	require.NoError(t, err)
	require.EqualValues(t, 1, tokens)
	require.NoError(t, l.Add(today, 100, 0, false))
	tokens, _, err = l.Used(today)
	require.NoError(t, err)
	require.EqualValues(t, 101, tokens)

	// A record that a reader saw half counts when it is whole.
	require.NoError(t, os.WriteFile(path, whole[:size+size/2], 0o600))
	l = state.NewLedger(dir)
	_, _, err = l.Used(today)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, whole[:2*size], 0o600))
	tokens, _, err = l.Used(today)
	require.NoError(t, err)
	require.EqualValues(t, 3, tokens)
}

// A day is longer than what is read at once.
func TestLedgerLongDay(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	l := state.NewLedger(dir)
	require.NoError(t, l.Add(today, 3, 0.5, false))
	path := filepath.Join(dir, today)
	record, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, append([]byte("odd"), bytes.Repeat(record, 10000)...), 0o600))
	u, err := l.Usage(today)
	require.NoError(t, err)
	require.Equal(t, state.Usage{Calls: 10000, Tokens: 30000, Money: 5000}, u)
}

func TestLedgerDoesNotOverflow(t *testing.T) {
	t.Parallel()
	l := state.NewLedger(t.TempDir())
	for range 3 {
		require.NoError(t, l.Add(today, math.MaxInt64, math.MaxFloat64, false))
	}
	tokens, money, err := l.Used(today)
	require.NoError(t, err)
	require.Equal(t, int64(math.MaxInt64), tokens)
	require.True(t, math.IsInf(money, 1), "more than any budget")
}

func TestLedgerForgetsOldDays(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	l := state.NewLedger(dir)
	day := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range 100 {
		name := day.AddDate(0, 0, i)
		require.NoError(t, l.Add(name.Format(time.DateOnly), 1, 0, false))
		require.NoError(t, os.Chtimes(filepath.Join(dir, name.Format(time.DateOnly)), name, name))
	}
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, files, 62)
	require.Equal(t, day.AddDate(0, 0, 99).Format(time.DateOnly), files[61].Name())
}

func TestLedgerInGoroutines(t *testing.T) {
	t.Parallel()
	programtest.SkipOnWine(t, "it appends in two steps, so that a line may be written over another one")
	l := state.NewLedger(t.TempDir())
	var wait sync.WaitGroup
	for range 20 {
		wait.Go(func() {
			for range 50 {
				if err := l.Add(today, 1, 0.5, true); err != nil {
					t.Error(err)
				}
				if _, err := l.Usage(today); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
	u, err := l.Usage(today)
	require.NoError(t, err)
	require.Equal(t, state.Usage{Calls: 1000, Tokens: 1000, Money: 500, Estimated: 1000}, u)
}

func TestLedgerInProcesses(t *testing.T) {
	t.Parallel()
	programtest.SkipOnWine(t, "it appends in two steps, so that a line may be written over another one")
	dir := t.TempDir()
	inProcesses(t, 6, "spend", dir)
	u, err := state.NewLedger(dir).Usage(today)
	require.NoError(t, err)
	require.Equal(t, state.Usage{Calls: 600, Tokens: 1200, Money: 300}, u)
}

func spendTask(t *testing.T, dir string, _ []string) {
	l := state.NewLedger(dir)
	last := int64(0)
	for range 100 {
		require.NoError(t, l.Add(today, 2, 0.5, false))
		tokens, _, err := l.Used(today)
		require.NoError(t, err)
		require.GreaterOrEqual(t, tokens, last+2, "at least its own, and never less than before")
		last = tokens
	}
	fmt.Println(last)
}
