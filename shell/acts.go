package shell

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/shell/internal/table"
)

// tableActs records what acts.txt says that a command does.
func (w walker) tableActs(c *recorded) {
	acts := table.ActsOf(c.Program, c.Subcommand)
	if len(acts) == 0 || c.Inert || len(c.Flags) > 0 && c.HasFlag("--help", "--version", "--dry-run", "--dryrun") {
		return
	}
	for _, a := range acts {
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
