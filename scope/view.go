package scope

import (
	"path"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/shell"
)

// view holds the texts of one line that patterns are tried on, each made when
// the first pattern needs it.
type view struct {
	line     *shell.Line
	commands []*forms
	longer   []part
	pieces   []looseCommand
	hidden   []string // see notInText
	looked   bool     // hidden is filled in
}

// forms are the texts of one simple command.
type forms struct {
	said    []string // with everything
	live    []string // without data
	dressed string   // without data, with wrappers and redirections
}

// part is a text of more than one simple command, or one that has none.
type part struct {
	text     string
	span     shell.Span
	commands []shell.Command
	whole    bool // the whole of a line that has several commands
}

// mayMatch reports false when pattern certainly does not match the line: its
// longest word occurs nowhere in it. Most rules need no more than this, so it
// allocates next to nothing.
func (v *view) mayMatch(pattern string) bool { return v.has(requiredWord(pattern)) }

// has reports whether the word is in the line, or in a text that the line hides.
func (v *view) has(word string) bool {
	if kind, ok := effectKind(word); ok {
		return v.line.Bounded || v.effect(kind, anyCommand) != nil
	}
	if word == "" || strings.Contains(v.line.Text, word) {
		return true
	}
	if !v.looked {
		v.hidden, v.looked = v.notInText(), true
	}
	for _, s := range v.hidden {
		if strings.Contains(s, word) {
			return true
		}
	}
	return false
}

// notInText returns the texts of the commands that are not in the line as they
// are: quotes, variables and encodings may have hidden a word.
func (v *view) notInText() []string {
	var out []string
	for i := range v.line.Commands {
		c := &v.line.Commands[i]
		if span, ok := v.span(c.Span); !ok || v.line.Text[span.Start:span.End] != c.Text {
			out = append(out, c.Text)
		}
		if c.Path != c.Program {
			out = append(out, c.Path)
		}
		if c.Stdin != "" {
			out = append(out, c.Stdin)
		}
		if c.Dir != "" { // cd scripts && ./x.sh
			out = append(out, path.Join(c.Dir, c.Path), path.Join(c.Dir, c.Script))
		}
		if name, _ := packageScript(c); name == "test" {
			out = append(out, name) // npm t
		}
		out = append(append(append(out, c.Wrappers...), c.Assigns...), c.Redirects...)
	}
	return out
}

// requiredWord returns the longest word of the pattern that a line has to
// contain. Flags do not count, since they are written in several ways, nor does what only
// runs a file: see [otherWords].
func requiredWord(pattern string) string {
	longest := ""
	pattern = pattern[runnerLength(pattern):]
	for from := 0; ; {
		start, end, next := literalRun(pattern, from)
		if start < 0 {
			return longest
		}
		for start < end {
			if strings.HasPrefix(pattern[start:end], "./") && (start == 0 || breaksWord[pattern[start-1]]) {
				start += 2
			}
			at := start
			for start < end && !breaksWord[pattern[start]] {
				start++
			}
			if start-at > len(longest) && pattern[at] != '-' {
				longest = pattern[at:start]
			}
			start++
		}
		from = next
	}
}

// breaksWord holds the characters that end a word of a pattern: what a shell
// gives a meaning to may be written differently in the texts that patterns are
// tried on.
var breaksWord = [256]bool{
	' ': true, '\t': true, '\r': true, '\n': true, '\'': true, '"': true, '|': true, '&': true, ';': true,
	'<': true, '>': true, '(': true, ')': true, '`': true, '$': true, '\\': true,
}

// span cuts a span to the line. ok is false when no part of it is there.
func (v *view) span(s shell.Span) (cut shell.Span, ok bool) {
	s.Start, s.End = max(s.Start, 0), min(s.End, len(v.line.Text))
	return s, s.Start < s.End
}

// command returns the texts of command i.
func (v *view) command(i int) *forms {
	if v.commands == nil {
		v.commands = make([]*forms, len(v.line.Commands))
	}
	if v.commands[i] == nil {
		v.commands[i] = v.newForms(i)
	}
	return v.commands[i]
}

func (v *view) newForms(i int) *forms {
	c := &v.line.Commands[i]
	inert := inertArgs(c)
	f := &forms{said: dressed(c, c.Text)}
	f.live = f.said
	if inert != nil {
		f.live = dressed(c, liveText(c, inert))
	}
	f.dressed = f.live[len(f.live)-1]
	for _, raw := range v.raw(i) {
		f.said = append(f.said[:len(f.said):len(f.said)], raw)
		if !holdsData(c) {
			f.live = append(f.live[:len(f.live):len(f.live)], raw)
		}
	}
	if c.Stdin != "" && runsInput(c.Program) {
		text := f.dressed + "\n" + c.Stdin
		f.said = append(f.said[:len(f.said):len(f.said)], text)
		f.live = append(f.live[:len(f.live):len(f.live)], text)
	}
	return f
}

// raw returns command i as it was written, when that differs from its canonical
// form, and the same after the wrappers with their options.
func (v *view) raw(i int) []string {
	c := &v.line.Commands[i]
	span, ok := v.span(c.Span)
	if !ok {
		return nil
	}
	var out []string
	text := v.line.Text[span.Start:span.End]
	if hasComment(text) {
		return nil
	}
	if text != c.Text {
		out = append(out, text)
	}
	if len(c.Wrappers) > 0 {
		before := v.line.Text[:span.Start]
		before = strings.TrimLeft(before[strings.LastIndexAny(before, ";|&\n(){}`'\"")+1:], " \t")
		program, _, _ := strings.Cut(before, " ")
		name, _, _ := strings.Cut(c.Wrappers[0], " ")
		if strings.HasPrefix(program[strings.LastIndexByte(program, '/')+1:], name) { // python3.12 and ./bin/python, too
			out = append(out, before+text)
		}
	}
	return out
}

// dressed returns text alone, with its redirections, and with the assignments and
// wrappers before it too.
func dressed(c *shell.Command, text string) []string {
	out := []string{text}
	for _, r := range c.Redirects {
		operator, target, _ := strings.Cut(r, " ")
		if isHeredoc(r) {
			target = "''"
		}
		text += " " + operator + " " + oneWord(target)
	}
	if len(c.Redirects) > 0 {
		out = append(out, text)
	}
	if len(c.Wrappers)+len(c.Assigns) > 0 {
		var before []string
		for _, assign := range c.Assigns {
			name, value, _ := strings.Cut(assign, "=")
			before = append(before, name+"="+oneWord(value))
		}
		before = append(before, c.Wrappers...)
		out = append(out, strings.Join(before, " ")+" "+text)
	}
	return out
}

// oneWord returns two quotes in the place of a text of several words: nothing
// runs it, so it is data.
func oneWord(s string) string {
	if hasWords(s) {
		return "''"
	}
	return s
}

// isHeredoc reports whether a redirection is << or <<<, whose text is data.
func isHeredoc(redirect string) bool { return strings.HasPrefix(redirect, "<<") }

// liveText is the canonical text of c with two quotes in the place of data.
func liveText(c *shell.Command, inert []bool) string {
	var b strings.Builder
	b.WriteString(c.Program)
	for i, arg := range c.Args {
		b.WriteByte(' ')
		switch {
		case inert[i]:
			b.WriteString("''")
		case arg == "" || strings.ContainsAny(arg, " \t\r\n'\"\\$`|&;<>(){}[]*?!#~"):
			b.WriteString("'" + strings.ReplaceAll(arg, "'", `'\''`) + "'")
		default:
			b.WriteString(arg)
		}
	}
	return b.String()
}

// parts returns the pipelines of the line, and the whole of it.
func (v *view) parts() []part {
	if v.longer == nil {
		v.longer = append(v.pipelines(), v.wholes()...)
	}
	return v.longer
}

// pipelines returns the texts of commands that are joined by pipes: to a person
// `curl x | sh` is one command.
func (v *view) pipelines() []part {
	var out []part
	commands := v.line.Commands
	for start := 0; start < len(commands); {
		end := start + 1
		for end < len(commands) && v.piped(end) {
			end++
		}
		if end-start > 1 {
			span := shell.Span{Start: commands[start].Span.Start, End: commands[end-1].Span.End}
			out = append(out, part{text: v.joined(start, end), span: span, commands: commands[start:end]})
		}
		start = end
	}
	return out
}

// piped reports whether command i reads from the one before it.
func (v *view) piped(i int) bool {
	input := v.line.Commands[i].Input
	return len(input) > 0 && input[0] == v.line.Commands[i-1].Program
}

// wholes returns the texts of the whole line: as it was given, unless there is
// data in it, and put together from its commands when they are several.
func (v *view) wholes() []part {
	var out []part
	commands := v.line.Commands
	all := shell.Span{End: len(v.line.Text)}
	text := strings.TrimSpace(v.line.Text)
	switch {
	case v.line.Unparsed != "":
		out = append(out, part{text: text, span: all, commands: commands})
	case !v.mentions(text):
		out = append(out, part{text: text, span: all, commands: commands, whole: len(commands) > 1})
	case len(commands) == 0:
		out = append(out, part{span: all}) // for *, which is about every line
	}
	if len(commands) > 1 {
		out = append(out, part{text: v.joined(0, len(commands)), span: all, commands: commands, whole: true})
	}
	return out
}

// mentions reports whether the line has text in it that is mere data.
func (v *view) mentions(text string) bool {
	if hasComment(text) {
		return true
	}
	if len(v.line.Commands) == 0 {
		return strings.ContainsAny(text, " \t\n") // NAME='some words'
	}
	for i := range v.line.Commands {
		if holdsData(&v.line.Commands[i]) {
			return true
		}
	}
	return false
}

// holdsData reports whether the command as written contains data.
func holdsData(c *shell.Command) bool {
	if inertArgs(c) != nil || slices.ContainsFunc(c.Assigns, hasWords) {
		return true
	}
	return slices.ContainsFunc(c.Redirects, func(r string) bool {
		_, target, _ := strings.Cut(r, " ")
		return hasWords(target) || isHeredoc(r) && !runsInput(c.Program)
	})
}

func hasWords(s string) bool { return strings.ContainsAny(s, " \t\n") }

// hasComment reports whether text may have a comment in it.
func hasComment(text string) bool {
	for i := 0; i < len(text); i++ {
		if text[i] == '#' && (i == 0 || strings.IndexByte(" \t\n;&|()", text[i-1]) >= 0) {
			return true
		}
	}
	return false
}

// joined joins the commands start to end with the operators between them.
func (v *view) joined(start, end int) string {
	var b strings.Builder
	for i := start; i < end; i++ {
		if i > start {
			b.WriteString(v.operator(i))
		}
		b.WriteString(v.command(i).dressed)
	}
	return b.String()
}

// operator returns the text between command i and the one before it.
func (v *view) operator(i int) string {
	if v.piped(i) {
		return " | "
	}
	gap, ok := v.span(shell.Span{Start: v.line.Commands[i-1].Span.End, End: v.line.Commands[i].Span.Start})
	if !ok {
		return " ; "
	}
	between := v.line.Text[gap.Start:gap.End]
	for _, operator := range [...]string{"&&", "||", "&"} {
		if strings.Contains(between, operator) {
			return " " + operator + " "
		}
	}
	return " ; "
}

// effectPrefix begins a command pattern about an effect: effect:delete matches a line
// in which a command deletes something, whatever the command is called.
const effectPrefix = "effect:"

// effectKind returns the kind that a pattern about an effect names.
func effectKind(pattern string) (kind shell.EffectKind, ok bool) {
	name, ok := strings.CutPrefix(pattern, effectPrefix)
	if !ok || kind.UnmarshalText([]byte(name)) != nil || kind == shell.EffectNone {
		return shell.EffectNone, false
	}
	return kind, true
}

// anyCommand is the index of no command in particular.
const anyCommand = -1

// effect returns the first effect of a kind that a command has.
func (v *view) effect(kind shell.EffectKind, command int) *shell.Effect {
	for i := range v.line.Effects {
		if e := &v.line.Effects[i]; e.Kind == kind && (command == anyCommand || e.Command == command) {
			return e
		}
	}
	return nil
}

// matchEffect tries a pattern about an effect on one simple command.
func (p *commandPattern) matchEffect(v *view, i int) (form string, ok bool) {
	if v.effect(p.kind, i) == nil {
		return "", false
	}
	return v.line.Commands[i].Text, true
}
