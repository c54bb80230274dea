package recipe

import (
	"path"
	"strings"
)

// expand replaces the references of make in a text.
func (m *maker) expand(text string, depth int) string {
	if !strings.Contains(text, "$") {
		return text
	}
	if depth > maxDepth {
		m.spent = true
		return ""
	}
	var b strings.Builder
	for i := 0; i < len(text) && !m.spent; i++ {
		if text[i] != '$' || i+1 == len(text) {
			b.WriteByte(text[i])
			continue
		}
		i++
		reference := text[i : i+1]
		switch text[i] {
		case '$':
			b.WriteByte('$')
			continue
		case '(', '{':
			end := closing(text[i:])
			reference = text[i+1 : i+end]
			i += end
		}
		value := m.reference(reference, depth)
		if !m.step(len(value)) {
			return ""
		}
		b.WriteString(value)
	}
	return b.String()
}

// closing is the place of the bracket that closes the first one, or the last byte.
func closing(text string) int {
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case text[0]:
			depth++
		case text[0] + 1, text[0] + 2: // ) follows (, and } is the second after {
			if text[0] == '(' && text[i] == ')' || text[0] == '{' && text[i] == '}' {
				if depth--; depth == 0 {
					return i
				}
			}
		}
	}
	return max(len(text)-1, 1)
}

// reference is the value of $(…).
func (m *maker) reference(name string, depth int) string {
	if strings.Contains(name, "$") {
		if function, _, ok := strings.Cut(name, " "); !ok || strings.Contains(function, "$") {
			name = m.expand(name, depth+1)
		}
	}
	if function, args, ok := strings.Cut(strings.TrimLeft(name, " "), " "); ok {
		return m.function(function, strings.TrimLeft(args, " "), depth+1)
	}
	if variable, change, ok := strings.Cut(name, ":"); ok {
		from, to, _ := strings.Cut(change, "=")
		if !strings.Contains(from, "%") {
			from, to = "%"+from, "%"+to
		}
		return m.patsubst(from, to, m.reference(variable, depth+1))
	}
	if value, ok := m.automatic(name); ok {
		return value
	}
	if value, ok := m.call.Vars[name]; ok {
		return value
	}
	if value, ok := m.lookup(name); ok {
		return m.expand(value, depth+1)
	}
	if isName(name) {
		return "${" + name + "}" // of the environment
	}
	return ""
}

// value is that of a variable, expanded; "" without one.
func (m *maker) value(name string) string {
	value, _ := m.lookup(name)
	return m.expand(value, 1)
}

// lookup finds the value of a variable as written.
func (m *maker) lookup(name string) (value string, ok bool) {
	if m.at != nil {
		if value, ok = m.at.vars[name]; ok {
			return value, true
		}
	}
	if value, ok = m.vars[name]; ok {
		return value, true
	}
	switch name {
	case "RM":
		return "rm -f", true
	case "MAKE":
		return "make", true
	case "CURDIR":
		return ".", true
	case "MAKEFLAGS", "MFLAGS", "MAKECMDGOALS":
		return "", true
	}
	return "", false
}

// automatic is the value of $@, $<, $^ and their like.
func (m *maker) automatic(name string) (value string, ok bool) {
	kind, part := name, ""
	if len(name) == 2 && (name[1] == 'D' || name[1] == 'F') {
		kind, part = name[:1], name[1:]
	}
	if len(kind) != 1 || !strings.Contains("@<^+?*", kind) {
		return "", false
	}
	if m.at == nil {
		return "", true
	}
	needs := m.at.needs
	switch kind {
	case "@":
		value = m.at.name
	case "*":
		value = m.at.stem
	case "<":
		if len(needs) > 0 {
			value = needs[0]
		}
	default:
		value = strings.Join(needs, " ")
	}
	switch {
	case part == "D":
		value = each(value, path.Dir)
	case part == "F":
		value = each(value, path.Base)
	}
	return value, true
}

// function is the value of a call such as $(wildcard *.o).
func (m *maker) function(name, args string, depth int) string {
	arg := func(i int) string {
		parts := arguments(args)
		if i >= len(parts) {
			return ""
		}
		return m.expand(parts[i], depth)
	}
	switch name {
	case "shell":
		command := m.expand(args, depth)
		if m.reading {
			m.add(command, false)
		}
		return "$(" + command + ")"
	case "wildcard", "strip", "sort", "abspath", "realpath":
		return strings.Join(strings.Fields(m.expand(args, depth)), " ")
	case "addprefix":
		return m.patsubst("%", arg(0)+"%", arg(1))
	case "addsuffix":
		return m.patsubst("%", "%"+arg(0), arg(1))
	case "patsubst":
		return m.patsubst(arg(0), arg(1), arg(2))
	case "subst":
		return m.substituted(arg(0), arg(1), arg(2))
	case "dir":
		return each(m.expand(args, depth), func(w string) string { return path.Dir(w) + "/" })
	case "notdir":
		return each(m.expand(args, depth), path.Base)
	case "basename":
		return each(m.expand(args, depth), func(w string) string { return strings.TrimSuffix(w, path.Ext(w)) })
	case "if":
		if strings.TrimSpace(arg(0)) != "" {
			return arg(1)
		}
		return arg(2)
	case "foreach":
		return m.foreach(arguments(args), depth)
	case "call":
		return m.called(arguments(args), depth)
	case "info", "warning", "error", "eval":
		m.expand(args, depth)
		return ""
	}
	return unknown(name)
}

// substituted replaces a part of a text, where the result is not too large.
func (m *maker) substituted(from, to, text string) string {
	if from == "" || !m.step(strings.Count(text, from)*len(to)) {
		return text
	}
	return strings.ReplaceAll(text, from, to)
}

// with expands a text with further variables.
func (m *maker) with(vars map[string]string, text string, depth int) string {
	t := target{}
	if m.at != nil {
		t = *m.at
	}
	for name, value := range t.vars {
		if _, ok := vars[name]; !ok {
			vars[name] = value
		}
	}
	t.vars = vars
	before := m.at
	m.at = &t
	defer func() { m.at = before }()
	return m.expand(text, depth)
}

func (m *maker) foreach(parts []string, depth int) string {
	if len(parts) != 3 {
		return ""
	}
	var out []string
	for word := range strings.FieldsSeq(m.expand(parts[1], depth)) {
		if !m.step(len(parts[2])) {
			break
		}
		out = append(out, m.with(map[string]string{strings.TrimSpace(parts[0]): word}, parts[2], depth+1))
	}
	return strings.Join(out, " ")
}

// called is $(call name,args).
func (m *maker) called(parts []string, depth int) string {
	vars := map[string]string{}
	for i, part := range parts[1:min(len(parts), 10)] {
		vars[string(rune('1'+i))] = strings.ReplaceAll(m.expand(part, depth), "$", "$$")
	}
	text, ok := m.lookup(strings.TrimSpace(parts[0]))
	if !ok {
		return unknown("call")
	}
	return m.with(vars, text, depth+1)
}

// arguments splits the arguments of a function at commas outside of brackets.
func arguments(text string) []string {
	depth, from := 0, 0
	var parts []string
	for i := range len(text) {
		switch text[i] {
		case '(', '{':
			depth++
		case ')', '}':
			depth--
		case ',':
			if depth == 0 {
				parts = append(parts, text[from:i])
				from = i + 1
			}
		}
	}
	return append(parts, text[from:])
}

func each(text string, change func(string) string) string {
	words := strings.Fields(text)
	for i := range words {
		words[i] = change(words[i])
	}
	return strings.Join(words, " ")
}

// patsubst replaces words that a pattern with % matches. A word that is itself a pattern
// of files means the files that match it.
func (m *maker) patsubst(pattern, to, text string) string {
	before, after, isPattern := strings.Cut(pattern, "%")
	if !m.step(len(to) * len(strings.Fields(text))) {
		return text
	}
	return each(text, func(w string) string {
		if !isPattern {
			if w == pattern {
				return to
			}
			return w
		}
		if len(w) < len(before)+len(after) || !strings.HasPrefix(w, before) || !strings.HasSuffix(w, after) {
			return w
		}
		return strings.Replace(to, "%", w[len(before):len(w)-len(after)], 1)
	})
}
