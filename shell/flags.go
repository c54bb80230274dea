package shell

import "strings"

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
// not --force-with-lease, nor the other way round.
func (c *Command) HasFlag(names ...string) bool {
	o := optionsOf(c.Program, c.Subcommand)
	for _, name := range names {
		if o.has(c.Flags, name) {
			return true
		}
	}
	return false
}

// HasFlags reports whether the command has every option that a word of a
// pattern stands for: each letter of a bundle ("-rf" is satisfied by -fr, by
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
	o := optionsOf(c.Program, c.Subcommand)
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
			if v, ok := o.value(a, next, name, i+1 < len(c.Args)); ok {
				return v, true
			}
		}
	}
	return "", false
}

// options is what is known about a program's options.
type options struct {
	valued  string // those whose value is the next word, between spaces
	same    string // groups of names for one option, separated by commas
	implies string // "-D=-d-f": a letter that stands for others
	abbrev  bool   // long options may be abbreviated
	words   bool   // options are words after one dash: -auto-approve
}

// takesNext reports whether the value of a flag is the word after it.
func (o options) takesNext(flag string) bool {
	if strings.HasPrefix(flag, "--") || o.words {
		return !strings.Contains(flag, "=") && hasWord(o.valued, flag)
	}
	return takesNext(o.valued, flag)
}

// has reports whether an option is among the flags in any spelling.
func (o options) has(flags []string, name string) bool {
	if len(name) < 2 || name[0] != '-' {
		return false
	}
	for _, flag := range flags {
		if o.spells(flag, name) {
			return true
		}
	}
	short := name[1] != '-'
	if short && len(name) > 2 && !o.words {
		for i := 1; i < len(name); i++ {
			if !o.has(flags, "-"+name[i:i+1]) {
				return false
			}
		}
		return true
	}
	if parts, ok := o.parts(name); ok {
		for i := 1; i < len(parts); i += 2 {
			if !o.hasPlain(flags, parts[i-1:i+1]) {
				return false
			}
		}
		return true
	}
	return false
}

// hasPlain is has without the options that stand for others.
func (o options) hasPlain(flags []string, name string) bool {
	for _, flag := range flags {
		if o.spells(flag, name) {
			return true
		}
	}
	return false
}

// parts returns the letters that a combining option stands for: "-d-f".
func (o options) parts(name string) (string, bool) {
	if o.implies == "" {
		return "", false
	}
	for rule := range strings.SplitSeq(o.implies, " ") {
		if letter, parts, ok := strings.Cut(rule, "="); ok && letter == name {
			return parts, true
		}
	}
	return "", false
}

// spells reports whether a flag as written is the named option, or has it.
func (o options) spells(flag, name string) bool {
	if flag == name {
		return true
	}
	base, _, _ := strings.Cut(flag, "=")
	if strings.HasPrefix(flag, "--") {
		return o.longSpells(base, name)
	}
	if o.words {
		return strings.TrimLeft(base, "-") == strings.TrimLeft(name, "-") || o.sameAs(base, name)
	}
	for i := 1; i < len(flag); i++ {
		letter := "-" + flag[i:i+1]
		if letter == name || o.sameAs(letter, name) || o.stands(letter, name) {
			return true
		}
		if hasWord(o.valued, letter) {
			break // the rest of the word is its value
		}
	}
	return false
}

// stands reports whether a combining letter includes the named option.
func (o options) stands(letter, name string) bool {
	parts, _ := o.parts(letter)
	for i := 1; i < len(parts); i += 2 {
		if p := parts[i-1 : i+1]; p == name || o.sameAs(p, name) {
			return true
		}
	}
	return false
}

// longSpells compares a long option as written, without its value.
func (o options) longSpells(base, name string) bool {
	if base == name || o.sameAs(base, name) {
		return true
	}
	if o.words && base[1:] == name {
		return true
	}
	if !o.abbrev || len(base) < len("--abc") || o.knows(base) {
		return false
	}
	if strings.HasPrefix(name, base) && !isWholeOption(base) {
		return true
	}
	for long := range strings.FieldsSeq(o.group(name)) { // an abbreviation of another name of it
		if strings.HasPrefix(long, base) {
			return true
		}
	}
	return false
}

// isWholeOption reports whether a name is an option of many programs by itself,
// so that it is no abbreviation of a longer one even where no table lists it.
func isWholeOption(base string) bool {
	switch base {
	case "--force", "--all", "--delete", "--help", "--version", "--prune", "--dry", "--quiet", "--verbose", "--interactive", "--mirror", "--tags", "--hard", "--soft", "--merge", "--keep":
		return true
	}
	return false
}

// knows reports whether a long option is one of the table by its whole name.
func (o options) knows(long string) bool {
	return o.group(long) != "" || hasWord(o.valued, long)
}

// sameAs reports whether two names are in one group.
func (o options) sameAs(a, b string) bool {
	return hasWord(o.group(a), b)
}

// group returns the names of the option that a name belongs to, between spaces;
// "" when the table does not have it.
func (o options) group(name string) string {
	for from := 0; ; {
		i := strings.Index(o.same[from:], name)
		if i < 0 {
			return ""
		}
		i += from
		from = i + len(name)
		if (i == 0 || isBetween(o.same[i-1])) && (from == len(o.same) || isBetween(o.same[from])) {
			start := strings.LastIndexByte(o.same[:i], ',') + 1
			if n := strings.IndexByte(o.same[i:], ','); n >= 0 {
				return o.same[start : i+n]
			}
			return o.same[start:]
		}
	}
}

func isBetween(c byte) bool { return c == ' ' || c == ',' }

// value returns the value that a flag gives to the named option.
func (o options) value(flag, next, name string, hasNext bool) (string, bool) {
	base, value, inline := strings.Cut(flag, "=")
	if strings.HasPrefix(flag, "--") || o.words {
		if base != name && !o.longSpells(base, name) && !(o.words && strings.TrimLeft(base, "-") == strings.TrimLeft(name, "-")) {
			return "", false
		}
		if inline {
			return value, true
		}
		return next, hasNext
	}
	for i := 1; i < len(flag); i++ {
		letter := "-" + flag[i:i+1]
		if letter == name || o.sameAs(letter, name) {
			if rest := flag[i+1:]; rest != "" {
				return strings.TrimPrefix(rest, "="), true
			}
			return next, hasNext
		}
		if hasWord(o.valued, letter) {
			break
		}
	}
	return "", false
}
