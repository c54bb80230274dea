package shell

import (
	"maps"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// env is the state of a shell: variables, functions, the folder.
type env struct {
	vars    map[string]variable
	funcs   map[string]*function
	aliases map[string]string
	params  []field // $1 …
	knows   bool    // params are all parameters; false: they are not known from the line
	dir     string
	before  string // the folder before the last cd, as a text; "" if it is not known
	lost    bool   // a cd went to a folder that is not known from the text
	dirs    []string
	stdin   output
	piped   bool // stdin comes from the line: a pipe, a heredoc, a redirection
	fed     bool // it is not a pipe
	away    bool // exec has sent the output of all that follows elsewhere
	inLoop  bool // whose rounds are not known
	pipe    int  // 1 + the index of the first command that writes to it; 0 when none does

	descriptors map[string]output // what other descriptors read, by number
	outputs     map[string]field  // the files that they write
	shared      bool              // the maps are those of another env too
	changed     bool              // one of them has changed since the last clone
	several     bool              // a variable has several values
	choice      int               // which of them holds; 0 is the last one
}

// A variable is a value that the line itself assigned.
type variable struct {
	values []string   // one, or the elements of an array
	other  [][]string // values that it has where a branch did not run
	keys   []string   // of the elements of an array that is not numbered from 0
	array  bool
	fold   byte     // 'l' or 'u': what is assigned becomes small letters, or capitals
	fixed  bool     // it is read-only
	ref    bool     // a nameref: values[0] is a name
	unset  bool     // the line has unset it: it is empty, and a default replaces it
	guess  bool     // the value is not certain
	from   []string // programs that it came from, when it is not known from the line
	names  []string // patterns for the files that it may name, when it is not known
	files  []string // files that it was read from, then
}

// A function is one that the line defines; base and src say where its body is.
type function struct {
	body     *syntax.Stmt
	frame    *frame
	exported bool      // to the shells that the line starts
	before   *function // that the line defined with this name before: it may hold still
	count    int       // of those before
}

// output is the standard output of a command, as far as it is known from the
// line. The zero value is an unknown output.
type output struct {
	text  string
	known bool
	from  []string // programs that it came through, nearest first
	inner int      // 1 + the offset of text in Line.Text, where it is there byte for byte; else 0
	span  Span     // the words that text came from
	names []string // patterns for the names of files that it lists, when they are not known

	files    []string // files whose contents it has, from the line's folder, when they are not known
	filtered bool     // a part of these files

	symbol string // the text that stands for it when it is not known
	exact  bool   // symbol has one meaning
}

// nothing is the output of a command that prints nothing.
func nothing() output { return output{known: true} }

// guessed reports whether the text may be another one: a filter that is not followed to the
// letter has had a part in it.
func (o output) guessed() bool {
	exact := func(program string) bool {
		switch program {
		case "echo", "printf", "cat", "tee", "base64", "gbase64", "basenc", "openssl", "xxd", "rev", "tr":
			return true
		}
		return false
	}
	for _, program := range o.from {
		if !exact(program) && len(o.files) == 0 {
			return true
		}
	}
	return !o.known || o.filtered
}

// then returns the output of one command after another.
func (o output) then(next output) output {
	switch {
	case o.known && o.text == "" && len(o.from) == 0:
		return next
	case next.known && next.text == "" && len(next.from) == 0:
		return o
	}
	span := o.span
	if span == (Span{}) {
		span = next.span
	}
	if !o.known && o.symbol != "" && o.symbol == next.symbol { // one or the other
		return o
	}
	return output{text: o.text + next.text, known: o.known && next.known, from: append(slices.Clip(o.from), next.from...), span: span,
		files: append(slices.Clip(o.files), next.files...), filtered: o.filtered || next.filtered}
}

// through returns the output of a program that reads o and whose result is not
// known.
func (o output) through(program string) output {
	from := make([]string, 0, len(o.from)+1)
	return output{from: append(append(from, program), o.from...), span: o.span}
}

// reads makes the content of a redirection standard input, or what another
// descriptor reads.
func (e *env) reads(number *syntax.Lit, content output) {
	if number == nil || number.Value == "0" {
		e.stdin, e.piped, e.fed = content, true, true
		return
	}
	e.own()
	if e.descriptors == nil {
		e.descriptors = make(map[string]output)
	}
	e.descriptors[e.number(number)] = content
}

// writes notes the file that a descriptor other than the standard ones writes.
func (e *env) writes(number *syntax.Lit, f field) {
	if number == nil || number.Value == "1" || number.Value == "2" {
		return
	}
	e.own()
	if e.outputs == nil {
		e.outputs = make(map[string]field)
	}
	e.outputs[e.number(number)] = f
}

// number is the number of a descriptor that a redirection opens. Of {fd} the shell gives it.
func (e *env) number(lit *syntax.Lit) string {
	name, ok := strings.CutPrefix(lit.Value, "{")
	if !ok {
		return lit.Value
	}
	n := strconv.Itoa(10 + len(e.descriptors) + len(e.outputs))
	e.set(strings.TrimSuffix(name, "}"), variable{values: []string{n}})
	return n
}

// descriptor returns what is read from an open descriptor: 3 or /dev/fd/3.
func (e *env) descriptor(name string) (output, bool) {
	for _, dir := range [...]string{"/dev/fd/", "/proc/self/fd/", "/proc/thread-self/fd/"} {
		name = strings.TrimPrefix(name, dir)
	}
	content, ok := e.descriptors[name]
	return content, ok
}

// fedWrapper names a program that runs what it reads: "| sh", or "sh <".
func (e *env) fedWrapper(program string) string {
	if e.fed {
		return program + " <"
	}
	return "| " + program
}

func (e *env) clone() *env {
	e.shared = true
	c := *e
	c.changed = false
	c.dirs = slices.Clone(e.dirs)
	return &c
}

// own copies the maps before one of them changes, where another env has them too.
func (e *env) own() {
	e.changed = true
	if !e.shared {
		return
	}
	e.shared = false
	e.vars, e.funcs, e.aliases = maps.Clone(e.vars), maps.Clone(e.funcs), maps.Clone(e.aliases)
	e.descriptors, e.outputs = maps.Clone(e.descriptors), maps.Clone(e.outputs)
}

// alias defines an alias.
func (e *env) alias(name, text string) {
	e.own()
	if e.aliases == nil {
		e.aliases = make(map[string]string)
	}
	e.aliases[name] = text
}

// set assigns a variable, following a nameref once.
func (e *env) set(name string, v variable) {
	if old, ok := e.vars[name]; ok && old.ref && !v.ref && len(old.values) == 1 {
		name = old.values[0]
	}
	e.own()
	if e.vars == nil {
		e.vars = make(map[string]variable)
	}
	if e.vars[name].fixed {
		return
	}
	e.vars[name] = v
}

// get looks a variable up, following a nameref once.
func (e *env) get(name string) (variable, bool) {
	v, ok := e.vars[name]
	if ok && v.ref && len(v.values) == 1 {
		v, ok = e.vars[v.values[0]]
	}
	return v, ok
}

// merge takes over what a branch that may or may not have run has changed: its
// values hold, but are not certain any more.
func (e *env) merge(branch *env) {
	if branch.changed {
		e.mergeMaps(branch)
	}
	e.several = e.several || branch.several
	if branch.dir != e.dir || branch.lost {
		e.lost = true
	}
	if branch.before != e.before {
		e.before = ""
	}
}

func (e *env) mergeMaps(branch *env) {
	for name, v := range branch.vars {
		old, ok := e.vars[name]
		if ok && old.array == v.array && slices.Equal(old.values, v.values) {
			continue
		}
		e.set(name, v.or(old))
		e.several = e.several || len(v.or(old).other) > 0
	}
	for name, f := range branch.funcs {
		if _, ok := e.funcs[name]; !ok {
			e.define(name, f)
		}
	}
}

// maxOther is how many other values of a variable are followed.
const maxOther = 8

// or returns v as it is after a branch that may not have run: old is the value before.
func (v variable) or(old variable) variable {
	v.guess = true
	v.other = slices.Clip(v.other)
	for _, values := range append([][]string{old.values}, old.other...) {
		same := func(o []string) bool { return slices.Equal(o, values) }
		if len(values) > 0 && len(v.other) < maxOther && !same(v.values) && !slices.ContainsFunc(v.other, same) {
			v.other = append(v.other, values)
		}
	}
	return v
}

// join merges branches, of which at most one has run, or exactly one where they cover
// every case: a value that each of them replaces is gone then.
func (e *env) join(branches []*env, covers bool) {
	before := e.vars
	e.shared = true
	for _, b := range branches {
		e.merge(b)
	}
	if !covers {
		return
	}
	for name, old := range before {
		v := e.vars[name]
		if len(v.other) == 0 || slices.ContainsFunc(branches, func(b *env) bool { return slices.Equal(b.vars[name].values, old.values) }) {
			continue
		}
		e.own()
		v.other = slices.DeleteFunc(slices.Clone(v.other), func(o []string) bool { return slices.Equal(o, old.values) })
		e.vars[name] = v
	}
}

// mayKeep makes the values that variables had before a command possible again: it may not
// have run.
func (e *env) mayKeep(before map[string]variable) {
	if v, ok := e.vars["IFS"]; ok {
		if _, ok := before["IFS"]; !ok { // it has a value that no line gives it
			e.own()
			e.vars["IFS"] = v.or(variable{values: []string{defaultIFS}})
		}
	}
	for name, old := range before {
		if v := e.vars[name]; old.array != v.array || !slices.Equal(old.values, v.values) {
			e.own()
			e.vars[name], e.several = v.or(old), true
		}
	}
}

func (e *env) define(name string, f *function) {
	e.own()
	if e.funcs == nil {
		e.funcs = make(map[string]*function)
	}
	e.funcs[name] = f
}

// export makes functions known to the shells that are started: export -f f, declare -fx f.
func (e *env) export(words []field) {
	flags := ""
	for _, f := range words[1:] {
		if strings.HasPrefix(f.text, "-") {
			flags += f.text
		}
	}
	if !strings.Contains(flags, "f") || words[0].text != "export" && !strings.Contains(flags, "x") {
		return
	}
	for _, f := range words[1:] {
		if def, ok := e.funcs[f.text]; ok {
			exported := *def
			exported.exported = true
			e.define(f.text, &exported)
		}
	}
}

// start leaves what a shell that is started does not inherit.
func (e *env) start() {
	if len(e.funcs) > 0 {
		e.own()
		maps.DeleteFunc(e.funcs, func(_ string, f *function) bool { return !f.exported })
	}
	e.aliases = nil
}

// chdir is cd. An empty to is cd without an operand, which goes home.
func (e *env) chdir(to field) {
	if to.text == "-" && e.before != "" {
		to.text = e.before
	}
	e.before = e.folder()
	path := homePath(to.text)
	switch {
	case to.text == "" || to.text == "~" || to.text == "--":
		e.dir, e.lost = "~", false
	case to.text == "-":
		e.lost = true
	case !to.known || to.glob || strings.ContainsRune(path, '$'):
		e.lost = true
	default:
		e.dir, e.lost = joinPath(e.dir, path), e.lost && !isFixed(path)
		if e.dir == "." {
			e.dir = ""
		}
	}
}

// isFixed reports whether a path is the same in every folder.
func isFixed(path string) bool {
	return strings.HasPrefix(path, "/") || strings.HasPrefix(path, "~") || strings.HasPrefix(path, startMark) || hasDrive(path)
}

// hasDrive reports whether a path begins with a drive of Windows.
func hasDrive(path string) bool {
	return runtime.GOOS == "windows" && len(path) > 1 && path[1] == ':' && 'a' <= path[0]|0x20 && path[0]|0x20 <= 'z'
}

// joinPath returns path seen from dir, without startMark.
func joinPath(dir, path string) string {
	if rest, ok := strings.CutPrefix(path, startMark); ok {
		return cleanPath("." + rest)
	}
	if dir == "" || isFixed(path) {
		return cleanPath(path)
	}
	return cleanPath(dir + "/" + path)
}

// cleanPath resolves "." and ".." as far as the text allows, and keeps a leading
// "~", which path.Clean would let ".." eat.
func cleanPath(p string) string {
	if isClean(p) {
		return p
	}
	rooted := strings.HasPrefix(p, "/")
	var parts []string
	for s := range strings.SplitSeq(p, "/") {
		switch s {
		case "", ".":
		case "..":
			n := len(parts)
			switch {
			case n > 0 && parts[n-1] != ".." && !strings.HasPrefix(parts[n-1], "~") && !hasDrive(parts[n-1]):
				parts = parts[:n-1]
			case !rooted:
				parts = append(parts, s)
			}
		default:
			parts = append(parts, s)
		}
	}
	clean := strings.Join(parts, "/")
	switch {
	case rooted:
		return "/" + clean
	case clean == "":
		return "."
	}
	return clean
}

// isClean reports whether cleanPath has nothing to do, which is the common case.
func isClean(p string) bool {
	start := 0
	for i := 0; i <= len(p); i++ {
		if i < len(p) && p[i] != '/' {
			continue
		}
		switch part := p[start:i]; {
		case part == "" && i > 0, part == ".", part == "..":
			return false
		}
		start = i + 1
	}
	return true
}

// assigned returns the value of an assignment as a nested text.
func (w walker) assigned(as *syntax.Assign, value string, known bool) nested {
	n := nested{text: value, inner: -1, span: w.node(as), guess: !known}
	if as.Value != nil {
		if f, ok := w.plain(as.Value); ok && f.text == value {
			n.inner, n.span = f.inner, f.span
		}
	}
	return n
}

// runsVariable reads the value of a variable that some program runs as shell.
// The list is that of the manuals of git, bash, less, man, make, cargo and rsync.
func (w walker) runsVariable(name string, n nested) {
	switch name {
	case "GIT_SSH_COMMAND", "GIT_SSH", "GIT_PAGER", "GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "GIT_EXTERNAL_DIFF",
		"GIT_ASKPASS", "GIT_PROXY_COMMAND", "SSH_ASKPASS", "PAGER", "MANPAGER", "EDITOR", "VISUAL", "BROWSER",
		"PROMPT_COMMAND", "RSYNC_RSH", "LESSOPEN", "LESSCLOSE", "CC", "CXX", "RUSTC_WRAPPER", "RUSTC_WORKSPACE_WRAPPER":
		n.wrapper = name + "="
		in := w.subshell()
		in.nested(n)
	case "PS0", "PS1", "PS2", "PS4": // what is in quotes there is expanded later
		if strings.ContainsAny(n.text, "$`") {
			n.wrapper, n.inner, n.text = name+"=", -1, ": \""+strings.ReplaceAll(n.text, `"`, `\"`)+"\""
			in := w.subshell()
			in.nested(n)
		}
	case "BASH_ENV", "ENV":
		w.subshell().sourceFile(field{text: n.text, span: n.span, inner: n.inner, known: !n.guess}, name+"=")
	}
}
