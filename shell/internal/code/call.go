package code

import (
	"strings"
	"sync"

	"github.com/agentsentinel/sentinel/shell/internal/effect"
)

// A call is one call in the code: token i is its name.
type call struct {
	token
	i    int
	name string // last part of the dotted name
	args []Value
}

// arg returns an argument, or the zero value.
func (k *call) arg(n int) Value {
	if n < len(k.args) {
		return k.args[n]
	}
	return Value{}
}

// on reports whether the call is of a class or module, such as File or IO.
func (k *call) on(names ...string) bool {
	for _, name := range names {
		if strings.HasPrefix(k.text, name) {
			return true
		}
	}
	return false
}

// A callHandler tells the host what a call does.
type callHandler struct {
	args int // how many arguments it needs
	tell func(*scanner, *call)
}

// calls are the functions and methods that run programs or touch files. A name
// is the last part of a dotted name, in any of the languages.
var calls = [...]struct {
	names string
	args  int
	tell  func(*scanner, *call)
}{
	// programs
	{"capture2 capture2e capture3 create_subprocess_shell execSync execaCommand execaCommandSync execute getoutput getstatusoutput " +
		"passthru pipeline popen readpipe shell_exec system", 1, (*scanner).shellText},
	{"exec", 1, (*scanner).programOrCode},
	{"sh spawn", 1, (*scanner).spawn},
	{"Popen call check_call check_output create_subprocess_exec run", 1, (*scanner).subprocess},
	{"Command execFile execFileSync execa fork proc_open spawnSync", 1, (*scanner).program},
	{"execv execve execvp execvpe pcntl_exec posix_spawn posix_spawnp spawnv spawnve spawnvp", 1, (*scanner).vector},
	{"execl execle execlp spawnl spawnlp", 1, (*scanner).argumentList},
	{"startfile", 1, (*scanner).startFile},
	{"executescript execute_batch query exec_query exec_params raw unsafe $queryRawUnsafe $executeRawUnsafe executeQuery executeUpdate async_exec multi_query " +
		"drop_database dropDatabase flushall flushAll FLUSHALL flushdb flushDb FLUSHDB", 0, func(*scanner, *call) {}}, // see sql
	{"Function assert class_eval eval instance_eval module_eval instance_exec load loadstring dostring runInThisContext runInNewContext runInContext compileFunction " +
		"Script _compile importScripts import run_path execfile loads do", 1, (*scanner).evals},
	// files that are removed
	{"emptyDirSync remove_dir remove_entry remove_entry_secure remove_tree removeSync removeSyncRecursive removeTree removedirs rimraf " +
		"rm_f rm_r rm_rf rmSync rmdir rmdirSync rmrf rmtree send2trash unlink unlinkSync", 0, (*scanner).removes},
	{"del delete remove rm", 0, (*scanner).mayRemove},
	// files that are written
	{"createWriteStream fopen open openAsBlob openSync", 1, (*scanner).opens},
	{"new", 1, (*scanner).newFile},
	{"write_bytes write_text", 0, (*scanner).writesPath},
	{"touch", 0, (*scanner).touches},
	{"chdir", 1, (*scanner).enters},
	{"input FileInput", 0, (*scanner).edits},
	{"end fputs fwrite print printf puts write writelines", 1, (*scanner).writesOpened},
	{"binwrite file_put_contents outputFile outputFileSync writeFile writeFileSync writeJSON writeJsonSync writeTextFile " +
		"writeTextFileSync", 0, (*scanner).writesFile},
	{"appendFile appendFileSync", 0, (*scanner).appendsFile},
	{"truncate truncateSync utime", 1, (*scanner).changesFile},
	{"chmod chmodSync chmod_R chown chownSync chown_R fchmod lchmod", 1, (*scanner).changesMode},
	{"kill killpg posix_kill", 1, (*scanner).kills},
	{"copy copy2 copyDir copyDirSync copyFile copyFileSync copySync copy_entry copy_file copy_tree copyfile copytree cp cpSync cp_lr cp_r " +
		"cp_rf dircopy fcopy rcopy", 2, (*scanner).copies},
	{"link linkSync ln ln_s ln_sf symlink symlinkSync", 0, (*scanner).links},
	{"hardlink_to symlink_to", 1, (*scanner).linksTo},
	{"move moveSync mv rename renameSync renames replace", 0, (*scanner).moves},
	{"extractAll extractAllTo extractTo extractall", 0, (*scanner).extracts},
	{"extract extractEntryTo unpack_archive", 2, (*scanner).extractsTo},
	// files that are read
	{"read_bytes read_text", 0, (*scanner).readsPath},
	{"binread createReadStream file_get_contents load_dotenv readFile readFileSync readTextFile readTextFileSync readfile readlines",
		1, (*scanner).readsFile},
	{"foreach read", 1, (*scanner).mayRead},
}

// handlers are the calls by name. They are filled by the first Scan.
var handlers struct {
	once   sync.Once
	byName map[string]callHandler
}

// loadCalls is called by Scan, and not by a handler, since the table refers to those.
func loadCalls() {
	handlers.byName = make(map[string]callHandler, 256)
	for _, c := range calls {
		for name := range strings.FieldsSeq(c.names) {
			handlers.byName[name] = callHandler{c.args, c.tell}
		}
	}
}

// call tells the host what the call at token i does.
func (c *scanner) call(i int, args []Value) {
	k := &call{token: c.toks[i], i: i, args: args}
	k.name = lastName(k.text)
	c.tell(k)
}

// tell tells the host what a call does that a handler knows.
func (c *scanner) tell(k *call) {
	c.now = k.i
	if c.sql(k) {
		return
	}
	if h := c.handlers[k.name]; h.tell != nil && len(k.args) >= h.args {
		h.tell(c, k)
	}
}

// evaluators run what they are called with.
const evaluators = "eval exec execSync system Function runInThisContext runInNewContext"

// passed tells the host what a function does that is the argument of another one, and
// that is called for each element: map(os.remove, names), names.forEach(fs.unlinkSync),
// array_map("unlink", $names).
func (c *scanner) passed(i int) {
	t := c.toks[i]
	open := i - 1
	if c.at(open) == '(' && c.at(open-1) == 'i' && (c.at(i+1) == ')' || c.at(i+1) == ',') {
		if c.tracer != nil && isOneOf(lastName(t.text), evaluators) {
			c.noteRun(c.flowOf(c.head(open-1), open))
		}
		v := Value{}
		switch name := lastName(c.toks[open-1].text); {
		case isOneOf(name, iterators) && c.at(i+1) == ')':
			v, _ = c.receiver(open - 1)
		case isOneOf(name, "map array_map array_walk filter foreach") && c.at(i+1) == ',':
			v, _ = c.expr(i + 2)
		}
		if v.IsList {
			c.tell(&call{token: t, i: i, name: lastName(t.text), args: []Value{v.element(0, 1)}})
		}
	}
}

// closing returns the bracket that closes the one at token i, or the end.
func (c *scanner) closing(i int) int {
	if i < 0 || i >= len(c.pair) || c.pair[i] == 0 {
		return len(c.toks)
	}
	return int(c.pair[i])
}

// shell tells the host of a text for a shell, or of a list that is a program.
func (c *scanner) shell(v Value, t token) {
	c.receives(v, false)
	if !v.usable() && (v.Text == "" && !v.IsList || v.IsList && (len(v.List) == 0 || v.List[0] == "" || v.List[0] == "$arg")) {
		c.host.Unknown()
	}
	c.host.Shell(v, int(t.start), int(t.end))
}

func (c *scanner) file(kind effect.Kind, path Value) { c.effect(Effect{Kind: kind, Path: path}) }

// effect tells the host of an effect on a file.
func (c *scanner) effect(e Effect) {
	if e.Kind != effect.Read && !e.Path.usable() && len(e.Path.List) == 0 {
		c.host.Unknown()
	}
	c.host.File(e)
}

func (c *scanner) shellText(k *call) {
	if k.name == "execute" && c.lang != "lua" {
		return // of a database
	}
	if k.name == "system" && c.lang == "awk" || len(k.args) == 1 || !c.bareCalls() {
		c.shell(k.args[0], k.token)
		return
	}
	c.shell(argList(k.args), k.token)
}

// programOrCode is a call of exec: a program in some languages, code in others.
func (c *scanner) programOrCode(k *call) {
	if c.lang == "python" {
		c.eval(k)
	} else if c.startsProgram(k) {
		c.start(k)
	}
}

func (c *scanner) spawn(k *call) {
	if c.startsProgram(k) {
		c.start(k)
	}
}

func (c *scanner) subprocess(k *call) {
	switch {
	case c.lang != "python" || !c.mentions("subprocess"):
	case k.name == "create_subprocess_exec":
		c.shell(argList(k.args), k.token)
	default:
		c.shell(k.args[0], k.token)
	}
}

func (c *scanner) program(k *call) {
	if k.name != "Command" || strings.Contains(k.text, "Deno") {
		c.start(k)
	}
}

// start starts a program with its arguments as further values or as a list.
func (c *scanner) start(k *call) {
	v := k.args[0]
	if list := k.arg(1); list.IsList {
		v = Value{IsList: true, List: append([]string{v.Text}, list.List...), Known: v.Known && list.Known}
	} else if c.bareCalls() && len(k.args) > 1 {
		v = argList(k.args)
	}
	c.shell(v, k.token)
}

// vector starts a path with an argument list whose first element is argv[0].
func (c *scanner) vector(k *call) {
	for i, a := range k.args {
		if a.IsList && i > 0 && len(a.List) > 0 {
			path := k.args[i-1]
			c.shell(Value{IsList: true, List: append([]string{path.Text}, a.List[1:]...), Known: a.Known && path.Known}, k.token)
			return
		}
	}
	c.shell(argList(k.args), k.token)
}

// argumentList starts a path whose next argument is argv[0]; spawnl has a mode
// before it.
func (c *scanner) argumentList(k *call) {
	args := k.args
	if strings.HasPrefix(k.name, "spawn") {
		args = args[1:]
	}
	if len(args) > 1 {
		args = append(args[:1:1], args[2:]...)
	}
	c.shell(argList(args), k.token)
}

func (c *scanner) startFile(k *call) {
	c.shell(Value{IsList: true, List: []string{k.args[0].Text}, Known: k.args[0].Known}, k.token)
}

// startsProgram separates exec of a process from exec of a regular expression or
// a database cursor.
func (c *scanner) startsProgram(k *call) bool {
	owner, _, dotted := strings.Cut(strings.TrimPrefix(k.text, "."), ".")
	if strings.HasPrefix(k.text, ".") {
		v, made := c.receiver(k.i)
		return lastName(made) == "require" && strings.Contains(v.Text, "child_process")
	}
	return !dotted || isOneOf(owner, "child_process cp childProcess proc shell shelljs Kernel Process pty Bun os pexpect process")
}

// isOneOf reports whether a list of words, with a blank between them, has the name.
func isOneOf(name, list string) bool {
	for from := 0; name != ""; {
		at := strings.Index(list[from:], name)
		if at < 0 {
			return false
		}
		start, end := from+at, from+at+len(name)
		if (start == 0 || list[start-1] == ' ') && (end == len(list) || list[end] == ' ') {
			return true
		}
		from = start + 1
	}
	return false
}

// mentions reports whether the code has a word anywhere: an import.
func (c *scanner) mentions(word string) bool { return strings.Contains(c.src, word) }

// argList makes one list of the values of a call.
func argList(args []Value) Value {
	v := Value{IsList: true, Known: true}
	for _, a := range args {
		if a.IsList {
			v.List = append(v.List, a.List...)
		} else if a.Known || a.Text != "" {
			v.List = append(v.List, a.Text)
		} else {
			v.List = append(v.List, "$arg")
		}
		v.Known = v.Known && a.Known
	}
	return v
}

// codeOwners are what the calls are called on that run code only there.
var codeOwners = [...]struct{ name, owners string }{
	{"load", "Kernel"}, {"loads", "marshal pickle dill cloudpickle"}, {"Script", "vm"}, {"import", "-"}, {"run_path", "runpy"}, {"do", "-"},
}

// evals is eval for names that other calls have too.
func (c *scanner) evals(k *call) {
	for _, o := range codeOwners {
		if o.name != k.name {
			continue
		}
		owner := cutOwner(k.text)
		if k.name == "import" && c.lang == "node" && owner == "" && strings.Contains(k.args[0].Text, "://") {
			if c.tracer != nil {
				c.noteRun(flow{{fromNetwork, k.args[0]}})
			}
		} else if isOneOf(owner, o.owners) || owner == "" && (c.bareCalls() || c.lang == "lua") {
			c.receives(k.args[0], true)
		}
		return
	}
	c.eval(k)
}

// eval runs its argument as code.
func (c *scanner) eval(k *call) {
	c.receives(k.args[0], true)
	if !k.args[0].Known || k.args[0].IsList {
		c.host.Unknown()
		return
	}
	c.host.Eval(k.args[0].Text, int(k.start), int(k.end))
}

// awkString follows "cmd" | getline, print | "cmd" and print > "file".
func (c *scanner) awkString(i int) {
	t := c.toks[i]
	v := Value{Text: t.text, Known: t.known}
	switch {
	case c.at(i-1) == '|':
		v.Fed = true
		c.shell(v, t)
	case c.at(i+1) == '|' && c.tok(i+2).text == "getline":
		c.shell(v, t)
	case c.at(i-1) == '>' && c.at(i-2) == '>' && c.prints(i):
		c.file(effect.Append, v)
	case c.at(i-1) == '>' && c.prints(i):
		c.file(effect.Create, v)
	case c.at(i-1) == '<' && c.tok(i-2).text == "getline":
		c.file(effect.Read, v)
	}
}

// awkReceives follows a command that GNU awk has from a connection: after
// s = "/inet/tcp/0/host/port"; s |& getline c, the command of c | getline.
func (c *scanner) awkReceives(i int) {
	from := i - 1
	for from > 0 && (c.at(from) == '|' || c.at(from) == '&') {
		from--
	}
	name := c.tok(from)
	if c.lang != "awk" || name.kind != 'i' || from == i-1 {
		return
	}
	if v, ok := c.consts[name.text]; ok && v.Known {
		if !strings.HasPrefix(v.Text, "/inet") {
			c.shell(v, name)
		}
		return
	}
	for j := range min(len(c.toks), maxSkip) {
		if parts := strings.Split(c.toks[j].text, "/"); strings.HasPrefix(c.toks[j].text, "/inet") && len(parts) > 5 {
			c.host.FromNetwork(text(parts[4] + ":" + parts[5]))
			return
		}
	}
	c.host.Unknown()
}

// prints reports whether the statement of token i is a print, so that its > is a
// redirection and not a comparison.
func (c *scanner) prints(i int) bool {
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
