package jsonscan

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// small is a scanner whose window is a few bytes, so that everything lies
// across its edge at some time.
func small(text []byte, window int) *Scanner {
	return &Scanner{src: bytes.NewReader(text), end: int64(len(text)), buf: make([]byte, window), fresh: true}
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
		raw, cut := small(text, window).Raw(1<<20, nil)
		require.True(t, json.Valid(raw), string(raw))
		s := small(text, window)
		s.Skip()
		if !good {
			return
		}
		require.True(t, s.OK() || s.short && !s.bad, "skipped")
		s.EndLine()
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
			kept, _ := small(text, window).Raw(limit, nil)
			require.True(t, json.Valid(kept), string(kept))
			require.LessOrEqual(t, len(kept), 8*limit+64)
		}
	})
}

// FuzzBytes holds that a value in memory that is skipped is checked as
// encoding/json does.
func FuzzBytes(f *testing.F) {
	for _, text := range []string{`{"a":[1,-2.5e+7,true,false,null,"",{},[]],"b":"\\\ud800\u12"}`, `"\q"`, "\"\x01\"", `[01]`, `-`, `1.`, `{"a":1,}`, `{1:2}`, `[1] 2`, "[1]\n ", "", `nul`,
		strings.Repeat("[", 10000) + strings.Repeat("]", 10000), strings.Repeat("[", 10001) + strings.Repeat("]", 10001)} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		s := Bytes(text)
		s.Skip()
		require.Equal(t, json.Valid(text), s.End(), "%.200q", text)
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
			s.Skip()
			require.True(t, s.OK(), "%s, window %d", value, window)
			require.Equal(t, byte('7'), s.Token(), "%s, window %d", value, window)
		}
	}
	s := small([]byte("\"never closed\n7"), 4)
	s.Skip()
	require.True(t, s.bad, "a line feed ends a line, also in a string")
	require.True(t, s.EndLine())
	require.Equal(t, int64(14), s.Offset())
}

// A piece keeps the beginning and the end of what is longer than it.
func TestPiece(t *testing.T) {
	t.Parallel()
	for _, window := range []int{1, 2, 7, 4096} {
		text := strings.Repeat("ab\\né", 1000) + "the end"
		s := small([]byte(`"`+text+`" `), window)
		p := Piece{Limit: 10, Keep: 12}
		require.True(t, s.Piece(&p))
		require.Equal(t, "ab\néab\né", p.Text())
		require.Equal(t, "ab\néthe end", p.Last())
		require.True(t, p.Cut)
		p = Piece{Limit: 100, Keep: 4}
		require.True(t, small([]byte(`"short"`), window).Piece(&p))
		require.Equal(t, "short", p.Text())
		require.Equal(t, "hort", p.Last())
		require.False(t, p.Cut)
	}
	p := Piece{Limit: 2}
	p.Add([]byte("aé"))
	require.Equal(t, "a", p.Text(), "no half of a character")
}

func TestInteger(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{"0": 0, "-12": -12, "1795209988972": 1795209988972} {
		n, ok := Bytes([]byte(text)).Integer()
		require.True(t, ok)
		require.Equal(t, want, n)
	}
	for _, text := range []string{"1.5", `"1"`, "null", "99999999999999999999999", "1e3", "{}"} {
		_, ok := Bytes([]byte(text)).Integer()
		require.False(t, ok, text)
	}
}
