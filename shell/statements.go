package shell

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/shell/internal/table"
)

// statements reads what a client of a database runs from files, by an option, from
// standard input or by a command such as \i: it is as if on its standard input.
func (w walker) statements(c *recorded) {
	how := table.FindRecipe(c.Program)
	if how.Value("format") != "sql" {
		return
	}
	text := c.Stdin
	if in := w.input(asRecipe); in.known {
		text = in.text
	}
	for _, name := range c.values(how.List("file")...) {
		text += w.statementsOf(c.named(name))
	}
	for _, f := range c.operands {
		if how.Has("operand") && strings.HasSuffix(f.text, ".js") {
			text += w.statementsOf(f)
		}
	}
	text += w.included(strings.Join(c.Args, "\n")+"\n"+text, 0)
	if text != c.Stdin && w.grow(len(text)/16) {
		c.Stdin = text
		w.line.Commands[c.index].Stdin = text
	}
}

func (w walker) statementsOf(f field) string {
	if isStdin(f.text) {
		return ""
	}
	content, _ := w.fileContent(f)
	if !content.known {
		content = w.readNamed(f, asRecipe)
	}
	if content.text == "" {
		return ""
	}
	return "\n" + content.text
}

// included are the files that commands of the clients read: \i of psql, source of mysql,
// .read of sqlite3, @ of sqlplus.
func (w walker) included(text string, depth int) (all string) {
	if depth == maxScriptDepth || !strings.ContainsAny(text, `\.@`) && !strings.Contains(text, "source") {
		return ""
	}
	for line := range strings.Lines(text) {
		words := strings.Fields(strings.TrimRight(line, "; \t\r\n"))
		if len(words) == 1 && strings.HasPrefix(words[0], "@") {
			words = []string{"@", strings.TrimLeft(words[0], "@")}
		}
		if len(words) != 2 || !slices.Contains([]string{`\i`, `\ir`, `\include`, `\.`, ".read", "source", "@", "@@"}, strings.ToLower(words[0])) {
			continue
		}
		more := w.statementsOf(field{text: strings.Trim(words[1], `'"`), inner: -1, known: true})
		if !w.grow(len(more) / 4) {
			break
		}
		all += more + w.included(more, depth+1)
	}
	return all
}

// values are those of an option that may be given several times.
func (c *recorded) values(names ...string) (all []string) {
	o := table.OptionsOf(c.Program, c.Subcommand)
	for i, a := range c.Args {
		next := ""
		if i+1 < len(c.Args) {
			next = c.Args[i+1]
		}
		for _, name := range names {
			if len(a) < 2 || a[0] != '-' {
				break
			}
			if value, ok := o.Value(a, next, name, i+1 < len(c.Args)); ok {
				all = append(all, value)
				break
			}
		}
	}
	return all
}
