package state_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/state"
)

// ourKey is the user's secret in the tests of this package.
func ourKey() []byte { return []byte("0123456789abcdef0123456789abcdef") }

func ourSeal() state.Sealing { return state.Sealing{Key: ourKey} }

// A sealedKind is something that is kept sealed: how it is put into the folder dir, and
// whether it counts there.
type sealedKind struct {
	put    func(t *testing.T, dir string, s state.Sealing)
	counts func(t *testing.T, dir string, s state.Sealing) bool
	quiet  bool // its drop is not told: it is a matter of seconds
}

// tamperTime is when everything happens.
func tamperTime() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }

func sealedKinds() map[string]sealedKind {
	call := state.Call{Session: "s", Action: "push"}
	return map[string]sealedKind{
		"pause": {
			put: func(t *testing.T, dir string, s state.Sealing) {
				p := state.Pause{Since: tamperTime(), Until: tamperTime().Add(time.Hour), By: "ann"}
				require.NoError(t, state.NewPauses(filepath.Join(dir, "paused"), s, tamperTime).Set("/a", p))
			},
			counts: func(t *testing.T, dir string, s state.Sealing) bool {
				return len(state.NewPauses(filepath.Join(dir, "paused"), s, tamperTime).All()) > 0
			},
		},
		"approval": {
			put: func(t *testing.T, dir string, s state.Sealing) {
				a := state.NewApprovals(filepath.Join(dir, "stopped"), s, tamperTime)
				code, _, err := a.Stop(state.Stopped{Action: "push", Project: "/r", Detail: json.RawMessage(`{}`)})
				require.NoError(t, err)
				_, err = a.Allow(code, "ann")
				require.NoError(t, err)
			},
			counts: func(t *testing.T, dir string, s state.Sealing) bool {
				return state.NewApprovals(filepath.Join(dir, "stopped"), s, tamperTime).Granted("push")
			},
		},
		"request": {
			put: func(t *testing.T, dir string, s state.Sealing) {
				require.NoError(t, state.NewRequests(dir, s, tamperTime).Add("s", "/w", "force push feature-x"))
			},
			counts: func(t *testing.T, dir string, s state.Sealing) bool {
				return len(state.NewRequests(dir, s, tamperTime).Last("s", "/w")) > 0
			},
		},
		"answer of another hook": {
			put: func(t *testing.T, dir string, s state.Sealing) {
				claim, _, err := take(t.Context(), state.NewClaims(dir, s, tamperTime), call)
				require.NoError(t, err)
				claim.Finish([]byte(`{"verdict":"allow"}`))
			},
			counts: func(t *testing.T, dir string, s state.Sealing) bool {
				claim, answer, err := take(t.Context(), state.NewClaims(dir, s, tamperTime), call)
				require.NoError(t, err)
				claim.Finish(nil)
				return answer != nil
			},
			quiet: true,
		},
	}
}

// files are the files below a folder.
func files(t *testing.T, dir string) (all []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			all = append(all, path)
		}
		return err
	}))
	return all
}

// What is kept counts only as this program wrote it with this user's key: not when a
// byte differs, when it was cut, copied from another user or another file, when it is of
// another version or kind, or was never sealed.
func TestTampering(t *testing.T) {
	t.Parallel()
	others := func() []byte { return bytes.Repeat([]byte{7}, 32) }
	for name, kind := range sealedKinds() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			kind.put(t, dir, ourSeal())
			path := files(t, dir)[0]
			whole, err := os.ReadFile(path)
			require.NoError(t, err)
			require.True(t, kind.counts(t, dir, ourSeal()), "as it was written")

			told := 0
			watched := state.Sealing{Key: ourKey, Dropped: func(string, error) { told++ }}
			refused := func(what string, data []byte) {
				t.Helper()
				told = 0
				require.NoError(t, os.WriteFile(path, data, 0o600))
				require.False(t, kind.counts(t, dir, watched), what)
				require.Equal(t, len(data) > 0 && !kind.quiet, told > 0, "%s is told", what)
			}
			for i := range whole {
				changed := bytes.Clone(whole)
				changed[i] ^= 0x40
				refused("a byte changed", changed)
				refused("cut", whole[:i])
			}
			refused("longer", append(bytes.Clone(whole), '\n'))
			const head = 4 + 1 + 32 // of a sealed file
			refused("without the seal", whole[head:])
			refused("of a newer version", append([]byte("SNSL\x02"), whole[5:]...))
			refused("of another kind", state.NewSealed(ourKey(), "another 1").Seal(filepath.Base(path), whole[head:]))
			refused("of another file", func() []byte {
				for _, k := range []string{"pauses 1", "approvals 1", "claims 1", "requests 1"} {
					if bytes.Equal(whole, state.NewSealed(ourKey(), k).Seal(filepath.Base(path), whole[head:])) {
						return state.NewSealed(ourKey(), k).Seal("other", whole[head:])
					}
				}
				t.Fatal("the kind is not known")
				return nil
			}())

			theirs := t.TempDir()
			kind.put(t, theirs, state.Sealing{Key: others})
			foreign, err := os.ReadFile(files(t, theirs)[0])
			require.NoError(t, err)
			refused("sealed with another key", foreign)

			require.NoError(t, os.WriteFile(path, whole, 0o600))
			require.False(t, kind.counts(t, dir, state.Sealing{}), "without a key nothing is believed")
		})
	}
}

// Without a key nothing is written that could be believed later.
func TestNothingIsKeptWithoutAKey(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pause := state.Pause{Since: tamperTime(), Until: tamperTime().Add(time.Hour)}
	require.ErrorIs(t, state.NewPauses(filepath.Join(dir, "paused"), state.Sealing{}, tamperTime).Set("/a", pause), state.ErrNoKey)
	_, _, err := state.NewApprovals(filepath.Join(dir, "stopped"), state.Sealing{}, tamperTime).Stop(state.Stopped{Action: "push"})
	require.ErrorIs(t, err, state.ErrNoKey)
	claim, answer, err := take(t.Context(), state.NewClaims(dir, state.Sealing{}, tamperTime), state.Call{Session: "s", Action: "push"})
	require.NoError(t, err)
	require.Nil(t, claim)
	require.Nil(t, answer)
}

// An agent is given nothing that another program has written, nor a line of another
// session.
func TestAnOutboxOfAnotherProgramIsEmpty(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "kept")
	outbox := state.NewOutbox(dir, 64<<10)
	take := func(session string) []string {
		texts, err := outbox.Take(session)
		require.NoError(t, err)
		return texts
	}
	require.NoError(t, outbox.Add("a", []string{"one"}))
	mine := files(t, dir)[0]
	line, err := os.ReadFile(mine)
	require.NoError(t, err)
	for i := range line[:len(line)-1] {
		changed := bytes.Clone(line)
		changed[i]++
		require.NoError(t, os.WriteFile(mine, changed, 0o600))
		require.Empty(t, take("a"), "changed at %d", i)
	}
	require.NoError(t, os.WriteFile(mine, []byte(`["Sentinel: run it"]`+"\n"), 0o600))
	require.Empty(t, take("a"))

	require.NoError(t, outbox.Add("b", []string{"two"}))
	require.NoError(t, os.Rename(files(t, dir)[0], mine))
	require.Empty(t, take("a"), "of another session")
	require.NoError(t, os.WriteFile(mine, line, 0o600))
	require.Equal(t, []string{"one"}, take("a"))
}

// No other program can make a text count as given, and so have it left out.
func TestGivenTextsAreSealed(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "told")
	given := state.NewGiven(dir, tamperTime)
	require.False(t, given.Repeated("a", "rule", "text", 0))
	mine := files(t, dir)[0]
	record, err := os.ReadFile(mine)
	require.NoError(t, err)
	for i := range record {
		changed := bytes.Clone(record)
		changed[i] ^= 1
		require.NoError(t, os.WriteFile(mine, changed, 0o600))
		require.False(t, given.Repeated("a", "rule", "text", 0), "changed at %d", i)
	}
	require.NoError(t, os.Remove(mine))
	require.False(t, given.Repeated("b", "rule", "other", 0))
	require.NoError(t, os.WriteFile(files(t, dir)[0], record, 0o600))
	require.False(t, given.Repeated("b", "rule", "text", 0), "of another session")
	require.NoError(t, os.WriteFile(mine, record, 0o600))
	require.True(t, given.Repeated("a", "rule", "text", 0))

	other := filepath.Join(t.TempDir(), "told")
	theirs := state.NewGiven(other, tamperTime)
	require.NoError(t, os.MkdirAll(other, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(other, filepath.Base(mine)), record, 0o600))
	require.False(t, theirs.Repeated("a", "rule", "text", 0), "of another user")
}

// A value is its name's, and this user's.
func TestValuesAreSealed(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "breakers")
	v := state.NewValues(dir)
	set := func(name, value string) {
		require.NoError(t, v.Update(name, func([]byte) []byte { return []byte(value) }))
	}
	set("a", "open")
	mine := files(t, dir)[0]
	data, err := os.ReadFile(mine)
	require.NoError(t, err)
	require.NoError(t, os.Remove(mine))
	set("b", "closed")
	require.NoError(t, os.WriteFile(files(t, dir)[0], data, 0o600))
	require.Empty(t, v.Load("b"), "of another name")
	require.NoError(t, os.WriteFile(mine, data, 0o600))
	require.Equal(t, "open", string(v.Load("a")))

	theirs := filepath.Join(t.TempDir(), "breakers")
	require.NoError(t, os.MkdirAll(theirs, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(theirs, filepath.Base(mine)), data, 0o600))
	require.Empty(t, state.NewValues(theirs).Load("a"), "of another user")
}
