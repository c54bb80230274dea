package state

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSealed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "pins", "a")
	s := NewSealed(bytes.Repeat([]byte{7}, keyBytes), "pin 1")
	_, err := s.Read(path)
	require.ErrorIs(t, err, fs.ErrNotExist)
	for _, data := range []string{"", "x", string(make([]byte, 100_000))} {
		require.NoError(t, s.Write(path, []byte(data)))
		got, err := s.Read(path)
		require.NoError(t, err)
		require.Equal(t, data, string(got))
	}
}

// Whatever is changed of a sealed file, it is not believed.
func TestSealedDoesNotVerify(t *testing.T) {
	t.Parallel()
	key := bytes.Repeat([]byte{7}, keyBytes)
	s := NewSealed(key, "pin 1")
	file := s.Seal("a", []byte("content"))
	for at := range file {
		changed := bytes.Clone(file)
		changed[at] ^= 0x40
		_, err := s.Open("a", changed)
		require.Truef(t, errors.Is(err, ErrSeal) || errors.Is(err, ErrSealVersion), "byte %d: %v", at, err)
	}
	for cut := range file {
		_, err := s.Open("a", file[:cut])
		require.ErrorIs(t, err, ErrSeal)
	}
	for name, open := range map[string]func() ([]byte, error){
		"longer":       func() ([]byte, error) { return s.Open("a", append(bytes.Clone(file), 0)) },
		"other name":   func() ([]byte, error) { return s.Open("b", file) },
		"other kind":   func() ([]byte, error) { return NewSealed(key, "pin 2").Open("a", file) },
		"other key":    func() ([]byte, error) { return NewSealed(make([]byte, keyBytes), "pin 1").Open("a", file) },
		"kind or name": func() ([]byte, error) { return NewSealed(key, "pin 1a").Open("", file) },
	} {
		_, err := open()
		require.ErrorIs(t, err, ErrSeal, name)
	}
	newer := bytes.Clone(file)
	newer[len(sealedMagic)]++
	_, err := s.Open("a", newer)
	require.ErrorIs(t, err, ErrSealVersion)
}

func TestSealedWithoutKey(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a")
	s := NewSealed(nil, "pin 1")
	require.ErrorIs(t, s.Write(path, nil), ErrNoKey)
	_, err := os.Lstat(path)
	require.ErrorIs(t, err, fs.ErrNotExist)
	_, err = s.Read(path)
	require.ErrorIs(t, err, ErrNoKey)
	_, err = s.Open("a", s.Seal("a", nil))
	require.ErrorIs(t, err, ErrNoKey)
}
