package text

import (
	"hash/maphash"
	"slices"
	"strings"
)

// Changed returns the lines of text that differ from old, as ranges of bytes in order
// and apart, each with some lines around it. Where lines were only removed, the range is
// the lines around them. It is empty, and not nil, where nothing differs. It may call a
// line changed that only moved, and never the other way round.
func Changed(old, text string, around int) [][2]int {
	a, b := splitLines(old), splitLines(text)
	d := differ{a: a, b: b, seed: maphash.MakeSeed()}
	d.compare(0, len(a), 0, len(b), 0)
	starts := make([]int, len(b)+1)
	for i, line := range b {
		starts[i+1] = starts[i] + len(line)
	}
	ranges := [][2]int{}
	for _, h := range d.hunks {
		from, to := starts[max(h[0]-around, 0)], starts[min(h[1]+around, len(b))]
		if last := len(ranges) - 1; last >= 0 && from <= ranges[last][1] {
			ranges[last][1] = max(to, ranges[last][1])
		} else if from < to {
			ranges = append(ranges, [2]int{from, to})
		}
	}
	return ranges
}

func splitLines(s string) []string { return slices.Collect(strings.Lines(s)) }

// A differ finds the lines of b that are not in a. It goes by lines that both have
// exactly once, which is linear but for sorting.
type differ struct {
	a, b  []string
	seed  maphash.Seed
	hunks [][2]int // lines of b, in order
}

// maxDepth bounds how often a part is divided.
const maxDepth = 40

func (d *differ) compare(a, aEnd, b, bEnd, depth int) {
	for a < aEnd && b < bEnd && d.a[a] == d.b[b] {
		a, b = a+1, b+1
	}
	for a < aEnd && b < bEnd && d.a[aEnd-1] == d.b[bEnd-1] {
		aEnd, bEnd = aEnd-1, bEnd-1
	}
	if a == aEnd && b == bEnd {
		return
	}
	var anchors [][2]int
	if a < aEnd && b < bEnd && depth < maxDepth {
		anchors = d.anchors(a, aEnd, b, bEnd)
	}
	if len(anchors) == 0 {
		d.hunks = append(d.hunks, [2]int{b, bEnd})
		return
	}
	for _, at := range anchors {
		d.compare(a, at[0], b, at[1], depth+1)
		a, b = at[0]+1, at[1]+1
	}
	d.compare(a, aEnd, b, bEnd, depth+1)
}

// anchors are lines that occur once in each part, in the order of both.
func (d *differ) anchors(a, aEnd, b, bEnd int) [][2]int {
	type place struct{ inA, inB, a, b int }
	lines := map[uint64]*place{}
	for i := a; i < aEnd; i++ {
		key := maphash.String(d.seed, d.a[i])
		p := lines[key]
		if p == nil {
			p = &place{}
			lines[key] = p
		}
		p.inA, p.a = p.inA+1, i
	}
	for i := b; i < bEnd; i++ {
		if p := lines[maphash.String(d.seed, d.b[i])]; p != nil {
			p.inB, p.b = p.inB+1, i
		}
	}
	var once [][2]int
	for _, p := range lines {
		if p.inA == 1 && p.inB == 1 && d.a[p.a] == d.b[p.b] {
			once = append(once, [2]int{p.a, p.b})
		}
	}
	slices.SortFunc(once, func(x, y [2]int) int { return x[1] - y[1] })
	return ascending(once)
}

// ascending is a longest part of the pairs whose first numbers ascend.
func ascending(pairs [][2]int) [][2]int {
	var ends []int // of the best part of each length: its last pair
	before := make([]int, len(pairs))
	for i, p := range pairs {
		at, _ := slices.BinarySearchFunc(ends, p[0], func(end, first int) int { return pairs[end][0] - first })
		before[i] = -1
		if at > 0 {
			before[i] = ends[at-1]
		}
		if at == len(ends) {
			ends = append(ends, i)
		} else {
			ends[at] = i
		}
	}
	if len(ends) == 0 {
		return nil
	}
	out := make([][2]int, len(ends))
	for i, at := len(ends)-1, ends[len(ends)-1]; at >= 0; i, at = i-1, before[at] {
		out[i] = pairs[at]
	}
	return out
}
