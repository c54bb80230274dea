package justice_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/audit/justice"
	"github.com/agentsentinel/sentinel/internal/audit/report"
	"github.com/agentsentinel/sentinel/internal/audit/rubric"
)

// reportFile is what a reader of a report in JSON knows. Everything below is the
// arithmetic of docs/audit/justice.md, and uses no code of the program.
type reportFile struct {
	Rules struct {
		Scale         []float64
		Pass, Partial float64
		VarianceOver  float64 `json:"variance_over"`
		OnDissent     string  `json:"on_dissent"`
		MinOpinions   int     `json:"min_opinions"`
	}
	Probes   []struct{ ID, Expected string }
	Criteria []struct {
		ID       string
		Weight   float64
		Scale    []float64
		Judges   map[string]float64 `json:"judge_weights"`
		Required []string
		Caps     []struct {
			When string
			Max  float64
		}
	}
	Evidence []struct {
		ID, Probe, Kind, Outcome, Waived, Severity string
		Criteria                                   []string
		Part, Confirmed                            bool
	}
	Results []struct {
		Criterion, Verdict, Waived string
		Score                      int
		Opinions                   []struct {
			Judge, Error string
			Score        int
			Cited        []string `json:"cited_evidence"`
		}
		Votes []struct {
			Judge  string
			Counts float64 `json:"counts_as"`
		}
	} `json:"criterion_breakdown"`
	Overall struct {
		Score   float64
		Verdict string
	}
}

// byHand recomputes one criterion: what each opinion counts as, score and verdict.
func (f *reportFile) byHand(n int) (votes map[string]float64, score int, verdict string) {
	criterion, result := f.Criteria[n], f.Results[n]
	expects := map[string]bool{}
	for _, p := range f.Probes {
		expects[p.ID] = p.Expected != ""
	}
	count, probes, evidence := map[string]int{}, map[string]string{}, map[string]int{}
	anyFalse := false
	for i, e := range f.Evidence {
		if !slices.Contains(e.Criteria, criterion.ID) {
			continue
		}
		evidence[e.ID] = i
		if e.Kind != "fact" {
			continue
		}
		if e.Severity != "" && e.Confirmed && e.Outcome == "false" && e.Waived == "" {
			worse := []string{"low", "medium", "high", "critical"}
			for _, s := range worse[:slices.Index(worse, e.Severity)+1] {
				count["security."+s]++
			}
			count["security.any"]++
		}
		if e.Part || e.Waived != "" {
			continue
		}
		outcome := map[string]string{"true": "true", "false": "false", "not_applicable": "-"}[e.Outcome]
		if outcome == "" {
			outcome = "unknown"
		}
		count["facts."+outcome]++
		if slices.Contains(criterion.Required, e.Probe) {
			count["required."+outcome]++
		}
		if expects[e.Probe] && (outcome == "true" || outcome == "false") {
			anyFalse = anyFalse || outcome == "false"
			if probes[e.Probe] != "false" {
				probes[e.Probe] = outcome
			}
		}
	}
	votes = map[string]float64{}
	bottom, top := criterion.Scale[0], criterion.Scale[1]
	middle, step := (bottom+top)/2, (top-bottom)/4
	low, high, least := top, bottom, top
	var sum, weights, plain float64
	for _, judge := range []string{"prosecutor", "defense", "tech_lead"} {
		var scores []int
		supportsHigh, supportsLow := false, false
		for _, o := range result.Opinions {
			if o.Judge != judge || o.Error != "" || float64(o.Score) < bottom || float64(o.Score) > top {
				continue
			}
			scores = append(scores, o.Score)
			for _, id := range o.Cited {
				if i, belongs := evidence[id]; belongs {
					e := f.Evidence[i]
					supportsHigh = supportsHigh || e.Outcome == "true" && e.Kind != "claim"
					supportsLow = supportsLow || probes[e.Probe] != "true"
				}
			}
		}
		if len(scores) == 0 {
			continue
		}
		slices.Sort(scores)
		given := float64(scores[(len(scores)-1)/2])
		low, high = min(low, given), max(high, given)
		counts := given
		switch {
		case given > middle && !supportsHigh && anyFalse:
			counts = middle
		case given > middle && !supportsHigh:
			counts = max(given-step, middle)
		case given < middle && !supportsLow:
			counts = min(given+step, middle)
		}
		votes[judge] = counts
		least = min(least, counts)
		sum, weights, plain = sum+counts*criterion.Judges[judge], weights+criterion.Judges[judge], plain+counts
	}
	if len(votes) < max(f.Rules.MinOpinions, 1) {
		return nil, 0, "NO_VERDICT"
	}
	mean := plain / float64(len(votes))
	if weights > 0 {
		mean = sum / weights
	}
	mean = math.Round(mean*1e6) / 1e6
	for _, c := range criterion.Caps {
		name, than, _ := strings.Cut(c.When, " > ")
		if n, err := strconv.Atoi(than); err != nil {
			panic("a condition of a form that this test does not know: " + c.When)
		} else if count[name] > n {
			mean = min(mean, c.Max)
		}
	}
	score = int(min(max(math.Floor(mean+0.5), bottom), top))
	share := (top - bottom) / (f.Rules.Scale[1] - f.Rules.Scale[0])
	over := math.Round(f.Rules.VarianceOver*share*1e6) / 1e6
	verdict = f.verdict(math.Round((f.Rules.Scale[0]+(float64(score)-bottom)/share)*1e6) / 1e6)
	if verdict == "PASS" && f.Rules.OnDissent == "reevaluate" && high-low > over && high-least > over {
		verdict = "PARTIAL"
	}
	return votes, score, verdict
}

func (f *reportFile) verdict(score float64) string {
	switch {
	case score >= f.Rules.Pass:
		return "PASS"
	case score >= f.Rules.Partial:
		return "PARTIAL"
	}
	return "FAIL"
}

// requireByHand recomputes every score of a ruling from its report in JSON.
func requireByHand(t *testing.T, rb *rubric.Rubric, ruling justice.Ruling) {
	t.Helper()
	record := &audit.Record{Rubric: rb.Ref(), Evidence: ruling.Evidence, Results: ruling.Results, Overall: ruling.Overall, Gate: ruling.Gate}
	record.Criteria, record.Probes, record.Rules = rb.Told()
	var text bytes.Buffer
	require.NoError(t, report.JSON(&text, record))
	var f reportFile
	require.NoError(t, json.Unmarshal(text.Bytes(), &f))
	require.Len(t, f.Results, len(rb.Dimensions))
	var sum, weights float64
	for i, r := range f.Results {
		if r.Verdict == "NOT_APPLICABLE" {
			continue
		}
		votes, score, verdict := f.byHand(i)
		require.Equal(t, []any{score, verdict}, []any{r.Score, r.Verdict}, "%s: %s", r.Criterion, ruling.Results[i].Summary)
		for _, v := range r.Votes {
			require.InDelta(t, votes[v.Judge], v.Counts, 0, "%s: %s", r.Criterion, v.Judge)
		}
		if verdict != "NO_VERDICT" && r.Waived == "" {
			s, to := f.Criteria[i].Scale, f.Rules.Scale
			share := (float64(score) - s[0]) / (s[1] - s[0])
			sum, weights = sum+(to[0]+share*(to[1]-to[0]))*f.Criteria[i].Weight, weights+f.Criteria[i].Weight
		}
	}
	if weights > 0 {
		require.InDelta(t, math.Round(100*sum/weights)/100, f.Overall.Score, 0)
		require.Equal(t, f.verdict(f.Overall.Score), f.Overall.Verdict)
	}
}

// Every score follows from the report alone, by the rules that the manual gives:
// of the court of these tests and of the rubrics that come with the program.
func TestEveryScoreFollowsFromTheReport(t *testing.T) {
	t.Parallel()
	everyCase(t, func(t *testing.T, _ *rand.Rand, d docket) { requireByHand(t, d.rb, d.rule()) })
	for _, name := range rubric.Names() {
		rb, err := rubric.Embedded(name)
		require.NoError(t, err)
		for seed := range uint64(20) {
			r := rand.New(rand.NewPCG(seed, 10))
			d := docket{rb: rb}
			for i := range rb.Probes {
				e := whole(rb, rb.Probes[i].ID, outcomeOf(r))
				d.evidence = append(d.evidence, e)
				if rb.Probes[i].Severity != "" && e.Outcome == audit.False {
					e = part(rb, e.Probe, fmt.Sprintf("f%d", i), 1)
					e.Severity, e.Confirmed = rb.Probes[i].Severity, true
					d.evidence = append(d.evidence, e)
				}
			}
			rb.Qualify(d.evidence)
			d.evidence = numbered(d.evidence...)
			for i := range rb.Dimensions {
				for _, j := range audit.Judges() {
					d.opinions = append(d.opinions, d.opinion(r, j, rb.Dimensions[i].ID, 0))
				}
			}
			requireByHand(t, rb, d.rule())
		}
	}
}
