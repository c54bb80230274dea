package instructions

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/markdown"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// A block or a list of commands may have one that does the work of all others, by the remark
// above or behind it.

var (
	// atOnce is a text about a command that does the work of those around it.
	atOnce = lazy.Regexp{Source: `(?i)^[\W_\d]*(?:the |a )?combined\b|\b(?:all|both|everything|each|all (?:of )?(?:the|these|those) [\w-]+|all of (?:the above|them|these|it))[*_]* (?:at once|together|in one(?: go| command| step)?|in a single (?:command|step|go)|combined)\b|\ball[- ]in[- ]one\b|\b(?:all|any) of the above\b|^[\W_\d]*(?:or|alternatively)\b[^.]*\b(?:all|both|everything|combined|one command)\b`}
	// ofWatching is one about a command that goes on.
	ofWatching = lazy.Regexp{Source: `(?i)\b(?:start\w*|watch\w*|serve\w*|install\w*|clean\w*|dev|run both (?:servers|apps))\b`}
)

// combined are the commands of a block of code that do the work of its others, and these.
func combined(code []string) (whole, parts []string) {
	is := false
	for _, l := range code {
		cmd, remark, _ := strings.Cut(strings.TrimSpace(l), " #")
		said := remark
		switch {
		case strings.HasPrefix(cmd, "#"):
			is = doesAll(strings.TrimSpace(l))
			continue
		case cmd == "":
			is = false
			continue
		}
		if cmd = strings.TrimPrefix(strings.TrimSpace(cmd), "$ "); is || doesAll(said) {
			whole = append(whole, cmd)
		} else {
			parts = append(parts, cmd)
		}
	}
	return whole, parts
}

func doesAll(said string) bool {
	return atOnce.Get().MatchString(said) && !ofWatching.Get().MatchString(said)
}

// combinesIn are the umbrellas that a block of a file has in its code.
func combinesIn(b *markdown.Block) (list []umbrella) {
	whole, parts := combined(b.Code)
	for _, c := range whole {
		if sentence.KindOf(c) == sentence.Command && !operator.Get().MatchString(c) && !tooWide(c, false) && !history.Get().MatchString(c) {
			list = append(list, umbrella{section: b.Section, line: b.Line, command: c, parts: parts})
		}
	}
	return list
}

// combinesAll reports whether a line of a statement's code does the work of the others.
func (s *Statement) combinesAll(cmd string) bool {
	whole, parts := combined(s.code)
	return len(parts) > 0 && slices.Contains(whole, cmd)
}

// combinedItem takes an item of a list that names one command for the work of all others as
// one that is in the place of each.
func combinedItem(list []Statement, at int) {
	s := &list[at]
	if s.kind != markdown.Item || len(s.phrases) == 0 || !doesAll(markdown.CodeSpan.Get().ReplaceAllString(s.Text, "")) {
		return
	}
	var said []string
	for _, t := range s.phrases[0].Terms {
		if t.Kind == sentence.Command && t.Code {
			said = append(said, t.Text)
		}
	}
	for _, step := range []int{-1, 1} {
		for k := at + step; len(said) == 1 && k >= 0 && k < len(list) && list[k].kind == markdown.Item && list[k].Lead == s.Lead && slices.Equal(list[k].Section, s.Section); k += step {
			list[k].instead, s.either, s.whole = append(list[k].instead, said...), true, true
		}
	}
}

// ownChecks are what is to run below a sentence about checks, which are these.
func (b *builder) ownChecks(job string) (list []duty) {
	if job != "checks" || len(b.s.phrases) == 0 || b.s.phrases[len(b.s.phrases)-1].Quote != b.quote || !strings.HasSuffix(strings.TrimRight(b.quote, "*_ "), ":") {
		return nil
	}
	for _, p := range withCode(b.s) {
		cmd := withoutArguments(p.Terms[len(p.Terms)-1].Text)
		if ran, example := ranPatterns(cmd); len(ran) > 0 && !operator.Get().MatchString(cmd) && !tooWide(cmd, false) && !invents.Get().MatchString(cmd) {
			list = append(list, duty{names: []string{cmd}, ran: ran, example: example})
		}
	}
	return list
}
