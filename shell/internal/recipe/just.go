package recipe

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/lazy"
)

// A book is a justfile that is being read.
type book struct {
	*Budget
	call     *Call
	vars     map[string]string // expressions
	recipes  []justRecipe
	aliases  map[string]string
	included int
	shell    string // that runs the lines; "" is one that reads shell
	work     Work
	done     map[string]bool
}

// A justRecipe is one of a justfile.
type justRecipe struct {
	name         string
	params       []string // as written: +files, name="default"
	needs, after [][]string
	lines        []string
}

// justfile are the commands of some recipes, each with its arguments, and of all that
// they need.
func justfile(text string, c *Call) (Work, error) {
	b := &book{Budget: c.Budget, call: c, vars: map[string]string{}, aliases: map[string]string{}, done: map[string]bool{}}
	b.read(text)
	words := slices.Concat(c.Names, c.Args)
	if len(words) == 0 && len(b.recipes) > 0 {
		words = []string{b.recipes[0].name}
	}
	for len(words) > 0 && b.step(0) {
		words = b.recipe(words, 0)
	}
	return b.work, b.err()
}

var (
	justAssign  = lazy.Regexp{Source: `^(?:export\s+)?([A-Za-z_][\w-]*)\s*:=\s*(.*)$`}
	justAlias   = lazy.Regexp{Source: `^alias\s+([\w-]+)\s*:=\s*([\w:-]+)`}
	justSetting = lazy.Regexp{Source: `^set\s+([\w-]+)\s*(?::=\s*(.*))?$`}
	justImport  = lazy.Regexp{Source: `^import\??\s+['"]([^'"]+)['"]`}
)

// read reads a justfile, or one that it imports.
func (b *book) read(text string) {
	var body *justRecipe
	for line := range strings.Lines(strings.ReplaceAll(text, "\r\n", "\n")) {
		line = strings.TrimRight(line, "\n")
		if body != nil && (line == "" || line[0] == ' ' || line[0] == '\t') {
			body.lines = append(body.lines, line)
			continue
		}
		body = nil
		if line = strings.TrimRight(line, " \t"); line == "" || line[0] == '#' || line[0] == '[' {
			continue
		}
		if b.statement(line) {
			continue
		}
		if r, ok := header(line); ok {
			b.recipes = append(b.recipes, r)
			body = &b.recipes[len(b.recipes)-1]
		}
	}
}

// statement reads a line that is not the head of a recipe.
func (b *book) statement(line string) bool {
	if found := justAlias.Get().FindStringSubmatch(line); found != nil {
		b.aliases[found[1]] = found[2]
		return true
	}
	if found := justSetting.Get().FindStringSubmatch(line); found != nil {
		if words := strings.FieldsFunc(found[2], func(r rune) bool { return strings.ContainsRune(`[]"', `, r) }); found[1] == "shell" && len(words) > 0 && !isShell(words[0]) {
			b.shell = words[0]
		}
		return true
	}
	if found := justImport.Get().FindStringSubmatch(line); found != nil {
		if b.included++; b.included > maxInclude {
			b.spent = true
		} else if b.call.Read != nil {
			if text, ok := b.call.Read(found[1]); ok {
				b.read(text)
			}
		}
		return true
	}
	if found := justAssign.Get().FindStringSubmatch(line); found != nil {
		b.vars[found[1]] = found[2]
		return true
	}
	return false
}

// header reads the head of a recipe: its name, parameters and what it needs.
func header(line string) (r justRecipe, ok bool) {
	at := unquoted(line, ':')
	if at < 0 || strings.HasPrefix(line[at:], ":=") {
		return r, false
	}
	words := tokens(strings.TrimPrefix(line[:at], "@"))
	if len(words) == 0 {
		return r, false
	}
	r.name, r.params = words[0], words[1:]
	to := &r.needs
	for _, word := range tokens(line[at+1:]) {
		switch {
		case strings.HasPrefix(word, "#"):
			return r, true
		case word == "&&":
			to = &r.after
		default:
			*to = append(*to, tokens(strings.TrimSuffix(strings.TrimPrefix(word, "("), ")")))
		}
	}
	return r, true
}

// unquoted is the place of a byte outside of quotes, -1 without one.
func unquoted(line string, c byte) int {
	mark := byte(0)
	for i := range len(line) {
		switch {
		case mark != 0:
			if line[i] == mark {
				mark = 0
			}
		case line[i] == c:
			return i
		case line[i] == '"' || line[i] == '\'' || line[i] == '`':
			mark = line[i]
		}
	}
	return -1
}

// tokens splits a line at blanks outside of quotes and brackets.
func tokens(line string) []string {
	var words []string
	var word strings.Builder
	depth, mark := 0, byte(0)
	for i := range len(line) {
		c := line[i]
		switch {
		case mark != 0 && c == mark:
			mark = 0
		case mark == 0 && (c == '"' || c == '\'' || c == '`'):
			mark = c
		case mark == 0 && c == '(':
			depth++
		case mark == 0 && c == ')':
			depth--
		}
		if mark == 0 && depth <= 0 && (c == ' ' || c == '\t') {
			if word.Len() > 0 {
				words = append(words, word.String())
				word.Reset()
			}
			continue
		}
		word.WriteByte(c)
	}
	if word.Len() > 0 {
		words = append(words, word.String())
	}
	return words
}

// recipe adds what the recipe does that the first word names, with the words after it as
// its arguments, and returns the words that are left.
func (b *book) recipe(words []string, depth int) (left []string) {
	name, args := words[0], words[1:]
	if alias, ok := b.aliases[name]; ok {
		name = alias
	}
	at := slices.IndexFunc(b.recipes, func(r justRecipe) bool { return r.name == name })
	if at < 0 || depth > maxDepth || !b.step(0) {
		return args
	}
	r := &b.recipes[at]
	values, left := b.bind(r, args)
	key := name + "\x00" + strings.Join(args[:len(args)-len(left)], "\x00")
	if b.done[key] {
		return left
	}
	b.done[key] = true
	if depth > 0 && b.command(name) {
		b.work.names(name, b.call.IgnoreErrors)
	}
	b.others(r.needs, values, depth)
	b.body(r, values)
	b.others(r.after, values, depth)
	return left
}

// others adds recipes that another one needs.
func (b *book) others(calls [][]string, values map[string]string, depth int) {
	for _, call := range calls {
		if len(call) == 0 {
			continue
		}
		words := []string{call[0]}
		for _, arg := range call[1:] {
			words = append(words, b.eval(arg, values, 0))
		}
		b.recipe(words, depth+1)
	}
}

// bind gives the parameters of a recipe their values.
func (b *book) bind(r *justRecipe, args []string) (values map[string]string, left []string) {
	values = map[string]string{}
	for _, param := range r.params {
		name, fallback, _ := strings.Cut(strings.TrimPrefix(param, "$"), "=")
		rest := strings.TrimLeft(name, "+*$")
		switch {
		case rest != name && strings.ContainsAny(name[:1], "+*") && len(args) > 0:
			values[rest], args = strings.Join(args, " "), nil
		case len(args) > 0:
			values[rest], args = args[0], args[1:]
		default:
			values[rest] = b.eval(fallback, values, 0)
		}
	}
	return values, args
}

// body adds the commands of a recipe.
func (b *book) body(r *justRecipe, values map[string]string) {
	text := strings.Trim(strings.Join(r.lines, "\n"), "\n")
	indent := len(text) - len(strings.TrimLeft(text, " \t"))
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		lines = append(lines, line[min(indent, len(line)-len(strings.TrimLeft(line, " \t"))):])
	}
	text = b.filled(strings.Join(lines, "\n"), values)
	if strings.HasPrefix(text, "#!") {
		text = byShebang(text)
		if b.call.IgnoreErrors {
			text = ignoring(text)
		}
		b.add(text)
		return
	}
	for line := range strings.SplitSeq(strings.ReplaceAll(text, "\\\n", " "), "\n") {
		said := strings.TrimLeft(line, "@- \t")
		signs := line[:len(line)-len(said)]
		if b.shell != "" && said != "" {
			said = fed(b.shell, said)
		}
		if (b.call.IgnoreErrors || strings.Contains(signs, "-")) && said != "" {
			said = ignoring(said)
		}
		b.add(said)
	}
}

func (b *book) add(text string) {
	if strings.TrimSpace(text) != "" && b.command(text) {
		b.work.Texts = append(b.work.Texts, text)
	}
}

// filled replaces the expressions in {{ }}.
func (b *book) filled(text string, values map[string]string) string {
	var out strings.Builder
	for {
		before, rest, ok := strings.Cut(text, "{{")
		out.WriteString(before)
		if !ok {
			return out.String()
		}
		expression, after, ok := strings.Cut(rest, "}}")
		value := b.eval(expression, values, 0)
		if !ok || !b.step(len(value)) {
			return out.String()
		}
		out.WriteString(value)
		text = after
	}
}

// eval is the value of an expression: texts, names, commands in ` `, put together by +
// and /.
func (b *book) eval(expression string, values map[string]string, depth int) string {
	if depth > maxDepth {
		b.spent = true
		return ""
	}
	var out strings.Builder
	for _, atom := range tokens(spaced(expression)) {
		value := ""
		switch atom {
		case "+":
			continue
		case "/":
			value = "/"
		default:
			value = b.atom(atom, values, depth)
		}
		if !b.step(len(value)) {
			break
		}
		out.WriteString(value)
	}
	return out.String()
}

// spaced puts blanks around the operators of an expression.
func spaced(expression string) string {
	var out strings.Builder
	mark := byte(0)
	for i := range len(expression) {
		c := expression[i]
		switch {
		case mark != 0 && c == mark:
			mark = 0
		case mark == 0 && (c == '"' || c == '\'' || c == '`'):
			mark = c
		}
		if mark == 0 && (c == '+' || c == '/') {
			out.WriteString(" " + string(c) + " ")
			continue
		}
		out.WriteByte(c)
	}
	return out.String()
}

func (b *book) atom(atom string, values map[string]string, depth int) string {
	last := atom[len(atom)-1]
	switch {
	case len(atom) > 1 && atom[0] == '`' && last == '`':
		return "$(" + strings.Trim(atom, "`") + ")"
	case len(atom) > 1 && (atom[0] == '"' || atom[0] == '\'') && last == atom[0]:
		return strings.Trim(atom, atom[:1])
	case len(atom) > 1 && atom[0] == '(' && last == ')':
		return b.eval(atom[1:len(atom)-1], values, depth+1)
	}
	if value, ok := values[atom]; ok {
		return value
	}
	if value, ok := b.call.Vars[atom]; ok {
		return value
	}
	if expression, ok := b.vars[atom]; ok {
		return b.eval(expression, values, depth+1)
	}
	return unknown(atom)
}
