package scope

import (
	"strings"

	"github.com/agentsentinel/sentinel/shell"
)

// maxLoose bounds the places in an unparsed text at which a command is looked
// for. People write a handful.
const maxLoose = 4096

// looseCommand is what could be a command in a text that was not understood.
type looseCommand struct {
	text    string
	command shell.Command
	rest    bool // the text goes on beyond maxLoose: anything could be in it
}

// loose returns what could be commands in a line that was not understood: the
// texts between operators, quotes and brackets. It knows no quoting, so data is
// taken for commands too.
func (v *view) loose() []looseCommand {
	if v.line.Unparsed == "" || v.pieces != nil {
		return v.pieces
	}
	const breaks = ";|&\n\r(){}`'\""
	text := v.line.Text
	for start := 0; start < len(text); {
		n := strings.IndexAny(text[start:], breaks)
		if n < 0 {
			n = len(text) - start
		}
		if strings.TrimSpace(text[start:start+n]) != "" {
			if len(v.pieces) == maxLoose {
				span := shell.Span{Start: start, End: len(text)}
				v.pieces = append(v.pieces, looseCommand{text: text[start:], command: shell.Command{Span: span}, rest: true})
				break
			}
			v.pieces = append(v.pieces, newLoose(text, start, start+n))
		}
		start += n + 1
	}
	return v.pieces
}

// newLoose reads text[start:end] as words.
func newLoose(text string, start, end int) looseCommand {
	words := strings.Fields(text[start:end])
	name := words[0]
	if i := strings.LastIndexAny(name, `/\`); i >= 0 && i+1 < len(name) {
		name = name[i+1:]
	}
	c := shell.Command{
		Text:    strings.Join(words, " "),
		Program: strings.TrimSuffix(name, ".exe"),
		Path:    words[0],
		Args:    words[1:],
		Span:    shell.Span{Start: start, End: end},
	}
	for _, word := range words[1:] {
		if len(word) > 1 && word[0] == '-' {
			c.Flags = append(c.Flags, word)
		} else {
			c.Operands = append(c.Operands, word)
		}
	}
	return looseCommand{text: c.Text, command: c}
}

// match reports whether the pattern is about the text.
func (l *looseCommand) match(p *commandPattern) bool {
	return l.rest || p.get().glob.matches(l.text) || p.get().words.means(&l.command, false)
}
