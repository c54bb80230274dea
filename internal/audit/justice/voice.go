package justice

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/audit"
)

// voice is what one judge says on a criterion, all its samples together.
type voice struct {
	judge    audit.Judge
	given    int            // its score: the median of its samples
	counts   float64        // what the score counts as, after facts were looked at
	why      string         // it counts as that
	weight   float64        // of the judge, as the rubric has it
	speaks   *audit.Opinion // the sample whose score is given
	scores   []int          // of its samples, ascending
	cited    []string       // ids of all its samples that belong to the criterion
	invented int            // citations that do not
}

// newVoice makes one voice of a judge's valid samples, at least one. The median of an even
// number is the lower of the two in the middle: a score that was given, and the stricter of
// both.
func newVoice(samples []*audit.Opinion, f *facts) *voice {
	v := &voice{judge: samples[0].Judge}
	for _, op := range samples {
		v.scores = append(v.scores, op.Score)
		v.invented += len(op.Invalid)
		for _, id := range op.Cited {
			if f.evidence[id] == nil {
				v.invented++
			} else {
				v.cited = append(v.cited, id)
			}
		}
	}
	v.cited = natural(v.cited)
	slices.Sort(v.scores)
	v.given = v.scores[(len(v.scores)-1)/2]
	v.counts = float64(v.given)
	v.speaks = samples[slices.IndexFunc(samples, func(op *audit.Opinion) bool { return op.Score == v.given })]
	return v
}

// compareOpinions is an order that depends on nothing but the opinions.
func compareOpinions(a, b audit.Opinion) int {
	return cmp.Or(
		cmp.Compare(rank(a.Judge), rank(b.Judge)), cmp.Compare(a.Judge, b.Judge), cmp.Compare(a.Sample, b.Sample),
		cmp.Compare(a.Score, b.Score), cmp.Compare(a.Argument, b.Argument), cmp.Compare(a.Err, b.Err),
		slices.Compare(a.Cited, b.Cited), slices.Compare(a.Invalid, b.Invalid),
	)
}

func rank(j audit.Judge) int {
	if at := slices.Index(audit.Judges(), j); at >= 0 {
		return at
	}
	return len(audit.Judges())
}

// agreement is 1 minus the mean distance of two opinions over the longest that
// there can be; every pair of valid opinions counts, of judges and samples
// alike. With fewer than two there is no agreement: 0.
func agreement(opinions []*audit.Opinion, s audit.Scale) float64 {
	sum, pairs := 0, 0
	for i, a := range opinions {
		for _, b := range opinions[i+1:] {
			sum += max(a.Score-b.Score, b.Score-a.Score)
			pairs++
		}
	}
	if pairs == 0 {
		return 0
	}
	return precise(1 - float64(sum)/(s.Span()*float64(pairs)))
}

// mean is the mean of what voices count as, by weight.
func mean(voices []*voice, weight func(*voice) float64) float64 {
	var sum, weights float64
	for _, v := range voices {
		sum += weight(v) * v.counts
		weights += weight(v)
	}
	if weights == 0 { // a rubric without weights weighs all alike
		return mean(voices, func(*voice) float64 { return 1 })
	}
	return precise(sum / weights)
}

func byWeight(v *voice) float64 { return v.weight }
func alike(*voice) float64      { return 1 }

// precise keeps six decimals, so that 3.4999999999999996 is the 3.5 it should be.
func precise(x float64) float64 { return math.Round(x*1e6) / 1e6 }

// list joins words: a, b and c.
func list(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}

// each joins a text about every voice.
func each(voices []*voice, text func(*voice) string) string {
	var texts []string
	for _, v := range voices {
		if t := text(v); t != "" {
			texts = append(texts, t)
		}
	}
	return strings.Join(texts, ", ")
}
