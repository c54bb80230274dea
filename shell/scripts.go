package shell

import (
	"path"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/shell/internal/table"
)

// scripts analyzes what a recorded command runs in turn: the command of find
// -exec, of ssh and docker exec, the script of an interpreter.
func (w walker) scripts(c *recorded) {
	if c.facts.Has("recipes") && !w.inRecipe {
		w.recipe(c)
	}
	if lang := c.facts.Value("code"); lang != "" {
		w.interpreter(c, lang)
		return
	}
	kind, options := c.facts.Value("runs"), c.facts.Value("text")
	if c.Inert && kind != "git" { // its settings may run all the same
		return
	}
	if after := c.facts.Value("after"); after != "" {
		w.after(c, after)
	}
	if c.facts.Has("remote") {
		w = w.elsewhere()
	}
	if options != "" {
		names := strings.Split(options, ",")
		w.optionText(c, c.Program+" "+names[0], names...)
	}
	if kind != "" {
		handle(w.handlers.runs, kind)(w, c)
	} else if options == "" {
		w.directScript(c)
	}
}

func (w walker) quotedCommands(c *recorded) {
	for _, f := range c.words[1:] {
		if strings.Contains(f.text, " ") {
			w.subshell().nested(textOf(f, c.Program))
		}
	}
}

func (w walker) atCommands(c *recorded) {
	if stdin := w.input(asScript); stdin.known {
		in := w.subshell()
		in.env.stdin = stdin
		in.nested(in.stdinText(c.span, c.Program))
	} else if w.piped {
		w.last = c.index
		w.noteRuns(stdin.from)
	}
}

func (w walker) ip(c *recorded) {
	if len(c.Operands) > 3 && c.Operands[0] == "netns" && c.Operands[1] == "exec" {
		w.within("ip netns exec").analyze(c.from(4))
	}
}

// directScript follows ./script.sh: a program named by a path of the project.
func (w walker) directScript(c *recorded) {
	p := c.words[0]
	if programName(p.text) != c.Program { // a program under another name
		return
	}
	made, own := w.inPath(p.text)
	if own {
		p.text, p.inner = made, -1
	}
	if !strings.Contains(p.text, "/") && path.Ext(p.text) != ".sh" {
		return
	}
	for _, dir := range []string{"/usr/", "/bin/", "/sbin/", "/opt/", "/nix/", "/snap/", "/proc/"} {
		if strings.HasPrefix(p.text, dir) && !own {
			return
		}
	}
	in := w.newProcess()
	in.env.params, in.env.knows = c.words[1:], true
	in.scriptFile(c.index, p, "")
}

// optionText reads the value of an option as shell, at any place.
func (w walker) optionText(c *recorded, wrapper string, names ...string) {
	o := table.OptionsOf(w.program(&c.words[0]), "")
	for i, f := range c.words[1:] {
		if len(f.text) < 2 || f.text[0] != '-' {
			continue
		}
		next := field{}
		if i+2 < len(c.words) {
			next = c.words[i+2]
		}
		for _, name := range names {
			text, ok := o.Value(f.text, next.text, name, next.text != "")
			if !ok {
				continue
			}
			if text != next.text {
				next = f
				next.text, next.inner = text, -1
			}
			w.subshell().nested(textOf(next, wrapper))
			break
		}
	}
}

// xargsFile is the file that xargs reads instead of its input.
func xargsFile(words []field) field {
	for i, f := range words {
		switch {
		case (f.text == "-a" || f.text == "--arg-file") && i+1 < len(words):
			return words[i+1]
		case strings.HasPrefix(f.text, "-a"), strings.HasPrefix(f.text, "--arg-file="):
			f.text, f.inner = strings.TrimPrefix(strings.TrimPrefix(f.text, "-a"), "--arg-file="), -1
			return f
		}
	}
	return field{}
}

// find analyzes the commands of -exec and similar options. {} becomes a pattern for
// the files below the folders that are searched.
func (w walker) find(c *recorded) {
	listed := listing(c)
	for i := 1; i < len(c.words); i++ {
		wrapper := "find " + c.words[i].text
		switch c.words[i].text {
		case "-exec", "-execdir", "-ok", "-okdir":
		case "-x", "--exec", "-X", "--exec-batch":
			if c.Program == "find" {
				continue
			}
			wrapper = "fd " + c.words[i].text
		default:
			continue
		}
		end := i + 1
		for end < len(c.words) && c.words[end].text != ";" && c.words[end].text != "+" {
			end++
		}
		run := c.simple
		run.words = c.words[:end]
		run = run.from(i + 1)
		if c.Program != "find" && !slices.ContainsFunc(run.words, func(f field) bool { return strings.Contains(f.text, "{") }) {
			run.words = append(slices.Clip(run.words), field{text: "{}", span: run.span, inner: -1}) // as fd does
		}
		if len(run.words) > 0 {
			run.words = replaceItem(run.words, "{}", field{text: listed[0], inner: -1, names: listed})
			in := w.subshell().noTimes()
			in.env.piped, in.env.stdin = false, output{}
			in.within(wrapper).analyze(run)
		}
		i = end
	}
}

// ssh walks the command for the other machine, and the options that run one here.
func (w walker) ssh(c *recorded) {
	w.sshOptions(c)
	o := table.OptionsOf("ssh", "")
	i := skipOptions(c.words, 1, o)
	if i >= len(c.words) {
		return
	}
	host := c.words[i].text
	i = skipOptions(c.words, i+1, o)
	in := w.machine(host)
	in.env.piped = false
	if i < len(c.words) {
		in.env.piped = w.piped
		in.nested(joined(c.words[i:], c.Program))
	} else if stdin := w.input(asScript); stdin.known {
		w.env.stdin = stdin
		in.nested(w.stdinText(c.span, c.Program))
	} else if !strings.HasPrefix(c.words[i-1].text, "git@") { // hosts of repositories give no shell
		w.atPrompt(c.index, true, c.simple)
	}
}

// sshOptions walks -o ProxyCommand=… and LocalCommand, which run here.
func (w walker) sshOptions(c *recorded) {
	for i, f := range c.words {
		if len(f.text) < 2 || f.text[0] != '-' {
			continue
		}
		next := field{}
		if i+1 < len(c.words) {
			next = c.words[i+1]
		}
		text, ok := table.OptionsOf("ssh", "").Value(f.text, next.text, "-o", next.text != "")
		if !ok {
			continue
		}
		if text == next.text {
			f = next
		}
		name, value, ok := strings.Cut(strings.TrimSpace(text), "=")
		if !ok {
			name, value, ok = strings.Cut(text, " ")
		}
		switch strings.ToLower(name) {
		case "proxycommand", "localcommand", "knownhostscommand":
			if ok {
				w.nestedText(value, f.span, "ssh -o "+name)
			}
		}
	}
}

// kubectl analyzes the command after the pod, or after "--".
func (w walker) kubectl(c *recorded) {
	if !slices.Contains([]string{"exec", "run", "debug"}, c.Subcommand) {
		return
	}
	in := w.elsewhere().within(c.Program + " " + c.Subcommand)
	for i, f := range c.words {
		if f.text == "--" {
			in.analyze(c.from(i + 1))
			return
		}
	}
	if c.Subcommand != "exec" {
		return
	}
	verb := slices.IndexFunc(c.words, func(f field) bool { return f.text == "exec" })
	if verb < 0 {
		return
	}
	o := table.OptionsOf("kubectl", "exec")
	pod := skipOptions(c.words, verb+1, o)
	if i := skipOptions(c.words, pod+1, o); i < len(c.words) {
		in.analyze(c.from(i))
	}
}

// vmCommand walks lxc exec name -- command, gcloud compute ssh name -- command and vagrant
// ssh -c text.
func (w walker) vmCommand(c *recorded) {
	if !slices.ContainsFunc(c.Operands[:min(len(c.Operands), 3)], func(o string) bool { return o == "exec" || o == "ssh" || o == "shell" }) {
		return
	}
	for i, f := range c.words {
		if f.text == "--" {
			w.elsewhere().within(c.Program + " exec").analyze(c.from(i + 1))
			return
		}
	}
	w.elsewhere().optionText(c, c.Program+" -c", "-c", "--command")
}

// tarActions walks the options of tar that run a program.
func (w walker) tarActions(c *recorded) {
	for i, f := range c.words {
		text, ok := strings.CutPrefix(f.text, "--checkpoint-action=")
		if !ok && f.text == "--checkpoint-action" && i+1 < len(c.words) {
			text, ok = c.words[i+1].text, true
		}
		if action, isExec := strings.CutPrefix(text, "exec="); ok && isExec {
			w.nestedText(strings.Trim(action, `"'`), f.span, "tar --checkpoint-action")
		}
	}
	in := w.subshell() // each file of the archive is its input
	in.env.stdin, in.env.piped = output{from: []string{"tar"}}, true
	in.optionText(c, "tar", "--to-command")
	w.optionText(c, "tar", "--use-compress-program", "-I", "--rsh-command", "--info-script", "--new-volume-script")
}

// sedCommands walks the e command and the e flag of sed, which run shell.
func (w walker) sedCommands(c *recorded) {
	for _, f := range sedScripts(c.simple) {
		text := strings.TrimLeft(f.text, "0123456789,$ ")
		if cmd, ok := strings.CutPrefix(text, "e "); ok {
			w.nestedText(cmd, f.span, "sed e")
			continue
		}
		if strings.TrimSpace(text) == "e" && w.piped && w.stdin.known { // runs each line
			w.subshell().nested(w.stdinText(f.span, "sed e"))
		}
		if parts, ok := sedSubstitution(text); ok && strings.Contains(parts[2], "e") {
			w.subshell().nested(nested{text: parts[1], inner: -1, span: f.span, wrapper: "sed e", guess: true})
		}
	}
}

// multiplexer walks what tmux and screen start or type.
func (w walker) multiplexer(c *recorded) {
	o := table.OptionsOf(c.Program, "")
	i := skipOptions(c.words, 1, o)
	in := w.subshell()
	in.env.piped = false
	if c.Program == "screen" {
		if c.HasFlag("-X") {
			in.typed(c, i)
		} else if i < len(c.words) {
			in.within("screen").analyze(c.from(i))
		}
		return
	}
	if i >= len(c.words) || !slices.Contains(c.facts.List("types"), c.words[i].text) {
		return
	}
	if j := skipOptions(c.words, i+1, o); j < len(c.words) {
		words := c.words[j:]
		for len(words) > 1 && (words[len(words)-1].text == "Enter" || words[len(words)-1].text == "C-m") {
			words = words[:len(words)-1]
		}
		in.nested(joined(words, "tmux "+c.words[i].text))
	}
}

// socat analyzes EXEC:program.
func (w walker) socat(c *recorded) {
	for _, f := range c.words[1:] {
		kind, text, ok := strings.Cut(f.text, ":")
		switch strings.ToLower(kind) {
		case "open", "create", "creat", "file", "gopen":
			f.text, _, _ = strings.Cut(text, ",")
			w.noteGuess(EffectEdit, c.index, f)
		case "exec", "system", "shell":
			if ok {
				text, _, _ = strings.Cut(text, ",")
				text = strings.ReplaceAll(text, `\"`, `"`)
				w.nestedText(strings.Trim(text, `'`), f.span, "socat "+kind)
			}
		}
	}
}

// vim walks -c '!cmd' and :w file, also in a file of commands; what else an editor does
// is not known.
func (w walker) vim(c *recorded) {
	for i, f := range c.words[:len(c.words)-1] {
		if f.text == "-S" || f.text == "-u" {
			w.vimFile(c, c.words[i+1])
		}
	}
	for _, f := range vimTexts(c.words) {
		w.vimCommand(c, f, f.text)
	}
	for line := range strings.Lines(c.Stdin) {
		w.vimCommand(c, field{span: c.span, inner: -1, known: true}, strings.TrimSpace(line))
	}
}

// vimFile walks a file of commands.
func (w walker) vimFile(c *recorded, f field) {
	w.line.Commands[c.index].Script = f.text
	content, _ := w.fileContent(f)
	if !content.known {
		content = w.readScript(f)
	}
	w.env = w.env.clone()
	fr := *w.frame
	fr.inScripts++
	w.frame = &fr
	for line := range strings.Lines(content.text) {
		if !w.step() {
			return
		}
		f.inner = -1
		w.vimCommand(c, f, strings.TrimSpace(line))
	}
}

// vimCall records what a function of Vim does to the file that is the first text of its call.
func (w walker) vimCall(c *recorded, f field, kind EffectKind, call string) {
	at := strings.IndexAny(call, `'"`)
	if at < 0 {
		return
	}
	name, rest, ok := strings.Cut(call[at+1:], call[at:at+1])
	if f.text = name; ok && !strings.Contains(rest, "rf") { // a folder is deleted as in other languages
		w.noteGuess(kind, c.index, f)
	}
}

// vimCommand walks one line of commands.
func (w walker) vimCommand(c *recorded, f field, text string) {
	for part := range strings.SplitSeq(text, "|") {
		part = strings.TrimLeft(part, ": %")
		part = strings.TrimPrefix(part, "silent ")
		part = strings.TrimPrefix(part, "execute ")
		name, rest, _ := strings.Cut(part, " ")
		switch {
		case strings.HasPrefix(part, "!"):
			w.nestedText(text[strings.Index(text, "!")+1:], f.span, "vim -c")
		case strings.Contains(part, "system("):
			_, arg, _ := strings.Cut(part, "system(")
			w.nestedText(strings.Trim(arg, `)"' `), f.span, "vim -c")
		case strings.Contains(part, "delete("):
			w.vimCall(c, f, EffectDelete, part[strings.Index(part, "delete("):])
		case strings.Contains(part, "writefile("):
			w.vimCall(c, f, EffectEdit, part[strings.LastIndexByte(part, ']')+1:])
		case name == "w" || name == "w!" || name == "saveas":
			f.text = strings.TrimSpace(rest)
			w.note(EffectCreate, c.index, f)
		case name == "source" || name == "so":
			f.text = strings.TrimSpace(rest)
			w.vimFile(c, f)
		}
	}
}
