package cli

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"
)

// A progress shows on standard error how far long work is, where that is a
// terminal: one line that is drawn over itself, and taken away at the end. It is
// safe for concurrent use. The libraries for it cost each start of the program,
// and so each hook call, more than this.
type progress struct {
	mu    sync.Mutex
	out   io.Writer // nil shows nothing
	now   func() time.Time
	title string
	total int
	drawn time.Time
	width int // of what stands on the line
}

// redraw is the shortest time between two drawings.
const redraw = 100 * time.Millisecond

// progress begins to show work of so many steps; 0 means that nobody knows how many.
func (e *Env) progress(title string, total int) *progress {
	p := &progress{title: title, total: total, now: time.Now}
	if e.Now != nil {
		p.now = e.Now
	}
	if f, ok := e.Stderr.(*os.File); ok && isTerminal(f) && e.Getenv("TERM") != "dumb" {
		p.out = f
	}
	return p
}

// at says how many steps are done, and with what it goes on.
func (p *progress) at(done int, doing ...string) {
	if p.out == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	if now.Sub(p.drawn) < redraw && done < p.total {
		return
	}
	p.drawn = now
	p.draw(p.line(done, doing))
}

func (p *progress) line(done int, doing []string) string {
	const cells = 24
	s := p.title
	if p.total > 0 {
		full := min(cells, cells*done/p.total)
		s += fmt.Sprintf(" [%s%s] %d/%d", strings.Repeat("=", full), strings.Repeat(" ", cells-full), done, p.total)
	} else if done > 0 {
		s += fmt.Sprintf(" %d", done)
	}
	if len(doing) > 0 {
		s += " " + oneLine(strings.Join(doing, " "))
	}
	if r := []rune(s); len(r) > 78 { // no line may wrap: it could not be drawn over
		s = string(r[:77]) + "…"
	}
	return s
}

func (p *progress) draw(s string) {
	width := len([]rune(s))
	fmt.Fprintf(p.out, "\r%s%s", s, strings.Repeat(" ", max(p.width-width, 0)))
	p.width = width
}

// end takes the line away.
func (p *progress) end() {
	if p.out == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.width > 0 {
		fmt.Fprintf(p.out, "\r%s\r", strings.Repeat(" ", p.width))
		p.width = 0
	}
}
