// Package document reads the documents of the audited side: PDF, Markdown and text.
// It finds terms in them, and whether the paths that they name exist.
//
// A document is hostile. pdfium, compiled to WebAssembly, reads PDF in a process of
// its own that is killed when it takes too long: see [Options] and [ChildMain].
// The statements of a document are claims ([audit.KindClaim]); only counts about
// the document itself are facts.
package document

import (
	"context"
	"fmt"

	"github.com/agentsentinel/sentinel/internal/audit"
)

// The formats of documents.
const (
	FormatPDF      = "pdf"
	FormatMarkdown = "markdown"
	FormatText     = "text"
)

// Document is a document that was read once, for its text and its pictures
// alike. It is not changed after [Open]: any number of goroutines may read it.
type Document struct {
	Name   string // as it was given, with slashes
	Format string // pdf, markdown, text; "" when that could not be told
	Digest string // sha256 of its bytes, in hex
	Pages  []Page // of a PDF; the other formats have one
	Blocks []Block
	Cut    bool // not all of its text was read: there is more than [Options.MaxText], or a page is broken

	// Unreadable says why its text could not be read; nil if it was.
	// [Investigate] and [Paths] say so in their evidence.
	Unreadable *Unreadable
	// Render gives the pages that hold diagrams; nil when the format has none.
	Render func(ctx context.Context) ([]Picture, error)
}

// Page is one page.
type Page struct {
	Number int    // from 1
	Text   string `json:"-"` // visible text in reading order, with an empty line between paragraphs
	Images int    // embedded images of at least 200 pixels in width and height
	Paths  int    // vector paths, those in nested forms counted too
	Hidden []Hidden
}

// Diagram reports whether the page may hold a diagram: an image of at least 200
// pixels, or at least 40 vector paths.
func (p *Page) Diagram() bool { return p.Images > 0 || p.Paths >= diagramPaths }

const diagramPaths = 40

// Hidden is text that a machine reads and a person does not see. [Page.Text] does
// not include it, except text behind a scanned picture.
type Hidden struct {
	Text string
	Why  string // "invisible", "white on white", "smaller than 2 pt", "transparent", "outside the page", "hidden by style", …
	Line int    // of a format with lines, from 1
}

// BlockKind is the kind of a part of a document.
type BlockKind uint8

// The kinds of blocks.
const (
	Paragraph BlockKind = iota
	Heading
	ListItem
	TableRow
	Code
	Quote
)

// Block is one part of a document: a paragraph, a heading, an item.
type Block struct {
	Kind  BlockKind
	Text  string // lines joined by spaces; code keeps its lines
	Page  int    // from 1
	First int    // line in a format that has lines, from 1; 0 in a PDF
	Last  int    // inclusive

	soft string // Text with U+00AD where a hyphen at the end of a line was taken out; "" if none was
}

// Section is the part of a document under one heading.
type Section struct {
	Title  string // "" before the first heading
	Page   int
	First  int // line of the heading; 0 in a PDF
	Last   int
	Blocks []Block // without the heading
}

// Picture is a rendered page.
type Picture struct {
	Page          int
	PNG           []byte
	Width, Height int // pixels; the longest side has at most 1568
	Images, Paths int // as of the page
}

// Pictures returns the pages with diagrams, rendered, in the order of pages. An
// error says why some are missing; the others come with it.
func (d *Document) Pictures(ctx context.Context) ([]Picture, error) {
	if d.Render == nil {
		return nil, nil
	}
	return d.Render(ctx)
}

// Sections returns the document's blocks by heading. Headings of every level
// begin a section.
func (d *Document) Sections() []Section {
	var all []Section
	for _, b := range d.Blocks {
		if b.Kind == Heading || len(all) == 0 {
			all = append(all, Section{Page: b.Page, First: b.First})
		}
		s := &all[len(all)-1]
		s.Last = b.Last
		if b.Kind == Heading {
			s.Title = b.Text
			continue
		}
		s.Blocks = append(s.Blocks, b)
	}
	return all
}

// Unreadable says that a document could not be read. That is not a fact about its
// content.
type Unreadable struct {
	Name    string
	Outcome audit.Outcome // NotAvailable: encrypted, scanned, too large; Error: broken, or the reader failed
	Reason  string
	Err     error // nil when the reason says all
}

// Error returns the name and the reason.
func (u *Unreadable) Error() string {
	if u.Err != nil {
		return fmt.Sprintf("document: %s: %s: %v", u.Name, u.Reason, u.Err)
	}
	return fmt.Sprintf("document: %s: %s", u.Name, u.Reason)
}

// Unwrap returns the cause.
func (u *Unreadable) Unwrap() error { return u.Err }
