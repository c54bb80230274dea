package repo

import (
	"fmt"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/agentsentinel/sentinel/internal/lazy"
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

// tomlText matches the strings and comments of a document. Two more quotes may end a text of
// several lines: they belong to it.
var tomlText = lazy.Regexp{Source: `(?s)"""(?:\\.|[^\\])*?"{3,5}|'''.*?'{3,5}|"(?:\\.|[^"\\\n])*"|'[^'\n]*'|#[^\n]*`}

// deepLine returns the first line, from 1, on which text is too deep, and
// 0 where none does. Strings and comments do not count. A broken document
// may be counted wrongly: the parser stops where it is broken.
func deepLine(text string) int {
	text = tomlText.Get().ReplaceAllStringFunc(text, func(s string) string { return strings.Repeat("\n", strings.Count(s, "\n")) })
	line, brackets, dots := 1, 0, 0
	for i := range len(text) {
		switch text[i] {
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
		}
		if brackets > maxTOMLDepth || dots >= maxTOMLKey {
			return line
		}
	}
	return 0
}
