package repo

import (
	"fmt"
	"strings"

	"github.com/BurntSushi/toml"
)

// tomlTable is a table of a TOML document, with values as package toml decodes
// them into map[string]any.
type tomlTable map[string]any

// at returns the table below the keys, or none.
func (t tomlTable) at(keys ...string) tomlTable {
	for _, key := range keys {
		next, _ := t[key].(map[string]any)
		t = next
	}
	return t
}

// The parser recurses for each level, and takes quadratic time for a long key.
const (
	maxTOMLDepth = 50 // arrays and tables within each other
	maxTOMLKey   = 16 // parts of a dotted key
)

// parseTOML reads a document. The error says on which line it is wrong.
func parseTOML(text string) (tomlTable, error) {
	if line := deepLine(text); line > 0 {
		return nil, fmt.Errorf("line %d: more levels within each other than are read", line)
	}
	var doc tomlTable
	_, err := toml.Decode(text, &doc)
	return doc, err
}

// deepLine returns the first line, from 1, on which text is too deep, and
// 0 where none does. Strings and comments do not count. A broken document
// may be counted wrongly: the parser stops where it is broken.
func deepLine(text string) int {
	line, brackets, dots := 1, 0, 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '\n':
			line, dots = line+1, 0
		case '[', '{':
			brackets, dots = brackets+1, 0
		case ']', '}':
			brackets, dots = max(brackets-1, 0), 0
		case '=', ',':
			dots = 0
		case '.':
			dots++
		case '#':
			for i+1 < len(text) && text[i+1] != '\n' {
				i++
			}
		case '"', '\'':
			end := stringEnd(text[i:])
			line += strings.Count(text[i:i+end], "\n")
			i += end - 1
		}
		if brackets > maxTOMLDepth || dots >= maxTOMLKey {
			return line
		}
	}
	return 0
}

// stringEnd returns the length of the string that text begins with: up to the
// same quotes again, or to the end of the line, or of the text where three
// quotes begin it. Two more quotes may end such a text: they belong to it.
func stringEnd(text string) int {
	quote, multiline := text[:1], false
	if long := strings.Repeat(quote, 3); strings.HasPrefix(text, long) {
		quote, multiline = long, true
	}
	for i := len(quote); i < len(text); i++ {
		switch {
		case strings.HasPrefix(text[i:], quote):
			end := i + len(quote)
			for multiline && end < min(i+5, len(text)) && text[end] == text[0] {
				end++
			}
			return end
		case text[i] == '\\' && text[0] == '"':
			i++
		case text[i] == '\n' && !multiline:
			return i
		}
	}
	return len(text)
}
