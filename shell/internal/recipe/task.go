package recipe

import (
	"path"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/lazy"
	"go.yaml.in/yaml/v3"
)

// A board is a Taskfile that is being read.
type board struct {
	*Budget
	call     *Call
	vars     map[string]string
	tasks    map[string]*yaml.Node
	included int
	work     Work
	done     map[string]bool
	unsure   int // callers that go on when what they call fails
}

// taskfile are the commands of some tasks, and of all that they need.
func taskfile(text string, c *Call) (Work, error) {
	b := &board{Budget: c.Budget, call: c, vars: map[string]string{}, tasks: map[string]*yaml.Node{}, done: map[string]bool{}}
	if !b.read(text, "", "") {
		return Work{}, ErrNotRead
	}
	names := c.Names
	if len(names) == 0 {
		names = []string{"default"}
	}
	for _, name := range names {
		b.task(name, nil, 0)
	}
	return b.work, b.err()
}

// read reads a Taskfile whose tasks get a prefix, and those that it includes; dir is
// where it lies.
func (b *board) read(text, prefix, dir string) bool {
	var doc yaml.Node
	if yaml.Unmarshal([]byte(text), &doc) != nil || len(doc.Content) == 0 || doc.Content[0].Kind != yaml.MappingNode {
		return false
	}
	root := doc.Content[0]
	b.values(b.vars, child(root, "vars"))
	b.values(b.vars, child(root, "env"))
	for name, task := range entries(child(root, "tasks")) {
		b.tasks[prefix+name] = task
		for _, alias := range list(child(task, "aliases")) {
			b.tasks[prefix+alias.Value] = task
		}
	}
	for name, what := range entries(child(root, "includes")) {
		b.include(prefix+name+":", path.Join(dir, first(what, "taskfile")))
	}
	return true
}

func (b *board) include(prefix, name string) {
	if b.included++; b.included > maxInclude {
		b.spent = true
		return
	}
	if b.call.Read == nil {
		return
	}
	for _, file := range []string{name, path.Join(name, "Taskfile.yml"), path.Join(name, "Taskfile.yaml")} {
		if text, ok := b.call.Read(file); ok {
			dir := path.Dir(file)
			b.read(text, prefix, dir)
			return
		}
	}
}

// task adds what a task does.
func (b *board) task(name string, vars map[string]string, depth int) {
	task, ok := b.tasks[name]
	if !ok || depth > maxDepth || b.done[name] && len(vars) == 0 || !b.step(0) {
		return
	}
	if depth > 0 && !b.done[name] && b.Budget.command(name) {
		b.work.names(name, b.unsure > 0)
	}
	b.done[name] = true
	own := map[string]string{}
	b.values(own, child(task, "vars"))
	b.values(own, child(task, "env"))
	for k, v := range vars {
		own[k] = v
	}
	for _, need := range list(child(task, "deps")) {
		b.task(b.filled(first(need, "task"), own), b.passed(need, own), depth+1)
	}
	commands := list(task)
	if followed(task).Kind == yaml.MappingNode {
		commands = append(list(child(task, "cmds")), list(child(task, "cmd"))...)
	}
	in := taskShell{dir: b.filled(first(child(task, "dir"), ""), own), unsure: b.unsure > 0 || isUnsure(task)}
	for _, command := range commands {
		b.command(command, in, own, depth)
	}
}

// A taskShell is how the commands of a task are run.
type taskShell struct {
	dir    string
	unsure bool // the task succeeds without them, too
}

// isUnsure reports whether a task, or a command, may fail or be left out.
func isUnsure(n *yaml.Node) bool {
	return first(child(n, "ignore_error"), "") == "true" || child(n, "platforms") != nil || child(n, "status") != nil || child(n, "if") != nil
}

// command adds one command of a task, or the task that it names.
func (b *board) command(n *yaml.Node, in taskShell, own map[string]string, depth int) {
	if other := first(child(n, "task"), ""); other != "" {
		if in.unsure || isUnsure(n) {
			b.unsure++
			defer func() { b.unsure-- }()
		}
		b.task(b.filled(other, own), b.passed(n, own), depth+1)
		return
	}
	if deferred := child(n, "defer"); deferred != nil && depth < maxDepth {
		in.unsure = true
		b.command(deferred, in, own, depth+1)
		return
	}
	text := b.filled(first(n, "cmd"), own)
	if strings.TrimSpace(text) == "" {
		return
	}
	if in.dir != "" {
		text = "cd" + quote([]string{in.dir}) + " && {\n" + text + "\n}"
	}
	if in.unsure || isUnsure(n) {
		text = ignoring(text)
	}
	if b.Budget.command(text) {
		b.work.Texts = append(b.work.Texts, text)
	}
}

// passed are the variables that a call of another task gives it.
func (b *board) passed(n *yaml.Node, own map[string]string) map[string]string {
	vars := map[string]string{}
	for name, value := range entries(child(n, "vars")) {
		vars[name] = b.filled(first(value, ""), own)
	}
	return vars
}

// values keeps variables as they are written. One that a command gives is its output.
func (b *board) values(to map[string]string, from *yaml.Node) {
	for name, value := range entries(from) {
		if command := first(child(value, "sh"), ""); command != "" {
			to[name] = "$(" + command + ")"
		} else {
			to[name] = first(value, "")
		}
	}
}

var taskReference = lazy.Regexp{Source: `\{\{-?\s*(.*?)\s*-?\}\}`}

// filled replaces what is in {{ }}: a variable, or else something that is not known.
func (b *board) filled(text string, own map[string]string) string {
	for range maxDepth {
		if !strings.Contains(text, "{{") {
			break
		}
		if len(text) > maxValue {
			b.spent = true
			return ""
		}
		text = taskReference.Get().ReplaceAllStringFunc(text, func(s string) string {
			value := b.value(taskReference.Get().FindStringSubmatch(s)[1], own)
			if !b.step(len(value)) {
				return ""
			}
			return value
		})
	}
	return text
}

func (b *board) value(expression string, own map[string]string) string {
	name, isName := strings.CutPrefix(expression, ".")
	switch {
	case isName && name == "CLI_ARGS":
		return strings.TrimPrefix(quote(b.call.Args), " ")
	case isName && slices.Contains([]string{"ROOT_DIR", "TASKFILE_DIR", "USER_WORKING_DIR"}, name):
		return "."
	}
	for _, vars := range []map[string]string{b.call.Vars, own, b.vars} {
		if value, ok := vars[name]; ok && isName {
			return value
		}
	}
	return unknown(expression)
}

// child is the value of a key of a mapping; nil without one.
func child(n *yaml.Node, key string) *yaml.Node {
	for name, value := range entries(n) {
		if name == key {
			return value
		}
	}
	return nil
}

// entries are those of a mapping.
func entries(n *yaml.Node) func(yield func(string, *yaml.Node) bool) {
	return func(yield func(string, *yaml.Node) bool) {
		if n = followed(n); n == nil || n.Kind != yaml.MappingNode {
			return
		}
		for i := 0; i+1 < len(n.Content); i += 2 {
			if !yield(n.Content[i].Value, n.Content[i+1]) {
				return
			}
		}
	}
}

// followed is the value of a YAML alias.
func followed(n *yaml.Node) *yaml.Node {
	if n != nil && n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

// list are the elements of a list; one text is a list of itself.
func list(n *yaml.Node) []*yaml.Node {
	switch n = followed(n); {
	case n == nil:
		return nil
	case n.Kind == yaml.SequenceNode:
		return n.Content
	case n.Kind == yaml.ScalarNode:
		return []*yaml.Node{n}
	}
	return nil
}

// first is a text, or the text below a key of a mapping.
func first(n *yaml.Node, key string) string {
	switch n = followed(n); {
	case n == nil:
		return ""
	case n.Kind == yaml.ScalarNode:
		return n.Value
	case key == "":
		return ""
	}
	return first(child(n, key), "")
}
