package sentinel_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
)

// Each text of a rule that an agent reads is bounded, a cut one says so, and names the
// file that it is from.
func TestTextsAreBoundedAndNameTheirFile(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 5000)
	for severity, context := range map[sentinel.Severity]bool{sentinel.SeverityInfo: true, sentinel.SeverityWarn: true, sentinel.SeverityBlock: false} {
		e := engine(t, &sentinel.Options{Default: "x", Backends: map[string]sentinel.Backend{
			"x": always(`{"violation":true,"confidence":1,"reason":"` + long + `"}`),
		}}, aRule("r", severity, func(r *testRule) { r.spec.Message = long }))
		d, err := e.Evaluate(t.Context(), push())
		require.NoError(t, err)
		said := d.Reason()
		if context {
			said = strings.Join(d.Context(), "\n")
		}
		require.Contains(t, said, "more characters]", severity)
		require.Contains(t, said, "from r.yaml")
		require.Less(t, utf8.RuneCountInString(said), 1200, "a message and a reason")
		require.LessOrEqual(t, utf8.RuneCountInString(d.Findings[0].Message), 500)
		require.LessOrEqual(t, utf8.RuneCountInString(d.Findings[0].Advice), 500)
	}
}

func TestFromNamesAFile(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"":                        "no [r]",
		"(built in):0":            "no [r]",
		"rules/r.yaml":            "no [r] (from rules/r.yaml)",
		"rules/r.yaml:12":         "no [r] (from rules/r.yaml)",
		"rules/r.yaml:12:7":       "no [r] (from rules/r.yaml)",
		"C:/rules/r.yaml:1":       "no [r] (from C:/rules/r.yaml)",
		"rules/a\nb\u202e.yaml:1": `no [r] (from rules/a b\u202e.yaml)`,
		strings.Repeat("a", 300):  "no [r] (from " + strings.Repeat("a", 199) + "…)",
	} {
		d := sentinel.Decision{Verdict: sentinel.VerdictBlock, Findings: []sentinel.Finding{{
			Rule: &sentinel.RuleSpec{ID: "r", Source: source}, Verdict: sentinel.VerdictBlock, Outcome: sentinel.OutcomeViolation, Reason: "no",
		}}}
		require.Equal(t, want, d.Reason())
		d.Findings[0].Rule.Source, d.Findings[0].From = "elsewhere", source
		if source != "" {
			require.Equal(t, want, d.Reason())
		}
	}
}
