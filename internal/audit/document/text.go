package document

import (
	"bytes"
	"encoding/binary"
	"strings"
	"unicode"
	"unicode/utf16"
)

// Limits of a document without pages.
const (
	maxBlocks = 100_000
	maxHidden = 1000 // texts
)

// parse reads a document without pages in this process.
func parse(format, text string) *content {
	c, hidden := &content{}, []Hidden(nil)
	if format == FormatMarkdown {
		c.Blocks, hidden = markdownBlocks(text)
	} else {
		c.Blocks = textBlocks(text)
	}
	if c.Cut = len(c.Blocks) > maxBlocks; c.Cut {
		c.Blocks = c.Blocks[:maxBlocks]
	}
	c.Pages = []Page{{Number: 1, Hidden: hidden[:min(len(hidden), maxHidden)]}}
	return c
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
