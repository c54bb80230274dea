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
// looked for among the flags, wherever and however they stand: -rf is in -fr, in
// -r -f and in --recursive --force. Its other words are the operands in their
// order. A * at the end means that there may be anything more; without it there
// must not be. So `git push --force*` catches `cd x && sudo git -C . push origin
// main --force`. Names of sub-commands are never skipped: docker rm* is not about
// `docker run rm-old`. The first words may be a wrapper: sudo rm*.
//
// A pattern that no simple command matches is also tried on each pipeline, and,
// when it begins with * or contains an operator such as | or >, on the whole
// line: *curl*|*sh* needs both.
//
// Text that is only mentioned is data: commit messages, what echo prints, what
// grep looks for, comments, heredocs to programs that do not run them. A pattern
// that begins with * does not see it, so that *git push --force* passes `git
// commit -m "never git push --force"`. A pattern that names the program does see
// it: git commit*wip* is about commit messages.
//
// What could not be parsed is matched as text, from every place where a command
// could begin.
type Commands struct {
	patterns []commandPattern
}

type commandPattern struct {
	source string
	glob   matcher // the pattern
	core   matcher // the pattern without the * at its start

	once  sync.Once
	words phrase
}

// NewCommands returns the list. A pattern that [CheckCommand] refuses never
// matches.
func NewCommands(patterns []string) *Commands {
	c := &Commands{patterns: make([]commandPattern, len(patterns))}
	for i, source := range patterns {
		source = strings.TrimSpace(source)
		p := &c.patterns[i]
		p.source = source
		p.glob = matcher{source: source}
		p.core = matcher{source: strings.TrimLeft(source, "*")}
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
	var excluded CommandMatch
	for i := range line.Commands {
		for k := range c.patterns {
			m, ok := c.patterns[k].matchCommand(&v, i)
			if !ok {
				continue
			}
			if m.ExcludedBy = exclude.exemptsAll(line.Commands[i : i+1]); m.ExcludedBy == "" {
				return m, true
			}
			if excluded.ExcludedBy == "" {
				excluded = m
			}
		}
	}
	for k := range c.patterns {
		if excluded.ExcludedBy != "" && v.explained(&c.patterns[k]) {
			continue // what it matches of the line is exempt
		}
		m, commands, ok := c.patterns[k].matchText(&v)
		if !ok {
			continue
		}
		if m.ExcludedBy = exclude.exemptsAll(commands); m.ExcludedBy == "" {
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
	if !v.mayMatch(p.source) {
		return CommandMatch{}, false
	}
	c := &v.line.Commands[i]
	form := c.Text
	if !p.phrase().means(c, false) {
		var ok bool
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
		if !anywhere && p.glob.matches(form) || anywhere && p.core.source != "" && p.core.matches(form) {
			return form, true
		}
	}
	if anywhere {
		for _, form := range f.live {
			if p.glob.matches(form) {
				return form, true
			}
		}
	}
	return "", false
}

// matchText tries the pattern on longer parts of the line. It returns the
// commands in the part that matched.
func (p *commandPattern) matchText(v *view) (CommandMatch, []shell.Command, bool) {
	if !v.mayMatch(p.source) {
		return CommandMatch{}, nil, false
	}
	for _, part := range v.parts() {
		if part.whole && !p.spans() || !p.glob.matches(part.text) {
			continue
		}
		m := CommandMatch{Pattern: p.source, Form: part.text, Command: -1}
		if span, ok := v.span(part.span); ok {
			m.Spans = []shell.Span{span}
		}
		return m, part.commands, true
	}
	pieces := v.loose()
	for i := range pieces {
		piece := &pieces[i]
		if !piece.match(p) {
			continue
		}
		m := CommandMatch{Pattern: p.source, Form: piece.text, Command: -1}
		if span, ok := v.span(piece.command.Span); ok {
			m.Spans = []shell.Span{span}
		}
		return m, []shell.Command{piece.command}, true
	}
	return CommandMatch{}, nil, false
}

// spans reports whether the pattern is about more than one command: it begins
// anywhere, or has an operator in it.
func (p *commandPattern) spans() bool {
	return strings.HasPrefix(p.source, "*") || strings.ContainsAny(p.source, "|&;<>\n`")
}

func (p *commandPattern) phrase() *phrase {
	p.once.Do(func() { p.words = newPhrase(p.source) })
	return &p.words
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
	texts := []string{command.Text}
	if len(command.Wrappers) > 0 {
		texts = append(texts, strings.Join(command.Wrappers, " ")+" "+command.Text)
	}
	for i := range c.patterns {
		if p := &c.patterns[i]; p.exempts(command, texts) {
			return p.source
		}
	}
	return ""
}

func (p *commandPattern) exempts(c *shell.Command, texts []string) bool {
	words := p.phrase()
	if words.means(c, true) {
		return true
	}
	switch name := strings.Trim(p.source, "*"); {
	case !strings.HasPrefix(p.source, "*"):
		return !words.leaks(c) && slices.ContainsFunc(texts, p.glob.matches)
	case len(name) > 1 && name[0] == '-' && !strings.ContainsAny(name, " \t"):
		// A flag exempts where it is one: not after --, nor as another's value.
		return slices.ContainsFunc(c.Flags, p.glob.matches)
	}
	if inert := inertArgs(c); inert != nil {
		live := liveText(c, inert)
		for i, text := range texts {
			texts[i] = strings.TrimSuffix(text, c.Text) + live
		}
	}
	return slices.ContainsFunc(texts, p.glob.matches)
}
