package rule

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/agentsentinel/sentinel"
	"github.com/stretchr/testify/require"
)

func TestBinaryRoundTrip(t *testing.T) {
	t.Parallel()
	var flat []byte
	var want []File
	for _, dir := range caseDirs(t) {
		for _, name := range ruleFiles(t, dir) {
			data, err := os.ReadFile(filepath.Join(dir, name))
			require.NoError(t, err)
			f := Parse(name, data)
			f.Abs = "/abs/" + name
			flat = AppendFile(flat, &f)
			f.Definition.Tests, f.Definition.Draft = nil, nil
			want = append(want, f)
		}
	}
	require.NotEmpty(t, want)
	rest := string(flat)
	for _, f := range want {
		got, after, err := ReadFile(rest)
		require.NoError(t, err)
		require.Equal(t, f, got)
		rest = after
	}
	require.Empty(t, rest)
}

func TestBinaryKeepsNilApart(t *testing.T) {
	t.Parallel()
	for _, list := range [][]string{nil, {}, {""}, {"a", ""}} {
		f := File{Definition: Definition{Fallback: list}}
		got, _, err := ReadFile(string(AppendFile(nil, &f)))
		require.NoError(t, err)
		require.Equal(t, f, got)
	}
}

// TestBinaryDamage cuts the form everywhere and changes every byte of it.
func TestBinaryDamage(t *testing.T) {
	t.Parallel()
	f := Parse("a.yaml", []byte("scope: [a, b]\nfallback: []\nprompt: x\nwhat: y\n"))
	require.Len(t, f.Problems, 1)
	flat := AppendFile(nil, &f)
	for i := range flat {
		_, _, err := ReadFile(string(flat[:i]))
		require.ErrorIs(t, err, errDamaged, "cut at %d", i)
		for _, b := range []byte{0, 1, 0x7f, 0x80, 0xff} {
			changed := append([]byte(nil), flat...)
			changed[i] = b
			_, _, _ = ReadFile(string(changed)) // must not panic
		}
	}
	for _, src := range []string{"", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", "\xff\xff\xff\xff\x0f"} {
		_, _, err := ReadFile(src)
		require.ErrorIs(t, err, errDamaged)
	}
}

func FuzzReadFile(f *testing.F) {
	for _, text := range []string{"prompt: x", "what: y\nscope: [a]", "nonsense", "prompt: x\nfallback: []"} {
		file := Parse("a.yaml", []byte(text))
		f.Add(string(AppendFile(nil, &file)))
	}
	f.Fuzz(func(t *testing.T, src string) {
		file, rest, err := ReadFile(src)
		if err != nil {
			return
		}
		require.LessOrEqual(t, len(rest), len(src))
		again, after, err := ReadFile(string(AppendFile(nil, &file)))
		require.NoError(t, err)
		require.Empty(t, after)
		require.Equal(t, file, again)
		Build([]File{file}, nil)
	})
}

// The flat form names fields one by one: a field that is added to Definition and
// forgotten there would be lost in the cache.
func TestBinaryHasEveryField(t *testing.T) {
	t.Parallel()
	f := File{
		Path: "p", Abs: "a", Line: 3,
		Definition: Definition{
			ID: "1", Trigger: "2", Severity: "3", Post: true, Scope: []string{"4"}, Exclude: []string{"5"}, Backend: "6",
			Model: "7", Fallback: []string{"8"}, When: "9", Prompt: "10", Message: "11", Mode: "12",
		},
		Problems: []sentinel.Problem{{File: "f", Line: 1, Column: 2, Message: "m", Warning: true}, {}},
	}
	got, _, err := ReadFile(string(AppendFile(nil, &f)))
	require.NoError(t, err)
	require.Equal(t, f, got)
	require.Len(t, schemaKeys(t), 15, "a key was added: see AppendFile, this test and Build")
}
