package document

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"

	"github.com/agentsentinel/sentinel/internal/audit"
)

// WriteText writes the text of a document with one page, as the reading process
// does, and does not end the answer.
func WriteText(w io.Writer, text string) error {
	page := &rawPage{Number: 1, Lines: []rawLine{{Text: text, Size: 11}}}
	return json.NewEncoder(w).Encode(message{Text: &pdfText{Pages: []*rawPage{page}}})
}

// WriteFailure writes that a document cannot be read.
func WriteFailure(w io.Writer, reason string) error {
	return json.NewEncoder(w).Encode(message{Failure: &failure{Outcome: audit.NotAvailable, Reason: reason}})
}

// ReadAnswer reads what the reading process wrote about a document, and returns
// how many pages, pictures and blocks there are.
func ReadAnswer(format string, data []byte, maxPages int) (pages, pictures, blocks int, err error) {
	a := &answer{format: format}
	err = a.read(bytes.NewReader(data), int64(len(data)), maxPages)
	if a.parsed != nil {
		blocks = len(a.parsed.Blocks)
	}
	if a.text != nil {
		pages = len(a.text.Pages)
	}
	return pages, len(a.pictures), blocks, err
}

// Understand reads what the reading process wrote about a document, at most so many
// bytes of it, and says why it is worth nothing; nil if it is worth something.
func Understand(format, written string, most int64) error {
	a := &answer{format: format}
	err := a.read(strings.NewReader(written), most, 10)
	_, err = a.understand(ending{reading: err}, &Options{})
	return err
}

// Mentioned lists the paths that a text names.
func Mentioned(text string, files []string) (paths []string) {
	for _, m := range mentions(context.Background(), &Document{}, &Block{Text: text, Page: 1}, newTree(files)) {
		paths = append(paths, m.path)
	}
	return paths
}

// DecodeText is the text of a file.
var DecodeText = decodeText

// Parse returns the blocks and the hidden texts.
func Parse(format, text string) ([]Block, []Hidden) {
	p := parse(format, text)
	return p.Blocks, p.Hidden
}
