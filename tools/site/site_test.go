package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"
)

// files writes a repository.
func files(t *testing.T, content map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range content {
		require.NoError(t, save(root, name, func() ([]byte, error) { return []byte(text), nil }))
	}
	return root
}

func TestProblems(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"[a](docs/gone.md)":               `docs/x.md: the link "docs/gone.md" leads to nothing: there is no docs/docs/gone.md`,
		"[a](y.md#gone)":                  `docs/x.md: the link "y.md#gone" leads to no heading of docs/y.md`,
		"[a](#gone)":                      `leads to no heading of docs/x.md`,
		"[a](../../outside)":              "leads to nothing",
		"[a](/etc/passwd)":                "neither a web address nor a path",
		"[a](javascript:alert)":           "neither a web address nor a path",
		"[a](//example.org/x)":            "neither a web address nor a path",
		"![](images/a.png)":               "has no text for those who do not see it",
		"![a](images/gone.png)":           "is not a file below docs",
		"![a](https://example.org/a.png)": "is not a file below docs",
		"a <b>bold</b> word":              `HTML is not shown: write Markdown instead of "<b>"`,
		"<div>\nx\n</div>":                "HTML is not shown",
		"[a](y.md) [b](y.md#ö-two-three-1) [c](images) [d](../LICENSE) [e](#the-title) ![p](images/a.png) [f](https://example.org) <!-- note -->\n\n<!--\nx\n-->": "",
	} {
		root := files(t, map[string]string{
			"README.md": "# Home\n\n[x](docs/x.md)\n", "docs/x.md": "# The *title*\n\n" + text + "\n", "docs/images/a.png": "x", "LICENSE": "x",
			"docs/y.md": "# Y\n\n## Ö (two), `three`\n\n## ö two  three\n",
		})
		err := run(root, t.TempDir(), false)
		if want == "" {
			require.NoError(t, err, text)
		} else {
			require.ErrorContains(t, err, want, text)
		}
	}
	require.ErrorContains(t, run(files(t, map[string]string{"README.md": "# a", "docs/x.md": "text"}), t.TempDir(), false), `docs/x.md: it has no title`)
	require.Error(t, run(t.TempDir(), t.TempDir(), false))
}

// The index orders the navigation; what it leaves out follows by folder.
func TestNavigation(t *testing.T) {
	t.Parallel()
	root := files(t, map[string]string{
		"README.md": "# Home", "docs/b.md": "# B", "docs/a.md": "# A", "docs/late.md": "# Late", "docs/agents/one.md": "# One",
		"docs/README.md": "# Manual\n\n[late.md](late.md)\n\n## Begin\n\n- [b](b.md), [a](a.md#a)\n\n## Agents\n\n[again](a.md) [one](agents/one.md)\n",
	})
	s, err := read(root)
	require.NoError(t, err)
	s.link()
	require.Empty(t, s.problems)
	var body bytes.Buffer
	require.NoError(t, s.markdown.Renderer().Render(&body, s.byPath[index].text, s.byPath[index].tree))
	require.Contains(t, body.String(), `<a href="../docs/late.html">Late</a>`, "a link that says the file says the title")
	var got []string
	for _, g := range s.navigation() {
		for _, l := range g.Links {
			got = append(got, g.Title+": "+l.Title)
		}
	}
	require.Equal(t, []string{"Begin: B", "Begin: A", "Agents: One", "Manual: Late"}, got)
}

func TestPaint(t *testing.T) {
	t.Parallel()
	for _, tt := range [][3]string{
		{"yaml", "a: \"<b>\" # c", `<span class="k">a:</span> <span class="s">&#34;&lt;b&gt;&#34;</span><span class="c"> # c</span>`},
		{"console", "$ ls # x", `<span class="k">$ </span>ls<span class="c"> # x</span>`},
		{"", "<a> & b", "&lt;a&gt; &amp; b"},
		{"json", `{"a": "b"}`, `{<span class="k">&#34;a&#34;:</span> <span class="s">&#34;b&#34;</span>}`},
	} {
		require.Equal(t, tt[2], paint(tt[0], tt[1]))
	}
}

// TestSite builds the site of this repository twice: both are the same, and each link of
// each page leads to a file of the site and to something in it.
func TestSite(t *testing.T) {
	t.Parallel()
	var contents [2]map[string]string
	for i := range contents {
		dir := t.TempDir()
		require.NoError(t, run(filepath.Join("..", ".."), dir, false))
		contents[i] = map[string]string{}
		require.NoError(t, filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				data, readErr := os.ReadFile(name)
				rel, _ := filepath.Rel(dir, name)
				contents[i][filepath.ToSlash(rel)], err = string(data), readErr
			}
			return err
		}))
	}
	require.Equal(t, contents[0], contents[1])
	pages := map[string]*doc{}
	for name, text := range contents[0] {
		if strings.HasSuffix(name, ".html") {
			pages[name] = parse(t, text)
		}
	}
	require.Greater(t, len(pages), 50)
	for name, d := range pages {
		for _, to := range d.links {
			require.NoError(t, leads(name, to, contents[0], pages), name)
		}
	}
}

// A doc is what a page has and asks for.
type doc struct {
	ids   map[string]bool
	links []string
}

func parse(t *testing.T, text string) *doc {
	t.Helper()
	root, err := html.Parse(strings.NewReader(text))
	require.NoError(t, err)
	d := &doc{ids: map[string]bool{}}
	for n := range root.Descendants() {
		for _, a := range n.Attr {
			require.False(t, strings.HasPrefix(a.Key, "on") || a.Key == "style", "%s: the page's policy refuses it", a.Key)
			switch a.Key {
			case "id":
				require.False(t, d.ids[a.Val], "twice: %s", a.Val)
				d.ids[a.Val] = true
			case "href", "src":
				d.links = append(d.links, a.Val)
				require.False(t, n.Data != "a" && strings.Contains(a.Val, ":"), "loaded from elsewhere: %s", a.Val)
			}
		}
	}
	return d
}

func leads(from, to string, files map[string]string, pages map[string]*doc) error {
	u, err := url.Parse(to)
	if err != nil || u.Scheme != "" {
		return err
	}
	name := from
	if u.Path != "" {
		name = path.Join(path.Dir(from), u.Path)
	}
	if _, there := files[name]; !there {
		return fmt.Errorf("%s leads to nothing", to)
	}
	if u.Fragment != "" && !pages[name].ids[u.Fragment] {
		return fmt.Errorf("%s: there is no such part", to)
	}
	return nil
}
