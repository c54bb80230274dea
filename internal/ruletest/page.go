package ruletest

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"math"
	"strings"
	"time"

	"github.com/agentsentinel/sentinel/internal/text"
)

// A Page shows measurements as one file of HTML that needs no network: tables, and
// for each thing measured how often answers of a stated confidence were right.
type Page struct {
	Title   string   `json:"-"`
	Note    string   `json:"note"`
	Tables  []Table  `json:"tables"`
	Details []Detail `json:"details"`
}

// A Table is one of a page. The first Words columns hold words, the others numbers.
type Table struct {
	Heading string     `json:"heading"`
	Note    string     `json:"note"`
	Columns []string   `json:"columns"`
	Words   int        `json:"words"`
	Rows    [][]string `json:"rows"`
}

// A Detail is what one judge did: its reliability, and the cases that it got wrong.
type Detail struct {
	Heading string  `json:"heading"`
	Note    string  `json:"note"`
	Bins    []Bin   `json:"bins"` // none draw nothing
	Wrong   []Wrong `json:"wrong"`
}

// Wrong is a case that a judge did not get right.
type Wrong struct {
	Case   string `json:"case"`
	Expect string `json:"expect"`
	Answer string `json:"answer"`
}

//go:embed page.html
var pageText string

// Write writes the page. It holds what rules, models and cases say as
// data, which the page's own script shows as text.
func (p Page) Write(w io.Writer) error {
	data, err := json.Marshal(p) // escapes <, > and &
	if err != nil {
		return err
	}
	_, err = strings.NewReplacer("{{title}}", html.EscapeString(p.Title), "{{data}}", string(data)).WriteString(w, pageText)
	return err
}

// TrialsPage is the page of trials.
func TrialsPage(title string, made time.Time, trials []Trial) Page {
	all := Table{Columns: []string{"Rule", "Model", "Asked", "No answer", "Precision", "Recall", "Flips", "Median", "p95", "Tokens", "Cost", "Best threshold"}, Words: 2, Rows: [][]string{}}
	p := Page{Title: title, Note: "Made on " + MadeOn(made) + ". The best threshold is the one with the highest F1 on these cases.", Details: []Detail{}}
	for i := range trials {
		t := &trials[i]
		all.Rows = append(all.Rows, t.Cells())
		d := Detail{
			Heading: t.Rule + ", " + t.Model, Note: fmt.Sprintf("%s A violation counts from %.2f.", Reliable, t.Metrics.Threshold),
			Bins: append([]Bin{}, t.Metrics.Reliability...), Wrong: []Wrong{},
		}
		for k := range t.Answers {
			a := &t.Answers[k]
			if a.right(t.Metrics.Threshold) {
				continue
			}
			answer := a.Text
			if a.Err != nil {
				answer = a.Err.Error()
			}
			d.Wrong = append(d.Wrong, Wrong{a.Case.Name(), a.Case.Expect, answer})
		}
		p.Details = append(p.Details, d)
	}
	p.Tables = []Table{all}
	return p
}

// Reliable explains a drawing of reliability.
const Reliable = "How often answers of a stated confidence were right. On the dashed line a model knows how sure it may be; a larger dot stands for more answers."

// MadeOn is a time for a page.
func MadeOn(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 MST") }

// Cells are the trial as words of a table's row.
func (t *Trial) Cells() []string {
	m := &t.Metrics
	best := "-"
	if !math.IsNaN(m.BestF1) {
		best = fmt.Sprintf("%.2f (F1 %.2f)", m.Best, m.BestF1)
	}
	return []string{
		t.Rule, text.OneLine(t.Model), fmt.Sprint(m.Asked), fmt.Sprint(m.Failed), Percent(m.Precision), Percent(m.Recall), fmt.Sprint(m.Flips),
		Short(m.Median), Short(m.P95), fmt.Sprint(m.PromptTokens + m.OutputTokens), fmt.Sprintf("%.4g", m.Cost), best,
	}
}

// Percent is a share in words; "-" for NaN.
func Percent(share float64) string {
	if math.IsNaN(share) {
		return "-"
	}
	return fmt.Sprintf("%.0f %%", 100*share)
}

// Short is a duration with the digits that matter.
func Short(d time.Duration) string {
	switch {
	case d >= 10*time.Second:
		return d.Round(time.Second).String()
	case d >= time.Second:
		return d.Round(10 * time.Millisecond).String()
	case d >= time.Millisecond:
		return d.Round(time.Millisecond).String()
	}
	return d.Round(time.Microsecond).String()
}

// Known is nil for NaN, which JSON does not have.
func Known(x float64) *float64 {
	if math.IsNaN(x) {
		return nil
	}
	return &x
}
