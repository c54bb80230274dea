package shell

import (
	"errors"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/shell/internal/recipe"
	"github.com/agentsentinel/sentinel/shell/internal/table"
)

// maxParents is how many folders above the current one are looked in for a file.
const maxParents = 6

// recipe walks what a file of the project says that the command runs: the targets of
// make, the scripts of npm and their like.
func (w walker) recipe(c *recorded) {
	how := table.FindRecipe(c.Program)
	switch how.Value("format") {
	case "sql":
		return // see statements
	case "shell":
		for _, name := range c.values(how.List("file")...) {
			w.newProcess().scriptFile(c.index, c.named(name), "")
		}
		return
	}
	call, ok := c.recipeCall(how)
	if !ok {
		return
	}
	started := w
	w = w.newProcess()
	w.env.dir, w.env.lost = c.Dir, c.DirUnknown
	w.env.params, w.env.knows = nil, false
	w.env.start()
	content, ok := w.recipeFile(c, how)
	cost := len(content.text) / 4
	if how.Value("format") == "task" {
		cost *= 4 // YAML takes its time
	}
	if !ok {
		started.bin(c, how, call)
		return
	}
	if !w.grow(cost) {
		return
	}
	call.Budget = &w.recipes
	call.Read = func(name string) (string, bool) {
		text := w.readNamed(field{text: name, inner: -1, known: true}, asRecipe)
		return text.text, text.known
	}
	work, err := recipe.WorkOf(how.Value("format"), content.text, call)
	if err != nil {
		w.bounded("what " + c.Program + " runs is in a file that " + unreadable(err))
	} else if len(work.Texts)+len(work.Names)+len(work.Maybe) == 0 {
		started.bin(c, how, call)
	}
	wrapper := c.Program
	if words := c.Operands[:min(len(c.Operands), max(1, c.runWords(how)))]; len(words) > 0 {
		wrapper += " " + strings.Join(words, " ")
	}
	for _, text := range work.Texts {
		in, ok := w.subshell().enter(nested{text: text, inner: -1, span: c.span, wrapper: wrapper})
		if !ok || !w.grow(len(text)/16) {
			return
		}
		in.frame.inScripts++
		in.env.stdin, in.env.piped = output{}, false
		in.text(text)
	}
	for i, name := range slices.Concat(work.Names, work.Maybe) {
		text := c.recipeNamed(name, how)
		if i >= len(work.Names) {
			text += " || true"
		}
		in, ok := w.subshell().enter(nested{text: text, inner: -1, span: c.span, wrapper: wrapper})
		if !ok || len(w.line.Commands) >= w.bound(maxCommands) {
			return // what they do was read
		}
		in.frame.inRecipe = true
		in.text(text)
	}
}

// bin walks a program of a package, which some managers run by its name where no script has
// that name.
func (w walker) bin(c *recorded, how table.Program, call *recipe.Call) {
	if !how.Has("bins") || len(call.Names) != 1 {
		return
	}
	name, wrapper := call.Names[0], c.Program
	at := slices.IndexFunc(c.words, func(f field) bool { return f.text == name })
	if at < 1 || strings.ContainsAny(name, "./:") {
		return
	}
	switch before, own := c.words[at-1].text, table.FindFolder(c.Program); {
	case how.Lists("run", before):
		if wrapper += " " + before; !how.Lists("bins", before) {
			return
		}
	case own.Lists("own", name) || own.Lists("several", name) || how.Lists("script", name):
		return
	}
	w = w.subshell()
	w.env.dir, w.env.lost = c.Dir, c.DirUnknown
	w.within(wrapper).analyze(c.from(at))
}

// recipeNamed is a command that does a recipe of the same file.
func (c *recorded) recipeNamed(name string, how table.Program) string {
	words := []string{c.Program}
	if run := how.List("run"); len(run) > 0 {
		words = append(words, run[0])
	}
	return strings.Join(append(words, quote(name)), " ")
}

func unreadable(err error) string {
	if errors.Is(err, recipe.ErrTooBig) {
		return recipe.ErrTooBig.Error() + ": the rest was not read"
	}
	return recipe.ErrNotRead.Error() + ": it was not read"
}

// runWords are how many operands say what is run: two in npm run NAME.
func (c *recorded) runWords(how table.Program) int {
	if how.Lists("run", c.Subcommand) && c.Subcommand != "" {
		return 2
	}
	return 1
}

// recipeCall is what a command asks a recipe's program to run. ok is false where it asks
// for nothing of the kind.
func (c *recorded) recipeCall(how table.Program) (call *recipe.Call, ok bool) {
	if c.HasFlag(how.List("idle")...) {
		return nil, false
	}
	call = &recipe.Call{Vars: map[string]string{}, Dry: c.HasFlag(how.List("dry")...), IgnoreErrors: c.HasFlag(how.List("ignore")...)}
	words, rest := c.Operands, []string(nil)
	if at := slices.Index(c.Args, "--"); at >= 0 && !how.Has("plain") {
		rest = c.Args[at+1:]
		words = words[:max(len(words)-len(rest), 0)]
	}
	if len(words) > 1 && words[0] == "workspace" {
		words = words[2:]
	}
	switch name, given := c.Value(how.List("option")...); {
	case given:
		call.Names, call.Args = []string{name}, rest
	case how.Has("all"):
		call.Args = rest
		for _, word := range words {
			name, _, isName := strings.Cut(word, "=")
			if _, value, _ := strings.Cut(word, "="); isName && !how.Has("args") {
				call.Vars[strings.TrimRight(name, ":?+!")] = value
			} else if fields := strings.Fields(word); len(fields) > 0 {
				call.Names = append(call.Names, fields[0])
			}
		}
	case len(words) > 1 && how.Lists("run", words[0]):
		call.Names, call.Args = words[1:2], c.after(words[1], how)
	default:
		if call.Names = c.scriptNames(how, words); len(words) > 0 {
			call.Args = c.after(words[0], how)
		}
		return call, len(call.Names) > 0
	}
	return call, true
}

// scriptNames are those of the scripts that a sub-command runs without being asked for
// them by name: npm test, npm install.
func (c *recorded) scriptNames(how table.Program, words []string) []string {
	sub := ""
	if len(words) > 0 {
		sub = words[0]
	}
	for _, script := range how.List("script") {
		name, others, more := strings.Cut(script, ">")
		switch {
		case name != sub:
		case more:
			return strings.Split(others, "+")
		default:
			return []string{name}
		}
	}
	if how.Has("any") && sub != "" && !how.Lists("run", sub) {
		return []string{sub}
	}
	return nil
}

// after is what follows the name of a script: its arguments. Some programs take the
// options before -- for themselves.
func (c *recorded) after(name string, how table.Program) []string {
	rest := c.Args[slices.Index(c.Args, name)+1:]
	at := slices.Index(rest, "--")
	if at == 0 {
		return rest[1:]
	}
	if !how.Has("own") {
		return rest
	}
	args := slices.Clone(c.Operands[slices.Index(c.Operands, name)+1:])
	return slices.DeleteFunc(args, func(w string) bool { return at < 0 && strings.HasPrefix(w, "-") })
}

// recipeFile is the content of the file that the recipes are in: the one that an option
// names, or the first that is there. It may be one of the line's own making.
func (w walker) recipeFile(c *recorded, how table.Program) (content output, ok bool) {
	for _, option := range how.List("text") { // make --eval
		if text, ok := c.Value(option); ok {
			content = output{text: text + "\n", known: true}
		}
	}
	named := c.values(how.List("file")...)
	for _, name := range named {
		found := w.input(asRecipe)
		if f := c.named(name); !isStdin(name) {
			w.line.Commands[c.index].Script = f.text
			w.note(EffectRead, c.index, f)
			found = w.recipeText(c, f)
		}
		if found.known {
			content.text, content.known = content.text+found.text+"\n", true
		}
	}
	if len(named) > 0 {
		return content, content.known
	}
	for _, dir := range c.recipeFolders(how) {
		for _, name := range how.List("names") {
			f := field{text: dir + name, span: c.span, inner: -1, known: true}
			if found := w.recipeText(c, f); found.known {
				w.env.dir = joinPath(w.dir, dir)
				return output{text: content.text + found.text, known: true}, true
			}
		}
	}
	return content, content.known
}

// recipeFolders are the folders, with a slash, that a program looks for its file in: the
// current one and those above, or that of a package of the repository.
func (c *recorded) recipeFolders(how table.Program) []string {
	all := Command{Program: c.Program, Args: slices.Concat(c.Context, c.Args)}
	name, ok := all.Value(table.FindFolder(c.Program).List("package")...)
	if len(c.Operands) > 1 && c.Operands[0] == "workspace" {
		name, ok = c.Operands[1], true
	}
	if ok {
		base := strings.TrimSuffix(name[strings.LastIndexByte(name, '/')+1:], "/")
		return []string{name + "/", "packages/" + base + "/", "apps/" + base + "/", "libs/" + base + "/", base + "/"}
	}
	dirs := []string{""}
	for up := 1; how.Has("up") && up <= maxParents; up++ {
		dirs = append(dirs, strings.Repeat("../", up))
	}
	return dirs
}

// recipeText reads a file of recipes.
func (w walker) recipeText(c *recorded, f field) output {
	content, _ := w.fileContent(f)
	if !content.known && len(content.from) > 0 {
		w.line.Commands[c.index].Runs = content.from
	}
	if !content.known {
		content = w.readNamed(f, asRecipe)
	}
	return content
}
