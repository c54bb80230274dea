package shell

import (
	"strings"

	"github.com/agentsentinel/sentinel/shell/internal/table"
)

// HasFlag reports whether any of the named options is present, however it is
// written. A short name ("-f") is found alone and in a bundle (-rf); a long one
// ("--force") with and without a value (--force=x). Short and long names of the
// same option are one, for the programs that are known here: HasFlag("-f") is
// true of rm --force, and HasFlag("-D") of git branch --delete --force. A name
// of several letters after one dash is that word for programs with such options
// (terraform -auto-approve), else all of its letters.
//
// Programs that take abbreviated long options (GNU tools and git) have them
// matched from three letters on: --forc is --force. An abbreviation that could
// mean several options, which the program itself refuses, counts as each of
// them; a whole option never counts as the beginning of another, so --force is
// not --force-with-lease, nor the other way round. An option of git that is taken back
// later (--force --no-force) is not present.
func (c *Command) HasFlag(names ...string) bool {
	o := table.OptionsOf(c.Program, c.Subcommand)
	for _, name := range names {
		flags := c.Flags
		if c.Program == "git" {
			flags = o.Since(flags, name)
		}
		if o.Has(flags, name) {
			return true
		}
	}
	return false
}

// HasFlags reports whether the command has every option that a word of a
// pattern means: each letter of a bundle ("-rf" is satisfied by -fr, by
// -r -f and by --recursive --force), or the one long option ("--force"). With a
// value ("--depth=1") that value must be given too.
func (c *Command) HasFlags(word string) bool {
	name, value, valued := strings.Cut(word, "=")
	if valued {
		got, ok := c.Value(name)
		return ok && got == value
	}
	if len(word) < 2 || word[0] != '-' {
		return false
	}
	return c.HasFlag(word)
}

// Value returns the value of the first of the named options that is present:
// -o file, -ofile, --output=file, --output file. ok is false when none is there
// or it has no value.
func (c *Command) Value(names ...string) (value string, ok bool) {
	o := table.OptionsOf(c.Program, c.Subcommand)
	for _, name := range names {
		for i, a := range c.Args {
			if a == "--" {
				break
			}
			if len(a) < 2 || a[0] != '-' {
				continue
			}
			next := ""
			if i+1 < len(c.Args) {
				next = c.Args[i+1]
			}
			if v, ok := o.Value(a, next, name, i+1 < len(c.Args)); ok {
				return v, true
			}
		}
	}
	return "", false
}
