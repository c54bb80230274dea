package install

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
)

// around is how many unchanged lines a diff shows on each side of a change.
const around = 3

// Diff returns the change in the unified format that patch and git apply read;
// "" when there is none. A file that does not exist is /dev/null; as git has it, an
// absolute path loses its first slash behind the a and the b.
func (c Change) Diff() string {
	if !c.Changed() {
		return ""
	}
	name := strings.TrimLeft(filepath.ToSlash(c.File), "/")
	from, to := "a/"+name, "b/"+name
	if c.Before == nil {
		from = "/dev/null"
	}
	if c.After == nil {
		to = "/dev/null"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "--- %s\n+++ %s\n", from, to)
	for _, h := range hunks(compare(lines(c.Before), lines(c.After))) {
		h.write(&b)
	}
	return b.String()
}

func lines(text []byte) []string {
	var all []string
	for line := range bytes.Lines(text) {
		all = append(all, string(line))
	}
	return all
}

// A row is one line of a comparison: ' ' in both, '-' before, '+' after.
type row struct {
	sign byte
	text string
}

// compare lists the rows that lead from a to b with as few changes as there can
// be. Where that would take too long, everything between what is equal at both
// ends is exchanged.
func compare(a, b []string) (rows []row) {
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	for _, text := range a[:head] {
		rows = append(rows, row{' ', text})
	}
	rows = append(rows, between(a[head:len(a)-tail], b[head:len(b)-tail])...)
	for _, text := range a[len(a)-tail:] {
		rows = append(rows, row{' ', text})
	}
	return rows
}

// maxCells bounds the table of between; settings files stay far below it.
const maxCells = 4 << 20

func between(a, b []string) (rows []row) {
	width := len(b) + 1
	var common []int // [i*width+j]: how many lines a[i:] and b[j:] have in common, in order
	if (len(a)+1)*width <= maxCells {
		common = make([]int, (len(a)+1)*width)
		for i := len(a) - 1; i >= 0; i-- {
			for j := len(b) - 1; j >= 0; j-- {
				if a[i] == b[j] {
					common[i*width+j] = common[(i+1)*width+j+1] + 1
				} else {
					common[i*width+j] = max(common[(i+1)*width+j], common[i*width+j+1])
				}
			}
		}
	}
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case common != nil && i < len(a) && j < len(b) && a[i] == b[j]:
			rows = append(rows, row{' ', a[i]})
			i, j = i+1, j+1
		case i < len(a) && (j == len(b) || common == nil || common[(i+1)*width+j] >= common[i*width+j+1]):
			rows = append(rows, row{'-', a[i]})
			i++
		default:
			rows = append(rows, row{'+', b[j]})
			j++
		}
	}
	return rows
}

// A hunk is a run of rows and the lines it begins at, from 1.
type hunk struct {
	before, after int
	rows          []row
}

// hunks cuts out the changes with what stands around them.
func hunks(rows []row) (all []hunk) {
	last := -1 // index of the last changed row that is in a hunk
	before, after := 1, 1
	for i, r := range rows {
		if r.sign != ' ' {
			start := max(i-around, 0)
			if last >= 0 && start <= last+around+1 {
				h := &all[len(all)-1]
				h.rows = append(h.rows, rows[last+1:i+1]...)
			} else {
				if last >= 0 {
					h := &all[len(all)-1]
					h.rows = append(h.rows, rows[last+1:last+1+around]...)
				}
				all = append(all, hunk{before - (i - start), after - (i - start), append([]row(nil), rows[start:i+1]...)})
			}
			last = i
		}
		if r.sign != '+' {
			before++
		}
		if r.sign != '-' {
			after++
		}
	}
	if last >= 0 {
		h := &all[len(all)-1]
		h.rows = append(h.rows, rows[last+1:min(last+1+around, len(rows))]...)
	}
	return all
}

func (h hunk) write(b *strings.Builder) {
	olds, news := 0, 0
	for _, r := range h.rows {
		if r.sign != '+' {
			olds++
		}
		if r.sign != '-' {
			news++
		}
	}
	fmt.Fprintf(b, "@@ -%s +%s @@\n", extent(h.before, olds), extent(h.after, news))
	for _, r := range h.rows {
		b.WriteByte(r.sign)
		b.WriteString(strings.TrimSuffix(r.text, "\n"))
		b.WriteByte('\n')
		if !strings.HasSuffix(r.text, "\n") {
			b.WriteString("\\ No newline at end of file\n")
		}
	}
}

// extent writes where lines begin and how many there are; of none it is the line
// before them.
func extent(start, count int) string {
	if count == 0 {
		start--
	}
	return fmt.Sprintf("%d,%d", start, count)
}
