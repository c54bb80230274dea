package rule

import (
	"encoding/json"
	"path"
	"strings"

	"github.com/agentsentinel/sentinel"
)

//go:generate go test -run=^TestGenerated$ . -update

// A Definition is the content of a rule file. [Parse] fills ID, Trigger and
// Severity with their defaults; what could not be read of the other keys is
// empty.
type Definition struct {
	ID       string          `yaml:"id" json:"id" default:"(the file's name)" jsonschema:"Name of the rule, unique: letters, digits, dot, underscore, hyphen and colon, at most 128. Default: the file's name without its ending."`
	Trigger  string          `yaml:"trigger" json:"trigger" enum:"file_write,bash,mcp,file_read,any" default:"any" jsonschema:"Kind of action the rule is about. any means file_write, bash or mcp."`
	Severity string          `yaml:"severity" json:"severity" enum:"block,ask,warn,info" default:"block" jsonschema:"What becomes of a violation: block stops the action, ask has a person approve it, warn tells the agent, info adds text and judges nothing."`
	Post     bool            `yaml:"post" json:"post" default:"false" jsonschema:"Of an info rule: after the tool has run, a model writes the text from the prompt, the tool's output and the session so far."`
	Phase    string          `yaml:"phase" json:"phase" enum:"tool,stop" default:"tool" jsonschema:"When the rule judges: tool, each call before it runs; stop, once at the end of a turn, what the turn did. A block then keeps the agent at work."`
	Scope    []string        `yaml:"scope" vital:"true" json:"scope" default:"(every target)" jsonschema:"Patterns; the rule is about an action that one of them matches: paths of files, commands, or server:tool."`
	Exclude  []string        `yaml:"exclude" json:"exclude" default:"(none)" jsonschema:"Patterns that exempt what the scope matched."`
	Backend  string          `yaml:"backend" json:"backend" default:"(backend of the configuration)" jsonschema:"Who judges this rule: ollama, claude, copilot, openai, anthropic, command, builtin. builtin asks no model: when is the verdict."`
	Model    string          `yaml:"model" json:"model" default:"(the backend's)" jsonschema:"Model that judges this rule. It goes to the rule's own backend alone."`
	Fallback []string        `yaml:"fallback" json:"fallback" default:"(fallback of the configuration)" jsonschema:"Backends that are asked in turn when the rule's own cannot judge. An empty list means none."`
	When     string          `yaml:"when" vital:"true" json:"when" default:"(always)" jsonschema:"Expression over the action. With a model it is a first check that costs nothing: where it is false the model is not asked. With builtin, and with verdict exact, it is the verdict: true is a violation."`
	Verdict  string          `yaml:"verdict" json:"verdict" enum:"judge,exact" default:"judge" jsonschema:"Who decides: judge asks the backend; exact takes when for the verdict, whatever the backend is, and asks a model only where doubtful is true."`
	Doubtful string          `yaml:"doubtful" json:"doubtful" default:"(never)" jsonschema:"With verdict exact: an expression. Where when and this are true, the backend is asked."`
	Prompt   string          `yaml:"prompt" vital:"true" json:"prompt" default:"(none)" jsonschema:"What the model is asked, or the text of an info rule. {{variables}} are replaced by parts of the action."`
	Message  string          `yaml:"message" json:"message" default:"(the judge's reason)" jsonschema:"What the agent reads on a violation: say what to do instead. {{variables}} as in prompt."`
	Intent   bool            `yaml:"intent" json:"intent" default:"false" jsonschema:"Of an ask rule: an action that the person has asked for in so many words passes, and is recorded as asked for."`
	Undo     string          `yaml:"undo" json:"undo" enum:"trash,stash,lease,rename,any" default:"(none)" jsonschema:"What is said of a command that the rule stops: the command that does the same and loses nothing. trash moves files away, stash keeps changes, lease pushes only over what is known, rename keeps branches, any takes what fits."`
	Mode     string          `yaml:"mode" json:"mode" enum:"enforce,shadow,off" sought:"enabled,disabled,active" default:"(default_mode of the configuration)" jsonschema:"shadow judges and records, and has no part in the decision. off: the rule is not in force."`
	Tests    []Case          `yaml:"tests" json:"tests" default:"(none)" jsonschema:"Cases that show what the rule is to catch and what not."`
	Draft    json.RawMessage `yaml:"_draft" json:"_draft,omitempty" default:"(none)" jsonschema:"Where a learned draft comes from. It has no part in judging."`

	// What must have happened, and where the rule comes from.
	Requires    Requires    `yaml:"requires" vital:"true" json:"requires,omitzero" default:"(none)" jsonschema:"What must have run before a call of the scope; without a scope by the end of the turn. No model is asked. Keys below."`
	Also        Also        `yaml:"also" vital:"true" json:"also,omitzero" default:"(none)" jsonschema:"Files that change together: when a path of changed changed, one of with must have, too. No model is asked. Keys below."`
	BeforeFirst BeforeFirst `yaml:"before_first" vital:"true" json:"before_first,omitzero" default:"(none)" jsonschema:"What must have been read before the session's first write to some files. No model is asked. Keys below."`
	Once        bool        `yaml:"once" json:"once,omitempty" default:"false" jsonschema:"Of an ask rule: once a person has approved a call, it asks no more in that session. A question that was declined comes again."`
	Source      string      `yaml:"source" json:"source,omitempty" default:"(none)" jsonschema:"Line of a file that the rule comes from, as CLAUDE.md:14. The agent reads it with the message."`
	Quote       string      `yaml:"quote" json:"quote,omitempty" default:"(none)" jsonschema:"With source: the words of that line. By them it is noticed that the line has changed."`
}

// A Case is one action and what the rule is to say of it. Exactly one of Bash,
// Write, Read and MCP is set.
type Case struct {
	Bash    string          `yaml:"bash" json:"bash,omitempty" jsonschema:"A command line."`
	Write   string          `yaml:"write" json:"write,omitempty" jsonschema:"Path of a file that is written."`
	Read    string          `yaml:"read" json:"read,omitempty" jsonschema:"Path of a file that is read."`
	MCP     string          `yaml:"mcp" json:"mcp,omitempty" jsonschema:"An MCP tool, as server:tool."`
	Content string          `yaml:"content" json:"content,omitempty" jsonschema:"With write: the new text."`
	Old     string          `yaml:"old" json:"old,omitempty" jsonschema:"With write: the text that is replaced, which makes it an edit."`
	Args    json.RawMessage `yaml:"args" json:"args,omitempty" jsonschema:"With mcp: the arguments."`
	Before  []Step          `yaml:"before" json:"before,omitempty" jsonschema:"What happened earlier in the session, in this order."`
	Turn    []string        `yaml:"turn" json:"turn,omitempty" jsonschema:"With phase stop: command lines that ran in the same turn, after the action."`
	Asked   []string        `yaml:"asked" json:"asked,omitempty" jsonschema:"What the person has asked for before, the last request last."`
	Expect  string          `yaml:"expect" json:"expect,omitempty" enum:"violation,pass" jsonschema:"What the rule is to say: violation or pass."`
	Answer  json.RawMessage `yaml:"answer" json:"answer,omitempty" jsonschema:"The recorded answer of the model, where one is asked."`
}

// stop is the value of `phase` with which a rule judges turns.
const stop = "stop"

// judges reports whether the rule judges actions of a kind in a phase.
func (d *Definition) judges(phase sentinel.Phase, trigger sentinel.Trigger) bool {
	spec := sentinel.RuleSpec{Post: d.Post, Stop: d.Phase == stop, Turns: d.turns()}
	return spec.Judges(phase, trigger)
}

// A File is a rule file that was read.
type File struct {
	Path       string     // for messages: as the person knows the file
	Abs        string     // absolute path, which identifies the file of a broken rule; "" without a file
	Definition Definition // what could be read
	Line       int        // on which the definition begins
	Problems   []sentinel.Problem
}

// Broken reports whether the file has a fault that makes its rule unusable.
// Warnings do not.
func (f *File) Broken() bool {
	for i := range f.Problems {
		if !f.Problems[i].Warning {
			return true
		}
	}
	return false
}

// IsRuleFile reports whether a file of this name, or path, holds a rule: it ends
// in .yaml, .yml or .json and is neither hidden nor a file of cases (*.tests.*)
// nor a draft (*.draft.*).
func IsRuleFile(name string) bool {
	base := strings.TrimRight(name, `/\`)
	start, dot, dots := 0, -1, 0
	for i := len(base) - 1; i >= 0 && start == 0; i-- { // a folder may hold thousands of files
		switch base[i] {
		case '/', '\\':
			start = i + 1
		case '.':
			dot, dots = max(dot, i), dots+1
		}
	}
	if dot <= start || base[start] == '.' || !ruleEnding(base[dot:]) {
		return false
	}
	if dots == 1 {
		return true
	}
	base = strings.ToLower(base[start:])
	return !strings.Contains(base, ".tests.") && !strings.Contains(base, ".draft.")
}

func ruleEnding(ending string) bool {
	switch ending {
	case ".yaml", ".yml", ".json":
		return true
	}
	ending = strings.ToLower(ending)
	return ending == ".yaml" || ending == ".yml" || ending == ".json"
}

// stem returns a file's name without folder and ending: the id of a rule that
// gives none.
func stem(name string) string {
	base := path.Base(strings.ReplaceAll(name, `\`, "/"))
	return strings.TrimSuffix(base, path.Ext(base))
}
