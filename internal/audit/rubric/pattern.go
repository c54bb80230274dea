package rubric

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// Patterns is a list of path patterns. The zero value matches nothing. It is safe
// for concurrent use.
//
// Paths are relative to the repository's root, with / on every system; a pattern
// matches a whole path, and case matters:
//
//	go.mod         this file at the root
//	**/go.mod      this name at any depth, the root too
//	docs/**        everything below docs
//	*.md           one path element: * and ? never cross a /
//	*.{md,txt}     one of these
//	*.y?(a)ml      with or without an a; @(a|b), *(a|b) and +(a|b) as well
//	[a-z]  [!abc]  one of these characters; one that is not among them, and no /
//	\*             the character itself
type Patterns struct {
	all []pattern
}

// A pattern is a regular expression, and a text that whatever it matches has in it:
// looking for that first spares most paths the expression.
type pattern struct {
	expr    *regexp.Regexp
	literal string // "" when there is none
}

// CompilePatterns compiles patterns. The error names the first that is wrong.
func CompilePatterns(patterns []string) (*Patterns, error) {
	p := &Patterns{all: make([]pattern, 0, len(patterns))}
	for _, text := range patterns {
		expr, err := translate(text)
		if err != nil {
			return nil, fmt.Errorf("rubric: pattern %q %w", text, err)
		}
		p.all = append(p.all, pattern{expr, literal(text)})
	}
	return p, nil
}

// Match reports whether one of the patterns matches the path.
func (p *Patterns) Match(path string) bool {
	for _, one := range p.all {
		if strings.Contains(path, one.literal) && one.expr.MatchString(path) {
			return true
		}
	}
	return false
}

// literal is the longest text between the wildcards and alternatives of a pattern.
// A slash at its ends may stand for nothing, beside **, and is left out. Of patterns
// with classes, groups or quoted characters nothing is said.
func literal(pattern string) string {
	if strings.ContainsAny(pattern, `[]()\`) {
		return ""
	}
	longest, depth := "", 0
	special := func(r rune) bool {
		switch r {
		case '{':
			depth++
		case '}':
			depth = max(0, depth-1)
			return true
		case '*', '?':
			return true
		}
		return depth > 0
	}
	for run := range strings.FieldsFuncSeq(pattern, special) {
		if run = strings.Trim(run, "/"); len(run) > len(longest) {
			longest = run
		}
	}
	return longest
}

// maxPattern bounds a pattern, in bytes.
const maxPattern = 1000

// translate turns a pattern into a regular expression, which the regexp package
// matches in linear time whatever stands in it.
func translate(pattern string) (*regexp.Regexp, error) {
	switch {
	case pattern == "":
		return nil, errors.New("is empty")
	case len(pattern) > maxPattern:
		return nil, fmt.Errorf("is longer than %d bytes", maxPattern)
	case pattern[0] == '/':
		return nil, errors.New("begins with /: paths are relative to the repository's root")
	case strings.HasPrefix(pattern, "./"):
		return nil, errors.New("begins with ./: leave that out")
	case strings.HasSuffix(pattern, "/"):
		return nil, errors.New("ends with /: write /** for everything below")
	}
	for element := range strings.SplitSeq(pattern, "/") {
		if element == ".." || element == "." {
			return nil, fmt.Errorf("has the element %s, which no path has", element)
		}
	}
	t := translator{src: pattern}
	t.out.WriteString(`(?s)\A`)
	if err := t.run(); err != nil {
		return nil, err
	}
	t.out.WriteString(`\z`)
	expr, err := regexp.Compile(t.out.String())
	if err != nil {
		return nil, errors.New("is too complex")
	}
	return expr, nil
}

// A translator goes through a pattern once.
type translator struct {
	src  string
	at   int
	out  strings.Builder
	open []group // that are not closed yet
}

// A group is an alternation: {a,b} or ?(a|b).
type group struct {
	closing, between byte
	suffix           string // of the regular expression's group
}

func (t *translator) run() error {
	for t.at < len(t.src) {
		if err := t.next(); err != nil {
			return err
		}
	}
	if n := len(t.open); n > 0 {
		return fmt.Errorf("has a group that is not closed with %c", t.open[n-1].closing)
	}
	return nil
}

// next translates what begins here.
func (t *translator) next() error {
	c := t.src[t.at]
	switch {
	case strings.IndexByte("?*+@", c) >= 0 && strings.HasPrefix(t.src[t.at+1:], "("):
		t.begin(group{closing: ')', between: '|', suffix: map[byte]string{'?': ")?", '*': ")*", '+': ")+", '@': ")"}[c]}, 2)
	case c == '{':
		t.begin(group{closing: '}', between: ',', suffix: ")"}, 1)
	case len(t.open) > 0 && c == t.open[len(t.open)-1].closing:
		t.out.WriteString(t.open[len(t.open)-1].suffix)
		t.open = t.open[:len(t.open)-1]
		t.at++
	case len(t.open) > 0 && c == t.open[len(t.open)-1].between:
		t.out.WriteByte('|')
		t.at++
	case c == '*':
		t.stars()
	case c == '?':
		t.out.WriteString("[^/]")
		t.at++
	case c == '[':
		return t.class()
	case c == '}' || c == ']':
		return fmt.Errorf("has a %c that nothing opened; write \\%c for the character itself", c, c)
	case c == '\\':
		if t.at+1 == len(t.src) {
			return errors.New("ends with a backslash")
		}
		t.at++
		t.literal()
	default:
		t.literal()
	}
	return nil
}

func (t *translator) begin(g group, length int) {
	t.open = append(t.open, g)
	t.out.WriteString("(?:")
	t.at += length
}

// stars translates *, ** and **/, which stands for any number of folders.
func (t *translator) stars() {
	rest := strings.TrimLeft(t.src[t.at:], "*")
	n := len(t.src) - t.at - len(rest)
	elementStart := t.at == 0 || strings.IndexByte("/{,(|", t.src[t.at-1]) >= 0
	t.at += n
	switch {
	case n == 1:
		t.out.WriteString("[^/]*")
	case elementStart && strings.HasPrefix(rest, "/"):
		t.out.WriteString("(?:.*/)?")
		t.at++
	default:
		t.out.WriteString(".*")
	}
}

// class translates [a-z] and [!a-z].
func (t *translator) class() error {
	end := strings.IndexByte(t.src[t.at+1:], ']')
	if end < 0 {
		return errors.New("has a [ that is not closed with ]")
	}
	body := t.src[t.at+1 : t.at+1+end]
	t.at += end + 2
	negated := strings.HasPrefix(body, "!") || strings.HasPrefix(body, "^")
	if negated {
		body = body[1:]
	}
	if body == "" || strings.Contains(body, "/") {
		return errors.New("has an empty class of characters, or one with /")
	}
	body = strings.NewReplacer(`\`, `\\`, `[`, `\[`, `^`, `\^`).Replace(body)
	if negated {
		body = "^/" + body
	}
	if _, err := regexp.Compile("[" + body + "]"); err != nil {
		return fmt.Errorf("has a class of characters that makes no sense: [%s]", body)
	}
	t.out.WriteString("[" + body + "]")
	return nil
}

// literal translates one character that stands for itself.
func (t *translator) literal() {
	r := t.src[t.at:]
	size := 1
	for size < len(r) && r[size]&0xC0 == 0x80 {
		size++
	}
	t.out.WriteString(regexp.QuoteMeta(r[:size]))
	t.at += size
}
