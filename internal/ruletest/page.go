package ruletest

import (
	_ "embed"
	"encoding/json"
	"html"
	"io"
	"math"
	"strings"
	"time"
)

// A Page shows trials as one file of HTML that needs no network: a table, and
// for each trial how often answers of a stated confidence were right.
type Page struct {
	Title  string
	Made   time.Time
	Trials []Trial
}

//go:embed page.html
var pageText string

// Write writes the page. It holds what rules, models and cases say as
// data, which the page's own script shows as text.
func (p Page) Write(w io.Writer) error {
	data, err := json.Marshal(p.data()) // escapes <, > and &
	if err != nil {
		return err
	}
	_, err = strings.NewReplacer("{{title}}", html.EscapeString(p.Title), "{{data}}", string(data)).WriteString(w, pageText)
	return err
}

type pageData struct {
	Made   string      `json:"made"`
	Trials []pageTrial `json:"trials"`
}

type pageTrial struct {
	Rule      string   `json:"rule"`
	Model     string   `json:"model"`
	Asked     int      `json:"asked"`
	Failed    int      `json:"failed"`
	Precision *float64 `json:"precision"`
	Recall    *float64 `json:"recall"`
	Flips     int      `json:"flips"`
	MedianMS  int64    `json:"median_ms"`
	P95MS     int64    `json:"p95_ms"`
	Tokens    int      `json:"tokens"`
	Cost      float64  `json:"cost"`
	Threshold float64  `json:"threshold"`
	Best      float64  `json:"best"`
	BestF1    *float64 `json:"best_f1"`
	Bins      []Bin    `json:"bins"`
	Wrong     []wrong  `json:"wrong"`
}

// wrong is a case that the model did not get right.
type wrong struct {
	Case   string `json:"case"`
	Expect string `json:"expect"`
	Answer string `json:"answer"`
}

func (p Page) data() pageData {
	d := pageData{Made: p.Made.UTC().Format("2006-01-02 15:04 MST"), Trials: []pageTrial{}}
	for i := range p.Trials {
		d.Trials = append(d.Trials, pageTrialOf(&p.Trials[i]))
	}
	return d
}

func pageTrialOf(t *Trial) pageTrial {
	m := &t.Metrics
	out := pageTrial{
		Rule: t.Rule, Model: t.Model, Asked: m.Asked, Failed: m.Failed, Precision: Known(m.Precision), Recall: Known(m.Recall),
		Flips: m.Flips, MedianMS: m.Median.Milliseconds(), P95MS: m.P95.Milliseconds(), Tokens: m.PromptTokens + m.OutputTokens,
		Cost: m.Cost, Threshold: m.Threshold, Best: m.Best, BestF1: Known(m.BestF1), Bins: append([]Bin{}, m.Reliability...), Wrong: []wrong{},
	}
	for i := range t.Answers {
		a := &t.Answers[i]
		if a.right(m.Threshold) {
			continue
		}
		answer := a.Text
		if a.Err != nil {
			answer = a.Err.Error()
		}
		out.Wrong = append(out.Wrong, wrong{a.Case.Name(), a.Case.Expect, answer})
	}
	return out
}

// Known is nil for NaN, which JSON does not have.
func Known(x float64) *float64 {
	if math.IsNaN(x) {
		return nil
	}
	return &x
}
