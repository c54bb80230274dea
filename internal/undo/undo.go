// Package undo writes, for a command that removes or loses something, one that does the
// same and loses nothing.
//
// It is made from the words of the call, and only where all of them are known from the
// line itself. Of a variable, a substitution, a wrapper such as sudo, a pipe or a compound
// line nothing is made: "" is always a right answer.
package undo

import (
	"path"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/shell"
)

// The ways to lose nothing, as the key undo of a rule names them.
const (
	Trash  = "trash"  // a file or folder is moved into the trash, instead of deleted or emptied
	Stash  = "stash"  // changes are put into git's stash, instead of thrown away
	Lease  = "lease"  // a push overwrites only what is known of the remote
	Rename = "rename" // a branch gets another name, instead of being deleted
	Any    = "any"    // whichever of them fits
)

// Ways are the values of the key.
func Ways() []string { return []string{Trash, Stash, Lease, Rename, Any} }

// A form is how the commands of one program are rewritten.
type form struct {
	way, program, subcommand string
	write                    func(*call) string // "" where it does not fit
}

var forms = [...]form{
	{Trash, "rm", "", (*call).removed},
	{Trash, "unlink", "", (*call).removed},
	{Trash, "rimraf", "", (*call).removed},
	{Trash, ":", "", (*call).emptied},
	{Trash, "truncate", "", (*call).cutToNothing},
	{Stash, "git", "reset", (*call).reset},
	{Stash, "git", "clean", (*call).clean},
	{Stash, "git", "checkout", (*call).checkout},
	{Stash, "git", "restore", (*call).restore},
	{Stash, "git", "switch", (*call).switched},
	{Lease, "git", "push", (*call).push},
	{Rename, "git", "branch", (*call).branch},
}

// maxLine bounds what is written, in bytes: a person has to read it.
const maxLine = 1000

// Line is a command line that does what the given one does, in one of the ways, and loses
// nothing; "" without such a line, or where the line is not understood to the last word.
func Line(way string, line *shell.Line, at Place) string {
	c, ok := read(line)
	if !ok {
		return ""
	}
	c.at = at
	for _, f := range forms {
		if (way == Any || way == f.way) && f.program == c.program && (f.subcommand == "" || f.subcommand == c.subcommand) {
			if written := f.write(c); written != "" && len(c.before+written) <= maxLine {
				return c.before + written
			}
		}
	}
	return ""
}

// A call is the one command of a line, after a cd at most.
type call struct {
	at       Place
	before   string // of the line: the cd
	dir      string // that the command runs in
	program  string
	context  string // of git: its -C options, with a blank before each
	flags    []string
	operands []word
	dashes   int // operands before --; -1 without one

	subcommand string // of git; it is not among the operands
}

// read takes a line apart, twice: by its characters, and as [shell.Parse] has read it. A line that
// the two read differently is not understood.
func read(line *shell.Line) (*call, bool) {
	commands, ok := readWords(line.Text)
	if !ok || line.Unparsed != "" || line.Bounded || len(commands) > 2 || len(line.Commands) != len(commands) {
		return nil, false
	}
	c := &call{dashes: -1}
	words, parsed := commands[len(commands)-1], &line.Commands[len(commands)-1]
	if parsed.DirUnknown || len(parsed.Wrappers)+len(parsed.Assigns)+len(parsed.Input) > 0 || parsed.Background {
		return nil, false
	}
	if len(commands) == 2 {
		cd := commands[0]
		if len(cd) != 2 || cd[0].text != "cd" || cd[1].glob || cd[1].text == "" || cd[1].text[0] == '-' || line.Commands[0].Program != "cd" {
			return nil, false
		}
		c.before, c.dir = "cd "+cd[1].String()+" && ", cd[1].text
	}
	return c, c.take(words, parsed)
}

// take takes the words of the command apart.
func (c *call) take(words []word, parsed *shell.Command) bool {
	if i := slices.IndexFunc(words, func(w word) bool { return w.text == ">" && !w.quoted }); i >= 0 {
		return c.takeRedirection(words, i, parsed)
	}
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = w.text
	}
	if c.program = texts[0]; c.program != parsed.Program || c.program != parsed.Path ||
		!slices.Equal(texts[1:], slices.Concat(parsed.Context, parsed.Args)) || len(parsed.Redirects) > 0 {
		return false
	}
	words = words[1:]
	for c.program == "git" && len(words) > 1 && words[0].text == "-C" && !words[1].glob {
		c.context += " -C " + words[1].String()
		words = words[2:]
	}
	if c.program == "git" {
		if len(words) == 0 || words[0].glob {
			return false
		}
		c.subcommand, words = words[0].text, words[1:]
	}
	for _, w := range words {
		switch {
		case c.dashes < 0 && w.text == "--":
			c.dashes = len(c.operands)
		case c.dashes < 0 && len(w.text) > 1 && w.text[0] == '-':
			c.flags = append(c.flags, w.text)
		case w.text == "":
			return false
		default:
			c.operands = append(c.operands, w)
		}
	}
	return true
}

// takeRedirection takes `> file` and `: > file`.
func (c *call) takeRedirection(words []word, at int, parsed *shell.Command) bool {
	before := words[:at]
	alone := len(before) == 0 || len(before) == 1 && before[0] == word{text: ":"}
	if !alone || at != len(words)-2 || words[at+1].glob || parsed.Program != ":" ||
		!slices.Equal(parsed.Redirects, []string{"> " + words[at+1].text}) {
		return false
	}
	c.program, c.operands = ":", words[at+1:]
	return true
}

// only reports whether every option is one of those: a whole word, or a bundle of the
// letters.
func (c *call) only(letters string, long ...string) bool {
	return !slices.ContainsFunc(c.flags, func(f string) bool {
		return !slices.Contains(long, f) && (f[1] == '-' || strings.Trim(f[1:], letters) != "")
	})
}

// has reports whether an option is there, by one of its letters or as a word.
func (c *call) has(letters string, long ...string) bool {
	return slices.ContainsFunc(c.flags, func(f string) bool {
		return slices.Contains(long, f) || f[1] != '-' && letters != "" && strings.ContainsAny(f[1:], letters)
	})
}

// join writes words with a blank before each.
func join(words []word) string {
	var b strings.Builder
	for _, w := range words {
		b.WriteByte(' ')
		b.WriteString(w.String())
	}
	return b.String()
}

// folder is where the command runs.
func (c *call) folder() string {
	if path.IsAbs(c.dir) {
		return c.dir
	}
	return path.Join(c.at.Dir, c.dir)
}
