package document

import "github.com/agentsentinel/sentinel/internal/audit"

// Parent and reading process exchange values of JSON. The parent sends one job in one
// line, and then the bytes of the document; the process answers with messages: the
// content, pictures, and that it is done, or a failure in place of the rest.

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
	Content *content `json:"content,omitempty"`
	Picture *picture `json:"picture,omitempty"`
	Failure *failure `json:"failure,omitempty"` // the last message
	Done    *done    `json:"done,omitempty"`    // the last message
}

// content is what was read of a document. Its blocks still have soft hyphens, and its
// pages no text of their own.
type content struct {
	Pages  []Page  `json:"pages"`
	Blocks []Block `json:"blocks"`
	Cut    bool    `json:"cut,omitempty"`    // there is more
	Broken string  `json:"broken,omitempty"` // why a page could not be read, or not to its end
}

// sound reports whether pages, blocks and hidden texts are such as a document has.
func (c *content) sound(maxPages int) bool {
	most := func(n int) bool { return n >= 0 && n <= maxObjects }
	for i := range c.Pages {
		p := &c.Pages[i]
		if p.Number != i+1 || !most(p.Images) || !most(p.Paths) {
			return false
		}
		for _, h := range p.Hidden {
			if h.Line < 0 {
				return false
			}
		}
	}
	for i := range c.Blocks {
		b := &c.Blocks[i]
		if b.Page < 1 || b.Page > len(c.Pages) || b.Kind > Quote || b.First < 0 || b.Last < b.First {
			return false
		}
	}
	return len(c.Pages) > 0 && len(c.Pages) <= maxPages && len(c.Blocks) <= maxBlocks
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
