package strictyaml

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf16"

	"go.yaml.in/yaml/v3"
)

// maxParts bounds how many top-level parts of a text that is not YAML are
// tried by themselves.
const maxParts = 500

// parse sets d.root to the document's top value, or leaves it nil in an
// empty document.
func (d *Document) parse() {
	text := asYAML(d.text)
	nodes, err := documents(text)
	switch {
	case err != nil:
		d.salvage(text, err)
	case len(nodes) > 0:
		d.root = nodes[0]
		if len(nodes) > 1 {
			d.doubt(nodes[1], "a second document begins here, and what follows has no effect: put it into a file of its own")
		}
	}
}

// documents returns the top values of the first two documents of a text that
// are not empty.
func documents(text string) (nodes []*yaml.Node, err error) {
	// The text is hostile and the parser is not ours: what it trips over is a
	// fault of the file, not the end of the process.
	defer func() {
		if r := recover(); r != nil {
			nodes, err = nil, fmt.Errorf("the text cannot be parsed (%v)", r)
		}
	}()
	dec := yaml.NewDecoder(strings.NewReader(text))
	for len(nodes) < 2 {
		var doc yaml.Node
		if err := dec.Decode(&doc); err != nil {
			if errors.Is(err, io.EOF) {
				break
			}
			return nodes, err
		}
		if len(doc.Content) == 1 && !isNull(doc.Content[0]) {
			nodes = append(nodes, doc.Content[0])
		}
	}
	return nodes, nil
}

// salvage reads what it can of a text that is not YAML: each part that begins
// with a key at the left margin is parsed by itself.
func (d *Document) salvage(text string, cause error) {
	d.doubts = true
	root := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Line: 1, Column: 1}
	told := false
	for _, p := range parts(text) {
		nodes, err := documents(p.text)
		if err != nil && d.tolerant {
			if mended := mend(p.text); mended != nil {
				d.syntaxProblem(err, p.line, p.text, true)
				nodes, err, told = mended, nil, true
			}
		}
		if err != nil {
			if !strings.Contains(err.Error(), "unknown anchor") {
				d.syntax = d.syntaxFault(err, p.line, p.text) || d.syntax
				told = true
			}
			continue
		}
		for _, n := range nodes {
			if n.Kind != yaml.MappingNode {
				continue
			}
			shift(n, p.line-1, 0)
			if len(root.Content) == 0 {
				root.Line = n.Line
			}
			root.Content = append(root.Content, n.Content...)
		}
	}
	if !told {
		d.syntax = true
		d.syntaxProblem(cause, 1, text, false)
	}
	if len(root.Content) > 0 {
		d.root = root
	}
}

type part struct {
	line int // of its first line, from 1
	text string
}

// parts cuts a text before every line that begins with a key.
func parts(text string) []part {
	var out []part
	line, begin := 1, 0
	add := func(end int) {
		if strings.TrimSpace(text[begin:end]) != "" {
			out = append(out, part{line, text[begin:end]})
		}
	}
	for i, number := 0, 1; i < len(text); number++ {
		end := len(text)
		if n := strings.IndexByte(text[i:], '\n'); n >= 0 {
			end = i + n + 1
		}
		if i > begin && startsWithKey(text[i:end]) {
			add(i)
			line, begin = number, i
			if len(out) == maxParts {
				return out
			}
		}
		i = end
	}
	add(len(text))
	return out
}

// startsWithKey reports whether a line begins, at its left margin, with a plain
// word and a colon.
func startsWithKey(line string) bool {
	i := 0
	for i < len(line) && (line[i] == '_' || line[i] == '-' && i > 0 ||
		'a' <= line[i] && line[i] <= 'z' || 'A' <= line[i] && line[i] <= 'Z' || '0' <= line[i] && line[i] <= '9') {
		i++
	}
	if i == 0 || i == len(line) || line[i] != ':' {
		return false
	}
	rest := line[i+1:]
	return rest == "" || strings.ContainsRune(" \t\r\n", rune(rest[0]))
}

// shift moves a node and all below it down by some lines.
func shift(n *yaml.Node, lines, depth int) {
	n.Line += lines
	if depth < 2*maxDepth {
		for _, c := range n.Content {
			shift(c, lines, depth+1)
		}
	}
}

// syntaxFault reports an error of the YAML parser about a part that begins at line
// first. It reports whether the document is broken by it: a key that is not vital is
// left out.
func (d *Document) syntaxFault(err error, first int, text string) (broken bool) {
	key, _, found := strings.Cut(text, ":")
	d.lost[key] = found
	broken = !d.tolerant || !found || !startsWithKey(text) || d.vital(key)
	d.syntaxProblem(err, first, text, !broken)
	return broken
}

func (d *Document) syntaxProblem(err error, first int, text string, warning bool) {
	message := strings.TrimPrefix(err.Error(), "yaml: ")
	line := 0
	if rest, ok := strings.CutPrefix(message, "line "); ok {
		if number, after, ok := strings.Cut(rest, ": "); ok {
			line, _ = strconv.Atoi(number)
			message = after
		}
	}
	// The parser counts lines from 0 in its own errors and from 1 in those of
	// its scanner, and drops a line that is 0.
	if strings.HasPrefix(message, "did not find expected") && !strings.HasSuffix(message, "alphabetic or numeric character") || line == 0 {
		line++
	}
	if name, ok := strings.CutPrefix(message, "unknown anchor '"); ok {
		name = "*" + strings.TrimSuffix(name, "' referenced")
		if i := strings.Index(text, name); i >= 0 {
			line = 1 + strings.Count(text[:i], "\n")
		}
	}
	line = min(line, 1+strings.Count(strings.TrimRight(text, "\n"), "\n"))
	d.add(first+line-1, 0, warning, "this is not YAML: "+message+hint(message))
}

// hint says what to write where the parser's words alone do not help.
func hint(message string) string {
	switch {
	case strings.Contains(message, "mapping values are not allowed"):
		return "; is a line indented too far, or does a text hold `: `? Put such a text in quotes"
	case strings.Contains(message, "alphabetic or numeric character"), strings.Contains(message, "unknown anchor"):
		return "; a text that begins with * or & has to stand in quotes: write \"**/*.ts\""
	case strings.Contains(message, "cannot start any token"):
		return "; indent with spaces, not tabs, and put a text that begins with @, ` or % in quotes"
	case strings.Contains(message, "violates indentation"), strings.Contains(message, "tab character"):
		return "; indent with spaces, not tabs"
	case strings.Contains(message, "unexpected end of stream"):
		return "; a quote or bracket that is opened here is never closed"
	case strings.Contains(message, "',' or ']'"):
		return "; close the list with ], and put a comma between its elements"
	case strings.Contains(message, "',' or '}'"):
		return "; close the mapping with }, and put a comma between its entries"
	case strings.Contains(message, "could not find expected ':'"):
		return "; write `key: value`, and indent the further lines of a text"
	case strings.Contains(message, "expected key"), strings.Contains(message, "'-' indicator"):
		return "; lines that belong together must be indented alike"
	case strings.Contains(message, "unknown escape"):
		return "; in double quotes a backslash is written twice; in single quotes it stands for itself"
	}
	return ""
}

// asYAML writes the escapes of a JSON text that the YAML parser does not take in
// the form that it takes: two-part ones for characters beyond U+FFFF, and the
// escaped slash.
func asYAML(text string) string {
	if !strings.Contains(text, `\`) || !json.Valid([]byte(text)) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		if text[i] != '\\' {
			b.WriteByte(text[i])
			i++
			continue
		}
		first := escaped(text[i:])
		switch {
		case text[i+1] == '/':
			b.WriteByte('/')
			i += 2
		case !utf16.IsSurrogate(first):
			b.WriteString(text[i : i+2])
			i += 2
		default:
			r := utf16.DecodeRune(first, escaped(text[i+6:]))
			fmt.Fprintf(&b, `\U%08x`, r)
			i += 6
			if r != '\uFFFD' {
				i += 6
			}
		}
	}
	return b.String()
}

// escaped returns the character of a \uXXXX at the beginning of s, or -1.
func escaped(s string) rune {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return -1
	}
	v, err := strconv.ParseUint(s[2:6], 16, 32)
	if err != nil {
		return -1
	}
	return rune(v)
}
