// Package gitignore reads the patterns of a .gitignore file.
package gitignore

import (
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/agentsentinel/sentinel/internal/shellpattern"
)

// maxPatterns bounds the patterns of one file.
const maxPatterns = 1000

// errPattern is a file that is not judged: a wrong answer would say that files are
// ignored which are not.
var errPattern = errors.New("gitignore: a pattern is not understood")

// Patterns are those of one file. They are safe for concurrent use.
type Patterns struct {
	all  []pattern
	fold bool
}

// A pattern is a line of the file.
type pattern struct {
	parts    []string // between its slashes
	line     int      // from 1
	keeps    bool     // with !
	folder   bool     // with a slash at the end: of folders alone
	anywhere bool     // without a slash: of names in all folders below
}

// Parse reads a file. With fold case does not matter.
func Parse(text string, fold bool) (*Patterns, error) {
	p := &Patterns{fold: fold}
	number := 0
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		number++
		if strings.HasPrefix(line, "#") {
			continue
		}
		line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
		one, err := parse(trim(line), fold)
		if err != nil || len(p.all) == maxPatterns {
			return nil, errPattern
		}
		if one.line = number; len(one.parts) > 0 {
			p.all = append(p.all, one)
		}
	}
	return p, nil
}

// trim takes off the blanks at the end that have no backslash.
func trim(line string) string {
	end := 0
	for i := 0; i < len(line); i++ {
		if line[i] == '\\' {
			i++
		} else if line[i] == ' ' {
			continue
		}
		end = min(i+1, len(line))
	}
	return line[:end]
}

func parse(text string, fold bool) (one pattern, err error) {
	text, one.keeps = strings.CutPrefix(text, "!")
	text, one.folder = strings.CutSuffix(text, "/")
	if text == "" {
		return pattern{}, nil
	}
	one.anywhere = !strings.Contains(text, "/")
	text = strings.TrimPrefix(text, "/")
	if strings.Contains(text, `\/`) || strings.HasSuffix(text, `\`) || one.folder && text == "" {
		return pattern{}, errPattern
	}
	for _, part := range strings.Split(normal(text, fold), "/") {
		if strings.Contains(part, "[") && !plainSet(part) {
			return pattern{}, errPattern
		}
		one.parts = append(one.parts, part)
	}
	return one, nil
}

// plainSet reports whether the brackets of a part mean the same to git and to a shell.
func plainSet(part string) bool {
	open := strings.IndexByte(part, '[')
	set, rest, ok := strings.Cut(part[open+1:], "]")
	set = strings.TrimPrefix(strings.TrimPrefix(set, "!"), "^")
	return ok && set != "" && !strings.ContainsAny(set, `[\`) && !strings.HasPrefix(part[:open], `\`) &&
		!strings.HasPrefix(set, "-") && !strings.HasSuffix(set, "-") && !strings.Contains(rest, "[")
}

// normal is a text in which each byte is a character, as git compares them.
func normal(text string, fold bool) string {
	if fold {
		text = strings.ToLower(text)
	}
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			runes := make([]rune, len(text))
			for i := range len(text) {
				runes[i] = rune(text[i])
			}
			return string(runes)
		}
	}
	return text
}

// Match is what the file says of a path below its own folder, with slashes: whether it is
// ignored, and which line says so. line is 0 where no pattern is about the path.
// It says nothing about the folders above the path.
func (p *Patterns) Match(name string, folder bool) (ignored bool, line int) {
	parts := strings.Split(normal(name, p.fold), "/")
	for i := len(p.all) - 1; i >= 0; i-- {
		one := &p.all[i]
		if one.folder && !folder {
			continue
		}
		if one.anywhere && shellpattern.Match(one.parts[0], parts[len(parts)-1]) || !one.anywhere && match(one.parts, parts) {
			return !one.keeps, one.line
		}
	}
	return false, 0
}

// match compares a path with a pattern that has slashes. It takes time in proportion to
// the product of their lengths.
func match(pattern, path []string) bool {
	star, mark := -1, 0 // the last **, and how far it reaches
	p, i := 0, 0
	for i < len(path) {
		switch {
		case p < len(pattern) && crosses(pattern[p]):
			star, mark = p, i
			p++
		case p < len(pattern) && shellpattern.Match(pattern[p], path[i]):
			p++
			i++
		case star >= 0:
			mark++
			p, i = star+1, mark
		default:
			return false
		}
	}
	return p == len(pattern)
}

// crosses reports whether a part matches any number of folders.
func crosses(part string) bool { return len(part) > 1 && strings.Trim(part, "*") == "" }
