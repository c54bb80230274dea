package shell

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/shellpattern"
	"github.com/agentsentinel/sentinel/shell/internal/table"
)

// program returns the canonical name of a program. A pattern such as /bin/r? is
// resolved to the program it most likely means, which is a guess.
func (w walker) program(f *field) string {
	name := programName(f.text)
	if (f.glob || len(f.names) > 0) && hasGlob(name) {
		if known := globProgram(name); known != "" {
			f.known = false
			return known
		}
	}
	return name
}

// programName reduces a program word to its canonical name.
func programName(word string) string {
	name := word
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		name = name[i+1:]
	}
	if len(name) > 1 && name[0] == '=' { // zsh: the path of the program
		name = name[1:]
	}
	if strings.Contains(name, `\`) { // C:\Git\bin\git.exe, quoted
		name = name[strings.LastIndexByte(name, '\\')+1:]
	}
	if i := len(name) - 4; i > 0 && name[i] == '.' {
		switch strings.ToLower(name[i:]) {
		case ".exe", ".cmd", ".bat", ".com":
			name = strings.ToLower(name[:i])
		}
	}
	if i := strings.IndexByte(name, '@'); i > 0 { // npx claude-code@latest, python@3.12
		name = name[:i]
	}
	switch name {
	case "":
		return word
	case "$SHELL", "$BASH", "$0":
		return "sh"
	}
	switch name[0] {
	case 'p', 'n', 'r', 'g', 'l':
		return sameProgram(name)
	}
	return name
}

// sameProgram gives programs that go by several names one of them: an
// interpreter without its version, a GNU tool without the g of other systems.
func sameProgram(name string) string {
	switch bare := strings.TrimRight(name, "0123456789.-"); bare {
	case "python", "pypy", "pythonw":
		return "python"
	case "pip", "perl", "php", "ruby", "lua", "node", "luajit":
		return bare
	case "nodejs":
		return "node"
	}
	if strings.HasPrefix(name, "ld-linux") || strings.HasPrefix(name, "ld-musl-") {
		return "ld.so"
	}
	if name[0] == 'g' {
		if same := table.Find(name).Value("is"); same != "" {
			return same
		}
	}
	return name
}

// globProgram returns the first of the programs that matter most whose name
// matches a pattern.
func globProgram(pattern string) string {
	if !strings.ContainsFunc(pattern, func(r rune) bool { return r < 0x80 && isLetter(byte(r)) }) {
		return "" // any program at all
	}
	for _, name := range [...]string{
		"rm", "sh", "bash", "dd", "mv", "git", "cat", "curl", "wget", "nc", "python", "python3", "perl", "chmod", "chown",
		"sudo", "shred", "unlink", "rmdir", "mkfs", "kill", "find", "env", "cp", "tee", "sed", "ssh", "scp", "base64", "truncate", "node", "ruby", "php", "head", "tail", "less", "xargs",
	} {
		if shellpattern.Match(pattern, name) {
			return name
		}
	}
	return ""
}

// setAside moves the context options before the sub-command from the arguments to
// c.Context.
func (c *Command) setAside(args []string) []string {
	if len(args) < 2 || args[0] == "" || args[0][0] != '-' && args[0][0] != '+' {
		return args
	}
	o := table.ContextOf(c.Program)
	if o.Empty() {
		return args
	}
	var kept, context []string
	i := 0
	for ; i < len(args); i++ {
		a := args[i]
		if c.Program == "cargo" && strings.HasPrefix(a, "+") {
			context = append(context, a)
			continue
		}
		if len(a) < 2 || a[0] != '-' {
			break
		}
		if a == "--" {
			continue
		}
		name, _, inline := strings.Cut(a, "=")
		switch {
		case inline && o.HasValue(name):
			context = append(context, a)
		case o.HasValue(a) && i+1 < len(args):
			context = append(context, a, args[i+1])
			i++
		case o.Knows(a):
			context = append(context, a)
		case len(a) > 2 && o.HasValue(a[:2]) && slices.Contains([]string{"git", "kubectl", "oc", "helm"}, c.Program):
			context = append(context, a) // -nprod
		default:
			kept = append(kept, a)
		}
	}
	if i == len(args) {
		return args // no sub-command: git --version
	}
	c.Context = context
	if len(kept) == 0 {
		return args[i:]
	}
	return append(kept, args[i:]...)
}

// changeDir sets the folder that a program changes to before it works.
func (c *Command) changeDir(dir string) {
	if strings.ContainsAny(homePath(dir), "$*?`") {
		c.DirUnknown = true
		return
	}
	dir = homePath(dir)
	c.DirUnknown = c.DirUnknown && !isFixed(dir)
	if c.Dir = joinPath(c.Dir, dir); c.Dir == "." {
		c.Dir = ""
	}
}

// language returns the language that a program interprets, by the name of the
// interpreter; "" for every other program and for shells.
func language(program string) string { return table.Find(program).Value("code") }
