package ruletest

import (
	"encoding/xml"
	"fmt"
	"io"
	"slices"

	"github.com/agentsentinel/sentinel/internal/text"
)

// WriteJUnit writes the report as JUnit XML, which CI systems show: a suite for
// each rule, a test for each case.
func (r *Report) WriteJUnit(w io.Writer) error {
	doc := junitDoc{Name: "sentinel test"}
	for i := range r.Results {
		res := &r.Results[i]
		k := slices.IndexFunc(doc.Suites, func(s junitSuite) bool { return s.Name == res.Rule })
		if k < 0 {
			doc.Suites = append(doc.Suites, junitSuite{Name: res.Rule})
			k = len(doc.Suites) - 1
		}
		doc.Suites[k].add(res)
	}
	for _, p := range r.Problems {
		if !p.Warning {
			doc.Suites = append(doc.Suites, junitSuite{Name: p.File, Tests: 1, Errors: 1, Cases: []junitCase{{
				Name: "the file", Class: p.File, Error: &junitText{Message: text.Clean(p.Error())},
			}}})
		}
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(doc); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

type junitDoc struct {
	XMLName xml.Name     `xml:"testsuites"`
	Name    string       `xml:"name,attr"`
	Suites  []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Name    string     `xml:"name,attr"`
	Class   string     `xml:"classname,attr"`
	Time    string     `xml:"time,attr,omitempty"`
	Failure *junitText `xml:"failure,omitempty"`
	Error   *junitText `xml:"error,omitempty"`
	Skipped *junitText `xml:"skipped,omitempty"`
}

type junitText struct {
	Message string `xml:"message,attr"`
}

func (s *junitSuite) add(r *Result) {
	s.Tests++
	c := junitCase{Name: text.Clean(r.Case.Name()), Class: r.Rule, Time: fmt.Sprintf("%.3f", r.Took.Seconds())}
	switch r.State {
	case Failed:
		s.Failures++
		c.Failure = &junitText{text.Clean(fmt.Sprintf("expected %s, got %s: %s", r.Case.Expect, r.Got, r.Why))}
	case Broken:
		s.Errors++
		c.Error = &junitText{text.Clean(r.Why)}
	case Unanswered:
		s.Skipped++
		c.Skipped = &junitText{text.Clean(r.Why)}
	}
	s.Cases = append(s.Cases, c)
}
