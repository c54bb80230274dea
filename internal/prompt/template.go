package prompt

import "strings"

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
