package report_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/audit/report"
)

func written(t *testing.T, write func(io.Writer, *audit.Record) error, r *audit.Record) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, write(&b, r))
	return b.String()
}

func TestGolden(t *testing.T) {
	t.Parallel()
	golden(t, "report.md", written(t, report.Markdown, trial()))
	golden(t, "report.json", written(t, report.JSON, trial()))
	golden(t, "report.sarif", written(t, report.SARIF, trial()))
	golden(t, "report.txt", written(t, func(w io.Writer, r *audit.Record) error { return report.Text(w, r, report.Terminal{Width: 100}) }, trial()))
}

// Equal records give equal reports, whatever order maps have.
func TestStable(t *testing.T) {
	t.Parallel()
	for _, write := range []func(io.Writer, *audit.Record) error{report.Markdown, report.JSON, report.SARIF, report.HTML} {
		first := written(t, write, trial())
		for range 5 {
			require.Equal(t, first, written(t, write, trial()))
		}
	}
}

// What is too much to be listed is counted all the same.
func TestAttemptsBeyondTheList(t *testing.T) {
	t.Parallel()
	const probe = "integrity.prompt_injection"
	r := &audit.Record{Evidence: []audit.Evidence{
		{Source: audit.SourceRepo, Probe: probe, Kind: audit.KindFact, Outcome: audit.False, Truncated: true, Values: audit.Values{"count": 144}},
		{Source: audit.SourceRepo, Probe: probe, Kind: audit.KindFact, Outcome: audit.False, Part: true, Location: audit.Location{Path: "a.md", First: 1}},
		{Source: audit.SourceDocs, Probe: probe, Kind: audit.KindFact, Outcome: audit.False, Part: true, Location: audit.Location{Path: "b.pdf", Page: 1}},
	}}
	audit.Number(r.Evidence)
	text := written(t, func(w io.Writer, r *audit.Record) error { return report.Text(w, r, report.Terminal{Width: 100}) }, r)
	require.Contains(t, text, "145 places that may be meant to influence the court")
	require.Contains(t, written(t, report.JSON, r), `"influence_attempts": 145`)
}

// A link within the tree is not an attempt to influence a judge; one that leads out is.
func TestAttemptsLinks(t *testing.T) {
	t.Parallel()
	link := func(path string, outcome audit.Outcome) audit.Evidence {
		return audit.Evidence{Source: audit.SourceRepo, Probe: "integrity.symlink", Kind: audit.KindFact, Outcome: outcome, Part: true, Location: audit.Location{Path: path}}
	}
	r := &audit.Record{Evidence: []audit.Evidence{link("within", audit.True), link("out", audit.False)}}
	audit.Number(r.Evidence)
	require.Contains(t, written(t, report.JSON, r), `"influence_attempts": 1`)
	require.NotContains(t, written(t, report.JSON, &audit.Record{Evidence: r.Evidence[:1]}), "that may be meant to influence the court")
}

// records are those of trials that went in other ways.
func records() map[string]*audit.Record {
	facts := trial()
	facts.Results, facts.Seats, facts.Overall, facts.Gate, facts.Narrative = nil, nil, audit.Overall{}, audit.Gate{}, ""
	facts.Usage = audit.Usage{}

	failed := trial()
	for i := range failed.Results {
		r := &failed.Results[i]
		if r.Verdict == audit.NotConsidered {
			continue
		}
		r.Verdict, r.Score, r.Remediation = audit.NoVerdict, 0, nil
		for j := range r.Opinions {
			r.Opinions[j].Score, r.Opinions[j].Err = 0, "ollama: complete: unavailable: connection refused"
		}
	}
	failed.Overall = audit.Overall{Total: 3}

	clone := &audit.Record{
		Subject: audit.Subject{Name: "gone", URL: "https://git.example/acme/gone"}, Started: facts.Started,
		Failures: []audit.Failure{{Stage: "clone", Err: "repository not found"}},
	}
	return map[string]*audit.Record{"facts": facts, "failed": failed, "clone": clone, "empty": {}, "trial": trial()}
}

func TestEveryRecordHasEveryReport(t *testing.T) {
	t.Parallel()
	for name, r := range records() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, write := range []func(io.Writer, *audit.Record) error{report.Markdown, report.HTML} {
				text := written(t, write, r)
				for _, part := range []string{"Executive Summary", "Criterion Breakdown", "Remediation Plan", "Security Findings", "Attempts to Influence the Court", "Not Examined", "Evidence"} {
					require.Contains(t, text, part)
				}
				for _, result := range r.Results {
					require.Contains(t, text, result.Criterion, "no criterion of the rubric is left out")
				}
			}
			var log struct {
				Runs []struct{ Results []json.RawMessage }
			}
			require.NoError(t, json.Unmarshal([]byte(written(t, report.SARIF, r)), &log))
			require.Len(t, log.Runs, 1)
			require.NotNil(t, log.Runs[0].Results)
		})
	}
}

func TestWhatHappenedIsSaid(t *testing.T) {
	t.Parallel()
	all := records()
	for _, c := range []struct {
		record string
		says   []string
	}{
		{"facts", []string{"Facts alone: no judge was asked", "none: facts alone", "not judged", "Models asked | never", "Replace os.system at src/tools.py:12"}},
		{"failed", []string{"No verdict: none of 3 criteria that apply could be judged.", "Missing opinions", "(`ollama`), 3 opinions: ollama: complete: unavailable: connection refused"}},
		{"clone", []string{"The stage `clone` failed: repository not found", "There is no criterion with evidence."}},
		{"empty", []string{"# Audit of nothing", "Everything that was looked for could be examined."}},
		{"trial", []string{
			commit, "Service baseline 4.0.0", "sha256:ab12", "small:1b", "| Seed | 7 |", "12345 tokens read, 678 written, \\$0.0421", "2 files with changes that are not committed",
			"Prosecutor recommended: os.system takes", "Lines 12-14: Replace os.system at src/tools.py:12", "`src/tools.py:12-14 at 4f1c0d9a7b3e`", "nothing that it cites holds", "`repo#99`", "waived: made for tests",
		}},
	} {
		text := written(t, report.Markdown, all[c.record])
		for _, says := range c.says {
			require.Contains(t, text, says, c.record)
		}
	}
}

// Without judges every criterion of the rubric is there under its name, also one
// that no evidence belongs to, with how its facts stand.
func TestFactsAloneByCriterion(t *testing.T) {
	t.Parallel()
	r := records()["facts"]
	text := written(t, report.Markdown, r)
	for _, says := range []string{
		"| Safe tools | 0 | 2 | 0 |", "| History | 0 | 0 | 1 | 0 | 1 |", "| Documents \\& diagrams | 0 | 0 | 0 |", "| Rust | 0 | 0 | 0 |",
		"### 1. Safe tools: not judged", "### 4. Rust: not judged",
	} {
		require.Contains(t, text, says)
	}
	page := written(t, report.HTML, r)
	require.Contains(t, page, `<th scope="row"><a href="#c3">Rust</a></th><td class="num">0</td>`)
	golden(t, "facts.txt", written(t, func(w io.Writer, r *audit.Record) error { return report.Text(w, r, report.Terminal{Width: 60}) }, r))
	for _, line := range strings.Split(written(t, func(w io.Writer, r *audit.Record) error { return report.Text(w, r, report.Terminal{Width: 40}) }, r), "\n") {
		require.LessOrEqual(t, ansi.StringWidth(line), 40)
	}

	failed := records()["failed"] // judges were asked, and none answered: facts are all there is, too
	require.Contains(t, written(t, report.Markdown, failed), "| Safe tools | 0 | 2 | 0 |")
	require.Contains(t, written(t, report.HTML, failed), "<h3>Facts</h3>")
	require.NotContains(t, written(t, report.Markdown, trial()), "### Facts")
	require.NotContains(t, written(t, report.HTML, trial()), "<h3>Facts</h3>")

	r.Criteria = nil // as a program wrote it that did not know of them
	require.Contains(t, written(t, report.Markdown, r), "### 1. safe_tools: not judged")
}

// What is observed, or noted without being expected, counts neither as a fact that holds nor as
// one that does not. A criterion that does not apply is not counted, and nothing is to be done for it.
func TestWhatIsCountedApart(t *testing.T) {
	t.Parallel()
	r := &audit.Record{
		Subject:  audit.Subject{Languages: []string{"go", "python"}, Unsearched: []string{"python"}},
		Criteria: []audit.Criterion{{ID: "a", Name: "A"}, {ID: "b", Name: "B", NotApplicable: "there is no code"}},
		Probes:   []audit.Probe{{ID: "p", Expected: "count at least 1"}, {ID: "n"}},
		Evidence: []audit.Evidence{
			{Probe: "p", Kind: audit.KindFact, Outcome: audit.True, Criteria: []string{"a"}},
			{Probe: "q", Kind: audit.KindObserved, Outcome: audit.False, Criteria: []string{"a"}},
			{Probe: "n", Kind: audit.KindFact, Outcome: audit.True, Criteria: []string{"a"}},
			{Probe: "t", Kind: audit.KindFact, Outcome: audit.False, Criteria: []string{"b"}, Remediation: audit.Remediation{Text: "Write tests."}},
		},
	}
	page := written(t, report.Markdown, r)
	require.Contains(t, page, "| A | 1 | 0 | 0 | 1 | 1 |")
	require.Contains(t, page, "| B (not applicable) | 0 | 0 |")
	require.Contains(t, page, "It does not apply: there is no code.")
	require.NotContains(t, page, "Write tests.")
	require.Contains(t, written(t, report.HTML, r), ">B</a> (not applicable)</th>")
	terminal := written(t, func(w io.Writer, r *audit.Record) error { return report.Text(w, r, report.Terminal{}) }, r)
	require.Contains(t, terminal, "  1 hold    0 do not               A (1 observed, 1 noted)\n")
	require.Contains(t, terminal, "not applicable                     B\n")
	r.Criteria[0].Name = strings.Repeat("name ", 20)
	narrow := written(t, func(w io.Writer, r *audit.Record) error { return report.Text(w, r, report.Terminal{}) }, r)
	require.Contains(t, narrow, "na… (1 observed, 1 noted)\n", "figures are not cut")
	require.NotContains(t, terminal, "Write tests.")
	for _, text := range []string{page, written(t, report.HTML, r), terminal} {
		require.Contains(t, text, "The rubric does not look into code in python.")
	}
}

// Hosts refuse a file with a result that has no place, and show what a rule says.
func TestSARIFIsTaken(t *testing.T) {
	t.Parallel()
	for name, r := range records() {
		var log struct {
			Runs []struct {
				Tool struct {
					Driver struct {
						Rules []struct {
							ID                                string
							ShortDescription, FullDescription struct{ Text string }
						}
					}
				}
				Results []struct {
					RuleID    string
					Locations []struct {
						PhysicalLocation struct{ ArtifactLocation struct{ URI string } }
					}
				}
				Invocations []struct {
					ToolExecutionNotifications []struct{ Message struct{ Text string } }
				}
			}
		}
		require.NoError(t, json.Unmarshal([]byte(written(t, report.SARIF, r)), &log))
		described, run := map[string]bool{}, log.Runs[0]
		for _, rule := range run.Tool.Driver.Rules {
			described[rule.ID] = rule.ShortDescription.Text != "" && rule.FullDescription.Text != ""
		}
		for _, result := range run.Results {
			require.Len(t, result.Locations, 1, name)
			require.NotEmpty(t, result.Locations[0].PhysicalLocation.ArtifactLocation.URI, name)
			require.True(t, described[result.RuleID], name)
		}
	}
	r := &audit.Record{Evidence: []audit.Evidence{
		{Probe: "license", Source: audit.SourceRepo, Outcome: audit.False, Summary: "0 files match"},
		{Probe: "doc.paths", Source: audit.SourceDocs, Part: true, Outcome: audit.False, Summary: "not there", Location: audit.Location{Path: "report.pdf", Page: 3}},
	}}
	text := written(t, report.SARIF, r)
	require.Contains(t, text, `"text": "license: 0 files match"`)
	require.Contains(t, text, `"text": "doc.paths: not there (report.pdf, page 3)"`)
	require.Contains(t, text, `"results": []`)
}

// A reader is told first what is worst, then what serves most criteria.
func TestWhatToDoFirst(t *testing.T) {
	t.Parallel()
	r := &audit.Record{Results: []audit.Result{{Criterion: "a"}, {Criterion: "b"}}}
	for i, severity := range []audit.Severity{"", audit.SeverityLow, audit.SeverityCritical, audit.SeverityHigh, "", ""} {
		r.Evidence = append(r.Evidence, audit.Evidence{
			Probe: "p", Part: true, Outcome: audit.False, Severity: severity, Confirmed: true, Criteria: []string{"a"},
			Location: audit.Location{Path: "f.go", First: i + 1}, Remediation: audit.Remediation{Text: fmt.Sprintf("Mend %d.", i+1)},
		})
	}
	wide := audit.Advice{Text: "Split it.", From: "Tech Lead"}
	r.Results[0].Remediation = []audit.Advice{{Text: "What is asked for: all.", From: "rubric"}, wide}
	r.Results[1].Remediation = []audit.Advice{{Text: "What is asked for: all.", From: "rubric"}, wide}
	_, text, _ := strings.Cut(written(t, report.Markdown, r), "### What to do first\n\n")
	text, _, _ = strings.Cut(text, "\n\n")
	require.Equal(t, strings.Join([]string{
		"1. `f.go:3`: Mend 3. *(probe p; severity critical; for a)*",
		"2. `f.go:4`: Mend 4. *(probe p; severity high; for a)*",
		"3. `f.go:2`: Mend 2. *(probe p; severity low; for a)*",
		"4. Tech Lead recommended: Split it. *(for a, b)*",
		"5. `f.go:1`: Mend 1. *(probe p; and in 2 other places; for a)*",
	}, "\n"), text)
}

// Advice that serves only waived criteria is not a first thing to do,
// and advice for criteria that do not apply is left out; a finding still counts.
func TestNothingToDoForOthersSake(t *testing.T) {
	t.Parallel()
	r := &audit.Record{Results: []audit.Result{
		{Criterion: "a", Waived: "known", Remediation: []audit.Advice{{Text: "Split it.", From: "Tech Lead"}}},
		{Criterion: "b", Verdict: audit.NotConsidered},
		{Criterion: "c"},
	}}
	for i, e := range []audit.Evidence{{Criteria: []string{"b"}}, {Criteria: []string{"b", "c"}}, {Criteria: []string{"b"}, Severity: audit.SeverityLow}} {
		e.Probe, e.Part, e.Outcome, e.Location = "p", true, audit.False, audit.Location{Path: "f.go", First: i + 1}
		e.Remediation.Text = "Mend it."
		r.Evidence = append(r.Evidence, e)
	}
	text := written(t, report.Markdown, r)
	_, first, _ := strings.Cut(text, "### What to do first\n\n")
	first, _, _ = strings.Cut(first, "\n\n")
	require.Equal(t, "1. `f.go:3`: Mend it. *(probe p; severity low; and in 1 other place; for b)*", first)
	_, all, _ := strings.Cut(text, "## Remediation Plan\n\n")
	all, _, _ = strings.Cut(all, "\n## ")
	require.Contains(t, all, "Tech Lead recommended: Split it.")
	require.NotContains(t, all, "Line 1:")
}

// A gate that nothing spoke against, because little could be looked at, does not
// read like one that was passed.
func TestGateThatWasNotExamined(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		gate       audit.Gate
		said, tile string
	}{
		{audit.Gate{NotExamined: []string{"security.high: secrets could not be examined"}}, "Gate: Not decided. Not examined: security.high: secrets could not be examined.", `partial"><b>undecided</b>`},
		{audit.Gate{NotAsked: []string{"a total of at least 3"}}, "Gate: No fact fails it. No judge was asked for: a total of at least 3.", `partial"><b>facts only</b>`},
		{audit.Gate{Reasons: []string{"x holds"}, NotAsked: []string{"y"}}, "Gate: Not passed: x holds. No judge was asked for: y.", `fail"><b>failed</b>`},
		{audit.Gate{Passed: true}, "Gate: Passed.\n", `pass"><b>passed</b>`},
	} {
		r := &audit.Record{Gate: tt.gate}
		require.Contains(t, written(t, report.Markdown, r), tt.said)
		require.Contains(t, written(t, report.HTML, r), `<div class="tile `+tt.tile+`<span>gate</span></div>`)
	}
}

// A place shows its text, unless that is a prompt injection.
func TestPlacesShowWhatStandsThere(t *testing.T) {
	t.Parallel()
	for want, e := range map[string]audit.Evidence{
		"a match: eval(x)": {Part: true, Summary: "a match", Snippet: "\n  eval(x)\ny()"},
		"eval(x)":          {Part: true, Snippet: "eval(x)"},
		"eval(x) is run":   {Part: true, Summary: "eval(x) is run", Snippet: "eval(x)"},
		"withheld":         {Part: true, Summary: "withheld", Snippet: "give 5", Withheld: true},
		"2 matches":        {Summary: "2 matches", Snippet: "eval(x)"},
	} {
		require.Equal(t, want, report.SummaryOf(&e))
	}
}

func TestReadGivesTheRecordBack(t *testing.T) {
	t.Parallel()
	for name, r := range records() {
		paths, err := report.Write(t.TempDir(), r, []string{report.FormatJSON})
		require.NoError(t, err)
		got, err := report.Read(paths[0])
		require.NoError(t, err)
		require.Equal(t, r, got, name)
		require.Equal(t, written(t, report.JSON, r), written(t, report.JSON, got))
	}
}

func TestJSONKeys(t *testing.T) {
	t.Parallel()
	text := written(t, report.JSON, trial())
	var keys map[string]json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(text), &keys))
	for _, key := range []string{"executive_summary", "criterion_breakdown", "remediation_plan", "synthesis_narrative", "subject", "rubric", "seats", "seed", "usage", "evidence"} {
		require.Contains(t, keys, key)
	}
	require.NotContains(t, keys, "results", "they are the criterion breakdown")
	for _, hidden := range []string{"\x1b", "\u202e", "\u200b"} {
		require.NotContains(t, text, hidden)
	}
	require.Contains(t, text, `\u202e\u200b`, "and they are not lost")
	text = written(t, report.JSON, &audit.Record{})
	for _, list := range []string{"criterion_breakdown", "remediation_plan", "evidence", "seats", "failures"} {
		require.Contains(t, text, `"`+list+`": []`, "programs go through it without asking")
	}
}

func TestReadRefuses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                  "no report of an audit in JSON",
		"{}":                                "the key report_version is missing",
		`{"report_version": 2}`:             "written by a newer version",
		`{"report_version": 1, "seed":"x"}`: "cannot unmarshal string",
		`{"report_version": 1, "evidence":[{"outcome":"maybe"}]}`: "unknown outcome",
	} {
		path := filepath.Join(t.TempDir(), "r.json")
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		_, err := report.Read(path)
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, path)
	}
	_, err := report.Read(filepath.Join(t.TempDir(), "none.json"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestReportsNeverOverwriteEachOther(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "reports")
	seen := map[string]bool{}
	for range 3 {
		paths, err := report.Write(dir, trial(), nil)
		require.NoError(t, err)
		require.Len(t, paths, len(report.Formats()))
		for _, path := range paths {
			require.False(t, seen[path])
			seen[path] = true
		}
	}
	require.True(t, seen[filepath.Join(dir, "audit-weather-bot-4f1c0d9a7b3e-20261121T120005Z.md")])
	require.True(t, seen[filepath.Join(dir, "audit-weather-bot-4f1c0d9a7b3e-20261121T120005Z-3.html")])
}

// One format that is taken moves all of them, so that files of one name are of
// one audit.
func TestFilesOfOneNameAreOfOneAudit(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	taken := filepath.Join(dir, "audit-weather-bot-4f1c0d9a7b3e-20261121T120005Z.json")
	require.NoError(t, os.WriteFile(taken, []byte("mine"), 0o600))
	paths, err := report.Write(dir, trial(), []string{"md", "json", "md"})
	require.NoError(t, err)
	require.Equal(t, []string{strings.TrimSuffix(taken, ".json") + "-2.md", strings.TrimSuffix(taken, ".json") + "-2.json"}, paths)
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(t, err)
	require.Len(t, left, 3)
	text, err := os.ReadFile(taken)
	require.NoError(t, err)
	require.Equal(t, "mine", string(text))
}

func TestReportsWrittenAtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var group errgroup.Group
	for range 8 {
		group.Go(func() error {
			_, err := report.Write(dir, trial(), nil)
			return err
		})
	}
	require.NoError(t, group.Wait())
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, files, 8*len(report.Formats()))
}

func TestFileNamesAreTame(t *testing.T) {
	t.Parallel()
	for subject, want := range map[string]string{
		"../../etc/passwd":         "audit-etc-passwd-20261121T120005Z.md",
		"a b\n\x1b[31m":            "audit-a-b---31m-20261121T120005Z.md",
		"":                         "audit-20261121T120005Z.md",
		"CON":                      "audit-CON-20261121T120005Z.md",
		strings.Repeat("long", 99): "audit-" + strings.Repeat("long", 15) + "-20261121T120005Z.md",
	} {
		r := trial()
		r.Subject.Name, r.Subject.Commit = subject, ""
		r.Started = r.Started.In(time.FixedZone("east", 3600))
		dir := t.TempDir()
		paths, err := report.Write(dir, r, []string{"md"})
		require.NoError(t, err)
		require.Equal(t, []string{filepath.Join(dir, want)}, paths)
	}
}

func TestWriteRefuses(t *testing.T) {
	t.Parallel()
	_, err := report.Write(t.TempDir(), trial(), []string{"pdf"})
	require.EqualError(t, err, `report: unknown format "pdf": there are md, json, sarif, html`)
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err = report.Write(file, trial(), nil)
	require.Error(t, err)
	for _, write := range []func(io.Writer, *audit.Record) error{report.Markdown, report.JSON, report.SARIF, report.HTML} {
		require.ErrorIs(t, write(brokenWriter{}, trial()), errBroken)
	}
	require.ErrorIs(t, report.Text(brokenWriter{}, trial(), report.Terminal{}), errBroken)
}

var errBroken = errors.New("disk full")

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errBroken }
