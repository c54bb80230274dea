package code

import (
	"cmp"
	"strings"

	"github.com/agentsentinel/sentinel/shell/internal/effect"
)

// removes records calls that delete their arguments, or what they are called on.
func (c *scanner) removes(k *call) {
	e := Effect{Kind: effect.Delete, Recursive: c.removesBelow(k)}
	if first := k.arg(0); !first.IsList && first.Text == "" {
		v, made := c.receiver(k.i)
		if name := lastName(made); v.usable() && (name == "Path" || name == "Pathname" || k.name == "unlink" || k.name == "rmdir") {
			e.Path = v
			c.effect(e)
		}
		return
	}
	args := k.args
	if !c.bareCalls() {
		args = args[:1]
	}
	for _, a := range args {
		paths := a.List
		if !a.IsList {
			paths = a.texts()
		}
		for _, p := range paths {
			e.Path = Value{Text: p, Known: a.Known}
			c.effect(e)
		}
	}
}

// removesBelow reports whether a call that deletes takes what is below a folder too: by
// its name, or by an option.
func (c *scanner) removesBelow(k *call) bool {
	if isOneOf(k.name, "emptyDirSync remove_dir remove_entry remove_entry_secure remove_tree removeSync removeSyncRecursive removeTree "+
		"rimraf rm_r rm_rf rmrf rmtree send2trash") || k.name == "remove" && c.lang == "node" {
		return true
	}
	for j, end := k.i, c.closing(k.i+1); j < end; j++ {
		if strings.EqualFold(strings.TrimSuffix(c.tok(j).text, ":"), "recursive") {
			return true
		}
	}
	return false
}

// mayRemove is removes for names that lists and maps have too: list.remove(x),
// map.delete(x).
func (c *scanner) mayRemove(k *call) {
	if first := k.arg(0); !first.IsList && first.Text == "" || c.ownsFiles(k.text) {
		c.removes(k)
	}
}

// ownsFiles reports whether a dotted name is in a module that works on files, or
// has no dots at all.
func (c *scanner) ownsFiles(name string) bool {
	if strings.HasPrefix(name, ".") {
		return c.lang == "node" && c.mentions("fs")
	}
	owner := strings.TrimRight(name[:max(0, len(name)-len(lastName(name)))], ".:>-")
	return owner == "" || isOneOf(owner, "os shutil fs fsp fs.promises fs/promises fsPromises fse fs-extra graceful-fs File Dir FileUtils Deno Bun IO Path")
}

func (c *scanner) newFile(k *call) {
	if k.on("File") {
		c.opens(k)
	}
}

func (c *scanner) writesPath(k *call) {
	v, _ := c.receiver(k.i)
	c.effect(Effect{Kind: effect.Create, Path: v, Content: k.arg(0)})
}

func (c *scanner) touches(k *call) {
	v, _ := c.receiver(k.i)
	if v.Text == "" {
		v = k.arg(0)
	}
	c.file(effect.Edit, v)
}

func (c *scanner) writesFile(k *call) {
	content := k.arg(1)
	content.Known = content.Known && !content.IsList
	c.effect(Effect{Kind: c.kindOfWrite(k), Path: k.arg(0), Content: content})
}

// kindOfWrite is what a call that writes does to a file which is there: it adds to its end
// with an option such as flag: "a", append: true or FILE_APPEND, and changes a part of it with
// "r+" or from an offset.
func (c *scanner) kindOfWrite(k *call) effect.Kind {
	if c.lang == "ruby" && k.arg(2).Number != "" {
		return effect.Edit
	}
	end := c.closing(k.i + 1)
	for j := k.i + 1; j < end; j++ {
		t := c.tok(j)
		if bare := end == len(c.toks); bare && (t.kind == 'n' || t.kind == ';') {
			break
		}
		name := strings.Trim(t.text, ":")
		if t.kind == 'i' && lastName(name) == "FILE_APPEND" {
			return effect.Append
		}
		if !isOneOf(name, "flag flags mode append") {
			continue
		}
		value := j + 1
		for c.at(value) == ':' || c.at(value) == '=' || c.at(value) == '>' {
			value++
		}
		switch v := c.tok(value); {
		case value == j+1 && name == t.text: // the word is not a key
		case name == "append" && v.text == "true", name != "append" && v.kind == 's' && strings.HasPrefix(v.text, "a"):
			return effect.Append
		case name != "append" && v.kind == 's' && strings.HasPrefix(v.text, "r+"):
			return effect.Edit
		}
	}
	return effect.Create
}

// optionsMode is what Deno opens a file for, by its options: {append: true}.
func (c *scanner) optionsMode(k *call) string {
	mode, end := "", c.closing(k.i+1)
	for j := k.i + 1; j+2 < end; j++ {
		if c.at(j+1) != ':' || c.tok(j+2).text != "true" {
			continue
		}
		switch strings.Trim(c.tok(j).text, ":") {
		case "append":
			return "a"
		case "truncate", "create", "createNew":
			mode = "w"
		case "write":
			mode = cmp.Or(mode, "+")
		}
	}
	return mode
}

func (c *scanner) appendsFile(k *call) {
	c.effect(Effect{Kind: effect.Append, Path: k.arg(0), Content: k.arg(1)})
}

func (c *scanner) changesFile(k *call) {
	if !c.ownsFiles(k.text) {
		return
	}
	path := k.args[0]
	if (k.name == "chmod" || k.name == "chown") && c.bareCalls() {
		path = k.args[len(k.args)-1]
	}
	c.file(effect.Edit, path)
}

// changesMode records os.chmod(path, mode), chmod(mode, path, …) and Path(p).chmod(mode).
func (c *scanner) changesMode(k *call) {
	paths, mode := k.args[:1], k.arg(1)
	if v, made := c.receiver(k.i); v.usable() && made == "Path" {
		paths, mode = []Value{v}, k.args[0]
	} else if !c.ownsFiles(k.text) {
		return
	} else if c.bareCalls() && !strings.HasSuffix(k.name, "Sync") {
		paths, mode = k.args[1:], k.args[0]
		if k.name == "chown" && len(paths) > 1 {
			paths = paths[1:]
		}
	}
	for _, p := range paths {
		for _, text := range pathsOf(p) {
			c.effect(Effect{Kind: effect.Permission, Path: Value{Text: text, Known: p.Known}, Object: octal(mode.orNumber().Text)})
		}
	}
}

// octal is a mode as chmod has it: 0o755 and 0755 are 755.
func octal(mode string) string {
	if digits := strings.TrimLeft(mode, "0o"); digits != "" && strings.Trim(digits, "01234567") == "" {
		return digits
	}
	return mode
}

// pathsOf are all paths that an argument may be.
func pathsOf(v Value) []string {
	if v.IsList {
		return v.List
	}
	return v.texts()
}

// kills records os.kill(pid, signal), process.kill(pid), Process.kill(signal, pid).
func (c *scanner) kills(k *call) {
	if c.lang == "perl" && k.text == "kill" || isOneOf(k.text, "os.kill os.killpg process.kill Process.kill Deno.kill posix_kill posix.kill") {
		pid := k.args[0]
		if c.bareCalls() {
			pid = k.args[len(k.args)-1]
		}
		c.host.Process(pid.orNumber())
	}
}

func (c *scanner) copies(k *call) {
	c.file(effect.Read, k.args[0])
	c.effect(Effect{Kind: effect.Create, Path: k.args[1], From: k.args[0], Recursive: isOneOf(k.name, folderCopies)})
}

// folderCopies are calls that copy a folder with everything below it.
const folderCopies = "copyDir copyDirSync copy_entry copy_tree copytree cp cpSync cp_lr cp_r cp_rf dircopy rcopy"

// links records os.symlink(target, name).
func (c *scanner) links(k *call) {
	c.host.File(Effect{Kind: effect.Create, Path: k.arg(1), Target: k.arg(0)})
}

// linksTo records Path(name).symlink_to(target).
func (c *scanner) linksTo(k *call) {
	if v, _ := c.receiver(k.i); v.Text != "" {
		c.host.File(Effect{Kind: effect.Create, Path: v, Target: k.arg(0)})
	}
}

// extracts records a folder into which an archive is unpacked, which is a guess.
func (c *scanner) extracts(k *call) { c.unpacksTo(k.arg(0)) }

// extractsTo records it for a call that names the archive, or a file of it, first.
func (c *scanner) extractsTo(k *call) { c.unpacksTo(k.args[1]) }

func (c *scanner) unpacksTo(path Value) {
	path.Known = false
	c.effect(Effect{Kind: effect.Create, Path: path, Recursive: true})
}

// moves records os.rename(a, b) and Path(a).rename(b).
func (c *scanner) moves(k *call) {
	var from, to Value
	v, made := c.receiver(k.i)
	switch {
	case len(k.args) >= 2 && c.ownsFiles(k.text):
		from, to = k.args[0], k.args[1]
	case len(k.args) == 1 && k.name != "move" && (lastName(made) == "Path" || v.usable() && !strings.HasPrefix(k.text, ".")):
		from, to = v, k.args[0]
	default:
		return // "text".replace(a, b)
	}
	c.effect(Effect{Kind: effect.Move, Path: from, To: to.Text})
	c.file(effect.Create, to)
}

// opens records open(path, mode): a mode with w, a, x or + writes.
func (c *scanner) opens(k *call) {
	if c.isNetwork(k.text) {
		return
	}
	path, mode := k.args[0], k.arg(1).Text
	if strings.HasPrefix(k.text, ".") || c.lang == "python" && strings.HasSuffix(k.text, ".open") {
		v, made := c.receiver(k.i)
		if lastName(made) == "Path" || v.usable() && made != "" && !isOneOf(made, "os io codecs gzip") {
			path, mode = v, k.args[0].Text
		}
	}
	if k.name == "createWriteStream" && mode == "" {
		mode = map[effect.Kind]string{effect.Create: "w", effect.Append: "a", effect.Edit: "+"}[c.kindOfWrite(k)]
	}
	if c.lang == "perl" {
		path, mode = c.perlOpen(k)
		if path.Text == "" {
			return
		}
	}
	switch k.text {
	case "os.open":
		mode = c.flagsMode(k)
	case "Deno.open", "Deno.openSync":
		mode = c.optionsMode(k)
	}
	kind := effect.Read
	switch {
	case strings.ContainsAny(mode, "wx>") && !strings.Contains(mode, ">>"):
		kind = effect.Create
	case strings.ContainsAny(mode, "a") || strings.Contains(mode, ">>"):
		kind = effect.Append
	case strings.Contains(mode, "+"):
		kind = effect.Edit
	}
	c.effect(Effect{Kind: kind, Path: path, Open: kind != effect.Read})
}

// flagsMode is the mode that the flags of os.open mean.
func (c *scanner) flagsMode(k *call) string {
	mode := ""
	for j := k.i + 2; j < c.closing(k.i+1); j++ {
		switch name := lastName(c.toks[j].text); {
		case name == "O_APPEND":
			return "a"
		case isOneOf(name, "O_WRONLY O_RDWR O_TRUNC O_CREAT"):
			mode = "w"
		}
	}
	return mode
}

// enters records a change of the folder that further paths start from.
func (c *scanner) enters(k *call) {
	if c.ownsFiles(k.text) || k.on("process") {
		c.host.Chdir(k.args[0])
	}
}

// perlOpen reads the forms of perl's open: (F, ">x"), (F, ">", "x"), (F, "cmd|").
func (c *scanner) perlOpen(k *call) (path Value, mode string) {
	args := k.args[1:]
	if len(args) == 0 {
		return Value{}, ""
	}
	first := strings.TrimSpace(args[0].Text)
	switch {
	case len(args) > 1 && strings.Contains(args[0].Text, "|"):
		c.shell(args[1], k.token)
		return Value{}, ""
	case len(args) > 1:
		return args[1], args[0].Text
	case strings.HasPrefix(first, "|") || strings.HasSuffix(first, "|"):
		c.shell(Value{Text: strings.Trim(first, "| "), Known: args[0].Known}, k.token)
		return Value{}, ""
	}
	name := strings.TrimLeft(first, "<>+ ")
	return Value{Text: name, Known: args[0].Known}, first[:len(first)-len(name)]
}

// writesOpened records what is written to the file that was opened last.
func (c *scanner) writesOpened(k *call) {
	v := k.args[0]
	if len(k.args) > 1 && c.ownsFiles(k.text) && k.on("File", "IO", "Bun") { // File.write(path, text)
		c.effect(Effect{Kind: c.kindOfWrite(k), Path: v, Content: k.args[1]})
		return
	}
	if k.name == "fwrite" || k.name == "fputs" {
		v = k.args[len(k.args)-1]
	}
	if k.name == "print" && c.lang == "python" {
		return
	}
	if k.name == "puts" {
		v.Text += "\n"
	}
	c.host.Write(v)
}

func (c *scanner) readsPath(k *call) {
	if v, _ := c.receiver(k.i); v.Text != "" {
		c.file(effect.Read, v)
	}
}

func (c *scanner) readsFile(k *call) {
	if v := k.args[0]; !v.IsList && v.Text != "" {
		c.file(effect.Read, v)
	}
}

func (c *scanner) mayRead(k *call) {
	if k.on("File", "IO") {
		c.readsFile(k)
	}
}
