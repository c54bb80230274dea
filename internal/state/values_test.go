package state_test

import (
	"math/rand/v2"
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

func TestValues(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new", "folder")
	v := state.NewValues(dir)
	require.Nil(t, v.Load("a"))
	require.NoDirExists(t, dir, "looking makes nothing")

	set := func(name, value string) {
		t.Helper()
		require.NoError(t, v.Update(name, func([]byte) []byte { return []byte(value) }))
		require.Equal(t, value, string(v.Load(name)))
	}
	set("a", "a rather long value")
	set("a", "short") // what was longer is gone
	set("../../b", "names are no paths")
	require.Equal(t, "short", string(v.Load("a")))

	require.NoError(t, v.Update("a", func(old []byte) []byte {
		require.Equal(t, "short", string(old))
		return nil
	}))
	require.Nil(t, v.Load("a"))
	require.NoError(t, v.Update("a", func(old []byte) []byte {
		require.Nil(t, old)
		return []byte("again")
	}))
	require.Equal(t, "again", string(v.Load("a")))

	require.Error(t, v.Update("a", func([]byte) []byte { return make([]byte, 5000) }))
	require.Equal(t, "again", string(v.Load("a")), "a value that is too large replaces nothing")
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, files, 2)
}

// A file that is damaged holds nothing, and the next value repairs it.
func TestValuesDamaged(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	v := state.NewValues(dir)
	require.NoError(t, v.Update("a", func([]byte) []byte { return []byte("value") }))
	path := onlyFile(t, dir)
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	for i := range whole {
		damaged := append([]byte(nil), whole...)
		damaged[i] ^= 0x40
		for name, data := range map[string][]byte{"flipped": damaged, "cut": whole[:i]} {
			require.NoError(t, os.WriteFile(path, data, 0o600))
			require.Nil(t, v.Load("a"), "%s at %d", name, i)
		}
	}
	require.NoError(t, v.Update("a", func(old []byte) []byte {
		require.Nil(t, old)
		return []byte("repaired")
	}))
	require.Equal(t, "repaired", string(v.Load("a")))
}

func TestValuesInGoroutines(t *testing.T) {
	t.Parallel()
	v := state.NewValues(t.TempDir())
	var wait sync.WaitGroup
	for range 20 {
		wait.Go(func() {
			for range 20 {
				if err := v.Update("n", increment); err != nil {
					t.Error(err)
				}
				if _, err := strconv.Atoi(string(v.Load("n"))); err != nil {
					t.Error("a value was read in the middle of a change: ", err)
				}
			}
		})
	}
	wait.Wait()
	require.Equal(t, "400", string(v.Load("n")))
}

func increment(old []byte) []byte {
	n, _ := strconv.Atoi(string(old))
	return []byte(strconv.Itoa(n + 1))
}

func TestValuesInProcesses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	inProcesses(t, 6, "count", dir)
	require.Equal(t, "600", string(state.NewValues(dir).Load("n")))
}

func countTask(t *testing.T, dir string, _ []string) {
	v := state.NewValues(dir)
	for range 100 {
		require.NoError(t, v.Update("n", increment))
	}
}

// A lock of a killed process is free, and a file that it wrote is whole
// or missing.
func TestValuesKilled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	v := state.NewValues(dir)
	for range 8 {
		cmd := child(t, "hammer", dir)
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		_, err = out.Read(make([]byte, 1)) // it is at work
		require.NoError(t, err)
		for range rand.IntN(300) {
			v.Load("n")
		}
		require.NoError(t, cmd.Process.Kill())
		cmd.Wait()
		require.NoError(t, v.Update("n", func(old []byte) []byte {
			for part := range strings.SplitSeq(string(old), " ") {
				require.Equal(t, strings.Split(string(old), " ")[0], part)
			}
			return old
		}))
	}
}

// hammerTask changes a value until it is killed.
func hammerTask(t *testing.T, dir string, _ []string) {
	v := state.NewValues(dir)
	for i := 0; ; i++ {
		word := strconv.Itoa(i)
		require.NoError(t, v.Update("n", func([]byte) []byte { return []byte(strings.TrimSpace(strings.Repeat(word+" ", 1+i%300))) }))
		if i == 0 {
			os.Stdout.WriteString("x")
		}
	}
}

// Files that were not used for a long time go when a new one comes.
func TestValuesAreTidied(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	v := state.NewValues(dir)
	require.NoError(t, v.Update("old", func([]byte) []byte { return []byte("1") }))
	foreign := filepath.Join(dir, "notes.txt")
	require.NoError(t, os.WriteFile(foreign, nil, 0o600))
	long := time.Now().Add(-40 * 24 * time.Hour)
	require.NoError(t, os.Chtimes(onlyFile(t, dir), long, long))
	require.NoError(t, os.Chtimes(foreign, long, long))
	require.NoError(t, v.Update("new", func([]byte) []byte { return []byte("1") }))
	require.Nil(t, v.Load("old"))
	require.NotNil(t, v.Load("new"))
	require.FileExists(t, foreign, "what is not ours stays")
}

// onlyFile is the path of the one file in dir that has a name of ours.
func onlyFile(t testing.TB, dir string) string {
	t.Helper()
	var found []string
	require.NoError(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !strings.Contains(d.Name(), ".") {
			found = append(found, path)
		}
		return err
	}))
	require.Len(t, found, 1)
	return found[0]
}
