// Package shell reads a shell command line and says what it would do: the
// simple commands it runs, in canonical form, and what they do to files.
//
// [Parse] is a reader, not a shell. It runs nothing, touches no file (unless
// [Options].ReadScript lets it read scripts) and never fails: what it cannot
// understand is named in [Line].Unparsed. It follows what is in the text
// itself: quotes, variables, functions and aliases of the same line, cd, pipes
// into a shell, programs that run other programs. A part that depends on the
// machine (an unset variable, a pattern of file names, the output of curl) is
// left as written, and the command is marked as not Certain.
//
// Text that is only mentioned stays data: a commit message, the words of echo,
// a heredoc to cat, the pattern of grep. It is in Command.Args or
// Command.Stdin, and never a Command of its own.
//
// A [Line] is immutable, so one Parse serves many readers at once.
package shell

import (
	"fmt"
	"slices"
	"strings"
)

// A Span is a range of bytes in the text of the line it belongs to: Start is
// the first byte, End the one after the last.
type Span struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

// A Line is a command line that was understood as far as it can be. It is
// immutable once [Parse] has returned it.
type Line struct {
	Text     string    `json:"text,omitempty"`     // as given
	Commands []Command `json:"commands"`           // every simple command the line runs, nested ones too, in the order of the source
	Effects  []Effect  `json:"effects"`            // what the commands do to files, other machines, history, services and the like
	Unparsed string    `json:"unparsed,omitempty"` // why a part of the text could not be understood; "" if all of it was

	// Carried are readings of the words of unknown programs: in `frobnicate rm -rf
	// src`, which may run its words, `rm -rf src`, and in `frobnicate "rm -rf src"` too. Each
	// is a line of its own, with the text that it was read from and the folder that it would
	// start in, as if it were certain. None of its commands and effects is in Commands or
	// Effects.
	Carried []*Line `json:"carried,omitempty"`

	// Bounded says that a bound of [Parse] was reached, so that Commands or
	// Effects may be missing; Unparsed says which. A command that
	// is not found in such a line may be there all the same.
	Bounded bool `json:"bounded,omitempty"`

	proofs []proof // of each of Commands
}

// A Command is one simple command in canonical form: its wrappers are taken
// off, quotes are resolved, assignments are dropped, the program is reduced to
// its base name and options that only set a context (git -C dir) are set aside.
//
// Names of programs are made one where several mean the same: python3.11 and
// pypy3 are "python", nodejs is "node", pip3 is "pip", gsed is "sed", and .exe,
// .cmd and .bat are cut off. A bare redirection (> file) is the command ":", and
// one whose program is what another command prints is "$(…)".
type Command struct {
	Text       string   `json:"text,omitempty"`        // canonical text: Program and Args, quoted where a word needs it
	Program    string   `json:"program,omitempty"`     // base name, without .exe: "git"
	Path       string   `json:"path,omitempty"`        // the program word as written, after quote removal: "/usr/bin/git"
	Subcommand string   `json:"subcommand,omitempty"`  // first operand of a program that has sub-commands: "push"; else ""
	Args       []string `json:"args"`                  // every word after the program and its context options, quotes resolved
	Flags      []string `json:"flags"`                 // the words of Args that are options, as written: "-rf", "--force", "--depth=1"
	Operands   []string `json:"operands"`              // the other words of Args, without values of options; Subcommand is the first of them
	Context    []string `json:"context"`               // the context options that were set aside, as written: "-C", "dir"
	Wrappers   []string `json:"wrappers"`              // what it is nested in, outermost first and at most 32: "sudo", "bash -c", "$(…)", "xargs"
	Assigns    []string `json:"assigns"`               // NAME=value words before the program and through env
	Redirects  []string `json:"redirects"`             // operator and target, in order: "> out", "2>> log", "< in", "<< EOF"
	Dir        string   `json:"dir,omitempty"`         // folder it runs in, as far as known from cd in the line: "" unchanged, relative to the start, or absolute
	DirUnknown bool     `json:"dir_unknown,omitempty"` // a cd went to a folder that is not known from the text
	Stdin      string   `json:"stdin,omitempty"`       // its standard input, where known: heredoc, here-string, echo … |; of a client of a database also the files that it runs
	Input      []string `json:"input"`                 // programs whose output it reads through a pipe or <(…), nearest first
	Runs       []string `json:"runs"`                  // programs whose output it runs as code: curl in `curl … | sh`, in bash -c "$(curl …)"
	Script     string   `json:"script,omitempty"`      // file of code that it runs: of bash x.sh, ./x.sh, source x, python x.py
	Network    bool     `json:"network,omitempty"`     // a program that talks to other machines, or a redirection to /dev/tcp
	Background bool     `json:"background,omitempty"`  // started with &, or as a coprocess
	Recursive  bool     `json:"recursive,omitempty"`   // a function or a script that calls itself
	Endless    bool     `json:"endless,omitempty"`     // started again and again without end, and not waited for: a fork bomb
	Span       Span     `json:"span"`                  // its place in Line.Text
	Carrier    string   `json:"carrier,omitempty"`     // the unknown program whose words it was read from: see Line.Carried
	Certain    bool     `json:"certain,omitempty"`     // false: parts of it are guessed (an unknown variable, a glob, a filter that is not followed)

	// It prints its help, its version or what it would do, and does nothing else: --help,
	// git push --dry-run, bash -n. Such a command has no effects. Options of a program that
	// is not known count as acting.
	Inert bool `json:"inert,omitempty"`

	// It waits for commands that the line does not show, as bash, python or psql do without a script. It is not certain then.
	Interactive bool `json:"interactive,omitempty"`
}

// EffectKind is what an [Effect] does. In JSON it is the word of String.
type EffectKind uint8

// The effects a command can have. The zero value is not an effect.
const (
	EffectNone       EffectKind = iota
	EffectCreate                // writes the whole file Path
	EffectEdit                  // changes a part of it
	EffectAppend                // adds to its end
	EffectDelete                // removes it, with everything below when it is a folder and the effect is Recursive
	EffectMove                  // moves it away from Path to To
	EffectRead                  // reads it
	EffectPermission            // changes the mode, owner or access list of Path; Object is the new one
	EffectSend                  // sends the file Path, or Object, to another machine: To is its host or URL
	EffectRun                   // runs text from elsewhere: Object is the URL, host, program or file that it comes from
	EffectLose                  // loses history: Object is the branch, stash, commits, remote or reflog
	EffectProcess               // ends the process, or those that match the pattern, Object
	EffectService               // stops or changes the service, container or machine Object
	EffectDatabase              // drops, empties or overwrites the database, table or key space Object
	EffectSpawn                 // starts the program Object again and again without end, as Command.Endless says
)

var effectNames = [...]string{
	"none", "create", "edit", "append", "delete", "move", "read",
	"permission", "send", "run", "lose", "process", "service", "database", "spawn",
}

// String returns the effect's name in lower case: "create", "read" and so on.
func (k EffectKind) String() string { return wordOf(effectNames[:], k) }

// MarshalText returns the word of String; a value without one is an error.
func (k EffectKind) MarshalText() ([]byte, error) { return textForm(effectNames[:], k) }

// UnmarshalText reads what MarshalText writes; any other word is an error.
func (k *EffectKind) UnmarshalText(text []byte) error { return fromWord(effectNames[:], text, k) }

// OnFile reports whether the effect reads or changes the content or the name of a
// file: create, edit, append, delete, move or read.
func (k EffectKind) OnFile() bool { return k >= EffectCreate && k <= EffectRead }

// Origin is where a command has the path or the object of an effect from. In JSON
// it is the word of String.
type Origin uint8

// The origins of a path or an object.
const (
	OriginLiteral  Origin = iota // it is in the line
	OriginGlob                   // a pattern of file names
	OriginListing                // a command that lists names: find, ls, git ls-files
	OriginVariable               // a variable whose value the line does not tell
	OriginStdin                  // what the command reads through a pipe
	OriginUnknown                // the output of another command, or what else is not known
)

var originNames = [...]string{"literal", "glob", "listing", "variable", "stdin", "unknown"}

// String returns the origin's name in lower case: "literal", "glob" and so on.
func (o Origin) String() string { return wordOf(originNames[:], o) }

// MarshalText returns the word of String; a value without one is an error.
func (o Origin) MarshalText() ([]byte, error) { return textForm(originNames[:], o) }

// UnmarshalText reads what MarshalText writes; any other word is an error.
func (o *Origin) UnmarshalText(text []byte) error { return fromWord(originNames[:], text, o) }

func wordOf[T ~uint8](names []string, v T) string {
	if int(v) < len(names) {
		return names[v]
	}
	return "unknown"
}

func textForm[T ~uint8](names []string, v T) ([]byte, error) {
	if int(v) >= len(names) {
		return nil, fmt.Errorf("shell: value %d has no text form", v)
	}
	return []byte(names[v]), nil
}

func fromWord[T ~uint8](names []string, text []byte, v *T) error {
	i := slices.Index(names, string(text))
	if i < 0 {
		return fmt.Errorf("shell: unknown word %q (want %s)", text, strings.Join(names, ", "))
	}
	*v = T(i)
	return nil
}

// An Effect is one thing that a command does to one path or object.
type Effect struct {
	Kind         EffectKind `json:"kind"`
	Path         string     `json:"path,omitempty"`          // as written, after expansion: relative to Dir, or absolute; "~" is kept, $HOME is written "~"
	Object       string     `json:"object,omitempty"`        // what is not a path: see the kinds
	To           string     `json:"to,omitempty"`            // of EffectMove: where it goes; of EffectSend: the host or URL
	From         string     `json:"from,omitempty"`          // of EffectCreate by the text of a program: the file or folder that is copied there
	Dir          string     `json:"dir,omitempty"`           // as Command.Dir
	DirUnknown   bool       `json:"dir_unknown,omitempty"`   // as Command.DirUnknown
	Content      string     `json:"content,omitempty"`       // the new text, where known from the line
	Old          string     `json:"old,omitempty"`           // the replaced text, where known from the line (a patch)
	ContentKnown bool       `json:"content_known,omitempty"` // Content is all of it; false: something is written that the line does not show
	Command      int        `json:"command"`                 // index in Line.Commands of the command that does it
	Recursive    bool       `json:"recursive,omitempty"`     // of EffectDelete, EffectPermission and EffectSend: with everything below a folder; of EffectCreate by the text of a program: what is unpacked or copied below one
	Remote       bool       `json:"remote,omitempty"`        // of EffectDelete: Path is on another machine or in a container; of EffectRun: the text comes from another machine
	Origin       Origin     `json:"origin,omitempty"`        // where the path or the object is from
	Certain      bool       `json:"certain,omitempty"`       // false: a guess, as in tar x, or a path with an unknown part
}
