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
	"unicode/utf8"

	"github.com/agentsentinel/sentinel/shell/internal/recipe"
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

	proofs []proof // of each of Commands, in the order in which they were read
	order  []int   // where each of Commands is in proofs, and place is the reverse; nil if
	place  []int   // both have one order, which a loop or a function changes

	parents []int // of each process, the one that starts it; the line's own is 0
	partly  []int // processes of whose text a part is not understood

	whole *part // of a line that [Line.Only] made
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
	OriginSettings               // a formatter's own choice among the files below a folder
)

var originNames = [...]string{"literal", "glob", "listing", "variable", "stdin", "unknown", "settings"}

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

// Options are the settings of [Parse]. nil means the zero value.
type Options struct {
	// ReadScript returns the content of a script that the line runs, of a file of
	// recipes (Makefile, package.json and their like) or of SQL, or of a patch that
	// it applies; more than MaxRead bytes of it are of no use. path is
	// as written, relative to the folder that the line starts in. Of a script
	// 256 KB are looked at, of the others 1 MB, in one Parse at most 32 files and
	// 4 MB; scripts that scripts run are asked for three levels deep. The error
	// [ErrNotRead] sets Line.Bounded; any other error means that the file does not
	// exist. With nil, files are named in Command.Script and not read.
	ReadScript func(path string) (string, error)

	// GitFolder reports whether a folder is one of git's own, as .git of a repository is, in the
	// way in which git finds that out. path is as in ReadScript. It is asked for a sub-command that git
	// does not have. With nil, the settings of the repositories above a folder count, too.
	GitFolder func(path string) bool

	// PowerShell says that the whole text is PowerShell and not a POSIX shell.
	PowerShell bool
}

// Bounds of one Parse. Each is far above what a person or an agent writes, and
// low enough that the worst text costs milliseconds and not the hook's time.
const (
	maxText     = 1 << 20 // bytes of a text that are read
	maxDepth    = 48      // texts nested in each other: bash -c "bash -c …"
	maxCommands = 2000    // commands of one line
	maxSteps    = 20_000  // statements walked, counting each round of a loop and each call of a function
	maxNesting  = 400     // statements nested in each other in one text
	maxBrackets = 2_000   // open brackets, which the parser answers with its stack
	maxKeywords = 20_000  // open if, for, while …: the same
	maxGrowth   = 1 << 20 // bytes that expansions may produce in all

	// own is the part of these that is kept for the line itself: a script or a recipe that uses up the
	// others takes nothing from what is behind it.
	own         = 5
	maxWrappers = 32   // names in Command.Wrappers
	maxWords    = 1024 // words that one word may expand to
	maxScript   = 256 << 10
	maxPatch    = 1 << 20
	maxScripts  = 32      // files that are read
	maxAsked    = 256     // files that are asked for, those that do not exist included
	maxReadAll  = 4 << 20 // bytes of all files that are read
	maxCode     = 1 << 20 // bytes of the programs in other languages, each as often as it runs

	maxScriptDepth = 3 // scripts that run each other
)

// MaxRead is how many bytes of one file ReadScript need return: one more than are
// looked at, so that a longer file is known to be longer.
const MaxRead = maxPatch + 1

// Parse reads text as a Bash command line, or as PowerShell when the options say
// so. It never fails and never panics: Line.Unparsed names the parts that are not
// understood, and the text around them is still read. opts may be nil.
//
// The whole takes time and memory in proportion to the text, up to fixed bounds
// for its length (1 MB), nesting (48 texts inside each other), commands (2,000),
// expansion (1 MB) and programs in other languages (1 MB, each as often as it runs); Line.Unparsed names a bound that was
// reached, and Line.Bounded is set. Parse is safe for concurrent use when opts.ReadScript is.
//
// A fault of the reader itself leaves a line without commands that counts as bounded, so that
// no rule takes it for harmless.
func Parse(text string, opts *Options) (line *Line) {
	defer func() {
		if cause := recover(); cause != nil {
			line = &Line{Text: text, Bounded: true, Unparsed: fmt.Sprintf("internal error: %v", cause)}
		}
	}()
	a := newAnalyzer(&Line{Text: text, Commands: make([]Command, 0, expectedCommands(text))}, handlers{fileHandlers[:], runHandlers[:]})
	if opts != nil {
		a.opts = *opts
	}
	src := text
	if len(src) > maxText {
		src = src[:maxText]
		a.bounded("longer than 1 MB: the rest was not read")
	}
	if !utf8.ValidString(src) {
		src = maskInvalid(src)
		a.unparsed("not valid UTF-8")
	}
	w := walker{analyzer: a, frame: &frame{src: src}, env: &env{}}
	if a.opts.PowerShell {
		w.powerShell(src, 0)
	} else {
		w.text(src)
	}
	a.finish()
	return a.line
}

// expectedCommands guesses from separators how many commands a text has, so
// that the list need not grow.
func expectedCommands(text string) int {
	n := 1
	for i := 0; i < len(text) && n < 8; i++ {
		switch text[i] {
		case ';', '|', '&', '\n', '`', '(':
			n++
			i++ // && and || are one
		}
	}
	return n
}

// An analyzer is the state of one Parse.
type analyzer struct {
	opts        Options
	line        *Line
	reasons     []string
	steps       int
	nesting     int
	grown       int
	recipes     recipe.Budget // for all files of recipes
	last        int           // index of the command recorded last
	opened      []readFile
	gitNames    map[string]map[string][]gitAlias // of git, by the files that they are in
	gitKept     map[string]variable              // settings of git that the line writes to files
	gitUnsure   bool                             // settings of git are not known any more
	gitCorrects bool                             // see corrects
	gitChanged  gitChanges
	statuses    int       // how many statements have a status of their own
	mounted     []mounted // commands in containers
	found       int       // files of them that exist
	looked      int       // nodes of the bodies of endless loops
	choices     int       // how many more than one, at most, in the statement that is walked
	written     []written // what the line itself wrote
	carried     *[]*Line  // Line.Carried of the whole line
	tried       int       // readings for it
	links       []link    // second names that the line itself gave
	senders     []sender  // commands that send what they read
	away        []Effect  // what is read of other machines, for the senders there
	feeders     []int     // for each command the first one that feeds it; itself when none does

	bytesRead int // of files
	codeRead  int // bytes of programs that were read, each time they run

	followedSends int // effects that were looked at to find what is sent
	handlers
}

// newAnalyzer returns the state for a line of which nothing is read yet.
func newAnalyzer(line *Line, h handlers) *analyzer {
	return &analyzer{line: line, handlers: h, carried: &line.Carried}
}

// unparsed notes why a part of the text is not understood, each reason once.
func (a *analyzer) unparsed(reason string) { a.unparsedIn(0, reason) }

// unparsedIn notes the same of the text that a process runs.
func (a *analyzer) unparsedIn(process int, reason string) {
	if len(a.reasons) < 8 && !slices.Contains(a.reasons, reason) {
		a.reasons = append(a.reasons, reason)
	}
	if !slices.Contains(a.line.partly, process) {
		a.line.partly = append(a.line.partly, process)
	}
}

// Reasons that are given in more than one place.
const (
	tooMany = "too many commands: the rest was not read"
	tooDeep = "nested too deep"
	tooBig  = "expansion grows too large"

	tooManyFiles = "more than 32 files or 4 MB of scripts: the others were not read"
)

// bounded notes the bound that was reached, so that a part of the text is not read.
func (a *analyzer) bounded(reason string) { a.boundedIn(0, reason) }

// boundedIn notes that a process runs a file that was not read whole. Where the
// process is not the line's own, its text does nothing to the rest of the line.
func (a *analyzer) boundedIn(process int, reason string) {
	a.line.Bounded = true
	a.unparsedIn(process, reason)
}

// bounded notes that a bound was reached in what is walked now.
func (w walker) bounded(reason string) { w.boundedIn(w.process, reason) }

// unparsed notes that what is walked now could not be read.
func (w walker) unparsed(reason string) { w.unparsedIn(w.process, reason) }

// bound is a bound as it holds where the walk is.
func (w walker) bound(most int) int {
	if w.process == 0 {
		return most
	}
	return most - most/own
}

// grow counts n bytes of expanded text and reports whether there is room.
func (w walker) grow(n int) bool {
	if w.grown+n > w.bound(maxGrowth) {
		w.bounded(tooBig)
		return false
	}
	w.analyzer.grown += n
	return true
}

// step counts one statement and reports whether the walk may go on.
func (w walker) step() bool {
	if w.steps >= w.bound(maxSteps) || len(w.line.Commands) >= w.bound(maxCommands) {
		w.bounded(tooMany)
		return false
	}
	w.analyzer.steps++
	return true
}

// finish puts the commands in the order of the source. They are recorded in the
// order of execution, in which $(…) comes before the command that uses it.
func (a *analyzer) finish() {
	l := a.line
	a.ownFolders()
	a.sent()
	a.ran()
	a.emptied()
	l.Unparsed = strings.Join(a.reasons, "; ")
	for i := range l.Commands {
		if c := &l.Commands[i]; c.Endless {
			l.Effects = append(l.Effects, Effect{Kind: EffectSpawn, Object: c.Program, Command: i, Certain: c.Certain})
		}
	}
	byStart := func(x, y Command) int { return x.Span.Start - y.Span.Start }
	if slices.IsSortedFunc(l.Commands, byStart) {
		return
	}
	order := make([]int, len(l.Commands))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return byStart(l.Commands[i], l.Commands[j]) })
	sorted := make([]Command, len(order))
	place := make([]int, len(order))
	for to, from := range order {
		sorted[to], place[from] = l.Commands[from], to
	}
	l.Commands, l.order, l.place = sorted, order, place
	for i := range l.Effects {
		l.Effects[i].Command = place[l.Effects[i].Command]
	}
}
