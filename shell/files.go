package shell

import (
	"errors"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// ErrNotRead is what [Options].ReadScript returns for a file that the line could
// run although it cannot be looked at: a FIFO, or one that only another user may
// read. Line.Bounded is set for it.
var ErrNotRead = errors.New("cannot be looked at")

// A purpose is what a file is read for. It says how much of it is looked at, and
// whether the line counts as understood in part when that is not all.
type purpose struct {
	name  string
	limit int  // bytes
	whole bool // what is beyond the limit would be run or applied
}

var (
	asScript = purpose{"script", maxScript, true}
	asPatch  = purpose{"patch", maxPatch, true}
	asRecipe = purpose{"file of recipes", maxPatch, true} // those that a tool wrote may be long
	asData   = purpose{"file", maxScript, false}
)

// A readFile is one that ReadScript was asked for.
type readFile struct {
	name, text string
	err        error
}

var errTooManyFiles = errors.New("more files are run than are read")

// readScript returns the content of a script that a word names.
func (w walker) readScript(f field) output { return w.readNamed(f, asScript) }

func (w walker) readNamed(f field, p purpose) output {
	name, ok := w.fileName(f)
	if !ok {
		return output{}
	}
	return w.readFile(name, p)
}

// fileName is the path of a file from the folder that the line starts in, or an
// absolute one. ok is false where the line does not tell.
func (w walker) fileName(f field) (name string, ok bool) {
	if w.remote {
		f, ok = w.onHost(f, false)
		return f.text, ok && f.known && !f.glob
	}
	if !f.known && !strings.HasPrefix(f.text, "$HOME/") || f.glob || f.text == "" {
		return "", false
	}
	name = joinPath(w.dir, homePath(f.text))
	return name, !w.lost || isFixed(name)
}

// readFile returns the content of a file as far as it is text. Scripts that scripts
// run are read up to maxScriptDepth.
func (w walker) readFile(name string, p purpose) output {
	if w.opts.ReadScript == nil || w.inScripts >= maxScriptDepth {
		return output{}
	}
	text, err := w.fileText(name)
	switch {
	case errors.Is(err, errTooManyFiles):
		if p.whole {
			w.bounded(tooManyFiles)
		}
		return output{}
	case errors.Is(err, ErrNotRead) && p.whole:
		w.bounded(p.name + " " + ErrNotRead.Error() + ": " + name)
		return output{}
	case err != nil || isProgram(text) && p != asSettings:
		return output{}
	}
	if len(text) > p.limit {
		text = text[:p.limit]
		switch {
		case !p.whole:
			return output{}
		case !isInstalled(name):
			w.bounded(p.name + " is too long to be read whole: " + name)
		}
	}
	// A shell leaves NUL bytes out and goes on.
	return output{text: strings.ReplaceAll(text, "\x00", ""), known: true}
}

// fileText asks for a file once, and for a bounded number of files.
func (a *analyzer) fileText(name string) (string, error) {
	for i := range a.opened {
		if a.opened[i].name == name {
			return a.opened[i].text, a.opened[i].err
		}
	}
	if len(a.opened) >= maxAsked || a.found >= maxScripts || a.bytesRead > maxReadAll {
		return "", errTooManyFiles
	}
	text, err := a.opts.ReadScript(name)
	if err == nil {
		a.found++
		a.bytesRead += len(text)
	}
	a.opened = append(a.opened, readFile{name, text, err})
	return text, err
}

// isProgram reports whether a file is a program for the machine, or an archive: shells,
// too, tell those from a script by a NUL byte in the first line.
func isProgram(text string) bool {
	head := text[:min(len(text), programHead)]
	if strings.HasPrefix(head, "#!") {
		return false
	}
	first, _, _ := strings.Cut(head, "\n")
	return strings.IndexByte(first, 0) >= 0 || strings.HasPrefix(head, "\x7fELF") || strings.HasPrefix(head, "PK\x03\x04")
}

// programHead is how much of a file is looked at to tell a program from a script.
const programHead = 128

// isInstalled reports whether a file lies where programs are installed or built: a long
// file there is a program of many parts that was not written in this session.
func isInstalled(name string) bool {
	for _, dir := range []string{"/usr/", "/bin/", "/sbin/", "/opt/", "/nix/", "/snap/"} {
		if strings.HasPrefix(name, dir) {
			return true
		}
	}
	for part := range strings.SplitSeq(name, "/") {
		switch part {
		case "node_modules", "site-packages", "dist-packages", "vendor", "dist", ".yarn", ".venv", "venv", ".cache":
			return true
		}
	}
	return false
}

// input returns what the command reads on standard input, from files when scripts
// may be read.
func (w walker) input(p purpose) output {
	if !w.piped {
		return output{}
	}
	in := w.stdin
	if !in.known && len(in.files) > 0 {
		if text, ok := w.filesText(in.files, p); ok {
			in.text, in.known, in.inner = in.text+text, true, 0
		}
	}
	return in
}

// filesText joins the contents of files. ok is false when none could be read.
func (w walker) filesText(files []string, p purpose) (text string, ok bool) {
	for _, name := range files {
		if content := w.readFile(name, p); content.known {
			text += content.text
			ok = true
		}
	}
	return text, ok
}

// broughtFile runs code that a word takes from files: bash -c "$(cat x)", eval "$(<x)",
// source <(cat x). ok is false when the word is something else.
func (w walker) broughtFile(f field, lang string) (out output, ok bool) {
	if f.sub == nil || f.sub.known || len(f.sub.files) == 0 {
		return output{}, false
	}
	text, ok := w.filesText(f.sub.files, asScript)
	if !ok {
		return output{}, false
	}
	name := f.sub.files[0]
	f.sub = nil
	f.text = name
	return w.script(f, output{text: text, known: true}, lang), true
}

// rememberCopy notes that a file of the line's own making has the content of another
// one, unless the copy failed and it has its own.
func (w walker) rememberCopy(from, to field, content output) {
	content = w.ofFile(from, content)
	if to.known && !to.glob && !content.known && len(content.files) > 0 && len(w.written) < maxWritten/2 {
		content.files = append(slices.Clip(content.files), joinPath(w.dir, homePath(to.text)))
		w.remember(to.text, content, false)
	}
}

// fileOf is the file that $(<file) prints, and nil for other substitutions.
func fileOf(list []*syntax.Stmt) *syntax.Word {
	if len(list) != 1 || list[0].Cmd != nil || len(list[0].Redirs) != 1 || list[0].Redirs[0].Op != syntax.RdrIn {
		return nil
	}
	return list[0].Redirs[0].Word
}

// ofFile is the output of a program that prints a file.
func (w walker) ofFile(f field, content output) output {
	if content.known {
		return content
	}
	if name, ok := w.fileName(f); ok && f.sub == nil && len(content.from)+len(content.files) == 0 {
		content.files = []string{name}
	}
	return content
}
