package instructions

import "strings"

// Statements splits a file. Blocks with text that a reader cannot see are in none, and
// neither are headings that ask for nothing and code.
func Statements(f *File) []Statement {
	all := blocks(f)
	list := make([]Statement, 0, len(all))
	for i := range all {
		b := &all[i]
		if b.invisible || b.text() == "" {
			continue
		}
		s := Statement{File: f.Path, Line: b.line, EndLine: b.end, Section: b.section, Text: b.text(), Globs: f.Globs, kind: b.kind, code: b.code}
		if b.codeEnd > 0 {
			s.EndLine = b.codeEnd
		}
		if b.lead >= 0 {
			s.Lead = leadOf(all[b.lead].text())
		}
		for _, c := range b.children {
			if !all[c].invisible {
				s.items = append(s.items, all[c].text())
			}
		}
		s.phrases = phrases(s.Text)
		if s.Kind = classify(&s); b.kind == heading && s.Kind == Description {
			continue
		}
		list = append(list, s)
	}
	return list
}

// leadOf is the sentence of a text that introduces what follows, or "".
func leadOf(s string) string {
	list := sentences(s)
	last := list[len(list)-1]
	if plain := strings.TrimRight(last, "*_ "); strings.HasSuffix(plain, ":") || len(list) == 1 {
		return last
	}
	return ""
}
