package pin

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/state"
	"github.com/agentsentinel/sentinel/rule"
)

const block = "id: NAME\ntrigger: bash\nseverity: block\nbackend: builtin\nwhen: \"true\"\nmessage: no\n"

func blocks(id string) string { return strings.ReplaceAll(block, "NAME", id) }

func weak(id string) string {
	return strings.ReplaceAll(blocks(id), "severity: block", "severity: warn")
}

func files(of map[string]string) (all []File) {
	for name, text := range of {
		all = append(all, File{name, []byte(text)})
	}
	slices.SortFunc(all, func(a, b File) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

func parseFile(f File) Rule {
	return Rule{Name: f.Name, Sum: Sum(f.Data), File: rule.Parse(f.Name, f.Data)}
}

func TestMerge(t *testing.T) {
	t.Parallel()
	type tree = map[string]string
	for _, tt := range []struct {
		name     string
		was, is  tree
		inForce  []string // id severity
		found    []string // kind id; ! if the pinned one is held
		defaults Defaults
	}{
		{"the same", tree{"a.yaml": blocks("a")}, tree{"a.yaml": blocks("a")}, []string{"a block"}, nil, Defaults{}},
		{"gone", tree{"a.yaml": blocks("a"), "b.yaml": blocks("b")}, tree{"b.yaml": blocks("b")}, []string{"a block", "b block"}, []string{"!gone a"}, Defaults{}},
		{"everything gone", tree{"a.yaml": blocks("a")}, nil, []string{"a block"}, []string{"!gone a"}, Defaults{}},
		{"weaker", tree{"a.yaml": blocks("a")}, tree{"a.yaml": weak("a")}, []string{"a block"}, []string{"!weaker a"}, Defaults{}},
		{"stronger", tree{"a.yaml": weak("a")}, tree{"a.yaml": blocks("a")}, []string{"a block"}, []string{"stronger a"}, Defaults{}},
		{"new", tree{"a.yaml": weak("a")}, tree{"a.yaml": weak("a"), "b.yaml": blocks("b")}, []string{"a warn", "b block"}, []string{"new b"}, Defaults{}},
		{"gone and new", tree{"a.yaml": blocks("a")}, tree{"b.yaml": blocks("b")}, []string{"a block", "b block"}, []string{"!gone a", "new b"}, Defaults{}},
		{"moved", tree{"a.yaml": blocks("x")}, tree{"sub/b.yaml": blocks("x")}, []string{"x block"}, nil, Defaults{}},
		{"moved and weaker", tree{"a.yaml": blocks("x")}, tree{"b.yaml": weak("x")}, []string{"x block"}, []string{"!weaker x"}, Defaults{}},
		{"broken", tree{"a.yaml": blocks("a")}, tree{"a.yaml": "<<<<<<< HEAD\n" + blocks("a")}, []string{"a block"}, []string{"!broken a"}, Defaults{}},
		{"NUL bytes", tree{"a.yaml": blocks("a")}, tree{"a.yaml": "\x00\x00\x00"}, []string{"a block"}, []string{"!broken a"}, Defaults{}},
		{"a new one is broken", tree{"a.yaml": blocks("a")}, tree{"a.yaml": blocks("a"), "b.yaml": "- - :"}, []string{"a block", "b block"}, []string{"broken b"}, Defaults{}},
		{"broken before and mended", tree{"a.yaml": "- - :"}, tree{"a.yaml": blocks("a")}, []string{"a block"}, []string{"new a"}, Defaults{}},
		{"a taken id", tree{"b.yaml": blocks("x")}, tree{"a.yaml": weak("x"), "b.yaml": blocks("x")}, []string{"x block"}, []string{"!changed x"}, Defaults{}},
		{"shadow by default", tree{"a.yaml": blocks("a") + "mode: enforce\n"}, tree{"a.yaml": blocks("a")}, []string{"a block"}, []string{"!weaker a"}, Defaults{"shadow", "shadow"}},
	} {
		var now []Rule
		for _, f := range files(tt.is) {
			now = append(now, parseFile(f))
		}
		inForce, found := Merge(files(tt.was), now, tt.defaults, parseFile)
		var rules, differences []string
		for _, r := range inForce {
			rules = append(rules, r.File.Definition.ID+" "+cmp.Or(r.File.Definition.Severity, "block"))
		}
		for _, d := range found {
			mark := ""
			if d.Held {
				mark = "!"
			}
			differences = append(differences, mark+d.Kind+" "+d.Rule)
			require.NotEmpty(t, d.What, tt.name)
		}
		require.Equal(t, tt.inForce, rules, tt.name)
		require.Equal(t, tt.found, differences, tt.name)
		require.True(t, slices.IsSortedFunc(inForce, func(a, b Rule) int { return cmp.Compare(a.Name, b.Name) }), tt.name)
	}
}

func TestStore(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "pins")
	key := []byte("a key of the user")
	open := func(key string) *Store {
		return NewStore(dir, func() state.Sealed { return state.NewSealed([]byte(key), Kind) })
	}
	s := open(string(key))
	_, err := s.Load("/r")
	require.ErrorIs(t, err, fs.ErrNotExist)
	want := &Pin{Root: "/r", Config: &File{"config.yaml", []byte("x")}, Rules: files(map[string]string{"a.yaml": "1", "b.yaml": "2"})}
	want.Accept(want.State())
	require.NoError(t, s.Save(want))
	got, err := s.Load("/r")
	require.NoError(t, err)
	require.Equal(t, want, got)
	require.True(t, got.Knows(want.State()))
	require.Equal(t, map[string]bool{Name("/r"): true}, s.Names())

	_, err = open("another").Load("/r")
	require.ErrorIs(t, err, ErrForeign)
	_, err = open("").Load("/r")
	require.ErrorIs(t, err, state.ErrNoKey)
	require.NoError(t, os.Rename(s.Path("/r"), s.Path("/other")))
	_, err = s.Load("/other")
	require.ErrorIs(t, err, ErrForeign, "a pin of another project")

	newer := state.NewSealed(key, Kind)
	require.NoError(t, newer.Write(s.Path("/r"), []byte(`{"version":2,"root":"/r"}`)))
	_, err = s.Load("/r")
	require.ErrorIs(t, err, ErrNewer)
	require.NoError(t, s.Remove("/r"))
	require.NoError(t, s.Remove("/r"))

	large := &Pin{Root: "/l", Rules: []File{{"a.yaml", make([]byte, MaxBytes+1)}}}
	require.True(t, errors.Is(s.Save(large), ErrLarge))
}

// Of the states that a person has accepted the oldest is forgotten.
func TestKnownStatesAreBounded(t *testing.T) {
	t.Parallel()
	var p Pin
	for i := range 2 * maxKnown {
		p.Accept(strings.Repeat("x", i+1))
	}
	require.Len(t, p.Known, maxKnown)
	require.True(t, p.Knows(strings.Repeat("x", 2*maxKnown)))
	require.False(t, p.Knows("x"))
}
