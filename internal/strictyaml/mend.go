package strictyaml

import (
	"strings"

	"github.com/agentsentinel/sentinel/internal/lazy"
	"go.yaml.in/yaml/v3"
)

// mend returns the top values of a part of a text that is not YAML, after what people
// most often leave out was put in; nil when that does not help. The part begins with a
// key.
func mend(part string) []*yaml.Node {
	if !startsWithKey(part) {
		return nil
	}
	for _, mended := range []func(string) string{spaces, quoteItems, quoteLine, closeWith("]"), closeWith("}"), closeWith(`"]`), closeWith(`"`), closeWith("'")} {
		text := mended(part)
		if text == "" {
			continue
		}
		if nodes, err := documents(text); err == nil && len(nodes) == 1 && nodes[0].Kind == yaml.MappingNode && len(nodes[0].Content) == 2 && said(nodes[0].Content[1]) {
			return nodes
		}
	}
	return nil
}

// said reports whether a mended value says anything: an empty list was not meant.
func said(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Value != "" || len(n.Content) > 0 }

// closeWith closes what a part of one value opens and does not close.
func closeWith(end string) func(string) string {
	return func(part string) string {
		part = strings.TrimRight(part, ", \t\r\n")
		if end == `"]` {
			part = strings.TrimSuffix(part, "]")
		}
		return part + end + "\n"
	}
}

// quoteLine puts a text of one line in quotes. One that opens a list, a mapping or a
// quote itself was meant to be that.
func quoteLine(part string) string {
	key, rest, _ := strings.Cut(strings.TrimRight(part, "\r\n"), ":")
	several := strings.Contains(rest, "\n")
	rest = strings.TrimSpace(rest)
	if rest == "" || several || strings.ContainsAny(rest[:1], `[{"'|>#`) {
		return ""
	}
	return key + ": " + quote(rest) + "\n"
}

// spaces indents by spaces what is indented by tabs.
func spaces(part string) string {
	lines := strings.SplitAfter(part, "\n")
	for i, line := range lines {
		rest := strings.TrimLeft(line, " \t")
		lines[i] = strings.ReplaceAll(line[:len(line)-len(rest)], "\t", "    ") + rest
	}
	return strings.Join(lines, "")
}

// openItem is a list element that begins with what means something to YAML.
var openItem = lazy.Regexp{Source: `(?m)^(\s*- +)([*&!%@` + "`" + `].*?)\s*$`}

// quoteItems puts the elements of a list that begin with such a character in quotes.
func quoteItems(part string) string {
	if !openItem.Get().MatchString(part) {
		return ""
	}
	return openItem.Get().ReplaceAllStringFunc(part, func(line string) string {
		m := openItem.Get().FindStringSubmatch(line)
		return m[1] + quote(m[2])
	})
}

func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }
