package repo

import (
	"fmt"
	"strings"

	"github.com/agentsentinel/sentinel/internal/text"
)

// tomlTable is a table of a TOML document. Values are string, []any, tomlTable, and
// for numbers, dates and truth values tomlBare. Of the format everything is read
// that manifests are written in; what a value means beyond that is not checked.
type tomlTable map[string]any

type tomlBare string

// at returns the table below the keys, or none.
func (t tomlTable) at(keys ...string) tomlTable {
	for _, key := range keys {
		t, _ = t[key].(tomlTable)
	}
	return t
}

func (t tomlTable) value(key string) any { return t[key] }

// maxTOMLDepth bounds arrays and tables within each other.
const maxTOMLDepth = 50

// parseTOML reads a document. The error says on which line it is wrong.
func parseTOML(text string) (tomlTable, error) {
	p := &tomlParser{src: strings.ReplaceAll(text, "\r\n", "\n")}
	root := tomlTable{}
	current := root
	for {
		p.skip(true)
		if p.at == len(p.src) {
			return root, nil
		}
		var err error
		if p.src[p.at] == '[' {
			current, err = p.header(root)
		} else {
			err = p.pair(current, 0)
		}
		if err == nil {
			err = p.lineEnd()
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", 1+strings.Count(p.src[:min(p.at, len(p.src))], "\n"), err)
		}
	}
}

type tomlParser struct {
	src string
	at  int
}

// peek reports whether the text goes on with s.
func (p *tomlParser) peek(s string) bool { return strings.HasPrefix(p.src[p.at:], s) }

// skip passes over white space and comments, and over line feeds where lines says so.
func (p *tomlParser) skip(lines bool) {
	for p.at < len(p.src) {
		switch c := p.src[p.at]; {
		case c == ' ' || c == '\t' || lines && c == '\n':
			p.at++
		case c == '#':
			end := strings.IndexByte(p.src[p.at:], '\n')
			if end < 0 {
				end = len(p.src) - p.at
			}
			p.at += end
		default:
			return
		}
	}
}

func (p *tomlParser) lineEnd() error {
	p.skip(false)
	if p.at < len(p.src) && p.src[p.at] != '\n' {
		return fmt.Errorf("unexpected %q", p.src[p.at])
	}
	return nil
}

// header reads [a.b] or [[a.b]] and returns the table that follows.
func (p *tomlParser) header(root tomlTable) (tomlTable, error) {
	array := p.peek("[[")
	closing := "]"
	p.at++
	if array {
		p.at++
		closing = "]]"
	}
	keys, err := p.key()
	if err != nil {
		return nil, err
	}
	if !p.peek(closing) {
		return nil, fmt.Errorf("a header that %s does not close", closing)
	}
	p.at += len(closing)
	parent, err := descend(root, keys[:len(keys)-1])
	if err != nil {
		return nil, err
	}
	last := keys[len(keys)-1]
	if !array {
		return descend(parent, []string{last})
	}
	list, ok := parent[last].([]any)
	if parent[last] != nil && !ok {
		return nil, fmt.Errorf("%q is no array", text.Name(text.CutBytes(last, 60)))
	}
	table := tomlTable{}
	parent[last] = append(list, table)
	return table, nil
}

// descend returns the table below keys, which it makes where it is missing. Of an
// array of tables it is the last.
func descend(t tomlTable, keys []string) (tomlTable, error) {
	for _, key := range keys {
		switch v := t[key].(type) {
		case nil:
			next := tomlTable{}
			t[key] = next
			t = next
		case tomlTable:
			t = v
		case []any:
			last, ok := v[max(len(v)-1, 0)].(tomlTable)
			if !ok {
				return nil, fmt.Errorf("%q is no table", text.Name(text.CutBytes(key, 60)))
			}
			t = last
		default:
			return nil, fmt.Errorf("%q is no table", text.Name(text.CutBytes(key, 60)))
		}
	}
	return t, nil
}

// pair reads key = value.
func (p *tomlParser) pair(t tomlTable, depth int) error {
	keys, err := p.key()
	if err != nil {
		return err
	}
	if !p.peek("=") {
		return fmt.Errorf("a key without =")
	}
	p.at++
	p.skip(false)
	value, err := p.value(depth)
	if err != nil {
		return err
	}
	parent, err := descend(t, keys[:len(keys)-1])
	if err != nil {
		return err
	}
	parent[keys[len(keys)-1]] = value
	return nil
}

// key reads a, "a b" or a.b.
func (p *tomlParser) key() ([]string, error) {
	var keys []string
	for {
		p.skip(false)
		if p.at == len(p.src) {
			return nil, fmt.Errorf("the text ends within a key")
		}
		if c := p.src[p.at]; c == '"' || c == '\'' {
			s, err := p.text()
			if err != nil {
				return nil, err
			}
			keys = append(keys, s)
		} else {
			end := strings.IndexFunc(p.src[p.at:], func(r rune) bool {
				return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' && r != '-'
			})
			if end < 0 {
				end = len(p.src) - p.at
			}
			if end == 0 {
				return nil, fmt.Errorf("%q is no key", c)
			}
			keys = append(keys, p.src[p.at:p.at+end])
			p.at += end
		}
		p.skip(false)
		if !p.peek(".") || len(keys) > maxTOMLDepth {
			return keys, nil
		}
		p.at++
	}
}

func (p *tomlParser) value(depth int) (any, error) {
	if p.at == len(p.src) || depth > maxTOMLDepth {
		return nil, fmt.Errorf("no value")
	}
	switch p.src[p.at] {
	case '"', '\'':
		return p.text()
	case '[':
		return p.array(depth)
	case '{':
		return p.inline(depth)
	}
	end := strings.IndexAny(p.src[p.at:], ",]}#\n")
	if end < 0 {
		end = len(p.src) - p.at
	}
	bare := strings.TrimSpace(p.src[p.at : p.at+end])
	if bare == "" {
		return nil, fmt.Errorf("no value")
	}
	p.at += end
	return tomlBare(bare), nil
}

func (p *tomlParser) array(depth int) (any, error) {
	list := []any{}
	p.at++
	for {
		p.skip(true)
		if p.peek("]") {
			p.at++
			return list, nil
		}
		v, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
		p.skip(true)
		if p.peek(",") {
			p.at++
		} else if !p.peek("]") {
			return nil, fmt.Errorf("an array that ] does not close")
		}
	}
}

func (p *tomlParser) inline(depth int) (any, error) {
	table := tomlTable{}
	p.at++
	for {
		p.skip(true)
		if p.peek("}") {
			p.at++
			return table, nil
		}
		if err := p.pair(table, depth+1); err != nil {
			return nil, err
		}
		p.skip(true)
		if p.peek(",") {
			p.at++
		} else if !p.peek("}") {
			return nil, fmt.Errorf("a table that } does not close")
		}
	}
}

// text reads a string in one of the four ways to write it. Escapes other than \"
// and \\ stay as they are written: no name or version has them.
func (p *tomlParser) text() (string, error) {
	quote := p.src[p.at : p.at+1]
	if long := strings.Repeat(quote, 3); p.peek(long) {
		quote = long
	}
	p.at += len(quote)
	var b strings.Builder
	for p.at < len(p.src) {
		switch c := p.src[p.at]; {
		case p.peek(quote):
			p.at += len(quote)
			return b.String(), nil
		case c == '\n' && len(quote) == 1:
			return "", fmt.Errorf("a string that %s does not close", quote)
		case c == '\\' && quote[0] == '"' && p.at+1 < len(p.src):
			if next := p.src[p.at+1]; next != '"' && next != '\\' {
				b.WriteByte(c)
			}
			b.WriteByte(p.src[p.at+1])
			p.at += 2
		default:
			b.WriteByte(c)
			p.at++
		}
	}
	return "", fmt.Errorf("a string that %s does not close", quote)
}
