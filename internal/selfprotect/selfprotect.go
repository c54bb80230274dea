// Package selfprotect has the rules that guard Sentinel itself, whatever the folders of
// rules say: its commands, its files, the settings that start its hook, and the start of
// another agent that nothing would check. They ask the user and need no model.
package selfprotect

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/agent"
	"github.com/agentsentinel/sentinel/internal/codec"
	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/rule"
	"github.com/agentsentinel/sentinel/shell"
)

// Source is the source of these rules, which are not in a file.
const Source = "(built in)"

// A Guard says what is to be guarded. Paths are absolute; those that are not guard nothing.
type Guard struct {
	Program  string         // the name of the program; "" is sentinel
	Agents   agent.Registry // that have settings with the hook, and that may be started
	Home     string
	Getenv   func(string) string // as in [agent.Place]
	CacheDir string
	StateDir string
	UserDir  string
	Trash    string // what calls move away instead of deleting it
	Folder   string // of a project's rules, from its root with slashes
	Fold     bool   // case does not matter in paths
}

// Rules are the rules that may be about one of the actions, all of them without actions.
func (g *Guard) Rules(actions []sentinel.Action) ([]sentinel.Rule, error) {
	files := g.files(actions)
	if actions != nil {
		files = g.candidates(files, actions)
	}
	completeSecondAgent(files, g.Agents.Starts())
	rules, problems := rule.Build(files, &rule.Options{CaseFold: g.Fold})
	if len(problems) > 0 {
		return nil, problems[0]
	}
	all := make([]sentinel.Rule, len(rules))
	for i, r := range rules {
		all[i] = ownRule{r}
	}
	return all, nil
}

// Bounds are the rules about what no rule can see whole.
func Bounds() []sentinel.Rule { return []sentinel.Rule{newTooComplex(), newTooLong()} }

// NotCertain is the rule about what is only inferred, for a session in which the guard
// itself was changed. program is what the user calls the command, as in [Guard].
func NotCertain(program string) sentinel.Rule { return newNotCertain(program) }

// An ownRule is one of Sentinel's own. No project is open to what it cannot decide
// about, because the call has too many parts: it asks.
type ownRule struct{ *rule.Rule }

func (r ownRule) When(ctx context.Context, a *sentinel.Action, m sentinel.Match) (bool, error) {
	is, err := r.Rule.When(ctx, a, m)
	if err != nil && ctx.Err() == nil {
		return true, nil
	}
	return is, err
}

// candidates are the rules that may be about one of the actions: to build the
// others costs more than to look.
func (g *Guard) candidates(files []rule.File, actions []sentinel.Action) []rule.File {
	written := string(rule.AppendIndex(nil, files, g.Fold))
	index := rule.ReadIndex(&codec.Reader{Rest: written}, len(files), g.Fold)
	wanted := make([]bool, len(files))
	for i := range actions {
		if !index.Candidates(&actions[i], sentinel.PhasePre, func(n int) { wanted[n] = true }) {
			return files
		}
	}
	var found []rule.File
	for i, want := range wanted {
		if want {
			found = append(found, files[i])
		}
	}
	return found
}

// tooComplex asks the user about what rules see only a part of, and may miss the rest.
type tooComplex struct {
	spec sentinel.RuleSpec
	is   func(*sentinel.Action) bool
}

var _ sentinel.Conditional = (*tooComplex)(nil)

// newTooComplex is about a command that is too long or too deeply nested to be parsed
// completely.
func newTooComplex() *tooComplex {
	return &tooComplex{
		spec: sentinel.RuleSpec{
			ID: "sentinel:too-complex", Source: Source, Trigger: sentinel.Bash, Severity: sentinel.SeverityAsk, Backend: sentinel.Builtin,
			Message: "This command, or a file that it runs or applies, is too long, too deeply nested or damaged, and cannot be checked. Write it as several simpler commands, or ask the user to approve it.",
		},
		is: func(a *sentinel.Action) bool {
			return a.Trigger == sentinel.Bash && a.Command != nil && a.Command.Bounded
		},
	}
}

// newTooLong is about a path that no file can have.
func newTooLong() *tooComplex {
	return &tooComplex{
		spec: sentinel.RuleSpec{
			ID: "sentinel:too-long", Source: Source, Trigger: sentinel.Any, Severity: sentinel.SeverityAsk, Backend: sentinel.Builtin,
			Message: "This call names a path that is longer than any file's, and cannot be checked. Use the real path, or ask the user to approve it.",
		},
		is: func(a *sentinel.Action) bool {
			if a.Trigger != sentinel.FileRead && a.Trigger != sentinel.FileWrite {
				return false
			}
			return safefile.TooLong(safefile.Rooted(a.Root, a.Path))
		},
	}
}

// newNotCertain is about what is only inferred, after the guard itself was changed.
func newNotCertain(program string) *tooComplex {
	return &tooComplex{
		spec: sentinel.RuleSpec{
			ID: "sentinel:not-certain", Source: Source, Trigger: sentinel.Any, Severity: sentinel.SeverityAsk, Backend: sentinel.Builtin,
			Message: "The files that guard this project were changed, so calls whose effect is not certain are asked about until the user runs `" + text.Command(program, "accept") + "`. Write out names and commands, or ask the user.",
		},
		is: func(a *sentinel.Action) bool {
			if a.Trigger != sentinel.Bash || a.Command == nil {
				return a.Trigger == sentinel.FileWrite && !a.Certain
			}
			return a.Command.Unparsed != "" || slices.ContainsFunc(a.Command.Commands, func(c shell.Command) bool { return !c.Certain })
		},
	}
}

func (r *tooComplex) Spec() *sentinel.RuleSpec { return &r.spec }

func (r *tooComplex) Match(a *sentinel.Action) sentinel.Match {
	if !r.is(a) {
		return sentinel.Match{Why: "it is understood whole"}
	}
	return sentinel.Match{OK: true}
}

func (*tooComplex) Conditional() bool { return true }

func (*tooComplex) When(context.Context, *sentinel.Action, sentinel.Match) (bool, error) {
	return true, nil
}

// protectedCommands is true for commands that change which calls are guarded or
// which folders are trusted, and false for those that only show something. The user
// must run them. Agents run hook themselves, and could make events up with it. Flags such as --dry-run or --help exempt nothing: their value may
// be false. A user need not try a rule that is not saved. The expression is also true for commands that type one of these into a
// terminal or run it later, and for those that give the program another name, which
// it would not recognise.
const protectedCommands = `
any(commands, {
  let words = .operands;
  .program == "sentinel" and len(words) > 0 and (
    words[0] in ["promote", "dismiss", "trust", "untrust", "uninstall", "init", "accept", "allow", "pause", "hook"]
    or words[0] == "config" and len(words) > 1 and words[1] == "set"
    or words[0] == "rules" and len(words) > 1 and words[1] in ["severity", "promote", "enable", "disable", "edit", "rm"]
    or words[0] == "rules" and len(words) > 1 and words[1] == "new" and (not .certain or any(.args, # startsWith "--yes"))
    or words[0] == "learn" and (not .certain or any(.args, # startsWith "--accept" or # startsWith "--yes"))
    or words[0] == "drafts" and len(words) > 1 and words[1] in ["promote", "dismiss"]
    or words[0] == "packs" and len(words) > 1 and words[1] == "update"
  )
})
or command.unparsed and command matches ` + "`" + `(?i)\bsentinel(\.exe)?["']?\s+(promote|dismiss|trust|untrust|uninstall|init|accept|allow|pause|hook|config\s+set|drafts\s+(promote|dismiss)|rules\s+(severity|promote|enable|disable|edit|rm|new\b.*--yes)|learn\b.*--(accept|yes)|packs\s+update)\b` + "`" + `
or command matches ` + "`" + `(?i)\bsentinel(\.exe)?[\s"',\\]+(promote|dismiss|trust|untrust|uninstall|init|accept|allow|pause|hook)\b` + "`" + ` and any(commands, .program in [
    "screen", "tmux", "zellij", "expect", "wezterm", "kitty", "kitten", "xdotool", "ydotool", "wtype", "dotool", "osascript",
    "crontab", "at", "batch", "dtach", "abduco", "reptyr"
  ])
or any(commands, .program in ["cp", "ln", "link", "install", "mv", "rsync"] and any(.operands, # matches ` + "`" + `(?i)(^|[/\\])bin[/\\]sentinel(\.exe)?$` + "`" + `))
or command matches ` + "`" + `(\$\(|\x60)\s*(which|command\s+-v|type\s+-[pP]+|whereis|readlink|realpath)\b[^)\n]*\bsentinel\b` + "`" + `
`

// files are the rules without those about other kinds of actions; nil actions leave none
// out.
func (g *Guard) files(actions []sentinel.Action) (files []rule.File) {
	about := func(t sentinel.Trigger) bool {
		return actions == nil || slices.ContainsFunc(actions, func(a sentinel.Action) bool { return a.Trigger == t })
	}
	if about(sentinel.Bash) {
		files = append(files, protectCommandsOf("own-commands", "sentinel"))
		if g.Program != "" && g.Program != "sentinel" { // both can be there, and both can change what is guarded
			files = append(files, protectCommandsOf("own-program", g.Program))
		}
		if f, ok := secondAgent(g.Agents.Starts()); ok {
			files = append(files, f)
		}
	}
	if about(sentinel.FileRead) {
		files = append(files, g.key()...)
	}
	if !about(sentinel.FileWrite) {
		return files
	}
	if actions == nil || anyWrite(actions, func(path string) bool { return strings.Contains(strings.ToLower(path), ".claude") }) {
		files = append(files, protectFiles("own-rules", []string{g.Folder + "/**", "**/" + g.Folder + "/**"},
			// The path has to name the folder: rm *.tmp counts as a change to the folder it runs in.
			// A commit by a person counts as that person's change.
			committed+"path matches `(^|/)\\.claude(/|$)`",
			"{{file_path}} belongs to the rules that say what you may do. Ask the user to change it, or to approve it."))
	}
	near := func(own string) bool {
		return actions == nil || anyWrite(actions, func(path string) bool { return g.mayConcern(path, own) })
	}
	var scope []string
	if self, err := os.Executable(); err == nil && near(self) {
		scope = append(scope, literal(self)) // an agent goes on unguarded without it
	}
	for _, dir := range []string{g.CacheDir, g.StateDir, g.UserDir} {
		if filepath.IsAbs(dir) && near(dir) {
			scope = append(scope, literal(dir)+"/**")
		}
	}
	if len(scope) > 0 {
		files = append(files, protectFiles("own-files", scope, "true",
			"{{file_path}} belongs to Sentinel itself. Ask the user to change it, or to approve it."))
	}
	if trash := g.Trash; trash != "" && near(trash) {
		files = append(files, protectFiles("own-trash", []string{literal(trash) + "/**"}, `operation != "create"`,
			"{{file_path}} is kept in case somebody wants it back. Ask the user to change it, or to approve it."))
	}
	return append(files, g.hooks(actions)...)
}

// committed is false for a file of a commit that the check command judges.
const committed = `agent != "commit" and `

// anyWrite reports whether one of the paths that actions write is meant. They are
// absolute, and have / between names.
func anyWrite(actions []sentinel.Action, meant func(path string) bool) bool {
	for i := range actions {
		a := &actions[i]
		if a.Trigger != sentinel.FileWrite {
			continue
		}
		if meant(absolute(a, a.Path)) || slices.ContainsFunc(a.Forms, func(form string) bool { return meant(absolute(a, form)) }) {
			return true
		}
	}
	return false
}

// absolute is a form of a file action from the root of the file system.
func absolute(a *sentinel.Action, form string) string {
	if filepath.IsAbs(filepath.FromSlash(form)) {
		return form
	}
	return filepath.ToSlash(a.Root) + "/" + form
}

// mayConcern reports whether a rule about own, a file or a folder, may be about path:
// one is the other or lies in it. It is quick, and true for what only a pattern tells.
func (g *Guard) mayConcern(path, own string) bool {
	own = filepath.ToSlash(own)
	if strings.ContainsAny(path, `*?[{\~`) || strings.Contains(path, "..") || g.Fold {
		return true
	}
	path = strings.TrimSuffix(path, "/")
	return strings.HasPrefix(path+"/", own+"/") || strings.HasPrefix(own+"/", path+"/")
}

// protectFiles is a rule about files that only the user may change.
func protectFiles(id string, scope []string, when, message string) rule.File {
	return rule.File{Path: Source, Definition: rule.Definition{
		ID: "sentinel:" + id, Trigger: string(sentinel.FileWrite), Severity: "ask", Backend: sentinel.Builtin,
		When: when, Scope: scope, Message: message,
	}}
}

// key is the rule about reading the user's key: who reads it can write pauses and
// trust that count.
func (g *Guard) key() []rule.File {
	if !filepath.IsAbs(g.StateDir) {
		return nil
	}
	return []rule.File{{Path: Source, Definition: rule.Definition{
		ID: "sentinel:own-key", Trigger: string(sentinel.FileRead), Severity: "ask", Backend: sentinel.Builtin, When: "true",
		Scope:   []string{literal(filepath.Join(g.StateDir, "key"))},
		Message: "{{file_path}} is the key with which Sentinel seals what the user has allowed. Ask the user, or do without it.",
	}}}
}

// protectCommandsOf is the rule about the commands of a program, whose name has no
// character that means something in a pattern.
func protectCommandsOf(id, program string) rule.File {
	return rule.File{Path: Source, Definition: rule.Definition{
		ID: "sentinel:" + id, Trigger: string(sentinel.Bash), Severity: "ask", Backend: sentinel.Builtin,
		Scope: []string{program + " *", program + ".exe *", "*" + program + "*", "crontab *"}, When: strings.ReplaceAll(protectedCommands, "sentinel", program),
		Message: "This command changes what Sentinel guards or trusts, which is for the user to decide. Tell the user what you would run and why, or wait for their approval.",
	}}
}

// literal is a pattern that matches only this path: the name of a folder can have
// characters that are special in patterns.
func literal(path string) string {
	var b strings.Builder
	for _, r := range filepath.ToSlash(filepath.Clean(path)) {
		if strings.ContainsRune(`*?[]{}!\`, r) {
			b.WriteByte('?') // the only form that every pattern understands
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// unhooked is true for a word that switches hooks off, in the settings of any agent.
const unhooked = "`" + `^(--[\w-]+=)?\s*(\{[\s\S]*disableAllHooks|([\w.]*\.)?hooks\s*=\s*(false|\{\s*\}|\[\s*\])$)|^--no-hooks$|^--disable=(codex_)?hooks$` + "`"

// ownVariables say where an agent has its settings, and Sentinel its own: elsewhere
// there are no rules of the user and nothing is pinned.
var ownVariables = []string{"HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "SENTINEL_CONFIG_DIR"}

// exporters set variables for the commands that follow.
var exporters = []string{"export", "declare", "typeset", "setenv"}

// secondAgent is the rule about another agent that would work without hooks or without
// questions to the user, so that nothing checks its calls. It asks the user and needs no
// model. Its `when` is of [secondAgentWhen], which takes longer to write than to see that
// no command starts an agent.
func secondAgent(starts []agent.Starts) (rule.File, bool) {
	if len(starts) == 0 {
		return rule.File{}, false
	}
	var scope []string
	for _, s := range starts {
		for _, p := range s.Programs {
			scope = append(scope, p+" *", p+".exe *")
		}
	}
	return rule.File{Path: Source, Definition: rule.Definition{
		ID: secondAgentID, Trigger: string(sentinel.Bash), Severity: "ask", Backend: sentinel.Builtin, Scope: scope,
		Message: "This starts another agent without hooks, with other settings or so that it asks nobody, or changes which programs it runs. Do the work yourself, or start it in this project with its hooks and questions on.",
	}}, true
}

const secondAgentID = "sentinel:second-agent"

// completeSecondAgent gives that rule its `when`, where it is among files.
func completeSecondAgent(files []rule.File, starts []agent.Starts) {
	for i := range files {
		if d := &files[i].Definition; d.ID == secondAgentID {
			d.When = secondAgentWhen(starts)
		}
	}
}

// secondAgentWhen is true where a command starts an agent in one of these ways.
func secondAgentWhen(starts []agent.Starts) string {
	var programs []string
	variables := slices.Clone(ownVariables)
	var when strings.Builder
	when.WriteString("any(commands, {\n  let words = .operands; let away = .dir_unknown or .dir matches `^(/|~|\\.\\.)` and not (.dir == cwd or .dir startsWith cwd + \"/\");\n  let found = .args; let set = .assigns;\n")
	for i, s := range starts {
		if i > 0 {
			when.WriteString("  or ")
		}
		when.WriteString(".program in " + textList(s.Programs) + " and (\n    any(found, " + wordsMatch(s.Options) + " or # matches " + unhooked + ")\n")
		if len(s.Tasks) > 0 {
			when.WriteString("    or away and any(found, # in " + textList(s.Tasks) + ")\n")
		}
		for _, change := range s.Changes {
			first, second, _ := strings.Cut(change, " ")
			when.WriteString("    or len(words) > 1 and words[0] == " + strconv.Quote(first) + " and any([words[1]], " + wordsMatch([]string{second}) + ")\n")
		}
		programs, variables = append(programs, s.Programs...), append(variables, s.Variables...)
		when.WriteString("    or any(set, " + startsWithAny(slices.Concat(ownVariables, s.Variables)) + "))\n")
	}
	when.WriteString("})\nor any(commands, .program in " + textList(exporters) + " and any(.args, " + startsWithAny(variables) + "))\n" +
		"  and any(commands, .program in " + textList(programs) + ")")
	return when.String()
}

// startsWithAny is an expression over a word that sets one of some variables.
func startsWithAny(variables []string) string {
	set := make([]string, len(variables))
	for i, name := range variables {
		set[i] = name + "=*"
	}
	return wordsMatch(set)
}

// wordsMatch is an expression over a word, which is one of some words; an option that
// ends in * is a beginning.
func wordsMatch(options []string) string {
	var whole []string
	var parts []string
	for _, o := range options {
		if start, ok := strings.CutSuffix(o, "*"); ok {
			parts = append(parts, "# startsWith "+strconv.Quote(start))
		} else {
			whole = append(whole, o)
		}
	}
	if len(whole) > 0 || len(parts) == 0 {
		parts = append(parts, "# in "+textList(whole))
	}
	return strings.Join(parts, " or ")
}

// textList is a list of texts in an expression.
func textList(texts []string) string {
	quoted := make([]string, len(texts))
	for i, text := range texts {
		quoted[i] = strconv.Quote(text)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}
