package shell

import (
	"path"
	"runtime"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/shell/internal/powershell"
	"github.com/agentsentinel/sentinel/shell/internal/table"
)

// A handler records what a command does.
type handler struct {
	kind   string // as in the table of programs
	record func(walker, *recorded)
}

// fileHandlers record what a command does to the files that its words name.
// Redirections are recorded elsewhere, for every program.
var fileHandlers = [...]handler{
	{"archive", walker.archive},
	{"awk", walker.awkFiles},
	{"change", walker.permissions},
	{"container", walker.containerFiles},
	{"convert", walker.readsFirst},
	{"copy", walker.copies},
	{"crypto", walker.crypto},
	{"curl", walker.curl},
	{"database", walker.database},
	{"dd", walker.dd},
	{"delete", walker.deletes},
	{"disk", walker.disk},
	{"edit", walker.editsEach},
	{"editor", walker.editor},
	{"desktop", walker.desktop},
	{"envelope", walker.applyPatch},
	{"fetch", walker.fetches},
	{"find", walker.findEffects},
	{"format", walker.formats},
	{"git", walker.gitEffects},
	{"inplace", walker.inPlace},
	{"list", walker.readsEach},
	{"last", walker.writesLast},
	{"move", walker.moves},
	{"output", walker.writesOutput},
	{"pieces", walker.pieces},
	{"patch", walker.patchCommand},
	{"read", walker.readsOperands},
	{"search", walker.search},
	{"sed", walker.sed},
	{"sort", walker.sort},
	{"tar", walker.tar},
	{"tee", walker.tee},
	{"touch", walker.touch},
	{"wget", walker.wget},
	{"yq", walker.yq},
}

// runHandlers analyze the commands that a recorded command runs in turn: words
// that are a command, or the text of a script.
var runHandlers = [...]handler{
	{"ansible", walker.ansible},
	{"awk", walker.awk},
	{"cloud", walker.cloudShell},
	{"cmake", walker.cmake},
	{"container", walker.container},
	{"debugger", walker.debugger},
	{"escapes", walker.escapes},
	{"find", walker.find},
	{"git", walker.git},
	{"hub", walker.hub},
	{"ip", walker.ip},
	{"kubectl", walker.kubectl},
	{"machine", walker.vmCommand},
	{"multiplexer", walker.multiplexer},
	{"quoted", walker.quotedCommands},
	{"sed", walker.sedCommands},
	{"socat", walker.socat},
	{"ssh", walker.ssh},
	{"ssh-options", walker.sshOptions},
	{"stdin", walker.atCommands},
	{"tar", walker.tarActions},
	{"tcl", walker.tcl},
	{"vim", walker.vim},
	{"nothing", func(walker, *recorded) {}},
}

// handlers are the tables above. [Parse] sets them: were they read directly, the
// handlers would refer to themselves.
type handlers struct{ files, runs []handler }

func handle(handlers []handler, kind string) func(walker, *recorded) {
	for i := range handlers {
		if handlers[i].kind == kind {
			return handlers[i].record
		}
	}
	return nil
}

// fileEffects records what a command does to the files that its words name.
func (w walker) fileEffects(c *recorded) {
	if c.Inert {
		return
	}
	if c.Dir != w.dir || c.DirUnknown != w.lost { // git -C dir
		w = w.subshell()
		w.env.dir, w.env.lost = c.Dir, c.DirUnknown
	}
	kind := c.facts.Value("files")
	if len(c.Flags) > 0 && kind != "curl" { // which looks into bundles, too
		w.note(EffectCreate, c.index, c.valuesOf(c.facts.List("creates"))...)
		w.note(EffectRead, c.index, c.valuesOf(c.facts.List("reads"))...)
	}
	if kind != "" {
		handle(w.files, kind)(w, c)
		w.remembersLinks(c)
	} else if strings.HasPrefix(c.Program, "mkfs.") && len(c.operands) > 0 {
		w.note(EffectEdit, c.index, c.operands[len(c.operands)-1])
	}
}

// inert reports whether a command does nothing but print its help, its version or what
// it would do: its program, or the script of it that is known by its name.
func (w walker) inert(c *Command, facts table.Program) bool {
	if w.isInert(c.Program, c.Subcommand, c.Args, c.Assigns) {
		return true
	}
	return len(c.Operands) > 0 && facts.Has("code") && w.isInert(path.Base(c.Operands[0]), "", c.Args[1:], nil)
}

// isInert is inert for a program. GNU's look for options among all words. Those of macOS,
// and GNU's where POSIXLY_CORRECT is set, stop at the first operand and take the rest
// for files.
func (w walker) isInert(program, sub string, args, assigns []string) bool {
	i := table.InertOf(program, sub)
	if i == (table.Inert{}) {
		return false
	}
	_, posix := w.env.get(posixly)
	posix = posix || runtime.GOOS == "darwin" || slices.ContainsFunc(assigns, func(a string) bool { return strings.HasPrefix(a, posixly) })
	return i.Is(args, posix)
}

// isInert is the same of a command that is not recorded: a wrapper, a shell.
func (s simple) isInert(w walker) bool {
	if table.InertOf(s.name, "") == (table.Inert{}) {
		return false
	}
	args := make([]string, len(s.words)-1)
	for i, f := range s.words[1:] {
		args[i] = f.text
	}
	return w.isInert(s.name, "", args, s.assigns)
}

// posixly is the variable that makes GNU's programs read options as POSIX says.
const posixly = "POSIXLY_CORRECT"

// effect records an effect on a path. Of what is done on another machine only
// deletions are recorded.
func (w walker) effect(e Effect, path field) {
	if path.text == "" || path.text == "-" || w.remote && w.effectOnHost(e, path) ||
		w.remote && e.Kind != EffectDelete && e.Kind != EffectRead {
		return
	}
	e.Remote = w.remote
	if w.remote && e.Kind == EffectRead {
		if len(w.analyzer.away) < maxCommands {
			e.Path, e.DirUnknown = path.text, true
			w.analyzer.away = append(w.analyzer.away, e)
		}
		return
	}
	if len(path.names) > 0 {
		w.effects(e, path)
		return
	}
	if w.full() {
		return
	}
	e.Path = homePath(path.text)
	if e.Kind == EffectDelete && !w.remote {
		w.forget(joinPath(w.dir, e.Path))
	}
	w.add(e, path)
	if len(w.links) > 0 && !w.remote {
		w.followed(w.line.Effects[len(w.line.Effects)-1])
	}
}

// add appends an effect whose path or object is f.
func (w walker) add(e Effect, f field) {
	e.Dir, e.DirUnknown = w.dir, w.lost
	w.place(&e)
	e.Certain = !w.guess && (e.Certain || f.known && !f.glob)
	if e.Origin == OriginLiteral {
		e.Origin = f.origin()
	}
	w.line.Effects = append(w.line.Effects, e)
}

// acts records an effect on something other than a file: a host, a branch, a service.
// It is one on another machine too.
func (w walker) acts(e Effect, object field) {
	if object.text == "" || w.full() {
		return
	}
	if len(object.names) > 0 {
		e.Origin, object.known = OriginListing, false
	}
	e.Object = object.text
	w.add(e, object)
}

// full reports whether no further effect can be noted.
func (w walker) full() bool {
	if len(w.line.Effects) < 4*maxCommands {
		return false
	}
	w.bounded("too many effects: the rest was not noted")
	return true
}

// origin says where the text of a field is from.
func (f field) origin() Origin {
	switch {
	case len(f.names) > 0:
		return OriginListing
	case f.glob:
		return OriginGlob
	case f.known:
		return OriginLiteral
	case !strings.ContainsAny(f.text, "$`") && f.sub == nil:
		if hasGlob(f.text) { // of a loop over a pattern
			return OriginGlob
		}
		return OriginLiteral
	case f.text == xargsItem:
		return OriginStdin
	case f.sub != nil || strings.ContainsAny(f.text, "(`"):
		return OriginUnknown
	}
	return OriginVariable
}

// guessed records an effect that the command is only likely to have.
func (w walker) guessed(e Effect, path field) {
	path.known = false
	w.effect(e, path)
}

// note records the same effect of a command on every path.
func (w walker) note(kind EffectKind, command int, paths ...field) {
	for _, f := range paths {
		w.effect(Effect{Kind: kind, Command: command}, f)
	}
}

// noteGuess is note for effects that the command is only likely to have.
func (w walker) noteGuess(kind EffectKind, command int, paths ...field) {
	for _, f := range paths {
		w.guessed(Effect{Kind: kind, Command: command}, f)
	}
}

// operandFields returns the fields that c.Operands were taken from.
func operandFields(c *Command, s simple) []field {
	out := make([]field, 0, len(c.Operands))
	i := 1
	for _, text := range c.Operands {
		for i < len(s.words) && s.words[i].text != text {
			i++
		}
		if i >= len(s.words) {
			break
		}
		out = append(out, s.words[i])
		i++
	}
	return out
}

// named returns the field of a value among the words of a command, alone or
// after its option.
func (s simple) named(value string) field {
	for _, f := range s.words {
		if f.text == value || value != "" && strings.HasSuffix(f.text, value) {
			prefix := f.text[:len(f.text)-len(value)]
			f.text, f.names = value, withoutPrefix(f.names, prefix)
			return f
		}
	}
	return field{text: value, inner: -1, known: !strings.Contains(value, "$")}
}

// first returns the first operand, if there is one.
func (c *recorded) first() []field { return c.operands[:min(1, len(c.operands))] }

// rest returns the operands after the first n.
func (c *recorded) rest(n int) []field { return c.operands[min(n, len(c.operands)):] }

func (w walker) editsEach(c *recorded) { w.note(EffectEdit, c.index, c.operands...) }
func (w walker) readsEach(c *recorded) { w.note(EffectRead, c.index, c.operands...) }
func (w walker) disk(c *recorded)      { w.note(EffectEdit, c.index, c.first()...) }

// deletes records programs that delete their operands, with what is below them where
// the program or its options say so.
func (w walker) deletes(c *recorded) {
	e := Effect{Kind: EffectDelete, Command: c.index}
	e.Recursive = c.facts.Has("below") || c.HasFlag("-r", "-R", "--recursive") || slices.ContainsFunc(c.Args, windowsRecursive)
	for _, f := range c.operands {
		w.effect(e, f)
	}
}

// windowsRecursive reports whether a word is Windows' option for all that is below.
func windowsRecursive(arg string) bool { return powershell.Is(arg, "/s -Recurse -rec") }

// readsOperands records programs that read their operands.
func (w walker) readsOperands(c *recorded) { w.reads(c, c.operands) }

func (w walker) reads(c *recorded, files []field) {
	for _, f := range files {
		if !isDevice(f.text) && !strings.HasPrefix(f.text, "<(") {
			w.note(EffectRead, c.index, f)
		}
	}
}

// readsFirst records uniq and xxd, whose second operand is their output.
func (w walker) readsFirst(c *recorded) {
	if len(c.operands) > 1 {
		w.note(EffectCreate, c.index, c.operands[1])
	}
	w.reads(c, c.first())
}

func (w walker) sort(c *recorded) {
	if out, ok := c.Value("-o"); ok {
		w.note(EffectCreate, c.index, c.named(out))
	}
	w.readsOperands(c)
}

func (w walker) yq(c *recorded) {
	kind := EffectRead
	if c.HasFlag("-i", "--inplace") {
		kind = EffectEdit
	}
	w.note(kind, c.index, c.rest(1)...)
}

// search records programs whose first operand is what they look for.
func (w walker) search(c *recorded) {
	if f, ok := c.Value("-f"); ok && c.Program != "jq" {
		w.note(EffectRead, c.index, c.named(f))
	}
	operands := c.operands
	if c.Program == "jq" || !c.HasFlag("-e", "-f", "--files") {
		operands = c.rest(1)
	}
	w.note(EffectRead, c.index, operands...)
}

func (w walker) touch(c *recorded) {
	if c.Program != "touch" || !c.HasFlag("-c") {
		w.note(EffectCreate, c.index, c.operands...)
	}
}

// editor records the files that an editor opens; it may leave them as they are.
func (w walker) editor(c *recorded) {
	for _, f := range c.operands {
		if !strings.HasPrefix(f.text, "+") {
			w.noteGuess(EffectRead, c.index, f)
			w.noteGuess(EffectEdit, c.index, f)
		}
	}
	if c.Program != "ed" && c.Program != "ex" {
		return
	}
	for line := range strings.Lines(w.input(asScript).text) { // w FILE
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "w "); ok {
			w.noteGuess(EffectCreate, c.index, field{text: strings.TrimSpace(name), inner: -1})
		}
	}
}

func (w walker) database(c *recorded) {
	if f, ok := c.Value("-f", "--file"); ok && c.Program == "psql" {
		w.note(EffectRead, c.index, c.named(f))
	}
	if c.Program == "sqlite3" {
		w.noteGuess(EffectEdit, c.index, c.first()...)
	}
}

// crypto records the files of openssl -in and -out, gpg -o, ssh-keygen -f.
func (w walker) crypto(c *recorded) {
	for i, f := range c.words {
		if i+1 == len(c.words) {
			break
		}
		next := c.words[i+1]
		switch f.text {
		case "-in", "-inkey", "-key", "-kfile", "-CAkey", "-i":
			w.note(EffectRead, c.index, next)
		case "-out", "-keyout", "-o", "--output":
			w.note(EffectCreate, c.index, next)
		case "-f":
			if c.Program == "ssh-keygen" {
				w.noteGuess(EffectCreate, c.index, next)
			}
		}
	}
	if c.Program != "openssl" && c.Program != "ssh-keygen" {
		w.note(EffectRead, c.index, c.operands...)
	}
}

// containerFiles records docker cp and kubectl cp, and the files of kubectl -f.
func (w walker) containerFiles(c *recorded) {
	switch c.Subcommand {
	case "cp":
		if len(c.operands) != 3 {
			return
		}
		from, to := c.operands[1], c.operands[2]
		if !isRemote(from.text) {
			w.note(EffectRead, c.index, from)
		}
		if !isRemote(to.text) {
			w.intoFolder(Effect{Kind: EffectCreate, Command: c.index}, from, to, false)
		}
	case "apply", "create", "delete", "replace":
		if f, ok := c.Value("-f"); ok && !strings.Contains(f, "://") {
			w.note(EffectRead, c.index, c.named(f))
		}
	}
}

// tee writes its input to every operand.
func (w walker) tee(c *recorded) {
	in := w.input(asData)
	e := Effect{Kind: EffectCreate, Command: c.index, Content: in.text, ContentKnown: in.known}
	if c.HasFlag("-a") {
		e.Kind = EffectAppend
	}
	for _, f := range c.operands {
		if isDevice(f.text) && !isDisk(f.text) {
			continue
		}
		w.effect(e, f)
		w.remember(f.text, in, e.Kind == EffectAppend)
	}
}

// isRemote reports whether a path of scp, rsync or rclone is on another machine.
func isRemote(p string) bool {
	host, _, ok := strings.Cut(p, ":")
	return ok && host != "" && !strings.Contains(host, "/") && len(host) > 1
}
