// Package ruletext has the written form of the rule that a draft is: its keys, its cases, and whether it
// lints and its cases pass.
package ruletext

import (
	"bytes"
	"errors"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/agentsentinel/sentinel/internal/instructions/pathglob"
	"github.com/agentsentinel/sentinel/internal/instructions/repo"
	"github.com/agentsentinel/sentinel/internal/text"
)

// A Rule is the written form of a draft. It has none of the keys with which a
// rule could permit, switch off or replace anything.
type Rule struct {
	ID          string       `yaml:"id"`
	Trigger     string       `yaml:"trigger,omitempty"`
	Phase       string       `yaml:"phase,omitempty"`
	Severity    string       `yaml:"severity"`
	Scope       []string     `yaml:"scope,omitempty"`
	Exclude     []string     `yaml:"exclude,omitempty"`
	Requires    *Requires    `yaml:"requires,omitempty"`
	Also        *Also        `yaml:"also,omitempty"`
	BeforeFirst *BeforeFirst `yaml:"before_first,omitempty"`
	Backend     string       `yaml:"backend,omitempty"`
	When        string       `yaml:"when,omitempty"`
	Source      string       `yaml:"source"`
	Quote       string       `yaml:"quote"`
	Message     string       `yaml:"message"`
	Tests       []Case       `yaml:"tests"`

	Why    string `yaml:"-"`
	Warns  bool   `yaml:"-"` // whatever the sentence asks for
	OfCase string `yaml:"-"` // the case that it holds in, where its message leaves it to the reader
}

// Requires is the key requires.
type Requires struct {
	Ran   []string `yaml:"ran"`
	OK    *bool    `yaml:"ok,omitempty"` // nil is true
	Since []string `yaml:"since,omitempty"`
}

// Also is the key also.
type Also struct {
	Changed []string `yaml:"changed"`
	New     bool     `yaml:"new,omitempty"`
	Except  []string `yaml:"except,omitempty"`
	With    []string `yaml:"with"`
	By      []string `yaml:"by,omitempty"`
}

// BeforeFirst is the key before_first.
type BeforeFirst struct {
	Write []string `yaml:"write"`
	Read  []string `yaml:"read"`
}

// A Case is a case of a rule.
type Case struct {
	Bash    string   `yaml:"bash,omitempty"`
	Write   string   `yaml:"write,omitempty"`
	Read    string   `yaml:"read,omitempty"`
	MCP     string   `yaml:"mcp,omitempty"`
	Content string   `yaml:"content,omitempty"`
	Old     string   `yaml:"old,omitempty"`
	Before  []Step   `yaml:"before,omitempty"`
	Turn    []string `yaml:"turn,omitempty"`
	Expect  string   `yaml:"expect"`
}

// MarshalYAML writes a text of many lines as one line.
func (c Case) MarshalYAML() (any, error) {
	type plain Case
	if strings.Count(c.Content, "\n") < 30 {
		return plain(c), nil
	}
	var n yaml.Node
	err := n.Encode(plain(c))
	for i := 1; i < len(n.Content); i += 2 {
		if n.Content[i-1].Value == "content" {
			n.Content[i].Style = yaml.DoubleQuotedStyle
		}
	}
	return &n, err
}

// A Step is what happened before the call of a case.
type Step struct {
	Bash  string `yaml:"bash,omitempty"`
	Write string `yaml:"write,omitempty"`
	Edit  string `yaml:"edit,omitempty"`
	Read  string `yaml:"read,omitempty"`
	MCP   string `yaml:"mcp,omitempty"`
}

// RanStep is a step in which a command, or a tool as *:name, ran.
func RanStep(example string) Step {
	if tool, ok := strings.CutPrefix(example, "*:"); ok {
		return Step{MCP: "server:" + tool}
	}
	return Step{Bash: example}
}

// Words of a case's expect.
const (
	Violation = "violation"
	Pass      = "pass"
)

// AsStop is a case that the rule stops.
func AsStop(c Case) Case { c.Expect = Violation; return c }

// AsPass is a case that the rule lets pass.
func AsPass(c Case) Case { c.Expect = Pass; return c }

// Render is the file of a rule. It refuses texts that a reader cannot see.
func (r *Rule) Render() ([]byte, error) {
	for _, s := range []*string{&r.Message, &r.When} {
		if *s != text.Clean(*s) {
			return nil, errors.New("a text that cannot be seen")
		}
	}
	var out bytes.Buffer
	enc := yaml.NewEncoder(&out)
	enc.SetIndent(2)
	err := errors.Join(enc.Encode(r), enc.Close())
	return out.Bytes(), err
}

// AsCheck makes a rule warn and name a line that tells something else: nil where it cannot.
func (r *Rule) AsCheck(tells string) *Parsed {
	r.Severity, r.Message = "warn", "Check whether the line is about this: "+tells+". "+r.Message
	data, err := r.Render()
	if err != nil {
		return nil
	}
	made := Read(r.ID, data)
	if !made.Holds(Imagined) {
		return nil
	}
	return made
}

// OfSomeFiles reports whether a rule is about tests, about other code than that, or about folders.
func (r *Rule) OfSomeFiles() bool {
	return len(r.Scope) > 0 && (len(r.Exclude) > len(repo.Documents) || !slices.ContainsFunc(r.Scope, func(g string) bool { return strings.HasPrefix(g, "**/*.") && !strings.HasPrefix(g, "**/*.{t,bats,") }))
}

// Except exempts the calls that meet a condition.
func (r *Rule) Except(when string) {
	switch {
	case r.When == "" || r.When == "true":
		r.When = "not " + when
	case strings.Contains(r.When, " or "):
		r.When = "(" + r.When + ") and not " + when
	default:
		r.When += " and not " + when
	}
}

// InOrder is a rule about a command that the line's own order makes old: it has to run once, or
// at the end of a turn once in that turn. Other rules are as they were.
func (r Rule) InOrder(d *Duty, behind []string, change string) Rule {
	if len(behind) == 0 || r.Requires.Since == nil {
		return r
	}
	probe := r
	probe.ID, probe.Severity, probe.Source, probe.Quote = "probe", "warn", "probe:1", "probe"
	ordered := Case{Write: change, Content: "x", Turn: append([]string{d.Example}, behind...)}
	if r.Trigger == "bash" {
		ordered = r.Tests[0]
		ordered.Before = []Step{{Write: change}, {Bash: d.Example}}
		for _, c := range behind {
			ordered.Before = append(ordered.Before, Step{Bash: c})
		}
	}
	probe.Tests = append(slices.Clone(r.Tests), AsPass(ordered))
	if data, err := probe.Render(); err != nil || holds("probe", data, Imagined) {
		return r
	}
	if r.Trigger == "bash" {
		r.Why = strings.TrimSuffix(r.Why, " since the last change.") + "."
		r.Requires, r.Tests = &Requires{Ran: r.Requires.Ran}, r.Tests[:2]
		for i := range r.Tests {
			r.Tests[i].Before = slices.DeleteFunc(slices.Clone(r.Tests[i].Before), func(s Step) bool { return s.Write != "" })
		}
		return r
	}
	r.Trigger, r.Phase, r.Scope = "file_write", "stop", r.Requires.Since
	r.When = "not (" + strings.Join(pathglob.Each(r.Requires.Ran, func(p string) string { return "ran(" + strconv.Quote(p) + ")" }), " or ") + ")"
	r.Requires, r.Message = nil, strings.TrimSuffix(r.Message, " {{missing}}")
	return r
}

// WantsTests reports whether a rule wants files of tests to change with others.
func (r *Rule) WantsTests() bool {
	of := pathglob.OfTests()
	if r.Also != nil {
		return slices.Contains(r.Also.With, of[0])
	}
	return r.Phase == "stop" && slices.Contains(r.Exclude, of[0]) && strings.Contains(r.When, "not changed(")
}
