package scope

import (
	"path"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/shell"
)

// One run can be written in several ways: a script as ./x.sh, bash x.sh and source x.sh, a
// script of a package as pnpm run x and pnpm x, a tool in Python as python -m x and x. A
// pattern for one of them matches all. readings returns the other ways to write a command,
// otherWords the other ways to write a pattern.

// interpreters run the file that is their first operand.
const interpreters = " bash sh zsh dash ksh fish source . python python2 python3 node ruby perl php pwsh "

// readings returns the other ways in which c could have been written: nil for most.
func readings(c *shell.Command) (list []shell.Command) {
	if c.Inert {
		return nil
	}
	if c.Script != "" && c.Script != c.Path {
		if at := slices.Index(c.Args, c.Script); at >= 0 {
			list = append(list, written(c, c.Script, c.Args[at+1:]))
		}
	} else if at := slices.Index(c.Args, "-m"); c.Program == "python" && at >= 0 && at+1 < len(c.Args) && !slices.ContainsFunc(c.Args[:at], endsOptions) {
		list = append(list, written(c, c.Args[at+1], c.Args[at+2:]))
	}
	if name, rest := packageScript(c); name != "" {
		run := *c
		run.Subcommand, run.Operands = "run", append([]string{"run", name}, rest...)
		list = append(list, run)
	}
	return list
}

// endsOptions reports whether Python reads no options after an argument, because it is code
// or a script.
func endsOptions(arg string) bool {
	return !strings.HasPrefix(arg, "-") || strings.HasPrefix(arg, "-c")
}

// written is c as a run of the program at file, whose options are not known.
func written(c *shell.Command, file string, args []string) shell.Command {
	run := *c
	run.Program, run.Path, run.Subcommand, run.Context = path.Base(file), file, "", nil
	run.Args, run.Flags, run.Operands = args, nil, nil
	for _, arg := range args {
		if len(arg) > 1 && arg[0] == '-' {
			run.Flags = append(run.Flags, arg)
		} else {
			run.Operands = append(run.Operands, arg)
		}
	}
	return run
}

// packageScript is the script of a package that c runs in another way than "run name", with
// the operands behind it; "" for none.
func packageScript(c *shell.Command) (name string, rest []string) {
	m, rest := managerOf(c.Program), c.Operands
	if m == nil {
		return "", nil
	}
	elsewhere := c.Program == "yarn" && len(rest) > 2 && rest[0] == "workspace"
	if elsewhere {
		rest = rest[2:]
	}
	switch {
	case len(rest) == 0:
		return "", nil
	case len(rest) > 1 && (rest[0] == "run-script" || elsewhere && rest[0] == "run"):
		return rest[1], rest[2:]
	case c.Program == "npm" && (rest[0] == "t" || rest[0] == "tst"):
		return "test", rest[1:]
	case m.runs(rest[0]):
		return rest[0], rest[1:]
	}
	return "", nil
}

// A manager runs the scripts of a package by their names.
type manager struct {
	program string
	own     string // its sub-commands, which need "run" to be scripts; from its documentation
	only    string // the scripts that need no "run"; "" for all others than own
}

var managers = [...]manager{
	{program: "npm", only: " test start stop restart "},
	{program: "pnpm", own: " add approve-builds audit bin c cat-file cat-index completion config create dedupe deploy dislink dlx doctor env exec explain fetch find-hash get help i ignored-builds import info init install install-test it la licenses link list ll ln login logout ls m multi outdated owner pack patch patch-commit patch-remove ping prefix prune publish rb rebuild recursive remove rm root run run-script se search self-update server set setup show store un unlink uninstall up update upgrade version view whoami why x "},
	{program: "yarn", own: " access add audit autoclean bin cache check config constraints create dedupe dlx exec explain generate-lock-entry global help import info init install licenses link list login logout node npm outdated owner pack patch patch-commit plugin policies prune publish rebuild remove run search self-update set stage tag team unlink unplug up upgrade upgrade-interactive version versions why workspace workspaces "},
	{program: "bun", own: " a add audit build c ci create discord exec i info init install link list outdated patch patch-commit pm prune publish r remove repl rm run test uninstall unlink up update upgrade why x "},
	{program: "composer", own: " about archive audit browse bump check-platform-reqs clear-cache config create-project depends diagnose dump-autoload dumpautoload exec fund global help i info init install licenses list outdated prohibits r reinstall remove require rm run run-script search self-update selfupdate show status suggests u uninstall update upgrade validate why why-not "},
}

func managerOf(program string) *manager {
	for i := range managers {
		if managers[i].program == program {
			return &managers[i]
		}
	}
	return nil
}

// runs reports whether the manager runs the script of that name, which may end with *,
// without the word "run".
func (m *manager) runs(name string) bool {
	stem := strings.TrimSuffix(name, "*")
	if stem == "" || strings.ContainsAny(stem, `*?[{\/.`) || stem[0] == '-' {
		return false
	}
	if m.only != "" {
		return strings.Contains(m.only, " "+stem+" ")
	}
	return !strings.Contains(m.own, " "+stem+" ")
}

// otherWords returns the other ways to write a pattern.
func otherWords(words []word) (list [][]word) {
	if len(words) == 0 {
		return nil
	}
	if n := runnerWords(texts(words[:min(len(words), 3)])); n > 0 {
		list = append(list, words[n:])
	}
	m := managerOf(words[0].text)
	first := 1 + slices.IndexFunc(words[1:], func(w word) bool { return !w.isFlag() })
	if m != nil && first > 0 && m.runs(words[first].text) {
		list = append(list, slices.Insert(slices.Clone(words), first, word{text: "run"}))
	}
	return list
}

// maxJoined bounds the options of a pattern that are tried with their values joined.
const maxJoined = 3

// joinedOptions are the words of a pattern with values behind a = that the pattern has behind a
// blank: --context prod is --context=prod. The other way round, [shell.Command.HasFlags] knows both.
func joinedOptions(words []word) (list [][]word) {
	options := 0
	for i := len(words) - 2; i > 0 && options < maxJoined; i-- {
		option, value := &words[i], &words[i+1]
		if !strings.HasPrefix(option.text, "--") || len(option.text) < 3 || option.glob != nil || strings.Contains(option.text, "=") || value.any || value.isFlag() {
			continue
		}
		options++
		for _, of := range append(list[:len(list):len(list)], words) {
			joined := append(slices.Clone(of[:i]), newWord(option.text+"="+value.text))
			list = append(list, append(joined, of[i+2:]...))
		}
	}
	return list
}

func texts(words []word) []string {
	list := make([]string, len(words))
	for i := range words {
		list[i] = words[i].text
	}
	return list
}

// runnerWords returns how many of the first words of a pattern only say what runs the next
// one: 1 of bash x.sh, 2 of python -m x, 0 of most.
func runnerWords(words []string) int {
	if len(words) < 2 || !strings.Contains(interpreters, " "+words[0]+" ") {
		return 0
	}
	next := words[1]
	switch {
	case next == "":
		return 0
	case next == "-m" && len(words) > 2 && strings.HasPrefix(words[0], "python") && isName(words[2]):
		return 2
	case next[0] != '-' && isName(next) && (strings.ContainsAny(next, "./") || next[len(next)-1] != '*') && next != "." && next != "..":
		return 1
	}
	return 0
}

// isName reports whether a word is literal, except for a * at its end.
func isName(s string) bool {
	s = strings.TrimSuffix(s, "*")
	return s != "" && !strings.ContainsAny(s, "*?[{\\\"'$`")
}

// isProgram reports whether the first word of a pattern names the program of c, by its name or
// its path. With here, an absolute path does not match a relative word: it may lead to a file
// of another project.
func (w *word) isProgram(c *shell.Command, here bool) bool {
	if w.match(c.Program) || w.match(c.Path) || w.match(path.Base(c.Path)) {
		return true
	}
	file := w.file()
	if file == "" || c.Path == "" {
		return false
	}
	at := path.Clean(c.Path)
	switch {
	case at[0] == '/' || at[0] == '~':
		named := newWord("*/" + file)
		return !here && named.match(at)
	case !c.DirUnknown:
		at = path.Join(c.Dir, at)
	}
	named := newWord(file)
	return named.match(at)
}

// installed are beginnings of folders that programs are installed in, installs the ends of such
// folders of a project, or of a home.
var (
	installed = [...]string{"/usr/", "/bin/", "/sbin/", "/opt/", "/nix/", "/snap/"}
	installs  = [...]string{"node_modules/.bin", ".venv/bin", "venv/bin", ".venv/Scripts", "venv/Scripts", "vendor/bin"}
	homes     = [...]string{".cargo/bin", ".local/bin", "go/bin", ".pyenv/shims", ".rbenv/shims", ".asdf/shims", ".local/share/mise/shims", ".volta/bin", ".bun/bin", ".deno/bin", ".nvm/bin"}
)

// ofOwn reports whether the phrase begins with the name of a program, and a command is of one of a
// path of its own.
func (p *phrase) ofOwn(c *shell.Command) bool {
	return len(p.words) > 0 && !p.words[0].any && p.words[0].isOwn(c)
}

// isOwn reports whether a word that names a program by its name alone is about one of a path of
// its own, as ./go or /tmp/x/go: any file may have that name.
func (w *word) isOwn(c *shell.Command) bool {
	file := path.Clean(strings.ReplaceAll(c.Path, `\`, "/"))
	dir := path.Dir(file)
	if !strings.ContainsAny(c.Path, `/\`) || strings.ContainsAny(w.text, "/.") || path.Ext(file) == ".sh" || strings.HasSuffix(c.Program, "w") && !strings.Contains(dir, "/") && dir == "." {
		return false
	}
	if !w.match(c.Program) && !strings.Contains(interpreters, " "+c.Program+" ") {
		return false // it is the script of a folder of its own
	}
	ends := func(list []string) bool {
		return slices.ContainsFunc(list, func(end string) bool { return dir == end || strings.HasSuffix(dir, "/"+end) })
	}
	switch {
	case strings.HasPrefix(file, "/"):
		home := strings.HasPrefix(file, "/home/") || strings.HasPrefix(file, "/Users/") || strings.HasPrefix(file, "/root/")
		return !slices.ContainsFunc(installed[:], func(begin string) bool { return strings.HasPrefix(file, begin) }) && !(home && ends(homes[:]))
	case strings.HasPrefix(file, "~"):
		return !ends(homes[:])
	case len(file) > 2 && file[1] == ':':
		return !strings.HasPrefix(file[2:], "/Program Files")
	}
	return c.DirUnknown || !ends(installs[:])
}

// file is the file that a word names by its path, from where the line begins: "" for the
// name of a program.
func (w *word) file() string {
	file := strings.TrimPrefix(w.text, "./")
	if file == w.text && !strings.Contains(file, "/") || file == "" || strings.HasPrefix(file, "*") || file[0] == '/' || file[0] == '~' {
		return ""
	}
	return file
}

// isOperand compares a word with an operand: ./dist and dist/ are dist.
func (w *word) isOperand(s string) bool {
	if w.match(s) {
		return true
	}
	bare, dotted := strings.CutPrefix(s, "./")
	switch {
	case dotted && bare != "" && w.match(bare):
		return true
	case !dotted && strings.HasPrefix(w.text, "./") && s != "" && !strings.ContainsAny(s[:1], "/~-.$") && !strings.Contains(s, ":") && w.match("./"+s):
		return true
	}
	cut := strings.TrimSuffix(bare, "/")
	return w.glob == nil && cut != "" && cut != bare && cut == strings.TrimSuffix(strings.TrimPrefix(w.text, "./"), "/")
}

// runnerLength is the length of the words at the beginning of a pattern that only say what
// runs the next one.
func runnerLength(pattern string) int {
	if i := strings.IndexByte(pattern, ' '); i < 0 || !strings.Contains(interpreters, " "+pattern[:i]+" ") {
		return 0
	}
	words, at := splitWords(pattern), 0
	for _, w := range words[:runnerWords(words[:min(len(words), 3)])] {
		at += strings.Index(pattern[at:], w) + len(w)
	}
	return at
}
