// Package powershell guesses the commands of a text of PowerShell or cmd.exe,
// which are not parsed: the text is cut at separators, quotes and brackets, so
// that rules have something to match.
package powershell

import (
	"encoding/base64"
	"strings"
	"unicode/utf16"
)

// A Word is one word of a command. Start and End are its place in the text.
type Word struct {
	Text       string
	Start, End int
	Quoted     bool
}

// Commands cuts a text into at most limit commands. all is false when there are
// more.
func Commands(src string, limit int) (commands [][]Word, all bool) {
	c := cutter{src: src, start: -1}
	for c.pos = 0; c.pos < len(src); c.pos++ {
		if len(c.commands) >= limit {
			return c.commands, false
		}
		c.next(src[c.pos])
	}
	c.endCommand()
	return c.commands, true
}

// A cutter cuts a text. start is where the current word starts, -1 between words.
type cutter struct {
	src        string
	pos, start int
	commands   [][]Word
	words      []Word
	word       strings.Builder
	quoted     bool
}

// next takes the byte at the position, and those that belong to it.
func (c *cutter) next(b byte) {
	switch b {
	case ' ', '\t', '\r', ',':
		c.endWord()
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
	case '#':
		if c.start >= 0 {
			c.add(b)
			return
		}
		for c.pos+1 < len(c.src) && c.src[c.pos+1] != '\n' {
			c.pos++
		}
	case '`', '^':
		if c.pos+1 == len(c.src) {
			return
		}
		c.pos++
		c.begin()
		if c.src[c.pos] != '\n' {
			c.word.WriteByte(c.src[c.pos])
		}
	case '\'', '"':
		c.begin()
		c.quoted = true
		text, _, _ := strings.Cut(c.src[c.pos+1:], string(b))
		c.word.WriteString(text)
		c.pos += len(text) + 1
	default:
		c.add(b)
	}
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
	if len(c.words) == 0 || !empty && (c.start < 0 || b == '}' && !strings.Contains(c.word.String(), "{")) {
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
