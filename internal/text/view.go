package text

import "slices"

// A View says what is shown of a text that is too long for one look: in windows.
type View struct {
	Max     int      // characters of one window; below 120 counts as 120
	Windows int      // at most; below 1 counts as 1
	Needed  [][2]int // the ranges of bytes that count, in order and apart; nil means all, empty means none
	Places  []int    // bytes that deserve a look, the most telling first
}

// A Window is a part of a text as it is shown: cleaned, with a note wherever
// something was left out. Its length is at most [View.Max].
type Window struct {
	Text  string
	Added int // bytes of what is needed that no window before it shows
}

// overlapShare is which part of a window the next one shows again, so that a
// statement on the border is whole in one of them.
const overlapShare = 20

// Of returns the windows of a text, at least one. The needed parts are shown in order,
// in overlapping windows, as far as they go. Where they do not reach the first one is
// what [Snippet] shows, with the Places before all else. needed is how many bytes are:
// what the windows add comes to that where all of it is shown.
func (v View) Of(s string) (windows []Window, needed int) {
	v.Max = max(v.Max, snippetMin)
	v.Windows = max(v.Windows, 1)
	if fit(s, 0, v.Max) == len(s) {
		return []Window{{Clean(s), len(s)}}, len(s)
	}
	counts := v.needed(s)
	if needed = size(counts); needed == 0 {
		return []Window{{Text: assemble(s, choose(s, v.Max, v.Places))}}, 0
	}
	parts, rest := v.pack(s, counts, v.Windows)
	switch {
	case len(rest) > 0:
		chosen := choose(s, v.Max, v.Places)
		parts, _ = v.pack(s, without(counts, v.inner(s, chosen)), v.Windows-1)
		parts = append([][]region{chosen}, parts...)
	case len(parts) == 1:
		parts[0] = v.fill(s, parts[0])
	}
	for _, part := range parts {
		left := without(counts, part)
		windows = append(windows, Window{assemble(s, part), size(counts) - size(left)})
		counts = left
	}
	return windows, needed
}

// size is how many bytes regions have.
func size(rs []region) (n int) {
	for _, r := range rs {
		n += r.to - r.from
	}
	return n
}

// needed are the ranges as regions, whole characters each.
func (v View) needed(s string) []region {
	if v.Needed == nil {
		return []region{{0, len(s)}}
	}
	var all []region
	for _, n := range v.Needed {
		r := region{max(n[0], 0), min(n[1], len(s))}
		r.from = max(r.from, lastEnd(all))
		if r.from < r.to {
			whole := wholeRunes(s, r)
			all = append(all, region{min(max(whole.from, lastEnd(all)), r.from), whole.to})
		}
	}
	return all
}

func lastEnd(rs []region) int {
	if len(rs) == 0 {
		return 0
	}
	return rs[len(rs)-1].to
}

// inner are the regions without their borders, which another window shows again.
func (v View) inner(s string, rs []region) []region {
	var all []region
	for _, r := range rs {
		if r.to < len(s) {
			r.to = fitBack(s[:r.to], r.from, v.Max/overlapShare)
		}
		if r.from > 0 {
			r.from = fit(s, r.from, v.Max/overlapShare)
		}
		if r.from < r.to {
			all = append(all, r)
		}
	}
	return all
}

// pack puts the regions into at most n windows, in order. rest is what they do not
// hold.
func (v View) pack(s string, todo []region, n int) (windows [][]region, rest []region) {
	todo = slices.Clone(todo)
	for len(todo) > 0 && len(windows) < n {
		var window []region
		budget := v.Max - noteMax // for the note at the end
		for len(todo) > 0 {
			r := &todo[0]
			budget -= noteMax // for the note before it
			if budget <= 0 {
				break
			}
			end := min(fit(s, r.from, budget), r.to)
			if end == r.to {
				window = append(window, *r)
				budget -= width(s, *r)
				todo = todo[1:]
				continue
			}
			if end = r.from + lineCut(s[r.from:end], end-r.from); end > r.from {
				window = append(window, region{r.from, end})
				r.from = max(fitBack(s[:end], r.from+1, v.Max/overlapShare), r.from+1)
				r.from = wholeRunes(s, *r).from
			}
			break
		}
		if len(window) == 0 {
			break
		}
		windows = append(windows, window)
	}
	return windows, todo
}

// fill adds to a window what room is left for: the places, then head and tail.
func (v View) fill(s string, window []region) []region {
	budget := v.Max - noteMax
	for _, r := range window {
		budget -= width(s, r) + noteMax
	}
	add := func(r region) {
		if cost := width(s, r) + noteMax; r.from < r.to && cost <= budget && !overlaps(window, r) {
			window = append(window, r)
			budget -= cost
		}
	}
	for _, at := range v.Places {
		if at >= 0 && at < len(s) {
			add(around(s, at, 0, len(s)))
		}
	}
	add(region{0, lineCut(s, fit(s, 0, max(budget/2-noteMax, 0)))})
	add(region{fitBack(s, 0, max(budget/2-noteMax, 0)), len(s)})
	slices.SortFunc(window, func(a, b region) int { return a.from - b.from })
	return window
}

// without are the parts of regions that are in none of those taken away. Both are in
// order.
func without(rs, taken []region) []region {
	var left []region
	for _, r := range rs {
		for _, t := range taken {
			if t.to <= r.from || t.from >= r.to {
				continue
			}
			if t.from > r.from {
				left = append(left, region{r.from, t.from})
			}
			if r.from = t.to; r.from >= r.to {
				break
			}
		}
		if r.from < r.to {
			left = append(left, r)
		}
	}
	return left
}
