package ruletext

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/forms"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// BareTool is a name that an MCP tool may have, or a program.
var BareTool = lazy.Regexp{Source: `^[a-z][a-z0-9]*(?:[_-][a-z0-9]+)*_[a-z0-9]+(?:[_-][a-z0-9]+)*$`}

// stand is a part of a command that an argument replaces.
var stand = lazy.Regexp{Source: `<[^>]*>|\[[^\]]*\]|\{[^}]*\}|\$\{?\w+\}?|( )\.\.\.|…`}

// Literal is a command as a line has it, with an argument in the place of each name for one.
func Literal(cmd string) string { return stand.Get().ReplaceAllString(cmd, "${1}x") }

// literals are the runs of what a duty names, as its message has it, beyond its example.
func (d *Duty) literals() (list []Step) {
	for _, n := range d.Names {
		if forms.ActOf(sentence.Term{Kind: 'a', Text: n}) != nil {
			continue
		}
		said := Literal(n)
		if BareTool.Get().MatchString(said) {
			if server, tool, ok := strings.Cut(said, "_"); ok {
				list = append(list, Step{MCP: "server:" + said}, Step{MCP: server + ":" + tool})
			}
		}
		if said != d.Example && "*:"+said != d.Example {
			list = append(list, Step{Bash: said})
		}
	}
	return slices.DeleteFunc(list, func(s Step) bool { return s == RanStep(d.Example) })
}

// Meets adds to the cases of a rule that each run of what it names is enough.
func (r *Rule) Meets(d *Duty, call Case, before []Step) {
	for _, l := range d.literals() {
		c := call
		if r.Trigger == "" { // at the end of a turn
			if c.Turn = []string{l.Bash}; l.MCP != "" {
				continue // its cases have commands only
			}
		} else {
			c.Before = append(slices.Clone(before), l)
		}
		r.Tests = append(r.Tests, AsPass(c))
	}
}

// A Duty is a list of commands; one of them has to run.
type Duty struct {
	Names, Ran []string
	Example    string
	Dir        string // where the line goes first: `cd web && npm test`
}

// Add adds a command that is enough, by its name in the line and the patterns of its runs.
func (d *Duty) Add(name string, patterns []string, example string) {
	d.Names, d.Ran = append(d.Names, strings.TrimPrefix(name, "*:")), append(d.Ran, patterns...)
	if d.Example == "" {
		d.Example = example
	}
}
