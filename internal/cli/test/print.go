package test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/agentsentinel/sentinel/internal/cli/command"
	"github.com/agentsentinel/sentinel/internal/cli/decision"
	"github.com/agentsentinel/sentinel/internal/place"
	"github.com/agentsentinel/sentinel/internal/ruletest"
	"github.com/agentsentinel/sentinel/internal/text"
)

// printReport says of each rule how many of its cases are as expected, and of
// each case that is not, why.
func printReport(p *command.Env, r *ruletest.Report) {
	for _, pr := range r.Problems {
		pr.File = p.Short(pr.File)
		p.Line("%s", place.Problem(pr))
	}
	for begin := 0; begin < len(r.Results); {
		end := begin
		for end < len(r.Results) && r.Results[end].File == r.Results[begin].File {
			end++
		}
		printRule(p, &ruletest.Report{Results: r.Results[begin:end]})
		begin = end
	}
	for _, id := range r.Untested {
		p.Line("%s  %s  no cases", p.Bold("none"), text.OneLine(id))
	}
	p.Line("%s: %d passed, %d failed, %d errors, %d skipped (no recorded answer)", text.Count(len(r.Results), "case"),
		r.Count(ruletest.Passed), r.Count(ruletest.Failed), r.Count(ruletest.Broken), r.Count(ruletest.Unanswered))
}

// printRule shows the results of one rule. An error that all its cases share, as those of
// a broken rule do, is printed once.
func printRule(p *command.Env, r *ruletest.Report) {
	word := "ok  "
	switch {
	case !r.OK():
		word = "FAIL"
	case unjudged(r.Results):
		word = "not judged"
	}
	first := &r.Results[0]
	p.Line("%s  %s  %s", p.Bold(word), text.OneLine(first.Rule), text.Count(len(r.Results), "case"))
	alike := func(res ruletest.Result) bool { return res.State == first.State && res.Why == first.Why }
	if first.State == ruletest.Broken && !slices.ContainsFunc(r.Results, func(res ruletest.Result) bool { return !alike(res) }) {
		p.Line("      %s", text.OneLine(first.Why))
		return
	}
	unanswered := 0
	for i := range r.Results {
		if res := &r.Results[i]; res.State == ruletest.Unanswered {
			if unanswered++; unanswered > 1 { // all want the same done, and there may be hundreds
				continue
			}
		}
		decision.PrintResult(p, &r.Results[i])
	}
	if unanswered > 1 {
		p.Line("      and %d more without a recorded answer", unanswered-1)
	}
}

// unjudged reports whether no case of a rule was judged: none has a recorded answer.
func unjudged(results []ruletest.Result) bool {
	return len(results) > 0 && !slices.ContainsFunc(results, func(r ruletest.Result) bool { return r.State != ruletest.Unanswered })
}

// unjudgedRules are the rules without a judged case.
func unjudgedRules(r *ruletest.Report) (ids []string) {
	cases := map[string][]ruletest.Result{}
	for _, res := range r.Results {
		cases[res.Rule] = append(cases[res.Rule], res)
	}
	for _, id := range slices.Sorted(maps.Keys(cases)) {
		if unjudged(cases[id]) {
			ids = append(ids, id)
		}
	}
	return ids
}

// printTrials shows how right each model was.
func printTrials(env *command.Env, trials []ruletest.Trial) error {
	if len(trials) == 0 {
		return nil
	}
	w := env.Table()
	fmt.Fprintln(w, "\nRULE\tMODEL\tASKED\tNO ANSWER\tPRECISION\tRECALL\tFLIPS\tMEDIAN\tP95\tTOKENS\tCOST\tBEST THRESHOLD")
	for i := range trials {
		fmt.Fprintln(w, strings.Join(trials[i].Cells(), "\t"))
	}
	return w.Flush()
}

// testJSON is the object that `test --json` prints.
type testJSON struct {
	OK         bool        `json:"ok"`
	Passed     int         `json:"passed"`
	Failed     int         `json:"failed"`
	Errors     int         `json:"errors"`
	Unanswered int         `json:"unanswered"`
	Problems   []string    `json:"problems"`
	Untested   []string    `json:"untested"` // rules without cases
	Unjudged   []string    `json:"unjudged"` // rules without a judged case
	Cases      []caseJSON  `json:"cases"`
	Trials     []trialJSON `json:"trials"`
}

type caseJSON struct {
	Rule      string  `json:"rule_id"`
	File      string  `json:"file"`
	Index     int     `json:"index"`
	Action    string  `json:"action"`
	Expect    string  `json:"expect"`
	Got       string  `json:"got"`
	State     string  `json:"state"`
	Why       string  `json:"why"`
	ElapsedMS float64 `json:"elapsed_ms"`
}

type trialJSON struct {
	Rule           string         `json:"rule_id"`
	Model          string         `json:"model"`
	Asked          int            `json:"asked"`
	Failed         int            `json:"failed"`
	TruePositives  int            `json:"true_positives"`
	FalsePositives int            `json:"false_positives"`
	TrueNegatives  int            `json:"true_negatives"`
	FalseNegatives int            `json:"false_negatives"`
	Precision      *float64       `json:"precision"` // null where nothing was called a violation
	Recall         *float64       `json:"recall"`    // null where no case is one
	Flips          int            `json:"flips"`
	MedianMS       float64        `json:"median_ms"`
	P95MS          float64        `json:"p95_ms"`
	PromptTokens   int            `json:"prompt_tokens"`
	OutputTokens   int            `json:"output_tokens"`
	Cost           float64        `json:"cost"`
	Threshold      float64        `json:"threshold"`
	Best           float64        `json:"best_threshold"`
	BestF1         *float64       `json:"best_f1"` // null where no case is a violation
	Reliability    []ruletest.Bin `json:"reliability"`
}

func testObject(r ruletest.Report, trials []ruletest.Trial) testJSON {
	out := testJSON{
		OK: r.OK(), Passed: r.Count(ruletest.Passed), Failed: r.Count(ruletest.Failed), Errors: r.Count(ruletest.Broken),
		Unanswered: r.Count(ruletest.Unanswered), Problems: []string{}, Untested: append([]string{}, r.Untested...), Unjudged: append([]string{}, unjudgedRules(&r)...), Cases: []caseJSON{}, Trials: []trialJSON{},
	}
	for _, p := range r.Problems {
		out.Problems = append(out.Problems, p.Error())
	}
	for i := range r.Results {
		res := &r.Results[i]
		out.Cases = append(out.Cases, caseJSON{
			Rule: res.Rule, File: res.Case.File, Index: res.Case.Index, Action: res.Case.Name(), Expect: res.Case.Expect,
			Got: res.Got, State: string(res.State), Why: res.Why, ElapsedMS: ms(res.Took),
		})
	}
	for i := range trials {
		out.Trials = append(out.Trials, trialObject(&trials[i]))
	}
	return out
}

func trialObject(t *ruletest.Trial) trialJSON {
	m := &t.Metrics
	return trialJSON{
		Rule: t.Rule, Model: t.Model, Asked: m.Asked, Failed: m.Failed,
		TruePositives: m.TruePositives, FalsePositives: m.FalsePositives, TrueNegatives: m.TrueNegatives, FalseNegatives: m.FalseNegatives,
		Precision: ruletest.Known(m.Precision), Recall: ruletest.Known(m.Recall), Flips: m.Flips, MedianMS: ms(m.Median), P95MS: ms(m.P95),
		PromptTokens: m.PromptTokens, OutputTokens: m.OutputTokens, Cost: m.Cost, Threshold: m.Threshold, Best: m.Best, BestF1: ruletest.Known(m.BestF1),
		Reliability: append([]ruletest.Bin{}, m.Reliability...),
	}
}

func ms(d time.Duration) float64 { return math.Round(float64(d.Microseconds())) / 1000 }
