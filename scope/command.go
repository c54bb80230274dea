package scope

import (
	"slices"
	"strings"
	"sync"

	"github.com/agentsentinel/sentinel/shell"
)

// CheckCommand says what is wrong with a command pattern. The error is a
// [*PatternError].
func CheckCommand(pattern string) error {
	if _, known := effectKind(strings.TrimSpace(pattern)); !known && strings.HasPrefix(strings.TrimSpace(pattern), effectPrefix) {
		return &PatternError{Pattern: pattern, Offset: len(effectPrefix), Message: "there is no effect with this name; docs/when.md lists them"}
	}
	_, err := parse(pattern, false, false)
	return err
}

// Commands is a list of command patterns. It is safe for concurrent use; a
// pattern is compiled when a line comes by that has its longest word.
//
// A pattern is tried on every simple command of a line, in whatever it is
// hidden, and matches in two ways.
//
// By its text: it is a glob in which * matches anything, and has to match the
// whole of the command, in canonical form or as it was written. rm -rf * matches
// `rm -rf x`, and *DROP TABLE* matches `psql -c 'DROP TABLE users'`.
//
// By its meaning: its first word is the program. A word that begins with - is
// looked for among the flags, at any place and in any spelling: -rf is in -fr, in
// -r -f and in --recursive --force. Its other words are the operands in their
// order. A * at the end means that there may be anything more; without it there
// must not be. So `git push --force*` catches `cd x && sudo git -C . push origin
// main --force`. Names of sub-commands are never skipped: docker rm* is not about
// `docker run rm-old`. The first words may be a wrapper: sudo rm*. One run can be written
// in several ways, and a pattern of one is about all: scripts/x.sh is ./scripts/x.sh, bash
// scripts/x.sh, and ./x.sh behind cd scripts; pnpm x is pnpm run x, python -m mypy is mypy,
// and ./dist is dist.
//
// A pattern that no simple command matches is also tried on each pipeline, and,
// when it begins with * or contains an operator such as | or >, on the whole
// line: *curl*|*sh* needs both.
//
// A pattern such as effect:delete names an effect and not a program: it matches each
// command that has one of this kind, as [shell.Effect] lists it, and a line that is
// Bounded, in which there may be one.
//
// Text that is only mentioned is data: commit messages, what echo prints, what
// grep looks for, comments, heredocs to programs that do not run them. A pattern
// that begins with * does not see it, so that *git push --force* passes `git
// commit -m "never git push --force"`. A pattern that names the program does see
// it: git commit*wip* is about commit messages.
//
// Text that could not be parsed is matched as text, from every place where a command
// could begin.
type Commands struct {
	patterns []commandPattern
}

type commandPattern struct {
	source   string
	kind     shell.EffectKind // of a pattern about an effect; else EffectNone
	proof    bool             // see [NewRuns]
	once     sync.Once
	compiled *compiledCommand
}

// compiledCommand is a command pattern in the forms it is tried in.
type compiledCommand struct {
	glob  matcher // the pattern
	core  matcher // the pattern without the * at its start
	words phrase
}

func (p *commandPattern) get() *compiledCommand {
	p.once.Do(func() {
		c := &compiledCommand{
			glob: matcher{source: p.source},
			core: matcher{source: strings.TrimLeft(p.source, "*")},
		}
		if _, err := parse(p.source, false, false); err == nil {
			c.words = newPhrase(p.source)
			c.words.proof = p.proof
		}
		p.compiled = c
	})
	return p.compiled
}

// NewCommands returns the list. A pattern that [CheckCommand] refuses never
// matches.
func NewCommands(patterns []string) *Commands {
	c := &Commands{patterns: make([]commandPattern, len(patterns))}
	for i, source := range patterns {
		c.patterns[i].source = strings.TrimSpace(source)
		c.patterns[i].kind, _ = effectKind(c.patterns[i].source)
	}
	return c
}

// NewRuns is [NewCommands] for patterns of commands that must have run. A pattern with the
// relative path of a file does not match an absolute path, which may lead to another project,
// and one with the name of a program no file of that name in a folder of its own.
// It matches with options, too, that change only how a run is shown or how fast it is.
func NewRuns(patterns []string) *Commands {
	c := NewCommands(patterns)
	for i := range c.patterns {
		c.patterns[i].proof = true
	}
	return c
}

// CommandMatch says what of a line matched.
type CommandMatch struct {
	Pattern string
	Form    string       // the text that matched: a command's canonical text, or what was tried instead
	Command int          // index in Line.Commands; -1 when the match is not one simple command
	Spans   []shell.Span // the bytes of Line.Text to underline
	Within  []string     // the wrappers that the command was hidden in

	// ExcludedBy is set when there was no match, and there would have been one
	// but for this pattern. The other fields then tell which.
	ExcludedBy string
}

// Match returns the first simple command that one of the patterns matches and
// no pattern of exclude does, or else the first longer part of the line. Exclude
// may be nil.
//
// Exclude is tried on the command that matched, never on the line, and on what
// that command itself says: no comment, redirection or other command can bring
// the words that exempt it. There a pattern that names its program takes its last
// word with * for each operand that follows, so that rm -rf build* does not
// exempt `rm -rf build /`. A longer part of the line is exempt when all commands
// in it are.
func (c *Commands) Match(line *shell.Line, exclude *Commands) (CommandMatch, bool) {
	if c == nil || line == nil {
		return CommandMatch{}, false
	}
	v := view{line: line}
	var few [4]*commandPattern
	patterns := few[:0]
	for i := range c.patterns {
		if v.mayMatch(c.patterns[i].source) {
			patterns = append(patterns, &c.patterns[i])
		}
	}
	if len(patterns) == 0 {
		return CommandMatch{}, false
	}
	return v.match(patterns, exclude)
}

// match tries the patterns that may match: first on the simple commands, and
// those that are about none of them on what is longer.
func (v *view) match(patterns []*commandPattern, exclude *Commands) (CommandMatch, bool) {
	var excluded CommandMatch
	exempt := map[*commandPattern]bool{}
	for i := range v.line.Commands {
		for _, p := range patterns {
			m, ok := p.matchCommand(v, i)
			if !ok {
				continue
			}
			if m.ExcludedBy = exclude.exemptsAll(v.line.Commands[i : i+1]); m.ExcludedBy == "" {
				return m, true
			}
			exempt[p] = true
			if excluded.ExcludedBy == "" {
				excluded = m
			}
		}
	}
	for _, p := range patterns {
		var longer []part
		if !exempt[p] {
			longer = v.parts()
		}
		m, ok := p.matchText(v, longer, exclude)
		if ok {
			return m, true
		}
		if excluded.ExcludedBy == "" {
			excluded = m
		}
	}
	return excluded, false
}

// matchCommand tries the pattern on one simple command.
func (p *commandPattern) matchCommand(v *view, i int) (CommandMatch, bool) {
	c := &v.line.Commands[i]
	form := c.Text
	var ok bool
	if p.proof && p.get().words.ofOwn(c) {
		return CommandMatch{}, false
	}
	if p.kind != shell.EffectNone {
		if form, ok = p.matchEffect(v, i); !ok {
			return CommandMatch{}, false
		}
	} else if !p.get().words.means(c, false) {
		if form, ok = p.matchForms(v.command(i)); !ok {
			return CommandMatch{}, false
		}
	}
	m := CommandMatch{Pattern: p.source, Form: form, Command: i, Within: c.Wrappers}
	if span, ok := v.span(c.Span); ok {
		m.Spans = []shell.Span{span}
	}
	return m, true
}

// matchForms tries the glob on the texts of a command. A pattern that begins with
// * sees no data, unless what follows the * names the program.
func (p *commandPattern) matchForms(f *forms) (form string, ok bool) {
	anywhere := strings.HasPrefix(p.source, "*")
	for _, form := range f.said {
		if !anywhere && p.get().glob.matches(form) || anywhere && p.get().core.source != "" && p.get().core.matches(form) {
			return form, true
		}
	}
	if anywhere {
		for _, form := range f.live {
			if p.get().glob.matches(form) {
				return form, true
			}
		}
	}
	return "", false
}

// matchText tries the pattern on longer parts of the line, and then on what could
// be commands in a line that was not understood.
func (p *commandPattern) matchText(v *view, longer []part, exclude *Commands) (CommandMatch, bool) {
	var excluded CommandMatch
	if p.kind != shell.EffectNone { // of a line that was not read whole, the rest may have it
		return CommandMatch{Pattern: p.source, Form: v.line.Text, Command: -1}, v.line.Bounded
	}
	accept := func(form string, at shell.Span, commands []shell.Command) (CommandMatch, bool) {
		m := CommandMatch{Pattern: p.source, Form: form, Command: -1, ExcludedBy: exclude.exemptsAll(commands)}
		if span, ok := v.span(at); ok {
			m.Spans = []shell.Span{span}
		}
		if m.ExcludedBy != "" && excluded.ExcludedBy == "" {
			excluded = m
		}
		return m, m.ExcludedBy == ""
	}
	for _, part := range longer {
		if part.whole && !p.spans() || !p.get().glob.matches(part.text) {
			continue
		}
		if m, ok := accept(part.text, part.span, part.commands); ok {
			return m, true
		}
	}
	pieces := v.loose()
	for i := range pieces {
		piece := &pieces[i]
		if !piece.match(p) {
			continue
		}
		if m, ok := accept(piece.text, piece.command.Span, []shell.Command{piece.command}); ok {
			return m, true
		}
	}
	return excluded, false
}

// spans reports whether the pattern is about more than one command: it begins
// anywhere, or has an operator in it.
func (p *commandPattern) spans() bool {
	return strings.HasPrefix(p.source, "*") || strings.ContainsAny(p.source, "|&;<>\n`")
}

// exemptsAll returns the first pattern that exempts the last of commands when
// each of them is exempt, or "".
func (c *Commands) exemptsAll(commands []shell.Command) string {
	if c == nil || len(commands) == 0 {
		return ""
	}
	by := ""
	for i := range commands {
		if by = c.exempts(&commands[i]); by == "" {
			return ""
		}
	}
	return by
}

// exempts returns the first pattern that is about c, or "". It looks at the
// canonical command alone.
func (c *Commands) exempts(command *shell.Command) string {
	said := []string{command.Text}
	if len(command.Wrappers) > 0 {
		said = append(said, strings.Join(command.Wrappers, " ")+" "+command.Text)
	}
	live := said
	if inert := inertArgs(command); inert != nil {
		live = make([]string, len(said))
		for i, text := range said {
			live[i] = strings.TrimSuffix(text, command.Text) + liveText(command, inert)
		}
	}
	for i := range c.patterns {
		if p := &c.patterns[i]; p.exempts(command, said, live) {
			return p.source
		}
	}
	return ""
}

// exempts tries the pattern on the command's texts; a pattern that begins with * is not
// tried on texts that are data.
func (p *commandPattern) exempts(c *shell.Command, said, live []string) bool {
	words := &p.get().words
	if words.means(c, true) {
		return true
	}
	if words.leaks(c) {
		return false
	}
	if !strings.HasPrefix(p.source, "*") {
		return slices.ContainsFunc(said, p.get().glob.matches)
	}
	if name := strings.Trim(p.source, "*"); len(name) > 1 && name[0] == '-' && !strings.ContainsAny(name, " \t") {
		// A flag exempts where it is one: not after --, nor as another's value.
		return slices.ContainsFunc(c.Flags, p.get().glob.matches)
	}
	return slices.ContainsFunc(live, p.get().glob.matches)
}
