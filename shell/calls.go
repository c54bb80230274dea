package shell

import (
	"strings"
)

// call follows one call of the code: what it runs, and what it does to files.
func (c *coder) call(i int, args []value) {
	t := c.toks[i]
	name := lastName(t.text)
	if name == "getattr" && len(args) > 1 { // getattr(os, "system")("…")
		if j := c.closing(i + 1); c.at(j+1) == '(' {
			t.text, name = "os."+args[1].text, args[1].text
			args = c.args(j + 2)
		}
	}
	switch {
	case c.runsProgram(t, name, args, i):
	case c.runsCode(t, name, args):
	case c.removesFile(t, name, args, i):
	case c.writesFile(t, name, args, i):
	default:
		c.readsFile(t, name, args, i)
	}
}

// matters reports whether calls of a name are looked at, so that the arguments
// of all others need not be evaluated.
func matters(name string) bool {
	switch name {
	case "Command", "Function", "Popen", "appendFile", "appendFileSync", "assert", "binread", "binwrite", "call", "capture2",
		"capture2e", "capture3", "check_call", "check_output", "chmod", "chmodSync", "chown", "class_eval", "copy", "copy2",
		"copyFile", "copyFileSync", "copySync", "copy_file", "copyfile", "copytree", "cp", "cpSync", "cp_r", "createReadStream",
		"createWriteStream", "create_subprocess_exec", "create_subprocess_shell", "del", "delete", "emptyDirSync", "end", "eval",
		"exec", "execFile", "execFileSync", "execSync", "execa", "execaCommand", "execaCommandSync", "execl", "execle", "execlp",
		"execute", "execv", "execve", "execvp", "execvpe", "extractall", "file_get_contents", "file_put_contents", "fopen", "foreach",
		"fork", "fputs", "fwrite", "getattr", "getoutput", "getstatusoutput", "instance_eval", "link", "linkSync", "ln_s", "ln_sf",
		"load_dotenv", "loadstring", "move", "moveSync", "mv", "new", "open", "openAsBlob", "openSync", "outputFile", "outputFileSync",
		"passthru", "pcntl_exec", "pipeline", "popen", "posix_spawn", "posix_spawnp", "print", "printf", "proc_open", "puts", "read",
		"readFile", "readFileSync", "readTextFile", "readTextFileSync", "read_bytes", "read_text", "readfile", "readlines", "readpipe",
		"remove", "removeSync", "removeSyncRecursive", "removeTree", "remove_dir", "remove_entry", "remove_entry_secure",
		"remove_tree", "removedirs", "rename", "renameSync", "renames", "replace", "rimraf", "rm", "rmSync", "rm_f", "rm_r", "rm_rf",
		"rmdir", "rmdirSync", "rmrf", "rmtree", "run", "runInThisContext", "send2trash", "sh", "shell_exec", "spawn", "spawnSync",
		"spawnl", "spawnlp", "spawnv", "spawnve", "spawnvp", "startfile", "symlink", "symlinkSync", "system", "touch", "truncate",
		"truncateSync", "unlink", "unlinkSync", "unpack_archive", "utime", "write", "writeFile", "writeFileSync", "writeJSON",
		"writeJsonSync", "writeTextFile", "writeTextFileSync", "write_bytes", "write_text", "writelines":
		return true
	}
	return false
}

// closing returns the bracket that closes the one at token i.
func (c *coder) closing(i int) int {
	depth := 0
	for ; i < len(c.toks); i++ {
		switch c.at(i) {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return i
}

// runsProgram follows calls that start a program.
func (c *coder) runsProgram(t token, name string, args []value, i int) bool {
	if len(args) == 0 {
		return false
	}
	switch name {
	case "system", "popen", "getoutput", "getstatusoutput", "shell_exec", "passthru", "execSync", "create_subprocess_shell", "readpipe", "execute", "execaCommand", "execaCommandSync", "capture2", "capture2e", "capture3", "pipeline":
		if name == "system" && c.lang == "awk" || len(args) == 1 || c.lang != "ruby" && c.lang != "perl" {
			c.shell(args[0], t)
			return true
		}
		c.shell(argList(args), t)
	case "exec", "spawn", "sh":
		if !c.startsProgram(t, i) {
			return false
		}
		if c.lang == "python" && name == "exec" {
			return false
		}
		c.execArgs(args, t)
	case "run", "call", "check_call", "check_output", "Popen", "create_subprocess_exec":
		if c.lang != "python" || !c.mentions("subprocess") {
			return false
		}
		if name == "create_subprocess_exec" {
			c.shell(argList(args), t)
			return true
		}
		c.shell(args[0], t)
	case "spawnSync", "execFile", "execFileSync", "fork", "execa", "Command", "proc_open":
		if name == "Command" && !strings.Contains(t.text, "Deno") {
			return false
		}
		c.execArgs(args, t)
	case "execv", "execvp", "execve", "execvpe", "spawnv", "spawnvp", "spawnve", "posix_spawn", "posix_spawnp", "pcntl_exec":
		c.execVector(args, t)
	case "execl", "execlp", "execle", "spawnl", "spawnlp":
		if strings.HasPrefix(name, "spawn") {
			args = args[1:]
		}
		if len(args) > 1 {
			args = append(args[:1:1], args[2:]...) // the second is argv[0]
		}
		c.shell(argList(args), t)
	case "startfile":
		c.shell(value{array: true, list: []string{args[0].text}, known: args[0].known}, t)
	default:
		return false
	}
	return true
}

// startsProgram tells exec of a process from exec of a regular expression or a
// database cursor.
func (c *coder) startsProgram(t token, i int) bool {
	owner, _, dotted := strings.Cut(strings.TrimPrefix(t.text, "."), ".")
	if strings.HasPrefix(t.text, ".") {
		v, call := c.receiver(i)
		return lastName(call) == "require" && strings.Contains(v.text, "child_process")
	}
	if !dotted {
		return true
	}
	switch owner {
	case "child_process", "cp", "childProcess", "proc", "shell", "shelljs", "Kernel", "Process", "pty", "Bun", "os", "pexpect", "process":
		return true
	}
	return false
}

// mentions reports whether the code has a word anywhere: an import.
func (c *coder) mentions(word string) bool { return strings.Contains(c.src, word) }

// execArgs runs a program with its arguments as further values or as a list.
func (c *coder) execArgs(args []value, t token) {
	if len(args) > 1 && args[1].array {
		c.shell(value{array: true, list: append([]string{args[0].text}, args[1].list...), known: args[0].known && args[1].known}, t)
		return
	}
	if c.bareCalls() && len(args) > 1 {
		c.shell(argList(args), t)
		return
	}
	c.shell(args[0], t)
}

// execVector runs path with an argument list whose first element is argv[0].
func (c *coder) execVector(args []value, t token) {
	for i, a := range args {
		if a.array && i > 0 && len(a.list) > 0 {
			list := append([]string{args[i-1].text}, a.list[1:]...)
			c.shell(value{array: true, list: list, known: a.known && args[i-1].known}, t)
			return
		}
	}
	c.shell(argList(args), t)
}

// argList makes one list of the values of a call.
func argList(args []value) value {
	v := value{array: true, known: true}
	for _, a := range args {
		if a.array {
			v.list = append(v.list, a.list...)
		} else if a.known || a.text != "" {
			v.list = append(v.list, a.text)
		} else {
			v.list = append(v.list, "$arg")
		}
		v.known = v.known && a.known
	}
	return v
}

// runsCode follows exec("…") and eval("…").
func (c *coder) runsCode(t token, name string, args []value) bool {
	switch name {
	case "exec", "eval", "instance_eval", "class_eval", "loadstring", "runInThisContext", "Function", "assert":
	default:
		return false
	}
	if len(args) == 0 || !args[0].known || args[0].array {
		return true
	}
	w := c.walker
	w.nestedCode(c.lang, c.index, nested{text: args[0].text, inner: -1, span: c.tokenSpan(t), guess: true})
	return true
}

// removesFile follows calls that delete their argument, or what they are called on.
func (c *coder) removesFile(t token, name string, args []value, i int) bool {
	e := Effect{Kind: EffectDelete, Command: c.index}
	switch name {
	case "remove", "unlink", "rmdir", "rmtree", "removedirs", "unlinkSync", "rmSync", "rmdirSync", "rm", "rm_rf", "rm_r", "rm_f", "remove_dir", "remove_entry", "remove_entry_secure", "delete", "rmrf", "remove_tree", "removeSync", "rimraf", "removeTree", "send2trash", "emptyDirSync", "removeSyncRecursive", "del":
	default:
		return false
	}
	if len(args) == 0 || !args[0].array && args[0].text == "" {
		if v, call := c.receiver(i); v.known && (lastName(call) == "Path" || lastName(call) == "Pathname" || name == "unlink" || name == "rmdir") {
			c.pathEffect(e, v, t)
			return true
		}
		return false
	}
	if name == "remove" || name == "delete" || name == "del" || name == "rm" {
		if !c.ownsFiles(t) {
			return false // list.remove(x), map.delete(x)
		}
	}
	c.pathEffects(e, args, t)
	return true
}

// ownsFiles reports whether a dotted name is of a module that works on files,
// or has no dots at all.
func (c *coder) ownsFiles(t token) bool {
	if strings.HasPrefix(t.text, ".") {
		return c.lang == "node" && c.mentions("fs")
	}
	owner := t.text[:max(0, len(t.text)-len(lastName(t.text)))]
	switch strings.TrimRight(owner, ".:>-") {
	case "os", "shutil", "fs", "fsp", "fs.promises", "fsPromises", "fse", "File", "Dir", "FileUtils", "Deno", "Bun", "IO", "Path", "":
		return true
	}
	return false
}

// pathEffect records an effect on a value that is a path.
func (c *coder) pathEffect(e Effect, v value, t token) {
	c.effect(e, field{text: v.text, span: c.tokenSpan(t), inner: -1, known: v.known})
}

// pathEffects records the same effect on every argument, and every element of
// one that is a list.
func (c *coder) pathEffects(e Effect, args []value, t token) {
	if c.lang != "perl" && c.lang != "ruby" {
		args = args[:1]
	}
	for _, a := range args {
		if a.array {
			for _, p := range a.list {
				c.pathEffect(e, value{text: p, known: a.known}, t)
			}
			continue
		}
		c.pathEffect(e, a, t)
	}
}

// writesFile follows calls that write, copy or move a file.
func (c *coder) writesFile(t token, name string, args []value, i int) bool {
	e := Effect{Kind: EffectCreate, Command: c.index}
	arg := func(n int) value {
		if n < len(args) {
			return args[n]
		}
		return value{}
	}
	switch name {
	case "open", "fopen", "openSync", "createWriteStream", "openAsBlob", "new":
		if name == "new" && !strings.HasPrefix(t.text, "File") {
			return false
		}
		return c.opens(t, name, args, i)
	case "write_text", "write_bytes", "touch":
		v, _ := c.receiver(i)
		if v.text == "" && name != "touch" {
			return false
		}
		if v.text == "" {
			v = arg(0)
		}
		if name == "touch" {
			e.Kind = EffectEdit
		} else {
			e.Content, e.ContentKnown = arg(0).text, arg(0).known
		}
		c.pathEffect(e, v, t)
	case "write", "writelines", "puts", "print", "fwrite", "fputs", "end", "printf":
		return c.writesOpened(t, name, args)
	case "writeFileSync", "writeFile", "file_put_contents", "writeTextFile", "writeTextFileSync", "outputFileSync", "outputFile", "writeJsonSync", "writeJSON", "binwrite":
		e.Content, e.ContentKnown = arg(1).text, arg(1).known && !arg(1).array
		c.pathEffect(e, arg(0), t)
	case "appendFileSync", "appendFile":
		e.Kind, e.Content, e.ContentKnown = EffectAppend, arg(1).text, arg(1).known
		c.pathEffect(e, arg(0), t)
	case "truncateSync", "truncate", "chmodSync", "chmod", "chown", "utime":
		if len(args) == 0 || !c.ownsFiles(t) {
			return false
		}
		e.Kind = EffectEdit
		p := arg(0)
		if (name == "chmod" || name == "chown") && (c.lang == "perl" || c.lang == "ruby") {
			p = args[len(args)-1]
		}
		c.pathEffect(e, p, t)
	case "copy", "copy2", "copyfile", "copytree", "copyFileSync", "copyFile", "cpSync", "cp", "cp_r", "copy_file", "copySync":
		if len(args) < 2 {
			return false
		}
		c.pathEffect(Effect{Kind: EffectRead, Command: c.index}, arg(0), t)
		c.pathEffect(e, arg(1), t)
	case "symlink", "link", "symlinkSync", "linkSync", "ln_s", "ln_sf":
		c.pathEffect(e, arg(1), t)
	case "move", "rename", "renames", "renameSync", "mv", "moveSync", "replace":
		return c.movesFile(t, name, args, i)
	case "extractall", "unpack_archive":
		c.guessed(e, field{text: arg(0).text, known: arg(0).known})
	default:
		return false
	}
	return true
}

// movesFile follows os.rename(a, b) and Path(a).rename(b).
func (c *coder) movesFile(t token, name string, args []value, i int) bool {
	var from, to value
	v, call := c.receiver(i)
	switch {
	case len(args) >= 2 && c.ownsFiles(t):
		from, to = args[0], args[1]
	case len(args) == 1 && name != "move" && (lastName(call) == "Path" || v.known && !strings.HasPrefix(t.text, ".")):
		from, to = v, args[0]
	default:
		return false // "text".replace(a, b)
	}
	c.pathEffect(Effect{Kind: EffectMove, Command: c.index, To: to.text}, from, t)
	c.pathEffect(Effect{Kind: EffectCreate, Command: c.index}, to, t)
	return true
}

// opens follows open(path, mode): a mode with w, a, x or + writes.
func (c *coder) opens(t token, name string, args []value, i int) bool {
	if len(args) == 0 {
		return false
	}
	path, mode := args[0], ""
	if len(args) > 1 {
		mode = args[1].text
	}
	if strings.HasPrefix(t.text, ".") || c.lang == "python" && strings.HasSuffix(t.text, ".open") {
		if v, call := c.receiver(i); lastName(call) == "Path" || v.known && call != "" && call != "os" && call != "io" && call != "codecs" && call != "gzip" {
			path, mode = v, args[0].text
		}
	}
	if name == "createWriteStream" && mode == "" {
		mode = "w"
	}
	if c.lang == "perl" {
		path, mode = c.perlOpen(args, t)
		if path.text == "" {
			return true
		}
	}
	e := Effect{Command: c.index}
	switch {
	case strings.ContainsAny(mode, "wx>") && !strings.Contains(mode, ">>"):
		e.Kind = EffectCreate
	case strings.ContainsAny(mode, "a") || strings.Contains(mode, ">>"):
		e.Kind = EffectAppend
	case strings.Contains(mode, "+"):
		e.Kind = EffectEdit
	default:
		e.Kind = EffectRead
	}
	before := len(c.line.Effects)
	c.pathEffect(e, path, t)
	if e.Kind != EffectRead && len(c.line.Effects) > before {
		c.opened = 1 + before
	}
	return true
}

// perlOpen reads the forms of perl's open: (F, ">x"), (F, ">", "x"), (F, "cmd|").
func (c *coder) perlOpen(args []value, t token) (path value, mode string) {
	args = args[min(1, len(args)):]
	switch len(args) {
	case 0:
		return value{}, ""
	case 1:
		text := strings.TrimSpace(args[0].text)
		if strings.HasPrefix(text, "|") || strings.HasSuffix(text, "|") {
			c.shell(value{text: strings.Trim(text, "| "), known: args[0].known}, t)
			return value{}, ""
		}
		name := strings.TrimLeft(text, "<>+ ")
		return value{text: name, known: args[0].known}, text[:len(text)-len(name)]
	}
	if strings.Contains(args[0].text, "|") {
		c.shell(args[1], t)
		return value{}, ""
	}
	return args[1], args[0].text
}

// writesOpened adds what is written to the content of the file opened last.
func (c *coder) writesOpened(t token, name string, args []value) bool {
	if len(args) == 0 {
		return false
	}
	text := args[0]
	if c.ownsFiles(t) && (strings.HasPrefix(t.text, "File") || strings.HasPrefix(t.text, "IO") || strings.HasPrefix(t.text, "Bun")) && len(args) > 1 { // File.write(path, text)
		c.pathEffect(Effect{Kind: EffectCreate, Command: c.index, Content: args[1].text, ContentKnown: args[1].known}, text, t)
		return true
	}
	if name == "fwrite" || name == "fputs" {
		text = args[len(args)-1]
	}
	if c.opened == 0 || name == "print" && c.lang == "python" {
		return true
	}
	e := &c.line.Effects[c.opened-1]
	e.ContentKnown = text.known && !text.array && (e.ContentKnown || e.Content == "")
	e.Content += text.text
	if name == "puts" {
		e.Content += "\n"
	}
	return true
}

// readsFile follows calls that return what is in a file.
func (c *coder) readsFile(t token, name string, args []value, i int) {
	e := Effect{Kind: EffectRead, Command: c.index}
	switch name {
	case "read_text", "read_bytes":
		if v, _ := c.receiver(i); v.text != "" {
			c.pathEffect(e, v, t)
		}
	case "readFileSync", "readFile", "file_get_contents", "readfile", "readlines", "binread", "readTextFile", "readTextFileSync", "read", "createReadStream", "foreach", "load_dotenv":
		if len(args) > 0 && !args[0].array && args[0].text != "" && (name != "read" && name != "foreach" || strings.HasPrefix(t.text, "File") || strings.HasPrefix(t.text, "IO")) {
			c.pathEffect(e, args[0], t)
		}
	}
}

// awk walks the code of awk, or notes its file.
func (w walker) awk(c *recorded) {
	if file, ok := c.Value("-f"); ok {
		w.line.Commands[c.index].Script = file
	} else if len(c.operands) > 0 {
		w.nestedCode("awk", c.index, textOf(c.operands[0], c.Program))
	}
}

// awkString follows "cmd" | getline, print | "cmd" and print > "file".
func (c *coder) awkString(i int) {
	t := c.toks[i]
	v := value{text: t.text, known: t.known}
	switch {
	case c.at(i-1) == '|', c.at(i+1) == '|' && c.tok(i+2).text == "getline":
		c.shell(v, t)
	case c.at(i-1) == '>' && c.at(i-2) == '>' && c.prints(i):
		c.pathEffect(Effect{Kind: EffectAppend, Command: c.index}, v, t)
	case c.at(i-1) == '>' && c.prints(i):
		c.pathEffect(Effect{Kind: EffectCreate, Command: c.index}, v, t)
	case c.at(i-1) == '<' && c.tok(i-2).text == "getline":
		c.pathEffect(Effect{Kind: EffectRead, Command: c.index}, v, t)
	}
}

// prints reports whether the statement that token i belongs to is a print, so
// that its > is a redirection and no comparison.
func (c *coder) prints(i int) bool {
	for j := i - 1; j >= 0; j-- {
		switch t := c.toks[j]; {
		case t.text == "print", t.text == "printf":
			return true
		case strings.IndexByte(";{}n", t.kind) >= 0:
			return false
		}
	}
	return false
}
