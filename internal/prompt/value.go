package prompt

import (
	"strings"
	"unicode/utf8"

	"github.com/agentsentinel/sentinel/internal/text"
)

// Limits of values, in characters.
const (
	commandMax = 8000 // a command is judged whole up to here
	summaryMax = 8000 // action_summary holds a command; session_context is some 150 words
	lineMax    = 1000 // paths and names
	inlineMax  = 200  // a longer command or summary becomes a block
)

// A value is a variable's text, cleaned and cut, ready for a prompt.
type value struct {
	text  string
	block bool // between fence lines, not a JSON string
	line  bool // has no honest line break
}

// values are the variables that one template names.
type values struct {
	byName map[string]value
	order  []string
}

// newValues asks vars for each variable of parts once.
func newValues(parts []part, vars Vars, o Options) values {
	v := values{byName: map[string]value{}}
	if vars == nil {
		return v
	}
	for _, p := range parts {
		if p.name == "" {
			continue
		}
		if _, done := v.byName[p.name]; done {
			continue
		}
		raw, ok := vars(p.name)
		if !ok {
			continue
		}
		v.byName[p.name] = render(p.name, raw, o)
		v.order = append(v.order, p.name)
	}
	return v
}

// shown lists the texts in the order in which the template first names them.
func (v values) shown() []string {
	texts := make([]string, 0, 2*len(v.order))
	for _, name := range v.order {
		texts = append(texts, name, v.byName[name].text)
	}
	return texts
}

// render cleans and cuts one value by the limits of its variable.
func render(name, raw string, o Options) value {
	switch name {
	case "content_snippet", "mcp_arguments", "tool_output":
		return asBlock(text.Snippet(raw, o.contentMax()))
	case "session_context":
		return asBlock(text.Middle(raw, summaryMax))
	case "command":
		return asLineOrBlock(text.Middle(raw, commandMax))
	case "action_summary":
		return asLineOrBlock(text.Middle(raw, summaryMax))
	case "file_path", "tool_name", "server_name", "mcp_tool", "trigger", "content_length":
		return value{text: text.Middle(raw, lineMax), line: true}
	}
	return asLineOrBlock(text.Snippet(raw, o.contentMax())) // an embedder's own variable
}

// asBlock fences a text; an empty one becomes "" since there is nothing to fence.
func asBlock(s string) value { return value{text: s, block: s != ""} }

func asLineOrBlock(s string) value {
	if strings.Contains(s, "\n") || utf8.RuneCountInString(s) > inlineMax {
		return asBlock(s)
	}
	return value{text: s}
}

// plain is the value in a text for people: a path that holds line
// breaks shows them instead of breaking the line.
func (v value) plain() string {
	if !v.line {
		return v.text
	}
	return text.ShowBreaks(v.text)
}

// quote returns s as a JSON string. s was cleaned: only quotes, backslashes,
// line feeds and tabs need care. A character that cleaning escaped shows two
// backslashes.
func quote(s string) string { return `"` + inner(s) + `"` }

// inner is the part of a JSON string between its quotes.
func inner(s string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`).Replace(s)
}
