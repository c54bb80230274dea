// Package powershell guesses the commands of a text of PowerShell or cmd.exe,
// which are not parsed: the text is cut at separators, quotes and brackets, so
// that rules have something to match.
package powershell

import (
	"encoding/base64"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// A Word is one word of a command. Start and End are its place in the text.
type Word struct {
	Text       string
	Start, End int
	Quoted     bool
}

// IsText reports whether a word of src is a text in quotes. Such a text does not run.
func (w Word) IsText(src string) bool {
	quote, _ := quoteAt(src[min(w.Start, len(src)):])
	return w.Quoted && quote != 0
}

// A Text is what was found in a text.
type Text struct {
	Commands [][]Word
	All      bool // false when there are more commands
	Calls    []Call
}

// Read cuts a text of PowerShell, or of cmd.exe, into at most limit commands. What one shell quotes,
// escapes or takes for a comment separates commands in the other.
func Read(src string, limit int, cmd bool) Text {
	c := cutter{src: src, start: -1, cmd: cmd, limit: limit}
	c.split()
	t := Text{Commands: c.commands, All: !c.full}
	if !cmd {
		t.Calls = calls(src, limit, c.isComment)
	}
	return t
}

// A span is a part of a text.
type span struct{ start, end int }

// A cutter cuts a text. start is where the current word starts, -1 between words.
type cutter struct {
	src        string
	pos, start int
	cmd        bool
	limit      int
	full       bool // there are more commands
	depth      int  // of expressions $(…) in quotes
	brackets   int  // how many are open
	raw        bool // quotes mean nothing behind --%, up to the end of the line
	unclosed   bool // a comment <# has no end
	commands   [][]Word
	words      []Word
	word       strings.Builder
	quoted     bool
	comments   []span
}

// split cuts to the end of the text, or of the expression.
func (c *cutter) split() {
	for ; c.pos < len(c.src); c.pos++ {
		if len(c.commands) >= c.limit {
			c.full = true
			return
		}
		b := c.src[c.pos]
		if b == '(' {
			c.brackets++
		} else if b == ')' {
			if c.brackets--; c.brackets < 0 && c.depth > 0 {
				break
			}
		}
		c.next(b)
	}
	c.endCommand()
}

// next takes the byte at the position, and those that belong to it.
func (c *cutter) next(b byte) {
	c.raw = c.raw && b != '\n' && b != '|'
	switch b {
	case ' ', '\t', ',':
		c.endWord()
	case '\r':
		if c.endWord(); !c.cmd {
			c.endCommand()
		}
	case '{', '}':
		if !c.brace(b) {
			c.endCommand()
		}
	case '\n', ';', '|', '(', ')':
		c.endCommand()
	case '&':
		if c.pos+1 < len(c.src) && c.src[c.pos+1] == ' ' && c.start < 0 && len(c.words) == 0 {
			return // the call operator
		}
		c.endCommand()
	default:
		if c.cmd {
			c.nextOfCmd(b)
		} else {
			c.nextOfPowerShell(b)
		}
	}
}

func (c *cutter) nextOfCmd(b byte) {
	switch {
	case b == '^':
		c.escape()
	case b == '"':
		c.begin()
		c.quoted = true
		for c.pos++; c.pos < len(c.src); c.pos++ {
			if c.src[c.pos] == '"' {
				if !strings.HasPrefix(c.src[c.pos:], `""`) {
					break
				}
				c.pos++ // a quote twice is one
			}
			c.word.WriteByte(c.src[c.pos])
		}
	case b == '@' && c.start < 0 && c.begins(): // does not print the command
	case b == '\'' && (strings.HasSuffix(c.src[:c.pos], "(") || strings.HasPrefix(c.src[c.pos+1:], ")")): // for /f %i in ('command')
	case b == '\'' && strings.Contains(c.src[c.pos+1:], "'"):
		c.quotedByProgram()
	default:
		c.add(b)
	}
}

func (c *cutter) nextOfPowerShell(b byte) {
	quote, size := quoteAt(c.src[c.pos:])
	switch {
	case c.raw:
		c.add(b)
	case quote != 0:
		c.begin()
		c.quoted = true
		c.pos += size
		c.quotedText(quote)
	case c.blockComment():
	case b == '=' && c.assigns(): // $x=command
		c.endWord()
		c.add(b)
		c.pos++
		c.endWord()
		c.pos--
	case c.start >= 0 && b != '`':
		c.add(b)
	case b == '`':
		c.escape()
	case b == '@' && c.hereString():
	case b == '#':
		c.lineComment()
	default:
		c.add(b)
	}
}

// quotedByProgram takes a text in single quotes. Many programs take them for quotes, and cmd.exe does
// not: the commands behind its separators in the text run, too.
func (c *cutter) quotedByProgram() {
	text, _, _ := strings.Cut(c.src[c.pos+1:], "'")
	c.begin()
	c.quoted = true
	c.word.WriteString(text)
	if sign := strings.IndexAny(text, "&|\n"); sign >= 0 {
		in := cutter{src: c.src[:c.pos+1+len(text)], pos: c.pos + 1, start: -1, cmd: true, limit: c.limit - len(c.commands)}
		in.split()
		c.full = c.full || in.full
		if len(in.commands) > 0 && in.commands[0][0].Start < c.pos+1+sign {
			in.commands = in.commands[1:] // it is what is quoted
		}
		c.commands = append(c.commands, in.commands...)
	}
	c.pos += len(text) + 1
}

// assigns reports whether an equals sign here assigns to a variable.
func (c *cutter) assigns() bool {
	variable := c.word.String()
	if len(c.words) == 1 && c.start < 0 {
		variable = c.words[0].Text
	} else if len(c.words) > 0 && !c.assigned() {
		return false
	}
	return strings.HasPrefix(variable, "$") || strings.HasPrefix(variable, "[") && strings.Contains(variable, "]$")
}

// assigned reports whether the words so far end with an assignment.
func (c *cutter) assigned() bool { return len(c.words) > 1 && c.words[len(c.words)-1].Text == "=" }

// begins reports whether a command of cmd.exe begins with the next word.
func (c *cutter) begins() bool {
	return len(c.words) == 0 || Is(c.words[0].Text, "if call start") || Is(c.words[len(c.words)-1].Text, "do else")
}

// escape takes the next byte as it is. An escaped end of a line joins two lines.
func (c *cutter) escape() {
	if c.pos+1 == len(c.src) {
		return
	}
	c.pos++
	c.begin()
	if c.src[c.pos] != '\n' {
		c.word.WriteByte(c.src[c.pos])
	}
}

// blockComment skips <# … #>. One without an end does not count.
func (c *cutter) blockComment() bool {
	const begin, end = "<#", "#>"
	if c.unclosed || !strings.HasPrefix(c.src[c.pos:], begin) {
		return false
	}
	n := strings.Index(c.src[c.pos+len(begin):], end)
	if c.unclosed = n < 0; c.unclosed {
		return false
	}
	c.endWord()
	c.comment(c.pos + len(begin) + n + len(end))
	return true
}

// lineComment skips a comment up to the end of its line.
func (c *cutter) lineComment() {
	n := strings.IndexAny(c.src[c.pos:], "\r\n")
	if n < 0 {
		n = len(c.src) - c.pos
	}
	c.comment(c.pos + n)
}

func (c *cutter) comment(end int) {
	c.comments = append(c.comments, span{c.pos, end})
	c.pos = end - 1
}

// isComment reports whether a place is in a comment.
func (c *cutter) isComment(at int) bool {
	_, found := slices.BinarySearchFunc(c.comments, at, func(s span, at int) int {
		switch {
		case s.end <= at:
			return -1
		case s.start > at:
			return 1
		}
		return 0
	})
	return found
}

// quoteAt is the quote that a text begins with, " or ', and its size: PowerShell takes the curly
// quotes for the straight ones (about_Quoting_Rules).
func quoteAt(s string) (quote byte, size int) {
	switch r, size := utf8.DecodeRuneInString(s); r {
	case '\'', '‘', '’', '‚', '‛':
		return '\'', size
	case '"', '“', '”', '„':
		return '"', size
	default:
		return 0, 0
	}
}

// quotedText takes a text behind its quote: a quote twice is one, and double quotes know
// escapes and expressions.
func (c *cutter) quotedText(quote byte) {
	for c.pos < len(c.src) {
		if q, size := quoteAt(c.src[c.pos:]); q == quote {
			again, _ := quoteAt(c.src[c.pos+size:])
			if c.pos += size; again != quote {
				c.pos-- // the loop of run goes one on
				return
			}
			_, size = quoteAt(c.src[c.pos:])
			c.word.WriteByte(quote)
			c.pos += size
			continue
		}
		c.textByte(quote)
	}
}

// textByte takes a byte, an escape or an expression of a text in quotes.
func (c *cutter) textByte(quote byte) {
	switch b := c.src[c.pos]; {
	case quote == '"' && b == '`' && c.pos+1 < len(c.src):
		c.word.WriteByte(c.src[c.pos+1])
		c.pos += 2
	case quote == '"' && strings.HasPrefix(c.src[c.pos:], "$(") && c.depth < maxDepth:
		start := c.pos
		c.pos = c.expression(c.pos + len("$("))
		c.word.WriteString(c.src[start:c.pos])
	default:
		c.word.WriteByte(b)
		c.pos++
	}
}

// maxDepth bounds expressions in the texts of expressions.
const maxDepth = 8

// expression cuts the commands of $(…) in a text, and returns the place behind it.
func (c *cutter) expression(from int) int {
	in := cutter{src: c.src, pos: from, start: -1, limit: c.limit - len(c.commands), depth: c.depth + 1, unclosed: c.unclosed}
	in.split()
	c.full, c.unclosed = c.full || in.full, in.unclosed
	c.commands = append(c.commands, in.commands...)
	c.comments = append(c.comments, in.comments...)
	return min(in.pos+1, len(c.src))
}

// hereString takes a text between @' and '@, each on a line of its own.
func (c *cutter) hereString() bool {
	quote, size := quoteAt(c.src[c.pos+1:])
	rest := c.src[c.pos+1+size:]
	line := len(rest) - len(strings.TrimLeft(rest, " \t\r"))
	if quote == 0 || line == len(rest) || rest[line] != '\n' {
		return false
	}
	c.begin()
	c.quoted = true
	c.pos += 1 + size + line + 1
	for c.pos < len(c.src) {
		if c.src[c.pos-1] == '\n' {
			if q, size := quoteAt(c.src[c.pos:]); q == quote && strings.HasPrefix(c.src[c.pos+size:], "@") {
				c.pos += size
				break
			}
		}
		c.textByte(quote)
	}
	return true
}

// WithCommas joins the words of a command that commas of the text separate: cmd.exe
// passes them on to programs.
func WithCommas(src string, words []Word) (joined []Word) {
	for _, word := range words {
		n := len(joined) - 1
		if n < 0 || word.Start != joined[n].End+1 || src[joined[n].End] != ',' {
			joined = append(joined, word)
			continue
		}
		joined[n].Text, joined[n].End = joined[n].Text+","+word.Text, word.End
	}
	return joined
}

// brace takes a brace that is a part of a word, {} or /repos/{owner}, not of a block.
func (c *cutter) brace(b byte) bool {
	empty := b == '{' && c.start < 0 && strings.HasPrefix(c.src[c.pos:], "{}")
	if len(c.words) == 0 || c.assigned() || !empty && (c.start < 0 || b == '}' && !strings.Contains(c.word.String(), "{")) {
		return false
	}
	c.add(b)
	return true
}

func (c *cutter) begin() {
	if c.start < 0 {
		c.start = c.pos
	}
}

func (c *cutter) add(b byte) {
	c.begin()
	c.word.WriteByte(b)
}

func (c *cutter) endWord() {
	if c.start >= 0 {
		c.raw = c.raw || !c.cmd && !c.quoted && c.word.String() == "--%"
		c.words = append(c.words, Word{c.word.String(), c.start, min(c.pos, len(c.src)), c.quoted})
	}
	c.start, c.quoted = -1, false
	c.word.Reset()
}

func (c *cutter) endCommand() {
	c.endWord()
	if len(c.words) > 0 {
		c.commands = append(c.commands, c.words)
	}
	c.words = nil
}

// Decode decodes the base64 of UTF-16LE that -EncodedCommand takes.
func Decode(encoded string) (string, error) {
	raw, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(encoded, "="))
	if err != nil {
		return "", err
	}
	units := make([]uint16, len(raw)/2)
	for i := range units {
		units[i] = uint16(raw[2*i]) | uint16(raw[2*i+1])<<8
	}
	return string(utf16.Decode(units)), nil
}

// Is reports whether a name is one of a list of names. PowerShell ignores case.
func Is(name, names string) bool {
	for n := range strings.FieldsSeq(names) {
		if strings.EqualFold(name, n) {
			return true
		}
	}
	return false
}

// verbs are those of the cmdlets that matter here.
const verbs = "Remove Set Get New Add Clear Copy Move Rename Invoke Start Stop Restart Out Import Export Test Write Read Select Where " +
	"ForEach Format Disable Enable Uninstall Install Register Unregister Expand Compress Resize Initialize Dismount Convert ConvertTo " +
	"ConvertFrom Join Split Resolve"

// IsCmdlet reports whether a name is Verb-Noun with a verb that matters here.
func IsCmdlet(name string) bool {
	verb, noun, ok := strings.Cut(name, "-")
	if !ok || !isCapital(noun) || !isCapital(verb) {
		return false
	}
	for v := range strings.FieldsSeq(verbs) {
		if v == verb {
			return true
		}
	}
	return false
}

func isCapital(s string) bool { return s != "" && s[0] >= 'A' && s[0] <= 'Z' }

// Looks reports whether a text that is not Bash looks like PowerShell.
func Looks(text string) bool {
	if strings.Contains(text, "$env:") || strings.Contains(text, "[System.") || strings.Contains(text, "New-Object ") {
		return true
	}
	for word := range strings.FieldsFuncSeq(text[:min(len(text), 4096)], func(r rune) bool {
		return strings.ContainsRune(" \t\r\n;|(){}&=", r)
	}) {
		if IsCmdlet(word) || word == "iex" || word == "iwr" || word == "irm" {
			return true
		}
	}
	return false
}
