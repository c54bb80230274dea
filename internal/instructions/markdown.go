package instructions

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/lazy"
)

// Limits of what is split.
const (
	maxBlock  = 4000 // bytes of a block that are looked at
	maxBlocks = 20_000
)

// A block is a unit of a file: a heading, a paragraph, an item of a list
// or a row of a table.
type block struct {
	kind      blockKind
	line      int // of its first line, from 1
	end       int // of its last line
	level     int // of a heading, 1 to 6; of an item the width of its indentation
	lines     []string
	code      []string // lines of the code blocks below it that may be commands
	shell     bool     // these are said to be commands
	codeEnd   int      // the last line of these
	fences    []fence  // the code blocks below it
	section   []string
	lead      int // index of the block that introduces it; -1 without one
	children  []int
	heads     []string // of the columns of its table
	invisible bool
}

// A fence is a code block.
type fence struct {
	line  int    // of its first line of code
	lang  string // as its mark says
	lines []string
}

// maxFence bounds the lines of a code block that are kept.
const maxFence = 400

type blockKind int

const (
	paragraph blockKind = iota
	heading
	item
	row
)

// text is the block in one line.
func (b *block) text() string {
	s := strings.Join(strings.Fields(strings.Join(b.lines, " ")), " ")
	if len(s) > maxBlock {
		s = strings.ToValidUTF8(s[:maxBlock], "")
	}
	return s
}

var (
	itemMark = lazy.Regexp{Source: `^([ \t]*)(?:[-*+•]|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?(.*)$`}
	iconMark = lazy.Regexp{Source: `^(?:❌|✅|⚠️|🚫|⛔|✓|✗|✔|✘|☑️?|👉|❗)`}
	label    = lazy.Regexp{Source: `^\*\*[^*]{1,80}\*\*`}
	rule3    = lazy.Regexp{Source: `^ {0,3}([-*_] ?){3,}$`}
	codeSpan = lazy.Regexp{Source: "``[^`]+``|`[^`]+`"}
	headMark = lazy.Regexp{Source: `^ {0,3}(#{1,6})\s+(.*?)(?:\s+#+)?\s*$`}
	tagLine  = lazy.Regexp{Source: `^(?:</?[A-Za-z][\w:.-]*(?: [^<>]*)?/?>\s*)+$`}
	divider  = lazy.Regexp{Source: `^\s*\|?[\s:|-]*-[\s:|-]*\|[\s:|-]*$`}
)

// importLine is a line that imports a file and says nothing else.
var importLine = lazy.Regexp{Source: `^@(?:~|\.{0,2})/?[\w.-]+(?:/[\w.-]+)*\.\w+$`}

// A splitter makes blocks of the lines of a file.
type splitter struct {
	blocks   []block
	open     bool // the last block takes further lines
	fence    string
	other    bool     // it is of a language that has no commands
	fenceFor int      // the block that the open code block belongs to; -1 for none
	heads    []int    // the headings above, from the top
	items    []int    // the items above, from the outermost
	intro    int      // the block that may introduce a list; -1
	table    bool     // the line before was a row
	head     []string // of the columns of the table
}

// blocks splits a text, without its front matter. Lines that a reader cannot see take the block they
// are in with them.
func blocks(text string) []block {
	s := splitter{intro: -1, fenceFor: -1}
	_, skip := matter(text)
	lines := scan(text)
	within := inComponents(lines)
	for i, l := range lines {
		if i < skip {
			continue
		}
		if within[i] {
			s.open, s.table = false, false
			continue
		}
		if len(s.blocks) == maxBlocks {
			break
		}
		s.line(i+1, l)
	}
	return s.blocks
}

func (s *splitter) line(n int, l line) {
	if l.invisible {
		if s.open {
			s.blocks[len(s.blocks)-1].invisible = true
		} else {
			s.add(block{line: n, invisible: true})
		}
		return
	}
	shown := strings.TrimRight(l.shown, " \t")
	if was := s.fence; fenced(&s.fence, shown) {
		s.code(n, shown, was == "" || s.fence == "")
		return
	}
	shown = strings.TrimLeft(shown, ">")
	t := strings.TrimSpace(shown)
	indent := len(shown) - len(strings.TrimLeft(shown, " \t"))
	table := strings.HasPrefix(t, "|") && strings.Count(t, "|") > 1
	defer func() { s.table = table }()
	switch {
	case t == "":
		s.open = false
	case rule3.Get().MatchString(shown) || divider.Get().MatchString(t) || tagLine.Get().MatchString(t):
		s.open = false
	case headMark.Get().MatchString(shown):
		m := headMark.Get().FindStringSubmatch(shown)
		s.heading(n, len(m[1]), m[2])
	case table:
		s.row(n, t)
	case itemMark.Get().MatchString(shown):
		m := itemMark.Get().FindStringSubmatch(shown)
		s.item(n, len(strings.ReplaceAll(m[1], "\t", "    ")), m[2])
	case importLine.Get().MatchString(t): // it is no part of what it stands below
		s.items = s.items[:0]
		s.paragraph(n, t)
		s.open, s.intro = false, -1
	case s.open && !label.Get().MatchString(t) && !iconMark.Get().MatchString(t):
		b := &s.blocks[len(s.blocks)-1]
		b.lines, b.end = append(b.lines, t), n
	default:
		if indent == 0 || len(s.items) == 0 {
			s.items = s.items[:0]
		}
		s.paragraph(n, t)
	}
}

func (s *splitter) add(b block) {
	b.end = max(b.end, b.line)
	if b.lead == 0 {
		b.lead = -1
	} else {
		b.lead--
		s.blocks[b.lead].children = append(s.blocks[b.lead].children, len(s.blocks))
	}
	for _, h := range s.heads {
		b.section = append(b.section, s.blocks[h].text())
	}
	s.blocks = append(s.blocks, b)
	s.open = b.kind == paragraph || b.kind == item
}

func (s *splitter) heading(n, level int, title string) {
	for len(s.heads) > 0 && s.blocks[s.heads[len(s.heads)-1]].level >= level {
		s.heads = s.heads[:len(s.heads)-1]
	}
	s.items, s.intro = s.items[:0], -1
	s.add(block{kind: heading, line: n, level: level, lines: []string{title}})
	s.heads = append(s.heads, len(s.blocks)-1)
	s.intro = len(s.blocks) - 1 // of the items right below it
}

func (s *splitter) paragraph(n int, t string) {
	b := block{kind: paragraph, line: n, lines: []string{t}}
	if len(s.items) > 0 { // it belongs to the item, and does not introduce the next one
		b.lead = s.items[len(s.items)-1] + 1
		s.add(b)
		return
	}
	s.add(b)
	s.intro = len(s.blocks) - 1
}

func (s *splitter) item(n, indent int, t string) {
	for len(s.items) > 0 && s.blocks[s.items[len(s.items)-1]].level >= indent {
		if last := s.items[len(s.items)-1]; strings.HasSuffix(strings.TrimRight(s.blocks[last].text(), "*_"), ":") && len(s.blocks[last].children) == 0 && s.blocks[last].codeEnd == 0 {
			s.intro = last // the items behind it are what it introduces
		}
		s.items = s.items[:len(s.items)-1]
	}
	b := block{kind: item, line: n, level: indent, lines: []string{t}}
	switch {
	case len(s.items) > 0:
		b.lead = s.items[len(s.items)-1] + 1
	case s.intro >= 0:
		b.lead = s.intro + 1
	}
	s.add(b)
	s.items = append(s.items, len(s.blocks)-1)
}

// row adds a row of a table; its first row is the head.
func (s *splitter) row(n int, t string) {
	if !s.table {
		s.open, s.head = false, strings.Split(strings.Trim(t, "| "), "|")
		return
	}
	s.add(block{kind: row, line: n, lines: []string{strings.Trim(t, "| ")}, heads: s.head})
}

// shells are the languages of code blocks whose lines are commands.
var shells = [...]string{"bash", "sh", "shell", "zsh", "console", "fish"}

// code adds a line of a code block to the block above it.
func (s *splitter) code(n int, shown string, mark bool) {
	last := len(s.blocks) - 1
	s.open = false
	if mark && s.fence != "" {
		if s.fenceFor = last; last >= 0 {
			lang, _, _ := strings.Cut(strings.TrimLeft(strings.TrimSpace(shown), "`~> "), " ")
			shell := slices.Contains(shells[:], strings.ToLower(lang))
			s.blocks[last].shell, s.other = shell, lang != "" && !shell
			s.blocks[last].fences = append(s.blocks[last].fences, fence{line: n + 1, lang: strings.ToLower(lang)})
		}
		return
	}
	if s.fenceFor < 0 {
		return
	}
	b := &s.blocks[s.fenceFor]
	if f := &b.fences[len(b.fences)-1]; !mark && len(f.lines) < maxFence {
		f.lines = append(f.lines, shown)
	}
	if b.codeEnd = n; mark || s.other {
		return
	}
	if of := len(b.code) - 1; of >= 0 && strings.HasSuffix(b.code[of], `\`) { // a command goes on
		b.code[of] = strings.TrimRight(strings.TrimSuffix(b.code[of], `\`), " ") + " " + strings.TrimSpace(shown)
	} else if len(b.code) < 200 {
		b.code = append(b.code, shown)
	}
}

// maxMatter bounds the head of a file that says what it is about, in bytes.
const maxMatter = 16 << 10

// matter returns the front matter of a file, and how many lines it has with its marks.
func matter(s string) (head string, lines int) {
	s = strings.TrimPrefix(s, "\ufeff")
	s = strings.ReplaceAll(s[:min(len(s), maxMatter+len("---\r\n"))], "\r\n", "\n")
	rest, ok := strings.CutPrefix(s, "---\n")
	if !ok {
		return "", 0
	}
	head, _, ok = strings.Cut(rest[:min(len(rest), maxMatter)], "\n---\n")
	if !ok || !strings.Contains(head, ":") {
		return "", 0
	}
	return head, strings.Count(head, "\n") + 3
}
