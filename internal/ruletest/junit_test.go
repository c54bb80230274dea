package ruletest_test

import (
	"encoding/xml"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/ruletest"
	"github.com/agentsentinel/sentinel/rule"
)

// What a file or a model says cannot become markup.
func TestJUnitHoldsHostileText(t *testing.T) {
	t.Parallel()
	r := ruletest.Report{
		Results:  []ruletest.Result{{Rule: "a\"><x/>\x00\ufffe'\t\n", State: ruletest.Broken, Why: "]]>&<\x1b\xff"}},
		Problems: []rule.Problem{{File: "<f>", Message: "\"&"}, {Message: "a warning", Warning: true}},
	}
	var out strings.Builder
	require.NoError(t, r.WriteJUnit(&out))
	type message struct {
		Text string `xml:"message,attr"`
	}
	var parsed struct {
		Suites []struct {
			Name  string `xml:"name,attr"`
			Cases []struct {
				Error message `xml:"error"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	require.NoError(t, xml.Unmarshal([]byte(out.String()), &parsed))
	require.Len(t, parsed.Suites, 2)
	require.Equal(t, "a\"><x/>\ufffd\ufffd'\t\n", parsed.Suites[0].Name)
	require.Contains(t, parsed.Suites[0].Cases[0].Error.Text, "]]>&<")
	require.Equal(t, `<f>: "&`, parsed.Suites[1].Cases[0].Error.Text)
	require.NotContains(t, out.String(), "<x/>")

	out.Reset()
	require.NoError(t, new(ruletest.Report).WriteJUnit(&out))
	require.Equal(t, xml.Header+"<testsuites name=\"sentinel test\"></testsuites>\n", out.String())
}
