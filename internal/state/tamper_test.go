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
				for _, k := range []string{"pauses 1", "approvals 1", "claims 1"} {
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
