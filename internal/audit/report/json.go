package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/text"
)

// jsonVersion is the version of the file that JSON writes. A reader of an older
// one must refuse what it would misread.
const jsonVersion = 1

// maxRecord bounds the file that Read reads: a rubric's worth of evidence is some
// megabytes.
const maxRecord = 256 << 20

// document is the file: the report's own keys, and the record. criterion_breakdown is the
// record's Results, which are in the file once.
type document struct {
	Version   int              `json:"report_version"`
	Executive executiveSummary `json:"executive_summary"`
	Breakdown []audit.Result   `json:"criterion_breakdown"`
	Plan      []planFile       `json:"remediation_plan"`
	audit.Record
	Results *struct{} `json:"results,omitempty"` // keeps the record's own key out
}

// executiveSummary is the outcome in figures and in a sentence.
type executiveSummary struct {
	Text       string                 `json:"text"`
	Verdict    audit.Verdict          `json:"verdict"`         // "" with facts alone
	Score      *float64               `json:"score,omitempty"` // not there without a verdict
	Counted    int                    `json:"criteria_counted"`
	Total      int                    `json:"criteria_total"`
	Verdicts   map[audit.Verdict]int  `json:"verdicts"`
	GatePassed bool                   `json:"gate_passed"`
	Gate       string                 `json:"gate_state"`        // passed, failed, undecided, facts only
	Security   map[audit.Severity]int `json:"security_findings"` // those that are not waived
	Others     map[audit.Category]int `json:"other_findings"`    // of other categories, that are not waived
	Attempts   int                    `json:"influence_attempts"`
	Unexamined int                    `json:"not_examined"`
	Notices    []string               `json:"notices"`
}

func summarize(v *view) executiveSummary {
	s := executiveSummary{
		Text: headline(v.Record), Verdict: v.Overall.Verdict, Counted: v.Overall.Counted, Total: v.Overall.Total,
		Verdicts: map[audit.Verdict]int{}, GatePassed: v.Gate.Passed, Gate: v.Gate.State(), Security: map[audit.Severity]int{}, Others: map[audit.Category]int{},
		Attempts: v.Influence(), Unexamined: len(v.Unexamined), Notices: notices(v),
	}
	if v.Overall.Counted > 0 {
		s.Score = &v.Overall.Score
	}
	for _, c := range verdictCounts(v.Record) {
		s.Verdicts[c.Verdict] = c.Count
	}
	for _, e := range v.Open() {
		s.Security[e.Severity]++
	}
	for _, e := range v.Others {
		s.Others[e.Category]++
	}
	if s.Notices == nil {
		s.Notices = []string{}
	}
	return s
}

// Printed is what [JSON] writes, without content.
func Printed() any { return document{} }

// JSON writes the whole record, with the report's own keys first:
// executive_summary, criterion_breakdown (the results), remediation_plan and, of
// the record, synthesis_narrative. [Read] gives the record back; invalid
// UTF-8 are replaced. Characters that a terminal would obey or a person would not
// see are written as \u escapes. An error is w's, or names a figure that is not a number.
func JSON(w io.Writer, r *audit.Record) error {
	v := newView(r)
	d := document{Version: jsonVersion, Executive: summarize(v), Breakdown: orEmpty(r.Results), Plan: v.Plan, Record: *r}
	d.Criteria, d.Seats, d.Evidence, d.Failures = orEmpty(r.Criteria), orEmpty(r.Seats), orEmpty(r.Evidence), orEmpty(r.Failures)
	return writeJSON(w, d)
}

// orEmpty makes a list of nothing, which JSON shows as [] and not as null.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// orNil is the reverse.
func orNil[T any](list []T) []T {
	if len(list) == 0 {
		return nil
	}
	return list
}

// writeJSON writes indented JSON in which every character can be seen.
func writeJSON(w io.Writer, value any) error {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(value); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	_, err := w.Write(visible(text.Bytes()))
	return err
}

// visible escapes invisible characters in the strings of a JSON text. There are none
// outside of strings.
func visible(data []byte) []byte {
	out := make([]byte, 0, len(data))
	for i := 0; i < len(data); {
		if data[i] < utf8.RuneSelf && data[i] != 0x7f {
			out = append(out, data[i])
			i++
			continue
		}
		c, size := utf8.DecodeRune(data[i:])
		if shown := string(data[i : i+size]); text.Clean("x"+shown) == "x"+shown {
			out = append(out, shown...)
		} else if c > 0xffff {
			high, low := utf16.EncodeRune(c)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		} else {
			out = fmt.Appendf(out, `\u%04x`, c)
		}
		i += size
	}
	return out
}

// Read reads the file of a record that [JSON] wrote: see [Decode].
func Read(path string) (*audit.Record, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	defer f.Close()
	r, err := Decode(f)
	if err != nil {
		return nil, fmt.Errorf("report: %s: %w", path, err)
	}
	return r, nil
}

// Decode reads a record that [JSON] wrote. It equals the written one, except for
// the monotonic clock of its times and bytes that are not UTF-8. Empty results, criteria,
// seats, evidence and failures are nil. The error says why it is not such a record.
func Decode(in io.Reader) (*audit.Record, error) {
	text, err := io.ReadAll(io.LimitReader(in, maxRecord+1))
	switch {
	case err != nil:
		return nil, err
	case len(text) > maxRecord:
		return nil, fmt.Errorf("more than %d MB is no report of an audit", maxRecord>>20)
	}
	var d document
	if err := json.Unmarshal(text, &d); err != nil {
		return nil, fmt.Errorf("no report of an audit in JSON: %w", err)
	}
	switch {
	case d.Version == 0:
		return nil, errors.New("no report of an audit: the key report_version is missing; give the .json file")
	case d.Version > jsonVersion:
		return nil, fmt.Errorf("written by a newer version (report_version %d, known is %d): update sentinel-audit", d.Version, jsonVersion)
	}
	r := &d.Record
	r.Results, r.Criteria, r.Seats = orNil(d.Breakdown), orNil(r.Criteria), orNil(r.Seats)
	r.Evidence, r.Failures = orNil(r.Evidence), orNil(r.Failures)
	return r, nil
}
