package table

import (
	"slices"
	"strings"
)

// Inert is what makes a program do nothing but print: its help, its version, or what it
// would do. The zero value is a program without any such property.
type Inert struct {
	entry   string
	options Options
	own     int // operands before those of the program itself: its sub-command
	at      int // operand that "not" is about
}

// InertOf returns what makes a program, with a sub-command or "", do nothing.
func InertOf(program, sub string) Inert {
	if strings.Contains(program, " ") {
		return Inert{}
	}
	i := Inert{entry: inert.find(program)}
	if i.entry == "" {
		return i
	}
	if sub != "" {
		i.own = 1
		if own := inert.find(program + " " + sub); own != "" {
			i.entry, i.at = own, 1
		}
	}
	i.options = OptionsOf(program, sub)
	return i
}

// Is reports whether the program does nothing with these arguments. Where posix is true,
// those of GNU read no options behind an operand.
func (i Inert) Is(args []string, posix bool) bool {
	if i.entry == "" || len(args) == 0 || i.has("none") {
		return false
	}
	if i.has("guide") {
		return true
	}
	first := i.has("first") || posix && i.has("gnu")
	on, operands := uint64(0), 0
	for at, arg := range args {
		if arg == "--" {
			break
		}
		if !isOption(arg) && (at == 0 || !i.options.TakesNext(args[at-1])) {
			if first && operands == i.own || operands == i.at && Program(i.entry).Lists("not", arg) {
				break
			}
			operands++
		}
		if i.taken(arg) {
			return false
		}
		on = i.read(on, arg, at > 0 && i.mayTake(args[at-1]))
	}
	return on != 0 || i.has("help") && !slices.ContainsFunc(args, isOption) && args[len(args)-1] == "help"
}

func isOption(arg string) bool { return len(arg) > 1 && (arg[0] == '-' || arg[0] == '+') }

func (i Inert) has(property string) bool { return Program(i.entry).Has(property) }

// read returns which options of the entry hold after one more word. A word that may be
// the value of the one before it only takes options back.
func (i Inert) read(on uint64, arg string, value bool) uint64 {
	n := 0
	for group := range strings.FieldsSeq(i.entry) {
		if group[0] != '-' {
			continue
		}
		names, _, _ := strings.Cut(group, "!")
		holds, given := false, false
		for name := range strings.SplitSeq(names, "|") {
			h, g := i.gives(arg, name)
			holds, given = holds || h, given || g
		}
		switch {
		case holds && !value:
			on |= 1 << n
		case given && !holds:
			on &^= 1 << n
		}
		n++
	}
	return on
}

// gives reports whether a word is the named option, or takes it back, and whether the
// option holds after it.
func (i Inert) gives(arg, name string) (holds, given bool) {
	if len(name) == 2 && !i.options.is("words") {
		at := strings.IndexByte(arg, name[1])
		holds = arg == name || at > 0 && arg[0] == '-' && arg[1] != '-' && !strings.Contains(arg, "=") && !i.mayTake(arg[:at])
		return holds, holds
	}
	name, want, valued := strings.Cut(name, "=")
	base, value, inline := strings.Cut(arg, "=")
	if off, ok := strings.CutPrefix(base, "--no-"); ok && off != "" && strings.HasPrefix(strings.TrimLeft(name, "-"), off) {
		return false, true
	}
	if base != name && (len(base) < 3 || base[0] != '-' || !i.options.spellsLong(base, name)) {
		return false, false
	}
	if !inline {
		return !valued, true
	}
	return valued && value == want || !valued && (value == "true" || value == "1"), true
}

// taken reports whether a word has an option that takes another one back wherever it is.
func (i Inert) taken(arg string) bool {
	if !isOption(arg) {
		return false
	}
	base, _, _ := strings.Cut(arg, "=")
	for group := range strings.FieldsSeq(i.entry) {
		_, back, _ := strings.Cut(group, "!")
		for name := range strings.SplitSeq(back, ",") {
			bundle := len(name) == 2 && arg[1] != '-' && arg[0] == name[0] && strings.IndexByte(arg, name[1]) > 0
			if bundle || len(base) > 2 && strings.HasPrefix(name, base) {
				return true
			}
		}
	}
	return false
}

// plain are options that take no value in any program which has them.
const plain = "--all --auto-approve --cascade --debug --delete --force --global --hard --help --if-exists --interactive --json --mirror --now --prune --purge" +
	" --quiet --recursive --version --verbose --volumes --yes -auto-approve -f -q -r -R -v -y"

// mayTake reports whether a word may be an option whose value is the next word.
func (i Inert) mayTake(arg string) bool {
	switch {
	case !isOption(arg) || strings.Contains(arg, "="):
		return false
	case i.options.TakesNext(arg):
		return true
	case i.options.Knows(arg) || find(plain, arg, 0) >= 0 || strings.HasPrefix(arg, "--no-") || i.listed(arg):
		return false
	case strings.HasPrefix(arg, "--") || i.options.is("words"):
		return true
	}
	for at := 1; at < len(arg); at++ {
		if letter := arg[:1] + arg[at:at+1]; len(arg) == 2 || i.mayTake(letter) {
			return true
		}
	}
	return false
}

// listed reports whether the entry has an option.
func (i Inert) listed(arg string) bool {
	for group := range strings.FieldsSeq(i.entry) {
		names, _, _ := strings.Cut(group, "!")
		if slices.Contains(strings.Split(names, "|"), arg) {
			return true
		}
	}
	return false
}
