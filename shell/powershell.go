package shell

import (
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
	commands, all := powershell.Commands(src, maxCommands)
	if !all {
		w.bounded(tooMany)
	}
	for _, words := range commands {
		if !w.step() {
			return
		}
		w.windowsCommand(words, from)
	}
	found := w.line.Commands[start:]
	for i := range found { // iex (iwr …), iwr … | iex
		if !powershell.Is(found[i].Program, "iex Invoke-Expression") {
			continue
		}
		for _, c := range found {
			if c.Network {
				found[i].Runs = append(found[i].Runs, c.Program)
			}
		}
	}
}

// windowsCommand records one command and what it does to files. from is where
// the text of the words starts in the frame's text.
func (w walker) windowsCommand(words []powershell.Word, from int) {
	for len(words) > 0 && (words[0].Text == "&" || words[0].Text == "." || words[0].Text == "@") {
		words = words[1:]
	}
	if len(words) > 2 && words[1].Text == "=" { // $x = command
		words = words[2:]
	}
	if len(words) == 0 || words[0].Text == "" {
		return
	}
	var s simple
	for _, p := range words {
		s.words = append(s.words, field{text: p.Text, span: w.at(from+p.Start, from+p.End), inner: -1, known: true, quoted: p.Quoted})
	}
	s = s.from(0)
	name := programName(words[0].Text)
	switch {
	case powershell.Is(name, "powershell pwsh"):
		w.powerShellCommand(s)
		return
	case powershell.Is(name, "cmd"):
		w.cmdCommand(s)
		return
	case powershell.Is(name, "bash sh wsl"):
		w.analyze(s)
		return
	}
	index := w.record(s)
	c := &w.line.Commands[index]
	c.Network = c.Network || powershell.Is(name, "curl wget Invoke-WebRequest Invoke-RestMethod iwr irm Start-BitsTransfer .DownloadString .DownloadFile .DownloadData")
	if powershell.Is(name, "iex Invoke-Expression") && len(words) == 2 && words[1].Quoted {
		if in, ok := w.enter(nested{text: words[1].Text, inner: -1, span: s.words[1].span, wrapper: name}); ok {
			in.windows(words[1].Text, 0)
		}
	}
	for _, e := range powershell.Effects(name, words[1:]) {
		w.guessed(Effect{Kind: EffectKind(e.Kind), Command: index, To: e.To, Content: e.Content, Recursive: e.Recursive}, field{text: e.Path})
		if e.Target != "" {
			w.linked(field{text: e.Target}, field{text: e.Path}, symbolicLink)
		}
	}
}

// powerShellCommand follows powershell -Command text and -EncodedCommand base64.
func (w walker) powerShellCommand(s simple) output {
	index := w.record(s)
	name := w.line.Commands[index].Program
	for i := 1; i < len(s.words); i++ {
		f := s.words[i]
		option := strings.ToLower(strings.TrimLeft(f.text, "-/"))
		if f.text == option && i == 1 || f.text == option && !strings.HasPrefix(s.words[i-1].text, "-") {
			w.windowsText(joined(s.words[i:], name)) // powershell Remove-Item x
			return output{}
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
			return output{}
		case strings.HasPrefix("encodedcommand", option) || option == "ec":
			if i+1 < len(s.words) {
				w.encodedCommand(s.words[i+1], name)
			}
			return output{}
		case strings.HasPrefix("command", option):
			if i+1 < len(s.words) && s.words[i+1].text == "-" {
				break
			}
			if i+1 < len(s.words) {
				w.windowsText(joined(s.words[i+1:], name+" -c"))
			}
			return output{}
		}
	}
	if w.piped {
		w.noteRuns(w.stdin.from)
		if w.stdin.known && w.stdin.text != "" {
			w.windowsText(nested{text: w.stdin.text, inner: w.stdin.inner - 1, span: s.span, wrapper: w.fedWrapper(name)})
		}
	}
	return output{}
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

// cmdCommand follows cmd /c text.
func (w walker) cmdCommand(s simple) output {
	w.record(s)
	for i, f := range s.words[1:] {
		if len(f.text) >= 2 && f.text[0] == '/' && strings.IndexByte("cCkKrR", f.text[1]) >= 0 || powershell.Is(f.text, "//c") {
			rest := s.words[i+2:]
			if len(rest) == 0 {
				break
			}
			w.unparsed("cmd.exe: read as text")
			n := joined(rest, "cmd /c")
			if in, ok := w.enter(n); ok {
				in.windows(n.text, 0)
			}
			break
		}
	}
	return output{}
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
