package progress

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestLine(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	now := time.Unix(0, 0)
	l := New(&out, "judging", 4, func() time.Time { return now })
	step := func() string {
		now = now.Add(time.Second)
		defer out.Reset()
		return out.String()
	}
	l.At(1, "one")
	require.Equal(t, "\rjudging [======                  ] 1/4 one", step())
	l.At(2)
	drawn := step()
	require.Equal(t, "\rjudging [============            ] 2/4    ", drawn, "what stood there before is covered")
	l.Of(3, 6, "a\x1b[2Jb\nc")
	require.Equal(t, "\rjudging [============            ] 3/6 a\\u001b[2Jb c", step())
	l.At(6, strings.Repeat("x", 200))
	require.Len(t, []rune(step()), 79, "a line that wraps could not be drawn over")
	l.End()
	require.Equal(t, "\r"+strings.Repeat(" ", 78)+"\r", step())
	l.End()
	require.Empty(t, step(), "it is gone already")
}

// On a narrow terminal the line is shorter: one that wraps cannot be drawn over.
func TestLineFits(t *testing.T) {
	t.Parallel()
	for columns, want := range map[int]int{0: 78, 40: 39, 79: 78, 200: 78, 1: 1} {
		var out strings.Builder
		l := New(&out, "reading", 0, nil)
		l.Fit(columns)
		l.At(1, strings.Repeat("x", 200))
		require.Len(t, []rune(out.String()), 1+want, "%d columns", columns)
	}
}

// Work that is quick is not slowed down by its own display, but its end is shown.
func TestLineIsDrawnSeldom(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	now := time.Unix(1000, 0)
	l := New(&out, "reading", 3, func() time.Time { return now })
	for i := range 4 {
		l.At(i)
	}
	require.Equal(t, 2, strings.Count(out.String(), "\r"), "the first and the last: %q", out.String())
	out.Reset()
	l = New(&out, "reading", 0, func() time.Time { return now })
	for range 4 {
		l.At(0, "a file")
	}
	require.Equal(t, 1, strings.Count(out.String(), "\r"), "nobody knows which is the last: %q", out.String())
}

func TestLineWithoutTerminal(t *testing.T) {
	t.Parallel()
	f, err := os.Create(filepath.Join(t.TempDir(), "f"))
	require.NoError(t, err)
	defer f.Close()
	require.Nil(t, Terminal(f, "xterm"))
	require.Nil(t, Terminal(&strings.Builder{}, "xterm"))
	l := New(nil, "reading", 0, nil)
	l.Of(1, 2)
	l.End()
}
