package shell

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/agentsentinel/sentinel/shell/internal/decode"
)

// maxOutput bounds what is made of a known input, so that printf '%1000000d'
// does not fill memory.
const maxOutput = 256 << 10

// fits reports whether an output is small enough to be kept.
func (a *analyzer) fits(text string) bool {
	if len(text) > maxOutput {
		a.bounded(tooBig)
		return false
	}
	return true
}

// output returns the output of a command, where it is known from the line: the
// words of echo, what cat is given, what base64 -d makes of a literal.
func (w walker) output(c *recorded) output {
	switch c.Program {
	case "echo":
		return w.echo(c.simple)
	case "printf":
		return w.printf(c.simple)
	case "cat", "tee", "sponge", "pv":
		return w.copied(c)
	case "which", "type", "command", "whereis":
		return output{from: []string{c.Program}, names: installed(c)}
	}
	if c.facts.Has("silent") {
		return nothing()
	}
	in := w.stdin
	if decodes(c.Command) {
		in = w.input(asData)
	}
	if w.piped && in.known {
		if text, ok := transform(c.Command, in.text); ok && w.fits(text) {
			return output{text: text, known: true, from: append([]string{c.Program}, in.from...), span: in.span}
		}
	}
	if !w.piped {
		in = output{}
	}
	if f, ok := readsFile(c.Command); ok && !in.known {
		content, _ := w.fileContent(field{text: f})
		if !content.known && decodes(c.Command) {
			content = w.readNamed(c.named(f), asData)
		}
		if content.known {
			if text, ok := transform(c.Command, content.text); ok && w.fits(text) {
				return output{text: text, known: true, from: []string{c.Program}}
			}
		}
	}
	out := in.through(c.Program)
	if out.names = listing(c); len(out.names) == 0 && c.facts.Has("lines") {
		out.names = in.names
	}
	w.filtered(c, in, &out)
	for _, f := range c.words[1:] {
		if f.sub != nil {
			out.from = append(out.from, f.sub.from...)
		}
	}
	return out
}

// installed are the paths that which, command -v and type -P print.
func installed(c *recorded) []string {
	var names []string
	for _, name := range c.Operands[:min(len(c.Operands), maxNames)] {
		if !strings.Contains(name, "/") {
			name = "/usr/bin/" + name
		}
		names = append(names, name)
	}
	return names
}

// decodes reports whether a command makes text of what cannot be read as it is.
func decodes(c *Command) bool {
	switch c.Program {
	case "base64", "gbase64", "basenc", "openssl":
		return c.HasFlag("-d", "-D", "--decode") || hasArg(c, "-d")
	case "xxd":
		return c.HasFlag("-r")
	case "rev":
		return true
	}
	return false
}

// filtered notes the files that a filter prints a part of.
func (w walker) filtered(c *recorded, in output, out *output) {
	switch c.Program {
	case "head", "tail", "sort", "uniq", "tac", "nl", "cut", "dos2unix", "envsubst", "tr", "fold", "column":
	case "sed", "grep", "egrep", "fgrep", "awk", "perl", "cpp", "m4", "expand":
	default:
		return
	}
	out.filtered = true
	if out.files = in.files; len(out.files) > 0 || w.piped {
		return
	}
	for _, f := range c.operands {
		if strings.Contains(f.text, "/") || path.Ext(f.text) != "" {
			out.files = append(out.files, w.ofFile(f, output{}).files...)
		}
	}
}

// readsFile returns the single file that a filter reads in place of its input.
func readsFile(c *Command) (string, bool) {
	switch c.Program {
	case "base64", "rev", "tac", "xxd":
		if len(c.Operands) == 1 {
			return c.Operands[0], true
		}
	}
	return "", false
}

// echo prints its words. -e resolves escapes, and zsh's does so unasked; -n
// keeps the line open.
func (w walker) echo(s simple) output {
	out := output{known: true}
	words := s.words[1:]
	escapes, newline := false, true
	for len(words) > 0 && len(words[0].text) > 1 && strings.Trim(words[0].text, "neE") == "-" {
		escapes = escapes || strings.Contains(words[0].text, "e")
		newline = newline && !strings.Contains(words[0].text, "n")
		words = words[1:]
	}
	out.text = joinFields(words)
	for _, f := range words {
		out.known = out.known && f.known
		if f.sub != nil && !f.sub.known {
			out.from = append(out.from, f.sub.from...)
		}
	}
	if len(words) > 0 {
		out.span = join(words[0].span, words[len(words)-1].span)
	}
	if len(words) == 1 {
		out.inner = words[0].inner + 1
	}
	if escapes && strings.Contains(out.text, `\`) {
		out.text, out.inner = decode.Escapes(out.text), 0
	}
	if newline {
		out.text += "\n"
	}
	return out
}

// printf fills its format with its arguments, again and again until they are
// used up, as the shell's does.
func (w walker) printf(s simple) output {
	words := s.words[1:]
	into := ""
	if len(words) > 1 && words[0].text == "-v" {
		into, words = words[1].text, words[2:]
	}
	if len(words) > 0 && words[0].text == "--" {
		words = words[1:]
	}
	if len(words) == 0 {
		return nothing()
	}
	out := output{known: true, span: join(words[0].span, words[len(words)-1].span)}
	format, args := words[0].text, words[1:]
	if len(words) == 1 && !strings.ContainsAny(format, `\%`) {
		out.inner = words[0].inner + 1
	}
	for _, f := range words {
		out.known = out.known && f.known
	}
	var b strings.Builder
	for first := true; first || len(args) > 0; first = false {
		used := formatOnce(&b, format, &args)
		if b.Len() > maxOutput {
			w.bounded(tooBig)
			break
		}
		if !used {
			break
		}
	}
	out.text = b.String()
	if into != "" {
		w.env.set(into, variable{values: []string{out.text}, guess: !out.known})
		return nothing()
	}
	return out
}

// formatOnce writes a printf format once and reports whether it took arguments.
func formatOnce(b *strings.Builder, format string, args *[]field) (used bool) {
	next := func() string {
		used = true
		if len(*args) == 0 {
			return ""
		}
		s := (*args)[0].text
		*args = (*args)[1:]
		return s
	}
	for i := 0; i < len(format); i++ {
		switch {
		case format[i] == '\\' && i+1 < len(format):
			i += decode.Escape(b, format[i+1:])
		case format[i] == '%' && i+1 < len(format):
			j := i + 1
			for j < len(format) && strings.IndexByte("-+ #0123456789.*'", format[j]) >= 0 {
				j++
			}
			if j == len(format) {
				b.WriteString(format[i:])
				return used
			}
			switch format[j] {
			case '%':
				b.WriteByte('%')
			case 'b':
				b.WriteString(decode.Escapes(next()))
			case 'c':
				b.WriteString(first(next(), 1))
			case 'q':
				b.WriteString(next())
			case 'x', 'X', 'o', 'd', 'i', 'u':
				b.WriteString(integer(format[j], next()))
			default:
				b.WriteString(next())
			}
			i = j
		default:
			b.WriteByte(format[i])
		}
	}
	return used
}

func first(s string, n int) string { return s[:min(n, len(s))] }

// integer writes an argument of %d, %o or %x.
func integer(verb byte, arg string) string {
	n, err := strconv.ParseInt(strings.TrimSpace(arg), 0, 64)
	if err != nil {
		return arg
	}
	switch verb {
	case 'x':
		return strconv.FormatInt(n, 16)
	case 'X':
		return strings.ToUpper(strconv.FormatInt(n, 16))
	case 'o':
		return strconv.FormatInt(n, 8)
	}
	return strconv.FormatInt(n, 10)
}

// copied is the output of cat and tee: what they read.
func (w walker) copied(c *recorded) output {
	if c.Program == "cat" && len(c.Operands) > 0 && c.Operands[0] != "-" {
		out := nothing()
		for _, f := range c.words[1:] {
			if strings.HasPrefix(f.text, "-") {
				continue
			}
			content, _ := w.fileContent(f)
			if f.sub != nil {
				content = *f.sub
			}
			if !content.known {
				file := w.ofFile(f, content)
				content = content.through("cat")
				content.files = file.files
			}
			out = out.then(content)
		}
		return out
	}
	if !w.piped {
		return output{from: []string{c.Program}}
	}
	if w.stdin.known || w.stdin.text != "" {
		return w.stdin
	}
	out := w.stdin.through(c.Program)
	out.files, out.filtered = w.stdin.files, w.stdin.filtered
	return out
}

// transform returns what a filter makes of a known input.
func transform(c *Command, in string) (string, bool) {
	switch c.Program {
	case "base64", "gbase64", "basenc":
		if c.HasFlag("-d", "-D", "--decode") {
			return decode.Base64(in)
		}
	case "openssl": // base64 alone; with a key there is a cipher too
		if hasArg(c, "-d") && !hasArg(c, "-k") && !hasArg(c, "-K") && !hasArg(c, "-pass") &&
			(hasArg(c, "base64") || hasArg(c, "-base64") || hasArg(c, "-a")) {
			return decode.Base64(in)
		}
	case "xxd":
		if c.HasFlag("-r") {
			return decode.Hex(in)
		}
	case "rev":
		return eachLine(in, decode.Reverse), true
	case "tac", "sort", "uniq":
		return in, true
	case "tr":
		return translate(c, in)
	case "sed":
		return sedText(c, in)
	case "head", "tail", "fold", "column", "expand", "unexpand", "dos2unix", "nl":
		return in, c.Program != "nl"
	}
	return "", false
}

func hasArg(c *Command, arg string) bool { return slices.Contains(c.Args, arg) }

func eachLine(s string, f func(string) string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = f(lines[i])
	}
	return strings.Join(lines, "\n")
}

// translate is tr with two sets of the same length, or tr -d with one.
func translate(c *Command, in string) (string, bool) {
	if len(c.Operands) == 0 {
		return "", false
	}
	from := trSet(c.Operands[0])
	if c.HasFlag("-d") {
		return strings.Map(func(r rune) rune {
			if strings.ContainsRune(from, r) {
				return -1
			}
			return r
		}, in), !c.HasFlag("-c")
	}
	if len(c.Operands) != 2 || c.HasFlag("-c") || from == "" {
		return "", false
	}
	to := trSet(c.Operands[1])
	if to == "" {
		return "", false
	}
	return strings.Map(func(r rune) rune {
		if i := strings.IndexRune(from, r); i >= 0 && r < 0x80 {
			return rune(to[min(i, len(to)-1)])
		}
		return r
	}, in), true
}

// trSet writes the ranges and escapes of a set of tr out.
func trSet(s string) string {
	switch s {
	case "[:upper:]":
		s = "A-Z"
	case "[:lower:]":
		s = "a-z"
	case "[:space:]":
		return " \t\n\r\v\f"
	case "[:digit:]":
		s = "0-9"
	}
	s = decode.Escapes(s)
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if i+2 < len(s) && s[i+1] == '-' && s[i] <= s[i+2] {
			for ch := int(s[i]); ch <= int(s[i+2]); ch++ {
				b.WriteByte(byte(ch))
			}
			i += 2
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// sedText applies one s/a/b/ of plain text to a known input.
func sedText(c *Command, in string) (string, bool) {
	if len(c.Operands) != 1 || len(c.Flags) > 1 {
		return "", false
	}
	parts, ok := sedSubstitution(c.Operands[0])
	if !ok || strings.ContainsAny(parts[0], `\.*[^$+?()|`) || strings.ContainsAny(parts[1], `\&`) {
		return "", false
	}
	n := 1
	if strings.Contains(parts[2], "g") {
		n = -1
	}
	return eachLine(in, func(l string) string { return strings.Replace(l, parts[0], parts[1], n) }), true
}

// sedSubstitution cuts s/pattern/replacement/flags into its three parts.
func sedSubstitution(script string) (parts [3]string, ok bool) {
	script = strings.TrimSpace(script)
	if len(script) < 4 || script[0] != 's' {
		return parts, false
	}
	sep := script[1]
	part, start := 0, 2
	for i := 2; i < len(script); i++ {
		if script[i] == '\\' {
			i++
			continue
		}
		if script[i] == sep {
			parts[part] = script[start:i]
			start = i + 1
			if part++; part == 2 {
				parts[2] = script[start:]
				return parts, true
			}
		}
	}
	return parts, false
}
