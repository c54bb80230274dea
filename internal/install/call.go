package install

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// A Shell is what an agent hands a command line to.
type Shell string

// The shells.
const (
	NoShell    Shell = ""
	Posix      Shell = "sh"
	Cmd        Shell = "cmd"
	PowerShell Shell = "powershell"
)

// A Call is what an [Entry] starts: `PROGRAM hook FLAG…`.
type Call struct {
	Program string   // as it is written, with its quotes taken off
	Home    bool     // Program is relative to the person's home folder
	Flags   []string // behind the word hook
}

// Call takes an entry apart. ok is true only if it starts `sentinel hook`, with
// flags, and cannot do anything else: no variable but HOME is read, nothing is
// redirected, substituted or assigned, and no other command follows but the
// endings that [Plan] writes. Such a line may be run to try it, even if
// a stranger wrote it, once it is known what program that is.
func (e Entry) Call() (c Call, ok bool) {
	list := append([]string{e.Command}, e.Args...)
	if e.Args == nil {
		if list, c.Home, ok = e.Shell.split(e.Shell.plain(e.Command)); !ok {
			return Call{}, false
		}
	}
	if len(list) < 2 || list[1] != "hook" || !IsSentinel(e.own, list[0]) || isAssignment(list[0]) {
		return Call{}, false
	}
	if all := strings.Join(list, ""); strings.ContainsAny(all, "\x00\r\n") || !utf8.ValidString(all) {
		return Call{}, false
	}
	c.Program, c.Flags = list[0], list[2:]
	return c, true
}

// like reports whether two entries make the same call of the same event, whatever the
// program, and whatever time they are given if they are given one.
func (e Entry) like(o Entry) bool {
	a, plain := e.Call()
	if !plain && e.Shell == Cmd { // a file that two agents read may have the line of the other one's shell
		e.Shell = PowerShell
		a, plain = e.Call()
	}
	b, _ := o.Call()
	return plain && e.Event == o.Event && (e.Timeout == 0) == (o.Timeout == 0) && slices.Equal(a.timeless(), b.timeless())
}

// timeless are the flags without --deadline as [Plan] writes it.
func (c Call) timeless() []string {
	if at := slices.Index(c.Flags, "--deadline"); at >= 0 && at+1 < len(c.Flags) {
		return slices.Delete(slices.Clone(c.Flags), at, at+2)
	}
	return c.Flags
}

// Deadline is the last value of --deadline, as package flag reads it; 0 when the flag is
// missing, and ok is false when its value is not a duration.
func (c Call) Deadline() (d time.Duration, ok bool) {
	text, told := "", false
	for i, word := range c.Flags {
		name, after, joined := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(word, "-"), "-"), "=")
		switch {
		case name != "deadline" || !strings.HasPrefix(word, "-"):
		case joined:
			text, told = after, true
		case i+1 < len(c.Flags):
			text, told = c.Flags[i+1], true
		}
	}
	if !told {
		return 0, true
	}
	d, err := time.ParseDuration(text)
	return d, err == nil && d > 0
}

// plain takes off what [Plan] writes around a command for this shell.
func (s Shell) plain(line string) string {
	line = strings.TrimSpace(line)
	endings := []string{AlwaysOK, ElseDeny}
	switch s {
	case Cmd:
		endings = []string{AlwaysOKInCmd, ElseDeny}
	case PowerShell:
		endings = []string{AlwaysOK, elseDenyPowerShell, SameStatus}
	}
	if inner, ok := strings.CutPrefix(line, cmdBegin); ok && s != Posix && strings.HasSuffix(inner, cmdEnd) {
		line, endings = strings.TrimSuffix(inner, cmdEnd), []string{AlwaysOKInCmd, ElseDeny}
	}
	for _, ending := range endings {
		if rest, ok := strings.CutSuffix(line, ending); ok {
			return rest
		}
	}
	return line
}

// split takes a line apart that holds nothing but words. Whatever could mean more
// to the shell makes it false: a line that is not understood whole is not plain.
// home says that the first word is a path from the person's home folder.
func (s Shell) split(line string) (list []string, home, ok bool) {
	line = strings.TrimLeft(line, " \t")
	switch s {
	case Posix:
		line, home = fromHome(line)
	case PowerShell:
		line = strings.TrimPrefix(line, "& ")
		if strings.ContainsAny(line, "\u2018\u2019\u201a\u201b\u201c\u201d\u201e") { // quotes too, to it
			return nil, false, false
		}
	}
	for line = strings.TrimLeft(line, " \t"); line != ""; line = strings.TrimLeft(line, " \t") {
		word, rest, ok := s.next(line)
		if !ok {
			return nil, false, false
		}
		list, line = append(list, word), rest
	}
	return list, home, len(list) > 0
}

// fromHome takes the person's home folder off the beginning of a line.
func fromHome(line string) (rest string, ok bool) {
	for _, name := range []string{"~/", "$HOME/", "${HOME}/"} {
		if rest, ok := strings.CutPrefix(line, name); ok {
			return rest, true
		}
		if rest, ok := strings.CutPrefix(line, `"`+name); ok && name != "~/" {
			return `"` + rest, true
		}
	}
	return line, false
}

// next reads one word.
func (s Shell) next(line string) (word, rest string, ok bool) {
	var b strings.Builder
	for line != "" && line[0] != ' ' && line[0] != '\t' {
		switch c := line[0]; {
		case c == '"' || c == '\'' && s != Cmd:
			inner, after, closed := s.quoted(line[1:], c)
			if !closed {
				return "", "", false
			}
			b.WriteString(inner)
			line = after
		case s == Posix && strings.HasPrefix(line, `\'`):
			b.WriteByte('\'')
			line = line[2:]
		case s.bare(c):
			b.WriteByte(c)
			line = line[1:]
		default:
			return "", "", false
		}
	}
	return b.String(), line, true
}

// quoted reads up to the closing quote. It fails where something within has a
// meaning.
func (s Shell) quoted(line string, quote byte) (inner, after string, ok bool) {
	inner, after, ok = strings.Cut(line, string(quote))
	if quote == '"' {
		return inner, after, ok && !strings.ContainsAny(inner, s.liveInQuotes())
	}
	for s == PowerShell && ok && strings.HasPrefix(after, "'") { // two of them are one
		var more string
		more, after, ok = strings.Cut(after[1:], "'")
		inner += "'" + more
	}
	return inner, after, ok
}

// liveInQuotes are the characters that mean something between double quotes.
func (s Shell) liveInQuotes() string {
	switch s {
	case Cmd:
		return "%!^"
	case PowerShell:
		return "$`"
	}
	return "$`\\!"
}

// bare reports whether a character means itself outside of quotes.
func (s Shell) bare(c byte) bool {
	switch {
	case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c >= 0x80: // a letter
		return true
	case c == '\\':
		return s != Posix
	case c == '@' || c == ',':
		return s != PowerShell
	}
	return strings.IndexByte("_-./:=+", c) >= 0
}
