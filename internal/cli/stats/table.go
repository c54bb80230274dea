package stats

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/agentsentinel/sentinel/internal/cli/command"
	"github.com/agentsentinel/sentinel/internal/text"
)

func local(t time.Time) string { return t.UTC().Format("2006-01-02 15:04") }

type statsPrinter struct {
	*command.Env
	width int
}

// fit cuts a line to the width.
func (p *statsPrinter) fit(s string) string { return text.Cut(s, p.width) }

// share is n of all in per cent, for parentheses.
func share(n, all int64) string {
	if all == 0 {
		return ""
	}
	return fmt.Sprintf(" (%.1f %%)", 100*float64(n)/float64(all))
}

// wrapped prints parts with commas, in as many lines as they need.
func (p *statsPrinter) wrapped(head string, parts []string) {
	for i := range len(parts) - 1 {
		parts[i] += ","
	}
	p.Flow(head, parts)
}

// millis is a duration in milliseconds for people.
func millis(ms float64) string {
	switch {
	case ms >= 10_000:
		return fmt.Sprintf("%.0f s", ms/1000)
	case ms >= 1000:
		return fmt.Sprintf("%.1f s", ms/1000)
	case ms >= 10:
		return fmt.Sprintf("%.0f ms", ms)
	case ms >= 0.1:
		return fmt.Sprintf("%.1f ms", ms)
	case ms > 0:
		return "<0.1 ms"
	}
	return "0 ms"
}

// narrow adds up neighbours until there are at most n values.
func narrow(values []int64, n int) []int64 {
	by := (len(values) + n - 1) / n
	if by <= 1 {
		return values
	}
	out := make([]int64, (len(values)+by-1)/by)
	for i, v := range values {
		out[i/by] += v
	}
	return out
}

// spark draws numbers as bars of eight heights; 0 is a blank.
func spark(values []int64) string {
	const bars = "▁▂▃▄▅▆▇█"
	heights := []rune(bars)
	top := slices.Max(append([]int64{0}, values...))
	var b strings.Builder
	for _, v := range values {
		if v <= 0 {
			b.WriteByte(' ')
			continue
		}
		b.WriteRune(heights[(v*int64(len(heights))-1)/top])
	}
	return b.String()
}

// span is the width of a column in words.
func span(d time.Duration) string {
	day := 24 * time.Hour
	switch {
	case d >= 364*day:
		return "a year"
	case d >= 28*day:
		return "4 weeks"
	case d >= 7*day:
		return "a week"
	case d >= day:
		return "a day"
	case d > time.Hour:
		return fmt.Sprintf("%d hours", d/time.Hour)
	case d == time.Hour:
		return "an hour"
	case d > time.Minute:
		return fmt.Sprintf("%d minutes", d/time.Minute)
	}
	return "a minute"
}

func (p *statsPrinter) head(title, note string) {
	p.Line("")
	if note != "" {
		note = text.Cut("  "+note, max(p.width-utf8.RuneCountInString(title), 0))
	}
	p.Line("%s%s", p.Bold(title), note)
}

// A cell of a table, and a table, whose first column gives way when it is too wide.
func (p *statsPrinter) table(header []string, rows [][]string, droppable int) {
	for {
		widths := widthsOf(append([][]string{header}, rows...))
		over := 2*len(widths) - p.width
		for _, w := range widths {
			over += w
		}
		if over > 0 && widths[0]-over < min(widths[0], 24) && droppable > 0 { // rather lose the last column than the first
			header = header[:len(header)-1]
			for i := range rows {
				rows[i] = rows[i][:len(rows[i])-1]
			}
			droppable--
			continue
		}
		if over > 0 {
			widths[0] = max(widths[0]-over, 8)
		}
		for _, row := range append([][]string{header}, rows...) {
			p.Line("%s", p.fit(tableLine(row, widths)))
		}
		return
	}
}

// widthsOf are the widths of the columns of rows.
func widthsOf(rows [][]string) []int {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i := range widths {
			widths[i] = max(widths[i], utf8.RuneCountInString(row[i]))
		}
	}
	return widths
}

// tableLine aligns texts to the left and numbers to the right.
func tableLine(row []string, widths []int) string {
	var b strings.Builder
	b.WriteString("  ")
	for i, cell := range row {
		cell = text.Cut(cell, widths[i])
		blank := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
		if i == 0 {
			b.WriteString(cell + blank)
		} else {
			b.WriteString("  " + blank + cell)
		}
	}
	return strings.TrimRight(b.String(), " ")
}
