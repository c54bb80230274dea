package code

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/shell/internal/effect"
)

// A lister evaluates a call that lists names of files. on is what it is called on.
type lister func(c *scanner, on Value, args []Value) Value

// listers are the calls that list names of files, by the last part of their names.
var listers = [...]struct {
	names string
	list  lister
}{
	{"glob iglob globSync sync globby", (*scanner).globs},
	{"rglob", (*scanner).globsBelow},
	{"iterdir scandir", func(c *scanner, on Value, args []Value) Value { return c.inFolder(on, args, "/*") }},
	{"listdir readdirSync readdir children entries each_child readDirSync", func(c *scanner, on Value, args []Value) Value {
		v := c.inFolder(on, args, "/*")
		return several(append(v.List, "*", "**/*")...)
	}},
	{"walk", (*scanner).walks},
	{"find walkSync", func(c *scanner, on Value, args []Value) Value { return c.inFolder(Value{}, args, "/**/*") }},
}

// wrappers return the collection that they are given, or its elements in another order.
const wrappers = "sorted list set tuple reversed iter frozenset keys unique array_filter array_map sort grep uniq reverse"

// programs are calls that return what a command prints.
const programs = "check_output run getoutput popen execSync shell_exec execFileSync"

// transparent are methods and attributes that keep what a value names.
const transparent = "split splitlines sort sorted slice reverse filter toString trim strip rstrip stdout stderr read decode flat concat " +
	"items keys path as_posix resolve absolute chomp lines each_line to_s select reject to_a uniq"

func isLister(name string) bool {
	for i := range listers {
		if isOneOf(name, listers[i].names) {
			return true
		}
	}
	return false
}

// listed evaluates the call at token i as one that lists names, or that passes a
// collection on. next is the token after it.
func (c *scanner) listed(i int, on Value) (v Value, next int, ok bool) {
	t := c.tok(i)
	name := lastName(t.text)
	if c.bound == nil || !isOneOf(name, programs) && !isOneOf(name, wrappers) && !isOneOf(name, "map filter from enumerate each_with_index ipairs pairs") && !isLister(name) {
		return Value{}, i, false // before its arguments are evaluated, which costs
	}
	args := c.args(i + 2)
	next = c.afterCall(i + 1)
	switch {
	case isOneOf(name, programs):
		if len(args) > 0 {
			if names := c.host.Names(args[0]); len(names) > 0 {
				return several(names...), next, true
			}
		}
		return Value{}, i, false
	case isOneOf(name, wrappers):
		if len(args) > 0 && args[0].IsList {
			return args[0], next, true
		}
		return Value{}, i, false
	case name == "map" || name == "filter" || name == "from" && strings.HasPrefix(t.text, "Array"):
		for _, a := range args {
			if a.IsList && (!a.Known || name != "map" || isOneOf(lastName(c.tok(i+2).text), textCalls)) {
				a.path = a.path || isOneOf(lastName(c.tok(i+2).text), "Path Pathname")
				return a, next, true
			}
		}
		return Value{}, i, false
	case isOneOf(name, "enumerate each_with_index ipairs pairs"):
		if len(args) > 0 && args[0].IsList && args[0].Width < 2 {
			v := Value{IsList: true, Width: 2}
			for _, text := range args[0].List {
				v.List = append(v.List, "", text)
			}
			return v, next, true
		}
		return Value{}, i, false
	}
	for _, l := range listers {
		if !isOneOf(name, l.names) {
			continue
		}
		if name == "find" && !strings.HasPrefix(t.text, "Find") || name == "sync" && !strings.Contains(t.text, "glob") && !strings.HasPrefix(t.text, "fg") {
			continue
		}
		if v := l.list(c, on, args); len(v.List) > 0 {
			return v, next, true
		}
	}
	return Value{}, i, false
}

// globs are the patterns of glob("src/*.py"), or of Path("src").glob("*.py").
func (c *scanner) globs(on Value, args []Value) Value {
	if len(args) == 0 {
		return Value{}
	}
	patterns := args[0].List
	if !args[0].IsList {
		if !args[0].usable() {
			return Value{}
		}
		patterns = args[0].texts()
	}
	if !on.usable() {
		return several(patterns...)
	}
	v := concat(on, "/", oneOf(patterns))
	return several(v.texts()...)
}

func (c *scanner) globsBelow(on Value, args []Value) Value {
	if !on.usable() || len(args) == 0 || !args[0].usable() {
		return Value{}
	}
	return several(concat(on, "/**/", args[0]).texts()...)
}

// inFolder are the names in the folder that a call is made on, or given.
func (c *scanner) inFolder(on Value, args []Value, names string) Value {
	if !on.usable() {
		if len(args) == 0 {
			return several("." + names)
		}
		on = args[0]
	}
	if !on.usable() || on.IsList {
		return Value{}
	}
	return several(concat(on, "", Value{Text: names, Known: true}).texts()...)
}

// walks are the rows of os.walk: folders, names of folders, names of files.
func (c *scanner) walks(on Value, args []Value) Value {
	v := c.inFolder(on, args, "/**")
	row := Value{IsList: true, Width: 3}
	for _, folder := range v.List {
		row.List = append(row.List, folder, "*", "*")
	}
	return row
}

// argvs are the names of the arguments of a program.
const argvs = "sys.argv process.argv Deno.args Bun.argv ARGV $ARGV $argv"

func (c *scanner) arguments(name string) Value {
	v := several(c.host.Args()...)
	v.argv = name
	return v
}

// index evaluates values[1:], values[0]: the arguments of the program from a place
// on, or any element of another collection.
func (c *scanner) index(v Value, i int) (Value, int) {
	end := i + 1
	for end < len(c.toks) && c.at(end) != ']' && end < i+16 {
		end++
	}
	if c.at(end) != ']' {
		return Value{}, i + 1
	}
	inner := c.src[c.toks[i].end:c.tok(end).start]
	first, _, slice := strings.Cut(inner, ":")
	n := 0
	for _, d := range strings.TrimSpace(first) {
		if d < '0' || d > '9' || n > 1000 {
			n = 0
			break
		}
		n = 10*n + int(d-'0')
	}
	n = v.offset(n)
	switch {
	case slice && v.argv != "":
		return several(v.List[min(n, len(v.List)):]...), end + 1
	case slice:
		return v, end + 1
	case v.argv != "" && n < len(v.List):
		return plain(v.List[n]), end + 1
	case v.argv != "":
		return Value{}, end + 1
	}
	return oneOf(v.List), end + 1
}

// offset is the place among the arguments of the place n of argv, whose first
// elements are programs.
func (v Value) offset(n int) int {
	switch v.argv {
	case "sys.argv", "$argv":
		return max(0, n-1)
	case "process.argv":
		return max(0, n-2)
	}
	return n
}

// rows evaluates the elements of a list of tuples, or the keys of a dictionary, from
// token i on, which is after the opening bracket.
func (c *scanner) rows(i int) (Value, int, bool) {
	v := Value{IsList: true}
	end := c.closing(i - 1)
	for i < end && len(v.List) < maxList {
		switch k := c.at(i); {
		case k == 'n' || k == ',':
			i++
			continue
		case k == '(' || k == '[':
			row, ok := c.row(i)
			if !ok || v.Width != 0 && len(row) != v.Width {
				return Value{}, i, false
			}
			v.Width = len(row)
			v.List = append(v.List, row...)
			i = c.closing(i) + 1
		case k == 's' && c.at(i+1) == ':':
			v.List = append(v.List, c.toks[i].text)
			i = c.skip(i + 2)
		default:
			return Value{}, i, false
		}
	}
	return v, end + 1, len(v.List) > 0
}

// row are the texts of a tuple; an element that is not known is "".
func (c *scanner) row(i int) (row []string, ok bool) {
	end := c.closing(i)
	for i++; i < end && len(row) < 16; {
		if k := c.at(i); k == 'n' || k == ',' {
			i++
			continue
		}
		v, _ := c.expr(i)
		text := ""
		if v.Known && !v.IsList {
			text = v.Text
		}
		row = append(row, text)
		i = c.skip(i)
	}
	return row, len(row) > 1
}

// edits records fileinput.input(files, inplace=True), which changes its files; those
// of the command line without any.
func (c *scanner) edits(k *call) {
	inPlace := false
	end := c.closing(k.i + 1)
	for j := k.i + 2; j < end; j++ {
		inPlace = inPlace || c.toks[j].text == "inplace" && c.at(j+1) == '=' && !isOneOf(c.tok(j+2).text, "False 0")
	}
	if !inPlace || c.lang != "python" {
		return
	}
	files := c.host.Args()
	if len(k.args) > 0 {
		if files = k.args[0].List; !k.args[0].IsList {
			files = k.args[0].texts()
		}
	}
	c.file(effect.Edit, oneOf(slices.Clone(files)))
}

// after is a collection after a method: process.argv.slice(2) is without the programs.
func (v Value) after(method string) Value {
	if v.argv != "" && method == ".slice" {
		return several(v.List...)
	}
	return v
}
