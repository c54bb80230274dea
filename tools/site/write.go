package main

import (
	"bytes"
	"embed"
	"encoding/json"
	"html/template"
	"os"
	"path/filepath"
	"strings"
)

//go:embed assets
var assets embed.FS

// view is what the layout shows.
type view struct {
	Title, Up, Source string
	Page              *page
	Groups            []group
	Body              template.HTML
	Index, Playground bool // there is an index; this is the playground
}

// Open reports whether a part of the navigation has the page.
func (v view) Open(g group) bool {
	for _, l := range g.Links {
		if l.page == v.Page {
			return true
		}
	}
	return false
}

// Current reports whether a link of the navigation is the page.
func (v view) Current(l navLink) bool { return l.page == v.Page }

// To is the address of a link of the navigation.
func (v view) To(l navLink) string { return v.Up + l.page.out }

// write writes the site below dir.
func (s *site) write(dir string) error {
	layout, err := template.ParseFS(assets, "assets/layout.html")
	if err != nil {
		return err
	}
	groups := s.navigation()
	for _, p := range s.pages {
		var body bytes.Buffer
		if err := s.markdown.Renderer().Render(&body, p.text, p.tree); err != nil {
			return err
		}
		v := view{Title: p.title, Up: up(p.out), Source: repository + "/blob/main/" + p.source, Page: p, Groups: groups, Index: s.byPath[index] != nil, Body: finish(body.String())}
		if err := save(dir, p.out, execute(layout, v)); err != nil {
			return err
		}
	}
	form, err := assets.ReadFile("assets/playground.html")
	if err != nil {
		return err
	}
	v := view{Title: "Playground", Source: repository + "/tree/main/internal/playground", Groups: groups, Index: s.byPath[index] != nil, Body: template.HTML(form), Playground: true}
	if err := save(dir, playground, execute(layout, v)); err != nil {
		return err
	}
	return s.others(dir)
}

func execute(t *template.Template, v view) func() ([]byte, error) {
	return func() ([]byte, error) {
		var b bytes.Buffer
		err := t.Execute(&b, v)
		return b.Bytes(), err
	}
}

// finish makes what is wider than a screen scroll by itself, also by keyboard, and gives
// headings a link to themselves.
func finish(body string) template.HTML {
	body = strings.NewReplacer(
		"<table>", `<div class="scroll" role="group" aria-label="Table" tabindex="0"><table>`, "</table>", "</table></div>",
		"<th></th>", "<td></td>", "<pre>", `<pre tabindex="0">`,
		"<!-- raw HTML omitted -->\n", "", "<!-- raw HTML omitted -->", "",
	).Replace(body)
	var b strings.Builder
	for line := range strings.Lines(body) {
		if rest, ok := strings.CutPrefix(line, "<h"); ok && len(rest) > 1 && rest[0] >= '2' && rest[0] <= '6' {
			if _, id, found := strings.Cut(rest, ` id="`); found {
				id, _, _ = strings.Cut(id, `"`)
				line = strings.Replace(line, "</h", ` <a class="anchor" href="#`+id+`" aria-label="Link to this heading">#</a></h`, 1)
			}
		}
		b.WriteString(line)
	}
	return template.HTML(b.String())
}

// others writes all that is not a page.
func (s *site) others(dir string) error {
	for _, name := range s.images {
		err := save(dir, name, func() ([]byte, error) { return os.ReadFile(filepath.Join(s.root, filepath.FromSlash(name))) })
		if err != nil {
			return err
		}
	}
	for _, name := range []string{"site.css", "site.js", "icon.svg", "playground.js", "share.js", "completion.js"} {
		if err := save(dir, name, func() ([]byte, error) { return assets.ReadFile("assets/" + name) }); err != nil {
			return err
		}
	}
	return save(dir, "search.json", s.search)
}

// search is the index of the search: address, title and text of each part of each page.
func (s *site) search() ([]byte, error) {
	list := [][3]string{}
	for _, p := range s.pages {
		for _, part := range p.parts {
			if part.Title == "" && part.Text == "" {
				continue
			}
			address, title := p.out, p.title
			if part.ID != "" {
				address, title = p.out+"#"+part.ID, p.title+" › "+part.Title
			}
			list = append(list, [3]string{address, title, part.Text})
		}
	}
	return json.Marshal(list)
}

// save writes a file of the site.
func save(dir, name string, content func() ([]byte, error)) error {
	data, err := content()
	if err != nil {
		return err
	}
	name = filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, data, 0o644)
}
