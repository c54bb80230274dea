package rubric_test

import (
	"cmp"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/audit/rubric"
)

func TestFactsOf(t *testing.T) {
	t.Parallel()
	d := &rubric.Dimension{ID: "d", Required: []string{"r"}}
	fact := func(probe string, outcome audit.Outcome, criteria ...string) audit.Evidence {
		return audit.Evidence{Probe: probe, Outcome: outcome, Criteria: criteria, Kind: audit.KindFact}
	}
	flaw := fact("s", audit.False, "d")
	flaw.Part, flaw.Severity, flaw.Confirmed = true, audit.SeverityHigh, true
	possible, waived, critical := flaw, flaw, flaw
	possible.Confirmed = false
	waived.Waived = "known"
	critical.Severity, critical.Criteria = audit.SeverityCritical, []string{"other"}
	claim, part, covered := fact("c", audit.False, "d"), fact("r", audit.False, "d"), fact("r", audit.False, "d")
	claim.Kind, part.Part, covered.Waived = audit.KindClaim, true, "known"
	evidence := []audit.Evidence{
		fact("r", audit.True, "d"), fact("r", audit.False, "e", "d"), fact("x", audit.NotAvailable, "d"), fact("x", audit.Error, "d"),
		fact("x", audit.NotApplicable, "d"), fact("x", audit.True, "other"), fact("n", audit.True, "d"), fact("court's own", audit.True, "d"), claim, part, covered, flaw, possible, waived, critical,
	}
	rb := &rubric.Rubric{Probes: []rubric.Probe{{ID: "r", Expect: rubric.Expect{}}, {ID: "x", Expect: rubric.Expect{}}, {ID: "n"}}}
	require.Equal(t, rubric.Facts{
		Security: rubric.Findings{Low: 1, Medium: 1, High: 1, Any: 1},
		Required: rubric.Outcomes{True: 1, False: 1},
		Facts:    rubric.Outcomes{True: 1, False: 1, Unknown: 2},
	}, rb.FactsOf(d, evidence))
	require.Equal(t, rubric.Facts{
		Security: rubric.Findings{Low: 2, Medium: 2, High: 2, Critical: 1, Any: 2}, // what is critical is high, too
		Facts:    rubric.Outcomes{True: 2, False: 1, Unknown: 2},
	}, rb.FactsOf(nil, evidence))
}

// TestQualify: what is read of names and sentences caps, gates and contradicts
// nothing; what is found exactly does.
func TestQualify(t *testing.T) {
	t.Parallel()
	one := 1.0
	expect := func(figure string) rubric.Expect { return rubric.Expect{figure: {Min: &one}} }
	names := rubric.Overlap{Strings: rubric.Strings{Lang: "go", Names: "x"}}
	for _, tc := range []struct {
		p    rubric.Probe
		kind audit.Kind
	}{
		{rubric.Probe{Type: rubric.TypeFile, Expect: expect("count")}, audit.KindFact},
		{rubric.Probe{Type: rubric.TypeFile, Expect: expect("count"), Basis: "observed"}, audit.KindObserved},
		{rubric.Probe{Type: rubric.TypeGit, Expect: expect("commit_count")}, audit.KindFact},
		{rubric.Probe{Type: rubric.TypeGit, Expect: expect("largest_add_share")}, audit.KindObserved},
		{rubric.Probe{Type: rubric.TypeGit, Expect: expect("message_quality")}, audit.KindObserved},
		{rubric.Probe{Type: rubric.TypeGit, Metrics: []string{"cadence"}}, audit.KindFact},
		{rubric.Probe{Type: rubric.TypeSecret, Expect: expect("count")}, audit.KindFact},
		{rubric.Probe{Type: rubric.TypeSecret, Expect: expect("possible")}, audit.KindObserved},
		{rubric.Probe{Type: rubric.TypeGraph, Expect: expect("fan_out")}, audit.KindFact},
		{rubric.Probe{Type: rubric.TypeGraph, Expect: expect("has_parallel_judges")}, audit.KindObserved},
		{rubric.Probe{Type: rubric.TypeOverlap, Of: rubric.Overlap{Files: []string{"a"}}}, audit.KindFact},
		{rubric.Probe{Type: rubric.TypeOverlap, Of: names}, audit.KindObserved},
		{rubric.Probe{Type: rubric.TypeDocTerms, Expect: expect("mentioned")}, audit.KindObserved},
		{rubric.Probe{Type: rubric.TypeDocPaths, Expect: expect("not_in_repo")}, audit.KindObserved},
		{rubric.Probe{ID: "integrity.prompt_injection"}, audit.KindObserved},
	} {
		tc.p.ID = cmp.Or(tc.p.ID, "p")
		rb := &rubric.Rubric{Probes: []rubric.Probe{tc.p}}
		evidence := []audit.Evidence{
			{Probe: tc.p.ID, Kind: audit.KindFact, Outcome: audit.False, Severity: audit.SeverityHigh, Confirmed: true, Criteria: []string{"d"}},
			{Probe: tc.p.ID, Kind: audit.KindClaim, Outcome: audit.True},
			{Probe: "other", Kind: audit.KindFact, Outcome: audit.True},
		}
		rb.Qualify(evidence)
		binding := tc.kind == audit.KindFact
		require.Equal(t, []audit.Kind{tc.kind, audit.KindClaim, audit.KindFact}, []audit.Kind{evidence[0].Kind, evidence[1].Kind, evidence[2].Kind}, "%+v", tc.p)
		require.Equal(t, binding, evidence[0].Security())
		f := rb.FactsOf(&rubric.Dimension{ID: "d", Required: []string{tc.p.ID}}, evidence)
		for _, holds := range []bool{
			rubric.Cap{When: "security.any > 0"}.Holds(f), rubric.Cap{When: "required.false > 0"}.Holds(f), rubric.Cap{When: "facts.false > 0"}.Holds(f),
			len(rubric.Gate{FailOn: []string{"facts.false"}}.Failing(rb.FactsOf(nil, evidence))) > 0,
		} {
			require.Equal(t, binding, holds, "%+v", tc.p)
		}
	}
}

func TestConditions(t *testing.T) {
	t.Parallel()
	f := rubric.Facts{
		Security: rubric.Findings{Low: 1, High: 2, Any: 3}, Required: rubric.Outcomes{False: 1},
		Facts: rubric.Outcomes{True: 4, False: 2, Unknown: 1}, Verdict: rubric.Verdicts{Fail: 2, None: 1},
	}
	for condition, want := range map[string]bool{
		"security.high > 0":                                  true,
		"security.critical > 0":                              false,
		"security.low + security.medium >= 2":                false,
		"security.any":                                       true,
		"security.medium":                                    false,
		"required.false > 0 and facts.true < 5":              true,
		"required.true > 0 or not (facts.unknown == 0)":      true,
		"facts.false > facts.true || security.medium != 0":   false,
		"facts.true - facts.false > 1 && true":               true,
		"verdict.fail > 0":                                   true, // caps know no verdicts: it cannot be understood, so it holds
		"nonsense":                                           true,
		"":                                                   true,
		"security.high > \"0\"":                              true,
		"facts.true ** facts.true ** facts.true > 100":       true,
		"all(1..1000000000, # > 0)":                          true,
		"1.5 - 2 + security.low > 0":                         true,
		"security.high > 0 ? true : false":                   true,
		"((((((((((security.high)))))))))) == 2 and (false)": false,
	} {
		require.Equal(t, want, rubric.Cap{When: condition}.Holds(f), condition)
	}
	gate := rubric.Gate{FailOn: []string{"security.critical", "verdict.fail > 1", "verdict.none > 1", "required.false", "facts.unknown"}}
	require.Equal(t, []string{"verdict.fail > 1", "required.false", "facts.unknown"}, gate.Failing(f))
	require.Empty(t, rubric.Gate{}.Failing(f))
}

func TestWaivers(t *testing.T) {
	t.Parallel()
	day := func(s string) time.Time {
		at, err := time.Parse(time.RFC3339, s)
		require.NoError(t, err)
		return at
	}
	w := rubric.Waiver{Until: "2026-12-31"}
	require.False(t, w.Expired(day("2026-12-31T23:59:59Z")))
	require.True(t, w.Expired(day("2027-01-01T00:00:00Z")))
	require.False(t, w.Expired(day("2027-01-01T01:00:00+02:00")), "by UTC it is still the last day")
	require.False(t, rubric.Waiver{}.Expired(day("2999-01-01T00:00:00Z")))
	require.True(t, rubric.Waiver{Until: "soon"}.Expired(day("2026-01-01T00:00:00Z")))

	e := &audit.Evidence{Probe: "p", Location: audit.Location{Path: "src/a.py"}}
	require.True(t, rubric.Waiver{Probe: "p"}.Covers(e))
	require.True(t, rubric.Waiver{Probe: "p", Path: "src/**"}.Covers(e))
	require.False(t, rubric.Waiver{Probe: "p", Path: "test/**"}.Covers(e))
	require.False(t, rubric.Waiver{Probe: "p", Path: "["}.Covers(e))
	require.False(t, rubric.Waiver{Probe: "q"}.Covers(e))
	require.False(t, rubric.Waiver{Dimension: "d"}.Covers(&audit.Evidence{}))
}

func TestApplies(t *testing.T) {
	t.Parallel()
	languages := map[string]int64{"go": 100, "python": 0}
	has := func(pattern string) bool { return pattern == "go.mod" }
	for _, tc := range []struct {
		a   rubric.Applies
		why string
	}{
		{rubric.Applies{}, ""},
		{rubric.Applies{LangAny: []string{"rust", "go"}}, ""},
		{rubric.Applies{LangAny: []string{"python", "rust"}}, "no files in python, rust"},
		{rubric.Applies{FileAny: []string{"x", "go.mod"}}, ""},
		{rubric.Applies{FileAny: []string{"x", "y"}}, "no file matches x, y"},
		{rubric.Applies{LangAny: []string{"go"}, FileAny: []string{"x"}}, "no file matches x"},
	} {
		holds, why := tc.a.Hold(languages, has)
		require.Equal(t, tc.why == "", holds)
		require.Equal(t, tc.why, why)
	}
}

// TestFigures holds the table of figures against the embedded rubrics' types.
func TestFigures(t *testing.T) {
	t.Parallel()
	for _, typ := range []string{
		rubric.TypeFile, rubric.TypeText, rubric.TypeAST, rubric.TypeGraph, rubric.TypeGit, rubric.TypeManifest, rubric.TypeSecret,
		rubric.TypeRatio, rubric.TypeOverlap, rubric.TypeDocTerms, rubric.TypeDocPaths, rubric.TypeDiagram,
	} {
		require.NotEmpty(t, rubric.Figures(typ), typ)
	}
	require.Nil(t, rubric.Figures("guess"))
	require.True(t, rubric.Flag("lockfile"))
	require.False(t, rubric.Flag("count"))
	p := rubric.Probe{Type: rubric.TypeDiagram, Answers: []string{"parallel", "none"}}
	require.Equal(t, []string{"pages", "parallel", "none"}, p.Figures())
	require.True(t, slices.Equal(rubric.Figures(rubric.TypeDiagram), []string{"pages"}), "the answers of one probe are not kept for others")
}

func TestExpect(t *testing.T) {
	t.Parallel()
	one, two, yes := 1.0, 2.0, true
	e := rubric.Expect{"count": {Min: &one, Max: &two}, "lockfile": {Is: &yes}}
	for _, tc := range []struct {
		values  map[string]any
		holds   bool
		why     string
		missing []string
	}{
		{map[string]any{"count": 1, "lockfile": true}, true, "", nil},
		{map[string]any{"count": 0, "lockfile": false}, false, "count is 0, expected at least 1", nil},
		{map[string]any{"count": 2.5, "lockfile": true}, false, "count is 2.5, expected at most 2", nil},
		{map[string]any{"count": 1, "lockfile": false}, false, "lockfile is false, expected true", nil},
		{map[string]any{"count": 1}, false, "", []string{"lockfile"}},
		{map[string]any{"count": "1", "lockfile": true}, false, "count is 1, which is no figure", nil},
	} {
		holds, why, missing := e.Check(tc.values)
		require.Equal(t, tc.holds, holds)
		require.Equal(t, tc.why, why)
		require.Equal(t, tc.missing, missing)
	}
}
