package project

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/config"
	"github.com/agentsentinel/sentinel/internal/codec"
	"github.com/agentsentinel/sentinel/rule"
)

func sample() *compiled {
	return &compiled{
		dir: "/repo/.claude/sentinel",
		config: compiledConfig{present: true, stamp: stamp{1, 2, 3, 4}, digest: "d", value: config.Default(),
			problems: []rule.Problem{{File: "config.yaml", Line: 1, Message: "x"}}},
		rules: []compiledRule{
			{name: "a.yaml", stamp: stamp{5, 6, 7, 8}, racy: true, file: rule.Parse("a.yaml", []byte("prompt: x\n"))},
			{name: "sub/b.yaml", file: rule.Parse("sub/b.yaml", []byte("severty: x\n"))},
		},
	}
}

func sampleKey() []byte { return []byte("0123456789abcdef0123456789abcdef") }

// read is the snapshot in a file, nil when it is not believed.
func read(path, dir string) *snapshot {
	s, err := readSnapshot(path, dir, sampleKey)
	if err != nil {
		return nil
	}
	return s
}

// write keeps the sample in a file and returns its path.
func write(t testing.TB) (path string) {
	path = filepath.Join(t.TempDir(), "c")
	require.NoError(t, sample().write(path, sampleKey(), []source{{name: "sub/b.yaml"}, {name: "a.yaml", stamp: stamp{5, 6, 7, 8}}}, []string{"x: y"}))
	return path
}

func TestCompiledRoundTrip(t *testing.T) {
	t.Parallel()
	want := sample()
	got := read(write(t), want.dir)
	require.NotNil(t, got)
	require.Equal(t, want.config, got.config)
	require.Equal(t, want.version(), got.version)
	require.Equal(t, want.rules, got.all())
	require.False(t, got.settled, "a file was too young to be believed")
	require.Nil(t, read(write(t), "/another"))
}

// A form that is larger than what is read at once gives the same.
func TestCompiledInParts(t *testing.T) {
	t.Parallel()
	k := read(write(t), sample().dir)
	require.NotEmpty(t, k.bodies)
	k.bodies = ""
	require.Equal(t, sample().rules, k.all())
	some, err := k.rules([]int{1})
	require.NoError(t, err)
	require.Equal(t, sample().rules[1:], some)
}

// Tests and the origin of a draft are not kept: a file that is never parsed again
// would cost its size at each call.
func TestCompiledLeavesTestsOut(t *testing.T) {
	t.Parallel()
	r := compiledRule{name: "a.yaml", file: rule.Parse("a.yaml", []byte("prompt: x\ntests: [{bash: ls, expect: pass}]\n_draft: {a: 1}\n"))}
	require.NotNil(t, r.file.Definition.Tests)
	require.NotNil(t, r.file.Definition.Draft)
	got, err := decodeRule(string(r.append(nil)))
	require.NoError(t, err)
	r.file.Definition.Tests, r.file.Definition.Draft = nil, nil
	require.Equal(t, r, got)
}

// Every byte counts: a file that was cut or changed anywhere is not believed, or
// its rules are not.
func TestCompiledDamage(t *testing.T) {
	t.Parallel()
	path, dir := write(t), sample().dir
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	damaged := func(data []byte) bool {
		require.NoError(t, os.WriteFile(path, data, 0o600))
		k := read(path, dir)
		return k == nil || k.all() == nil
	}
	for i := range whole {
		require.True(t, damaged(whole[:i]), "cut at %d", i)
		changed := append([]byte(nil), whole...)
		changed[i] ^= 0x55
		require.True(t, damaged(changed), "changed at %d", i)
	}
	require.False(t, damaged(whole))
}

func TestListing(t *testing.T) {
	t.Parallel()
	files := []source{{name: "b.yaml", stamp: stamp{1, 2, 3, 4}}, {name: "a/a.yaml", stamp: stamp{5, 6, 7, 8}}}
	l := listing{files: files, plain: true}
	written := string(appendListing(nil, files))
	require.True(t, l.is(written))
	for _, other := range []listing{
		{files: files[:1], plain: true}, {files: append(files[:2:2], files[0]), plain: true},
		{files: []source{files[1], files[0]}, plain: true}, {plain: true}, {files: files},
		{files: []source{files[0], {name: "a/a.yaml", stamp: stamp{5, 6, 7, 9}}}, plain: true},
		{files: []source{files[0], {name: "a/b.yaml", stamp: stamp{5, 6, 7, 8}}}, plain: true},
	} {
		require.False(t, other.is(written), "%v", other)
	}
	for i := range written {
		require.False(t, l.is(written[:i]))
	}
}

// Every kind of value that a configuration can hold survives.
func TestConfigurationRoundTrip(t *testing.T) {
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
		r := codec.Reader{Rest: string(codec.Append(nil, want))}
		var got config.Config
		r.Value(&got)
		require.False(t, r.Failed)
		require.Empty(t, r.Rest)
		require.Equal(t, want, got)
	}
}

// FuzzCompiled holds that no damage behind a right seal makes the reader
// panic or take much memory.
func FuzzCompiled(f *testing.F) {
	whole, err := os.ReadFile(write(f))
	require.NoError(f, err)
	front := whole[frontAt+len(compiledSeal(sampleKey()).Seal("", nil)):]
	f.Add(front)
	f.Add(front[:len(front)/2])
	f.Add(binary.AppendUvarint(nil, 1<<60))
	action := sentinel.Action{Trigger: sentinel.FileWrite, Forms: []string{"a"}}
	f.Fuzz(func(t *testing.T, data []byte) {
		k, err := decodeFront(string(data))
		if err != nil {
			return
		}
		k.bodies = string(data)
		k.all()
		k.index.Candidates(&action, sentinel.PhasePre, func(i int) { require.Less(t, i, k.count()) })
		if r, err := decodeRule(string(data)); err == nil {
			rule.Build([]rule.File{r.file}, nil)
		}
	})
}
