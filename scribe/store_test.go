package scribe

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/safefile"
)

// A test process that is started with this variable adds observations to the
// store that it names.
const childStore = "SENTINEL_TEST_SCRIBE_STORE"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childStore); dir != "" {
		os.Exit(observeAsChild(dir, os.Args[1]))
	}
	os.Exit(m.Run())
}

const perChild = 6

// observeAsChild waits for its input to be closed, so that all begin at once.
func observeAsChild(dir, name string) int {
	if _, err := bufio.NewReader(os.Stdin).ReadString('\n'); err == nil {
		return 3
	}
	s := OpenStore(dir)
	for i := range perChild {
		own := observed(fmt.Sprintf("Never use tool %s of kind %d", name, i))
		shared := observed(fmt.Sprintf("Never use the shared tool %d", i))
		shared.Session = name
		for _, ob := range []Observation{own, shared} {
			if _, err := s.note(context.Background(), ob, time.Unix(0, 0)); err != nil {
				fmt.Fprintln(os.Stderr, err)
				return 1
			}
		}
		if err := s.set(context.Background(), change{ID: own.ID, State: Drafted, Draft: name}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	return 0
}

func observed(statement string) Observation {
	return Observation{
		ID: digestOf(normal(statement)), Time: time.Unix(0, 0).UTC(), State: Observed, Statement: statement,
		Confidence: 0.8, Evidence: statement, Source: UserFeedback, Seen: 1,
	}
}

// Twenty processes at once lose nothing and tear nothing.
func TestManyProcesses(t *testing.T) {
	t.Parallel()
	const processes = 20
	dir := filepath.Join(t.TempDir(), ".sentinel", "scribe")
	self, err := os.Executable()
	require.NoError(t, err)
	var started []*exec.Cmd
	var gates []interface{ Close() error }
	errs := make([]bytes.Buffer, processes)
	for i := range processes {
		cmd := exec.CommandContext(t.Context(), self, strconv.Itoa(i))
		cmd.Env = append(os.Environ(), childStore+"="+dir)
		cmd.Stderr = &errs[i]
		gate, err := cmd.StdinPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		started, gates = append(started, cmd), append(gates, gate)
	}
	for _, g := range gates {
		require.NoError(t, g.Close())
	}
	for i, cmd := range started {
		require.NoError(t, cmd.Wait(), errs[i].String())
	}
	all, err := OpenStore(dir).Observations()
	require.NoError(t, err)
	require.Len(t, all, (processes+1)*perChild)
	for _, ob := range all {
		if strings.Contains(ob.Statement, "shared") {
			require.Equal(t, processes, ob.Seen, ob.Statement)
			require.Equal(t, Observed, ob.State)
		} else {
			require.Equal(t, Drafted, ob.State, ob.Statement)
		}
	}
}

// Lines that were torn, or that somebody else wrote, are passed over and kept.
func TestForeignLines(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, observationsFile)
	foreign := []string{
		"not json", `{"id":"x"}`, `[1]`, `null`, "\xff\xfe", `{"id":"0123456789abcdef","state":"observed","statement":"of another id"}`,
		`{"id":"` + digestOf("a b") + `","state":"imagined","statement":"a b"}`, `{"half":`,
	}
	require.NoError(t, os.WriteFile(path, []byte(strings.Join(foreign, "\n")), 0o600)) // the last one is torn
	s := OpenStore(dir)
	first, second := observed("Never use sudo"), observed("Never use su")
	for _, ob := range []Observation{first, second, first} {
		_, err := s.note(t.Context(), ob, time.Unix(9, 0))
		require.NoError(t, err)
	}
	all, err := s.Observations()
	require.NoError(t, err)
	require.Equal(t, []Observation{first, second}, all)
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	require.True(t, bytes.HasPrefix(data, []byte(strings.Join(foreign, "\n")+"\n")), "a torn line gets its end")

	b, err := s.load()
	require.NoError(t, err)
	b.size *= 100
	for range 50 { // so that there is something to put together
		require.NoError(t, s.set(t.Context(), change{ID: first.ID, Reason: "again and again and again and again"}))
	}
	require.NoError(t, s.compact(path))
	data, err = os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, len(foreign)+2, bytes.Count(data, []byte("\n")), "one line for each observation")
	for _, line := range foreign {
		require.Contains(t, string(data), line+"\n")
	}
	again, err := s.Observations()
	require.NoError(t, err)
	require.Len(t, again, 2)
	require.Equal(t, "again and again and again and again", again[0].Reason)
}

// A clone may bring a file of any content: one line of it is held at a time, and
// none is lost.
func TestHugeForeignLines(t *testing.T) { // not parallel: it counts what is allocated
	dir := t.TempDir()
	path := filepath.Join(dir, observationsFile)
	own, err := json.Marshal(observed("Never use sudo"))
	require.NoError(t, err)
	huge := strings.Repeat("x", 20<<20) + "\n" + strings.Repeat(strings.Repeat("y", 100<<10)+"\n", 200)
	require.NoError(t, os.WriteFile(path, []byte(huge+string(own)+"\n"), 0o600))
	s := OpenStore(dir)

	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	all, err := s.Observations()
	runtime.ReadMemStats(&after)
	require.NoError(t, err)
	require.Len(t, all, 1)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(8<<20), "bytes allocated while 40 MB were read")

	for range 2 {
		require.NoError(t, s.set(t.Context(), change{ID: all[0].ID, State: Promoted}))
	}
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(string(data), huge), "what was not seen whole is kept whole")
	again, err := s.Observations()
	require.NoError(t, err)
	require.Equal(t, Promoted, again[0].State)
}

// What is too large for one of ours is not read at all.
func TestStoreThatIsTooLarge(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, observationsFile)
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	require.NoError(t, os.Truncate(path, 100<<20))
	_, err := OpenStore(dir).note(t.Context(), observed("Never use sudo"), time.Unix(0, 0))
	require.ErrorContains(t, err, "has 100 MB, more than 64: move it away")
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.EqualValues(t, 100<<20, info.Size())
}

func TestStoreOfNothing(t *testing.T) {
	t.Parallel()
	s := OpenStore(filepath.Join(t.TempDir(), "none"))
	all, err := s.Observations()
	require.NoError(t, err)
	require.Empty(t, all)
	gone, err := s.Dismissals()
	require.NoError(t, err)
	require.Empty(t, gone)
}

// A link in the place of a file is neither read nor written.
func TestLinkInTheStore(t *testing.T) {
	t.Parallel()
	dir, outside := t.TempDir(), filepath.Join(t.TempDir(), "victim")
	require.NoError(t, os.WriteFile(outside, []byte("precious\n"), 0o600))
	if err := os.Symlink(outside, filepath.Join(dir, observationsFile)); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	s := OpenStore(dir)
	_, err := s.Observations()
	require.ErrorIs(t, err, safefile.ErrNotRegular)
	_, err = s.note(t.Context(), observed("Never use sudo"), time.Unix(0, 0))
	require.Error(t, err)
	data, err := os.ReadFile(outside)
	require.NoError(t, err)
	require.Equal(t, "precious\n", string(data))
}

// Waiting for the store ends with the context.
func TestWaitingEnds(t *testing.T) {
	t.Parallel()
	s := OpenStore(t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	err := s.update(t.Context(), func(*book) ([]any, error) {
		cancel()
		_, err := OpenStore(s.dir).note(ctx, observed("Never use sudo"), time.Unix(0, 0))
		return nil, err
	})
	require.ErrorIs(t, err, context.Canceled)
}
