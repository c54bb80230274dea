package document

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image/png"

	"github.com/agentsentinel/sentinel/internal/audit"
)

// scanLetters is how many letters a document may have and still count as one
// without text: scanners and printers add page numbers and stamps.
const scanLetters = 20

// readPDF has the reading process convert the document, once.
func (d *Document) readPDF(ctx context.Context, data []byte, o *Options) error {
	if len(o.Reader) == 0 {
		return &Unreadable{Outcome: audit.NotAvailable, Reason: "no program is given that reads PDF"}
	}
	if int64(len(data)) > o.MaxMemory/2 {
		return &Unreadable{Outcome: audit.NotAvailable, Reason: fmt.Sprintf("it has %d bytes, too many for a reader with %d bytes of memory", len(data), o.MaxMemory)}
	}
	answer, err := convert(ctx, FormatPDF, data, o)
	if err != nil {
		return err
	}
	d.Pages, d.Blocks = compose(answer.text.Pages)
	broken := answer.broken()
	d.Cut = answer.text.Cut || broken != nil
	d.Render = answer.render(o)
	return d.textLayer(broken)
}

// broken is why a page could not be read; nil when all could.
func (a *answer) broken() error {
	for _, p := range a.text.Pages {
		if p.Err != "" {
			return fmt.Errorf("page %d: %s", p.Number, p.Err)
		}
	}
	return nil
}

// textLayer says when there is nothing to read in a PDF that could be opened;
// broken is why a page of it could not be read.
func (d *Document) textLayer(broken error) error {
	n, images := 0, 0
	for i := range d.Pages {
		n += letters(d.Pages[i].Text)
		images += d.Pages[i].Images
	}
	switch {
	case n > 0 && (n >= scanLetters || images == 0):
		return nil
	case broken != nil:
		return &Unreadable{Outcome: audit.Error, Reason: "its pages cannot be read", Err: broken}
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
		raw := a.text.Pages[p.Page-1]
		pictures[i] = Picture{Page: p.Page, PNG: p.PNG, Width: size.Width, Height: size.Height, Images: raw.Images, Paths: raw.Paths}
	}
	return func(context.Context) ([]Picture, error) { return pictures, err }
}
