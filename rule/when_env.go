package rule

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/gitindex"
	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/scope"
	"github.com/agentsentinel/sentinel/shell"
)

// whenEnv is what an expression sees; docs/when.md explains each name. Names that
// begin with a digit cannot be written in an expression: patchers put them in.
type whenEnv struct {
	Path       string         `expr:"path"`
	Content    string         `expr:"content"`
	OldContent string         `expr:"old_content"`
	Operation  string         `expr:"operation"`
	Exists     bool           `expr:"exists"`
	Tracked    bool           `expr:"tracked"`
	Command    string         `expr:"command"`
	Commands   []*whenCommand `expr:"commands"`
	Cmd        *whenCommand   `expr:"cmd"`
	Writes     []string       `expr:"writes"`
	Reads      []string       `expr:"reads"`
	Removes    []string       `expr:"removes"`
	Effects    []whenEffect   `expr:"effects"`
	Sends      []whenEffect   `expr:"sends"`
	Runs       []whenEffect   `expr:"runs"`
	Loses      []whenEffect   `expr:"loses"`
	Server     string         `expr:"server"`
	Tool       string         `expr:"tool"`
	Args       map[string]any `expr:"args"`
	Agent      string         `expr:"agent"`
	Cwd        string         `expr:"cwd"`
	Trigger    string         `expr:"trigger"`

	Glob    func(path, pattern string) (bool, error)     `expr:"glob"`
	HasFlag func(cmd *whenCommand, flags ...string) bool `expr:"hasFlag"`
	Secrets func(text string) []whenSecret               `expr:"secrets"`
	Within  func(path, dir string) bool                  `expr:"within"`
	Ran     func(pattern string) (bool, error)           `expr:"ran"`
	Read    func(pattern string) (bool, error)           `expr:"read"`
	Wrote   func(pattern string) (bool, error)           `expr:"wrote"`
	Changed func(pattern string) (bool, error)           `expr:"changed"`

	Asked func(pattern string, names ...string) (bool, error) `expr:"asked"`

	Adds   func(pattern string) (bool, error)     `expr:"addsMatch"`
	Branch func(cmd *whenCommand) (string, error) `expr:"branch"`

	SecretFile func(path string) bool `expr:"secretFile"`
	Disposable func(path string) bool `expr:"disposable"`

	LastRan   func(pattern string) (int, error) `expr:"0lastran"`
	LastRead  func(pattern string) (int, error) `expr:"0lastread"`
	LastWrote func(pattern string) (int, error) `expr:"0lastwrote"`

	Unparsed bool                              `expr:"0unparsed"`
	Bounded  bool                              `expr:"0bounded"`
	Reason   string                            `expr:"0reason"`
	Tick     func() (bool, error)              `expr:"0tick"`
	Text     func(value any) string            `expr:"0text"`
	Join     func(a, b string) (string, error) `expr:"0join"`

	cut   bool  // a list was longer than whenList
	fault error // what the expression reads could not be found out
}

// onDisk are the names whose values come from files or git, as they are when the
// expression is evaluated, from what else happened in the
// turn or the session, or from what the person asked for.
var onDisk = []string{"exists", "tracked", "operation", "disposable", "branch", "ran", "read", "wrote", "changed", addsFunction, askedFunction}

// whenCommand is a simple command as an expression sees it.
type whenCommand struct {
	Program    string   `expr:"program"`
	Subcommand string   `expr:"subcommand"`
	Text       string   `expr:"text"`
	Path       string   `expr:"path"`
	Args       []string `expr:"args"`
	Context    []string `expr:"context"`
	Flags      []string `expr:"flags"`
	Operands   []string `expr:"operands"`
	Wrappers   []string `expr:"wrappers"`
	Assigns    []string `expr:"assigns"`
	Redirects  []string `expr:"redirects"`
	Stdin      string   `expr:"stdin"`
	Input      []string `expr:"input"`
	Runs       []string `expr:"runs"`
	Script     string   `expr:"script"`
	Dir        string   `expr:"dir"`
	DirUnknown bool     `expr:"dir_unknown"`
	Folder     string   `expr:"folder"`
	Network    bool     `expr:"network"`
	Background bool     `expr:"background"`
	Recursive  bool     `expr:"recursive"`
	Endless    bool     `expr:"endless"`
	Certain    bool     `expr:"certain"`

	Interactive bool `expr:"interactive"`
	Inert       bool `expr:"inert"`

	source *shell.Command
}

// whenSecret is a secret that was found in a text, without the secret.
type whenSecret struct {
	Kind  string `expr:"kind"`
	Start int    `expr:"start"` // bytes of the text, as in secret.Found
	End   int    `expr:"end"`
}

// newEnv fills in what the expression reads. name is the form of the action's
// path that it is about.
func (w *whenProgram) newEnv(a *sentinel.Action, m sentinel.Match, name string, tracked trackedFiles, clock *whenClock) *whenEnv {
	env := &whenEnv{
		Path:       name,
		Content:    a.Content,
		OldContent: a.Old,
		Operation:  a.Op.String(),
		Server:     a.Server,
		Tool:       a.Tool,
		Agent:      a.Agent,
		Cwd:        a.Dir,
		Trigger:    string(a.Trigger),
		Cmd:        &whenCommand{source: &shell.Command{}},
	}
	if a.Trigger == sentinel.MCP && a.MCPTool != "" {
		env.Tool = a.MCPTool
	}
	if a.Agent == commit && a.Op == sentinel.OpCreate {
		env.OldContent = "" // what a moved file held is there still: no edit replaces it
	}
	if a.Path != "" {
		w.addState(env, a, name, tracked)
	}
	if w.reads("args") {
		env.Args = env.decode(a.Args)
	}
	if a.Trigger == sentinel.Bash {
		env.Command = a.Target
	}
	if a.Command != nil {
		w.addLine(env, a, m.Command)
	} else if w.reads("writes", "reads", "removes") {
		env.addFile(a, name)
	}
	w.addFunctions(env, a, clock)
	w.addPast(env, a, m)
	return env
}

// commit is the agent of a change that is made already, as a person commits it.
const commit = "commit"

// addState adds what is at the path now, before the tool runs. For a change that is
// made already it is the state before: a file that is new in it was not.
func (w *whenProgram) addState(env *whenEnv, a *sentinel.Action, name string, tracked trackedFiles) {
	if a.Agent == commit {
		env.Exists = a.Op != sentinel.OpCreate
		env.Tracked = env.Exists
		return
	}
	file := filepath.FromSlash(rooted(a.Root, name))
	whole := a.Op == sentinel.OpCreate && w.reads("operation")
	if whole || w.reads("exists") {
		_, err := os.Lstat(file)
		env.Exists = err == nil
		if whole && env.Exists {
			env.Operation = overwrite
		}
		if err != nil && !safefile.Missing(err) {
			env.fault = fmt.Errorf("rule: `when` asks whether a file exists: %w", err)
		}
	}
	env.Tracked = tracked.names[file]
	if tracked.err != nil {
		env.fault = fmt.Errorf("rule: `when` asks whether git tracks a file: %w", tracked.err)
	}
}

// whenState is what is known of a path besides its name.
type whenState struct {
	operation       string
	exists, tracked bool
	fault           bool
}

// trackedFiles are the files of an action that git tracks.
type trackedFiles struct {
	names map[string]bool
	err   error
}

// tracked finds out which of an action's paths git tracks, if the expression asks.
func (w *whenProgram) tracked(a *sentinel.Action, paths []string) (found trackedFiles) {
	if a.Path == "" || a.Agent == commit || !w.reads("tracked") {
		return found
	}
	files := make([]string, len(paths))
	for i, name := range paths {
		files[i] = filepath.FromSlash(rooted(a.Root, name))
	}
	found.names, found.err = gitindex.Tracked(files, w.fold)
	return found
}

// overwrite is the operation that writes the whole of a file that is there.
const overwrite = "overwrite"

// addLine adds what a command line does. matched is the command that the scope
// matched.
func (w *whenProgram) addLine(env *whenEnv, a *sentinel.Action, matched *shell.Command) {
	line := a.Command
	env.Unparsed, env.Reason, env.Bounded = line.Unparsed != "", line.Unparsed, line.Bounded
	if w.reads("commands") {
		commands := line.Commands
		if len(commands) > whenList {
			commands, env.cut = commands[:whenList], true
		}
		env.Commands = make([]*whenCommand, len(commands))
		for i := range commands {
			env.Commands[i] = env.command(a, &commands[i])
		}
	}
	if w.reads("cmd") && len(line.Commands) > 0 {
		if matched == nil {
			matched = &line.Commands[0]
		}
		env.Cmd = env.command(a, matched)
	}
	if w.reads("writes", "reads", "removes") {
		for i := range line.Effects {
			env.addEffect(a, &line.Effects[i])
		}
	}
	if w.reads("effects", "sends", "runs", "loses") {
		env.addEffects(w, a)
	}
}

func (e *whenEnv) command(a *sentinel.Action, c *shell.Command) *whenCommand {
	return &whenCommand{
		Program:    c.Program,
		Subcommand: c.Subcommand,
		Text:       c.Text,
		Path:       c.Path,
		Args:       e.list(c.Args),
		Context:    e.list(c.Context),
		Flags:      e.list(c.Flags),
		Operands:   e.list(c.Operands),
		Wrappers:   e.list(c.Wrappers),
		Assigns:    e.list(c.Assigns),
		Redirects:  e.list(c.Redirects),
		Stdin:      c.Stdin,
		Input:      e.list(c.Input),
		Runs:       e.list(c.Runs),
		Script:     c.Script,
		Dir:        c.Dir,
		DirUnknown: c.DirUnknown,
		Folder:     folderOf(a, c),
		Network:    c.Network,
		Background: c.Background,
		Recursive:  c.Recursive,
		Endless:    c.Endless,
		Certain:    c.Certain,
		source:     c,

		Interactive: c.Interactive,
		Inert:       c.Inert,
	}
}

// list cuts a list to whenList, and takes note of it.
func (e *whenEnv) list(s []string) []string {
	if len(s) > whenList {
		e.cut = true
		return s[:whenList]
	}
	return s
}

// put appends to a list that is not full.
func (e *whenEnv) put(list *[]string, name string) {
	if len(*list) == whenList {
		e.cut = true
		return
	}
	*list = append(*list, name)
}

// addEffect adds what a command does to a file.
func (e *whenEnv) addEffect(a *sentinel.Action, f *shell.Effect) {
	if f.Remote {
		return
	}
	name := fromRoot(a, f, f.Path)
	switch f.Kind {
	case shell.EffectCreate, shell.EffectEdit, shell.EffectAppend:
		e.put(&e.Writes, name)
	case shell.EffectDelete:
		e.put(&e.Removes, name)
	case shell.EffectMove:
		e.put(&e.Removes, name)
		e.put(&e.Writes, fromRoot(a, f, f.To))
	case shell.EffectRead:
		e.put(&e.Reads, name)
	}
}

// addFile adds what a file action itself does.
func (e *whenEnv) addFile(a *sentinel.Action, name string) {
	switch {
	case a.Trigger == sentinel.FileRead:
		e.Reads = []string{name}
	case a.Op == sentinel.OpDelete || a.Op == sentinel.OpMove:
		e.Removes = []string{name}
	case a.Trigger == sentinel.FileWrite:
		e.Writes = []string{name}
	}
}

func slashed(name string) string { return strings.ReplaceAll(name, `\`, "/") }

// decode reads arguments. A value that is not an object is empty, as for a tool without any.
func (e *whenEnv) decode(raw json.RawMessage) map[string]any {
	var args map[string]any
	if len(bytes.TrimSpace(raw)) > 0 && json.Unmarshal(raw, &args) == nil {
		e.trim(args)
	}
	return args
}

// trim cuts the lists within a decoded value.
func (e *whenEnv) trim(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for key, element := range v {
			v[key] = e.trim(element)
		}
	case []any:
		if len(v) > whenList {
			e.cut, v = true, v[:whenList]
		}
		for i, element := range v {
			v[i] = e.trim(element)
		}
		return v
	}
	return value
}

// addFunctions adds the functions of expressions.
func (w *whenProgram) addFunctions(env *whenEnv, a *sentinel.Action, clock *whenClock) {
	root := a.Root
	globs := map[string]*scope.Paths{}
	env.Glob = func(name, pattern string) (bool, error) {
		paths := globs[pattern]
		if paths == nil {
			if err := scope.CheckPath(pattern); err != nil {
				return false, err
			}
			paths = scope.NewPaths([]string{pattern}, w.fold)
			if len(globs) < whenList {
				globs[pattern] = paths
			}
		}
		_, ok := paths.Match(slashed(name))
		return ok, nil
	}
	env.Within = func(name, dir string) bool { // "" is an unknown folder, which is in none
		return name != "" && within(atHome(rooted(root, name)), atHome(rooted(root, dir)), w.fold)
	}
	env.Ran, env.Changed = turnFunctions(a.Turn, w.fold)
	env.Asked = askedFunctionOf(clock.notes, a)
	env.HasFlag, env.Branch = hasFlag, branchOf(a)
	env.Adds = addsOf(a, clock.evidence.about.Imagined)
	env.Secrets = findSecrets
	env.SecretFile = secretFile
	env.Tick, env.Join, env.Text = clock.tick, clock.join, asText
	env.Disposable = clock.evidence.disposable
}

// hasFlag reports whether the command has one of the flags, however it is
// written. A bundle such as -rf means all of them.
func hasFlag(cmd *whenCommand, flags ...string) bool {
	if cmd == nil {
		return false
	}
	for _, flag := range flags {
		if cmd.source.HasFlag(flag) || len(flag) > 2 && flag[1] != '-' && cmd.source.HasFlags(flag) {
			return true
		}
	}
	return false
}

// asText is a value of arguments as a text: "" if absent, JSON if it is not a text.
func asText(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	raw, err := json.Marshal(value)
	if err != nil {
		return ""
	}
	return string(raw)
}

// whenVariables returns the names of the variables.
func whenVariables() []string {
	return whenNames(func(f reflect.StructField) bool { return f.Type.Kind() != reflect.Func })
}

// whenFunctions returns the names of the functions.
func whenFunctions() []string {
	return whenNames(func(f reflect.StructField) bool { return f.Type.Kind() == reflect.Func })
}

func whenNames(wanted func(reflect.StructField) bool) []string {
	var names []string
	t := reflect.TypeFor[whenEnv]()
	for i := range t.NumField() {
		f := t.Field(i)
		if name := f.Tag.Get("expr"); name != "" && name[0] != '0' && wanted(f) {
			names = append(names, name)
		}
	}
	return names
}

// whenFields returns the names of the fields of a struct in expressions.
func whenFields(t reflect.Type) []string {
	var names []string
	for i := range t.NumField() {
		if name := t.Field(i).Tag.Get("expr"); name != "" {
			names = append(names, name)
		}
	}
	return names
}
