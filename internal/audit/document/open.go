package document

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/digest"
	"github.com/agentsentinel/sentinel/internal/safefile"
)

// Open reads the document at path once. For an unreadable document the error is an
// [*Unreadable], and the Document has its name for the evidence; that of a scanned
// PDF has pages and pictures, too. Any other error is that of ctx, without a
// Document.
func Open(ctx context.Context, path string, o *Options) (*Document, error) {
	all := o.orDefaults()
	d := &Document{Name: filepath.ToSlash(path)}
	err := d.open(ctx, path, &all)
	var u *Unreadable
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("document: %s: %w", d.Name, ctx.Err())
	case errors.As(err, &u):
		u.Name = d.Name
		d.Unreadable = u
		return d, u
	case err != nil:
		d.Unreadable = &Unreadable{Name: d.Name, Outcome: audit.Error, Reason: "it could not be read", Err: err}
		return d, d.Unreadable
	}
	return d, nil
}

func (d *Document) open(ctx context.Context, path string, o *Options) error {
	data, err := readFile(path, o.MaxBytes)
	if err != nil {
		return err
	}
	d.Digest = digest.Hex(data)
	if d.Format, err = format(path, data); err != nil {
		return err
	}
	if d.Format != FormatPDF {
		if data = []byte(decodeText(data)); len(data) > o.MaxText {
			return &Unreadable{Outcome: audit.NotAvailable, Reason: fmt.Sprintf("it has %d bytes of text, and at most %d are read", len(data), o.MaxText)}
		}
	}
	return d.read(ctx, data, o)
}

// readFile reads a regular file of at most limit bytes; it follows links.
func readFile(path string, limit int64) ([]byte, error) {
	f, info, err := safefile.Open(path)
	switch {
	case errors.Is(err, safefile.ErrNotRegular):
		return nil, &Unreadable{Outcome: audit.Error, Reason: "it is no regular file"}
	case err != nil:
		return nil, &Unreadable{Outcome: audit.Error, Reason: "it cannot be opened", Err: err}
	}
	defer f.Close()
	switch {
	case info.Size() == 0:
		return nil, &Unreadable{Outcome: audit.NotAvailable, Reason: "it is empty (0 bytes)"}
	case info.Size() > limit:
		return nil, tooLarge(info.Size(), limit)
	}
	var b bytes.Buffer
	b.Grow(int(info.Size()) + bytes.MinRead)
	if _, err := io.Copy(&b, io.LimitReader(f, limit+1)); err != nil {
		return nil, &Unreadable{Outcome: audit.Error, Reason: "it cannot be read", Err: err}
	}
	if int64(b.Len()) > limit { // it has grown meanwhile
		return nil, tooLarge(int64(b.Len()), limit)
	}
	return b.Bytes(), nil
}

func tooLarge(size, limit int64) *Unreadable {
	return &Unreadable{Outcome: audit.NotAvailable, Reason: fmt.Sprintf("it has %d bytes, and at most %d are read", size, limit)}
}

// pdfWithin is the last place of the PDF header in a file (PDF 1.7, annex H,
// implementation note 13).
const pdfWithin = 1024

// format returns the format of a document: PDF by its content alone, the others by
// their name. A file that is not text has none.
func format(path string, data []byte) (string, error) {
	ext := strings.ToLower(filepath.Ext(path))
	head := data[:min(len(data), pdfWithin)]
	switch {
	case bytes.HasPrefix(data, []byte("%PDF-")), ext == ".pdf" && bytes.Contains(head, []byte("%PDF-")):
		return FormatPDF, nil
	case ext == ".pdf":
		return "", &Unreadable{Outcome: audit.Error, Reason: "it is called .pdf, and its content is no PDF"}
	case !isText(data):
		return "", &Unreadable{Outcome: audit.Error, Reason: "its content is neither PDF nor text"}
	}
	switch start := bytes.ToLower(bytes.TrimSpace(head)); {
	case ext == ".md", ext == ".markdown", ext == ".mdown", ext == ".mkd":
		return FormatMarkdown, nil
	case ext == ".html", ext == ".htm", ext == ".xhtml", bytes.HasPrefix(start, []byte("<!doctype html")), bytes.HasPrefix(start, []byte("<html")):
		return "", &Unreadable{Outcome: audit.Error, Reason: "it is HTML, which is not read: give it as PDF, Markdown or text"}
	}
	return FormatText, nil
}
