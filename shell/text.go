package shell

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"

	"github.com/agentsentinel/sentinel/shell/internal/powershell"
)

// text parses src and walks it. A part that does not parse is salvaged.
func (w walker) text(src string) output {
	stmts, err := parseShell(src)
	if err != nil {
		if end := unclosedHeredoc(err); end != "" {
			if again, err2 := parseShell(src + "\n" + end + "\n"); err2 == nil {
				w.unparsedIn(w.process, "heredoc without its end "+end)
				return w.stmts(again)
			}
		}
	}
	out := w.stmts(stmts)
	if err != nil {
		from := 0
		if len(stmts) > 0 {
			from = int(stmts[len(stmts)-1].End().Offset())
		}
		if from < len(src) && powershell.Looks(src[from:]) {
			w.powerShell(src[from:], from)
		} else {
			if errors.Is(err, errNested) {
				w.bounded(tooDeep)
			} else {
				w.unparsedIn(w.process, parseReason(err))
			}
			w.salvage(src, from)
		}
		out.known = false
	}
	return out
}

// parsers are kept because a parser owns a buffer of several kilobytes.
var parsers = sync.Pool{New: func() any { return syntax.NewParser(syntax.Variant(syntax.LangBash)) }}

// parseShell returns the statements of src, and with an error those before it.
func parseShell(src string) (stmts []*syntax.Stmt, err error) {
	if err := tooNested(src); err != nil {
		return nil, err
	}
	p := parsers.Get().(*syntax.Parser)
	// A text that makes the parser panic must not end the host: it is one that
	// does not parse. A parser in an unknown state is not used again.
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the parser failed: %v", r)
			return
		}
		parsers.Put(p)
	}()
	for s, err := range p.StmtsSeq(strings.NewReader(src)) {
		if err != nil {
			return stmts, err
		}
		stmts = append(stmts, s)
	}
	return stmts, nil
}

var errNested = errors.New(tooDeep)

// tooNested refuses a text that nests so deep that the recursive parser would
// need more stack than Go grants, which nothing could recover from.
func tooNested(src string) error {
	if len(src) < maxBrackets {
		return nil
	}
	brackets, keywords := 0, 0
	for i := 0; i < len(src); i++ {
		switch c := src[i]; c {
		case '(', '{', '[':
			brackets++
		case ')', '}', ']':
			brackets = max(0, brackets-1)
		case '`':
			if i+1 < len(src) && src[i+1] == '\\' {
				brackets++
			}
		case 'i', 'f', 'w', 'u', 'c', 's', 't', 'd', 'e':
			if i > 0 && isLetter(src[i-1]) {
				continue
			}
			switch letters(src[i:]) {
			case "if", "for", "while", "until", "case", "select", "time", "function", "coproc":
				keywords++
			case "fi", "done", "esac":
				keywords = max(0, keywords-1)
			}
		}
		if brackets > maxBrackets || keywords > maxKeywords {
			return errNested
		}
	}
	return nil
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// letters returns the word of at most nine letters that s starts with.
func letters(s string) string {
	n := 0
	for n < len(s) && n < 9 && isLetter(s[n]) {
		n++
	}
	return s[:n]
}

// unclosedHeredoc returns the delimiter that a heredoc ran to the end without;
// Bash takes such a heredoc with a warning.
func unclosedHeredoc(err error) string {
	_, quoted, ok := strings.Cut(err.Error(), "unclosed here-document ")
	if !ok || len(quoted) < 3 {
		return ""
	}
	return strings.Trim(quoted, "`\"'")
}

// parseReason says why the parser stopped, without the name of a file.
func parseReason(err error) string {
	if pe, ok := err.(syntax.ParseError); ok {
		return fmt.Sprintf("line %d: %s", pe.Pos.Line(), pe.Text)
	}
	return err.Error()
}

// maskInvalid replaces each byte of invalid UTF-8 by DEL, which no rule names, so
// that offsets do not change.
func maskInvalid(s string) string {
	b := []byte(s)
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n <= 1 {
			b[i] = 0x7f
			n = 1
		}
		i += n
	}
	return string(b)
}

// salvage reads the text after a syntax error: it cuts the text at
// operators and lines, ignores a quote that is never closed, and takes each
// piece for a command. All of it is guessed.
func (w walker) salvage(src string, from int) {
	f := *w.frame
	f.guess = true
	w.frame = &f
	from = min(from, len(src))
	start := from
	piece := func(end int) {
		if w.step() {
			w.salvagePiece(src[start:end], start)
		}
	}
	for i := from; i < len(src); i++ {
		switch c := src[i]; c {
		case '\'', '"':
			if j := strings.IndexByte(src[i+1:], c); j >= 0 {
				i += j + 1
			}
		case '\\':
			i++
		case '\n', ';', '&', '|', '(', ')', '`', '{', '}':
			if i > start {
				piece(i)
			}
			start = i + 1
		}
		if len(w.line.Commands) >= w.bound(maxCommands) {
			w.bounded(tooMany)
			return
		}
	}
	if start < len(src) {
		piece(len(src))
	}
}

// salvagePiece reads one piece of a text that does not parse, which starts at
// offset start of the frame's text.
func (w walker) salvagePiece(piece string, start int) {
	trimmed := strings.TrimLeft(piece, " \t\r!$")
	start += len(piece) - len(trimmed)
	for _, kw := range []string{"then ", "do ", "else ", "if ", "while ", "elif ", "time "} {
		if strings.HasPrefix(trimmed, kw) {
			trimmed = trimmed[len(kw):]
			start += len(kw)
		}
	}
	if strings.TrimSpace(trimmed) == "" {
		return
	}
	n := nested{text: trimmed, inner: -1, span: w.at(start, start+len(trimmed)), guess: true}
	if w.base >= 0 {
		n.inner = w.base + start
	}
	in, ok := w.enter(n)
	if !ok {
		return
	}
	if stmts, err := parseShell(trimmed); err == nil {
		in.stmts(stmts)
		return
	}
	if cuts := "\n;&|()`{}"; strings.ContainsAny(trimmed, cuts) { // a quote that opens in the wrong place
		for part := range strings.FieldsFuncSeq(trimmed, func(r rune) bool { return strings.ContainsRune(cuts, r) }) {
			if w.step() {
				in.bareWords(part, n.span)
			}
		}
		return
	}
	in.bareWords(trimmed, n.span)
}

// bareWords reads a text that does not parse as words between blanks.
func (w walker) bareWords(text string, span Span) {
	bare := strings.Map(func(r rune) rune {
		if r == '\'' || r == '"' || r == '\\' {
			return -1
		}
		return r
	}, text)
	var words []field
	for _, s := range strings.Fields(bare) {
		words = append(words, field{text: s, span: span, inner: -1})
		if len(words) == maxWords {
			w.bounded(tooBig)
			break
		}
	}
	w.analyze(simple{words: words, span: span})
}

// A frame is one text that is being read: the line itself, or one nested in it.
type frame struct {
	src        string
	base       int  // offset of src in Line.Text, where it is there byte for byte; else -1
	span       Span // span of all of src when base is -1
	wrappers   []string
	calls      []string // functions, scripts and aliases being called, outermost first
	active     []activeCall
	depth      int
	guess      bool   // nothing in it is certain
	inScripts  int    // files that src is in: a script that another runs is in two
	inRecipe   bool   // src names a recipe whose commands are known already
	installed  bool   // src is a program that was installed or built
	carrier    string // the unknown program that src is a reading of the words of
	remote     bool   // runs on another machine or in a container: its files are not ours
	mounts     []mount
	background bool
	inPipe     bool   // a command of a pipeline of src
	used       bool   // what it prints goes into a command: by $(…), or a pipe
	script     string // the file that src is in
	process    int    // see Line.parents
	status     int    // see proof
	guards     []guard
	modes      modes
	flow
	endless bool // the body of a loop without end that does not wait
}

// at returns the span of the bytes from start to end of src in Line.Text.
func (f *frame) at(start, end int) Span {
	if f.base < 0 {
		return f.span
	}
	n := len(f.src) // a heredoc without its end is parsed with one after src
	return Span{f.base + min(start, n), f.base + min(end, n)}
}

// node returns the span of a syntax node.
func (f *frame) node(n syntax.Node) Span {
	return f.at(int(n.Pos().Offset()), int(n.End().Offset()))
}

// source returns the text of a syntax node as written in src.
func (f *frame) source(n syntax.Node) string {
	start, end := int(n.Pos().Offset()), int(n.End().Offset())
	if start < 0 || end > len(f.src) || start > end {
		return ""
	}
	return f.src[start:end]
}

// A walker goes through the syntax tree of a frame in an environment. It is
// passed by value, so that a nested text or a subshell is one changed pointer.
type walker struct {
	*analyzer
	*frame
	*env
}

// within returns a walker of the same text, one wrapper further in.
func (w walker) within(wrapper string) walker {
	if len(w.wrappers) >= maxWrappers {
		return w
	}
	f := *w.frame
	f.wrappers = append(slices.Clip(f.wrappers), wrapper)
	w.frame = &f
	return w
}

// subshell returns a walker whose changes to the environment stay its own.
func (w walker) subshell() walker {
	w.env = w.env.clone()
	return w
}

// newProcess returns a walker of what a process of its own runs.
func (w walker) newProcess() walker {
	w = w.subshell()
	f := *w.frame
	if w.line.parents == nil {
		w.line.parents = []int{0}
	}
	f.process, w.line.parents = len(w.line.parents), append(w.line.parents, f.process)
	f.modes = modes{} // a list around it puts its own set -e not out of force
	w.frame = &f
	return w
}

// A nested text is one that a command gives to a shell or an interpreter.
type nested struct {
	text    string
	inner   int  // offset in Line.Text, where the text is there byte for byte; else -1
	span    Span // its span when inner is -1
	wrapper string
	guess   bool
	modes   modes // those that the shell is started with
}

// enter returns a walker for a nested text, and false when texts are nested too
// deep to follow.
func (w walker) enter(n nested) (walker, bool) {
	if w.depth+1 > maxDepth {
		w.bounded(tooDeep)
		return w, false
	}
	f := &frame{
		src: n.text, base: n.inner, span: n.span,
		wrappers: w.wrappers, calls: w.calls, active: w.active, depth: w.depth + 1,
		guess: w.guess || n.guess, carrier: w.carrier, inScripts: w.inScripts, installed: w.installed, remote: w.remote, mounts: w.mounts, background: w.background, endless: w.endless, process: w.process, status: w.status, guards: w.guards, modes: n.modes, flow: w.flow, used: w.used,
	}
	f.modes.ignored = w.modes.ignored
	if n.wrapper != "" && len(f.wrappers) < maxWrappers {
		f.wrappers = append(slices.Clip(f.wrappers), n.wrapper)
	}
	w.frame = f
	return w, true
}

// nested reads a text as shell, in the same environment.
func (w walker) nested(n nested) output {
	in, ok := w.enter(n)
	if !ok || !w.grow(len(n.text)/16) {
		return output{}
	}
	return in.text(n.text)
}

// nestedText reads a text that is not in the line byte for byte as shell, in a
// subshell.
func (w walker) nestedText(text string, span Span, wrapper string) {
	w.subshell().nested(nested{text: text, inner: -1, span: span, wrapper: wrapper})
}

// stdinText returns the standard input as a nested text.
func (w walker) stdinText(span Span, wrapper string) nested {
	return nested{text: w.stdin.text, inner: w.stdin.inner - 1, span: span, wrapper: wrapper}
}
