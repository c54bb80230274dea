package text

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/text/texttest"
)

func TestClean(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                         "",
		"plain\ttext\n":            "plain\ttext\n",
		"naïve – 日本語 🎉":            "naïve – 日本語 🎉",
		"a\r\nb\rc":                "a\nb\\rc",
		"\x1b[31mred":              `\u001b[31mred`,
		"\x00\x7f\u009b":           `\u0000\u007f\u009b`,
		"a\u202eb\u2066c":          `a\u202eb\u2066c`,
		"r\u200bm\u00adx":          `r\u200bm\u00adx`,
		"\ufeffa\ufeff":            `a\ufeff`,
		"\xffa\xc3":                `\xffa\xc3`,
		"⚠\ufe0f a\ufe0f":          `⚠ a\ufe0f`,
		"\U000e0041\U000e0100":     `\U000e0041\U000e0100`,
		"\u3164\u115f\u2800\ue000": `\u3164\u115f\u2800\ue000`,
		"a\u2028b\u0085":           `a\u2028b\u0085`,
		"\ufffd":                   "\ufffd",
	} {
		require.Equal(t, want, Clean(in), "%q", in)
		require.Equal(t, want, Clean(want), "what is clean stays: %q", in)
	}
}

var hostile = []string{
	"", " ", "\n", "\x00\x1b]0;t\x07\x1b[31m", "\u202e\u2066\u200b\ufeff\U000e0041", "\xff\xc3\x28\xe2\x82", "\r\n\r",
	"⚠\ufe0f 👩\u200d💻", "a\u2028b\u2029c\u0085d", strings.Repeat("long ", 400), strings.Repeat("a\nb\"", 3000),
}

func TestEveryHiddenCharacter(t *testing.T) {
	t.Parallel()
	ranges := texttest.Hidden()
	ways := map[string]func(string) string{
		"Clean": Clean, "OneLine": OneLine, "Line": Line, "Name": Name, "Strip": Strip, "Blank": Blank,
		"Snippet": func(s string) string { return Snippet(s, 200) },
		"Middle":  func(s string) string { return Middle(s, 200) },
	}
	hidden := 0
	for r := rune(0); r <= unicode.MaxRune; r++ {
		want := unicode.In(r, ranges...)
		if got := Hidden(r); got != want {
			t.Fatalf("Hidden(%U) is %v", r, got)
		}
		if !want {
			if r%97 == 0 || r < 0x3000 { // a visible one stays as it is
				in := "a" + string(r) + "b"
				for name, way := range ways {
					if got := way(in); got != in && !unicode.IsSpace(r) {
						t.Fatalf("%s of %U is %q", name, r, got)
					}
				}
			}
			continue
		}
		hidden++
		if !utf8.ValidRune(r) {
			continue // a surrogate: see TestInvalidUTF8
		}
		if r > 0xf0100 && r&0xfffe != 0xfffe {
			continue // one private character is as another
		}
		for name, way := range ways {
			for _, in := range []string{string(r), "a" + string(r) + "b", string(r) + string(r), "é" + string(r), "⚠" + string(r) + "é", "\u3164" + string(r) + "日"} {
				got := way(in)
				if at := strings.IndexFunc(got, func(c rune) bool { return unicode.In(c, ranges...) && !mayStay(name, c) }); at >= 0 {
					t.Fatalf("%s of %+q is %+q", name, in, got)
				}
				if name == "Clean" && got == in && !strings.ContainsAny(in, "\n\t") {
					t.Fatalf("Clean of %+q changes nothing", in)
				}
			}
		}
	}
	require.Greater(t, hidden, 140_000)
}

// mayStay names what each way leaves in a text: the breaks of lines, and the two
// joiners between characters that need them.
func mayStay(way string, r rune) bool {
	switch way {
	case "Clean", "Snippet", "Middle":
		return r == '\n' || r == '\t'
	case "Strip":
		return r == '\n' || r == '\u200c' || r == '\u200d'
	}
	return false
}

func TestInvalidUTF8(t *testing.T) {
	t.Parallel()
	for in, want := range map[string][3]string{ // Clean, Strip, Blank
		"a\xffb":             {`a\xffb`, "a\ufffdb", "a\ufffdb"},
		"\xc3":               {`\xc3`, "\ufffd", "\ufffd"},
		"\xed\xa0\x80":       {`\xed\xa0\x80`, "\ufffd\ufffd\ufffd", "\ufffd\ufffd\ufffd"}, // half of a surrogate pair
		"\xc0\xaf":           {`\xc0\xaf`, "\ufffd\ufffd", "\ufffd\ufffd"},                 // overlong /
		"\xf4\x90\x80\x80":   {`\xf4\x90\x80\x80`, strings.Repeat("\ufffd", 4), strings.Repeat("\ufffd", 4)},
		"é\u200d\xff":        {`é\u200d\xff`, "é\ufffd", "é \ufffd"},
		"\xe2\x80\u202e\xae": {`\xe2\x80\u202e\xae`, "\ufffd\ufffd\ufffd", "\ufffd\ufffd \ufffd"},
	} {
		require.Equal(t, want, [3]string{Clean(in), Strip(in), Blank(in)}, "%+q", in)
	}
}

func TestStrip(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                                   "",
		"one\ttwo\nthree\r\n":                "one two\nthree\n",
		"a\u2028b\u2029c":                    "a\nb\nc",
		"\x1b[2J\x1b]0;title\x07gone":        "[2J]0;titlegone",
		"👩\u200d💻":                           "👩\u200d💻",
		"❤\ufe0f\u200d🔥":                     "❤\u200d🔥",
		"نمی\u200cخواهم":                     "نمی\u200cخواهم",
		"r\u200dm \u200c-rf \u200d":          "rm -rf ",
		"é\u200d\u200d\u200dè":               "é\u200dè", // one is enough
		"\u3164\u200d\u2800\u200c\ufe01":     "",
		"r\U000e0100m\U000e0072\ufe01\u034f": "rm",
	} {
		require.Equal(t, want, Strip(in), "%+q", in)
		require.Equal(t, want, Strip(want), "%+q", in)
	}
}

func TestBlank(t *testing.T) {
	t.Parallel()
	require.Equal(t, "q [31m  é   x", Blank("q\x1b[31m\u202e é\n\t\u3164x"))
}

func FuzzClean(f *testing.F) {
	for _, s := range hostile {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, way := range []func(string) string{Clean, Strip, Blank, Name} {
			got := way(s)
			require.True(t, utf8.ValidString(got))
			require.Equal(t, got, way(got))
		}
	})
}
