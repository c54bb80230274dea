package test

import (
	"math"
	"time"

	"github.com/agentsentinel/sentinel/internal/ruletest"
)

// testJSON is the object that `test --json` prints.
type testJSON struct {
	OK         bool        `json:"ok"`
	Passed     int         `json:"passed"`
	Failed     int         `json:"failed"`
	Errors     int         `json:"errors"`
	Unanswered int         `json:"unanswered"`
	Problems   []string    `json:"problems"`
	Untested   []string    `json:"untested"` // rules without cases
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
	Rule           string    `json:"rule_id"`
	Model          string    `json:"model"`
	Asked          int       `json:"asked"`
	Failed         int       `json:"failed"`
	TruePositives  int       `json:"true_positives"`
	FalsePositives int       `json:"false_positives"`
	TrueNegatives  int       `json:"true_negatives"`
	FalseNegatives int       `json:"false_negatives"`
	Precision      *float64  `json:"precision"` // null where nothing was called a violation
	Recall         *float64  `json:"recall"`    // null where no case is one
	Flips          int       `json:"flips"`
	MedianMS       float64   `json:"median_ms"`
	P95MS          float64   `json:"p95_ms"`
	PromptTokens   int       `json:"prompt_tokens"`
	OutputTokens   int       `json:"output_tokens"`
	Cost           float64   `json:"cost"`
	Threshold      float64   `json:"threshold"`
	Best           float64   `json:"best_threshold"`
	BestF1         *float64  `json:"best_f1"` // null where no case is a violation
	Reliability    []binJSON `json:"reliability"`
}

type binJSON struct {
	From    float64 `json:"from"`
	To      float64 `json:"to"`
	Answers int     `json:"answers"`
	Stated  float64 `json:"stated"`
	Right   float64 `json:"right"`
}

func testObject(r ruletest.Report, trials []ruletest.Trial) testJSON {
	out := testJSON{
		OK: r.OK(), Passed: r.Count(ruletest.Passed), Failed: r.Count(ruletest.Failed), Errors: r.Count(ruletest.Broken),
		Unanswered: r.Count(ruletest.Unanswered), Problems: []string{}, Untested: append([]string{}, r.Untested...), Cases: []caseJSON{}, Trials: []trialJSON{},
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
	out := trialJSON{
		Rule: t.Rule, Model: t.Model, Asked: m.Asked, Failed: m.Failed,
		TruePositives: m.TruePositives, FalsePositives: m.FalsePositives, TrueNegatives: m.TrueNegatives, FalseNegatives: m.FalseNegatives,
		Precision: number(m.Precision), Recall: number(m.Recall), Flips: m.Flips, MedianMS: ms(m.Median), P95MS: ms(m.P95),
		PromptTokens: m.PromptTokens, OutputTokens: m.OutputTokens, Cost: m.Cost, Threshold: m.Threshold, Best: m.Best, BestF1: number(m.BestF1),
		Reliability: []binJSON{},
	}
	for _, b := range m.Reliability {
		out.Reliability = append(out.Reliability, binJSON(b))
	}
	return out
}

// number is nil for what was not there to measure: JSON has no NaN.
func number(x float64) *float64 {
	if math.IsNaN(x) {
		return nil
	}
	return &x
}

func ms(d time.Duration) float64 { return math.Round(float64(d.Microseconds())) / 1000 }
