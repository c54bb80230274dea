package rule

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel"
)

//go:generate go test -run=^TestGenerated$ . -update

// A Definition is the content of a rule file. [Parse] fills ID, Trigger and
// Severity with their defaults; what could not be read of the other keys is
// empty.
type Definition struct {
	ID       string          `yaml:"id" json:"id" default:"(the file's name)" jsonschema:"Unique name: letters, digits, dot, underscore, hyphen and colon, at most 128."`
	Trigger  string          `yaml:"trigger" json:"trigger" enum:"file_write,bash,mcp,file_read,any" default:"any" jsonschema:"Kind of action. any means file_write, bash and mcp."`
	Severity string          `yaml:"severity" json:"severity" enum:"block,ask,warn,info" default:"block" jsonschema:"What a violation leads to: block stops the action, ask has the user approve it, warn tells the agent. info only gives advice."`
	Post     bool            `yaml:"post" json:"post" default:"false" jsonschema:"With info: a model writes the advice after the tool has run."`
	Phase    string          `yaml:"phase" json:"phase" enum:"tool,stop" default:"tool" jsonschema:"tool judges each call before it runs; stop judges once, at the end of a turn."`
	Scope    []string        `yaml:"scope" vital:"true" json:"scope" default:"(every target)" jsonschema:"Patterns of paths, of commands or of server:tool. One of them must match."`
	Exclude  []string        `yaml:"exclude" json:"exclude" default:"(none)" jsonschema:"Patterns that exempt what the scope matched."`
	Backend  string          `yaml:"backend" json:"backend" default:"(configured)" jsonschema:"Judge of this rule, as in backend of the configuration. builtin asks no model: when is the verdict."`
	Model    string          `yaml:"model" json:"model" default:"(the backend's)" jsonschema:"Model of this rule's own backend."`
	Fallback []string        `yaml:"fallback" json:"fallback" default:"(configured)" jsonschema:"Backends that are asked in turn when the rule's own cannot judge. An empty list means none."`
	When     string          `yaml:"when" vital:"true" json:"when" default:"(always)" jsonschema:"Expression over the action. Where it is false, the rule passes and no model is asked. With builtin and with verdict exact, true is a violation."`
	Verdict  string          `yaml:"verdict" json:"verdict" enum:"judge,exact" default:"judge" jsonschema:"judge asks the backend. exact takes when for the verdict, whatever the backend is."`
	Doubtful string          `yaml:"doubtful" json:"doubtful" default:"(never)" jsonschema:"With verdict exact: an expression. Where when and this are true, the backend is asked."`
	Prompt   string          `yaml:"prompt" vital:"true" json:"prompt" default:"(none)" jsonschema:"Question to the model, or the text of an info rule. It may hold {{variables}}."`
	Message  string          `yaml:"message" json:"message" default:"(the judge's reason)" jsonschema:"What the agent reads on a violation: say what to do instead. It may hold {{variables}}."`
	Intent   bool            `yaml:"intent" json:"intent" default:"false" jsonschema:"With ask: a call that the user asked for in so many words passes."`
	Undo     string          `yaml:"undo" json:"undo" enum:"trash,stash,lease,rename,any" default:"(none)" jsonschema:"Name a command that does the same and loses nothing: trash, stash, lease or rename; any takes whichever fits."`
	Mode     string          `yaml:"mode" json:"mode" enum:"enforce,shadow,off" sought:"enabled,disabled,active" default:"(default_mode)" jsonschema:"shadow judges and records without effect; off takes the rule out of force."`
	Tests    []Case          `yaml:"tests" json:"tests" default:"(none)" jsonschema:"Cases: what the rule has to catch, and what it has to let pass."`
	Draft    json.RawMessage `yaml:"_draft" json:"_draft,omitempty" default:"(none)" jsonschema:"Origin of a learned draft. It has no part in judging."`

	// Conditions on the past, and the source of the rule.
	Requires    Requires    `yaml:"requires" vital:"true" json:"requires,omitzero" default:"(none)" jsonschema:"What must have run before a call in the scope; without a scope, before the turn ends."`
	Also        Also        `yaml:"also" vital:"true" json:"also,omitzero" default:"(none)" jsonschema:"Files that must change together."`
	BeforeFirst BeforeFirst `yaml:"before_first" vital:"true" json:"before_first,omitzero" default:"(none)" jsonschema:"What must be read before the session's first write to some files."`
	Once        bool        `yaml:"once" json:"once,omitempty" default:"false" jsonschema:"With ask: after one approval the rule asks no more in that session."`
	Source      string      `yaml:"source" json:"source,omitempty" default:"(none)" jsonschema:"Line that the rule comes from, such as CLAUDE.md:14. The agent reads it with the message."`
	Quote       string      `yaml:"quote" json:"quote,omitempty" default:"(none)" jsonschema:"Words of that line. By them Sentinel notices that the line has changed."`
}

// A Case is one action and what the rule is to say of it. Exactly one of Bash,
// Write, Read and MCP is set.
type Case struct {
	Bash    string          `yaml:"bash" json:"bash,omitempty" jsonschema:"A command line."`
	Write   string          `yaml:"write" json:"write,omitempty" jsonschema:"Path of a file to write."`
	Read    string          `yaml:"read" json:"read,omitempty" jsonschema:"Path of a file to read."`
	MCP     string          `yaml:"mcp" json:"mcp,omitempty" jsonschema:"An MCP tool, as server:tool."`
	Content string          `yaml:"content" json:"content,omitempty" jsonschema:"With write: the new text."`
	Old     string          `yaml:"old" json:"old,omitempty" jsonschema:"With write: the text that is replaced, which makes it an edit."`
	Args    json.RawMessage `yaml:"args" json:"args,omitempty" jsonschema:"With mcp: the arguments."`
	Before  []Step          `yaml:"before" json:"before,omitempty" jsonschema:"What happened earlier in the session, in order."`
	Turn    []string        `yaml:"turn" json:"turn,omitempty" jsonschema:"With phase stop: commands that ran later in the turn."`
	Asked   []string        `yaml:"asked" json:"asked,omitempty" jsonschema:"What the user asked for before, the last request last."`
	Expect  string          `yaml:"expect" json:"expect,omitempty" enum:"violation,pass" jsonschema:"violation or pass."`
	Answer  json.RawMessage `yaml:"answer" json:"answer,omitempty" jsonschema:"Recorded answer of the model."`
}

// ParseSeverity is the severity that a rule file has a word for. Of another word, and of
// none, it is an error.
func ParseSeverity(name string) (s sentinel.Severity, err error) {
	if s.UnmarshalText([]byte(name)) != nil || s == sentinel.SeverityUnset {
		return sentinel.SeverityUnset, fmt.Errorf("unknown severity %q (want block, ask, warn or info)", name)
	}
	return s, nil
}

// stop is the value of `phase` with which a rule judges turns.
const stop = "stop"

// judges reports whether the rule judges actions of a kind in a phase.
func (d *Definition) judges(phase sentinel.Phase, trigger sentinel.Trigger) bool {
	spec := sentinel.RuleSpec{Post: d.Post, Stop: d.Phase == stop, Turns: d.turns()}
	return spec.Judges(phase, trigger)
}

// turns reports whether the rule judges writes at the end of a turn, and other calls
// before they run.
func (d *Definition) turns() bool {
	return len(d.Also.Changed) > 0 && slices.Contains(d.Also.By, byTurn) && len(d.Also.By) > 1
}

// A File is a rule file that was read.
type File struct {
	Path       string     // for messages: as the person knows the file
	Abs        string     // absolute path, which identifies the file of a broken rule; "" without a file
	Definition Definition // what could be read
	Line       int        // on which the definition begins
	Problems   []Problem
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
