package code

import (
	"maps"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/shell/internal/effect"
)

// origin are the sources of the result of the call at token i.
func (c *scanner) origin(i int) flow {
	if i >= len(c.asked) { // inside a string
		return c.originOf(i)
	}
	if !c.asked[i] {
		c.asked[i] = true // not again while it is looked for
		c.origins[i] = c.originOf(i)
	}
	return c.origins[i]
}

func (c *scanner) originOf(i int) (f flow) {
	t := c.toks[i]
	name := lastName(t.text)
	from, to, ok := c.extent(i)
	if !ok && !c.isNetwork(t.text) {
		return nil
	}
	switch {
	case c.isNetwork(t.text):
		return flow{{fromNetwork, c.machine(from, to)}}
	case isOneOf(name, "NamedTemporaryFile mkstemp") || t.text == "Tempfile.new" || t.text == "Tempfile.create" || t.text == "File::Temp->new":
		return flow{{toFile, plain("temporary file")}}
	case name == "createWriteStream":
		return c.fileFlow(arg(c.args(from), 0), "w", true)
	case isOneOf(name, fileReads):
		return c.fileOrigin(i, name, from)
	case isOneOf(name, programs):
		if args := c.args(from); len(args) > 0 {
			f = c.output(args[0])
		}
	}
	if isOneOf(name, processes) {
		if args := c.args(from); len(args) > 0 {
			if program := firstWord(args[0]); runsText(program) {
				f = f.with(source{toProgram, text(program)})
			}
		}
	}
	return f
}

// extent are the tokens of the arguments of the call at token i.
func (c *scanner) extent(i int) (from, to int, ok bool) {
	switch {
	case c.at(i+1) == '(':
		return i + 2, c.closing(i + 1), true
	case c.bareCalls() && (c.bareArgument(i+1) || c.at(i+1) == 'i'):
		return i + 1, c.end(i + 1), true
	}
	return i + 1, i + 1, false
}

// machine finds the machine among the arguments between two tokens.
func (c *scanner) machine(from, to int) Value {
	host, port := Value{}, ""
	for j := from; j < min(to, from+maxArgs); j++ {
		t := c.toks[j]
		if t.kind != 's' && t.kind != 'i' && t.kind != '0' || t.kind == 'i' && (c.at(j+1) == ':' || c.at(j+1) == '=') {
			continue
		}
		v, next := c.postfix(j)
		if next <= j || v.IsList || !v.usable() && v.Number == "" {
			continue
		}
		switch v = v.orNumber(); {
		case strings.Contains(v.Text, "://"):
			return v
		case strings.Trim(v.Text, "0123456789") == "" && v.Text != "":
			port = v.Text
		case host.Text == "" && isHost(v.Text) && c.at(next) != ':' && !(c.at(next) == '=' && c.at(next+1) == '>'):
			host = v
		}
		j = next - 1
	}
	if host.Text != "" && port != "" && len(host.Any) <= 1 {
		host.Text, host.Any = host.Text+":"+port, nil
	}
	return host
}

// isHost reports whether a text may be the name or the address of a machine.
func isHost(s string) bool {
	return s == "localhost" || strings.ContainsAny(s, ".") && strings.Trim(s, nameBytes+".:-[]") == "" && s[0] != '.' && s[len(s)-1] != '.'
}

// fileOrigin are the sources of a call that opens or reads a file.
func (c *scanner) fileOrigin(i int, name string, from int) flow {
	args := c.args(from)
	path, made := c.receiver(i)
	mode := Value{}
	switch {
	case isOneOf(name, "read foreach") && !isOneOf(cutOwner(c.toks[i].text), "File IO"):
		return nil
	case path.usable() && made == "Path":
		mode = arg(args, 0)
	case c.lang == "perl" && name == "open":
		return nil // it names its handle: see flowCall
	case len(args) == 0:
		return nil
	default:
		path, mode = args[0], arg(args, 1)
	}
	return c.fileFlow(path, mode.Text, name == "open" || name == "fopen" || name == "openSync")
}

// fileFlow are the sources of a file that is opened in some mode.
func (c *scanner) fileFlow(path Value, mode string, opens bool) flow {
	if !path.usable() || path.IsList {
		return nil
	}
	if strings.Contains(path.Text, "://") {
		return flow{{fromNetwork, path}}
	}
	if opens && strings.ContainsAny(mode, "wax>") {
		return flow{{toFile, path}}
	}
	return flow{{fromFile, path}}.with(c.files[path.Text]...)
}

func arg(args []Value, n int) Value {
	if n < len(args) {
		return args[n]
	}
	return Value{}
}

// output are the sources of what a command prints.
func (c *scanner) output(v Value) (f flow) {
	if !v.usable() && !v.IsList {
		return nil
	}
	from := c.host.Output(v)
	for _, path := range from.Files {
		f = f.with(source{fromFile, text(path)})
	}
	for _, host := range from.Hosts {
		f = f.with(source{fromNetwork, text(host)})
	}
	if from.Environment {
		f = f.with(environment())
	}
	return f
}

// flowCall follows what a call does to variables and files.
func (c *scanner) flowCall(i int) {
	t := c.toks[i]
	from, to, ok := c.extent(i)
	if !ok {
		return
	}
	if params, ok := c.function(i); ok {
		c.flowArguments(from, to, params)
		return
	}
	name := lastName(t.text)
	switch {
	case name == "dup2" || name == "reopen" || name == "fdopen" || name == "dup":
		if f := c.flowOf(c.head(i), to).of(fromNetwork); name != "dup" {
			c.streams = c.streams.with(f...)
		}
	case c.lang == "perl" && isOneOf(name, "open socket accept connect recv read sysread"):
		c.flowHandle(name, from, to)
		return
	case isOneOf(name, "accept connect connect_ex"):
		c.flowGiven(i, t.text, flow{{fromNetwork, c.machine(from, to)}})
		return
	}
	for _, w := range fileWrites {
		if isOneOf(name, w.names) {
			args := c.args(from)
			f := c.flowOf(from, to).of(fromNetwork, fromFile).with(c.origin(i)...).with(c.ofVariable(cutOwner(t.text)).of(fromNetwork)...)
			if w.place == 1 && !c.isNetwork(t.text) {
				f = c.fileFlow(arg(args, 0), "", false).with(f...)
			}
			c.wrote(arg(args, w.place), f)
		}
	}
	f := c.flowOf(from, to)
	if isOneOf(name, takesFile) {
		f = f.with(c.pathsIn(from)...)
	}
	c.flowGiven(i, t.text, f)
}

// head is the token that the call at token i starts with, what it is called on included.
func (c *scanner) head(i int) int {
	if c.toks[i].text[0] == '.' {
		return c.chain(i)
	}
	return i
}

// pathsIn are the files that arguments name.
func (c *scanner) pathsIn(from int) (f flow) {
	for _, v := range c.args(from) {
		if v.usable() && !v.IsList && strings.ContainsAny(v.Text, "/.") && !strings.Contains(v.Text, "://") {
			f = f.with(c.fileFlow(v, "", false)...)
		}
	}
	return f
}

// wrote notes what a file has from elsewhere.
func (c *scanner) wrote(path Value, f flow) {
	if !path.usable() || path.IsList || len(f) == 0 {
		return
	}
	for _, name := range path.texts() {
		if len(c.files) < maxArgs {
			c.files[name] = c.files[name].with(f...)
		}
	}
}

// flowGiven gives what a method is called on what the method is given.
func (c *scanner) flowGiven(i int, name string, f flow) {
	if isOneOf(lastName(name), records) {
		return
	}
	base := cutOwner(name)
	on, variable := c.vars[base]
	if variable {
		c.flowInto([]string{base}, f)
	} else if name[0] == '.' {
		on = c.flowOf(c.chain(i), i)
	}
	for _, target := range on.with(f...).of(toFile) {
		c.wrote(target.value, on.with(f...).of(fromNetwork, fromFile))
	}
}

// records are methods of logs, which keep what they are given to themselves.
const records = "info debug warning warn error log critical exception trace"

// flowArguments gives the parameters of a function what its arguments have.
func (c *scanner) flowArguments(from, to int, params []string) {
	for n := 0; from < to && n < maxArgs; n++ {
		end := c.skip(from)
		name := nameAt(params, n)
		if c.at(from) == 'i' && c.at(from+1) == '=' {
			name = c.tok(from).text
		}
		if name != "" {
			c.flowInto([]string{name}, c.flowOf(from, min(end, to)))
		}
		from = end + 1
	}
}

func nameAt(names []string, n int) string {
	if n < len(names) {
		return names[n]
	}
	return ""
}

// flowHandle follows Perl's functions that open, connect or fill their first or second
// argument.
func (c *scanner) flowHandle(name string, from, to int) {
	args := c.args(from)
	handles := c.namesTo(from, ',')
	if len(handles) > 0 && handles[0] == "my" {
		handles = handles[1:]
	}
	if len(handles) == 0 {
		return
	}
	switch name {
	case "open":
		mode := arg(args, 1).Text
		path := arg(args, 2)
		if len(args) == 2 {
			trimmed := strings.TrimLeft(mode, "<>+ ")
			path, mode = text(trimmed), mode[:len(mode)-len(trimmed)]
			path.Known = args[1].usable()
		}
		f := c.flowOf(from, to).of(fromNetwork)
		if _, handle, ok := strings.Cut(mode+path.Text, "&"); ok && isOneOf(handles[0], "STDIN STDOUT STDERR") {
			c.streams = c.streams.with(f...).with(c.vars[strings.TrimPrefix(handle, "=")].of(fromNetwork)...)
			return
		}
		c.flowInto(handles[:1], c.fileFlow(path, mode, true).with(f...))
	case "socket", "accept", "connect":
		c.flowInto(handles[:1], flow{{fromNetwork, c.machine(from, to)}})
	default:
		c.flowInto(c.namesTo(c.skip(from)+1, ','), c.flowOf(from, to).of(fromNetwork, fromFile))
	}
}

// sends tells the host of files and secrets that the call at token i gives to another
// machine.
func (c *scanner) sends(i int) {
	t := c.toks[i]
	name := lastName(t.text)
	from, to, ok := c.extent(i)
	if !ok {
		return
	}
	given := c.flowOf(from, to)
	on := flow(nil)
	if t.text[0] == '.' {
		on = c.flowOf(c.chain(i), i)
	} else if base := cutOwner(t.text); base != "" {
		on = c.ofVariable(base)
	}
	if isOneOf(name, takesFile) && len(on.of(fromNetwork)) > 0 {
		given = given.with(c.pathsIn(from)...)
	}
	switch {
	case isOneOf(name, transfers):
		all := on.with(given...)
		if isOneOf(name, feeds) {
			c.feeds(all)
		}
		c.gives(all, all)
	case isOneOf(name, lookups):
		on = flow{{fromNetwork, text("dns")}}
	}
	if c.isNetwork(t.text) {
		on = c.origin(i)
	}
	c.gives(on.of(fromNetwork), given)
}

// feeds tells the host when a shell gets what a connection brings.
func (c *scanner) feeds(f flow) {
	if len(f.of(toProgram)) > 0 {
		c.noteRun(f)
	}
}

// gives tells the host when files and secrets are given to a connection.
func (c *scanner) gives(on, given flow) {
	target := on.of(fromNetwork)
	if len(target) == 0 {
		return
	}
	for _, s := range given.of(fromFile, fromEnvironment) {
		c.send(s, target[0].value)
	}
}

// ofVariable are the sources of a variable, or of what it is a member of.
func (c *scanner) ofVariable(name string) flow {
	for base := name; base != ""; base = cutOwner(base) {
		if f, ok := c.vars[base]; ok {
			return slices.Clip(f)
		}
	}
	return nil
}

func (c *scanner) send(s source, to Value) {
	e := Effect{Kind: effect.Send, To: to.Text}
	if s.kind == fromFile {
		e.Path = s.value
	} else {
		e.Object = s.value.Text
	}
	if c.once(e.Path.Text, e.Object, e.To) {
		c.host.File(e)
	}
}

// receives tells the host when a call runs what came from another machine. It is asked
// about programs that are started, and texts that are evaluated.
func (c *scanner) receives(v Value, code bool) {
	if c.tracer == nil {
		return
	}
	from, to, _ := c.extent(c.now)
	if c.at(c.now) == 'x' {
		from, to = c.now, c.now+1
	}
	all := c.flowOf(from, to)
	program := firstWord(v)
	if program == "" && c.at(from) == 's' {
		program = firstWord(text(before(c.toks[from].text, c)))
	}
	switch {
	case code:
	case program == "":
		all = c.flowOf(from, c.skip(from))
	case runsText(program):
		all = all.with(c.streams...)
		if strings.Contains(v.Text, "<&") || strings.Contains(v.Text, ">&3") {
			all = all.with(c.connection...) // by the number of its descriptor
		}
	default:
		all = nil
	}
	for _, s := range all.of(toFile) {
		all = all.with(c.files[s.value.Text].of(fromNetwork)...)
	}
	all = all.with(c.startedFile(v)...)
	c.noteRun(all)
}

// noteRun tells the host, once, that something from the network is run.
func (c *scanner) noteRun(f flow) {
	found := f.of(fromNetwork)
	if len(found) == 0 {
		return
	}
	from := found[0].value
	if from.Text == "" {
		from.Text = "network"
	}
	if c.once("run", from.Text) {
		c.host.FromNetwork(from)
	}
}

// once reports whether the host has not been told the same before.
func (c *scanner) once(what ...string) bool {
	key := strings.Join(what, "\x00")
	told := c.told[key]
	c.told[key] = true
	return !told
}

// before is the text before what is filled into it.
func before(s string, c *scanner) string {
	if start, _, _ := c.filled(s); start >= 0 {
		return s[:start]
	}
	return s
}

// startedFile are the sources of a file that is started, or that a shell or an
// interpreter is given.
func (c *scanner) startedFile(v Value) (f flow) {
	words := v.List
	if !v.IsList {
		words = strings.Fields(v.Text)
	}
	for n, word := range words[:min(len(words), 8)] {
		if n == 0 || runsText(words[0]) {
			f = f.with(c.files[strings.Trim(word, ";&|")].of(fromNetwork)...)
		}
	}
	return f
}

// firstWord is the program of a command.
func firstWord(v Value) string {
	first := v.Text
	if v.IsList {
		if len(v.List) == 0 || strings.HasPrefix(v.List[0], "$") {
			return ""
		}
		first = v.List[0]
	} else if !v.usable() {
		return ""
	}
	first, _, _ = strings.Cut(strings.TrimSpace(first), " ")
	return first[strings.LastIndexByte(first, '/')+1:]
}

// runsText reports whether a program runs what it reads or is given.
func runsText(program string) bool {
	program = program[strings.LastIndexByte(program, '/')+1:]
	return isOneOf(strings.TrimRight(program, "0123456789."), "sh bash dash zsh ksh ash fish csh tcsh mksh busybox pwsh powershell "+
		"powershell.exe cmd cmd.exe python perl ruby node php lua eval source exec sudo env setsid nohup xargs osascript deno bun chmod")
}

// received tells the host of the files that have something from another machine.
func (c *scanner) received() {
	for _, path := range slices.Sorted(maps.Keys(c.files)) {
		if f := c.files[path].of(fromNetwork); len(f) > 0 {
			c.host.Received(path, f[0].value)
		}
	}
}
