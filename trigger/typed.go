package trigger

import (
	"strings"
	"unicode/utf8"
)

// keyNames are names of keys that an agent writes in the text that it types, and what a
// terminal gets for them.
var keyNames = strings.NewReplacer("{enter}", "\r", "{backspace}", "\b", "{up}", "\x1b[A", "{down}", "\x1b[B", "{right}", "\x1b[C", "{left}", "\x1b[D")

// unknownKey replaces what keys make of the line that is typed: another line of the
// history, or a change at a place that the text does not tell. A command with it is not
// certain.
const unknownKey = "$KEY"

// typed is the text of commands that keys make in a terminal.
func typed(text string) string {
	if !strings.ContainsAny(text, "{\x00\x03\b\r\x15\x1b\x7f") {
		return text
	}
	text = strings.ReplaceAll(keyNames.Replace(text), "\r\n", "\n")
	var line []byte
	for i := 0; i < len(text); i++ {
		switch b := text[i]; b {
		case '\r', '\x03', '\x15': // enter; and what throws the line away, which might have been run
			line = append(line, '\n')
		case '\b', '\x7f':
			_, n := utf8.DecodeLastRune(line)
			if n > 0 && line[len(line)-1] != '\n' {
				line = line[:len(line)-n]
			}
		case '\x1b':
			i += escape(text[i+1:])
			line = append(line, unknownKey...)
		default:
			line = append(line, b)
		}
	}
	return string(line)
}

// escape is the length of what belongs to an escape character before it.
func escape(rest string) int {
	if rest == "" {
		return 0
	}
	if rest[0] != '[' && rest[0] != 'O' {
		return 1
	}
	for i := 1; i < len(rest); i++ {
		if rest[i] >= '@' && rest[i] <= '~' {
			return i + 1
		}
	}
	return len(rest)
}
