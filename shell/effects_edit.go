package shell

import (
	"path"
	"slices"
	"strings"
)

// sedScripts returns the scripts among the words of sed: the values of -e, or
// else the first operand.
func sedScripts(s simple) []field {
	var scripts []field
	for i := 1; i < len(s.words); i++ {
		f := s.words[i]
		switch {
		case f.text == "-e" || f.text == "--expression" || len(f.text) > 2 && f.text[0] == '-' && f.text[1] != '-' && strings.HasSuffix(f.text, "e") && !strings.HasPrefix(f.text, "-i"):
			if i++; i < len(s.words) {
				scripts = append(scripts, s.words[i])
			}
		case strings.HasPrefix(f.text, "--expression="):
			f.text = f.text[len("--expression="):]
			scripts = append(scripts, f)
		case f.text == "-f" || f.text == "--file":
			return scripts
		}
	}
	if len(scripts) > 0 {
		return scripts
	}
	for i := 1; i < len(s.words); i++ {
		f := s.words[i]
		if f.text == "--" {
			continue
		}
		if !strings.HasPrefix(f.text, "-") && f.text != "" {
			return []field{f}
		}
	}
	return nil
}

// sed records the files that sed reads, or with -i changes, and those that its
// w command writes. BSD's -i takes a suffix as the next word, which is "" or
// starts with a dot.
func (w walker) sed(c *recorded) {
	scripts := sedScripts(c.simple)
	operands := c.operands
	inPlace := c.HasFlag("-i")
	if inPlace && len(operands) > 0 && (operands[0].text == "" || strings.HasPrefix(operands[0].text, ".") && len(operands) > 2 && path.Ext(operands[0].text) == operands[0].text) {
		operands = operands[1:]
	}
	var old, text string
	if len(scripts) == 1 {
		if parts, ok := sedSubstitution(scripts[0].text); ok {
			old, text = parts[0], parts[1]
		}
	}
	for _, f := range scripts {
		w.sedWrites(c, f)
	}
	if !c.HasFlag("-e", "-f") && len(operands) > 0 {
		operands = operands[1:]
	}
	for _, f := range operands {
		if inPlace && slices.ContainsFunc(scripts, deletesLines) {
			w.onPath(Effect{Kind: EffectLose, Command: c.index, Object: "content"}, f)
		}
		if inPlace {
			w.effect(Effect{Kind: EffectEdit, Command: c.index, Old: old, Content: text}, f)
		} else {
			w.note(EffectRead, c.index, f)
		}
	}
}

// deletesLines reports whether a script of sed deletes every line: d, 1,$d or 1,9999d.
func deletesLines(script field) bool {
	lines, ok := strings.CutSuffix(strings.TrimSpace(script.text), "d")
	from, to, ranged := strings.Cut(lines, ",")
	return ok && (lines == "" || ranged && (from == "1" || from == "0") && (to == "$" || len(to) > 3 && isDigits(to)))
}

// sedWrites records the files of sed's w command and of s///w.
func (w walker) sedWrites(c *recorded, script field) {
	text := strings.TrimLeft(script.text, "0123456789,$ ")
	name := ""
	if rest, ok := strings.CutPrefix(text, "w "); ok {
		name = rest
	} else if parts, ok := sedSubstitution(text); ok {
		if _, after, ok := strings.Cut(parts[2], "w "); ok {
			name = after
		}
	} else if i := strings.LastIndex(text, "/w "); i >= 0 && strings.HasPrefix(text, "/") {
		name = text[i+3:]
	}
	name, _, _ = strings.Cut(strings.TrimSpace(name), "\n")
	if name != "" && !isDevice(name) {
		script.text = name
		w.note(EffectCreate, c.index, script)
	}
}

// awkFiles records the files that awk reads, or with -i inplace changes.
func (w walker) awkFiles(c *recorded) {
	kind := EffectRead
	if v, ok := c.Value("-i"); ok && v == "inplace" {
		kind = EffectEdit
	}
	operands := c.operands
	if !c.HasFlag("-f") {
		operands = c.rest(1)
	}
	for _, f := range operands {
		if !isAssign(f.text) {
			w.note(kind, c.index, f)
		}
	}
}

// inPlace records perl -i and ruby -i, which change the files they are given.
func (w walker) inPlace(c *recorded) {
	if !c.HasFlag("-e", "-E") {
		return
	}
	kind := EffectRead
	for _, f := range c.Flags {
		if strings.HasPrefix(f, "--") {
			continue
		}
		head, _, _ := strings.Cut(f[1:], "e")
		if strings.Contains(head, "i") && !strings.HasPrefix(f, "-I") && !strings.HasPrefix(f, "-M") {
			kind = EffectEdit
		}
	}
	e := Effect{Kind: kind, Command: c.index}
	if code, ok := c.Value("-e", "-E"); ok && kind == EffectEdit {
		if parts, ok := sedSubstitution(code); ok {
			e.Old, e.Content = parts[0], parts[1]
		}
	}
	if kind == EffectEdit || c.HasFlag("-n", "-p") {
		for _, f := range c.operands {
			w.effect(e, f)
		}
	}
}

// findName is the name that find looks for below its folders, "" when it finds
// others too.
func findName(words []field) string {
	name := ""
	for i, f := range words {
		switch f.text {
		case "-o", "-or", "!", "-not", ",":
			return ""
		case "-name", "-iname":
			if name == "" && i+1 < len(words) && words[i+1].known {
				name = words[i+1].text
			}
		}
	}
	if strings.Contains(name, "/") {
		return ""
	}
	return name
}

// picks reports whether find looks for some names only.
func picks(words []field) bool {
	return slices.ContainsFunc(words, func(f field) bool {
		switch f.text {
		case "-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename", "-regex", "-iregex":
			return true
		}
		return false
	})
}

// findEffects records find -delete and the files of -fprint.
func (w walker) findEffects(c *recorded) {
	for i, f := range c.words {
		switch f.text {
		case "-delete":
			if slices.Contains(c.Args, "-empty") {
				continue // only empty folders
			}
			paths := c.operands
			if len(paths) == 0 {
				paths = []field{{text: "."}}
			}
			for _, p := range paths {
				if name := findName(c.words); name != "" {
					p.text = strings.TrimSuffix(p.text, "/") + "/**/" + name
				}
				w.guessed(Effect{Kind: EffectDelete, Command: c.index, Recursive: !picks(c.words), Origin: OriginListing}, p)
			}
		case "-fprint", "-fprintf", "-fprint0", "-fls":
			if i+1 < len(c.words) {
				w.note(EffectCreate, c.index, c.words[i+1])
			}
		}
	}
}
