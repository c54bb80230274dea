package report_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/audit/report"
)

// A host tells style from security by the tags of a rule, and by the grade that only
// security has. Style is never an error.
func TestFindingsThatAreNotSecurity(t *testing.T) {
	t.Parallel()
	at := func(probe string, category audit.Category, severity audit.Severity) audit.Evidence {
		return audit.Evidence{Source: audit.SourceRepo, Probe: probe, Kind: audit.KindFact, Outcome: audit.False, Part: true, Confidence: 1,
			Category: category, Severity: severity, Confirmed: severity != "", Location: audit.Location{Path: "a.go", First: 1}, Summary: probe + " found"}
	}
	r := &audit.Record{Evidence: []audit.Evidence{
		at("old", "", audit.SeverityHigh), at("shell", audit.CategorySecurity, audit.SeverityHigh),
		at("long", audit.CategoryStyle, audit.SeverityHigh), at("print", audit.CategoryStyle, ""), at("plain", "", ""),
	}}
	audit.Number(r.Evidence)
	var log struct {
		Runs []struct {
			Tool struct {
				Driver struct {
					Rules []struct {
						ID         string
						Properties struct {
							Tags  []string
							Grade string `json:"security-severity"`
						}
						Default struct{ Level string } `json:"defaultConfiguration"`
					}
				}
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(written(t, report.SARIF, r)), &log))
	got := map[string]string{}
	for _, rule := range log.Runs[0].Tool.Driver.Rules {
		got[rule.ID] = strings.Join(append(rule.Properties.Tags, rule.Properties.Grade, rule.Default.Level), " ")
	}
	require.Equal(t, map[string]string{"old": "security 8.0 error", "shell": "security 8.0 error", "long": "style  warning", "print": "style  note", "plain": " note"}, got)

	require.Contains(t, written(t, report.Markdown, r), "2 security findings: 2 high.")
	require.Contains(t, written(t, report.Markdown, r), "Findings that are not about security: 2 style.")
	require.Contains(t, written(t, report.HTML, r), "not about security: 2 style")
	require.Contains(t, written(t, report.JSON, r), `"other_findings": {
      "style": 2
    }`)
	later := *r
	later.Evidence = r.Evidence[:2]
	c := report.Compare(&later, r)
	require.Len(t, c.New, 3)
	require.Contains(t, shown(t, c, report.Terminal{Width: 100}), "+ long [style] [high] a.go:1")
}

// Backticks in advice make code of what is between them, whatever it is; a backtick without
// a partner is text.
func TestAdviceWithCode(t *testing.T) {
	t.Parallel()
	advise := func(text string) *audit.Record {
		return &audit.Record{Evidence: []audit.Evidence{{ID: "repo#0", Source: audit.SourceRepo, Probe: "p", Outcome: audit.False, Kind: audit.KindFact, Part: true, Remediation: audit.Remediation{Text: text}}}}
	}
	for advice, want := range map[string][2]string{
		"Write `permissions: {}` at the top, *now*.": {"- Write `permissions: {}` at the top, \\*now\\*.", "<li>Write <code>permissions: {}</code> at the top, *now*."},
		"Pin `a|b<c>` here.":                         {"- Pin a&#124;b\\<c\\> here.", "<li>Pin <code>a|b&lt;c&gt;</code> here."},
		"One ` alone in a<b>.":                       {"- One \\` alone in a\\<b\\>.", "<li>One ` alone in a&lt;b&gt;."},
		"A fence ```sh``` of hostile text":           {"- A fence \\`\\`\\`sh\\`\\`\\` of hostile text", "<li>A fence ```sh``` of hostile text"},
		"`x` first":                                  {"- `x` first", "<li><code>x</code> first"},
	} {
		require.Contains(t, written(t, report.Markdown, advise(advice)), want[0])
		require.Contains(t, written(t, report.HTML, advise(advice)), want[1])
	}
}
