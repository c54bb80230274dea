package ruletest

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/text"
)

// WriteJUnit writes the report as JUnit XML, which CI systems show: a suite for
// each rule, a test for each case.
func (r *Report) WriteJUnit(w io.Writer) error {
	var suites []junitSuite
	for i := range r.Results {
		res := &r.Results[i]
		k := slices.IndexFunc(suites, func(s junitSuite) bool { return s.name == res.Rule })
		if k < 0 {
			suites = append(suites, junitSuite{name: res.Rule})
			k = len(suites) - 1
		}
		suites[k].add(res)
	}
	for _, p := range r.Problems {
		if !p.Warning {
			s := junitSuite{name: p.File, tests: 1, errors: 1}
			s.addCase("the file", p.File, "", "error", p.Error())
			suites = append(suites, s)
		}
	}
	// encoding/xml would cost each start of the hook its tables.
	var b bytes.Buffer
	b.WriteString("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"sentinel test\">")
	for i := range suites {
		s := &suites[i]
		fmt.Fprintf(&b, "\n  <testsuite name=\"%s\" tests=\"%d\" failures=\"%d\" errors=\"%d\" skipped=\"%d\">%s\n  </testsuite>",
			attribute(s.name), s.tests, s.failures, s.errors, s.skipped, s.cases)
	}
	if len(suites) > 0 {
		b.WriteByte('\n')
	}
	b.WriteString("</testsuites>\n")
	_, err := w.Write(b.Bytes())
	return err
}

// A junitSuite is the cases of a rule, written already.
type junitSuite struct {
	name                             string
	tests, failures, errors, skipped int
	cases                            []byte
}

func (s *junitSuite) add(r *Result) {
	s.tests++
	name, took := text.Clean(r.Case.Name()), fmt.Sprintf("%.3f", r.Took.Seconds())
	switch r.State {
	case Failed:
		s.failures++
		s.addCase(name, r.Rule, took, "failure", fmt.Sprintf("expected %s, got %s: %s", r.Case.Expect, r.Got, r.Why))
	case Broken:
		s.errors++
		s.addCase(name, r.Rule, took, "error", r.Why)
	case Unanswered:
		s.skipped++
		s.addCase(name, r.Rule, took, "skipped", r.Why)
	default:
		s.addCase(name, r.Rule, took, "", "")
	}
}

// addCase writes a case and what became of it, "" for a case that passed.
func (s *junitSuite) addCase(name, class, took, outcome, message string) {
	s.cases = fmt.Appendf(s.cases, "\n    <testcase name=\"%s\" classname=\"%s\"", attribute(name), attribute(class))
	if took != "" {
		s.cases = fmt.Appendf(s.cases, " time=\"%s\"", took)
	}
	s.cases = append(s.cases, '>')
	if outcome != "" {
		s.cases = fmt.Appendf(s.cases, "\n      <%s message=\"%s\"></%s>\n    ", outcome, attribute(text.Clean(message)), outcome)
	}
	s.cases = append(s.cases, "</testcase>"...)
}

// attribute is text as the value of an XML attribute. A character that XML cannot
// hold becomes U+FFFD.
func attribute(text string) string {
	text = strings.Map(func(r rune) rune {
		if r == '\t' || r == '\n' || r == '\r' || r >= ' ' && r != 0xFFFE && r != 0xFFFF {
			return r
		}
		return '\uFFFD'
	}, text)
	return strings.NewReplacer("\t", "&#x9;", "\n", "&#xA;", "\r", "&#xD;").Replace(html.EscapeString(text))
}
