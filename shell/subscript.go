package shell

import "strings"

// evaluates reports whether a command of the shell reads its words as names of variables or as
// numbers, and so runs what a subscript in them has: let 'a[$(cmd)]'.
func evaluates(program string) bool {
	switch program {
	case "let", "test", "[", "unset", "read", "mapfile", "readarray", "printf", "declare", "typeset", "local", "export", "readonly", "wait":
		return true
	}
	return false
}

// subscripts reads what the subscripts of a command's words run.
func (w walker) subscripts(c *recorded) {
	if evaluates(c.Program) {
		for _, f := range c.words[1:] {
			w.subscript(f.text, f.span)
		}
	}
}

// subscript reads what a[…] runs in a text that the shell takes for a name or a number.
func (w walker) subscript(text string, span Span) {
	at := strings.IndexByte(text, '[')
	if at < 1 || !strings.Contains(text[at:], "$(") && !strings.Contains(text[at:], "`") || !isVariable(strings.TrimLeft(text[:at], "-+!~ ")) {
		return
	}
	w.quotedLater(text[at:], span, "a[…]")
}

// quotedLater reads a text that the shell expands as it does between double quotes.
func (w walker) quotedLater(text string, span Span, wrapper string) {
	if strings.ContainsAny(text, "$`") {
		w.nestedText(": \""+strings.ReplaceAll(text, `"`, `\"`)+"\"", span, wrapper)
	}
}

// isVariable reports whether a text ends in the name of a variable.
func isVariable(s string) bool {
	return s != "" && (s[len(s)-1] == '_' || isLetter(s[len(s)-1]) || isDigits(s[len(s)-1:]))
}
