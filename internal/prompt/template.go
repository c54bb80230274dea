package prompt

import (
	"cmp"
	"strings"
	"unicode/utf8"

	"github.com/agentsentinel/sentinel/internal/text"
)

// A Variable is one {{name}} in a template.
type Variable struct {
	Name   string
	Offset int // byte offset of its "{{" in the template
}

// Variables lists every {{name}} of a template in order, repeated ones too. A
// name is letters, digits, "_" and "-"; spaces may be between it and the
// braces. Braces around anything else, such as ${{ github.ref }}, are text.
func Variables(tmpl string) []Variable {
	var vars []Variable
	offset := 0
	for _, p := range parse(tmpl) {
		if p.name != "" {
			vars = append(vars, Variable{Name: p.name, Offset: offset})
		}
		offset += len(p.text)
	}
	return vars
}

// A part is a piece of a template as written; name is set when it is a variable.
type part struct {
	text string
	name string
}

// parse splits a template. The texts of the parts, joined, are the template.
func parse(tmpl string) []part {
	var parts []part
	literal := 0 // start of the text that is not in parts yet
	for i := 0; ; {
		open := strings.Index(tmpl[i:], "{{")
		if open < 0 {
			break
		}
		i += open
		name, size := variable(tmpl[i:])
		if size == 0 {
			i++ // "{{{x}}" holds "{{x}}" one byte further on
			continue
		}
		if literal < i {
			parts = append(parts, part{text: tmpl[literal:i]})
		}
		parts = append(parts, part{text: tmpl[i : i+size], name: name})
		i += size
		literal = i
	}
	if literal < len(tmpl) {
		parts = append(parts, part{text: tmpl[literal:]})
	}
	return parts
}

// variable reads the {{name}} that s begins with; size is 0 if s begins with anything else.
func variable(s string) (name string, size int) {
	i := skipBlanks(s, len("{{"))
	start := i
	for i < len(s) && isNameByte(s[i]) {
		i++
	}
	name = s[start:i]
	i = skipBlanks(s, i)
	if name == "" || !strings.HasPrefix(s[i:], "}}") {
		return "", 0
	}
	return name, i + len("}}")
}

func skipBlanks(s string, i int) int {
	for i < len(s) && (s[i] == ' ' || s[i] == '\t') {
		i++
	}
	return i
}

func isNameByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '-'
}

// Limits of values, in characters.
const (
	commandMax = 8000 // a command is judged whole up to here
	summaryMax = 8000 // action_summary holds a command; session_context is some 150 words
	lineMax    = 4096 // paths and names: the longest path of most systems
	inlineMax  = 200  // a longer command or summary becomes a block
)

// A value is a variable's text, cleaned and cut, ready for a prompt.
type value struct {
	raw   string
	text  string
	block bool // between fence lines, not a JSON string
	line  bool // has no honest line break
}

// values are the variables that one template names.
type values struct {
	byName map[string]value
	order  []string
	// command says that the action is one: its summary has the whole of it.
	command bool
	// before is how many parts show the action before the rule, where the rule does not
	// show it. The fence is then one for every such rule about the action.
	before int
}

// windows are those of the value that shows what is judged, where it is too long for
// one question; name is "" where it is not. share is what is shown of the others.
func (v values) windows(o Options) (name string, windows []text.Window, needed int, share float64) {
	share = 1
	for _, n := range v.order {
		raw := v.byName[n].raw
		limit := v.limit(n, o)
		switch {
		case limit == 0 || text.Fits(raw, limit):
		case name == "" && !v.byName[n].line:
			name = n
			windows, needed = o.view(n, raw, limit).Of(raw)
		default:
			share = min(share, float64(limit)/float64(utf8.RuneCountInString(raw)))
		}
	}
	return name, windows, needed, share
}

// limit bounds a value that is judged, in characters; 0 is for one that may be shown in
// part: the action in one line has nothing but the path, or repeats the command.
func (v values) limit(name string, o Options) int {
	switch name {
	case "tool_output", "session_context", "user_request", "tool_name", "trigger", "content_length":
		return 0
	case "action_summary":
		if _, shown := v.byName["command"]; shown || !v.command {
			return 0
		}
	case "file_path", "server_name", "mcp_tool":
		return lineMax
	}
	return o.limit(name)
}

// limit bounds a long value, in characters.
func (o Options) limit(name string) int {
	switch name {
	case "command":
		return o.bounded(commandMax)
	case "action_summary", "session_context":
		return o.bounded(summaryMax)
	}
	return o.contentMax()
}

// view is how a long value is shown.
func (o Options) view(name, raw string, limit int) text.View {
	v := text.View{Max: limit, Windows: cmp.Or(max(o.Windows, 0), DefaultWindows)}
	if o.Focus != nil {
		v.Needed, v.Places = o.Focus(name, raw)
	}
	return v
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
		if p.name == "action_summary" {
			trigger, _ := vars("trigger")
			v.command = trigger == "bash"
		}
		val := render(p.name, raw, o)
		val.raw = raw
		v.byName[p.name] = val
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
	case "content_snippet", "mcp_arguments", "tool_output", "user_request":
		return asBlock(text.Snippet(raw, o.limit(name)))
	case "session_context":
		return asBlock(text.Middle(raw, o.limit(name)))
	case "command", "action_summary":
		return asLineOrBlock(text.Middle(raw, o.limit(name)))
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
