package instructions

import (
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// A rule that wants a command to run names it in its message. A run of it as the message has it
// has to meet the rule: an agent that does what it is told would else never get on.

var (
	// valued is an argument of a command that gives a value to a name, as in range="a..b", or the
	// folder of one.
	valued = lazy.Regexp{Source: ` (?:-- )?"?-{0,2}[A-Za-z_][\w.-]*=[^ ]*$| [\w.-]+/$`}
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
			return []string{before, before + " *"}, ruletext.Literal(cmd)
		}
	}
	if list, example = patterns(cmd); ofTasks.Get().MatchString(cmd) && len(list) == 2 { // with a task it does another thing
		list[1] = cmd + " -*"
	}
	if ruletext.BareTool.Get().MatchString(cmd) {
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
