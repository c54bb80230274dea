package document

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
)

// How lines of a PDF become paragraphs and headings. A PDF knows neither: it
// places letters.
const (
	headingScale = 1.15 // of the size that most letters have
	headingWords = 16   // a longer line is a sentence in large letters
	gapScale     = 1.35 // of the usual distance between lines: more parts two paragraphs
	wideScale    = 2.2  // of the letters' size: no usual distance is larger
	indent       = 8    // points
)

// rawPage is a page as pdfium has it.
type rawPage struct {
	Page
	lines []rawLine
	err   string // the page could not be read, or not to its end
}

// rawLine is one line of text and how it is set.
type rawLine struct {
	text string
	size float64 // of its letters, in points
	bold bool
	x    float64 // of its first letter, in points from the page's left side
	y    float64 // of its base line, in points from the page's foot
	end  float64 // y of its last letter: where a hyphen is taken out, a line has two rows
}

// compose makes pages and blocks from pdfium's lines; cut says that there are more.
func compose(raw []*rawPage, cut bool) *content {
	body := bodySize(raw)
	c := &content{Cut: cut}
	for _, r := range raw {
		c.Pages = append(c.Pages, r.Page)
		c.Blocks = append(c.Blocks, pageBlocks(r, body)...)
		if r.err != "" && c.Broken == "" {
			c.Cut, c.Broken = true, fmt.Sprintf("page %d: %s", r.Number, r.err)
		}
	}
	return c
}

// bodySize is the size that most letters have, in points.
func bodySize(raw []*rawPage) (body float64) {
	byLetters := map[float64]int{}
	for _, p := range raw {
		for _, l := range p.lines {
			byLetters[halfPoint(l.size)] += letters(l.text)
		}
	}
	most := 0
	for _, size := range slices.Sorted(maps.Keys(byLetters)) {
		if byLetters[size] > most {
			body, most = size, byLetters[size]
		}
	}
	return body
}

// halfPoint rounds a size, so that letters that look equal have equal sizes.
func halfPoint(size float64) float64 { return float64(int(2*size+0.5)) / 2 }

// heading reports whether a line is one, where most letters have the size of body.
func (l *rawLine) heading(body float64) bool {
	if words := len(strings.Fields(l.text)); words > headingWords || letters(l.text) == 0 {
		return false
	}
	size := halfPoint(l.size)
	return body > 0 && size >= body*headingScale || l.bold && size == body && !endsSentence(l.text)
}

// pageBlocks makes blocks of the lines of one page.
func pageBlocks(p *rawPage, body float64) []Block {
	var blocks []Block
	usual := usualGap(p.lines)
	for i := range p.lines {
		l := &p.lines[i]
		text := softened(l.text)
		next := Block{Text: text, Page: p.Number}
		if l.heading(body) {
			next.Kind = Heading
		} else if bullet(text) {
			next.Kind = ListItem
		}
		if i > 0 && joins(&blocks[len(blocks)-1], &next, &p.lines[i-1], l, usual) {
			last := &blocks[len(blocks)-1]
			last.Text = joinLines(last.Text, text)
			continue
		}
		blocks = append(blocks, next)
	}
	return blocks
}

// usualGap is the distance between the lines of a paragraph: a quarter of all
// distances is smaller, because most lines are in paragraphs.
func usualGap(lines []rawLine) float64 {
	var gaps []float64
	for i := 1; i < len(lines); i++ {
		if gap := lines[i-1].end - lines[i].y; gap > 1 {
			gaps = append(gaps, gap)
		}
	}
	if len(gaps) == 0 {
		return 0
	}
	slices.Sort(gaps)
	return gaps[len(gaps)/4]
}

// joins reports whether a line goes on with the block before it.
func joins(last, next *Block, before, line *rawLine, usual float64) bool {
	heading := last.Kind == Heading
	if next.Kind == ListItem || heading != (next.Kind == Heading) || heading && halfPoint(before.size) != halfPoint(line.size) {
		return false
	}
	gap := before.end - line.y
	switch {
	case gap < -1: // the next column
		return !endsSentence(before.text)
	case gap > gapScale*max(min(usual, wideScale*line.size), line.size):
		return false
	case last.Kind == Paragraph && line.x > before.x+indent && endsSentence(before.text):
		return false
	}
	return true
}

// softened is a line with single spaces. pdfium takes out the hyphen at which a
// word goes on in the next line, and leaves a mark there, which becomes a soft
// hyphen.
func softened(line string) string {
	marks := strings.NewReplacer("\ufffe", softHyphen, "\x02", softHyphen)
	return strings.Join(strings.Fields(marks.Replace(line)), " ")
}

// joinLines goes on with a text in the next line.
func joinLines(a, b string) string {
	if strings.HasSuffix(a, softHyphen) {
		return a + b
	}
	return a + " " + b
}

// harden takes soft hyphens out of the blocks' text.
func harden(blocks []Block) {
	for i := range blocks {
		b := &blocks[i]
		if strings.Contains(b.Text, softHyphen) {
			b.soft, b.Text = b.Text, strings.ReplaceAll(b.Text, softHyphen, "")
		}
	}
}

// bullet reports whether a line begins as an item of a list does.
func bullet(text string) bool {
	word, rest, more := strings.Cut(text, " ")
	if !more || rest == "" {
		return false
	}
	if letters(word) == 0 && strings.IndexFunc(word, isBullet) >= 0 {
		return true
	}
	number := strings.TrimRight(strings.TrimLeft(word, "("), ".)")
	return number != word && len(number) <= 3 && number != "" && strings.IndexFunc(number, func(r rune) bool { return !unicode.IsDigit(r) }) < 0
}

// isBullet knows private characters too: word processors take bullets from fonts
// of symbols.
func isBullet(r rune) bool {
	return strings.ContainsRune("•◦▪‣●○■–*-", r) || unicode.Is(unicode.Co, r)
}

// endsSentence reports whether a line ends as a sentence does.
func endsSentence(text string) bool {
	return strings.HasSuffix(strings.TrimRight(text, ` "')”’]`), ".") || strings.ContainsAny(lastRune(text), "!?:;")
}

func lastRune(text string) string {
	t := strings.TrimRight(text, ` "')”’]`)
	if t == "" {
		return ""
	}
	r := []rune(t[max(0, len(t)-4):])
	return string(r[len(r)-1])
}
