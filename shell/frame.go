package shell

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

// A frame is one text that is being read: the line itself, or one nested in it.
type frame struct {
	src        string
	base       int  // offset of src in Line.Text, where it is there byte for byte; else -1
	span       Span // span of all of src when base is -1
	wrappers   []string
	calls      []string // functions being called, outermost first
	depth      int
	guess      bool   // nothing in it is certain
	inScripts  int    // files that src is in: a script that another runs is in two
	installed  bool   // src is a program that was installed or built
	carrier    string // the unknown program that src is a reading of the words of
	remote     bool   // runs on another machine or in a container: its files are not ours
	background bool
	inPipe     bool   // a command of a pipeline of src
	script     string // the file that src is in
	status     int    // see proof
	guards     []guard
	endless    bool // the body of a loop without end that does not wait
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

// A nested text is one that a command gives to a shell or an interpreter.
type nested struct {
	text    string
	inner   int  // offset in Line.Text, where the text is there byte for byte; else -1
	span    Span // its span when inner is -1
	wrapper string
	guess   bool
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
		wrappers: w.wrappers, calls: w.calls, depth: w.depth + 1,
		guess: w.guess || n.guess, carrier: w.carrier, inScripts: w.inScripts, installed: w.installed, remote: w.remote, background: w.background, endless: w.endless, status: w.status, guards: w.guards,
	}
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
func (w walker) nestedText(text string, span Span, wrapper string) output {
	return w.subshell().nested(nested{text: text, inner: -1, span: span, wrapper: wrapper})
}

// stdinText returns the standard input as a nested text.
func (w walker) stdinText(span Span, wrapper string) nested {
	return nested{text: w.stdin.text, inner: w.stdin.inner - 1, span: span, wrapper: wrapper}
}
