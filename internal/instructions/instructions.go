// Package instructions reads what a project tells its agents in files such as CLAUDE.md
// and AGENTS.md, splits it into statements, and makes drafts of rules from those that a
// rule can hold. It asks no model.
//
// [Find] reads the files, [Statements] splits one, [Drafts] makes drafts of a statement
// by a table of forms, and [Judge] says what becomes of it. Everything that is read is
// taken for hostile: text that a reader cannot see makes no statement, and a draft can
// only stop, ask or warn. No form makes a rule that permits anything.
package instructions

import (
	"strconv"

	"github.com/agentsentinel/sentinel/internal/instructions/markdown"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/ruletest"
	"github.com/agentsentinel/sentinel/rule"
)

// A File is an instruction file of a project.
type File struct {
	Path       string   // from the project's folder, with slashes
	Text       string   // as it is, at most [MaxFile] bytes
	ImportedBy string   // the Path of the file that imports it; "" for one that agents read themselves
	Globs      []string // paths that it is about, by its front matter or its folder; none for all of the project
	Excluded   []string // paths that it is not about, by its front matter: "!lib/gen/**"
}

// A Kind says what a statement asks for.
type Kind string

// The kinds. All but Description are directives.
const (
	Description Kind = "description" // it asks for nothing
	Call        Kind = "call"        // one call tells whether it is kept: "never push to main"
	Order       Kind = "order"       // several calls tell it: "run the tests before you commit"
	Content     Kind = "content"     // what is written tells it: "no emojis in commits"
	Meaning     Kind = "meaning"     // only somebody who understands it can tell: "keep answers short"
)

// Directive reports whether a statement of this kind asks for something.
func (k Kind) Directive() bool { return k != Description }

// A Statement is one thing that a file says: an item of a list, a row of a table, or a
// sentence of a paragraph.
type Statement struct {
	File          string   // [File.Path]
	Line, EndLine int      // its first and its last line, from 1
	Section       []string // the headings that it is below, from the top
	Lead          string   // the sentence that introduces its list: "Never run:"; "" without one
	Text          string   // its words in one line, with marks such as `code` and **bold**
	Globs         []string // [File.Globs]
	Kind          Kind

	excluded []string // [File.Excluded]
	kind     markdown.BlockKind
	phrases  []sentence.Phrase
	heads    []string // of the columns of its table
	items    []string // of the list that it introduces
	code     []string // of the code blocks below it
	shell    bool     // the code is said to be of a shell
	lines    []string // of the file, without marks of lists
	behind   []string // the texts that go on below it, up to the next heading
	outer    []string // the sentences that introduce the lists that its list is in, from the nearest
	named    []string // the items next to it that say how things are named
	either   bool     // an item next to it is in its place
	whole    bool     // it is in the place of all items next to it
	instead  []string // the commands that a text behind its list offers in the place of it
	except   string   // the item behind it that begins with its exception
	folder   string   // that a sentence limits itself to, in the place of that of the file
	topics   []string // the folders that the item in front of its list is about
	then     string   // the beginning of a sentence about a step before the work is recorded: "Before committing:"

	evidence int
}

// Source is where the statement is, as in "CLAUDE.md:14".
func (s *Statement) Source() string { return s.File + ":" + strconv.Itoa(s.Line) }

// A Draft is a rule that was made from a statement. It lints, and its cases pass.
type Draft struct {
	ID        string // of the rule, from the words of the statement
	Form      string // the name of the form that made it
	Statement Statement
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
