package codec_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/codec"
)

type inner struct {
	Name  string
	Raw   []byte
	Lists [][]string
}

type all struct {
	Text   string
	Flag   bool
	Number int
	Long   int64
	Real   float64
	List   []string
	Inners []inner
	Map    map[string]inner
	Empty  map[string]string
}

func sample() all {
	return all{
		Text: "é\x00\xff", Flag: true, Number: -7, Long: 1 << 40, Real: -0.25, List: []string{"", "a"},
		Inners: []inner{{Name: "x", Raw: []byte{1, 2}, Lists: [][]string{nil, {}, {"y"}}}, {}},
		Map:    map[string]inner{"b": {Name: "z"}, "a": {}},
	}
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	for _, want := range []all{sample(), {}, {List: []string{}, Inners: []inner{}, Empty: map[string]string{}}} {
		flat := codec.AppendBool(codec.AppendText(codec.Append(nil, want), "after"), true)
		require.Equal(t, flat, codec.AppendBool(codec.AppendText(codec.Append(nil, want), "after"), true), "maps have an order")
		r := codec.Reader{Rest: string(flat)}
		var got all
		r.Value(&got)
		require.Equal(t, want, got, "nil is not the same as empty")
		require.Equal(t, "after", r.Text())
		require.True(t, r.Bool())
		require.False(t, r.Failed)
		require.Empty(t, r.Rest)
	}
}

// TestDamage cuts the form everywhere and changes every byte of it.
func TestDamage(t *testing.T) {
	t.Parallel()
	flat := codec.Append(nil, sample())
	for i := range flat {
		var v all
		r := codec.Reader{Rest: string(flat[:i])}
		r.Value(&v)
		require.True(t, r.Failed, "cut at %d", i)
		require.Empty(t, r.Rest)
		for _, b := range []byte{0, 1, 0x7f, 0x80, 0xff} {
			changed := append([]byte(nil), flat...)
			changed[i] = b
			r := codec.Reader{Rest: string(changed)}
			r.Value(&all{}) // must not panic
		}
	}
}

func TestHostileLengths(t *testing.T) {
	t.Parallel()
	for _, src := range []string{"", "\x80", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", "\xff\xff\xff\xff\x0f"} {
		r := codec.Reader{Rest: src}
		require.Empty(t, r.Text())
		require.True(t, r.Failed)
		r = codec.Reader{Rest: src}
		var list []inner
		r.Value(&list)
		require.True(t, r.Failed)
		require.Empty(t, list)
	}
}

func TestOtherTypesPanic(t *testing.T) {
	t.Parallel()
	for _, v := range []any{new(int), struct{ C chan int }{}, uint(1), []any{1}} {
		require.Panics(t, func() { codec.Append(nil, v) })
	}
}

func FuzzReader(f *testing.F) {
	f.Add(string(codec.Append(nil, sample())))
	f.Add("\x02\x80")
	f.Fuzz(func(t *testing.T, src string) {
		r := codec.Reader{Rest: src}
		var v all
		if r.Value(&v); r.Failed {
			return
		}
		again := codec.Reader{Rest: string(codec.Append(nil, v))}
		var w all
		again.Value(&w)
		require.False(t, again.Failed)
		if v.Real == v.Real {
			require.Equal(t, v, w)
		}
	})
}
