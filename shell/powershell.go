package shell

import (
	"encoding/base64"
	"slices"
	"strings"
	"unicode/utf16"
)

// PowerShell and cmd.exe are not parsed. Their text is cut into commands at
// separators, quotes and brackets, so that rules have something to match, and
// the line says that it was not understood. Everything found is a guess.

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
	for _, words := range w.windowsCommands(src) {
		if !w.step() {
			return
		}
		for i := range words {
			words[i].span = w.at(from+words[i].span.Start, from+words[i].span.End)
		}
		w.windowsCommand(words)
	}
	if start >= len(w.line.Commands) {
		return
	}
	found := w.line.Commands[start:]
	for i := range found { // iex (iwr …), iwr … | iex
		if !isAny(found[i].Program, "iex", "Invoke-Expression") {
			continue
		}
		for _, c := range found {
			if c.Network {
				found[i].Runs = append(found[i].Runs, c.Program)
			}
		}
	}
}

func isAny(s string, of ...string) bool {
	return slices.ContainsFunc(of, func(o string) bool { return strings.EqualFold(s, o) })
}

// windowsCommand records one command and what it does to files.
func (w walker) windowsCommand(words []field) {
	for len(words) > 0 && (words[0].text == "&" || words[0].text == "." || words[0].text == "@") {
		words = words[1:]
	}
	if len(words) > 2 && words[1].text == "=" { // $x = command
		words = words[2:]
	}
	if len(words) == 0 || words[0].text == "" {
		return
	}
	s := simple{words: words, span: join(words[0].span, words[len(words)-1].span)}
	name := programName(words[0].text)
	switch {
	case isAny(name, "powershell", "pwsh"):
		w.powerShellCommand(s)
		return
	case isAny(name, "cmd"):
		w.cmdCommand(s)
		return
	case isAny(name, "bash", "sh", "wsl"):
		w.analyze(s)
		return
	}
	index := w.record(s)
	c := &w.line.Commands[index]
	c.Network = c.Network || isAny(name, "curl", "wget", "Invoke-WebRequest", "Invoke-RestMethod", "iwr", "irm", "Start-BitsTransfer", ".DownloadString", ".DownloadFile", ".DownloadData")
	if isAny(name, "iex", "Invoke-Expression") && len(words) == 2 && words[1].quoted {
		if in, ok := w.enter(nested{text: words[1].text, inner: words[1].inner, span: words[1].span, wrapper: name}); ok {
			in.windows(words[1].text, 0)
		}
	}
	w.windowsEffects(name, index, words[1:])
}

// windowsEffects records what the common cmdlets and commands do to files.
func (w walker) windowsEffects(name string, index int, args []field) {
	paths, content := windowsOperands(args)
	e := Effect{Command: index}
	switch {
	case isAny(name, "Remove-Item", "ri", "rm", "rmdir", "rd", "del", "erase", "Clear-RecycleBin"):
		e.Kind = EffectDelete
	case isAny(name, "Set-Content", "sc", "Out-File", "New-Item", "ni", "Tee-Object"):
		e.Kind, e.Content = EffectCreate, content
		if isAny(name, "Set-Content", "sc") && len(paths) > 1 && content == "" {
			e.Content, paths = paths[1].text, paths[:1]
		}
	case isAny(name, "Add-Content", "ac"):
		e.Kind, e.Content = EffectAppend, content
		paths = paths[:min(1, len(paths))]
	case isAny(name, "Clear-Content", "clc"):
		e.Kind = EffectEdit
	case isAny(name, "Get-Content", "gc", "type", "cat", "Select-String", "sls"):
		e.Kind = EffectRead
	case isAny(name, "Copy-Item", "copy", "cp", "xcopy", "robocopy"):
		if len(paths) > 1 {
			w.guessed(Effect{Kind: EffectCreate, Command: index}, paths[len(paths)-1])
			e.Kind, paths = EffectRead, paths[:len(paths)-1]
		}
	case isAny(name, "Move-Item", "move", "mv", "Rename-Item", "ren"):
		if len(paths) > 1 {
			to := paths[len(paths)-1]
			w.guessed(Effect{Kind: EffectCreate, Command: index}, to)
			e.Kind, e.To, paths = EffectMove, windowsPath(to.text), paths[:len(paths)-1]
		}
	}
	if e.Kind == EffectNone {
		return
	}
	for _, p := range paths {
		p.text = windowsPath(p.text)
		w.guessed(e, p)
	}
}

// windowsPath writes a path with slashes.
func windowsPath(p string) string { return strings.ReplaceAll(p, `\`, "/") }

// windowsOperands returns the words that are paths: those that are no switch
// and no value of a parameter other than a path. content is the value of -Value.
func windowsOperands(args []field) (paths []field, content string) {
	for i := 0; i < len(args); i++ {
		text := args[i].text
		switch {
		case isAny(text, "-Path", "-LiteralPath", "-FilePath", "-Destination", "-NewName"):
		case isAny(text, "-Value", "-InputObject"):
			if i++; i < len(args) {
				content = args[i].text
			}
		case isAny(text, "-Encoding", "-ItemType", "-Include", "-Exclude", "-Filter", "-ErrorAction", "-Pattern", "-Depth", "-Type", "-Name"):
			i++
		case strings.HasPrefix(text, "-") && !args[i].quoted, len(text) <= 3 && strings.HasPrefix(text, "/"), text == ",":
		default:
			paths = append(paths, args[i])
		}
	}
	return paths, content
}

// windowsCommands cuts a text into commands and their words. Spans are offsets
// in src.
func (w walker) windowsCommands(src string) (commands [][]field) {
	var words []field
	var b strings.Builder
	start, quoted := -1, false
	word := func(end int) {
		if start >= 0 {
			words = append(words, field{text: b.String(), span: Span{start, end}, inner: -1, known: true, quoted: quoted})
		}
		start, quoted = -1, false
		b.Reset()
	}
	command := func(end int) {
		word(end)
		if len(words) > 0 {
			commands = append(commands, words)
		}
		words = nil
	}
	for i := 0; i < len(src); i++ {
		if len(commands) >= maxCommands {
			w.bounded(tooMany)
			break
		}
		switch c := src[i]; c {
		case ' ', '\t', '\r', ',':
			word(i)
		case '\n', ';', '|', '(', ')', '{', '}':
			command(i)
		case '&':
			if i+1 < len(src) && src[i+1] == ' ' && start < 0 && len(words) == 0 {
				continue // the call operator
			}
			command(i)
		case '#':
			if start >= 0 {
				b.WriteByte(c)
				continue
			}
			for i+1 < len(src) && src[i+1] != '\n' {
				i++
			}
		case '`', '^':
			if i+1 < len(src) {
				i++
				if start < 0 {
					start = i
				}
				if src[i] != '\n' {
					b.WriteByte(src[i])
				}
			}
		case '\'', '"':
			if start < 0 {
				start = i
			}
			quoted = true
			end := strings.IndexByte(src[i+1:], c)
			if end < 0 {
				end = len(src) - i - 1
			}
			b.WriteString(src[i+1 : i+1+end])
			i += end + 1
		default:
			if start < 0 {
				start = i
			}
			b.WriteByte(c)
		}
	}
	command(len(src))
	return commands
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
			}
			return output{}
		case strings.HasPrefix("encodedcommand", option) || option == "ec":
			if i+1 < len(s.words) {
				w.encodedCommand(s.words[i+1], name)
			}
			return output{}
		case strings.HasPrefix("command", option):
			if i+1 < len(s.words) {
				w.windowsText(joined(s.words[i+1:], name+" -c"))
			}
			return output{}
		}
	}
	if w.piped {
		w.runs(w.stdin.from)
		if w.stdin.known && w.stdin.text != "" {
			w.windowsText(nested{text: w.stdin.text, inner: w.stdin.inner - 1, span: s.span, wrapper: w.fedWrapper(name)})
		}
	}
	return output{}
}

// windowsText reads a nested text of PowerShell or cmd.exe.
func (w walker) windowsText(n nested) {
	w.unparsed("PowerShell: read as text")
	if in, ok := w.enter(n); ok {
		in.windows(n.text, 0)
	}
}

// encodedCommand decodes the base64 of UTF-16LE that -EncodedCommand takes.
func (w walker) encodedCommand(f field, name string) {
	raw, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(f.text, "="))
	if err != nil {
		w.unparsed("PowerShell: the encoded command cannot be decoded")
		return
	}
	units := make([]uint16, len(raw)/2)
	for i := range units {
		units[i] = uint16(raw[2*i]) | uint16(raw[2*i+1])<<8
	}
	w.windowsText(nested{text: string(utf16.Decode(units)), inner: -1, span: f.span, wrapper: name + " -EncodedCommand", guess: true})
}

// cmdCommand follows cmd /c text.
func (w walker) cmdCommand(s simple) output {
	w.record(s)
	for i, f := range s.words[1:] {
		if len(f.text) >= 2 && f.text[0] == '/' && strings.IndexByte("cCkKrR", f.text[1]) >= 0 || isAny(f.text, "//c") {
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

// isCmdlet reports whether a name is Verb-Noun of a verb that PowerShell
// approves and that matters here.
func isCmdlet(name string) bool {
	verb, noun, ok := strings.Cut(name, "-")
	if !ok || noun == "" || noun[0] < 'A' || noun[0] > 'Z' || verb == "" || verb[0] < 'A' || verb[0] > 'Z' {
		return false
	}
	switch verb {
	case "Remove", "Set", "Get", "New", "Add", "Clear", "Copy", "Move", "Rename", "Invoke", "Start", "Stop", "Restart", "Out", "Import", "Export", "Test", "Write", "Read", "Select", "Where", "ForEach", "Format", "Disable", "Enable", "Uninstall", "Install", "Register", "Unregister", "Expand", "Compress", "Resize", "Initialize", "Dismount", "Convert", "ConvertTo", "ConvertFrom", "Join", "Split", "Resolve":
		return true
	}
	return false
}

// bareCmdlet reads a command that is PowerShell in a text taken for Bash, from
// the text as it stood, since Bash would have eaten its backslashes.
func (w walker) bareCmdlet(s simple) bool {
	if w.base < 0 || s.span.End > len(w.line.Text) || s.span.Start < w.base || s.span.End > w.base+len(w.src) {
		return false
	}
	from := s.span.Start - w.base
	w.powerShell(w.src[from:s.span.End-w.base], from)
	return true
}

// looksPowerShell reports whether a text that is no Bash is PowerShell.
func looksPowerShell(text string) bool {
	if strings.Contains(text, "$env:") || strings.Contains(text, "[System.") || strings.Contains(text, "New-Object ") {
		return true
	}
	for word := range strings.FieldsFuncSeq(text[:min(len(text), 4096)], func(r rune) bool {
		return strings.ContainsRune(" \t\r\n;|(){}&=", r)
	}) {
		if isCmdlet(word) || word == "iex" || word == "iwr" || word == "irm" {
			return true
		}
	}
	return false
}
