package shell

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/agentsentinel/sentinel/shell/internal/table"
)

// nestedShell analyzes the text that a program gives to a shell: bash -c, eval,
// source, trap, su -c. ok is false for other programs.
func (w walker) nestedShell(s simple) (out output, ok bool) {
	name := s.name
	if s.facts.Has("shell") {
		return w.shell(name, s), true
	}
	switch name {
	case "eval":
		return w.eval(s), true
	case "source", ".":
		return w.sourceCommand(s)
	case "trap":
		if len(s.words) > 2 && !strings.HasPrefix(s.words[1].text, "-") {
			w.record(s)
			return w.perhaps().subshell().nested(textOf(s.words[1], "trap")), true
		}
	case "su", "runuser", "sg", "script", "flock":
		return w.dashC(name, s)
	case "powershell", "pwsh":
		w.powerShellCommand(s)
		return output{}, true
	case "cmd":
		w.cmdCommand(s)
		return output{}, true
	}
	return output{}, false
}

// textOf returns a field as a nested text. A field that is not in the
// line byte for byte has the span of its word.
func textOf(f field, wrapper string) nested {
	return nested{text: f.text, inner: f.inner, span: f.span, wrapper: wrapper, guess: !f.known}
}

// joined returns words as one nested text, as eval and ssh join them.
func joined(words []field, wrapper string) nested {
	if len(words) == 1 {
		return textOf(words[0], wrapper)
	}
	n := nested{text: joinFields(words), inner: -1, wrapper: wrapper}
	for i, f := range words {
		if i == 0 {
			n.span = f.span
		}
		n.span = join(n.span, f.span)
		n.guess = n.guess || !f.known
	}
	return n
}

// brought returns the programs whose unknown output a field is made of: curl of
// "$(curl …)".
func brought(fields ...field) []string {
	var from []string
	for _, f := range fields {
		if f.sub != nil && !f.sub.known {
			from = append(from, f.sub.from...)
		}
	}
	return from
}

// shell follows bash -c text, bash script and a shell that reads its input.
func (w walker) shell(name string, s simple) output {
	text, script, rest := shellOperands(s.words)
	for i, f := range s.words[:len(s.words)-1] {
		if f.text == "--rcfile" || f.text == "--init-file" {
			w.subshell().sourceFile(s.words[i+1], f.text)
		}
	}
	switch {
	case s.isInert(w):
		w.record(s)
		return output{}
	case text != nil:
		if from := brought(*text); len(from) > 0 {
			w.record(s)
			w.noteRuns(from)
			if out, ok := w.subshell().broughtFile(*text, ""); ok {
				return out
			}
			return output{from: from}
		}
		in := w.newProcess()
		in.env.start()
		in.env.params, in.env.knows = nil, true
		if len(rest) > 0 {
			in.env.params = rest[1:]
		}
		in.env.set("0", zeroth(name, rest))
		n := textOf(*text, name+" -c")
		options, _, _ := fieldTexts(s.words[1:])
		n.modes.read(options)
		return in.nested(n)
	case script != nil && !isStdin(script.text):
		index := w.record(s)
		in := w.newProcess()
		in.env.params, in.env.knows = rest, true
		read := w.found
		out := in.scriptFile(index, *script, "")
		w.ended(index)
		if read == w.found {
			c := w.line.Commands[index]
			w.carries(&recorded{Command: &c, simple: s, index: index})
		}
		return out
	}
	if !w.piped {
		w.atPrompt(w.record(s), true, s)
		return output{}
	}
	return w.shellInput(name, s)
}

// isStdin reports whether an operand means standard input.
func isStdin(name string) bool {
	switch name {
	case "-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0":
		return true
	}
	return false
}

// shellInput follows a shell that runs what it is given on standard input.
func (w walker) shellInput(name string, s simple) output {
	stdin := w.input(asScript)
	if !stdin.known {
		w.record(s)
		w.noteRuns(stdin.from)
		if text := strings.TrimSpace(stdin.text); text == "" || len(stdin.from) > 0 && (text[0] == '$' || text[0] == '`') {
			return output{from: append([]string{name}, stdin.from...)}
		}
	}
	if stdin.known && strings.TrimSpace(stdin.text) == "" {
		w.record(s)
	}
	in := w.subshell()
	in.env.stdin, in.env.piped = output{}, false
	in.env.start()
	if _, _, rest := shellOperands(s.words); len(rest) > 0 { // bash -s -- x
		in.env.params, in.env.knows = rest, true
	}
	n := nested{text: stdin.text, inner: stdin.inner - 1, span: stdin.span, wrapper: w.fedWrapper(name), guess: stdin.guessed()}
	if n.span == (Span{}) {
		n.span = s.span
	}
	return in.nested(n)
}

// noteRuns notes that the command recorded last runs the output of other programs.
func (w walker) noteRuns(from []string) {
	if len(from) > 0 && w.last >= 0 {
		c := &w.line.Commands[w.last]
		c.Runs = append(slices.Clip(c.Runs), from...)
	}
}

// dashes is 1 where the first word ends options.
func dashes(words []field) int {
	if len(words) > 0 && words[0].text == "--" {
		return 1
	}
	return 0
}

// shellOperands finds the text of -c, or the script, among the words of a shell
// and what follows it. Both are nil for a shell that reads its input.
func shellOperands(words []field) (text, script *field, rest []field) {
	command, i := false, 1
	for ; i < len(words); i++ {
		o := words[i].text
		if o == "--" || o == "-" {
			i++
			break
		}
		if len(o) < 2 || o[0] != '-' && o[0] != '+' {
			break
		}
		if strings.HasPrefix(o, "--") {
			if o == "--rcfile" || o == "--init-file" {
				i++
			}
			if o == "--command" {
				command = true
			}
			continue
		}
		if strings.Contains(o, "c") {
			command = true
		}
		if strings.Contains(o, "s") && !command {
			return nil, nil, words[min(len(words), i+1+dashes(words[i+1:])):]
		}
		if last := o[len(o)-1]; last == 'o' || last == 'O' {
			i++
		}
	}
	if i >= len(words) {
		return nil, nil, nil
	}
	if command {
		return &words[i], nil, words[i+1:]
	}
	return nil, &words[i], words[i+1:]
}

// eval reads its operands as one text in the same shell.
func (w walker) eval(s simple) output {
	words := s.words[1:]
	if len(words) > 0 && words[0].text == "--" {
		words = words[1:]
	}
	if from := brought(words...); len(from) > 0 || len(words) == 0 {
		w.record(s)
		w.noteRuns(from)
		if len(words) == 1 {
			if out, ok := w.broughtFile(words[0], ""); ok {
				return out
			}
		}
		return output{from: from}
	}
	return w.nested(joined(words, "eval"))
}

// sourceCommand follows source and ".".
func (w walker) sourceCommand(s simple) (output, bool) {
	if len(s.words) < 2 {
		return output{}, false
	}
	index := w.record(s)
	if from := brought(s.words[1]); len(from) > 0 {
		w.noteRuns(from)
		out, _ := w.broughtFile(s.words[1], "")
		return out, true
	}
	if isStdin(s.words[1].text) && w.piped {
		w.noteRuns(w.stdin.from)
		if w.env.stdin = w.input(asScript); w.stdin.known {
			return w.nested(w.stdinText(s.span, "source")), true
		}
		return output{}, true
	}
	out := w.scriptFile(index, s.words[1], "")
	w.ended(index)
	return out, true
}

// sourceFile reads a file that a variable such as BASH_ENV has a shell read.
func (w walker) sourceFile(f field, wrapper string) {
	w.within(wrapper).sourceCommand(simple{words: []field{{text: "source", span: f.span, inner: -1, known: true}, f}, span: f.span})
}

// scriptFile notes that a command runs a file of code, and follows that code
// when the line itself has written it or when scripts may be read. lang is the
// file's language, "" when its name and first line decide.
func (w walker) scriptFile(command int, f field, lang string) output {
	w.line.Commands[command].Script = f.text
	if slices.Contains(w.calls, w.scriptName(f)) {
		w.last = command
		w.recurs()
		return output{}
	}
	if f.sub != nil {
		content := *f.sub
		if !content.known {
			w.line.Commands[command].Runs = content.from
			out, _ := w.broughtFile(f, lang)
			return out
		}
		return w.script(f, content, lang)
	}
	if content, ok := w.descriptor(f.text); ok && strings.Contains(f.text, "/") {
		if w.env.stdin, w.env.piped = content, true; w.input(asScript).known {
			return w.script(f, w.input(asScript), lang)
		}
		return output{}
	}
	w.effect(Effect{Kind: EffectRead, Command: command}, f)
	content, _ := w.fileContent(f)
	if !content.known {
		copied := f
		copied.sub = &content
		if out, ok := w.broughtFile(copied, lang); ok {
			return out
		}
		if len(content.from) > 0 {
			w.line.Commands[command].Runs = content.from
			return output{}
		}
		content = w.readScript(f)
	}
	if content.text == "" {
		return output{}
	}
	return w.script(f, content, lang)
}

// script walks the content of a script. It runs in a shell of its own, unless
// the caller sources it.
func (w walker) script(f field, content output, lang string) output {
	if lang == "" {
		lang = scriptLanguage(f.text, content.text)
	}
	wrapper := path.Base(f.text)
	if f.sub != nil {
		wrapper = "<(…)"
	}
	in, ok := w.enter(nested{text: content.text, inner: -1, span: f.span, wrapper: wrapper})
	if !ok {
		return output{}
	}
	if f.sub == nil {
		in.frame.calls, in.frame.script = append(slices.Clip(w.calls), w.scriptName(f)), f.text
	}
	in.frame.inScripts++
	in.frame.installed = isInstalled(f.text)
	if lang != "" {
		in.code(lang, w.last)
		return output{}
	}
	return in.text(content.text)
}

// scriptName is what a script is called among the functions that call each other.
func (w walker) scriptName(f field) string { return "script " + joinPath(w.dir, f.text) }

// scriptLanguage returns the language of a script by its first line, or else by
// its name; "" is shell.
func scriptLanguage(name, text string) string {
	if line, _, _ := strings.Cut(text, "\n"); strings.HasPrefix(line, "#!") {
		words := strings.Fields(line[2:])
		for _, word := range words {
			if word = programName(word); word != "env" && !strings.HasPrefix(word, "-") {
				return language(word)
			}
		}
	}
	switch path.Ext(name) {
	case ".py":
		return "python"
	case ".pl", ".pm":
		return "perl"
	case ".rb":
		return "ruby"
	case ".js", ".mjs", ".cjs", ".ts":
		return "node"
	case ".php":
		return "php"
	case ".lua":
		return "lua"
	}
	return ""
}

// dashC follows su -c text, script -c text, flock file -c text or command.
func (w walker) dashC(name string, s simple) (output, bool) {
	for i := 1; i < len(s.words); i++ {
		text := s.words[i].text
		if v, ok := strings.CutPrefix(text, "--command="); ok {
			f := s.words[i]
			f.text, f.inner = v, -1
			return w.subshell().nested(textOf(f, name+" -c")), true
		}
		bundle := len(text) > 1 && text[0] == '-' && text[1] != '-' && strings.HasSuffix(text, "c")
		if (bundle || text == "--command") && i+1 < len(s.words) {
			return w.subshell().nested(textOf(s.words[i+1], name+" -c")), true
		}
	}
	switch name {
	case "script": // its file, and on macOS a command
		i := skipOptions(s.words, 1, table.Valued("-E= -I= -O= -B= -T= -m= -o= -F= -t= --echo= --log-in= --log-out= --log-io= --log-timing= --logging-format= --output-limit=")) + 1
		if i < len(s.words) {
			return w.within(name).analyze(s.from(i)), true
		}
	case "flock":
		i := skipOptions(s.words, 1, table.Valued("-w= -E= --timeout= --wait= --conflict-exit-code=")) + 1
		if i < len(s.words) {
			return w.within(name).analyze(s.from(i)), true
		}
	case "sg": // its group, and the text; ast-grep has the same name
		if len(s.words) == 3 && strings.Contains(s.words[2].text, " ") && !strings.HasPrefix(s.words[1].text, "-") {
			return w.subshell().nested(textOf(s.words[2], name)), true
		}
	case "runuser":
		i := skipOptions(s.words, 1, table.Valued("-u= -g= -G= -s= -w= --user= --group= --supp-group= --shell="))
		if i < len(s.words) && i > 1 && s.words[i-1].text == "--" {
			return w.within(name).analyze(s.from(i)), true
		}
	}
	return output{}, false
}

// callWords returns the words of a statement that is nothing but a call.
func callWords(s *syntax.Stmt) ([]*syntax.Word, bool) {
	c, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(c.Assigns) > 0 || len(s.Redirs) > 0 {
		return nil, false
	}
	return c.Args, true
}

// atPrompt notes of a recorded command that it waits for commands which the line does not
// show: a shell, an interpreter or a client that is given none, and whose input is not
// redirected. What is typed there later, no line has. bare says that its operands name no
// command.
func (w walker) atPrompt(index int, bare bool, s simple) {
	if w.piped {
		return
	}
	c := &w.line.Commands[index]
	opens := s.facts.Value("opens")
	asked := opens != "" && slices.ContainsFunc(c.Args, func(a string) bool { return slices.Contains(strings.Split(opens, ","), a) })
	if !bare && !asked || c.HasFlag("--version", "--help") {
		return
	}
	if once := s.facts.Value("once"); once != "" && c.HasFlag(strings.Split(once, ",")...) {
		return
	}
	c.Interactive, c.Certain = true, false
}

// client is atPrompt for a program that is neither a shell nor an interpreter.
func (w walker) client(c *recorded) {
	most, err := strconv.Atoi(c.facts.Value("prompt"))
	script := slices.ContainsFunc(c.Operands, func(o string) bool { return path.Ext(o) == ".js" || path.Ext(o) == ".sql" })
	w.atPrompt(c.index, err == nil && len(c.Operands) <= most && !script, c.simple)
}

// zeroth is $0 of a text that a shell runs with words behind it.
func zeroth(name string, rest []field) variable {
	switch {
	case len(rest) == 0:
		return variable{values: []string{name}}
	case rest[0].known && !rest[0].glob:
		return variable{values: []string{rest[0].text}}
	}
	return variable{}
}
