package text

import (
	"slices"
	"sort"
	"strings"
	"unicode/utf8"
)

// snippetMin is the least size of a snippet: less would show the note of what
// was left out and nothing else.
const snippetMin = 120

// noteMax bounds the length of a note, its line breaks included.
const noteMax = 44

// Snippet shows content within max characters: whole if it fits, else its head,
// its tail, and the places between that deserve a look (credentials, dangerous
// calls and SQL, addresses, encoded text, declarations), with a note wherever
// something was left out. The result is cleaned as by [Clean], and no character
// is cut. A max below 120 counts as 120. The time is linear in the content.
func Snippet(content string, max int) string {
	if max < snippetMin {
		max = snippetMin
	}
	if fit(content, 0, max) == len(content) {
		return Clean(content)
	}
	return assemble(content, choose(content, max, nil))
}

// choose picks what [Snippet] shows of a content that is too long: head, tail, and
// between them first the places and then what is notable.
func choose(content string, max int, places []int) []region {
	budget := max - noteMax
	head := lineCut(content, fit(content, 0, budget*2/5))
	tail := fitBack(content, head, budget/5)
	chosen := []region{{0, head}, {tail, len(content)}}
	budget -= width(content, chosen[0]) + width(content, chosen[1])

	for _, hit := range append(slices.Clone(places), notable(content, head, tail)...) {
		if hit < head || hit >= tail {
			continue
		}
		r := around(content, hit, head, tail)
		cost := width(content, r) + noteMax
		if cost > budget || overlaps(chosen, r) {
			continue
		}
		chosen = append(chosen, r)
		budget -= cost
	}
	sort.Slice(chosen, func(i, j int) bool { return chosen[i].from < chosen[j].from })
	// Room that no place needed goes to the head.
	chosen[0].to = min(fit(content, chosen[0].to, budget), chosen[1].from)
	return chosen
}

// Fits reports whether [Snippet] and [Middle] show the whole of a text.
func Fits(s string, limit int) bool { return fit(s, 0, max(limit, snippetMin)) == len(s) }

// Middle cleans a text and cuts its middle out if it has more than max characters,
// with a note of how many are missing on a line of its own. A max below 120 counts
// as 120.
func Middle(s string, max int) string {
	if max < snippetMin {
		max = snippetMin
	}
	if fit(s, 0, max) == len(s) {
		return Clean(s)
	}
	budget := max - noteMax
	head := fit(s, 0, budget*3/4)
	tail := fitBack(s, head, budget/4)
	return assemble(s, []region{{0, head}, {tail, len(s)}})
}

// A region is a range of bytes that is shown.
type region struct{ from, to int }

func overlaps(rs []region, r region) bool {
	for _, o := range rs {
		if r.from < o.to && o.from < r.to {
			return true
		}
	}
	return false
}

// assemble joins the regions, in order, with a note for each gap that is longer
// than the note.
func assemble(s string, rs []region) string {
	var b strings.Builder
	end := 0
	for _, r := range rs {
		if fit(s, end, noteMax) < r.from {
			if b.Len() > 0 && !strings.HasSuffix(b.String(), "\n") {
				b.WriteByte('\n')
			}
			b.WriteString("[… " + Thousands(int64(utf8.RuneCountInString(s[end:r.from]))) + " characters left out …]\n")
		} else {
			b.WriteString(cleanRange(s, region{end, r.from}))
		}
		b.WriteString(cleanRange(s, r))
		end = r.to
	}
	if fit(s, end, noteMax) < len(s) {
		if b.Len() > 0 && !strings.HasSuffix(b.String(), "\n") {
			b.WriteByte('\n')
		}
		b.WriteString("[… " + Thousands(int64(utf8.RuneCountInString(s[end:]))) + " characters left out …]\n")
	} else {
		b.WriteString(cleanRange(s, region{end, len(s)}))
	}
	return b.String()
}

// width is how many characters a part of s has once it is cleaned.
func width(s string, r region) int {
	n := 0
	for i := r.from; i < r.to; {
		size, shown := glyph(s, i)
		n += utf8.RuneCountInString(shown)
		i += size
	}
	return n
}

// fit returns the end of the longest text from s[from:] that has at most max
// characters once it is cleaned.
func fit(s string, from, max int) int {
	i := from
	for n := 0; i < len(s); {
		size, shown := glyph(s, i)
		n += utf8.RuneCountInString(shown)
		if n > max {
			break
		}
		i += size
	}
	return i
}

// fitBack returns the start of a text at the end of s that has at most max
// characters once it is cleaned, and does not begin before floor.
func fitBack(s string, floor, max int) int {
	i := len(s)
	for n := 0; i > floor; {
		_, size := utf8.DecodeLastRuneInString(s[floor:i])
		_, shown := glyph(s, i-size)
		n += utf8.RuneCountInString(shown)
		if n > max {
			break
		}
		i -= size
	}
	return i
}

// lineCut moves a cut back to the end of a line if one is near.
func lineCut(s string, cut int) int {
	if nl := strings.LastIndexByte(s[cut*3/4:cut], '\n'); nl >= 0 {
		return cut*3/4 + nl + 1
	}
	return cut
}

// around returns the part of the line around hit: some 40 bytes before
// it and 90 after, no more than its line, and nothing outside lo and hi.
func around(s string, hit, lo, hi int) region {
	from, to := max(lo, hit-40), min(hi, hit+90)
	if nl := strings.LastIndexByte(s[from:hit], '\n'); nl >= 0 {
		from += nl + 1
	}
	if nl := strings.IndexByte(s[hit:to], '\n'); nl >= 0 {
		to = hit + nl + 1
	}
	r := wholeRunes(s, region{from, to})
	return region{max(r.from, lo), min(r.to, hi)}
}

// wholeRunes widens a region so that it cuts no character. What is not UTF-8 has none.
func wholeRunes(s string, r region) region {
	for i := 1; i < utf8.UTFMax && r.from > 0 && r.from < len(s) && !utf8.RuneStart(s[r.from]); i++ {
		r.from--
	}
	for i := 1; i < utf8.UTFMax && r.to < len(s) && !utf8.RuneStart(s[r.to]); i++ {
		r.to++
	}
	return r
}
