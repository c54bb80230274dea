package document_test

import (
	"bytes"
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/audit/document"
)

// FuzzMarkdown reads anything as Markdown: blocks stand where they say, in order.
func FuzzMarkdown(f *testing.F) {
	f.Add(markdownText)
	f.Add("- a\n\n      code\n\n1. > b\n   > <!-- c -->\n")
	f.Add("<div\nhidden>\nx\n\n| a |\n|--|\n| `b |\n")
	f.Fuzz(func(t *testing.T, text string) { checkBlocks(t, "markdown", text) })
}

func checkBlocks(t *testing.T, format, text string) {
	text = document.DecodeText([]byte(text))
	lines := bytes.Count([]byte(text), []byte("\n")) + 1
	blocks, hidden := document.Parse(format, text)
	for _, b := range blocks {
		require.NotEmpty(t, b.Text)
		require.True(t, utf8.ValidString(b.Text))
		require.LessOrEqual(t, b.First, b.Last)
		require.LessOrEqual(t, b.Last, lines)
	}
	for _, h := range hidden {
		require.NotEmpty(t, h.Text)
		require.NotEmpty(t, h.Why)
		require.LessOrEqual(t, h.Line, lines)
	}
}

// FuzzMentions looks for paths in anything: what is found holds no control
// character, and a path of the tree that is alone is found.
func FuzzMentions(f *testing.F) {
	f.Add("See `src/x.py:12`, (./docs/y.md#L3) and https://e.org/z.py.")
	f.Add("src\\tools\\x.py {a,b}/*.go <x>/y.py **src/graph.py** tests::a::b")
	f.Add("....//..../[[[a/b.c]]] `a` `b/`` c`")
	f.Fuzz(func(t *testing.T, text string) {
		paths := document.Mentioned(text, files)
		for _, p := range paths {
			require.NotEmpty(t, p)
			require.False(t, bytes.ContainsAny([]byte(p), "\x00\x1b\n\t "), "%q", p)
			require.NotEqual(t, byte('/'), p[0])
		}
		if again := document.Mentioned("It is in src/graph.py.", files); !slices.Equal(again, []string{"src/graph.py"}) {
			t.Fatal(again)
		}
	})
}

// FuzzAnswer decodes anything as what the reading process wrote.
func FuzzAnswer(f *testing.F) {
	var b bytes.Buffer
	document.WriteText(&b, "text")
	f.Add(b.Bytes())
	b.Reset()
	document.WriteFailure(&b, "why")
	f.Add(b.Bytes())
	f.Add([]byte("{\"content\":{}}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		pages, pictures, blocks, err := document.ReadAnswer(data, 3)
		require.LessOrEqual(t, pages, 3)
		require.LessOrEqual(t, pictures, pages)
		if pages == 0 {
			require.Zero(t, blocks)
		}
		if len(data) < 4 {
			require.Error(t, err)
		}
	})
}

// FuzzJob gives the reading process anything to do. It stops, whatever it is.
func FuzzJob(f *testing.F) {
	f.Add([]byte("{\"format\":\"markdown\",\"size\":2,\"max_memory\":100}\n# "))
	f.Add([]byte("{}\n"))
	f.Add([]byte("{\"format\":\"markdown\",\"size\":-1}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if bytes.Contains(data, []byte("pdf")) { // takes seconds
			return
		}
		document.ChildMain(bytes.NewReader(data), &bytes.Buffer{})
	})
}
