package repo

import (
	"context"
	"fmt"
	"hash/maphash"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/audit/rubric"
	"github.com/agentsentinel/sentinel/internal/audit/syntax"
	"github.com/agentsentinel/sentinel/internal/text"
)

// Bounds of an overlap.
const (
	shingle      = 5   // words that are compared at once
	minWords     = 10  // a shorter text is a label
	maxCompared  = 300 // texts
	maxTextWords = 100_000
)

// overlapTask compares texts with each other: string literals that are given to
// names, or whole files.
func (in *investigation) overlapTask(p *rubric.Probe) (*task, error) {
	strs := p.Of.Strings
	most := math.Inf(1)
	if bound := p.Expect["max_pairwise"].Max; bound != nil {
		most = *bound
	}
	conclude := func(_ context.Context, all []found) result { return overlap(all, most) }
	if strs.Names == "" {
		chosen, err := in.choose(rubric.Files{Include: p.Of.Files, Exclude: p.Files.Exclude}, "text", texts)
		if err != nil {
			return nil, err
		}
		if len(p.Of.Files) == 0 {
			return nil, fmt.Errorf("probe %s: of names neither ast_strings nor files", p.ID)
		}
		look := func(_ context.Context, s *source) found {
			return found{kept: []compared{newCompared("the file", place{path: s.file.Path, first: 1, last: len(s.starts())}, s.text)}}
		}
		return &task{chosen: chosen, look: ofText(look), conclude: conclude}, nil
	}
	if strs.Lang != "" && strs.Lang != syntax.Python {
		return unsupported(strs.Lang), nil
	}
	names, err := regexp.Compile(strs.Names)
	if err != nil {
		return nil, err
	}
	chosen, err := in.chooseCode(p.Files, []string{syntax.Python})
	if err != nil {
		return nil, err
	}
	look := func(ctx context.Context, s *source) found {
		literals, err := syntax.Strings(ctx, names, s.code())
		if err != nil {
			return found{gap: codeGap(s.file, err)}
		}
		var all []compared
		for _, l := range literals {
			at := place{path: s.file.Path, first: l.First, last: l.Last, snippet: text.CutBytes(s.masker().Mask(l.Text), maxSnippet)}
			all = append(all, newCompared(l.Name, at, l.Text))
		}
		return found{kept: all}
	}
	return &task{chosen: chosen, parses: true, look: look, conclude: conclude}, nil
}

// compared is a text as it is compared: by the digests of its shingles.
type compared struct {
	name     string
	place    place
	words    int
	shingles []uint64 // sorted, each once
}

// digestSeed is one for all texts of a process, so that equal words are equal.
var digestSeed = maphash.MakeSeed()

func newCompared(name string, at place, content string) compared {
	words := strings.FieldsFunc(strings.ToLower(content), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	words = words[:min(len(words), maxTextWords)]
	c := compared{name: text.Name(text.CutBytes(name, 100)), place: at, words: len(words)}
	for i := range words {
		end := min(i+shingle, len(words))
		if i > 0 && end-i < shingle {
			break
		}
		c.shingles = append(c.shingles, maphash.String(digestSeed, strings.Join(words[i:end], " ")))
	}
	slices.Sort(c.shingles)
	c.shingles = slices.Compact(c.shingles)
	return c
}

// shared is how much of the shorter text the other contains, 0 to 1.
func (c *compared) shared(other *compared) float64 {
	least := min(len(c.shingles), len(other.shingles))
	if least == 0 {
		return 0
	}
	n := 0
	for i, j := 0, 0; i < len(c.shingles) && j < len(other.shingles); {
		switch a, b := c.shingles[i], other.shingles[j]; {
		case a == b:
			n, i, j = n+1, i+1, j+1
		case a < b:
			i++
		default:
			j++
		}
	}
	return float64(n) / float64(least)
}

// overlap compares each text with each other. One that shares more than most with
// another is False.
func overlap(all []found, most float64) result {
	r := sum(all).result
	var list []compared
	for _, f := range all {
		kept, _ := f.kept.([]compared)
		for _, c := range kept {
			if c.words >= minWords {
				list = append(list, c)
			}
		}
	}
	r.lower = []string{"texts", "max_pairwise"}
	r.values = map[string]any{"texts": len(list)}
	if len(list) < 2 {
		r.none = fmt.Sprintf("%s to compare", text.Plural(len(list), "text", "texts"))
		r.outcome = r.unexamined(audit.Unknown)
		return r
	}
	if len(list) > maxCompared {
		r.gaps = append(r.gaps, gap{list[maxCompared].place.path, audit.NotAvailable, fmt.Sprintf("more than %d texts", maxCompared)})
		list = list[:maxCompared]
	}
	highest := 0.0
	for i := range list {
		best, with := 0.0, -1
		for j := range list {
			if share := list[i].shared(&list[j]); j != i && (with < 0 || share > best) {
				best, with = share, j
			}
		}
		highest = max(highest, best)
		at := list[i].place
		at.summary = fmt.Sprintf("%s shares %.0f %% with %s at %s:%d", list[i].name, best*100, list[with].name, text.Name(list[with].place.path), list[with].place.first)
		at.outcome = audit.True
		if best > most {
			at.outcome = audit.False
		}
		r.places = append(r.places, at)
	}
	r.values["max_pairwise"] = rounded(highest)
	r.more = len(r.places) > MaxPlaces
	r.summary = fmt.Sprintf("of %d texts the most alike share %.0f %% of their words in fives", len(list), highest*100)
	return r
}
