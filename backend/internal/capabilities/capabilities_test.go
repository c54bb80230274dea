package capabilities_test

import (
	"os"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/backend/internal/capabilities"
	"github.com/agentsentinel/sentinel/internal/state"
)

func TestModes(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 30, 14, 0, 0, 0, time.UTC)
	store := state.NewValues(t.TempDir())
	server := func(first uint32, name string) *capabilities.Modes {
		return capabilities.New(first, name, store, func() time.Time { return now })
	}
	w := server(1, "a")
	require.EqualValues(t, 1, w.Of("m"))
	w.Learn("m", 1)
	w.Learn("m", 5)
	require.EqualValues(t, 5, w.Of("m"))
	require.EqualValues(t, 1, w.Of("other"), "each model by itself")

	require.EqualValues(t, 5, server(1, "a").Of("m"), "another process")
	require.EqualValues(t, 1, server(1, "b").Of("m"), "another server")
	require.EqualValues(t, 2, server(2, "a").Of("m"), "other settings")
	require.EqualValues(t, 1, server(1, "a").Of(`m" "`), "names cannot be mixed up")

	now = now.Add(capabilities.Expiry - 1)
	require.EqualValues(t, 5, server(1, "a").Of("m"))
	now = now.Add(1)
	require.EqualValues(t, 1, server(1, "a").Of("m"), "servers are updated")
	require.EqualValues(t, 5, w.Of("m"), "not in the middle of a process")
	now = now.Add(-2 * capabilities.Expiry)
	require.EqualValues(t, 1, server(1, "a").Of("m"), "the clock was set back")
}

func TestModesThatCannotBeKept(t *testing.T) {
	t.Parallel()
	w := capabilities.New(1, "a", nil, nil)
	w.Learn("m", 3)
	require.EqualValues(t, 3, w.Of("m"))
	require.EqualValues(t, 1, capabilities.New(1, "a", nil, nil).Of("m"))

	damaged := broken{}
	w = capabilities.New(1, "a", damaged, nil)
	require.EqualValues(t, 1, w.Of("m"))
	w.Learn("m", 3)
	require.EqualValues(t, 3, w.Of("m"))
}

type broken struct{}

func (broken) Load(string) []byte                       { return []byte(`{"way":"`) }
func (broken) Update(string, func([]byte) []byte) error { return os.ErrPermission }

func TestModesAtOnce(t *testing.T) {
	t.Parallel()
	w := capabilities.New(0, "a", state.NewValues(t.TempDir()), nil)
	var wait sync.WaitGroup
	for i := range uint32(8) {
		wait.Go(func() {
			w.Learn("m", i)
			w.Of("m")
		})
	}
	wait.Wait()
	require.Less(t, w.Of("m"), uint32(8))
}
