package powershell

import (
	"strings"

	"github.com/agentsentinel/sentinel/shell/internal/effect"
)

// PowerShell calls a .NET method as [System.IO.File]::Delete('a'); System may be left out, and case
// does not matter. New-Object IO.StreamWriter('a') calls a constructor. Read cuts a text without
// regard to these calls, so that a call never replaces a command.

// A Call is a call of a static method of .NET in a text.
type Call struct {
	Name string // in lower case, without System: "io.file::delete"
	Args []Word // those in quotes are Quoted; any other is as it is written
	At   int    // its place in the text
}

// starts are the methods whose arguments are a program and its arguments.
const starts = "diagnostics.process::start diagnostics.processstartinfo::new"

// methods are the methods that touch files.
var methods = [...]struct {
	names string
	kind  effect.Kind
}{
	{"io.file::writealltext io.file::writealllines io.file::writeallbytes io.file::create io.file::createtext io.file::openwrite io.streamwriter::new io.directory::createdirectory", effect.Create},
	{"io.file::appendalltext io.file::appendalllines io.file::appendtext io.file::appendallbytes", effect.Append},
	{"io.file::open io.filestream::new", effect.Edit},
	{"io.file::delete io.directory::delete", effect.Delete},
	{"io.file::readalltext io.file::readalllines io.file::readallbytes io.file::readlines io.file::openread io.file::opentext io.streamreader::new", effect.Read},
	{"io.file::copy io.compression.zipfile::extracttodirectory io.compression.zipfile::createfromdirectory", copied},
	{"io.file::move io.file::replace io.directory::move", effect.Move},
}

// maxCall bounds the arguments of a call that are looked at, in bytes.
const maxCall = 4096

// calls finds at most limit calls in a text, outside of its comments.
func calls(src string, limit int, isComment func(at int) bool) (found []Call) {
	for at := 0; len(found) < limit; {
		i := strings.Index(src[at:], "]::")
		if i < 0 {
			break
		}
		i += at
		at = i + len("]::")
		front := src[max(0, i-maxName):i]
		class := front[strings.LastIndexByte(front, '[')+1:]
		name := nameAt(src[at:])
		open := at + len(name) + blanks(src[at+len(name):])
		if class == front || class == "" || name == "" || nameAt(class) != class || open >= len(src) || src[open] != '(' || isComment(i) {
			continue
		}
		found = append(found, newCall(i, class, name, list(src, open+1)))
	}
	const verb, noun = "new", "-object"
	for at := 0; len(found) < limit; {
		i := strings.IndexByte(src[at:], noun[0])
		if i < 0 {
			break
		}
		i += at
		at = i + 1
		if rest := src[i:]; i < len(verb) || len(rest) < len(noun) || !strings.EqualFold(src[i-len(verb):i]+rest[:len(noun)], verb+noun) {
			continue
		}
		rest := skipped(src, i+len(noun), "-typename")
		class := nameAt(src[rest:])
		if class == "" || isComment(i) {
			continue
		}
		open := skipped(src, rest+len(class), "-argumentlist")
		if open < len(src) && src[open] == '(' {
			open++
		}
		found = append(found, newCall(i, class, "new", list(src, open)))
	}
	return found
}

// maxName bounds the name of a class, in bytes.
const maxName = 200

func newCall(at int, class, name string, args []Word) Call {
	return Call{strings.TrimPrefix(strings.ToLower(class), "system.") + "::" + strings.ToLower(name), args, at}
}

// nameAt is the name, with dots, that a text begins with.
func nameAt(s string) string {
	n := 0
	for n < min(len(s), maxName) && (s[n] == '.' || s[n] == '_' || s[n] >= '0' && s[n] <= '9' || s[n]|0x20 >= 'a' && s[n]|0x20 <= 'z') {
		n++
	}
	return s[:n]
}

// blanks is how many blanks a text begins with.
func blanks(s string) int { return len(s) - len(strings.TrimLeft(s, " \t")) }

// skipped is the place behind blanks and a parameter's name.
func skipped(src string, at int, parameter string) int {
	at += blanks(src[at:])
	if len(src)-at >= len(parameter) && strings.EqualFold(src[at:at+len(parameter)], parameter) {
		at += len(parameter)
		at += blanks(src[at:])
	}
	return at
}

// list reads the items of a list that commas separate, from at to the bracket that closes it, or
// to the end of the command.
func list(src string, at int) (items []Word) {
	end, start, depth := min(len(src), at+maxCall), at, 0
	add := func(to int) {
		text := strings.TrimSpace(src[start:to])
		if literal, ok := unquoted(text); ok {
			items = append(items, Word{literal, start, to, true})
		} else if text != "" {
			items = append(items, Word{text, start, to, false})
		}
		start = to + 1
	}
	for ; at < end; at++ {
		switch b := src[at]; b {
		case '\'', '"':
			n := strings.IndexByte(src[at+1:end], b)
			if n < 0 {
				return items
			}
			at += n + 1
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth < 0 {
				add(at)
				return items
			}
		case ',':
			if depth == 0 {
				add(at)
			}
		case ';', '|', '\n':
			if depth == 0 {
				add(at)
				return items
			}
		}
	}
	add(end)
	return items
}

// unquoted is the text of a literal in quotes.
func unquoted(s string) (text string, ok bool) {
	if len(s) < 2 || s[0] != s[len(s)-1] || s[0] != '\'' && s[0] != '"' {
		return "", false
	}
	text = s[1 : len(s)-1]
	quote := s[:1]
	if strings.Contains(strings.ReplaceAll(text, quote+quote, ""), quote) || quote == `"` && strings.ContainsAny(text, "$`") {
		return "", false
	}
	return strings.ReplaceAll(text, quote+quote, quote), true
}

// unknownPath replaces a path that an expression computes.
const unknownPath = "$path"

// Effects returns what the call does to files.
func (c *Call) Effects() (all []Effect) {
	kind := effect.None
	for _, m := range methods {
		if Is(c.Name, m.names) {
			kind = m.kind
		}
	}
	if kind == effect.None || len(c.Args) == 0 {
		return nil
	}
	path := func(i int) string {
		switch {
		case c.Args[i].Quoted:
			return slashes(c.Args[i].Text)
		case strings.HasPrefix(c.Args[i].Text, "$"):
			return c.Args[i].Text
		}
		return unknownPath
	}
	e := Effect{Kind: kind, Path: path(0)}
	switch {
	case kind == copied || kind == effect.Move:
		if len(c.Args) < 2 {
			return nil
		}
		all = into(path(1), []string{e.Path})
		if e.Kind = effect.Read; kind == effect.Move {
			e.Kind, e.To = kind, path(1)
		}
	case kind == effect.Edit:
		e.Kind = c.mode()
	case kind == effect.Delete:
		e.Recursive = c.Name == "io.directory::delete" && len(c.Args) > 1 && !Is(c.Args[1].Text, "$false 0")
	case c.Name == "io.streamwriter::new":
		if len(c.Args) > 1 && strings.EqualFold(c.Args[1].Text, "$true") {
			e.Kind = effect.Append
		}
	case (kind == effect.Create || kind == effect.Append) && len(c.Args) > 1 && c.Args[1].Quoted:
		e.Content = c.Args[1].Text
	}
	return append(all, e)
}

// mode is what a file is opened for, by the arguments behind its path.
func (c *Call) mode() effect.Kind {
	kind := effect.Edit
	for _, a := range c.Args[1:] {
		word := a.Text[strings.LastIndexByte(a.Text, ':')+1:] // [IO.FileMode]::Append
		switch {
		case Is(word, "Append"):
			return effect.Append
		case Is(word, "Create CreateNew Truncate"):
			return effect.Create
		case Is(word, "Read"):
			kind = effect.Read
		}
	}
	return kind
}
