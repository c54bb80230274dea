package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/agentsentinel/sentinel/shell/internal/table"
)

// Bounds of the readings of one Parse.
const (
	maxCarried = 64  // readings of a line that differ
	maxTried   = 256 // readings in all
	maxStarts  = 8   // places among the words of one command at which another may begin
	manyWords  = 256 // words of a command in which only the first such place counts
)

// carries reads the words of an unknown program as the commands that it may
// run: from each word on that names a program which acts, and each word that is a whole
// command by itself. What is inside of a reading is read once more for each text, so
// that the work stays in proportion to the line.
func (w walker) carries(c *recorded) {
	name, words := carrierOf(c)
	if len(words) == 0 {
		return
	}
	starts, places := 0, maxStarts
	if w.carrier != "" || len(words) > manyWords {
		places = 1
	}
	for i, f := range words {
		switch before := c.words[len(c.words)-len(words)+i-1].text; {
		case strings.ContainsAny(f.text, " \t\n"):
			if w.carrier == "" || starts == 0 {
				w.carriedTexts(c, name, before, f)
			}
		case i+1 < len(words) && f.known && !f.glob && acts(f.text):
			if starts++; starts > places {
				if w.carrier == "" {
					w.bounded(tooMany)
				}
				return
			}
			w.reading(name, writtenOut(words[i:]), words[i:])
		case f.known && endsCommands(f.text):
			return
		}
	}
}

// carrierOf returns the name of what may run some of a command's words, and these words:
// an unknown program, a script, a sub-command such as "npm run", or code in quotes.
func carrierOf(c *recorded) (name string, words []field) {
	switch {
	case len(c.words) < 2 || c.Inert:
		return "", nil
	case c.facts == "" && !table.Known(c.Program):
		if table.Mentions(c.Program) {
			return "", nil
		}
		return c.Program, c.words[1:]
	case c.facts.Has("strings"):
		return c.Program, c.words[1:]
	case c.facts.Has("shell") || c.facts.Has("code"):
		at := slices.IndexFunc(c.words, func(f field) bool { return f.text == c.Script })
		if c.Script == "" || at < 1 {
			return "", nil
		}
		return c.Script, c.words[at+1:]
	case c.facts.Has("subcommands") && c.facts.Value("runs") == "":
		for i := 1; i < min(len(c.words), 5); i++ {
			if find := c.words[i].text; slices.Contains(carryingVerbs[:], find) {
				return c.Program + " " + find, c.words[i+1:]
			}
		}
	}
	return "", nil
}

// carryingVerbs are sub-commands behind which other commands stand, whatever the program.
var carryingVerbs = [...]string{"dlx", "each", "exec", "execute", "forall", "foreach", "invoke", "run", "run-command", "run-script", "shell", "spawn", "ssh", "x"}

// carriedTexts reads a word that is a whole command, or else the texts in quotes in it.
func (w walker) carriedTexts(c *recorded, name, before string, f field) {
	text := f.text
	if option, value, ok := strings.Cut(text, "="); ok && !strings.ContainsAny(option, " \t\n'\"$(") {
		before, text = option, value
	}
	if f.sub != nil || strings.HasPrefix(before, "-") && table.ForPeople(before) {
		return
	}
	if isCommand(text) {
		w.reading(name, text, nil)
		return
	}
	var all []string
	for n := 0; n < maxStarts; n++ {
		open := strings.IndexAny(text, "\"'`")
		if open < 0 {
			break
		}
		inner, rest, ok := strings.Cut(text[open+1:], text[open:open+1])
		if !ok {
			break
		}
		if isCommand(inner) {
			w.reading(name, inner, nil)
		}
		all = append(all, inner)
		text = rest
	}
	if i := slices.IndexFunc(all, acts); c.facts.Has("strings") && i >= 0 && i+1 < len(all) { // cmd("rm", ["-rf", "x"])
		for k, word := range all {
			all[k] = quote(word)
		}
		w.reading(name, strings.Join(all[i:], " "), nil)
	}
}

// reading records a reading, as a line of its own: of words, or of a text as shell. It
// leaves the state of the shell as it is.
func (w walker) reading(name, text string, words []field) {
	lines := w.analyzer.carried
	if w.tried++; w.tried > maxTried || len(*lines) >= maxCarried || w.depth >= maxDepth {
		if !w.installed {
			w.bounded(tooMany)
		}
		return
	}
	a := *w.analyzer
	a.line = &Line{Text: text}
	a.reasons, a.written, a.links, a.opened = nil, slices.Clone(a.written), slices.Clone(a.links), slices.Clip(a.opened)
	in := walker{analyzer: &a, frame: &frame{src: text, wrappers: w.within(name).wrappers, calls: w.calls, depth: w.depth + 1, guess: w.guess, carrier: w.carrier,
		inScripts: w.inScripts, installed: w.installed, remote: w.remote, mounts: w.mounts, background: w.background}, env: w.env.clone()}
	if in.carrier == "" {
		in.carrier = name
	}
	if words == nil {
		in.text(text)
	} else {
		all := Span{End: len(text)}
		words = slices.Clone(words)
		for i := range words {
			words[i].span, words[i].inner = all, -1
		}
		in.frame.base, in.frame.span = -1, all
		in.analyze(simple{words: words, span: all})
	}
	w.steps, w.grown, w.tried, w.found, w.bytesRead, w.codeRead, w.analyzer.opened = a.steps, a.grown, a.tried, a.found, a.bytesRead, a.codeRead, a.opened
	if a.line.Bounded {
		w.bounded(strings.Join(a.reasons, "; "))
		a.line.Bounded = false // the whole line is asked about
	}
	if a.reasons = nil; len(*lines) < maxCarried && !a.line.within(*lines) {
		a.finish()
		*lines = append(*lines, a.line)
	}
}

// within reports whether one of the lines has all commands of this one.
func (l *Line) within(lines []*Line) bool {
	for _, other := range lines {
		has := func(c Command) bool {
			return slices.ContainsFunc(other.Commands, func(o Command) bool { return o.Text == c.Text && o.Dir == c.Dir })
		}
		if !slices.ContainsFunc(l.Commands, func(c Command) bool { return !has(c) }) {
			return true
		}
	}
	return len(l.Commands) == 0
}

// writtenOut returns words as a command line.
func writtenOut(words []field) string {
	args := make([]string, len(words)-1)
	for i, f := range words[1:] {
		args[i] = f.text
	}
	return canonical(words[0].text, args)
}

// endsCommands reports whether a word names a program whose own words are data.
func endsCommands(word string) bool {
	return table.Mentions(word) || slices.Contains([]string{"search", "awk", "sed"}, table.Find(word).Value("files"))
}

// acts reports whether a word names a program that can do more than read or print.
func acts(word string) bool {
	if strings.Contains(word, "/") && !strings.Contains(word, "bin/") || strings.HasPrefix(word, "-") {
		return false
	}
	name := programName(word)
	facts := table.Find(name)
	if facts.Has("acts") {
		return true
	}
	switch facts.Value("files") {
	case "read", "list", "search", "sort", "convert":
		return false
	}
	if facts == "" || facts == "silent" || facts == "lines" {
		return table.HasOptions(name)
	}
	return true
}

// isCommand reports whether a text of several words is a whole command of a program that
// is known. Most texts are prose, which is not worth a parser.
func isCommand(text string) bool {
	word, more, _ := strings.Cut(strings.TrimLeft(text, "({ \t\n"), " ")
	if more == "" || !isAssign(word) && !acts(word) && !isKeyword(word) {
		return false
	}
	stmts, err := parseShell(text)
	return err == nil && beginsWithProgram(stmts)
}

func isKeyword(word string) bool {
	return slices.Contains([]string{"cd", "for", "while", "until", "if", "case", "!", "sleep", "true", "set", "mkdir", "exit"}, word)
}

// beginsWithProgram reports whether the first command of a text is of a program that
// is known.
func beginsWithProgram(stmts []*syntax.Stmt) bool {
	found, known := false, false
	for _, s := range stmts {
		syntax.Walk(s, func(n syntax.Node) bool {
			if call, ok := n.(*syntax.CallExpr); ok && !found && len(call.Args) > 0 {
				found, known = true, table.Known(programName(call.Args[0].Lit()))
			}
			return !found
		})
	}
	return known
}
