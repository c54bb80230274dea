package trigger

import (
	"cmp"
	"path"
	"slices"
	"strings"

	sentinel "github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/shell"
)

// derivedMax is how many actions one command yields for itself. Further effects
// are counted together, so that no command is too long to be guarded.
const derivedMax = 256

// derivedFromMax is how much of a command DerivedFrom shows, in characters.
const derivedFromMax = 200

// effects turns what a command does to files into actions.
func (c *call) effects(line *shell.Line) []sentinel.Action {
	var all gatherer
	files := false
	for i, e := range line.Effects {
		if c.ctx.Err() != nil {
			return nil // MapTool reports it
		}
		if !e.Kind.OnFile() || e.Remote {
			continue
		}
		files = true
		for _, a := range c.effect(e) {
			c.addInside(&a, line, e)
			leaveFilled(&a, e)
			if a.Effects = []int{i}; len(a.Forms) > 0 {
				all.add(a)
			}
		}
		for _, a := range c.unpackedGuard(line, e) {
			all.add(a)
		}
	}
	if !files && strings.Contains(line.Text, patchBegin) {
		for _, a := range c.patchActions(line.Text) {
			a.Certain = false
			all.add(a)
		}
	}
	for _, a := range c.guardActions(line) {
		all.add(a)
	}
	actions := all.done()
	from := text.Cut(line.Text, derivedFromMax)
	for i := range actions {
		actions[i].DerivedFrom = from
	}
	return actions
}

// A gatherer collects different actions. Beyond derivedMax it adds the forms and
// the content of an action to one that does the same to other files.
type gatherer struct {
	actions  []sentinel.Action
	seen     map[seenAction]int       // where it is in actions
	contents map[int]*strings.Builder // of the actions beyond derivedMax
}

// A seenAction is what makes two derived actions the same.
type seenAction struct {
	trigger      sentinel.Trigger
	op           sentinel.Op
	target       string
	content, old string
}

func (g *gatherer) add(a sentinel.Action) {
	key := seenAction{a.Trigger, a.Op, a.Target, a.Content, a.Old}
	if at, ok := g.seen[key]; ok {
		addEffects(&g.actions[at], &a)
		return
	}
	if g.seen == nil {
		g.seen = map[seenAction]int{}
	}
	g.seen[key] = len(g.actions)
	if len(g.actions) < derivedMax {
		g.actions = append(g.actions, a)
		return
	}
	for i := derivedMax; i < len(g.actions); i++ {
		if more := &g.actions[i]; more.Trigger == a.Trigger && more.Op == a.Op {
			more.Forms = append(more.Forms, a.Forms...)
			more.Old = "" // what one of the files had says nothing of the others
			addEffects(more, &a)
			g.seen[key] = i
			g.contents[i].WriteString("\n" + a.Content)
			return
		}
	}
	a.Target += " and further files"
	a.Certain = false
	if g.contents == nil {
		g.contents = map[int]*strings.Builder{}
	}
	content := &strings.Builder{}
	content.WriteString(a.Content)
	g.contents[len(g.actions)] = content
	g.actions = append(g.actions, a)
}

// addEffects adds the effects of an action to those of one that takes its place. Where they are not known, those
// of both are not.
func addEffects(to, from *sentinel.Action) {
	if len(to.Effects) == 0 || len(from.Effects) == 0 {
		to.Effects = nil
		return
	}
	to.Effects = append(to.Effects, from.Effects...)
}

func (g *gatherer) done() []sentinel.Action {
	for i, content := range g.contents {
		g.actions[i].Content = content.String()
	}
	return g.actions
}

// effect is the action of one effect; a move has two.
func (c *call) effect(e shell.Effect) []sentinel.Action {
	if e.Path == "" {
		return nil
	}
	dir := c.fs.abs(c.dir, e.Dir)
	var actions []sentinel.Action
	switch e.Kind {
	case shell.EffectRead:
		actions = []sentinel.Action{c.pathAction(sentinel.FileRead, sentinel.OpNone, dir, e.Path)}
	case shell.EffectMove:
		actions = c.moved(dir, e)
	case shell.EffectDelete:
		actions = []sentinel.Action{c.pathAction(sentinel.FileWrite, sentinel.OpDelete, dir, e.Path)}
	case shell.EffectCreate, shell.EffectEdit, shell.EffectAppend:
		actions = []sentinel.Action{c.pathAction(sentinel.FileWrite, writeOp(e.Kind), dir, e.Path)}
	}
	for i := range actions {
		a := &actions[i]
		if a.Op == sentinel.OpCreate || a.Op == sentinel.OpEdit || a.Op == sentinel.OpAppend {
			a.Content, a.Old = e.Content, e.Old
		}
		a.Certain = a.Certain && e.Certain && !e.DirUnknown
	}
	return actions
}

func writeOp(k shell.EffectKind) sentinel.Op {
	switch k {
	case shell.EffectEdit:
		return sentinel.OpEdit
	case shell.EffectAppend:
		return sentinel.OpAppend
	}
	return sentinel.OpCreate
}

// copiedMax bounds how many operands of a copy are looked at.
const copiedMax = 100

// addInside adds to a write the names of what it puts inside a folder. A copy
// keeps the base names of its operands, and a folder brings its content along.
// Anything else that is written to an existing folder, such as the content of an
// archive, has an unknown name: "*".
func (c *call) addInside(a *sentinel.Action, line *shell.Line, e shell.Effect) {
	if a.Trigger != sentinel.FileWrite || e.Kind == shell.EffectMove || e.Kind == shell.EffectDelete || hasGlob(e.Path) {
		return
	}
	dir := c.fs.abs(c.dir, e.Dir)
	dest := c.fs.abs(dir, e.Path)
	into := c.fs.isDir(dest)
	if e.Kind == shell.EffectEdit && into && runsGit(line, e.Command) {
		c.addRestored(a, &line.Commands[e.Command], dest)
		return
	}
	if operands := copied(line, e); len(operands) > 0 {
		own := a.Forms
		if e.From != "" { // a program may copy the folder, or what is in it
			c.fs.addContent(a, own, c.fs.abs(dir, e.From))
		}
		c.addCopied(a, operands, dir, dest, into && !replaces(line, e))
		if into && a.Path != "." && copiesFolders(line, e) && c.isMade(line, c.fs.abs(dir, operands[0])) {
			a.Forms, a.Certain = append(slices.Clip(a.Forms), c.inside(own, "**")...), false
		}
		return
	}
	if into {
		own := a.Forms
		names, whole := c.unpacked(line, e)
		for _, name := range names {
			a.Forms = append(a.Forms, c.inside(own[:1], name)...)
		}
		if !whole {
			more := c.inside(own, "*")
			if a.Path != "." && (e.Recursive || unpacks(line, e.Command)) { // there may be any file in an archive
				more = append(more, c.inside(own, "**")...)
			}
			a.Forms = append(slices.Clip(a.Forms), more...)
		}
		a.Certain = false
	}
}

func runsGit(line *shell.Line, command int) bool {
	return command >= 0 && command < len(line.Commands) && line.Commands[command].Program == "git"
}

func unpacks(line *shell.Line, command int) bool {
	return command >= 0 && command < len(line.Commands) &&
		slices.Contains([]string{"tar", "bsdtar", "unzip", "7z", "unrar", "cpio", "pax"}, line.Commands[command].Program)
}

// replaces reports whether a copy takes the place of a folder that is there, and does not go into it.
func replaces(line *shell.Line, e shell.Effect) bool {
	if e.From != "" {
		return false
	}
	cmd := &line.Commands[e.Command]
	return (cmd.Program == "cp" || cmd.Program == "install" || cmd.Program == "ln") && cmd.HasFlag("-T", "--no-target-directory")
}

// copied are what a command that copies files takes, and where it puts them.
func copied(line *shell.Line, e shell.Effect) []string {
	if e.From != "" {
		return []string{e.From}
	}
	if e.Command < 0 || e.Command >= len(line.Commands) {
		return nil
	}
	cmd := &line.Commands[e.Command]
	switch cmd.Program {
	case "cp", "install", "ln", "rsync", "scp", "ditto", "xcopy", "robocopy":
		operands := cmd.Operands[:min(len(cmd.Operands), copiedMax)]
		if cmd.Program != "rsync" {
			return operands
		}
		operands = slices.Clone(operands)
		for i, operand := range operands {
			if strings.HasSuffix(operand, "/") { // what is in the folder
				operands[i] += "."
			}
		}
		return operands
	}
	return nil
}

// isMade reports whether a folder is not there, or is not yet as it will be: the line
// writes below it, or clones or unpacks something there.
func (c *call) isMade(line *shell.Line, folder string) bool {
	return !c.fs.exists(folder) || slices.ContainsFunc(line.Effects, func(e shell.Effect) bool {
		switch e.Kind {
		case shell.EffectCreate, shell.EffectAppend, shell.EffectEdit, shell.EffectMove:
			_, within := below(folder, c.fs.abs(c.fs.abs(c.dir, e.Dir), cmp.Or(e.To, e.Path)), c.fs.fold)
			return within
		}
		return false
	})
}

// copiesFolders reports whether a command that copies files takes folders too.
func copiesFolders(line *shell.Line, e shell.Effect) bool {
	if e.From != "" {
		return e.Recursive
	}
	cmd := &line.Commands[e.Command]
	return cmd.HasFlag("-r", "-R", "-a", "--recursive", "--archive", "/e", "/E", "/s", "/S", "/mir", "/MIR") || cmd.Program == "ditto"
}

func (c *call) addCopied(a *sentinel.Action, operands []string, dir, dest string, into bool) {
	own := a.Forms
	for _, operand := range c.expanded(operands, dir) {
		from := c.fs.abs(dir, operand)
		if _, around := below(from, dest, c.fs.fold); around {
			continue // the destination itself, or its folder
		}
		bases := own
		if into {
			bases = c.inside(own, baseName(operand))
			a.Forms = append(slices.Clip(a.Forms), bases...)
		}
		c.fs.addContent(a, bases, from)
	}
}

// expanded adds to operands the files that patterns among them mean now, up to a bound.
func (c *call) expanded(operands []string, dir string) []string {
	all := slices.Clip(operands)
	for _, operand := range operands {
		if hasGlob(operand) && len(all) < globMax {
			names, _ := c.fs.glob(c.fs.abs(dir, operand), false)
			all = append(all, names...)
		}
	}
	return all
}

// inside returns the forms of a name in a folder with these forms.
func (c *call) inside(forms []string, name string) []string {
	var all []string
	for _, form := range forms {
		all = append(all, c.fs.fromRoot(c.fs.style.clean(c.fs.style.join(form, name))))
	}
	return all
}

// moved is a move by a command. The source may be a pattern; then each file that
// it means now goes, and where it goes is below the destination.
func (c *call) moved(dir string, e shell.Effect) []sentinel.Action {
	if e.To == "" {
		return []sentinel.Action{c.pathAction(sentinel.FileWrite, sentinel.OpMove, dir, e.Path)}
	}
	if !hasGlob(e.Path) {
		return c.moveActions(dir, e.Path, e.To)
	}
	src := c.pathAction(sentinel.FileWrite, sentinel.OpMove, dir, e.Path)
	dst := c.pathAction(sentinel.FileWrite, sentinel.OpCreate, dir, e.To) // in a loop it is a pattern too
	for _, f := range src.Forms[1:] {
		dst.Forms = append(dst.Forms, c.fs.fromRoot(c.fs.abs(dir, e.To)+"/"+path.Base(f)))
	}
	dst.Certain = false
	return []sentinel.Action{src, dst}
}

// pathAction is an action on a path that a command names, which may be a
// pattern. Removing or moving a folder
// includes everything below it.
func (c *call) pathAction(trig sentinel.Trigger, op sentinel.Op, dir, p string) sentinel.Action {
	takesBelow := op == sentinel.OpDelete || op == sentinel.OpMove
	literal := c.fileAction(trig, op, dir, p)
	if !hasGlob(p) || c.fs.exists(c.fs.abs(dir, p)) {
		if takesBelow {
			c.fs.addBelow(&literal)
		}
		return literal
	}
	a := literal
	if folder := globFolder(p); (takesBelow || trig == sentinel.FileRead) && (meansAll(p) || !c.fs.isDir(c.fs.abs(dir, folder)+"/")) {
		// The folder before the pattern is the path, and the text itself is a
		// further form. A file that is written has the name as written, and a
		// pattern that picks some names means existing files.
		a = c.fileAction(trig, op, dir, globFolder(p))
		a.Target = literal.Target
		a.Forms = append(a.Forms, literal.Forms...)
	}
	a.Certain = false
	if folder, name, ok := deepPattern(p); ok && !takesBelow {
		c.addDeep(&a, dir, folder, name)
		return a
	}
	names, whole := c.fs.glob(c.fs.abs(dir, p), op == sentinel.OpCreate || op == sentinel.OpEdit)
	for _, name := range names {
		one := c.fileAction(trig, op, "", name)
		if takesBelow {
			c.fs.addBelow(&one)
		}
		if a.Forms = append(a.Forms, one.Forms...); len(a.Forms) > 2*walkEntries {
			whole = false
			break
		}
	}
	if !whole {
		c.addAllBelow(&a, dir, globFolder(p))
	}
	return a
}

// meansAll reports whether a pattern picks everything in a folder.
func meansAll(p string) bool {
	return strings.Trim(p[strings.LastIndexByte(p, '/')+1:], "*?.") == ""
}

// hasGlob reports whether a shell would expand p.
func hasGlob(p string) bool { return strings.ContainsAny(p, "*?[") }

// globFolder is the folder before the first element of p that is a pattern.
func globFolder(p string) string {
	i := strings.LastIndexByte(p[:strings.IndexAny(p, "*?[")], '/')
	switch {
	case i < 0:
		return "."
	case i == 0:
		return "/"
	}
	return p[:i]
}
