package project

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/config"
	"github.com/agentsentinel/sentinel/rule"
)

func sample() *compiled {
	return &compiled{
		dir: "/repo/.claude/sentinel",
		config: compiledConfig{present: true, stamp: stamp{1, 2, 3, 4}, digest: "d", value: config.Default(),
			problems: []sentinel.Problem{{File: "config.yaml", Line: 1, Message: "x"}}},
		rules: []compiledRule{
			{name: "a.yaml", stamp: stamp{5, 6, 7, 8}, racy: true, file: rule.Parse("a.yaml", []byte("prompt: x\n"))},
			{name: "sub/b.yaml", file: rule.Parse("sub/b.yaml", []byte("severty: x\n"))},
		},
	}
}

func encoded(t testing.TB) []byte {
	path := filepath.Join(t.TempDir(), "c")
	require.NoError(t, sample().write(path))
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return data[:len(data)-4]
}

func TestCompiledRoundTrip(t *testing.T) {
	t.Parallel()
	got, err := decodeCompiled(string(encoded(t)))
	require.NoError(t, err)
	require.Equal(t, sample(), got)
}

// Every kind of value that a configuration can hold survives.
func TestPlainDataRoundTrip(t *testing.T) {
	t.Parallel()
	c, _ := config.Parse("config.yaml", []byte(`
backend: ours
confidence_threshold: 0.25
timeout_ms: 17
fallback: [builtin]
tool_map: {Save: file_write}
tool_args: {Save: {path: where, content: what}}
backends: {ours: {key: [1, two, null]}, ollama: {num_ctx: 8192}}
pricing: {m: {input: 1.5, output: 3}}
scribe: {doc_globs: []}
`))
	require.Contains(t, c.Backends.Other, "ours")
	for _, want := range []config.Config{c, config.Default(), {}} {
		d := decoder{rest: string(appendPlain(nil, reflect.ValueOf(want)))}
		var got config.Config
		d.plain(reflect.ValueOf(&got).Elem())
		require.False(t, d.failed)
		require.Empty(t, d.rest)
		require.Equal(t, want, got)
	}
}

// FuzzCompiled holds that no damage behind a right checksum makes the reader
// panic or take much memory.
func FuzzCompiled(f *testing.F) {
	whole := encoded(f)
	f.Add(whole)
	f.Add(whole[:len(whole)/2])
	f.Add(binary.AppendUvarint(nil, 1<<60))
	f.Fuzz(func(t *testing.T, data []byte) {
		if c, err := decodeCompiled(string(data)); err == nil && c == nil {
			t.Fatal("neither a result nor an error")
		}
	})
}
