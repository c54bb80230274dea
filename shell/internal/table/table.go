// Package table holds what package shell knows about programs, as text that is
// easy to read and to extend. Each table is indexed when it is first used, so
// that a process which parses no command does not pay for it.
package table

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"
)

var (
	//go:embed programs.txt
	programsText string
	//go:embed options.txt
	optionsText string
	//go:embed git.txt
	gitText string
	//go:embed context.txt
	contextText string
	//go:embed wrappers.txt
	wrappersText string
	//go:embed formats.txt
	formatsText string
	//go:embed inert.txt
	inertText string
	//go:embed mentions.txt
	mentionsText string
	//go:embed recipes.txt
	recipesText string
	//go:embed acts.txt
	actsText string
	//go:embed folders.txt
	foldersText string
	//go:embed plain.txt
	plainText string
	//go:embed shown.txt
	shownText string
)

var (
	programs = table{text: &programsText}
	options  = table{text: &optionsText}
	git      = table{text: &gitText}
	context  = table{text: &contextText}
	wrappers = table{text: &wrappersText}
	formats  = table{text: &formatsText}
	inert    = table{text: &inertText}
	recipes  = table{text: &recipesText}
	acts     = table{text: &actsText}
	folders  = table{text: &foldersText}
	modest   = table{text: &plainText}
	shown    = table{text: &shownText}
)

// A table maps names to entries. Its text is sorted by name.
type table struct {
	text *string
	once sync.Once
	n    int
	rows [896]uint16 // where the entries start; not on the heap, whose first use costs a new process more than the search
}

// index finds the entries in the text.
func (t *table) index() {
	text := *t.text
	for i := 0; i < len(text); i += 1 + strings.IndexByte(text[i:], '\n') {
		if text[i] != '\t' && text[i] != '#' {
			t.rows[t.n] = uint16(i)
			t.n++
		}
	}
}

// row returns an entry and the text that follows, from the name of the entry on.
func (t *table) row(i int) string { return (*t.text)[t.rows[i]:] }

// compare compares the name at the start of a row with another name.
func compare(row, name string) int {
	for i := range len(name) {
		switch {
		case row[i] == '\t':
			return -1 // the row's name is shorter
		case row[i] != name[i]:
			return int(row[i]) - int(name[i])
		}
	}
	return int(row[len(name)]) - '\t'
}

// find returns the entry of a name, "" when the table does not have it.
func (t *table) find(name string) string {
	t.once.Do(t.index)
	entry := t.get(name)
	if strings.HasPrefix(entry, "@") { // the entry of another name
		entry = t.get(entry[1:])
	}
	return entry
}

func (t *table) get(name string) string {
	low, high := 0, t.n
	for low < high {
		i := (low + high) / 2
		row := t.row(i)
		switch c := compare(row, name); {
		case c < 0:
			low = i + 1
		case c > 0:
			high = i
		default:
			if i+1 < t.n {
				row = row[:t.rows[i+1]-t.rows[i]]
			}
			return row[len(name)+1 : len(row)-1]
		}
	}
	return ""
}

// find returns the place after a name in a list of words, -1 when the list does
// not have it. mark is the byte that must follow the name; 0 allows the end of
// the word and "=".
func find(list, name string, mark byte) int {
	if name == "" || strings.HasSuffix(name, "=") {
		return -1 // no name, or a name with its mark
	}
	for from := 0; ; {
		i := strings.Index(list[from:], name)
		if i < 0 {
			return -1
		}
		i += from
		from = i + len(name)
		next := byte(' ')
		if from < len(list) {
			next = list[from]
		}
		if (i == 0 || isBlank(list[i-1])) && (next == mark || mark == 0 && (isBlank(next) || next == ',' || next == '=')) {
			return from
		}
	}
}

func isBlank(c byte) bool { return c == ' ' || c == '\n' || c == '\t' }

// Program is what is known about a program, apart from its options.
type Program string

// Find returns what is known about a program. The zero value knows nothing.
func Find(program string) Program { return Program(programs.find(program)) }

// Has reports whether a fact, such as "network", is true of the program.
func (p Program) Has(fact string) bool { return p != "" && find(string(p), fact, 0) >= 0 }

// Value returns the value of a fact such as "code", "" when it has none.
func (p Program) Value(fact string) string {
	i := find(string(p), fact, '=')
	if i < 0 {
		return ""
	}
	value, _, _ := strings.Cut(string(p[i+1:]), " ")
	return value
}

// FindFormat returns what is known about a program that writes the files which it is
// given, with one of its sub-commands; "" when the two write none.
func FindFormat(program, sub string) Program {
	if strings.Contains(program, " ") || strings.Contains(sub, " ") {
		return ""
	}
	if sub != "" {
		if p := Program(formats.find(program + " " + sub)); p != "" {
			return p
		}
	}
	p := Program(formats.find(program))
	if p.Value("sub") != "" && !p.Lists("sub", sub) && !p.Has("bare") {
		return ""
	}
	return p
}

// FindRecipe returns what is known about a program that runs what a file of the project
// says; "" for others.
func FindRecipe(program string) Program { return Program(recipes.find(program)) }

// FindShown returns whether a program shows the text that it reads; "" for others.
func FindShown(program string) Program { return Program(shown.find(program)) }

// FindFolder returns what is known about where a program works; "" for those that work where
// they are started.
func FindFolder(program string) Program { return Program(folders.find(program)) }

// List is the value of a fact that is a list; nil when it has none.
func (p Program) List(fact string) []string {
	if value := p.Value(fact); value != "" {
		return strings.Split(value, ",")
	}
	return nil
}

// Lists reports whether the value of a fact, a list, has an item.
func (p Program) Lists(fact, item string) bool {
	return strings.Contains(","+p.Value(fact)+",", ","+item+",")
}

// Skip is the number of operands before the files.
func (p Program) Skip() int {
	n, _ := strconv.Atoi(p.Value("skip"))
	return n
}

// A Wrapper is a program that runs the command which its words are.
type Wrapper struct {
	Options  Options
	Operands int  // number of operands, or of words, before the command
	Assigns  bool // NAME=value words may precede the command
	Joined   bool // the words are joined and given to a shell
	Remote   bool // the command runs on another machine, or in a container
	Python   bool // the command may be a script of Python, or "-" for one on standard input
	Hides    bool // its exit status is not that of the command
}

// FindWrapper returns the wrapper of a name: "sudo". ok is false for every
// program that does not run its words.
func FindWrapper(program string) (w Wrapper, ok bool) {
	if strings.Contains(program, " ") {
		return Wrapper{}, false // a quoted word, and not a program with a sub-command
	}
	return wrapper(program)
}

// FindRunner is FindWrapper for a program with sub-commands: "uv", "run".
func FindRunner(program string, sub ...string) (w Wrapper, ok bool) {
	name := program
	for _, s := range sub {
		name += " " + s
	}
	if strings.Count(name, " ") != len(sub) {
		return Wrapper{}, false
	}
	return wrapper(name)
}

func wrapper(name string) (w Wrapper, ok bool) {
	entry := wrappers.find(name)
	if entry == "" {
		return Wrapper{}, false
	}
	w.Operands = int(entry[0] - '0')
	w.Options = parseOptions(entry[1:])
	w.Assigns, w.Joined, w.Remote = w.Options.is("assigns"), w.Options.is("joined"), w.Options.is("remote")
	w.Python, w.Hides = w.Options.is("python"), w.Options.is("hides")
	return w, true
}

// Known reports whether anything is known about a program.
func Known(program string) bool { return Find(program) != "" || HasOptions(program) }

// HasOptions reports whether options of a program are known.
func HasOptions(program string) bool {
	return options.find(program) != "" || context.find(program) != "" || inert.find(program) != "" || formats.find(program) != ""
}

// Mentions reports whether the words of a program are texts and names, and no commands.
func Mentions(program string) bool {
	list, _, _ := strings.Cut(mentionsText, "\n\n")
	return find(list, program, 0) >= 0
}

// ForPeople reports whether the value of an option is a text for people, or a name.
func ForPeople(option string) bool {
	_, list, _ := strings.Cut(mentionsText, "\n\n")
	return find(list, option, 0) >= 0
}

// An Act is what a program does under a condition, apart from what it does to files:
// its kind, and then facts as acts.txt has them.
type Act Program

// ActsOf returns what a program with a sub-command does.
func ActsOf(program, sub string) []Act {
	entry := acts.find(program)
	if entry == "subcommands" {
		entry = ""
		if sub != "" && !strings.Contains(sub, " ") {
			entry = acts.find(program + " " + sub)
		}
	}
	if entry == "" {
		return nil
	}
	var all []Act
	for act := range strings.SplitSeq(entry, ";") {
		all = append(all, Act(strings.Join(strings.Fields(act), " ")))
	}
	return all
}

// Kind is the name of the effect.
func (a Act) Kind() string {
	kind, _, _ := strings.Cut(string(a), " ")
	return kind
}

// Has reports whether the act has a fact.
func (a Act) Has(fact string) bool { return Program(a).Has(fact) }

// Text is the value of a fact, in which _ means a blank.
func (a Act) Text(fact string) string { return strings.ReplaceAll(Program(a).Value(fact), "_", " ") }

// List is the value of a fact as a list; nil when the act does not have it.
func (a Act) List(fact string) []string {
	value := Program(a).Value(fact)
	if value == "" {
		return nil
	}
	return strings.Split(value, ",")
}

// Place is the value of a fact as a number; -1 when the act does not have it.
func (a Act) Place(fact string) int {
	n, err := strconv.Atoi(Program(a).Value(fact))
	if err != nil {
		return -1
	}
	return n
}
