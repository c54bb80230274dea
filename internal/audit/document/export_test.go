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
	return json.NewEncoder(w).Encode(message{Content: &content{Pages: []Page{{Number: 1}}, Blocks: []Block{{Page: 1, Text: text}}}})
}

// WriteFailure writes that a document cannot be read.
func WriteFailure(w io.Writer, reason string) error {
	return json.NewEncoder(w).Encode(message{Failure: &failure{Outcome: audit.NotAvailable, Reason: reason}})
}

// ReadAnswer reads what the reading process wrote about a document, and returns
// how many pages, pictures and blocks there are.
func ReadAnswer(data []byte, maxPages int) (pages, pictures, blocks int, err error) {
	a := &answer{}
	err = a.read(bytes.NewReader(data), int64(len(data)), maxPages)
	if a.content != nil {
		pages, blocks = len(a.content.Pages), len(a.content.Blocks)
	}
	return pages, len(a.pictures), blocks, err
}

// Understand reads what the reading process wrote about a document, at most so many
// bytes of it, and says why it is worth nothing; nil if it is worth something.
func Understand(maxPages int, written string, most int64) error {
	a := &answer{}
	err := a.read(strings.NewReader(written), most, maxPages)
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
	c := parse(format, text)
	return c.Blocks, c.Pages[0].Hidden
}
