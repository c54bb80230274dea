package table

import "strings"

// Options are what is known about the options of a program. The zero value is
// a program whose options take no values.
type Options struct {
	groups  string // properties of the program, then groups of names of the same option, separated by commas
	singles string // options in no group
}

// OptionsOf returns the options of a program and its sub-command.
func OptionsOf(program, sub string) Options {
	if program == "git" {
		if entry := git.find(sub); entry != "" {
			return parseOptions(entry)
		}
	}
	return parseOptions(options.find(program))
}

// ContextOf returns the options that may precede the sub-command of a program.
func ContextOf(program string) Options { return parseOptions(context.find(program)) }

// Valued returns options that take a value each, written "-u= --user=".
func Valued(names string) Options { return Options{singles: names} }

func parseOptions(entry string) Options {
	groups, singles, _ := strings.Cut(entry, ";")
	return Options{groups, singles}
}

// Empty reports whether nothing is known about the options.
func (o Options) Empty() bool { return o.groups == "" && o.singles == "" }

// Knows reports whether an option is in the table by its whole name.
func (o Options) Knows(name string) bool {
	return find(o.groups, name, 0) >= 0 || find(o.singles, name, 0) >= 0
}

// HasValue reports whether an option takes a value.
func (o Options) HasValue(name string) bool {
	return find(o.groups, name, '=') >= 0 || find(o.singles, name, '=') >= 0
}

// TakesNext reports whether the value of an option, as written, is the next
// word. In a bundle (-nu) the last letter decides, unless the rest of the word
// is the value of an earlier one.
func (o Options) TakesNext(flag string) bool {
	if strings.HasPrefix(flag, "--") || len(flag) == 2 || o.is("words") || o.HasValue(flag) {
		return o.HasValue(flag)
	}
	for i := 1; i < len(flag); i++ {
		if o.HasValue("-" + flag[i:i+1]) {
			return i == len(flag)-1
		}
	}
	return false
}

// Has reports whether an option is among the flags in any spelling.
func (o Options) Has(flags []string, name string) bool {
	if len(name) < 2 || name[0] != '-' {
		return false
	}
	if o.hasPlain(flags, name) {
		return true
	}
	if name[1] != '-' && len(name) > 2 && !o.is("words") {
		for i := 1; i < len(name); i++ {
			if !o.Has(flags, "-"+name[i:i+1]) {
				return false
			}
		}
		return true
	}
	parts := o.includes(name)
	for i := 1; i < len(parts); i += 2 {
		if !o.hasPlain(flags, parts[i-1:i+1]) {
			return false
		}
	}
	return parts != ""
}

// Since returns the flags behind the last one that takes an option back: of git,
// --no-force does so with --force, and --verify with --no-verify.
func (o Options) Since(flags []string, name string) []string {
	names := o.group(name) + " " + name
	for i := len(flags) - 1; i >= 0; i-- {
		back, no := strings.CutPrefix(flags[i], "--no-")
		if !no {
			back = "no-" + strings.TrimPrefix(flags[i], "--")
		}
		if strings.HasPrefix(flags[i], "--") && find(names, "--"+back, 0) >= 0 {
			return flags[i+1:]
		}
	}
	return flags
}

// hasPlain is Has without the options that include others.
func (o Options) hasPlain(flags []string, name string) bool {
	for _, flag := range flags {
		if o.spells(flag, name) {
			return true
		}
	}
	return false
}

// Value returns the value that a flag, before the word next, gives to the named
// option.
func (o Options) Value(flag, next, name string, hasNext bool) (string, bool) {
	base, value, inline := strings.Cut(flag, "=")
	words := o.is("words")
	if strings.HasPrefix(flag, "--") || words {
		if base != name && !o.spellsLong(base, name) && (!words || strings.TrimLeft(base, "-") != strings.TrimLeft(name, "-")) {
			return "", false
		}
		if inline {
			return value, true
		}
		return next, hasNext
	}
	if flag == name {
		return next, hasNext
	}
	for i := 1; i < len(flag); i++ {
		letter := "-" + flag[i:i+1]
		if letter == name || o.same(letter, name) {
			if rest := flag[i+1:]; rest != "" {
				return strings.TrimPrefix(rest, "="), true
			}
			return next, hasNext
		}
		if o.HasValue(letter) {
			break
		}
	}
	return "", false
}

// spells reports whether a flag as written is the named option, or includes it.
func (o Options) spells(flag, name string) bool {
	if flag == name {
		return true
	}
	base, _, _ := strings.Cut(flag, "=")
	if strings.HasPrefix(flag, "--") {
		return o.spellsLong(base, name)
	}
	if o.is("words") {
		return strings.TrimLeft(base, "-") == strings.TrimLeft(name, "-") || o.same(base, name)
	}
	for i := 1; i < len(flag); i++ {
		letter := "-" + flag[i:i+1]
		if letter == name || o.same(letter, name) || o.covers(letter, name) {
			return true
		}
		if o.HasValue(letter) {
			break // the rest of the word is its value
		}
	}
	return false
}

// spellsLong compares a long option as written, without its value.
func (o Options) spellsLong(base, name string) bool {
	if base == name || o.same(base, name) {
		return true
	}
	if base[1:] == name && o.is("words") {
		return true
	}
	if len(base) < len("--a") || !o.is("abbrev") || o.Knows(base) {
		return false
	}
	if strings.HasPrefix(name, base) && find(wholeOptions, base, 0) < 0 {
		return true
	}
	for long := range strings.FieldsSeq(o.group(name)) { // an abbreviation of another name of it
		if strings.HasPrefix(long, base) {
			return true
		}
	}
	return false
}

// wholeOptions are options of many programs. None of them counts as the
// abbreviation of a longer one, even where the table does not list it.
const wholeOptions = "--force --all --delete --help --version --prune --dry --quiet --verbose --interactive --mirror --tags --hard --soft --merge --keep"

// is reports whether the program has a property.
func (o Options) is(property string) bool { return find(o.groups, property, 0) >= 0 }

// covers reports whether a letter includes the named option, as -D does -d.
func (o Options) covers(letter, name string) bool {
	parts := o.includes(letter)
	for i := 1; i < len(parts); i += 2 {
		if p := parts[i-1 : i+1]; p == name || o.same(p, name) {
			return true
		}
	}
	return false
}

// includes returns the letters that an option includes: "-d-f".
func (o Options) includes(name string) string {
	i := find(o.groups, name, '>')
	if i < 0 {
		return ""
	}
	parts := o.groups[i+1:]
	if n := strings.IndexAny(parts, " ,"); n >= 0 {
		parts = parts[:n]
	}
	return parts
}

// same reports whether two names are in one group.
func (o Options) same(a, b string) bool { return find(o.group(a), b, 0) >= 0 }

// group returns the group of a name, "" when it is in none.
func (o Options) group(name string) string {
	end := find(o.groups, name, 0)
	if end < 0 {
		return ""
	}
	start := strings.LastIndexByte(o.groups[:end-len(name)], ',') + 1
	if n := strings.IndexByte(o.groups[end:], ','); n >= 0 {
		return o.groups[start : end+n]
	}
	return o.groups[start:]
}
