package shell

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agentsentinel/sentinel/shell/internal/recipe"
)

// Options are the settings of [Parse]. nil means the zero value.
type Options struct {
	// ReadScript returns the content of a script that the line runs, of a file of
	// recipes (Makefile, package.json and their like) or of SQL, or of a patch that
	// it applies; more than MaxRead bytes of it are of no use. path is
	// as written, relative to the folder that the line starts in. Of a script
	// 256 KB are looked at, of the others 1 MB, in one Parse at most 32 files and
	// 4 MB; scripts that scripts run are asked for three levels deep. The error
	// [ErrNotRead] sets Line.Bounded; any other one means that there is no such
	// file. nil: files are named in Command.Script and never read.
	ReadScript func(path string) (string, error)

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
	maxWrappers = 32      // names in Command.Wrappers
	maxWords    = 1024    // words that one word may expand to
	maxScript   = 256 << 10
	maxPatch    = 1 << 20
	maxScripts  = 32      // files that are read
	maxAsked    = 256     // files that are asked for, those that do not exist included
	maxReadAll  = 4 << 20 // bytes of all files that are read

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
// for its length (1 MB), nesting (48 texts inside each other), commands (2,000)
// and expansion (1 MB); Line.Unparsed names a bound that was
// reached, and Line.Bounded is set. Parse is safe for concurrent use when opts.ReadScript is.
func Parse(text string, opts *Options) *Line {
	a := &analyzer{line: &Line{Text: text, Commands: make([]Command, 0, expectedCommands(text))}, handlers: handlers{fileHandlers[:], runHandlers[:]}}
	if opts != nil {
		a.opts = *opts
	}
	a.carried = &a.line.Carried
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
	opts     Options
	line     *Line
	reasons  []string
	steps    int
	nesting  int
	grown    int
	recipes  recipe.Budget // for all files of recipes
	last     int           // index of the command recorded last
	opened   []readFile
	statuses int       // how many statements have a status of their own
	found    int       // files of them that exist
	looked   int       // nodes of the bodies of endless loops
	choices  int       // how many more than one, at most, in the statement that is walked
	written  []written // what the line itself wrote
	carried  *[]*Line  // Line.Carried of the whole line
	tried    int       // readings for it
	links    []link    // second names that the line itself gave
	senders  []sender  // commands that send what they read
	away     []Effect  // what is read of other machines, for the senders there
	feeders  []int     // for each command the first one that feeds it; itself when none does

	bytesRead int // of files

	followedSends int // effects that were looked at to find what is sent
	handlers
}

// unparsed notes why a part of the text is not understood, each reason once.
func (a *analyzer) unparsed(reason string) {
	if len(a.reasons) < 8 && !slices.Contains(a.reasons, reason) {
		a.reasons = append(a.reasons, reason)
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
func (a *analyzer) bounded(reason string) {
	a.line.Bounded = true
	a.unparsed(reason)
}

// grow counts n bytes of expanded text and reports whether there is room.
func (a *analyzer) grow(n int) bool {
	a.grown += n
	if a.grown > maxGrowth {
		a.bounded(tooBig)
		return false
	}
	return true
}

// step counts one statement and reports whether the walk may go on.
func (a *analyzer) step() bool {
	a.steps++
	if a.steps > maxSteps || len(a.line.Commands) >= maxCommands {
		a.bounded(tooMany)
		return false
	}
	return true
}

// finish puts the commands in the order of the source. They are recorded in the
// order of execution, in which $(…) comes before the command that uses it.
func (a *analyzer) finish() {
	l := a.line
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
	l.Commands = sorted
	for i := range l.Effects {
		l.Effects[i].Command = place[l.Effects[i].Command]
	}
}
