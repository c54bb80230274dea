package document

import (
	"bytes"
	"context"
	"encoding/binary"
	"strings"
	"unicode"
	"unicode/utf16"

	"github.com/agentsentinel/sentinel/internal/audit"
)

// Limits of a document without pages.
const (
	maxBlocks = 100_000
	maxHidden = 1000 // texts
)

// readText reads a document without pages, in the reading process where there is
// one: 1 MB of hostile Markdown keeps its parser busy for many minutes, and the parser
// cannot be stopped from outside.
func (d *Document) readText(ctx context.Context, text string, o *Options) error {
	p, err := parseApart(ctx, d.Format, text, o)
	if err != nil {
		return err
	}
	d.Blocks, d.Cut = p.Blocks, p.Cut
	d.Pages = []Page{{Number: 1, Text: joinBlocks(p.Blocks), Hidden: p.Hidden}}
	if letters(d.Pages[0].Text) == 0 {
		return &Unreadable{Outcome: audit.NotAvailable, Reason: "it holds no text"}
	}
	return nil
}

func parseApart(ctx context.Context, format, text string, o *Options) (*parsed, error) {
	if format == FormatText || len(o.Reader) == 0 {
		return parse(format, text), nil
	}
	a, err := convert(ctx, format, []byte(text), o)
	if err != nil {
		return nil, err
	}
	return a.parsed, nil
}

// parse reads a document without pages in this process.
func parse(format, text string) *parsed {
	p := &parsed{}
	if format == FormatMarkdown {
		p.Blocks, p.Hidden = markdownBlocks(text)
	} else {
		p.Blocks = textBlocks(text)
	}
	if p.Cut = len(p.Blocks) > maxBlocks; p.Cut {
		p.Blocks = p.Blocks[:maxBlocks]
	}
	p.Hidden = p.Hidden[:min(len(p.Hidden), maxHidden)]
	return p
}

// utf16Order returns the byte order of text that begins with a mark of it.
func utf16Order(data []byte) binary.ByteOrder {
	switch {
	case bytes.HasPrefix(data, []byte{0xff, 0xfe}):
		return binary.LittleEndian
	case bytes.HasPrefix(data, []byte{0xfe, 0xff}):
		return binary.BigEndian
	}
	return nil
}

// isText reports whether data reads as text: it has no zero bytes, unless it is
// UTF-16 and says so.
func isText(data []byte) bool {
	return utf16Order(data) != nil || !bytes.Contains(data, []byte{0})
}

// decodeText returns UTF-8 with lines that end in \n. Invalid bytes become U+FFFD.
func decodeText(data []byte) string {
	text := string(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")))
	if order := utf16Order(data); order != nil {
		wide := make([]uint16, (len(data)-2)/2)
		for i := range wide {
			wide[i] = order.Uint16(data[2+2*i:])
		}
		text = string(utf16.Decode(wide))
	}
	text = strings.ToValidUTF8(text, "\uFFFD")
	return strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
}

// textBlocks reads plain text: paragraphs are parted by empty lines.
func textBlocks(text string) []Block {
	var blocks []Block
	var part []string
	first, n := 0, 0
	end := func() {
		if len(part) > 0 {
			blocks = append(blocks, Block{Text: strings.Join(part, " "), Page: 1, First: first, Last: first + len(part) - 1})
		}
		part = nil
	}
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSpace(line)
		if line == "" {
			end()
			continue
		}
		if len(part) == 0 {
			first = n
		}
		part = append(part, line)
	}
	end()
	return blocks
}

// joinBlocks is the text of a page: blocks are parted by an empty line.
func joinBlocks(blocks []Block) string {
	parts := make([]string, len(blocks))
	for i := range blocks {
		parts[i] = blocks[i].Text
	}
	return strings.Join(parts, "\n\n")
}

// letters counts letters and digits.
func letters(text string) int {
	n := 0
	for _, r := range text {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			n++
		}
	}
	return n
}
