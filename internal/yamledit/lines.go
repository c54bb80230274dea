package yamledit

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// lines is a file by its lines, without their ends.
type lines struct {
	text []string
	end  string // of a line: \n, or \r\n where the file has that
}

func newLines(data []byte) *lines {
	l := &lines{end: "\n"}
	s := string(data)
	if strings.Contains(s, "\r\n") {
		l.end = "\r\n"
	}
	s = strings.TrimSuffix(strings.ReplaceAll(s, "\r\n", "\n"), "\n")
	if s != "" {
		l.text = strings.Split(s, "\n")
	}
	return l
}

func (l *lines) bytes() []byte { return []byte(strings.Join(l.text, l.end) + l.end) }

// splice replaces lines from (inclusive) to to (exclusive), counted from 0.
func (l *lines) splice(from, to int, with ...string) []byte {
	l.text = append(append(append([]string{}, l.text[:from]...), with...), l.text[to:]...)
	return l.bytes()
}

// lastOf is how many lines there are up to the last one of n; next is the first
// line, from 1, of what comes behind it. Blank lines and comments between the
// two belong to what comes.
func (l *lines) lastOf(n *yaml.Node, next int) int {
	last := min(next-1, len(l.text))
	for last >= n.Line && passive(l.text[last-1]) {
		last--
	}
	return last
}

// passive reports whether a line is blank or a comment. In a text block such a
// line may be text; the check of the result sees to that.
func passive(line string) bool {
	line = strings.TrimSpace(line)
	return line == "" || line[0] == '#' || line == "..."
}

// insert adds the key of path, with what holds it, behind line after.
func (l *lines) insert(after, indent int, path []string, text string) []byte {
	return l.splice(after, after, nested(indent, path, text)...)
}

func nested(indent int, path []string, text string) []string {
	var add []string
	for i, key := range path {
		line := strings.Repeat(" ", indent+2*i) + keyText(key) + ":"
		if i == len(path)-1 {
			line += " " + text
		}
		add = append(add, line)
	}
	return add
}

// keyText quotes a key that would be read as something else.
func keyText(key string) string {
	if text, err := inline(key); err == nil {
		return text
	}
	return key
}

// nest gives a key that holds nothing yet its first entries.
func (l *lines) nest(key, value *yaml.Node, next int, path []string, text string) ([]byte, error) {
	head, comment := l.head(key, value)
	at := key.Line - 1
	first := head
	if comment != "" {
		first += " " + comment
	}
	return l.splice(at, max(l.lastOf(key, next), at+1), append([]string{first}, nested(key.Column+1, path, text)...)...), nil
}

// replace gives a key another value. A comment behind the old one stays.
func (l *lines) replace(key, value *yaml.Node, next int, text string) ([]byte, error) {
	head, comment := l.head(key, value)
	line := head + " " + text
	if comment != "" {
		line += l.gap(key, comment) + comment
	}
	at := key.Line - 1
	to := at + 1
	if value.Line > key.Line || value.Kind != yaml.ScalarNode || value.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 || l.spans(key, next) {
		to = max(l.lastOf(key, next), to)
	}
	return l.splice(at, to, line), nil
}

// spans reports whether lines behind the key's own belong to its value: a text
// that goes on there.
func (l *lines) spans(key *yaml.Node, next int) bool { return l.lastOf(key, next) > key.Line }

// head is the line of a key up to its colon, and the comment at the line's end.
func (l *lines) head(key, value *yaml.Node) (head, comment string) {
	line := l.text[key.Line-1]
	comment = value.LineComment
	if comment == "" {
		comment = key.LineComment
	}
	if comment != "" && !strings.HasSuffix(strings.TrimRight(line, " \t"), comment) {
		comment = ""
	}
	begin := len(string([]rune(line)[:key.Column-1]))
	rest := line[begin:]
	if i := strings.Index(rest, key.Value); i >= 0 {
		begin += i + len(key.Value)
	}
	if i := strings.IndexByte(line[begin:], ':'); i >= 0 {
		begin += i + 1
	}
	return line[:begin], comment
}

// gap is the space before a comment, as it was.
func (l *lines) gap(key *yaml.Node, comment string) string {
	line := strings.TrimRight(l.text[key.Line-1], " \t")
	before := strings.TrimSuffix(line, comment)
	if space := before[len(strings.TrimRight(before, " \t")):]; space != "" {
		return space
	}
	return " "
}

// rewrite replaces an element of a list, in braces on one line, with one key of it
// changed. Its other values keep their quotes.
func (l *lines) rewrite(item *yaml.Node, next int, path []string, text string) ([]byte, error) {
	at := item.Line - 1
	if l.lastOf(item, next) > item.Line {
		return nil, fmt.Errorf("yamledit: line %d: an element over several lines is not edited; edit the file by hand", item.Line)
	}
	head := string([]rune(l.text[at])[:item.Column-1])
	comment := item.LineComment
	gap := ""
	if comment != "" {
		gap = l.gap(item, comment)
	}
	body := text
	if len(path) > 0 {
		var err error
		if body, err = changed(item, path, text); err != nil {
			return nil, err
		}
	}
	return l.splice(at, at+1, head+body+gap+comment), nil
}

// changed writes a mapping on one line with the value of a key replaced or added.
func changed(item *yaml.Node, path []string, text string) (string, error) {
	if item.Kind != yaml.MappingNode || len(path) != 1 {
		return "", fmt.Errorf("yamledit: line %d: only a key of an element is edited; edit the file by hand", item.Line)
	}
	var value yaml.Node
	if err := yaml.Unmarshal([]byte(text), &value); err != nil {
		return "", fmt.Errorf("yamledit: %w", err)
	}
	n := *item
	n.Content, n.LineComment, n.HeadComment, n.FootComment = append([]*yaml.Node(nil), item.Content...), "", "", ""
	if i := find(&n, path[0]); i >= 0 {
		n.Content[i+1] = value.Content[0]
	} else {
		n.Content = append(n.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: path[0]}, value.Content[0])
	}
	return oneLine(&n)
}
