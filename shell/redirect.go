package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// forced is a redirection, or zsh's >! file, of which the parser takes the file for a word.
func forced(r *syntax.Redirect, cmd syntax.Command) *syntax.Redirect {
	call, ok := cmd.(*syntax.CallExpr)
	if !ok || r.Word == nil || r.Word.Lit() != "!" {
		return r
	}
	for _, word := range call.Args {
		if word.Pos().After(r.Word.Pos()) {
			of := *r
			of.Word = word
			return &of
		}
	}
	return r
}

// redirected walks a statement that has redirections: input first, since it is
// what the command reads; then the command; then what its output goes to.
func (w walker) redirected(s *syntax.Stmt) output {
	stdin, piped, fed, pipe := w.env.stdin, w.env.piped, w.env.fed, w.env.pipe
	descriptors, outputs := w.descriptors, w.outputs
	if !keepsOpen(s.Cmd) {
		w.env.shared = true
	}
	first := len(w.line.Commands) + 1
	targets := make([]redirection, 0, len(s.Redirs))
	for _, r := range s.Redirs {
		targets = append(targets, w.redirection(forced(r, s.Cmd)))
	}
	if w.env.fed && !fed {
		w.env.pipe = first
	}
	w.last = -1
	in := w
	taken := slices.ContainsFunc(targets, func(t redirection) bool { return t.takes() })
	if taken {
		in = w.unseen()
	}
	out := in.command(s.Cmd)
	if keepsOpen(s.Cmd) {
		out, w.env.away = nothing(), taken || w.env.away && !slices.ContainsFunc(s.Redirs, mayTake)
		for i := range targets {
			targets[i].stderr = false // every file is open, and empty
		}
	} else {
		w.env.stdin, w.env.piped, w.env.fed, w.env.pipe = stdin, piped, fed, pipe
		w.env.descriptors, w.env.outputs = descriptors, outputs
	}
	if w.last < 0 {
		if effectless(targets) {
			return out
		}
		w.record(simple{words: []field{{text: ":", span: w.node(s), inner: -1, known: true}}, span: w.node(s)})
	}
	index := w.last
	cmd := &w.line.Commands[index]
	for _, t := range targets {
		cmd.Redirects = append(cmd.Redirects, t.text)
		if isSocket(t.path.text) {
			cmd.Network = true
			if !t.input {
				w.analyzer.senders = append(w.analyzer.senders, sender{command: index, feeds: w.feeders[index], to: t.path.text})
			}
		}
		if t.input && cmd.Stdin == "" && t.content.known {
			cmd.Stdin = t.content.text
		}
	}
	for _, t := range targets {
		out = w.redirectEffect(index, t, out)
	}
	return out
}

// keepsOpen reports whether a command is exec without a program, whose redirections hold
// for what follows.
func keepsOpen(c syntax.Command) bool {
	call, ok := c.(*syntax.CallExpr)
	return ok && len(call.Args) == 1 && call.Args[0].Lit() == "exec"
}

// A redirection is one that has been expanded.
type redirection struct {
	text    string // as in Command.Redirects
	path    field  // its file, or ""
	kind    EffectKind
	input   bool
	stderr  bool   // only standard error goes there
	content output // of a heredoc or here-string
}

// effectless reports whether no redirection names a file.
func effectless(targets []redirection) bool {
	for _, t := range targets {
		if t.path.text != "" {
			return false
		}
	}
	return true
}

// redirection expands r and, when it is an input, makes it the standard input.
func (w walker) redirection(r *syntax.Redirect) redirection {
	t := redirection{stderr: r.N != nil && r.N.Value != "1" && r.N.Value != "0"}
	op := r.Op.String()
	if r.N != nil {
		op = r.N.Value + op
	}
	switch r.Op {
	case syntax.Hdoc, syntax.DashHdoc:
		t.content = w.heredoc(r)
		t.input, t.text = true, op+" "+w.source(r.Word)
		w.env.reads(r.N, t.content)
		return t
	case syntax.WordHdoc:
		f := w.single(r.Word)
		t.content = output{text: f.text + "\n", known: f.known, inner: f.inner + 1, span: f.span}
		if f.sub != nil {
			t.content.from, t.content.files = f.sub.from, f.sub.files
		}
		t.content.names = namesOf(f)
		t.input, t.text = true, op+" "+f.text
		w.env.reads(r.N, t.content)
		return t
	}
	f := w.single(r.Word)
	t.text = op + " " + f.text
	switch r.Op {
	case syntax.DplIn, syntax.DplOut:
		if content, ok := w.descriptor(strings.TrimSuffix(f.text, "-")); ok && r.Op == syntax.DplIn {
			w.env.reads(r.N, content)
		}
		if opened, ok := w.outputs[f.text]; ok && r.Op == syntax.DplOut && (r.N == nil || r.N.Value == "1") {
			t.path, t.kind = opened, EffectAppend
			return t
		}
		if r.Op == syntax.DplIn || f.text == "-" || isDigits(strings.TrimSuffix(f.text, "-")) || !f.known {
			return t
		}
		t.path, t.kind = f, EffectCreate // >&file is &>file
	case syntax.RdrIn:
		t.path, t.kind, t.input = f, EffectRead, true
		content, _ := w.fileContent(f)
		if isSocket(f.text) {
			content.from = []string{f.text}
		}
		if content = w.ofFile(f, content); f.sub != nil {
			t.path, content = field{}, *f.sub
		} else if opened, ok := w.descriptor(f.text); ok {
			t.path, content = field{}, opened
		}
		w.env.reads(r.N, content)
	case syntax.RdrInOut:
		t.path, t.kind = f, EffectEdit
		if isSocket(f.text) {
			w.env.reads(r.N, output{from: []string{f.text}})
		}
	case syntax.AppOut, syntax.AppAll, syntax.AppClob, syntax.AppAllClob:
		t.path, t.kind = f, EffectAppend
		w.env.writes(r.N, f)
	default:
		t.path, t.kind = f, EffectCreate
		w.env.writes(r.N, f)
	}
	return t
}

// heredoc returns the body of a heredoc, expanded unless its delimiter is quoted.
func (w walker) heredoc(r *syntax.Redirect) output {
	if r.Hdoc == nil {
		return output{known: true, span: w.node(r.Word)}
	}
	out := output{known: true, span: w.node(r.Hdoc)}
	if len(r.Hdoc.Parts) == 1 {
		if lit, ok := r.Hdoc.Parts[0].(*syntax.Lit); ok && (quotedDelimiter(r.Word) || !strings.Contains(lit.Value, `\`)) {
			out.text = lit.Value
			if r.Op == syntax.DashHdoc {
				out.text = dedent(out.text)
			} else if start := int(lit.Pos().Offset()); w.base >= 0 && start <= len(w.src) && strings.HasPrefix(w.src[start:], lit.Value) {
				out.inner = 1 + w.base + int(lit.Pos().Offset())
			}
			return out
		}
	}
	f := w.quotedParts(r.Hdoc.Parts, true)
	out.text, out.known = f.text, f.known
	if r.Op == syntax.DashHdoc {
		out.text = dedent(out.text)
	}
	if f.sub != nil {
		out.from = f.sub.from
	}
	return out
}

// quotedDelimiter reports whether any part of a heredoc's delimiter is quoted,
// which makes its body literal.
func quotedDelimiter(word *syntax.Word) bool {
	for _, p := range word.Parts {
		lit, ok := p.(*syntax.Lit)
		if !ok || strings.Contains(lit.Value, `\`) {
			return true
		}
	}
	return false
}

// dedent takes the leading tabs off each line, as <<- does.
func dedent(s string) string {
	if !strings.Contains(s, "\t") {
		return s
	}
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = strings.TrimLeft(lines[i], "\t")
	}
	return strings.Join(lines, "\n")
}

// redirectEffect records what a redirection does and returns what is left of
// the command's output.
func (w walker) redirectEffect(command int, t redirection, out output) output {
	if t.path.text == "" || isDevice(t.path.text) && !isDisk(t.path.text) {
		if t.path.text != "" && !t.input && !t.stderr {
			return nothing()
		}
		return out
	}
	e := Effect{Kind: t.kind, Command: command}
	switch {
	case t.kind == EffectRead || t.kind == EffectEdit:
	case t.stderr:
	default:
		e.Content, e.ContentKnown = out.text, out.known
		w.remember(t.path.text, out, t.kind == EffectAppend)
		out = nothing()
	}
	w.effect(e, t.path)
	return out
}

// A written file is one of the line's own making.
type written struct {
	path    string
	content output
}

// maxWritten is how many files of its own making a line is followed over.
const maxWritten = 256

// remember notes what a file of the line's own making contains.
func (w walker) remember(path string, content output, appended bool) {
	path = joinPath(w.dir, homePath(path))
	if appended {
		before, ok := w.fileAt(path)
		content = before.then(content)
		content.known = content.known && ok
	}
	w.forget(path)
	if len(w.written) < maxWritten {
		w.analyzer.written = append(w.written, written{path, content})
	} else {
		w.bounded("too many files written: not all were followed")
	}
}

// forget drops what is known of a file.
func (a *analyzer) forget(path string) {
	a.written = slices.DeleteFunc(a.written, func(f written) bool { return f.path == path })
}

// fileAt returns what the line has written to a file before.
func (a *analyzer) fileAt(path string) (output, bool) {
	for _, f := range a.written {
		if f.path == path {
			return f.content, true
		}
	}
	return output{}, false
}

// fileContent returns what the line has written to the file that f names.
func (w walker) fileContent(f field) (output, bool) {
	if len(w.written) == 0 {
		return output{}, false
	}
	if w.remote && len(w.mounts) > 0 {
		if at, ok := w.onHost(f, false); ok {
			return w.fileAt(at.text)
		}
	}
	return w.fileAt(joinPath(w.dir, homePath(f.text)))
}

// isSocket reports whether a path is a connection that bash opens.
func isSocket(path string) bool {
	return strings.HasPrefix(path, "/dev/tcp/") || strings.HasPrefix(path, "/dev/udp/")
}

// isDevice reports whether a path is a device that keeps nothing.
func isDevice(path string) bool {
	return strings.HasPrefix(path, "/dev/") && !strings.HasPrefix(path, "/dev/shm/") || path == "NUL" || path == "nul" || path == "$null"
}

// isDisk reports whether a path is a device whose content can be lost.
func isDisk(path string) bool {
	for _, p := range []string{"sd", "hd", "vd", "xvd", "nvme", "disk", "rdisk", "mmcblk", "md", "dm-", "mapper/", "loop", "mem", "kmem", "port"} {
		if strings.HasPrefix(path, "/dev/"+p) {
			return true
		}
	}
	return false
}

func isDigits(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}
