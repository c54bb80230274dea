package judgebench

import (
	"math"
	"slices"
)

// A Comparison is of two runs of a judge on the cases of a source that both asked.
type Comparison struct {
	Source    string   `json:"source"`
	Judge     string   `json:"judge"`
	Before    string   `json:"before"` // the judge of the earlier run
	Pairs     int      `json:"pairs"`
	Better    int      `json:"better"` // wrong before and right now
	Worse     int      `json:"worse"`
	BothRight int      `json:"both_right"`
	BothWrong int      `json:"both_wrong"`
	P         float64  `json:"p"` // exact two-sided McNemar test of Better against Worse
	Changed   []Change `json:"changed"`
}

// A Change is a case with different answers.
type Change struct {
	Rule   string `json:"rule"`
	Action string `json:"action"`
	Label  string `json:"label"`
	Before string `json:"before"`
	Now    string `json:"now"`
}

// Compare compares each judge of a run with the one of that name in an earlier run. Where
// each run has one judge alone, these are compared. A case that one of the runs has not, or could
// not ask, is in no pair; an unusable answer is wrong.
func Compare(before, now []Record, threshold float64) []Comparison {
	type key struct{ judge, source, id string }
	old := map[key]*Record{}
	judges, olds := judgesOf(now), judgesOf(before)
	for i := range before {
		old[key{before[i].Judge, before[i].Source, before[i].Case}] = &before[i]
	}
	var all []Comparison
	place := map[[2]string]int{}
	for i := range now {
		r := &now[i]
		other := r.Judge
		if !slices.Contains(olds, other) && len(olds) == 1 && len(judges) == 1 {
			other = olds[0]
		}
		was := old[key{other, r.Source, r.Case}]
		if was == nil || was.verdict(threshold) == "" || r.verdict(threshold) == "" {
			continue
		}
		at, ok := place[[2]string{r.Judge, r.Source}]
		if !ok {
			at = len(all)
			place[[2]string{r.Judge, r.Source}] = at
			all = append(all, Comparison{Source: r.Source, Judge: r.Judge, Before: other, Changed: []Change{}})
		}
		all[at].add(was, r, threshold)
	}
	for i := range all {
		all[i].P = mcNemar(all[i].Better, all[i].Worse)
	}
	return all
}

func judgesOf(records []Record) (names []string) {
	for i := range records {
		if !slices.Contains(names, records[i].Judge) {
			names = append(names, records[i].Judge)
		}
	}
	return names
}

// verdict is what a record comes to; "" where nothing was answered.
func (r *Record) verdict(threshold float64) string {
	switch {
	case r.Said == violation && r.Confidence < threshold:
		return pass
	case r.usable() || r.Said == unusable:
		return r.Said
	}
	return ""
}

func (c *Comparison) add(was, is *Record, threshold float64) {
	before, now := was.verdict(threshold), is.verdict(threshold)
	c.Pairs++
	switch rightBefore, rightNow := before == was.Label, now == is.Label; {
	case rightBefore && rightNow:
		c.BothRight++
	case rightNow:
		c.Better++
	case rightBefore:
		c.Worse++
	default:
		c.BothWrong++
	}
	if before != now {
		c.Changed = append(c.Changed, Change{is.Rule, is.Action, is.Label, before, now})
	}
}

// mcNemar is the probability of a difference at least as large as that between b and c,
// if each of these cases had fallen to either side by chance.
func mcNemar(b, c int) float64 {
	n := b + c
	sum, logHalf := 0.0, float64(n)*math.Log(0.5)
	for k := range min(b, c) + 1 {
		sum += math.Exp(logChoose(n, k) + logHalf)
	}
	return min(2*sum, 1)
}

func logChoose(n, k int) float64 {
	a, _ := math.Lgamma(float64(n + 1))
	b, _ := math.Lgamma(float64(k + 1))
	c, _ := math.Lgamma(float64(n - k + 1))
	return a - b - c
}
