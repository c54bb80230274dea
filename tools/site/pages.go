package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

const (
	home       = "https://agentsentinel.github.io/sentinel/" // where the site is published
	repository = "https://github.com/agentsentinel/sentinel"
	playground = "playground.html"
	index      = "docs/README.md" // the order of the navigation
)

// A page is a Markdown file of the repository.
type page struct {
	source string // its path from the root, with slashes
	out    string // that of the page in the site
	title  string
	text   []byte
	tree   ast.Node
	ids    map[string]bool
	parts  []part
}

// A part is a heading and what follows it, for the search.
type part struct {
	ID, Title string
	Text      string
}

// A site is all pages, and the images that they show.
type site struct {
	root     string
	pages    []*page
	byPath   map[string]*page // by source
	images   []string
	problems []error
	markdown goldmark.Markdown
}

// read reads the pages of a repository.
func read(root string) (*site, error) {
	s := &site{root: root, byPath: map[string]*page{}, markdown: goldmark.New(
		goldmark.WithExtensions(extension.Table, extension.Strikethrough),
		goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(codeRenderer{}, 100))),
	)}
	names := []string{"README.md"}
	err := filepath.WalkDir(filepath.Join(root, "docs"), func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(name, ".md") {
			rel, _ := filepath.Rel(root, name)
			names = append(names, filepath.ToSlash(rel))
		}
		return err
	})
	for _, name := range names {
		if err == nil {
			err = s.add(name)
		}
	}
	return s, err
}

func (s *site) add(name string) error {
	data, err := os.ReadFile(filepath.Join(s.root, filepath.FromSlash(name)))
	if err != nil {
		return err
	}
	p := &page{source: name, text: data, ids: map[string]bool{}}
	dir, base := path.Split(name)
	if base == "README.md" {
		base = "index.md"
	}
	p.out = dir + strings.TrimSuffix(base, ".md") + ".html"
	p.tree = s.markdown.Parser().Parse(text.NewReader(data), parser.WithContext(parser.NewContext()))
	s.outline(p)
	s.pages = append(s.pages, p)
	s.byPath[name] = p
	return nil
}

// outline gives the headings of a page the names that code hosts give them, and finds what
// the search shows.
func (s *site) outline(p *page) {
	p.parts = []part{{}}
	for n := p.tree.FirstChild(); n != nil; n = n.NextSibling() {
		h, ok := n.(*ast.Heading)
		if !ok {
			last := &p.parts[len(p.parts)-1]
			last.Text = strings.TrimSpace(last.Text + " " + words(n, p.text))
			continue
		}
		title := words(h, p.text)
		id := slug(title)
		for i, base := 1, id; p.ids[id]; i++ {
			id = fmt.Sprintf("%s-%d", base, i)
		}
		p.ids[id] = true
		h.SetAttributeString("id", []byte(id))
		if p.title == "" && h.Level == 1 {
			p.title, id = title, ""
		}
		p.parts = append(p.parts, part{ID: id, Title: title})
	}
	if p.title == "" {
		s.problem(p, "it has no title: begin it with \"# …\"")
	}
}

func (s *site) problem(p *page, format string, args ...any) {
	s.problems = append(s.problems, errors.New(p.source+": "+fmt.Sprintf(format, args...)))
}

// slug is the name of a heading in addresses.
func slug(title string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r):
			return unicode.ToLower(r)
		}
		return -1
	}, title)
}

// words is the text of a node, on one line.
func words(n ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Text:
			if entering {
				b.Write(n.Value(source))
				if n.SoftLineBreak() || n.HardLineBreak() {
					b.WriteByte(' ')
				}
			}
		case *ast.FencedCodeBlock, *ast.CodeBlock:
			if entering {
				b.Write(n.Lines().Value(source))
			}
		default:
			if n.Type() == ast.TypeBlock && !entering {
				b.WriteByte(' ')
			}
		}
		return ast.WalkContinue, nil
	})
	return strings.Join(strings.Fields(b.String()), " ")
}

// link makes the links of all pages those of the site, and finds those that lead nowhere.
func (s *site) link() {
	for _, p := range s.pages {
		_ = ast.Walk(p.tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
			switch n := n.(type) {
			case *ast.Link:
				if entering {
					s.named(p, n)
					n.Destination = []byte(s.target(p, string(n.Destination)))
				}
			case *ast.Image:
				if entering {
					s.image(p, n)
				}
			case *ast.HTMLBlock:
				if text := string(n.Lines().Value(p.text)); entering && !strings.HasPrefix(strings.TrimSpace(text), "<!--") {
					s.problem(p, "HTML is not shown: write Markdown instead of %q", strings.TrimSpace(text))
				}
			case *ast.RawHTML:
				if text := string(n.Segments.Value(p.text)); entering && !strings.HasPrefix(text, "<!--") {
					s.problem(p, "HTML is not shown: write Markdown instead of %q", text)
				}
			}
			return ast.WalkContinue, nil
		})
	}
}

// named gives a link that says only the file of a page the page's title.
func (s *site) named(p *page, n *ast.Link) {
	to, _, _ := strings.Cut(string(n.Destination), "#")
	other := s.byPath[path.Join(path.Dir(p.source), to)]
	if said := words(n, p.text); other == nil || other.title == "" || said != to && said != path.Base(to) {
		return
	}
	n.RemoveChildren(n)
	n.AppendChild(n, ast.NewString([]byte(other.title)))
}

// target is where a link of a page leads in the site.
func (s *site) target(p *page, to string) string {
	if rest, ours := strings.CutPrefix(to, home); ours && (rest == "" || rest == playground) {
		return relative(p.out, cmp.Or(rest, "index.html"))
	}
	u, err := url.Parse(to)
	switch {
	case err != nil:
		s.problem(p, "the link %q cannot be read: %v", to, err)
		return to
	case u.Scheme == "https", u.Scheme == "http", u.Scheme == "mailto":
		return to
	case u.Scheme != "" || u.Host != "" || strings.HasPrefix(u.Path, "/"):
		s.problem(p, "the link %q is neither a web address nor a path from the page", to)
		return to
	}
	name := p.source
	if u.Path != "" {
		name = path.Join(path.Dir(p.source), u.Path)
	}
	other := s.byPath[name]
	if other == nil {
		other = s.byPath[path.Join(name, "README.md")]
	}
	if other == nil {
		return s.file(p, to, name)
	}
	if u.Fragment != "" && !other.ids[u.Fragment] {
		s.problem(p, "the link %q leads to no heading of %s", to, other.source)
	}
	out := ""
	if other != p {
		out = relative(p.out, other.out)
	}
	if u.Fragment != "" {
		out += "#" + u.EscapedFragment()
	}
	return out
}

// file is the address of a file or a folder that is not a page.
func (s *site) file(p *page, to, name string) string {
	info, err := os.Stat(filepath.Join(s.root, filepath.FromSlash(name)))
	if err != nil || strings.HasPrefix(name, "../") {
		s.problem(p, "the link %q leads to nothing: there is no %s", to, name)
		return to
	}
	if info.IsDir() {
		return repository + "/tree/main/" + name
	}
	return repository + "/blob/main/" + name
}

// image makes the image part of the site.
func (s *site) image(p *page, n *ast.Image) {
	to := string(n.Destination)
	name := path.Join(path.Dir(p.source), to)
	info, err := os.Stat(filepath.Join(s.root, filepath.FromSlash(name)))
	if err != nil || !info.Mode().IsRegular() || !strings.HasPrefix(name, "docs/") {
		s.problem(p, "the image %q is not a file below docs", to)
		return
	}
	if words(n, p.text) == "" {
		s.problem(p, "the image %q has no text for those who do not see it: write ![what it shows](…)", to)
	}
	if !slices.Contains(s.images, name) {
		s.images = append(s.images, name)
	}
	n.Destination = []byte(relative(p.out, name))
}

// relative is the address of a file of the site as seen from another one.
func relative(from, to string) string {
	return up(from) + to
}

// up leads from a file of the site to its top.
func up(from string) string { return strings.Repeat("../", strings.Count(from, "/")) }

// A group is a part of the navigation.
type group struct {
	Title string
	Links []navLink
}

type navLink struct {
	page  *page
	Title string
}

// navigation is the order of the pages: that of the index, then all others by their folder.
func (s *site) navigation() []group {
	var groups []group
	seen := map[*page]bool{s.byPath["README.md"]: true, s.byPath[index]: true}
	add := func(title string, p *page) {
		if p == nil || seen[p] {
			return
		}
		seen[p] = true
		at := slices.IndexFunc(groups, func(g group) bool { return g.Title == title })
		if at < 0 {
			at = len(groups)
			groups = append(groups, group{Title: title})
		}
		groups[at].Links = append(groups[at].Links, navLink{p, p.title})
	}
	if p := s.byPath[index]; p != nil {
		s.ordered(p, add)
	}
	for _, p := range s.pages {
		title := "Manual"
		if dir := strings.TrimPrefix(path.Dir(p.source), "docs"); len(dir) > 1 {
			title = strings.ToUpper(dir[1:2]) + strings.ReplaceAll(dir[2:], "/", ": ")
		}
		add(title, p)
	}
	return groups
}

// ordered calls add for each page that the index links below a heading.
func (s *site) ordered(p *page, add func(title string, p *page)) {
	title := ""
	byOut := map[string]*page{}
	for _, other := range s.pages {
		byOut[relative(p.out, other.out)] = other
	}
	_ = ast.Walk(p.tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Heading:
			if entering && n.Level == 2 {
				title = words(n, p.text)
			}
		case *ast.Link:
			if to, _, _ := strings.Cut(string(n.Destination), "#"); entering && title != "" {
				add(title, byOut[to])
			}
		}
		return ast.WalkContinue, nil
	})
}
