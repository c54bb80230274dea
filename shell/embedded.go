package shell

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/lazy"
	"github.com/agentsentinel/sentinel/shell/internal/decode"
	"github.com/agentsentinel/sentinel/shell/internal/table"
)

// after walks the words behind an option, which are a command: nix develop -c rm -rf x.
func (w walker) after(c *recorded, options string) {
	names := strings.Split(options, ",")
	for i, f := range c.words {
		if slices.Contains(names, f.text) && i+1 < len(c.words) {
			w.within(c.Program + " " + f.text).subshell().analyze(c.from(i + 1))
			return
		}
	}
}

// escapes walks the lines to a shell that database clients, debuggers and pagers have
// in their own language: \! command, .shell command, !command.
func (w walker) escapes(c *recorded) {
	texts := strings.Split(c.Stdin, "\n")
	for _, f := range c.words[1:] {
		texts = append(texts, strings.Split(f.text, "\n")...)
	}
	for _, text := range texts {
		for part := range strings.SplitSeq(text, ";") {
			part = strings.TrimLeft(part, " \t+")
			for _, escape := range [...]string{`\!`, ".shell ", ".system ", "system ", "shell ", "platform shell ", "!"} {
				if cmd, ok := strings.CutPrefix(part, escape); ok {
					_, rest, _ := strings.Cut(text, part) // a semicolon may belong to the command
					w.nestedText(cmd+rest, c.span, c.Program+` \!`)
					break
				}
			}
		}
	}
}

// debugger is escapes for gdb and lldb, which also start the program of their words.
func (w walker) debugger(c *recorded) {
	w.escapes(c)
	if i := skipOptions(c.words, 1, table.OptionsOf(c.Program, "")); i < len(c.words) {
		w.within(c.Program).subshell().analyze(c.from(i))
	}
}

// cmakeCommands are commands of cmake -E, and the programs that do the same.
var cmakeCommands = [...][2]string{
	{"rm", "rm"}, {"remove", "rm -f"}, {"remove_directory", "rm -rf"}, {"rename", "mv"}, {"copy", "cp"}, {"copy_if_different", "cp"},
	{"copy_directory", "cp -r"}, {"copy_directory_if_different", "cp -r"}, {"touch", "touch"}, {"make_directory", "mkdir -p"},
	{"create_symlink", "ln -s"}, {"create_hardlink", "ln"}, {"cat", "cat"}, {"tar", "tar"}, {"env", "env"}, {"time", "time"}, {"sleep", "sleep"},
}

// cmake walks cmake -E command.
func (w walker) cmake(c *recorded) {
	if len(c.words) < 4 || c.words[1].text != "-E" {
		return
	}
	in, verb := w.within("cmake -E").subshell(), c.words[2].text
	if verb == "chdir" {
		in.env.chdir(c.words[3])
		in.analyze(c.from(4))
		return
	}
	for _, known := range cmakeCommands {
		if known[0] == verb {
			run := c.from(3)
			run.words = append(w.blanks(known[1], c.words[2].span), run.words...)
			in.analyze(run)
		}
	}
}

// ansible walks -a of the modules that run a command on other machines.
func (w walker) ansible(c *recorded) {
	text, ok := c.Value("-a", "--args")
	module, _ := c.Value("-m", "--module-name")
	module = module[strings.LastIndexByte(module, '.')+1:]
	if !ok || module != "" && !slices.Contains([]string{"command", "shell", "raw", "script", "expect", "win_shell", "win_command"}, module) {
		return
	}
	f := c.named(text)
	for { // chdir=/srv rm -rf x
		name, rest, ok := strings.Cut(f.text, "=")
		if !ok || !slices.Contains([]string{"chdir", "cmd", "creates", "executable", "free_form", "removes", "warn", "argv"}, name) {
			break
		}
		f.inner = -1
		if f.text = rest; name != "cmd" && name != "free_form" {
			_, f.text, _ = strings.Cut(rest, " ")
		}
	}
	w.elsewhere().nested(textOf(f, "ansible -a"))
}

// cloudShell walks the commands that aws ssm send-command has in its parameters.
func (w walker) cloudShell(c *recorded) {
	in := w.elsewhere()
	in.optionText(c, c.Program+" --command", "--command")
	for _, f := range c.words[1:] {
		_, list, ok := strings.Cut(f.text, "commands")
		if !ok {
			continue
		}
		if list = strings.TrimLeft(list, `"': =[`); !strings.ContainsAny(list, `"'`) {
			list = `"` + list + `"`
		}
		for i, text := range strings.FieldsFunc(`"`+list, func(r rune) bool { return r == '"' || r == '\'' }) {
			if i%2 == 0 {
				in.nestedText(text, f.span, "aws ssm send-command")
			}
		}
	}
}

// tcl walks what expect and tclsh start, type and delete.
func (w walker) tcl(c *recorded) {
	texts := []string{c.Stdin}
	if text, ok := c.Value("-c"); ok {
		texts = append(texts, text)
	}
	for _, text := range texts {
		for _, line := range strings.FieldsFunc(text, func(r rune) bool { return r == ';' || r == '\n' || r == '[' || r == ']' || r == '{' || r == '}' }) {
			words := strings.Fields(line)
			if len(words) < 2 {
				continue
			}
			_, rest, _ := strings.Cut(line, words[0])
			switch words[0] {
			case "spawn", "exec", "system", "overlay":
				for rest = strings.TrimSpace(rest); strings.HasPrefix(rest, "-"); rest = strings.TrimSpace(rest) {
					_, rest, _ = strings.Cut(rest, " ")
				}
				w.nestedText(rest, c.span, c.Program+" "+words[0])
			case "send":
				w.nestedText(decode.Escapes(strings.Trim(strings.TrimSpace(rest), `"`)), c.span, c.Program+" send")
			case "file":
				if words[1] == "delete" {
					for _, name := range words[2:] {
						if !strings.HasPrefix(name, "-") {
							w.note(EffectDelete, c.index, field{text: name, inner: -1, known: true})
						}
					}
				}
			}
		}
	}
}

// extCommand is the command of git's ext:: transport: words, in which "% " is a blank.
func extCommand(address string) string {
	const blank = "\x00"
	var words []string
	for word := range strings.FieldsSeq(strings.ReplaceAll(address, "% ", blank)) {
		word = strings.NewReplacer(blank, " ", "%S", "git", "%s", "git", "%%", "%").Replace(word)
		words = append(words, quote(word))
	}
	return strings.Join(words, " ")
}

// typed walks what screen -X stuff types, and what -X exec and screen start.
func (w walker) typed(c *recorded, at int) {
	if at+1 >= len(c.words) {
		return
	}
	switch c.words[at].text {
	case "stuff":
		text := strings.NewReplacer("^M", "\n", "^J", "\n").Replace(decode.Escapes(c.words[at+1].text))
		w.nestedText(text, c.span, "screen -X stuff")
	case "exec", "screen":
		w.within("screen -X").subshell().analyze(c.from(at + 1))
	}
}

// vimTexts are the commands among the words of vim: +cmd, -c cmd, and -sc cmd of ex.
func vimTexts(words []field) []field {
	var texts []field
	for i, f := range words {
		at := strings.IndexByte(f.text, 'c')
		switch {
		case strings.HasPrefix(f.text, "+"):
			f.text = f.text[1:]
		case f.text == "--cmd" && i+1 < len(words):
			f = words[i+1]
		case at < 1 || f.text[0] != '-' || strings.Trim(f.text[1:at], "bdeEnNRsvyZ") != "":
			continue
		case at+1 < len(f.text):
			f.text = f.text[at+1:]
		case i+1 < len(words):
			f = words[i+1]
		}
		texts = append(texts, f)
	}
	return texts
}

// runnerOf finds the runner of a command behind options of its program: pnpm -r exec.
func runnerOf(name string, words []field) (runner table.Wrapper, at int, ok bool) {
	at = skipOptions(words, 1, table.ContextOf(name))
	if at >= len(words) {
		return runner, at, false
	}
	sub := words[at].text
	if runner, ok = table.FindRunner(name, sub); !ok && at+2 < len(words) {
		runner, ok = table.FindRunner(name, sub, words[at+1].text)
	}
	return runner, at, ok
}

// deletionCall are the calls of languages that are not read by which a folder goes with
// all that it holds, and their first argument.
var deletionCall = lazy.Regexp{Source: `\bunlink` + quotedArgument + `[^)]*\brecursive\s*=\s*T` + // R
	`|\brm` + quotedArgument + `[^)]*\brecursive\s*=\s*true` + // Julia
	`|\bdelete` + quotedArgument + `\s*,\s*["']rf["']` + // Vim
	`|\brmdir` + quotedArgument + `\s*,\s*["']s["']` + // Octave
	`|\brm_rf!?` + quotedArgument + // Elixir
	`|\bdel_dir_r` + quotedArgument + // Erlang
	`|\bFile` + quotedArgument + `\s*\)\.delete(?:Dir|Recursively)\(` + // Groovy, Kotlin
	`|\(\s*(?:delete-directory|delete-directory/files|delete-directory-recursively|delete-tree|fs/delete-tree)\s+"([^"]+)"` + // Lisps
	`|\bremove(?:DirectoryRecursive|PathForcibly)\s+"([^"]+)"` + // Haskell
	`|\bfile\s+delete\s+-force\s+(?:--\s+)?([^\s;\]}]+)`, // Tcl
}

const quotedArgument = `\(\s*["']([^"']+)["']`

// deletionCalls records the folders that code in a text deletes whose language is not read.
func (w walker) deletionCalls(c *recorded) {
	if kind := c.facts.Value("runs"); c.Inert || !c.facts.Has("strings") && kind != "vim" && kind != "tcl" {
		return
	}
	texts := []string{w.input(asScript).text}
	for _, f := range c.words[1:] {
		texts = append(texts, f.text)
	}
	for _, text := range texts {
		for _, m := range deletionCall.Get().FindAllStringSubmatch(text, maxCommands) {
			w.guessed(Effect{Kind: EffectDelete, Command: c.index, Recursive: true}, field{text: strings.Join(m[1:], ""), inner: -1})
		}
	}
}
