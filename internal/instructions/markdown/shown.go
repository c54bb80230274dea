package markdown

import (
	"regexp"
	"strings"
	"sync"

	"github.com/agentsentinel/sentinel/internal/lazy"
)

// A line is one line of a file: as it is, and as a reader of the page sees it.
type line struct {
	Raw       string
	Shown     string // without what a page does not show; "" for a line with invisible characters
	Hidden    string // what was taken out
	Invisible bool
}

// Scan reads the lines of a file.
func Scan(s string) []line {
	s = strings.TrimPrefix(s, "\ufeff")
	lines := make([]line, 0, strings.Count(s, "\n")+1)
	page, fence := page{used: sync.OnceValue(func() map[string]bool { return usedLabels(s) })}, ""
	for raw := range strings.SplitSeq(s, "\n") {
		l := line{Raw: strings.TrimSuffix(raw, "\r")}
		switch {
		case invisible(l.Raw):
			l.Invisible = true
		case page.ends == "" && fenced(&fence, l.Raw):
			l.Shown = l.Raw
		default:
			l.Shown, l.Hidden = page.show(l.Raw)
		}
		lines = append(lines, l)
	}
	return lines
}

// fenced reports whether a line is in a code block or one of its marks; fence is the mark
// that ends the block that is open.
func fenced(fence *string, s string) bool {
	t := strings.TrimLeft(s, " \t>")
	if *fence != "" {
		if strings.HasPrefix(t, *fence) && strings.Trim(t, (*fence)[:1]+" \t") == "" {
			*fence = ""
		}
		return true
	}
	for _, mark := range []string{"```", "~~~"} {
		if strings.HasPrefix(t, mark) && !strings.Contains(strings.TrimLeft(t, mark[:1]), "`") {
			*fence = t[:len(t)-len(strings.TrimLeft(t, mark[:1]))]
			return true
		}
	}
	return false
}

// A page says what of the lines of a file a reader sees.
type page struct {
	ends    string                 // the end of the hidden text that is open: of a comment, of a title, or the name of an element; "" for none
	depth   int                    // of elements of that name
	tag     string                 // the beginning of a tag that goes on in the next line
	used    func() map[string]bool // the labels of links that the file uses
	defined bool                   // the line before is a definition that may have its title in this line
}

const (
	openComment  = "<!--"
	closeComment = "-->"
	maxTag       = 400 // bytes of a tag that goes on
)

var (
	// mayHide begins what a page may not show, or code, which hides no text.
	mayHide = lazy.Regexp{Source: "`+|<!--|<[A-Za-z]"}
	// startTag is a whole one, unfinished one that goes on in the next line.
	startTag   = lazy.Regexp{Source: `^<([A-Za-z][\w-]*)((?:\s+[^\s"'<>/=]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'=<>]+))?)*)\s*/?>`}
	unfinished = lazy.Regexp{Source: `^<[A-Za-z][\w-]*(?:\s[^<>]*)?$`}
	// unshown are attributes that hide an element; empty is an element without content.
	unshown = lazy.Regexp{Source: `(?i)\shidden(?:[\s=]|$)|\sstyle\s*=[^>]*(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|(?:font-size|opacity)\s*:\s*0(?:\.0*)?(?:[a-z%]*)\s*(?:[;!"'\s]|$)|color\s*:\s*transparent)`}
	empty   = lazy.Regexp{Source: `(?i)^(?:area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr)$`}
	// definition is one of a link, with its label; its title may go on in the next lines.
	definition = lazy.Regexp{Source: `^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(\[[^\[\]^][^\[\]]*\]):[ \t]*(?:<[^<>]*>|[^\s<]\S*)(?:[ \t]+("[^"]*"?|'[^']*'?|\([^()]*\)?))?[ \t]*$`}
	titleAlone = lazy.Regexp{Source: `^[ \t>]*("[^"]*"?|'[^']*'?|\([^()]*\)?)[ \t]*$`}
)

// show takes out of a line what a page does not show.
func (p *page) show(s string) (shown, hidden string) {
	if strings.TrimSpace(s) == "" && len(p.ends) == 1 && !startsName.Get().MatchString(p.ends) { // no title goes on behind it
		p.ends = ""
	}
	if p.ends == "" && p.tag == "" && p.define(s) {
		return "", strings.TrimSpace(s)
	}
	var b, c strings.Builder
	seen := -len(p.tag) // the tag was shown with the line before
	s, p.tag = p.tag+s, ""
	put := func(n int) {
		if b.WriteString(s[min(n, max(0, -seen)):n]); seen < 0 {
			seen += n
		}
		s = s[n:]
	}
	for s != "" {
		if p.ends != "" {
			n := p.end(s)
			c.WriteString(s[:n])
			s = s[n:]
			continue
		}
		at := mayHide.Get().FindStringIndex(s)
		if at == nil {
			put(len(s))
			break
		}
		put(at[0])
		switch n := p.begin(s); {
		case p.tag != "":
			put(len(s))
		case p.ends != "":
			c.WriteString(s[:n])
			s = s[n:]
		default:
			put(n)
		}
	}
	hidden = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(c.String()), openComment), closeComment)
	return b.String(), strings.TrimSpace(hidden)
}

// begin reads what mayHide found, and returns how much of the line that is.
func (p *page) begin(s string) int {
	if code := len(s) - len(strings.TrimLeft(s, "`")); code > 0 {
		for at := code; ; {
			next := strings.Index(s[at:], s[:code])
			if next < 0 {
				return code
			}
			at += next
			run := len(s[at:]) - len(strings.TrimLeft(s[at:], "`"))
			if at += run; run == code {
				return at
			}
		}
	}
	if strings.HasPrefix(s, openComment) {
		p.ends = closeComment
		return len(openComment)
	}
	m := startTag.Get().FindStringSubmatch(s)
	switch {
	case m == nil && len(s) < maxTag && unfinished.Get().MatchString(s):
		p.tag = s + " "
		return 0
	case m == nil:
		return 1
	case unshown.Get().MatchString(m[2]) && !empty.Get().MatchString(m[1]):
		p.ends, p.depth = strings.ToLower(m[1]), 1
	}
	return len(m[0])
}

// end returns how much of a line is hidden, and closes the hidden text that ends in it.
func (p *page) end(s string) int {
	if !startsName.Get().MatchString(p.ends) { // of a comment or a title
		in, _, closed := strings.Cut(s, p.ends)
		if !closed {
			return len(s)
		}
		n := len(in) + len(p.ends)
		p.ends = ""
		return n
	}
	for _, at := range regexp.MustCompile(`(?i)<(/?)`+regexp.QuoteMeta(p.ends)+`(?:\s[^<>]*)?>`).FindAllStringSubmatchIndex(s, -1) {
		if p.depth++; at[2] < at[3] {
			p.depth -= 2
		}
		if p.depth == 0 {
			p.ends = ""
			return at[1]
		}
	}
	return len(s)
}

var startsName = lazy.Regexp{Source: `^[a-z]`}

// inBrackets is a text in brackets, which may be a label.
var inBrackets = lazy.Regexp{Source: `\[[^\[\]]+\]`}

// usedLabels are the labels of links that a text has elsewhere than in their definitions, in lower case.
func usedLabels(text string) map[string]bool {
	used, low := map[string]bool{}, strings.ToLower(text)
	for _, at := range inBrackets.Get().FindAllStringIndex(low, -1) {
		if !strings.HasPrefix(low[at[1]:], ":") {
			used[low[at[0]:at[1]]] = true
		}
	}
	return used
}

// define reports whether a line is a definition of a link that nothing uses, or its title.
func (p *page) define(s string) bool {
	was := p.defined
	p.defined = false
	m := definition.Get().FindStringSubmatch(s)
	title := ""
	switch {
	case m != nil:
		if p.used()[strings.ToLower(m[1])] {
			return false
		}
		title, p.defined = m[2], m[2] == ""
	case was && titleAlone.Get().MatchString(s):
		title = strings.Trim(s, " \t>")
	default:
		return false
	}
	if title != "" {
		closing := strings.Replace(title[:1], "(", ")", 1)
		if len(title) < 2 || !strings.HasSuffix(title, closing) {
			p.ends = closing
		}
	}
	return true
}
