package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// What a rate may be, in 1,000 words; a file needs some words to have one.
const (
	most        = 2
	mostOfAFile = 4
	someWords   = 300
)

// TestRate holds the rate of the comments and of the pages. -v prints that of each file.
func TestRate(t *testing.T) {
	t.Parallel()
	files, err := Read(os.DirFS(filepath.Join("..", "..")))
	require.NoError(t, err)
	if testing.Verbose() {
		var b bytes.Buffer
		report(&b, files, true)
		t.Log("\n" + b.String())
	}
	for _, kind := range []string{Comments, Docs} {
		hits, words := total(files, kind)
		require.Greater(t, words, 50_000, kind)
		require.LessOrEqual(t, rate(hits, words), float64(most), "%s: run go run ./tools/prose -v", kind)
		t.Logf("%s: %.2f in 1,000 of %d words", kind, rate(hits, words), words)
	}
	for _, f := range files {
		if f.Kind == Comments && f.Words > someWords && f.Rate() > mostOfAFile {
			t.Errorf("%s: %.1f in 1,000 words, and %d is the most: %v", f.Name, f.Rate(), mostOfAFile, f.Hits)
		}
	}
}

// TestTurns: each turn is found in the first sentences, and not in the others.
func TestTurns(t *testing.T) {
	t.Parallel()
	sentences := map[string]struct{ found, not []string }{
		"is no": {
			[]string{"It is no verdict.", "Two are none of ours.", "These were no rules."},
			[]string{"There is no server.", "It is no longer there.", "There are none.", "It is no more than that.", "It is not a verdict."},
		},
		"a clause as subject": {
			[]string{"What the model is sent stands in a file.", "Nothing else. Who waits for it gets it.", "Whoever starts it is asked."},
			[]string{"What is a rule?", "Whatever a server sends, the answer is read.", "It says what the rule is.", "What does it cost, and who is asked?"},
		},
		"nobody":              {[]string{"This is work that nobody waits for.", "Whoever reads it."}, []string{"No user waits.", "It is unknown."}},
		"nothing as negation": {[]string{"Nothing of it is kept.", "It says nothing of that."}, []string{"Nothing is sent.", "It costs nothing."}},
		"stands":              {[]string{"It stands there.", "They stand in a list.", "It stood in a file."}, []string{"The standard error.", "We understand it.", "A stand-alone program."}},
		"beside, anew":        {[]string{"A file beside it.", "It begins anew."}, []string{"Besides, it is small.", "A new file."}},
		"leaves behind":       {[]string{"It leaves a child behind.", "It was left behind."}, []string{"A server behind a proxy.", "It leaves the list."}},
		"who without a head":  {[]string{"It is for who asks next.", "It tells who waits."}, []string{"The user who asks.", "A test for whose sake."}},
		"what is not":         {[]string{"It replaces bytes for what is no text.", "It warns of what has not ended."}, []string{"It is what it was.", "That is what is sent."}},
		"of which":            {[]string{"A list of which two count.", "A key by which it is found."}, []string{"It asks which of them.", "A list, two of them count."}},
		"a fronted object":    {[]string{"Kept is the last line.", "Of an output only the line counts."}, []string{"The last line is kept.", "Of course, it is kept.", "One of a kind is kept."}},
		"told of":             {[]string{"The user is told of it.", "They are told apart.", "There is no way out."}, []string{"The user is told once."}},
		"a private word":      {[]string{"Text that speaks to its reader.", "The sitting ends."}, []string{"It speaks HTTP.", "A lane of traffic."}},
	}
	turns := Turns()
	for _, turn := range turns {
		tt, ok := sentences[turn.Name]
		require.True(t, ok, "%s has no sentences", turn.Name)
		require.NotEmpty(t, turn.Instead, turn.Name)
		for _, text := range tt.found {
			require.NotEmpty(t, Hits([]Turn{turn}, text), "%s: %s", turn.Name, text)
		}
		for _, text := range tt.not {
			require.Empty(t, Hits([]Turn{turn}, text), "%s: %s", turn.Name, text)
		}
		delete(sentences, turn.Name)
	}
	require.Empty(t, sentences)
}

// TestRead: only prose is read, and a sentence may go on in the next line.
func TestRead(t *testing.T) {
	t.Parallel()
	root := fstest.MapFS{}
	for name, text := range map[string]string{
		"a.go":              "// Package a is\n// no list.\npackage a\n\n//go:generate nobody\n\nvar s = \"nobody\" // plain\n",
		"testdata/b.go":     "// nobody\n",
		"packs/p/r.yaml":    "# Nobody\n# reads it.\nid: nobody\nmessage: It stands there.\n",
		"docs/a.md":         "# Nobody\n\nIt is `no nobody`.\n\n```\nnobody\n```\n\n| a | nobody |\n",
		"README.md":         "It is plain.\n",
		"other/README.md":   "nobody\n",
		".github/nobody.md": "nobody\n",
	} {
		root[name] = &fstest.MapFile{Data: []byte(text)}
	}
	files, err := Read(root)
	require.NoError(t, err)
	got := map[string][]string{}
	for _, f := range files {
		got[f.Name] = []string{}
		for _, h := range f.Hits {
			got[f.Name] = append(got[f.Name], h.Text)
		}
	}
	require.Equal(t, map[string][]string{
		"a.go": {"a is no list"}, "packs/p/r.yaml": {"stands", "Nobody"}, "docs/a.md": {"Nobody", "nobody"}, "README.md": {},
	}, got)
	root["packs/p/r.yaml"].Data = []byte("a: [")
	_, err = Read(root)
	require.ErrorContains(t, err, "packs/p/r.yaml")
}

func TestReport(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	report(&b, []File{
		{Name: "a.go", Kind: Comments, Words: 100},
		{Name: "b.go", Kind: Comments, Words: 100, Hits: []Hit{{"nobody", "Nobody"}}},
		{Name: "c.md", Kind: Docs, Words: 50, Hits: []Hit{{"stands", "stands"}}},
	}, true)
	require.Equal(t, "  20.0  c.md, 1 in 50 words\n        stands: stands\n  10.0  b.go, 1 in 100 words\n        nobody: Nobody\n"+
		"comments: 5.00 in 1,000 of 200 words\ndocs: 20.00 in 1,000 of 50 words\n", b.String())
}
