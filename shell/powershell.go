package shell

import (
	"slices"
	"sort"
	"strings"

	"github.com/agentsentinel/sentinel/shell/internal/powershell"
)

// PowerShell and cmd.exe are not parsed, and the line says so. Everything that is
// found in them is a guess.

// powerShell reads a text of PowerShell that starts at offset from of the
// frame's text.
func (w walker) powerShell(src string, from int) {
	w.unparsed("PowerShell: read as text")
	w.windows(src, from)
}

// windows reads the commands of a text of PowerShell or cmd.exe.
func (w walker) windows(src string, from int) {
	f := *w.frame
	f.guess = true
	w.frame = &f
	start := len(w.line.Commands)
	text := powershell.Read(src, maxCommands, w.inCmd())
	if !text.All {
		w.bounded(tooMany)
	}
	var starts []commandStart
	var piped powershell.Pipeline
	for _, words := range text.Commands {
		if !w.step() {
			return
		}
		words = piped.Next(src, words)
		starts = append(starts, commandStart{words[0].Start, len(w.line.Commands)})
		if w.inCmd() && !powershell.IsOwn(programName(words[0].Text)) {
			words = powershell.WithCommas(src, words)
		}
		w.windowsCommand(src, words, from)
	}
	w.dotNet(text, from, starts)
	found := w.line.Commands[start:]
	for i := range found { // iex (iwr …), iwr … | iex
		if !powershell.Is(found[i].Program, "iex Invoke-Expression") {
			continue
		}
		for _, c := range found {
			if c.Network && !slices.ContainsFunc(c.Wrappers, powershell.IsStarter) {
				found[i].Runs = append(found[i].Runs, c.Program)
			}
		}
	}
}

// windowsCommand records one command and what it does to files. from is where
// the text of the words starts in the frame's text.
func (w walker) windowsCommand(src string, words []powershell.Word, from int) {
	for len(words) > 0 && (words[0].Text == "&" || words[0].Text == "." || words[0].Text == "@") {
		words = words[1:]
	}
	for len(words) > 2 && words[1].Text == "=" && !words[2].IsText(src) { // $x = command
		words = words[2:]
	}
	if len(words) == 0 || words[0].Text == "" {
		return
	}
	args, written := powershell.Redirections(words[1:])
	name := programName(words[0].Text)
	var s simple
	for _, p := range append(words[:1:1], args...) {
		s.words = append(s.words, field{text: p.Text, span: w.at(from+p.Start, from+p.End), inner: -1, quoted: p.Quoted,
			known: !strings.Contains(p.Text, "$"), glob: !p.Quoted && hasGlob(p.Text)})
	}
	s = s.from(0)
	index := len(w.line.Commands)
	switch {
	case powershell.Is(name, "powershell pwsh"):
		w.powerShellCommand(s)
	case powershell.Is(name, "cmd"):
		w.cmdCommand(s)
	case powershell.IsOwn(name):
		written = append(written, w.cmdlet(name, s, args)...)
	default:
		w.subshell().analyze(s)
	}
	if powershell.IsStarter(name) {
		started, dir := powershell.Started(src, words[1:], w.inCmd())
		w.started(name, started, dir, from)
	}
	w.touched(index, written)
}

// inCmd reports whether the text is one of cmd.exe.
func (w walker) inCmd() bool {
	n := len(w.wrappers)
	return n > 0 && w.wrappers[n-1] == cmdWrapper
}

// touched records what the command at index does to files.
func (w walker) touched(index int, written []powershell.Effect) {
	for _, e := range written {
		w.guessed(Effect{Kind: EffectKind(e.Kind), Command: index, To: e.To, Content: e.Content, Recursive: e.Recursive}, field{text: e.Path})
		if e.Target != "" {
			w.linked(field{text: e.Target}, field{text: e.Path}, symbolicLink)
		}
	}
}

// maxStarters bounds how many commands start one another.
const maxStarters = 4

// started reads the words of a command that another one starts in a folder. Their quotes are
// resolved, and their spans are those of the command that starts it.
func (w walker) started(name string, words []powershell.Word, dir string, from int) {
	starts := 0
	for _, wrapper := range w.wrappers {
		if powershell.IsStarter(wrapper) || wrapper == startMethod {
			starts++
		}
	}
	if len(words) == 0 || starts == maxStarters || len(w.wrappers) >= maxWrappers || !w.step() {
		return
	}
	in := w.within(name).subshell()
	if dir != "" {
		in.env.chdir(field{text: dir, inner: -1, known: !strings.Contains(dir, "$")})
	}
	in.windowsCommand("", words, from)
}

// startMethod is the wrapper of a command that a .NET method starts.
const startMethod = "Process.Start"

// A commandStart is where a command starts in a text, and its index.
type commandStart struct{ at, index int }

// dotNet reads the calls of .NET methods in a text. Each belongs to the last command that starts before it.
func (w walker) dotNet(text powershell.Text, from int, starts []commandStart) {
	for _, words := range powershell.StartedByInfo(text.Commands) {
		w.started(startMethod, words, "", from)
	}
	slices.SortFunc(starts, func(a, b commandStart) int { return a.at - b.at })
	for _, call := range text.Calls {
		if !w.step() {
			return
		}
		if words := call.Started(); len(words) > 0 {
			w.started(startMethod, words, "", from)
		}
		next := sort.Search(len(starts), func(i int) bool { return starts[i].at > call.At })
		if next > 0 && starts[next-1].index < len(w.line.Commands) {
			w.touched(starts[next-1].index, call.Effects())
		}
	}
}

// cmdlet records a command that PowerShell or cmd.exe has itself, and returns what it
// does to files.
func (w walker) cmdlet(name string, s simple, args []powershell.Word) []powershell.Effect {
	index := w.record(s)
	c := &w.line.Commands[index]
	c.Network = c.Network || powershell.Is(name, "Invoke-WebRequest Invoke-RestMethod iwr irm Start-BitsTransfer .DownloadString .DownloadFile .DownloadData")
	copied := *c // the list may be reallocated
	w.tableActs(&recorded{Command: &copied, simple: s, index: index, operands: operandFields(&copied, s)})
	if powershell.Is(name, "iex Invoke-Expression") && len(args) == 1 && args[0].Quoted {
		if in, ok := w.enter(nested{text: args[0].Text, inner: -1, span: s.words[1].span, wrapper: name}); ok {
			in.windows(args[0].Text, 0)
		}
	}
	return powershell.Effects(name, args)
}

// powerShellCommand follows powershell -Command text and -EncodedCommand base64.
func (w walker) powerShellCommand(s simple) {
	index := w.record(s)
	name := w.line.Commands[index].Program
	for i := 1; i < len(s.words); i++ {
		f := s.words[i]
		option := strings.ToLower(strings.TrimLeft(f.text, "-/"))
		if i == 1 && strings.HasSuffix(option, ".ps1") { // as -File
			w.line.Commands[index].Script = f.text
			w.powerShellFile(f, name)
			return
		}
		if f.text == option && i == 1 || f.text == option && !strings.HasPrefix(s.words[i-1].text, "-") {
			w.windowsText(joined(s.words[i:], name)) // powershell Remove-Item x
			return
		}
		if f.text == option || option == "" {
			continue
		}
		switch {
		case option == "f" || option == "file":
			if i+1 < len(s.words) {
				w.line.Commands[index].Script = s.words[i+1].text
				w.powerShellFile(s.words[i+1], name)
			}
			return
		case strings.HasPrefix("encodedcommand", option) || option == "ec":
			if i+1 < len(s.words) {
				w.encodedCommand(s.words[i+1], name)
			}
			return
		case strings.HasPrefix("command", option):
			if i+1 < len(s.words) && s.words[i+1].text == "-" {
				break
			}
			if i+1 < len(s.words) {
				w.windowsText(joined(s.words[i+1:], name+" -c"))
			}
			return
		}
	}
	if w.piped {
		w.noteRuns(w.stdin.from)
		if w.stdin.known && w.stdin.text != "" {
			w.windowsText(nested{text: w.stdin.text, inner: w.stdin.inner - 1, span: s.span, wrapper: w.fedWrapper(name)})
		}
	}
}

// powerShellFile reads a script of PowerShell.
func (w walker) powerShellFile(f field, name string) {
	content, _ := w.fileContent(f)
	if !content.known {
		content = w.readScript(f)
	}
	if content.known {
		fr := *w.frame
		fr.inScripts++
		w.frame = &fr
		w.windowsText(nested{text: content.text, inner: -1, span: f.span, wrapper: name + " -File"})
	}
}

// windowsText reads a nested text of PowerShell or cmd.exe.
func (w walker) windowsText(n nested) {
	w.unparsed("PowerShell: read as text")
	if in, ok := w.enter(n); ok {
		in.windows(n.text, 0)
	}
}

// encodedCommand reads the base64 text that -EncodedCommand takes.
func (w walker) encodedCommand(f field, name string) {
	text, err := powershell.Decode(f.text)
	if err != nil {
		w.unparsed("PowerShell: the encoded command cannot be decoded")
		return
	}
	w.windowsText(nested{text: text, inner: -1, span: f.span, wrapper: name + " -EncodedCommand", guess: true})
}

const cmdWrapper = "cmd /c"

// cmdCommand follows cmd /c text.
func (w walker) cmdCommand(s simple) {
	w.record(s)
	for i, f := range s.words[1:] {
		if len(f.text) >= 2 && f.text[0] == '/' && strings.IndexByte("cCkKrR", f.text[1]) >= 0 || powershell.Is(f.text, "//c") {
			rest := s.words[i+2:]
			if len(rest) == 0 {
				break
			}
			w.unparsed("cmd.exe: read as text")
			n := joined(rest, cmdWrapper)
			if len(rest) > 1 {
				n.text = quotedAsWindows(rest)
			}
			if in, ok := w.enter(n); ok {
				in.windows(n.text, 0)
			}
			break
		}
	}
}

// quotedAsWindows joins words as a program of Windows gets them: in quotes where they
// have what separates words.
func quotedAsWindows(words []field) string {
	texts := make([]string, len(words))
	for i, f := range words {
		if texts[i] = f.text; strings.ContainsAny(f.text, " \t\n\"'(){};") {
			texts[i] = `"` + strings.ReplaceAll(f.text, `"`, `""`) + `"`
		}
	}
	return strings.Join(texts, " ")
}

// bareCmdlet reads a command that is PowerShell in a text taken for Bash. It reads
// the source, since the expanded words have lost their backslashes.
func (w walker) bareCmdlet(s simple) bool {
	if w.base < 0 || s.span.End > len(w.line.Text) || s.span.Start < w.base || s.span.End > w.base+len(w.src) {
		return false
	}
	from := s.span.Start - w.base
	w.powerShell(w.src[from:s.span.End-w.base], from)
	return true
}
