package shell

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/shell/internal/table"
)

// tableActs records what acts.txt says that a command does.
func (w walker) tableActs(c *recorded) {
	if c.Inert {
		return
	}
	for _, a := range table.ActsOf(c.Program, c.Subcommand) {
		if c.does(a) {
			w.act(c, a)
		}
	}
}

// does reports whether the conditions of an act hold for a command.
func (c *recorded) does(a table.Act) bool {
	given := func(options []string) bool { return options != nil && c.HasFlag(options...) }
	if when := a.List("when"); when != nil && !given(when) || given(a.List("unless")) {
		return false
	}
	if len(c.operands) < a.Place("least") {
		return false
	}
	for i, fact := range [...]string{"sub", "then"} {
		if words := a.List(fact); words != nil && (i >= len(c.operands) || !slices.Contains(words, c.operands[i].text)) {
			return false
		}
	}
	if words := a.List("any"); words != nil && !slices.ContainsFunc(c.operands, func(f field) bool { return slices.Contains(words, strings.ToLower(f.text)) }) {
		return false
	}
	if option, values, ok := strings.Cut(table.Program(a).Value("has"), ":"); ok {
		value, _ := c.Value(option)
		return value != "" && slices.Contains(strings.Split(values, ","), value)
	}
	return true
}

// act records an act on each of its objects.
func (w walker) act(c *recorded, a table.Act) {
	e := Effect{Command: c.index}
	if err := e.Kind.UnmarshalText([]byte(a.Kind())); err != nil {
		return
	}
	switch {
	case e.Kind == EffectSend:
		w.sends(c, a)
		return
	case a.Has("statements"):
		w.databaseActs(c, e)
		return
	case e.Kind == EffectDatabase:
		e.To = w.databaseHost(c)
	}
	objects, what := c.objects(a), a.Text("is")
	if a.Has("paths") {
		e.Object = what
		if len(objects) == 0 {
			objects = []field{{text: ".", inner: -1, known: true}}
		}
		for _, f := range objects {
			w.onPath(e, f)
		}
		return
	}
	if len(objects) == 0 && what != "" {
		objects = []field{{text: what, inner: -1, known: true}}
	}
	for _, f := range objects {
		if as := a.Text("as"); as != "" {
			f.text = as + " " + f.text
		}
		w.acts(e, f)
	}
}

// objects are the words of a command that an act is on.
func (c *recorded) objects(a table.Act) []field {
	if option := a.Text("value"); option != "" {
		if value, ok := c.Value(option); ok {
			return []field{c.named(value)}
		}
		return nil
	}
	if n := a.Place("at"); n >= 0 {
		rest := c.rest(n)
		return rest[:min(1, len(rest))]
	}
	if n := a.Place("from"); n >= 0 {
		return c.rest(n)
	}
	return nil
}

// onPath records an effect on a path that is not an effect on a file: its lost
// changes, its permissions, that it is sent.
func (w walker) onPath(e Effect, f field) {
	if f.text == "" || w.full() {
		return
	}
	names := []string{f.text}
	if len(f.names) > 0 {
		names, e.Origin, f.known = f.names, OriginListing, false
	}
	e.Remote = w.remote
	for _, name := range names {
		e.Path = homePath(name)
		w.add(e, f)
	}
}

// emptied adds that the content of files is lost which are written empty, where a
// pattern or a listing picks them. A single file that is named may be meant to be empty.
func (a *analyzer) emptied() {
	for _, e := range a.line.Effects {
		if e.Kind == EffectCreate && e.ContentKnown && e.Content == "" && (e.Origin == OriginGlob || e.Origin == OriginListing) && len(a.line.Effects) < 4*maxCommands {
			e.Kind, e.Object = EffectLose, "content"
			a.line.Effects = append(a.line.Effects, e)
		}
	}
}

// A sender is a command that sends what it reads, or what other commands feed it.
type sender struct {
	command int
	feeds   int // the first command that feeds it through a pipe; the command itself when none does
	to      string
	but     []string // files that it reads and does not send: keys, settings
}

// maxSends bounds the files that one command is found to send.
const maxSends = 64

// feeds returns the first command whose output a command reads that is recorded next.
func (w walker) feeds() int {
	if w.piped && w.env.pipe > 0 {
		return w.env.pipe - 1
	}
	return len(w.line.Commands)
}

// sends records what a command sends to another machine. Its input is added when
// the whole line has been read.
func (w walker) sends(c *recorded, a table.Act) {
	to, at := c.destination(a)
	if a.Has("remote") && !isAway(to) {
		return
	}
	e := Effect{Kind: EffectSend, Command: c.index, To: to, Recursive: true}
	s := sender{command: c.index, feeds: c.index, to: to}
	if a.Has("stdin") || a.Has("dash") && slices.ContainsFunc(c.Args, func(arg string) bool { return arg == "-" || strings.HasSuffix(arg, "@-") }) {
		s.feeds = min(w.feeds(), c.index)
		w.sendsOutput(e)
	}
	if a.Has("reads") || s.feeds < c.index || a.Has("stdin") {
		for _, f := range c.valuesOf(a.List("but")) {
			s.but = append(s.but, f.text)
		}
		w.analyzer.senders = append(w.analyzer.senders, s)
	}
	for _, f := range w.sentFiles(c, a, at) {
		w.onPath(e, f)
		w.readOnce(c.index, f)
	}
	for _, f := range c.sentWords(a) {
		w.sendsText(e, f)
	}
}

// readOnce records that a command reads a file, where that is not recorded yet.
func (w walker) readOnce(command int, f field) {
	read := Effect{Kind: EffectRead, Command: command, Path: homePath(f.text)}
	w.place(&read)
	for _, e := range w.line.Effects {
		if e.Kind == EffectRead && e.Command == command && e.Path == read.Path {
			return
		}
	}
	w.note(EffectRead, command, f)
}

// sendsOutput records the programs whose output is sent.
func (w walker) sendsOutput(e Effect) {
	if !w.piped {
		return
	}
	e.Origin = OriginStdin
	for i, program := range w.stdin.from {
		if i == 8 {
			break
		}
		w.acts(e, field{text: program})
	}
}

// destination is where an act sends to, and the place of that word among the operands;
// -1 when it is not one of them.
func (c *recorded) destination(a table.Act) (to string, at int) {
	switch spec := a.Text("to"); {
	case spec == "":
		return c.Program, -1
	case spec == "last":
		if n := len(c.operands); n > 0 {
			return c.operands[n-1].text, n - 1
		}
	case spec == "url":
		if i := slices.IndexFunc(c.operands, func(f field) bool { return strings.Contains(f.text, "://") }); i >= 0 {
			return c.operands[i].text, i
		}
		for i, f := range c.operands {
			if strings.ContainsAny(f.text, ".:") && !strings.ContainsAny(f.text, "=@") {
				return f.text, i
			}
		}
	case spec[0] == '-':
		to, _ = c.Value(spec)
		return to, -1
	case a.Place("to") < len(c.operands):
		return c.operands[a.Place("to")].text, a.Place("to")
	}
	return "", -1
}

// isAway reports whether a path of a program that copies is on another machine.
func isAway(p string) bool { return isRemote(p) || strings.Contains(p, "://") }

// sentFiles are the words of a command that name files which an act sends.
func (w walker) sentFiles(c *recorded, a table.Act, destination int) []field {
	files := c.valuesOf(a.List("files"))
	from := a.Place("from")
	for i, f := range c.operands {
		switch {
		case from < 0 || i < from || i == destination || isAway(f.text) || f.text == "-":
		case a.Has("reads"): // HTTPie: file@x, file=@x, @x
			if _, file, ok := strings.Cut(f.text, "@"); ok {
				f.text = file
				files = append(files, f)
			}
		default:
			files = append(files, f)
		}
	}
	return files
}

// sentWords are the words of a command that an act sends as text.
func (c *recorded) sentWords(a table.Act) []field {
	options := a.List("words")
	if len(options) == 1 && options[0] == "all" {
		return c.operands
	}
	return c.valuesOf(options)
}

// valuesOf are the values of options among the words of a command.
func (c *recorded) valuesOf(options []string) []field {
	if len(options) == 0 || len(c.Flags) == 0 {
		return nil
	}
	var words []field
	for i, f := range c.words[1:] {
		name, value, inline := strings.Cut(f.text, "=")
		switch {
		case slices.Contains(options, f.text) && i+2 < len(c.words):
			words = append(words, c.words[i+2])
		case inline && strings.HasPrefix(name, "-") && slices.Contains(options, name):
			f.text = value
			words = append(words, f)
		case len(f.text) > 2 && f.text[1] != '-' && slices.Contains(options, f.text[:2]):
			f.text = f.text[2:]
			words = append(words, f)
		}
	}
	return words
}

// sendsText records what a word takes from files and from other commands.
func (w walker) sendsText(e Effect, f field) {
	name, file, ok := strings.Cut(f.text, ":")
	if ok && slices.Contains([]string{"file", "open", "gopen", "rdonly"}, strings.ToLower(name)) { // socat
		f.text, _, _ = strings.Cut(file, ",")
		w.onPath(e, f)
		return
	}
	if f.known || !strings.ContainsAny(f.text, "$`") || len(f.text) > maxPattern || w.depth > maxListed {
		return
	}
	w.acts(e, f)
	a := newAnalyzer(&Line{Text: f.text}, w.handlers)
	in := walker{analyzer: a, frame: &frame{src: f.text, depth: w.depth + 1}, env: &env{vars: w.vars}}
	in.text(": " + f.text)
	for _, read := range a.line.Effects {
		if read.Kind == EffectRead {
			w.onPath(e, field{text: read.Path, inner: -1, known: read.Certain})
		}
	}
	if f.sub != nil && len(a.line.Effects) == 0 {
		for _, name := range f.sub.files {
			w.onPath(e, field{text: name, inner: -1, known: true})
		}
	}
}

// sent adds the files that senders read, or that are fed to them, and those which the
// line packed into a file that is sent.
func (a *analyzer) sent() {
	for _, s := range a.senders {
		if !a.follow(len(a.line.Effects) + len(a.away)) {
			return
		}
		before := len(a.line.Effects)
		for _, e := range slices.Concat(a.line.Effects[:before], a.away) {
			if e.Kind == EffectRead && e.Command >= s.feeds && e.Command <= s.command && !slices.Contains(s.but, e.Path) {
				e.Kind, e.Command, e.To, e.Recursive = EffectSend, s.command, s.to, true
				a.send(e)
			}
		}
	}
	for i := 0; i < len(a.line.Effects); i++ {
		if e := &a.line.Effects[i]; e.Kind == EffectSend && e.Path != "" {
			if !a.follow(len(a.line.Effects)) {
				return
			}
			a.packed(*e)
		}
	}
}

// maxFollowed bounds how many effects are looked at to find what is sent.
const maxFollowed = 1 << 18

// follow counts n effects that are looked at and reports whether there is room.
func (a *analyzer) follow(n int) bool {
	if a.followedSends += n; a.followedSends > maxFollowed {
		a.bounded("too many files are sent: not all were followed")
		return false
	}
	return true
}

// send adds an effect that the line does not have.
func (a *analyzer) send(e Effect) {
	if !a.follow(len(a.line.Effects)) {
		return
	}
	sends := 0
	for i := range a.line.Effects {
		has := &a.line.Effects[i]
		if has.Kind != EffectSend || has.Command != e.Command {
			continue
		}
		if sends++; sends > maxSends || has.Path == e.Path && has.Dir == e.Dir && has.Object == e.Object {
			return
		}
	}
	a.line.Effects = append(a.line.Effects, e)
}

// packed adds what a command of the line has put into a file that is sent: what it, or
// what feeds it, has read or moved.
func (a *analyzer) packed(sent Effect) {
	name := joinPath(sent.Dir, sent.Path)
	for _, l := range a.links {
		if rest, ok := strings.CutPrefix(name, l.name); ok && (rest == "" || rest[0] == '/') {
			sent.Path, sent.Dir, sent.Certain = l.target+rest, "", false
			a.send(sent)
		}
	}
	for _, made := range a.line.Effects {
		target := made.Path
		switch made.Kind {
		case EffectCreate, EffectAppend:
		case EffectMove:
			target = made.To
		default:
			continue
		}
		if joinPath(made.Dir, target) != name || made.Command >= sent.Command || !a.follow(len(a.line.Effects)) {
			continue
		}
		for _, from := range a.line.Effects {
			if from.Kind != EffectRead && from.Kind != EffectMove || from.Command < a.feeders[made.Command] || from.Command > made.Command {
				continue
			}
			e := sent
			e.Path, e.Dir, e.DirUnknown, e.Origin, e.Certain = from.Path, from.Dir, from.DirUnknown, from.Origin, from.Certain
			a.send(e)
		}
	}
}
