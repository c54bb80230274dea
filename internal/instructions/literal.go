package instructions

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/forms"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// A rule that wants a command to run names it in its message. A run of it as the message has it
// has to meet the rule: an agent that does what it is told would else never get on.

var (
	// valued is an argument of a command that gives a value to a name, as in range="a..b", or the
	// folder of one.
	valued = lazy.Regexp{Source: ` (?:-- )?"?-{0,2}[A-Za-z_][\w.-]*=[^ ]*$| [\w.-]+/$`}
	// bareTool is a name that an MCP tool may have, or a program.
	bareTool = lazy.Regexp{Source: `^[a-z][a-z0-9]*(?:[_-][a-z0-9]+)*_[a-z0-9]+(?:[_-][a-z0-9]+)*$`}
	// stand is a part of a command that an argument is put in the place of.
	stand = lazy.Regexp{Source: `<[^>]*>|\[[^\]]*\]|\{[^}]*\}|\$\{?\w+\}?|( )\.\.\.|…`}
)

// ranPatterns are the patterns of a command that has to run, with an example of it. They are wider
// than those of one that is forbidden: any value of an argument counts, and a name that a
// tool may have is one, too.
func ranPatterns(cmd string) (list []string, example string) {
	if list = powerShellRuns(cmd, "pwsh *", "powershell *"); list != nil {
		return list, cmd
	}
	if loc := placeholder.Get().FindStringIndex(cmd); loc != nil {
		if at := valued.Get().FindStringIndex(cmd[:loc[0]]); at != nil {
			before := cmd[:at[0]]
			if len(strings.Fields(before)) < 2 && sentence.Words().IsProgram[before] {
				return nil, ""
			}
			return []string{before, before + " *"}, literal(cmd)
		}
	}
	if list, example = patterns(cmd); ofTasks.Get().MatchString(cmd) && len(list) == 2 { // with a task it does another thing
		list[1] = cmd + " -*"
	}
	if bareTool.Get().MatchString(cmd) {
		tools, _ := patterns("*:" + cmd)
		list = append(list, tools...)
	}
	return list, example
}

// powerShellScript is a script of PowerShell with its arguments, which may be run in several ways.
var powerShellScript = lazy.Regexp{Source: `^(?:(?:pwsh|powershell)(?:\.exe)?(?: -[A-Za-z]+(?: (?:Bypass|RemoteSigned|Unrestricted))?)* )?(?:\./)?([\w./-]+\.ps1)((?: [\w./:=-]+)*)$`}

// powerShellRuns are patterns of the runs of a script of PowerShell: by itself, and behind some
// fronts. There are none for another command.
func powerShellRuns(cmd string, fronts ...string) (list []string) {
	m := powerShellScript.Get().FindStringSubmatch(cmd)
	if m == nil {
		return nil
	}
	all := []string{"./" + m[1], ".?" + strings.ReplaceAll(m[1], "/", "?")} // the second with backslashes
	for _, front := range fronts {
		all = append(all, front+m[1])
	}
	for _, run := range all {
		list = append(list, run+m[2], run+m[2]+" *")
	}
	return list
}

// ofTasks is a program that runs its default task where none is named.
var ofTasks = lazy.Regexp{Source: `^(?:bundle exec |npx |\./)?(?:rake|make|gmake|just|gulp|grunt|mage|nox|tox|invoke|inv|task)$`}

// literal is a command as a line has it, with an argument in the place of each name for one.
func literal(cmd string) string { return stand.Get().ReplaceAllString(cmd, "${1}x") }

// literals are the runs of what a duty names, as its message has it, beyond its example.
func (d *duty) literals() (list []step) {
	for _, n := range d.names {
		if forms.ActOf(sentence.Term{Kind: 'a', Text: n}) != nil {
			continue
		}
		said := literal(n)
		if bareTool.Get().MatchString(said) {
			if server, tool, ok := strings.Cut(said, "_"); ok {
				list = append(list, step{MCP: "server:" + said}, step{MCP: server + ":" + tool})
			}
		}
		if said != d.example && "*:"+said != d.example {
			list = append(list, step{Bash: said})
		}
	}
	return slices.DeleteFunc(list, func(s step) bool { return s == ranStep(d.example) })
}

// meets adds to the cases of a rule that each run of what it names is enough.
func (r *ruleFile) meets(d *duty, call ruleCase, before []step) {
	for _, l := range d.literals() {
		c := call
		if r.Trigger == "" { // at the end of a turn
			if c.Turn = []string{l.Bash}; l.MCP != "" {
				continue // its cases have commands only
			}
		} else {
			c.Before = append(slices.Clone(before), l)
		}
		r.Tests = append(r.Tests, passes(c))
	}
}
