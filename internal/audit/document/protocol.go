package document

import "github.com/agentsentinel/sentinel/internal/audit"

// Parent and reading process exchange values of JSON. The parent sends one job in one
// line, and then the bytes of the document; the process answers with messages.
//
//	job     {format, size, …} + size bytes
//	answer  text picture… done   of a PDF
//	        parsed               of Markdown
//	        … failure            in place of the rest

// job is the task of the process.
type job struct {
	Format    string `json:"format"`
	Size      int64  `json:"size"` // of the document, which follows
	Cache     string `json:"cache,omitempty"`
	Pictures  bool   `json:"pictures,omitempty"`
	MaxPages  int    `json:"max_pages"`
	MaxText   int    `json:"max_text"`
	MaxMemory int64  `json:"max_memory"`
}

// message is one answer; exactly one field is set.
type message struct {
	Parsed  *parsed  `json:"parsed,omitempty"` // the last message
	Text    *pdfText `json:"text,omitempty"`
	Picture *picture `json:"picture,omitempty"`
	Failure *failure `json:"failure,omitempty"` // the last message
	Done    *done    `json:"done,omitempty"`    // the last message
}

// pdfText is the text of a PDF.
type pdfText struct {
	Pages []*rawPage `json:"pages"`
	Cut   bool       `json:"cut,omitempty"` // MaxText was reached
}

// sound reports whether the pages are such as a document has.
func (t *pdfText) sound(maxPages int) bool {
	for i, p := range t.Pages {
		if p == nil || p.Number != i+1 || !p.sound() {
			return false
		}
	}
	return len(t.Pages) > 0 && len(t.Pages) <= maxPages
}

// parsed is a document without pages.
type parsed struct {
	Blocks []Block  `json:"blocks"`
	Hidden []Hidden `json:"hidden,omitempty"`
	Cut    bool     `json:"cut,omitempty"`
}

// rawPage is a page as pdfium has it.
type rawPage struct {
	Number int       `json:"number"`
	Lines  []rawLine `json:"lines"`
	Images int       `json:"images"`
	Paths  int       `json:"paths"`
	Hidden []Hidden  `json:"hidden,omitempty"`
	Err    string    `json:"error,omitempty"` // the page could not be read, or not to its end
}

// rawLine is one line of text and how it is set.
type rawLine struct {
	Text string  `json:"text"`
	Size float64 `json:"size"` // of its letters, in points
	Bold bool    `json:"bold,omitempty"`
	X    float64 `json:"x"`   // of its first letter, in points from the page's left side
	Y    float64 `json:"y"`   // of its base line, in points from the page's foot
	End  float64 `json:"end"` // Y of its last letter: where a hyphen is taken out, a line has two rows
}

// sound reports whether the page's figures are such as a page has.
func (p *rawPage) sound() bool {
	most := func(n int) bool { return n >= 0 && n <= maxObjects }
	for i := range p.Lines {
		l := &p.Lines[i]
		for _, f := range [...]float64{l.Size, l.X, l.Y, l.End} {
			if f < -maxPoints || f > maxPoints {
				return false
			}
		}
	}
	return most(p.Images) && most(p.Paths) && len(p.Lines) <= maxLines
}

// sound reports whether all blocks and hidden texts have lines, in order, and known
// kinds.
func (p *parsed) sound() bool {
	for i := range p.Blocks {
		b := &p.Blocks[i]
		if b.Page != 1 || b.Kind > Quote || b.First < 0 || b.Last < b.First {
			return false
		}
	}
	for i := range p.Hidden {
		if p.Hidden[i].Line < 0 {
			return false
		}
	}
	return len(p.Blocks) <= maxBlocks && len(p.Hidden) <= maxHidden
}

type picture struct {
	Page int    `json:"page"`
	PNG  []byte `json:"png"`
}

type failure struct {
	Outcome audit.Outcome `json:"outcome"`
	Reason  string        `json:"reason"`
}

type done struct {
	Unrendered string `json:"unrendered,omitempty"` // why a page with a diagram has no picture
}
