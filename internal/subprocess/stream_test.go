package subprocess_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/subprocess"
)

func TestStreamAnswers(t *testing.T) {
	t.Parallel()
	out, err := subprocess.Stream(t.Context(), program("cat"), func(in io.WriteCloser, out io.Reader) error {
		answers := bufio.NewReader(out)
		for i := range 100 {
			if _, err := fmt.Fprintf(in, "question %d\n", i); err != nil {
				return err
			}
			line, err := answers.ReadString('\n')
			require.NoError(t, err)
			require.Equal(t, fmt.Sprintf("question %d\n", i), line)
		}
		return nil
	})
	require.NoError(t, err)
	require.Zero(t, out.Exit)
}

func TestStreamFailure(t *testing.T) {
	t.Parallel()
	var read []byte
	out, err := subprocess.Stream(t.Context(), program("fail"), func(_ io.WriteCloser, out io.Reader) (err error) {
		read, err = io.ReadAll(out)
		return err
	})
	require.NoError(t, err)
	require.Equal(t, "some", string(read))
	require.Equal(t, subprocess.Output{Stderr: []byte("what went wrong"), Exit: 3}, out)

	_, err = subprocess.Stream(t.Context(), subprocess.Program{Argv: []string{"no-such-program-anywhere"}}, nil)
	require.ErrorIs(t, err, subprocess.ErrNotFound)
}

// A program that never ends is ended when enough of it was read.
func TestStreamGivenUp(t *testing.T) {
	t.Parallel()
	enough := errors.New("enough")
	for _, name := range []string{"flood", "hang"} {
		w := newWatch(t)
		_, err := subprocess.Stream(t.Context(), program(name, w.address()), func(_ io.WriteCloser, out io.Reader) error {
			if name == "hang" {
				w.there()
			}
			return enough
		})
		require.ErrorIs(t, err, enough)
		if name == "hang" {
			w.gone()
		}
	}
}

func TestStreamContextEnds(t *testing.T) {
	t.Parallel()
	w := newWatch(t)
	ctx, cancel := context.WithCancel(t.Context())
	_, err := subprocess.Stream(ctx, program("parent", w.address()), func(_ io.WriteCloser, out io.Reader) error {
		w.there()
		cancel()
		_, _ = io.ReadAll(out) // returns because the end is seen
		return nil
	})
	require.ErrorIs(t, err, context.Canceled)
	w.gone()
}

func TestStreamPanics(t *testing.T) {
	t.Parallel()
	w := newWatch(t)
	require.PanicsWithValue(t, "oops", func() {
		_, _ = subprocess.Stream(t.Context(), program("hang", w.address()), func(io.WriteCloser, io.Reader) error {
			w.there()
			panic("oops")
		})
	})
	w.gone()
}
