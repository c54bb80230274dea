package judgebench

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/agentsentinel/sentinel/internal/ruletest"
	"github.com/agentsentinel/sentinel/internal/text"
)

// A Report is what a run found.
type Report struct {
	Made        time.Time    `json:"made"`
	Note        string       `json:"note"`
	Stopped     bool         `json:"stopped"` // before all was asked
	Sources     []Group      `json:"sources"`
	Comparisons []Comparison `json:"comparisons"`
	Results     []Record     `json:"results"`
}

// A Group is the scores on one source.
type Group struct {
	Name       string  `json:"name"`
	Note       string  `json:"note"`
	Cases      int     `json:"cases"`
	Violations int     `json:"violations"`
	Scores     []Score `json:"scores"`
}

// Note says what the figures of a report are.
const Note = "Each source counts by itself; nothing is added up over sources. Precision, recall and F1 are of the answers with a verdict, with intervals of 95 %: " +
	"Wilson's for precision and recall, a percentile bootstrap over the cases (2,000 resamples, fixed seed) for F1. Below counts violations that were said with " +
	"less confidence than confidence_threshold, which pass. Brier and ECE are of the model's own " +
	"probability of a violation where it is known, else of the stated confidence. Times are the model's own, on this machine and with what else ran on it. " +
	"The figures are of these judges on these cases: they say nothing of another model, and no large model has been measured for Sentinel yet."

// NewGroup begins the scores on a source.
func NewGroup(s *Source) Group {
	g := Group{Name: s.Name, Note: s.Note, Cases: len(s.Cases), Scores: []Score{}}
	for i := range s.Cases {
		if s.Cases[i].Action.Expect == violation {
			g.Violations++
		}
	}
	return g
}

// Title names the source with its cases.
func (g *Group) Title() string {
	return fmt.Sprintf("%s: %s, %s", text.OneLine(g.Name), text.Count(g.Cases, "case"), text.Count(g.Violations, "violation"))
}

// Columns are those of [Score.Cells].
var Columns = []string{"Judge", "Asked", "No question", "Unusable", "No answer", "Below", "Precision", "Recall", "F1", "ECE", "Brier", "Doubtful", "Median", "p95", "Tokens", "Cost"}

// Cells are the score as a table's row.
func (s *Score) Cells() []string {
	calibrated := func(x *float64) string {
		if x == nil {
			return "-"
		}
		return fmt.Sprintf("%.3f", *x)
	}
	doubtful := fmt.Sprint(s.Doubtful)
	if s.Ties > 0 {
		doubtful += fmt.Sprintf(" (%s)", text.Count(s.Ties, "tie"))
	}
	if s.Probability == "" {
		doubtful = "-"
	}
	cost := "-"
	if s.Cost > 0 {
		cost = fmt.Sprintf("%.4g", s.Cost)
	}
	took := func(ms float64) string {
		if ms == 0 {
			return "-"
		}
		return ruletest.Short(time.Duration(ms * float64(time.Millisecond)))
	}
	return []string{
		text.OneLine(s.Judge), fmt.Sprint(s.Asked), fmt.Sprint(s.NoQuestion), fmt.Sprint(s.Unusable), fmt.Sprint(s.Unavailable), fmt.Sprint(s.Below),
		s.Precision.String(), s.Recall.String(), s.F1.String(), calibrated(s.ECE), calibrated(s.Brier), doubtful,
		took(s.MedianMS), took(s.P95MS), fmt.Sprint(s.PromptTokens + s.OutputTokens), cost,
	}
}

// String is the share with its interval, in percent.
func (s Share) String() string {
	if s.Value == nil {
		return "-"
	}
	return fmt.Sprintf("%.1f %% (%.0f–%.0f)", 100**s.Value, 100**s.Low, 100**s.High)
}

// String is a comparison in one line.
func (c *Comparison) String() string {
	return fmt.Sprintf("%s, %s%s: %s, %d better, %d worse, %d right and %d wrong in both; p = %.3g (McNemar, exact)", text.OneLine(c.Source), text.OneLine(c.Judge),
		text.After(" against ", text.Unless(c.Judge == c.Before, text.OneLine(c.Before))), text.Count(c.Pairs, "case"), c.Better, c.Worse, c.BothRight, c.BothWrong, c.P)
}

// Page is the report for a browser.
func (r *Report) Page() ruletest.Page {
	p := ruletest.Page{Title: "Sentinel: judges measured", Note: "Made on " + ruletest.MadeOn(r.Made) + ". " + r.Note, Tables: []ruletest.Table{}, Details: []ruletest.Detail{}}
	if r.Stopped {
		p.Note = "The run was stopped before all was asked. " + p.Note
	}
	for i := range r.Sources {
		g := &r.Sources[i]
		t := ruletest.Table{Heading: g.Title(), Note: g.Note, Columns: Columns, Words: 1, Rows: [][]string{}}
		for k := range g.Scores {
			t.Rows = append(t.Rows, g.Scores[k].Cells())
			p.Details = append(p.Details, r.detail(&g.Scores[k]))
		}
		p.Tables = append(p.Tables, t)
	}
	for i := range r.Comparisons {
		c := &r.Comparisons[i]
		t := ruletest.Table{Heading: "Compared", Note: c.String(), Columns: []string{"Rule", "Action", "Label", "Before", "Now"}, Words: 5, Rows: [][]string{}}
		for _, ch := range c.Changed {
			t.Rows = append(t.Rows, []string{ch.Rule, ch.Action, ch.Label, ch.Before, ch.Now})
		}
		p.Tables = append(p.Tables, t)
	}
	return p
}

// mostWrong bounds the cases that a page shows of one judge and source.
const mostWrong = 200

func (r *Report) detail(s *Score) ruletest.Detail {
	d := ruletest.Detail{Heading: s.Source + ", " + s.Judge, Bins: []ruletest.Bin{}, Wrong: []ruletest.Wrong{}}
	if s.Calibrated > 0 {
		d.Bins = s.Bins
		d.Note = ruletest.Reliable + " Confidence is " + map[string]string{"p_true": "the model's own probability of its verdict", "stated": "what the model states"}[s.Probability] + "."
	}
	d.Wrong = append(d.Wrong, r.Wrong(s)...)
	if n := len(d.Wrong); n > mostWrong {
		d.Wrong = d.Wrong[:mostWrong]
		d.Note = text.Join(d.Note, fmt.Sprintf("%d of %d cases that it got wrong are shown.", mostWrong, n))
	}
	return d
}

// Wrong are the cases that a judge did not get right, as they were asked.
func (r *Report) Wrong(s *Score) (wrong []ruletest.Wrong) {
	for i := range r.Results {
		o := &r.Results[i]
		if said := o.verdict(s.Threshold); o.Judge == s.Judge && o.Source == s.Source && said != o.Label && o.Said != noQuestion {
			wrong = append(wrong, ruletest.Wrong{Case: o.Rule + ": " + o.Action, Expect: o.Label, Answer: strings.TrimSpace(cmp.Or(said, o.Said) + " " + o.Why)})
		}
	}
	return wrong
}
