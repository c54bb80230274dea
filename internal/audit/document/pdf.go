package document

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image/png"
	"strings"

	"github.com/agentsentinel/sentinel/internal/audit"
)

// scanLetters is how many letters a document may have and still count as one
// without text: scanners and printers add page numbers and stamps.
const scanLetters = 20

// read reads a document: PDF and Markdown in the reading process, because 1 MB of hostile
// Markdown keeps its parser busy for many minutes, and the parser cannot be stopped from
// outside.
func (d *Document) read(ctx context.Context, data []byte, o *Options) error {
	pdf := d.Format == FormatPDF
	switch {
	case pdf && len(o.Reader) == 0:
		return &Unreadable{Outcome: audit.NotAvailable, Reason: "no program is given that reads PDF"}
	case pdf && int64(len(data)) > o.MaxMemory/2:
		return &Unreadable{Outcome: audit.NotAvailable, Reason: fmt.Sprintf("it has %d bytes, too many for a reader with %d bytes of memory", len(data), o.MaxMemory)}
	case d.Format == FormatText || len(o.Reader) == 0:
		return d.take(parse(d.Format, string(data)))
	}
	answer, err := convert(ctx, d.Format, data, o)
	if err != nil {
		return err
	}
	if pdf {
		d.Render = answer.render(o)
	}
	return d.take(answer.content)
}

// take makes the document of what was read, and says when there is nothing to read in it.
func (d *Document) take(c *content) error {
	harden(c.Blocks)
	d.Pages, d.Blocks, d.Cut = c.Pages, c.Blocks, c.Cut
	texts := make([][]string, len(d.Pages))
	for i := range d.Blocks {
		b := &d.Blocks[i]
		texts[b.Page-1] = append(texts[b.Page-1], b.Text)
	}
	n, images := 0, 0
	for i := range d.Pages {
		d.Pages[i].Text = strings.Join(texts[i], "\n\n")
		n += letters(d.Pages[i].Text)
		images += d.Pages[i].Images
	}
	switch {
	case n > 0 && (n >= scanLetters || images == 0):
		return nil
	case d.Format != FormatPDF:
		return &Unreadable{Outcome: audit.NotAvailable, Reason: "it holds no text"}
	case c.Broken != "":
		return &Unreadable{Outcome: audit.Error, Reason: "its pages cannot be read", Err: errors.New(c.Broken)}
	case images > 0:
		return &Unreadable{Outcome: audit.NotAvailable, Reason: fmt.Sprintf("it has no text layer: %d pages are pictures, as a scanner makes them", len(d.Pages))}
	}
	return &Unreadable{Outcome: audit.NotAvailable, Reason: "it has no text layer"}
}

// render returns the function behind [Document.Pictures]; the pictures were made
// with the text.
func (a *answer) render(o *Options) func(context.Context) ([]Picture, error) {
	var err error
	switch {
	case o.NoPictures:
		err = errors.New("document: pages were not rendered, as was asked")
	case a.done.Unrendered != "":
		err = errors.New("document: " + a.done.Unrendered)
	}
	pictures := make([]Picture, len(a.pictures))
	for i, p := range a.pictures {
		size, _ := png.DecodeConfig(bytes.NewReader(p.PNG)) // it was asked before
		raw := a.content.Pages[p.Page-1]
		pictures[i] = Picture{Page: p.Page, PNG: p.PNG, Width: size.Width, Height: size.Height, Images: raw.Images, Paths: raw.Paths}
	}
	return func(context.Context) ([]Picture, error) { return pictures, err }
}
