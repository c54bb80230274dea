// Package instructions reads what a project tells its agents in files such as CLAUDE.md
// and AGENTS.md, splits it into statements, and makes drafts of rules from those that a
// rule can hold. It asks no model.
//
// [Find] reads the files, [statement.Of] splits one, [Drafts] makes drafts of a statement
// by a table of forms, and [Judge] says what becomes of it. Everything that is read is
// taken for hostile: text that a reader cannot see makes no statement, and a draft can
// only stop, ask or warn. No form makes a rule that permits anything.
//
// A line goes through these packages, in this order:
//
//   - markdown splits the file into blocks;
//   - sentence names what a sentence is about;
//   - forms finds what it says;
//   - statement says of each block what it asks for;
//   - survey looks at what the project's files tell besides, and repo at what the project has;
//   - this package makes the rule (the files rules_*.go), narrows it to what the line is
//     about, and drops it where it may be wrong (draft.go has the order);
//   - ruletext writes it, and checks that it lints and that its cases pass.
//
// Each imports only those before it. Survey and this package also import ruletext, and pathglob, which
// has what is done to patterns of paths.
package instructions

import (
	"github.com/agentsentinel/sentinel/internal/instructions/statement"
	"github.com/agentsentinel/sentinel/internal/ruletest"
	"github.com/agentsentinel/sentinel/rule"
)

// A Draft is a rule that was made from a statement. It lints, and its cases pass.
type Draft struct {
	ID        string // of the rule, from the words of the statement
	Form      string // the name of the form that made it
	Statement statement.Statement
	YAML      string // the rule's file, with its cases
	Why       string // what the rule does, in one sentence

	cases []ruletest.Case // of YAML
}

// A State says what becomes of a statement.
type State string

// The states.
const (
	InForce     State = "in force"           // rules hold it
	CanBe       State = "can be"             // drafts would hold it
	Dropped     State = "dropped"            // a draft would hold it that somebody did not want
	ByLinter    State = "a linter's"         // a linter or formatter of the project can hold it
	NeedsModel  State = "needs a model"      // a rule with a prompt could hold it
	Never       State = "cannot be enforced" // no rule can hold it
	NoDirective State = "no directive"
)

// A Status is what becomes of one statement.
type Status struct {
	State  State
	Rules  []string // ids of the rules that hold it
	Drafts []Draft
	Linter string // which can hold it
	Why    string // in one sentence
}

// Rules are the rules in force of a project.
type Rules struct {
	Definitions []rule.Definition // those with `source` and `quote` are compared with the statement

	// Stops returns the rules that stop the action of a case. It may be nil; then only
	// rules with a source hold a statement.
	Stops func(c rule.Case) (ids []string)
}
