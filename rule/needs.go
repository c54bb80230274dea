package rule

import (
	"path"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/facts"
	"github.com/agentsentinel/sentinel/scope"
	"github.com/agentsentinel/sentinel/shell"
)

// Needs are the facts that rules ask about. Of anything else none are kept.
type Needs struct {
	Ran    []string // command patterns, and server:tool
	Wrote  bool
	Read   []string // path patterns
	Asked  bool     // what a person approved
	Turned bool     // where turns end
}

// Empty reports whether no fact is asked for.
func (n *Needs) Empty() bool {
	return len(n.Ran) == 0 && !n.Wrote && len(n.Read) == 0 && !n.Asked
}

// Add adds the needs of others.
func (n *Needs) Add(more *Needs) {
	n.Ran, n.Read = distinct(n.Ran, more.Ran), distinct(n.Read, more.Read)
	n.Wrote, n.Asked, n.Turned = n.Wrote || more.Wrote, n.Asked || more.Asked, n.Turned || more.Turned
}

func distinct(list, more []string) []string {
	for _, s := range more {
		if !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}

// NeedsOf are the facts that the rules of files ask about.
func NeedsOf(files []File) (n Needs) {
	for i := range files {
		n.Add(files[i].Definition.needs())
	}
	return n
}

// Needs are the facts that the rule asks about.
func (r *Rule) Needs() *Needs { return r.def.needs() }

func (d *Definition) needs() *Needs {
	if d.Mode == off {
		return &Needs{}
	}
	n := &Needs{Ran: slices.Clip(d.Requires.Ran), Asked: d.Once}
	for _, src := range []string{d.When, d.Doubtful} {
		n.Add(needsOf(src, d.Phase))
	}
	globs, _ := d.Requires.window()
	switch {
	case len(d.Also.Changed) > 0:
		n.Wrote, n.Turned = true, slices.Contains(d.Also.By, byTurn)
		n.Ran = distinct(n.Ran, append(occasions(byCommit), occasions(byRequest)...))
	case len(d.BeforeFirst.Write) > 0:
		n.Wrote, n.Read = true, d.BeforeFirst.Read
	case len(globs) > 0:
		n.Wrote = true
	}
	return n
}

// Before are the facts of a call that is about to run: its runs. They count from here,
// whenever the result comes. Without a run they are what was nearly one.
func (n *Needs) Before(actions []sentinel.Action) (all []facts.Fact) {
	places := n.places(actions)
	for i := range actions {
		all = append(all, n.runs(&actions[i], places)...)
	}
	for i := range actions {
		if a := &actions[i]; len(all) == 0 && a.Trigger == sentinel.Bash && a.Carrier == "" {
			return n.near(parsed(a))
		}
	}
	return all
}

// committers are sub-commands of git that make commits of what is at hand, with any date.
var committers = [...]string{"commit", "commit-tree", "cherry-pick", "am", "revert"}

// Commits reports whether a call may commit files that are asked about.
func (n *Needs) Commits(actions []sentinel.Action) bool {
	return n.Wrote && slices.ContainsFunc(actions, func(a sentinel.Action) bool {
		return a.Trigger == sentinel.Bash && a.Carrier == "" && slices.ContainsFunc(parsed(&a).Commands, func(c shell.Command) bool {
			return c.Program == "git" && slices.Contains(committers[:], c.Subcommand) && !c.Inert
		})
	})
}

// After are the facts of a call that was done: what it wrote and read. A command that
// failed may have written all the same.
func (n *Needs) After(actions []sentinel.Action, failed, fold bool) (all []facts.Fact) {
	reads := pathScope{in: scope.NewPaths(n.Read, fold)}
	var places *places
	var unseen map[string]bool
	if n.Wrote {
		places = n.places(actions)
	}
	if len(n.Read) > 0 {
		unseen = hidden(actions)
	}
	for i := range actions {
		a := &actions[i]
		switch {
		case a.Trigger == sentinel.Bash && a.Carrier == "" && n.Wrote:
			all = append(all, places.reshaped(parsed(a))...)
		case a.Carrier != "" || failed && a.DerivedFrom == "":
		case a.Trigger == sentinel.FileWrite && n.Wrote:
			step, formats := places.of(a)
			for _, form := range forms(a) {
				if files, unknown := unknownFile(a, form); unknown { // which one is for the files to tell
					all = append(all, facts.Fact{Kind: facts.Wrote, Text: files, Below: true, Maybe: true, Step: step})
					continue
				}
				wrote := facts.Fact{Kind: facts.Wrote, Below: meetsInside(a), Maybe: formats, Step: step}
				for _, wrote.Text = range withEndings(form) {
					all = append(all, wrote)
				}
			}
		case a.Trigger == sentinel.FileRead && !failed && len(n.Read) > 0 && readsFile(a, unseen) && reads.touches(a):
			for _, form := range forms(a) {
				if a.Certain || !isPattern(form) {
					all = append(all, facts.Fact{Kind: facts.Read, Text: form})
				}
			}
		}
	}
	return all
}

// unknownFile reports whether a form is that of a file whose name a command has from elsewhere, as
// that of sed -i s/a/b/ "$F" or of xargs sed -i. files are those that it may be: all for ".".
func unknownFile(a *sentinel.Action, form string) (files string, unknown bool) {
	at := strings.IndexAny(form, "$`")
	if at < 0 || a.DerivedFrom == "" || a.Certain {
		return "", false
	}
	if files = path.Clean(form[:strings.LastIndexByte(form[:at], '/')+1]); files != "." {
		files = path.Join(files, "**")
	}
	return files, true
}

// withEndings are the patterns of the files that a formatter knows by several endings, one for each
// ending, as rules have them: src/*.a and src/*.b for src/*.@(a|b).
func withEndings(form string) (all []string) {
	front, endings, ok := strings.Cut(strings.TrimSuffix(form, ")"), "*.@(")
	if !ok {
		return []string{form}
	}
	for ending := range strings.SplitSeq(endings, "|") {
		all = append(all, front+"*."+ending)
	}
	return all
}

// runs are the patterns that the commands of an action match, each with what success of
// the call says of it.
func (n *Needs) runs(a *sentinel.Action, places *places) (all []facts.Fact) {
	switch {
	case a.Carrier != "":
	case a.Trigger == sentinel.Bash:
		line := parsed(a)
		for _, pattern := range n.Ran {
			if result, ran := runOf(line, pattern, a.Root); result != 0 {
				all = append(all, facts.Fact{Kind: facts.Ran, Text: pattern, Result: result, Step: places.known(ran.to)})
			}
		}
	case a.Trigger == sentinel.MCP:
		for _, pattern := range n.Ran {
			if _, _, ok := scope.NewTools([]string{pattern}).Match(forms(a)); ok {
				all = append(all, facts.Fact{Kind: facts.Ran, Text: pattern, Result: facts.Succeeded})
			}
		}
	}
	return all
}

// runOf says what a line that succeeds tells of the commands in it that a pattern matches, and where the last of them
// is, with all that it runs; 0 where it matches none. Files below root are the project's.
func runOf(line *shell.Line, pattern, root string) (result facts.Result, ran stretch) {
	list := scope.NewRuns([]string{pattern})
	if strings.HasSuffix(pattern, webAddresses) {
		line = withoutReads(line)
	}
	var hidden stretch
	for i := range line.Commands {
		if !isRun(line, list, i, root) {
			continue
		}
		if line.Proves(i) {
			ran = ran.or(stretchOf(line, i))
		} else {
			hidden = hidden.or(stretchOf(line, i))
		}
	}
	if ran.to > 0 {
		return facts.Succeeded, ran
	}
	if _, ok := list.Match(line, nil); ok {
		return facts.Hidden, hidden
	}
	if m, ok := scope.NewCommands([]string{pattern}).Match(line, nil); ok && m.Command < 0 {
		return facts.Hidden, hidden
	}
	return 0, stretch{}
}

// isRun reports whether command i is one that the patterns match, as it is written in the line or
// as it means, and does something. A part of it that is not known, as *.go, has to be in the
// pattern as well.
func isRun(line *shell.Line, list *scope.Commands, i int, root string) bool {
	c := &line.Commands[i]
	if c.Inert || c.Background {
		return false
	}
	m, ok := list.Match(&shell.Line{Text: line.Text, Commands: []shell.Command{ofProject(*c, root)}}, nil)
	return ok && m.Command == 0 && (line.Spelled(i) || m.Pattern == c.Text && !strings.HasSuffix(c.Text, " *"))
}

// ofProject is a command with the program and the script that it names by absolute paths in
// the folder root named from there.
func ofProject(c shell.Command, root string) shell.Command {
	if file, ok := below(c.Path, root); ok {
		c.Path = file
	}
	if file, ok := below(c.Script, root); ok {
		c.Args = slices.Clone(c.Args)
		for i, arg := range c.Args {
			if arg == c.Script {
				c.Args[i] = file
			}
		}
		c.Script = file
	}
	return c
}

// below is a path from root, where it is absolute and in there.
func below(name, root string) (rel string, ok bool) {
	if root == "" || !isRooted(name) {
		return "", false
	}
	return strings.CutPrefix(rooted(root, name), rooted(root, root)+"/")
}
