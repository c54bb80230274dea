// Package yamledit changes one value of a YAML file and leaves every other byte
// as it is: comments, order, blank lines, quotes.
//
// It edits the text at the place that the parser names, and believes the result
// only if it parses to what was meant. What it cannot do safely (anchors, flow
// mappings, several documents) it refuses, naming the line to edit by hand.
package yamledit

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Set returns data with the value of a key replaced or added. path names the
// key from the root: backends, ollama, url; the element of a list by its number
// from 0: tests, 3, answer. value is a scalar, a list or a map of scalars, or nil
// for null; it is written on one line.
func Set(data []byte, path []string, value any) ([]byte, error) {
	if len(path) == 0 {
		return nil, errors.New("yamledit: no key")
	}
	text, err := inline(value)
	if err != nil {
		return nil, err
	}
	root, want, err := parse(data)
	if err != nil {
		return nil, err
	}
	if want, err = with(want, path, value); err != nil {
		return nil, err
	}
	out, err := edit(newLines(data), root, path, text)
	if err != nil {
		return nil, err
	}
	if _, got, err := parse(out); err != nil || !reflect.DeepEqual(got, want) {
		return nil, fmt.Errorf("yamledit: %s cannot be changed without touching more; edit the file by hand", strings.Join(path, "."))
	}
	return out, nil
}

// inline writes a value on one line.
func inline(value any) (string, error) {
	var n yaml.Node
	if err := n.Encode(value); err != nil {
		return "", fmt.Errorf("yamledit: %w", err)
	}
	return oneLine(&n)
}

func oneLine(n *yaml.Node) (string, error) {
	flow(n)
	b, err := yaml.Marshal(n)
	if err != nil {
		return "", fmt.Errorf("yamledit: %w", err)
	}
	text := strings.TrimRight(string(b), "\n")
	if strings.Contains(text, "\n") { // a long text that would be folded
		return "", errors.New("yamledit: the value does not fit on one line")
	}
	return text, nil
}

func flow(n *yaml.Node) {
	n.Style &^= yaml.LiteralStyle | yaml.FoldedStyle
	if n.Kind == yaml.ScalarNode {
		if strings.ContainsAny(n.Value, "\n\r") {
			n.Style = yaml.DoubleQuotedStyle
		}
		return
	}
	n.Style |= yaml.FlowStyle
	for _, c := range n.Content {
		flow(c)
	}
}

// parse returns the one document of data, as a node (nil when there is nothing
// in it) and as values.
func parse(data []byte) (*yaml.Node, any, error) {
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc yaml.Node
	switch err := dec.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return nil, nil, nil
	case err != nil:
		return nil, nil, fmt.Errorf("yamledit: %w", err)
	}
	if err := dec.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return nil, nil, errors.New("yamledit: the file holds more than one document")
	}
	if err := plain(&doc); err != nil {
		return nil, nil, err
	}
	var values any
	if err := doc.Decode(&values); err != nil {
		return nil, nil, fmt.Errorf("yamledit: %w", err)
	}
	root := doc.Content[0]
	if root.Kind == yaml.ScalarNode && root.Tag == "!!null" {
		return nil, nil, nil
	}
	return root, values, nil
}

// plain refuses what gives one text two places.
func plain(n *yaml.Node) error {
	if n.Anchor != "" || n.Kind == yaml.AliasNode {
		return fmt.Errorf("yamledit: line %d: anchors are not edited; edit the file by hand", n.Line)
	}
	for _, c := range n.Content {
		if err := plain(c); err != nil {
			return err
		}
	}
	return nil
}

// with is what the document shall mean.
func with(values any, path []string, value any) (any, error) {
	if len(path) == 0 {
		var v any
		b, err := yaml.Marshal(value)
		if err == nil {
			err = yaml.Unmarshal(b, &v)
		}
		return v, err
	}
	if values == nil {
		values = map[string]any{}
	}
	if list, ok := values.([]any); ok {
		i, err := index(path[0], len(list))
		if err != nil {
			return nil, err
		}
		list[i], err = with(list[i], path[1:], value)
		return list, err
	}
	m, ok := values.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("yamledit: what should hold %s is no mapping", path[0])
	}
	below, err := with(m[path[0]], path[1:], value)
	if err != nil {
		return nil, err
	}
	m[path[0]] = below
	return m, nil
}

// edit finds the place and puts the text there.
func edit(l *lines, n *yaml.Node, path []string, text string) ([]byte, error) {
	if n == nil { // nothing in it but comments
		return l.insert(len(l.text), 0, path, text), nil
	}
	next := len(l.text) + 1 // the first line behind what belongs to n
	for {
		switch {
		case n.Kind == yaml.SequenceNode:
			i, err := index(path[0], len(n.Content))
			if err != nil {
				return nil, err
			}
			if i+1 < len(n.Content) {
				next = n.Content[i+1].Line
			}
			item := n.Content[i]
			if path = path[1:]; len(path) == 0 || item.Kind != yaml.MappingNode || item.Style&yaml.FlowStyle != 0 {
				return l.rewrite(item, next, path, text)
			}
			n = item
			continue
		case n.Kind != yaml.MappingNode:
			return nil, fmt.Errorf("yamledit: line %d: %s is no mapping", n.Line, path[0])
		case n.Style&yaml.FlowStyle != 0:
			return nil, fmt.Errorf("yamledit: line %d: a mapping in braces is not edited; edit the file by hand", n.Line)
		}
		i := find(n, path[0])
		if i < 0 {
			return l.insert(l.lastOf(n, next), n.Content[0].Column-1, path, text), nil
		}
		key, value := n.Content[i], n.Content[i+1]
		if i+2 < len(n.Content) {
			next = n.Content[i+2].Line
		}
		if path = path[1:]; len(path) == 0 {
			return l.replace(key, value, next, text)
		}
		if empty(value) {
			return l.nest(key, value, next, path, text)
		}
		n = value
	}
}

// index reads the number of an element in a list of n.
func index(s string, n int) (int, error) {
	i, err := strconv.Atoi(s)
	if err != nil || i < 0 || i >= n {
		return 0, fmt.Errorf("yamledit: %q is no element of a list of %d", s, n)
	}
	return i, nil
}

func find(n *yaml.Node, key string) int {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return i
		}
	}
	return -1
}

func empty(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.Tag == "!!null" || n.Kind == yaml.MappingNode && len(n.Content) == 0
}
