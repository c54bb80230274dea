package lazy

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestMemo: it returns what the function returns, keeps a bounded number of texts, and neither a
// long one nor an error.
func TestMemo(t *testing.T) {
	t.Parallel()
	m := Memo[int]{Texts: 100, Bytes: 2000}
	calls := 0
	get := func(s string) int {
		n, err := m.Get(s, func(s string) (int, error) { calls++; return len(s), nil })
		require.NoError(t, err)
		return n
	}
	long := strings.Repeat("x", m.Bytes+1)
	for range 2 {
		require.Equal(t, 3, get("abc"))
		require.Equal(t, len(long), get(long))
	}
	require.Equal(t, 3, calls)
	fault := errors.New("no")
	for range 2 {
		_, err := m.Get("d", func(string) (int, error) { calls++; return 0, fault })
		require.ErrorIs(t, err, fault)
	}
	require.Equal(t, 5, calls)
	for i := range 30 * m.Texts {
		require.Equal(t, i%700, get(strings.Repeat("y", i%700)))
		get(strings.Repeat("a", i%1000) + strings.Repeat("b", i/1000))
	}
	require.LessOrEqual(t, len(m.kept), m.Texts)
	require.NotContains(t, m.kept, long)
}

func TestMemoOfMany(t *testing.T) {
	t.Parallel()
	m := Memo[int]{Texts: 4, Bytes: 1}
	var wait sync.WaitGroup
	for i := range 32 {
		wait.Go(func() {
			n, err := m.Get(string(rune('a'+i%8)), func(s string) (int, error) { return len(s), nil })
			require.NoError(t, err)
			require.Equal(t, 1, n)
		})
	}
	wait.Wait()
}
