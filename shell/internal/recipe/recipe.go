// Package recipe reads the files in which a project says how something is built, tested
// or cleaned: Makefile, justfile, Taskfile.yml, the scripts of package.json and its
// like. It returns what a call asks for: the commands, as texts of shell, and the other
// recipes. Nothing is run, and what only the program could tell is a variable that no line
// sets.
package recipe

import (
	"errors"
	"path"
	"slices"
	"strings"
)

// A Call is what a program is asked to run.
type Call struct {
	Names []string          // of recipes; none means the first one, or the one called default
	Args  []string          // what follows the names
	Vars  map[string]string // that the call sets

	// Dry says that the program only shows what it would run. make runs some of it all
	// the same.
	Dry bool

	// IgnoreErrors says that the program succeeds when a command fails, or is not run.
	IgnoreErrors bool

	// Budget is shared by all calls of a line; nil is a new one.
	Budget *Budget

	// Read returns another file that the first one includes, by its path from the
	// folder of the first one. nil reads none.
	Read func(name string) (text string, ok bool)
}

// Work is what a call does.
type Work struct {
	Texts []string // commands, each run by a shell of its own
	Names []string // other recipes of the file that are done for those of the call
	Maybe []string // other recipes of the file that may not have run although the call succeeded
}

// Faults of a file. Earlier findings come with them.
var (
	ErrTooBig   = errors.New("grows too large")
	ErrNotRead  = errors.New("cannot be understood")
	errNotKnown = errors.New("recipe: no such format")
)

// Bounds of one line.
const (
	maxText    = 1 << 20  // bytes of commands
	maxBytes   = 16 << 20 // of the values of variables on the way
	maxSteps   = 200_000  // names, references and inclusions that are followed
	maxDepth   = 20       // references in each other
	maxValue   = 64 << 10 // of one text with the values of a Taskfile in it
	maxInclude = 16       // files
)

// formats are the readers of files, by the name of the format.
var formats = [...]struct {
	name string
	work func(text string, c *Call) (Work, error)
}{
	{"composer", composerScripts},
	{"deno", denoTasks},

	{"just", justfile},
	{"make", makefile},
	{"npm", npmScripts},
	{"task", taskfile},
}

// WorkOf returns what a file has for a call: nothing where it has no such recipe.
func WorkOf(format, text string, c *Call) (Work, error) {
	if c.Budget == nil {
		c.Budget = &Budget{}
	}
	for _, f := range &formats {
		if f.name == format {
			return f.work(text, c)
		}
	}
	return Work{}, errNotKnown
}

// ignoring is a command whose failure counts for nothing.
func ignoring(text string) string {
	if strings.HasPrefix(strings.TrimSpace(text), "#") {
		return text
	}
	return "{ " + text + "\n} || true"
}

// names notes a recipe that is done for another one.
func (w *Work) names(name string, mayFail bool) {
	if mayFail {
		w.Maybe = append(w.Maybe, name)
	} else {
		w.Names = append(w.Names, name)
	}
}

// A Budget bounds the work for the calls of one line.
type Budget struct {
	steps, bytes, text int
	spent              bool
}

// step reports whether one more step of so many bytes may be done.
func (b *Budget) step(bytes int) bool {
	b.steps++
	b.bytes += bytes
	b.spent = b.spent || b.steps > maxSteps || b.bytes > maxBytes
	return !b.spent
}

// command reports whether one more command may be returned.
func (b *Budget) command(text string) bool {
	b.text += len(text)
	b.spent = b.spent || b.text > maxText
	return b.step(0)
}

func (b *Budget) err() error {
	if b.spent {
		return ErrTooBig
	}
	return nil
}

// unknown is a value that only the program knows: a variable that no line sets.
func unknown(of string) string { return "${recipe_" + strings.Map(wordRune, of) + "}" }

func wordRune(r rune) rune {
	if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' {
		return r
	}
	return '_'
}

// isName reports whether a text can be the name of a variable of a shell.
func isName(s string) bool {
	return s != "" && (s[0] < '0' || s[0] > '9') && strings.Map(wordRune, s) == s
}

// fed is a text that is not shell, as a heredoc for its program.
func fed(program, text string) string {
	end := "RECIPE"
	for strings.Contains(text, end) {
		end += "_"
	}
	return program + " <<'" + end + "'\n" + strings.TrimSuffix(text, "\n") + "\n" + end + "\n"
}

// byShebang is a text as its first line says that it is run.
func byShebang(text string) string {
	line, rest, _ := strings.Cut(text, "\n")
	words := strings.Fields(strings.TrimPrefix(line, "#!"))
	if !strings.HasPrefix(line, "#!") || len(words) == 0 {
		return text
	}
	if path.Base(words[0]) == "env" {
		words = slices.DeleteFunc(words[1:], func(w string) bool { return strings.HasPrefix(w, "-") || strings.Contains(w, "=") })
	}
	if len(words) == 0 || isShell(words[0]) {
		return rest
	}
	return fed(words[0], rest)
}

func isShell(program string) bool {
	return slices.Contains([]string{"sh", "bash", "zsh", "dash", "ksh", "ash"}, path.Base(program))
}

// quote writes words as a shell reads them.
func quote(words []string) string {
	var b strings.Builder
	for _, w := range words {
		b.WriteString(" '" + strings.ReplaceAll(w, "'", `'\''`) + "'")
	}
	return b.String()
}
