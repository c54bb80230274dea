package shell

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/shell/internal/code"
	"github.com/agentsentinel/sentinel/shell/internal/table"
)

// interpreter follows python -c code, perl -e code, node script.js and code on
// standard input.
func (w walker) interpreter(c *recorded, lang string) {
	program, index := c.Program, c.index
	code, script, module := codeOperands(program, lang, c.words)
	w = w.subshell()
	w.env.params, w.env.knows = c.operands, true
	if script != nil {
		at := slices.IndexFunc(c.words, func(f field) bool { return f.span == script.span && f.text == script.text })
		w.env.params = c.words[at+1:]
	}
	w.preloads(c, lang)
	bare := false
	switch {
	case c.simple.isInert(w):
	case len(code) > 0:
		for _, f := range code {
			if from := brought(f); len(from) > 0 {
				w.noteRuns(from)
				w.subshell().broughtFile(f, lang)
				continue
			}
			w.nestedCode(lang, index, textOf(f, program+" -"+codeOption(lang)))
		}
	case module:
		w.module(c, lang)
	case script != nil && !isStdin(script.text):
		w.newProcess().scriptFile(index, *script, lang)
	case w.piped:
		in := w.input(asScript)
		if in.known {
			w.nestedCode(lang, index, nested{text: in.text, inner: in.inner - 1, span: in.span, wrapper: w.fedWrapper(program), guess: in.guessed()})
		} else {
			w.last = index
			w.noteRuns(in.from)
		}
	default:
		bare = c.facts.Has("prompt") && (script != nil || len(c.Operands) == 0)
	}
	w.atPrompt(index, bare, c.simple)
}

// module follows python -m name, when the module lies in the current folder.
func (w walker) module(c *recorded, lang string) {
	name, ok := c.Value("-m")
	if lang != "python" || !ok {
		return
	}
	name = strings.ReplaceAll(name, ".", "/")
	for _, file := range []string{name + ".py", name + "/__main__.py"} {
		f := c.named(file)
		f.text = file
		if content := w.readScript(f); content.known {
			w.last = c.index
			w.subshell().script(f, content, lang)
			return
		}
	}
}

// preloads follows node --require file.
func (w walker) preloads(c *recorded, lang string) {
	for i, f := range c.words[:len(c.words)-1] {
		if lang == "node" && (f.text == "-r" || f.text == "--require" || f.text == "--import") {
			w.newProcess().scriptFile(c.index, c.words[i+1], lang)
		}
	}
}

func codeOption(lang string) string {
	switch lang {
	case "python":
		return "c"
	case "php":
		return "r"
	}
	return "e"
}

// codeOperands finds the code, or the script, among an interpreter's words.
// module says that it runs an installed module: what follows is its arguments.
func codeOperands(program, lang string, words []field) (code []field, script *field, module bool) {
	if (program == "deno" || program == "bun") && len(words) > 1 {
		switch words[1].text {
		case "eval":
			if i := skipOptions(words, 2, table.Valued("--ext=")); i < len(words) {
				return words[i : i+1], nil, false
			}
			return nil, nil, true
		case "run":
			if i := skipOptions(words, 2, table.Valued("--config= --import-map=")); i < len(words) && strings.Contains(words[i].text, ".") {
				return nil, &words[i], false
			}
			return nil, nil, true
		}
	}
	options := table.OptionsOf(lang, "")
	for i := 1; i < len(words); i++ {
		f := words[i]
		o := f.text
		switch {
		case o == "-" || len(o) > 0 && o[0] != '-':
			if len(code) == 0 {
				script = &words[i]
			}
			return code, script, false
		case o == "--":
			if i+1 < len(words) && len(code) == 0 {
				script = &words[i+1]
			}
			return code, script, false
		case lang == "python" && (o == "-m" || strings.HasPrefix(o, "-m")):
			return nil, nil, true
		case lang == "node" && (o == "--eval" || o == "--print") && i+1 < len(words):
			i++
			code = append(code, words[i])
			continue
		case lang == "node" && (strings.HasPrefix(o, "--eval=") || strings.HasPrefix(o, "--print=")):
			_, f.text, _ = strings.Cut(o, "=")
			f.inner = -1
			code = append(code, f)
			continue
		case strings.HasPrefix(o, "--"):
			if options.HasValue(o) {
				i++
			}
			continue
		}
		if at := codeLetter(lang, o); at > 0 {
			if at+1 < len(o) && !(lang == "node") {
				f.text, f.inner = o[at+1:], -1
				code = append(code, f)
			} else if i+1 < len(words) {
				i++
				code = append(code, words[i])
			}
			if lang == "python" {
				return code, nil, false
			}
		} else if o == "" || options.TakesNext(o) {
			i++
		}
	}
	return code, nil, false
}

// codeLetter returns the place of the letter in a bundle of short options that
// is followed by code, or 0.
func codeLetter(lang, bundle string) int {
	letters := codeOption(lang)
	switch lang {
	case "perl":
		letters = "eE"
	case "node":
		letters = "ep"
	}
	for i := 1; i < len(bundle); i++ {
		c := bundle[i]
		if strings.IndexByte(letters, c) >= 0 {
			return i
		}
		if (lang == "perl" || lang == "ruby") && strings.IndexByte("iMmICxF0rE", c) >= 0 && !(c == 'i' && i+1 == len(bundle)) && c != '0' {
			return 0 // the rest of the word is this letter's value
		}
		if lang == "python" && strings.IndexByte("mWX", c) >= 0 {
			return 0
		}
	}
	return 0
}

// nestedCode reads a text as code of a language other than shell.
func (w walker) nestedCode(lang string, index int, n nested) {
	in, ok := w.subshell().enter(n)
	if !ok {
		return
	}
	in.code(lang, index)
}

// code reads the frame's text as code.
func (w walker) code(lang string, index int) {
	if w.analyzer.codeRead += len(w.src); w.codeRead > maxCode {
		if !w.installed {
			w.bounded("too much code: the rest was not read")
		}
		return
	}
	program, partial := code.Parse(lang, w.src)
	if partial && !w.installed {
		w.bounded("a long " + lang + " program was read in part")
	}
	if program.Scan(&coder{walker: w, lang: lang, index: index}) {
		w.bounded("a complex " + lang + " program was read in part")
	}
}

// A coder records what code does.
type coder struct {
	walker
	lang   string
	index  int // command that runs the code
	opened int // index of the first effect of the file that was opened last for writing
	more   int // how many effects that file has: more than one where links lead to it
}

func (c *coder) More() bool {
	if len(c.line.Commands) >= maxCommands {
		c.bounded(tooMany)
		return false
	}
	return true
}

func (c *coder) Shell(v code.Value, start, end int) {
	if len(v.Any) > 0 && !v.IsList {
		for _, text := range v.Any {
			c.Shell(code.Value{Text: text}, start, end)
		}
		return
	}
	in := c.subshell()
	in.env.piped = false
	if v.Fed {
		in.env.stdin, in.env.piped = output{from: []string{c.lang}}, true
	}
	s := simple{span: c.at(start, end)}
	if v.IsList {
		for _, text := range v.List {
			s.words = append(s.words, field{text: text, span: s.span, inner: -1, known: v.Known || !strings.HasPrefix(text, "$"), quoted: true})
		}
		in.analyze(s)
	} else if v.Text != "" {
		n := nested{text: v.Text, inner: -1, span: s.span, guess: !v.Known}
		if v.Inner > 0 && c.base >= 0 {
			n.inner = c.base + v.Inner - 1
		}
		in.nested(n)
	}
}

func (c *coder) Eval(text string, start, end int) {
	c.nestedCode(c.lang, c.index, nested{text: text, inner: -1, span: c.at(start, end), guess: true})
}

func (c *coder) File(e code.Effect) {
	if e.Object != "" && e.Path.Text == "" {
		c.object(Effect{Kind: EffectKind(e.Kind), Object: e.Object, To: e.To, Certain: true})
		return
	}
	before := len(c.line.Effects)
	path := field{text: e.Path.Text, inner: -1, known: e.Path.Known, names: e.Path.Any}
	if e.Path.Known && len(e.Path.Any) > 0 {
		for _, text := range e.Path.Any {
			e.Path = code.Value{Text: text, Known: true}
			c.File(e)
		}
		return
	}
	c.effect(Effect{
		Kind: EffectKind(e.Kind), Command: c.index, To: e.To, From: e.From.Text, Object: e.Object, Content: e.Content.Text, ContentKnown: e.Content.Known, Recursive: e.Recursive,
	}, path)
	if e.Target.Text != "" {
		c.linked(field{text: e.Target.Text}, path, symbolicLink)
	}
	if e.Open && len(c.line.Effects) > before {
		c.opened, c.more = before, len(c.line.Effects)-before
	}
}

// Unknown makes the command that runs the code one that is not certain.
func (c *coder) Unknown() { c.line.Commands[c.index].Certain = false }

// Names reads a command apart from the line, for the names that it prints.
func (c *coder) Names(v code.Value) []string {
	out, _ := c.apart(v)
	return out.names
}

// apart reads a command apart from the line.
func (c *coder) apart(v code.Value) (output, *Line) {
	if c.depth > maxListed || v.IsList && len(v.List) == 0 || len(v.Text) > maxPattern {
		return output{}, &Line{}
	}
	text := v.Text
	if v.IsList {
		words := make([]string, len(v.List))
		for i, word := range v.List {
			words[i] = quote(word)
		}
		text = strings.Join(words, " ")
	}
	a := newAnalyzer(&Line{Text: text}, c.handlers)
	w := walker{analyzer: a, frame: &frame{src: text, depth: c.depth + 1}, env: &env{}}
	return w.text(text), a.line
}

// maxListed is how deep texts are nested at most in which names are looked for.
const maxListed = 4

// Chdir sets the folder for what follows in the code.
func (c *coder) Chdir(v code.Value) {
	c.env.chdir(field{text: v.Text, inner: -1, known: v.Known && v.Text != ""})
	if v.Text == "" {
		c.lost = true
	}
}

// Args are the arguments of the program, as far as they are known.
func (c *coder) Args() []string {
	if !c.knows {
		return nil
	}
	var args []string
	for _, f := range c.params {
		args = append(args, orText(f)...)
	}
	return args
}

func (c *coder) Write(v code.Value) {
	for i := range c.more {
		e := &c.line.Effects[c.opened+i]
		e.ContentKnown = v.Known && !v.IsList && (e.ContentKnown || e.Content == "")
		e.Content += v.Text
	}
}

// Process notes that a process is ended.
func (c *coder) Process(pid code.Value) {
	c.object(Effect{Kind: EffectProcess, Object: pid.Text, Certain: pid.Known})
}

// FromNetwork notes that text from another machine is run.
func (c *coder) FromNetwork(from code.Value) {
	c.object(Effect{Kind: EffectRun, Object: from.Text, Remote: true, Certain: true})
}

// Received remembers a file as the output of what it was fetched from.
func (c *coder) Received(path string, from code.Value) {
	c.remember(path, output{from: []string{from.Text}}, false)
}

// Output reads a command apart from the line, for what its output is made of.
func (c *coder) Output(v code.Value) code.Printed {
	out, line := c.apart(v)
	p := code.Printed{Files: out.files, Environment: slices.Contains(out.from, "env") || slices.Contains(out.from, "printenv")}
	for i := range line.Commands {
		if cmd := &line.Commands[i]; cmd.Network && slices.Contains(out.from, cmd.Program) {
			p.Hosts = append(p.Hosts, addressOf(cmd))
		}
	}
	return p
}

// object records an effect on something other than a file.
func (c *coder) object(e Effect) {
	if c.remote || len(c.line.Effects) >= 4*maxCommands {
		return
	}
	e.Command, e.Dir, e.DirUnknown = c.index, c.dir, c.lost
	e.Certain = e.Certain && !c.guess
	c.line.Effects = append(c.line.Effects, e)
}

// Env is the value that the line gives to a variable.
func (c *coder) Env(name string) code.Value {
	v, ok := c.env.get(name)
	switch {
	case ok && len(v.values) == 1 && len(v.from) == 0:
		return code.Value{Text: v.values[0], Known: !v.guess}
	case name == "HOME":
		return code.Value{Text: "~", Known: true}
	}
	return code.Value{}
}

// awk walks the code of awk, or notes its file.
func (w walker) awk(c *recorded) {
	if file, ok := c.Value("-f"); ok {
		w.line.Commands[c.index].Script = file
		if content := w.readScript(c.named(file)); content.known {
			w.last = c.index
			w.subshell().script(c.named(file), content, "awk")
		}
	} else if len(c.operands) > 0 {
		w.nestedCode("awk", c.index, textOf(c.operands[0], c.Program))
	}
}
