// Package markdown splits a text in Markdown into the blocks that a reader sees: headings, paragraphs,
// items of lists, rows of tables, and the code blocks below them. It marks what a page does not show.
package markdown

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/lazy"
	"github.com/agentsentinel/sentinel/internal/text"
)

// Limits of what is split.
const (
	MaxBlock  = 4000 // bytes of a block that are looked at
	MaxBlocks = 20_000
)

// A Block is a unit of a file: a heading, a paragraph, an item of a list
// or a row of a table.
type Block struct {
	Kind      BlockKind
	Line      int // of its first line, from 1
	End       int // of its last line
	level     int // of a heading, 1 to 6; of an item the width of its indentation
	Lines     []string
	Code      []string // lines of the code blocks below it that may be commands
	Shell     bool     // these are said to be commands
	CodeEnd   int      // the last line of these
	Fences    []Fence  // the code blocks below it
	Section   []string
	Lead      int // index of the block that introduces it; -1 without one
	Children  []int
	Heads     []string // of the columns of its table
	Invisible bool

	text string // see [Block.Text]
}

// A Fence is a code block.
type Fence struct {
	Line  int    // of its first line of code
	Lang  string // as its mark says
	Lines []string
}

// maxTitle bounds a heading above other blocks, in characters: it is read again for each of them.
const maxTitle = 400

// maxFence bounds the lines of a code block that are kept.
const maxFence = 400

// A BlockKind says what a block is.
type BlockKind int

// The kinds of blocks.
const (
	Paragraph BlockKind = iota
	Heading
	Item
	Row
)

// Text is the block in one line.
func (b *Block) Text() string { return b.text }

// joined are the lines that the block has so far, in one line.
func (b *Block) joined() string {
	s := strings.Join(strings.Fields(strings.Join(b.Lines, " ")), " ")
	if len(s) > MaxBlock {
		s = strings.ToValidUTF8(s[:MaxBlock], "")
	}
	return s
}

var (
	itemMark = lazy.Regexp{Source: `^([ \t]*)(?:[-*+•]|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?(.*)$`}
	iconMark = lazy.Regexp{Source: `^(?:❌|✅|⚠️|🚫|⛔|✓|✗|✔|✘|☑️?|👉|❗)`}
	label    = lazy.Regexp{Source: `^\*\*[^*]{1,80}\*\*`}
	rule3    = lazy.Regexp{Source: `^ {0,3}([-*_] ?){3,}$`}
	// CodeSpan is a text in `code`, with its marks.
	CodeSpan = lazy.Regexp{Source: "``[^`]+``|`[^`]+`"}
	headMark = lazy.Regexp{Source: `^ {0,3}(#{1,6})\s+(.*?)(?:\s+#+)?\s*$`}
	tagLine  = lazy.Regexp{Source: `^(?:</?[A-Za-z][\w:.-]*(?: [^<>]*)?/?>\s*)+$`}
	divider  = lazy.Regexp{Source: `^\s*\|?[\s:|-]*-[\s:|-]*\|[\s:|-]*$`}
)

// importLine is a line that imports a file and says nothing else.
var importLine = lazy.Regexp{Source: `^@(?:~|\.{0,2})/?[\w.-]+(?:/[\w.-]+)*\.\w+$`}

// A splitter makes blocks of the lines of a file.
type splitter struct {
	blocks   []Block
	open     bool // the last block takes further lines
	fence    string
	other    bool     // it is of a language that has no commands
	fenceFor int      // the block that the open code block belongs to; -1 for none
	heads    []int    // the headings above, from the top
	titles   []string // of these
	items    []int    // the items above, from the outermost
	intro    int      // the block that may introduce a list; -1
	table    bool     // the line before was a row
	head     []string // of the columns of the table
}

// Blocks splits a text, without its front matter. Lines that a reader cannot see take the block they
// are in with them.
func Blocks(text string) []Block {
	s := splitter{intro: -1, fenceFor: -1}
	_, skip := Matter(text)
	lines := Scan(text)
	within := inComponents(lines)
	for i, l := range lines {
		if i < skip {
			continue
		}
		if within[i] {
			s.open, s.table = false, false
			continue
		}
		if len(s.blocks) == MaxBlocks {
			break
		}
		s.line(i+1, l)
	}
	for i := range s.blocks {
		s.blocks[i].text = s.blocks[i].joined()
	}
	return s.blocks
}

func (s *splitter) line(n int, l line) {
	if l.Invisible {
		if s.open {
			s.blocks[len(s.blocks)-1].Invisible = true
		} else {
			s.add(Block{Line: n, Invisible: true})
		}
		return
	}
	shown := strings.TrimRight(l.Shown, " \t")
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
	case importLine.Get().MatchString(t): // what is above it does not go on in it
		s.items = s.items[:0]
		s.paragraph(n, t)
		s.open, s.intro = false, -1
	case s.open && !label.Get().MatchString(t) && !iconMark.Get().MatchString(t):
		b := &s.blocks[len(s.blocks)-1]
		b.Lines, b.End = append(b.Lines, t), n
	default:
		if indent == 0 || len(s.items) == 0 {
			s.items = s.items[:0]
		}
		s.paragraph(n, t)
	}
}

func (s *splitter) add(b Block) {
	b.End = max(b.End, b.Line)
	if b.Lead == 0 {
		b.Lead = -1
	} else {
		b.Lead--
		s.blocks[b.Lead].Children = append(s.blocks[b.Lead].Children, len(s.blocks))
	}
	b.Section = append(b.Section, s.titles...)
	s.blocks = append(s.blocks, b)
	s.open = b.Kind == Paragraph || b.Kind == Item
}

func (s *splitter) heading(n, level int, title string) {
	for len(s.heads) > 0 && s.blocks[s.heads[len(s.heads)-1]].level >= level {
		s.heads, s.titles = s.heads[:len(s.heads)-1], s.titles[:len(s.titles)-1]
	}
	s.items, s.intro = s.items[:0], -1
	s.add(Block{Kind: Heading, Line: n, level: level, Lines: []string{title}})
	s.heads = append(s.heads, len(s.blocks)-1)
	s.titles = append(s.titles, text.Cut(s.blocks[len(s.blocks)-1].joined(), maxTitle))
	s.intro = len(s.blocks) - 1 // of the items right below it
}

func (s *splitter) paragraph(n int, t string) {
	b := Block{Kind: Paragraph, Line: n, Lines: []string{t}}
	if len(s.items) > 0 { // it belongs to the item, and does not introduce the next one
		b.Lead = s.items[len(s.items)-1] + 1
		s.add(b)
		return
	}
	s.add(b)
	s.intro = len(s.blocks) - 1
}

func (s *splitter) item(n, indent int, t string) {
	for len(s.items) > 0 && s.blocks[s.items[len(s.items)-1]].level >= indent {
		if last := s.items[len(s.items)-1]; strings.HasSuffix(strings.TrimRight(s.blocks[last].joined(), "*_"), ":") && len(s.blocks[last].Children) == 0 && s.blocks[last].CodeEnd == 0 {
			s.intro = last // the items behind it are what it introduces
		}
		s.items = s.items[:len(s.items)-1]
	}
	b := Block{Kind: Item, Line: n, level: indent, Lines: []string{t}}
	switch {
	case len(s.items) > 0:
		b.Lead = s.items[len(s.items)-1] + 1
	case s.intro >= 0:
		b.Lead = s.intro + 1
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
	s.add(Block{Kind: Row, Line: n, Lines: []string{strings.Trim(t, "| ")}, Heads: s.head})
}

// Shells are the languages of code blocks whose lines are commands.
var Shells = [...]string{"bash", "sh", "shell", "zsh", "console", "fish"}

// code adds a line of a code block to the block above it.
func (s *splitter) code(n int, shown string, mark bool) {
	last := len(s.blocks) - 1
	s.open = false
	if mark && s.fence != "" {
		if s.fenceFor = last; last >= 0 {
			lang, _, _ := strings.Cut(strings.TrimLeft(strings.TrimSpace(shown), "`~> "), " ")
			shell := slices.Contains(Shells[:], strings.ToLower(lang))
			s.blocks[last].Shell, s.other = shell, lang != "" && !shell
			s.blocks[last].Fences = append(s.blocks[last].Fences, Fence{Line: n + 1, Lang: strings.ToLower(lang)})
		}
		return
	}
	if s.fenceFor < 0 {
		return
	}
	b := &s.blocks[s.fenceFor]
	if f := &b.Fences[len(b.Fences)-1]; !mark && len(f.Lines) < maxFence {
		f.Lines = append(f.Lines, shown)
	}
	if b.CodeEnd = n; mark || s.other {
		return
	}
	if of := len(b.Code) - 1; of >= 0 && strings.HasSuffix(b.Code[of], `\`) { // a command goes on
		b.Code[of] = strings.TrimRight(strings.TrimSuffix(b.Code[of], `\`), " ") + " " + strings.TrimSpace(shown)
	} else if len(b.Code) < 200 {
		b.Code = append(b.Code, shown)
	}
}

// maxMatter bounds the head of a file that says what it is about, in bytes.
const maxMatter = 16 << 10

// Matter returns the front matter of a file, and how many lines it has with its marks.
func Matter(s string) (head string, lines int) {
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
