package transcript

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// small is a scanner whose window is a few bytes, so that everything stands
// across its edge at some time.
func small(text []byte, window int) *scanner {
	return &scanner{src: bytes.NewReader(text), end: int64(len(text)), buf: make([]byte, window), fresh: true}
}

// FuzzScan reads any JSON as encoding/json does, whatever the window.
func FuzzScan(f *testing.F) {
	for _, text := range []string{`{"a":"b\n\"\\é\ud83d\ude00\ud83d x \udc00\ud800\u0041"}`, `[1,-2.5e+7,true,false,null,"",{},[]]`, `{"a":{"b":[{"c":"d"}]},"a":1}`,
		`"` + strings.Repeat(`\\`, 9) + `"`, `  "x"  `, "\"\xff\xc3\"", `{"a" : 1 , "b":[ ]}`, `{"a":1,}`, `[1,]`, `tru`, `"\ud800\n"`, `-`, `01`} {
		f.Add([]byte(text), 3)
	}
	f.Fuzz(func(t *testing.T, text []byte, window int) {
		window = 1 + (window&0xffff)%70
		want, good := any(nil), json.Valid(text) && !bytes.ContainsRune(text, '\n')
		raw, cut := small(text, window).raw(1 << 20)
		require.True(t, json.Valid(raw), string(raw))
		s := small(text, window)
		s.skip()
		if !good {
			return
		}
		require.True(t, s.live() || s.short && !s.bad, "skipped")
		s.endLine()
		require.False(t, s.bad, "nothing is left behind a value")
		if depth(text) > rawDepth || !utf8.Valid(text) { // a run of bad bytes becomes one mark here, many there
			return
		}
		require.False(t, cut)
		var got any
		decode(t, text, &want)
		decode(t, raw, &got)
		require.Equal(t, want, got)
		for limit := 20; limit < 200; limit += 60 {
			kept, _ := small(text, window).raw(limit)
			require.True(t, json.Valid(kept), string(kept))
			require.LessOrEqual(t, len(kept), 8*limit+64)
		}
	})
}

func decode(t *testing.T, text []byte, to any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	require.NoError(t, d.Decode(to))
}

// depth is how deep brackets may nest at most.
func depth(text []byte) int { return bytes.Count(text, []byte("[")) + bytes.Count(text, []byte("{")) }

// What is skipped ends where it ends, wherever the window does.
func TestSkipWithAnyWindow(t *testing.T) {
	t.Parallel()
	for _, value := range []string{`"\\\\"`, `"\\\\\"x"`, `"a\"b\\"`, `{"k\"":["\\",{"\\\"":""}]}`, `"\u0022\n"`, `[[],{},"",-1.5e3,true,false,null]`} {
		require.True(t, json.Valid([]byte(value)), value)
		for window := 1; window < 12; window++ {
			s := small([]byte(value+" 7\n"), window)
			s.skip()
			require.True(t, s.live(), "%s, window %d", value, window)
			require.Equal(t, byte('7'), s.token(), "%s, window %d", value, window)
		}
	}
	s := small([]byte("\"never closed\n7"), 4)
	s.skip()
	require.True(t, s.bad, "a line feed ends a line, also in a string")
	require.True(t, s.endLine())
	require.Equal(t, int64(14), s.offset())
}

// A piece keeps the beginning and the end of what is longer than it.
func TestPiece(t *testing.T) {
	t.Parallel()
	for _, window := range []int{1, 2, 7, 4096} {
		text := strings.Repeat("ab\\né", 1000) + "the end"
		s := small([]byte(`"`+text+`" `), window)
		p := piece{limit: 10, keep: 12}
		require.True(t, s.piece(&p))
		require.Equal(t, "ab\néab\né", p.text())
		require.Equal(t, "ab\néthe end", p.last())
		require.True(t, p.cut)
		p = piece{limit: 100, keep: 4}
		require.True(t, small([]byte(`"short"`), window).piece(&p))
		require.Equal(t, "short", p.text())
		require.Equal(t, "hort", p.last())
		require.False(t, p.cut)
	}
	p := piece{limit: 2}
	p.add([]byte("aé"))
	require.Equal(t, "a", p.text(), "no half of a character")
}

func TestInteger(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{"0": 0, "-12": -12, "1795209988972": 1795209988972} {
		n, ok := scanBytes([]byte(text)).integer()
		require.True(t, ok)
		require.Equal(t, want, n)
	}
	for _, text := range []string{"1.5", `"1"`, "null", "99999999999999999999999", "1e3", "{}"} {
		_, ok := scanBytes([]byte(text)).integer()
		require.False(t, ok, text)
	}
}

func TestEssential(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ tool, args, want string }{
		{"Bash", `{"description":"d","command":"git push"}`, "git push"},
		{"shell", `{"command":["bash","-lc","ls"]}`, "bash -lc ls"},
		{"Grep", `{"path":"src","pattern":"x"}`, "x in src"},
		{"Glob", `{"pattern":"**/*.go"}`, "**/*.go"},
		{"Write", `{"content":"c","file_path":"/a"}`, "/a"},
		{"write", `{"content":"c","filePath":"/a"}`, "/a"},
		{"WebFetch", `{"url":"https://x.test","prompt":"p"}`, "https://x.test"},
		{"mcp__a__b", `{"x":1}`, "a:b"},
		{"apply_patch", `"*** Begin Patch\n*** Update File: a\n*** Move to: b\n*** Delete File: c\n*** End Patch"`, "a b c"},
		{"apply_patch", `{"input":"*** Begin Patch\n*** Add File: a\n*** End Patch"}`, "a"},
		{"Task", `{"description":"look","subagent_type":"explore","prompt":"find"}`, "explore"},
		{"odd", `{"one":"first","two":"second"}`, "first"},
		{"odd", `{"n":1}`, ""},
		{"odd", `[1]`, ""},
		{"odd", ``, ""},
		{"read_many", `{"paths":["a","b"]}`, "a b"},
	} {
		require.Equal(t, c.want, essential(c.tool, json.RawMessage(c.args)), c.tool+c.args)
	}
}

func TestExitCode(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"x\nExit Code: 1\nSignal: 0": "1", "Exit Code: 5\nExit Code: 0": "0", "<shellId: 3 completed with exit code -1>": "-1", "Exit Code: (none)": "", "": ""} {
		code, ok := exitCode(text)
		require.Equal(t, want, code)
		require.Equal(t, want != "", ok)
	}
}
