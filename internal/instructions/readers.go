package instructions

import (
	"slices"

	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// A reader is a sub-command of git that changes things, and also only shows them. A line that
// forbids it is about the changes.
type reader struct {
	cmd, adds string   // an argument with which it changes something
	reads     string   // when it only shows something
	like      []string // such calls
}

var readers = [...]reader{
	{"git tag", "v1.2.3", `len(cmd.operands) < 2 or hasFlag(cmd, "-l", "--list", "-n", "--contains", "--no-contains", "--points-at", "--merged", "--no-merged", "-v", "--verify")`,
		[]string{"git tag", "git tag -l 'v1*'"}},
	{"git branch", "other", `not hasFlag(cmd, "-d", "-D", "--delete", "-m", "-M", "--move", "-c", "-C", "--copy", "-f", "--force", "-u", "--set-upstream-to", "--unset-upstream", "--edit-description")` +
		` and (len(cmd.operands) < 2 or hasFlag(cmd, "-l", "--list", "--contains", "--no-contains", "--points-at", "--merged", "--no-merged"))`,
		[]string{"git branch", "git branch --show-current"}},
	{"git config", "user.name x", `not hasFlag(cmd, "--unset", "--unset-all", "--add", "--replace-all", "--rename-section", "--remove-section", "-e", "--edit")` +
		` and (hasFlag(cmd, "--get", "--get-all", "--get-regexp", "-l", "--list") or get(cmd.operands, 1) in ["get", "list"] or len(cmd.operands) < 3 and get(cmd.operands, 1) not in ["set", "unset", "edit", "rename-section", "remove-section"])`,
		[]string{"git config user.name", "git config --get user.name"}},
	{"git remote", "add other x", `len(cmd.operands) < 2 or get(cmd.operands, 1) in ["show", "get-url"]`,
		[]string{"git remote -v", "git remote get-url origin"}},
}

// toSee is the purpose of a ban of what shows something.
var toSee = lazy.Regexp{Source: `(?i)\b(?:to|for) (?:list|see|show|find|read|view|look|check|inspect|get|discover|determine)(?:ing)?\b`}

// readerOf is the reader that a command is, without anything behind it.
func readerOf(cmd string) *reader {
	if i := slices.IndexFunc(readers[:], func(r reader) bool { return r.cmd == cmd }); i >= 0 {
		return &readers[i]
	}
	return nil
}

// changesOnly reports whether the line is about what a sub-command changes: no other program
// takes its place, and it is not called only to see something.
func (b *builder) changesOnly() bool {
	other := func(t sentence.Term) bool { return sentence.Cleaned(t) == sentence.Program(sentence.Cleaned(t)) }
	return !toSee.Get().MatchString(b.quote) && !slices.ContainsFunc(b.wantedOwn(), other)
}

// sparesReading lets calls pass that only show what a forbidden sub-command of git changes.
func (b *builder) sparesReading(r *ruletext.Rule) {
	if b.hit.Form.Rule != "commands" || r.Trigger != "bash" || r.Requires != nil || !b.changesOnly() {
		return
	}
	for i := range readers {
		of := &readers[i]
		if !slices.Contains(r.Scope, of.cmd+" *") && !slices.Contains(r.Scope, of.cmd+" ?*") {
			continue
		}
		sub := of.cmd[len("git "):]
		r.Except(`(cmd.subcommand == "` + sub + `" and (` + of.reads + `))`)
		for _, cmd := range of.like {
			r.Tests = append(r.Tests, ruletext.AsPass(ruletext.Case{Bash: cmd}))
		}
	}
}
