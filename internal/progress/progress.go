// Package progress shows on a terminal how far long work is: one line that is
// drawn over itself, and taken away at the end. The libraries for it cost each
// start of a program, and so each hook call, more than this.
package progress

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agentsentinel/sentinel/internal/text"
)

// A Line is that line. It is safe for concurrent use.
type Line struct {
	mu    sync.Mutex
	out   io.Writer // nil shows nothing
	now   func() time.Time
	title string
	total int
	drawn time.Time
	width int // of the text on the line
	most  int // characters of a line; no line may wrap, for it could not be drawn over
}

// redraw is the shortest time between two drawings.
const redraw = 100 * time.Millisecond

// New begins to show work of so many steps on out, which is nil where nothing is
// to be shown (see [Terminal]); total 0 means unknown. now may
// be nil and then is time.Now.
func New(out io.Writer, title string, total int, now func() time.Time) *Line {
	if now == nil {
		now = time.Now
	}
	return &Line{out: out, title: title, total: total, now: now, most: widest}
}

// widest is how long a line is at most.
const widest = 78

// Fit keeps the line within a terminal of so many columns; 0 leaves it as it is.
// It is called before the first step.
func (l *Line) Fit(columns int) {
	if columns > 0 {
		l.most = max(min(columns-1, widest), 1)
	}
}

// Terminal is w where a line can be drawn over itself on it, else nil. term is
// the kind of the terminal, as $TERM has it.
func Terminal(w io.Writer, term string) io.Writer {
	if f, ok := w.(*os.File); ok && IsTerminal(f) && term != "dumb" {
		return f
	}
	return nil
}

// IsTerminal reports whether a person may be looking at f.
func IsTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// At says how many steps are done, and with what it goes on.
func (l *Line) At(done int, doing ...string) { l.Of(done, 0, doing...) }

// Of is At for work whose number of steps is known by now; 0 leaves it as it was.
func (l *Line) Of(done, total int, doing ...string) {
	if l.out == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if total > 0 {
		l.total = total
	}
	now := l.now()
	if now.Sub(l.drawn) < redraw && (done < l.total || l.total == 0) {
		return
	}
	l.drawn = now
	l.draw(l.line(done, doing))
}

// Step returns a function that says that one more step is done, for several goroutines.
func (l *Line) Step() func() {
	var done atomic.Int64
	return func() { l.At(int(done.Add(1))) }
}

func (l *Line) line(done int, doing []string) string {
	const cells = 24
	s := l.title
	if l.total > 0 {
		full := min(cells, cells*done/l.total)
		s += fmt.Sprintf(" [%s%s] %d/%d", strings.Repeat("=", full), strings.Repeat(" ", cells-full), done, l.total)
	} else if done > 0 {
		s += fmt.Sprintf(" %d", done)
	}
	if len(doing) > 0 {
		s += " " + text.OneLine(strings.Join(doing, " "))
	}
	return text.Cut(s, l.most)
}

func (l *Line) draw(s string) {
	width := len([]rune(s))
	fmt.Fprintf(l.out, "\r%s%s", s, strings.Repeat(" ", max(l.width-width, 0)))
	l.width = width
}

// End takes the line away.
func (l *Line) End() {
	if l.out == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.width > 0 {
		fmt.Fprintf(l.out, "\r%s\r", strings.Repeat(" ", l.width))
		l.width = 0
	}
}
