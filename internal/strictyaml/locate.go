package strictyaml

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// locate returns the line and column in the file of the byte at offset of a
// scalar's value. Where the text cannot be followed (a tag, an escape at the
// end of a line), that is where the scalar begins.
func (d *Document) locate(n *yaml.Node, offset int) (line, col int) {
	if n.Kind != yaml.ScalarNode || offset <= 0 || offset > len(n.Value) {
		return n.Line, n.Column
	}
	begin := d.byteAt(n.Line, n.Column)
	if begin < 0 {
		return n.Line, n.Column
	}
	w := walker{src: d.text, at: begin, value: n.Value, goal: offset}
	var ok bool
	switch {
	case n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		ok = w.block()
	case n.Style&yaml.DoubleQuotedStyle != 0:
		ok = w.quoted('"')
	case n.Style&yaml.SingleQuotedStyle != 0:
		ok = w.quoted('\'')
	default:
		ok = w.run(0)
	}
	if !ok {
		return n.Line, n.Column
	}
	return d.position(w.at)
}

// A walker goes through a scalar's text in the file and through its value side
// by side, until it has come to the byte of the value that is the goal.
type walker struct {
	src   string
	at    int // in src
	value string
	done  int // bytes of value that were passed
	goal  int
}

func (w *walker) quoted(mark byte) bool {
	if w.at >= len(w.src) || w.src[w.at] != mark {
		return false
	}
	w.at++
	return w.run(mark)
}

// block starts at the | or > of a block scalar.
func (w *walker) block() bool {
	end := strings.IndexByte(w.src[w.at:], '\n')
	if end < 0 {
		return false
	}
	w.at += end
	return w.run(0)
}

// run goes on until the goal. mark is the quote around the scalar, or 0.
func (w *walker) run(mark byte) bool {
	for w.done < w.goal {
		if w.at >= len(w.src) {
			return false
		}
		switch c := w.src[w.at]; {
		case w.lineEnds():
			w.fold()
		case mark == '\'' && c == '\'':
			if !w.pass(2, "'") {
				return false
			}
		case mark == '"' && c == '\\':
			if !w.escape() {
				return false
			}
		default:
			if !w.pass(1, w.src[w.at:w.at+1]) {
				return false
			}
		}
	}
	if w.lineEnds() {
		w.fold()
	}
	return true
}

// pass takes n bytes of the source that mean text in the value.
func (w *walker) pass(n int, text string) bool {
	if w.at+n > len(w.src) || !strings.HasPrefix(w.value[w.done:], text) {
		return false
	}
	w.at += n
	w.done += len(text)
	return true
}

// lineEnds reports whether only blanks come before the end of the line.
func (w *walker) lineEnds() bool {
	rest := strings.TrimLeft(w.src[w.at:], " \t")
	return rest != "" && (rest[0] == '\n' || rest[0] == '\r')
}

// fold passes line breaks and blanks in the source, and what became of them in
// the value.
func (w *walker) fold() {
	for w.at < len(w.src) && strings.IndexByte(" \t\r\n", w.src[w.at]) >= 0 {
		w.at++
	}
	for w.done < w.goal && strings.IndexByte(" \t\n", w.value[w.done]) >= 0 {
		w.done++
	}
}

// escape passes a backslash sequence of a double-quoted scalar.
func (w *walker) escape() bool {
	if w.at+1 >= len(w.src) {
		return false
	}
	digits := 0
	switch w.src[w.at+1] {
	case 'x':
		digits = 2
	case 'u':
		digits = 4
	case 'U':
		digits = 8
	case '\r', '\n':
		return false
	default: // one character means one
		_, size := utf8.DecodeRuneInString(w.value[w.done:])
		if w.done+size > len(w.value) || size == 0 {
			return false
		}
		return w.pass(2, w.value[w.done:w.done+size])
	}
	if w.at+2+digits > len(w.src) {
		return false
	}
	r, err := strconv.ParseUint(w.src[w.at+2:w.at+2+digits], 16, 32)
	return err == nil && w.pass(2+digits, string(rune(r)))
}

// byteAt returns the byte of the text at a line and column, or -1.
func (d *Document) byteAt(line, col int) int {
	starts := d.lineStarts()
	if line < 1 || line > len(starts) {
		return -1
	}
	at := starts[line-1]
	for i := 1; i < col; i++ {
		if at >= len(d.text) {
			return -1
		}
		_, size := utf8.DecodeRuneInString(d.text[at:])
		at += size
	}
	return at
}

// position returns the line and column of a byte of the text.
func (d *Document) position(at int) (line, col int) {
	starts := d.lineStarts()
	line = len(starts)
	for line > 1 && starts[line-1] > at {
		line--
	}
	return line, 1 + utf8.RuneCountInString(d.text[starts[line-1]:at])
}

// lineStarts lists the bytes at which lines begin, by the line ends that YAML
// knows.
func (d *Document) lineStarts() []int {
	if d.lines != nil {
		return d.lines
	}
	d.lines = []int{0}
	for i, r := range d.text {
		switch r {
		case '\r':
			if !strings.HasPrefix(d.text[i+1:], "\n") {
				d.lines = append(d.lines, i+1)
			}
		case '\n', '\u0085', '\u2028', '\u2029':
			d.lines = append(d.lines, i+utf8.RuneLen(r))
		}
	}
	return d.lines
}
