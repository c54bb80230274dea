package rubric_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/audit/rubric"
)

// extending is a rubric that extends go, with the given text after its head. The
// text begins on line 3.
func extending(text string) string {
	return "rubric_metadata: {rubric_name: Test, version: 4.0.0}\nextends: go\n" + text
}

func parseExtending(t *testing.T, text string) *rubric.Rubric {
	t.Helper()
	r, problems, err := rubric.Parse("r.yaml", []byte(extending(text)))
	require.NoError(t, err)
	require.Empty(t, problems)
	return r
}

func probeNamed(r *rubric.Rubric, id string) *rubric.Probe {
	for i := range r.Probes {
		if r.Probes[i].ID == id {
			return &r.Probes[i]
		}
	}
	return nil
}

func TestExtendsAlone(t *testing.T) {
	t.Parallel()
	embedded, err := rubric.Embedded("go")
	require.NoError(t, err)
	r := parseExtending(t, "waivers: [{probe: secrets, reason: none of them is real}]\n")
	require.Equal(t, embedded.Probes, r.Probes)
	require.Equal(t, embedded.Dimensions, r.Dimensions)
	require.Equal(t, embedded.Synthesis, r.Synthesis)
	require.Equal(t, []rubric.Waiver{{Probe: "secrets", Reason: "none of them is real"}}, r.Waivers)
	require.Equal(t, "r.yaml", r.Source)
	require.NotEqual(t, embedded.Digest, r.Digest)
}

// TestExtendsEach extends every embedded rubric with nothing.
func TestExtendsEach(t *testing.T) {
	t.Parallel()
	for _, name := range rubric.Names() {
		r, problems, err := rubric.Parse("r.yaml", []byte("rubric_metadata: {rubric_name: T, version: 4.0.0}\nextends: "+name+"\nvars: {}\n"))
		require.NoError(t, err, name)
		require.Empty(t, problems, name)
		require.Len(t, r.Dimensions, len(dimensionIDs(t, name)))
	}
}

func dimensionIDs(t *testing.T, name string) []string {
	t.Helper()
	r, err := rubric.Embedded(name)
	require.NoError(t, err)
	var ids []string
	for i := range r.Dimensions {
		ids = append(ids, r.Dimensions[i].ID)
	}
	return ids
}

func TestExtendsReplacesAndAdds(t *testing.T) {
	t.Parallel()
	embedded, err := rubric.Embedded("go")
	require.NoError(t, err)
	r := parseExtending(t, `
probes:
  - {id: errors.panic, type: text, regex: 'panic\(', expect: {count: {max: 0}}}
  - {id: own, type: file, any: ["OWNERS"]}
dimensions:
  - id: concurrency
    name: Ours
    evidence: [own, safety.exec]
    forensic_instruction: Look.
    success_pattern: Good.
    failure_pattern: Bad.
    levels: {1: bad, 5: good}
`)
	require.Equal(t, rubric.TypeText, probeNamed(r, "errors.panic").Type)
	require.Equal(t, []string{"error_handling"}, r.Criteria("errors.panic"), "the dimension of go sees the probe in its place")
	require.Equal(t, "own", r.Probes[len(r.Probes)-1].ID)
	require.Nil(t, probeNamed(r, "concurrency.goroutines"), "only the replaced dimension looked at it")
	require.NotNil(t, probeNamed(r, "ci.race"), "others look at it")
	require.Len(t, r.Dimensions, len(embedded.Dimensions))
	require.Equal(t, "Ours", r.Dimension("concurrency").Name)
	require.Equal(t, []rubric.Cap{{When: "security.any > 0", Max: 3, Rule: "security_override"}}, r.Dimension("concurrency").Caps)
}

func TestExtendsDrops(t *testing.T) {
	t.Parallel()
	r := parseExtending(t, "drop: {probes: [tests.fuzz, safety.shell], dimensions: [documentation]}\n")
	require.Nil(t, probeNamed(r, "tests.fuzz"))
	require.NotContains(t, r.Dimension("tests").Evidence, "tests.fuzz")
	require.NotContains(t, r.Dimension("safety").Required, "safety.shell")
	require.Nil(t, r.Dimension("documentation"))
	require.Nil(t, probeNamed(r, "readme"), "nothing else looks at it")
}

// TestExtendsVarsAndWeights holds what was given against the probes and dimensions
// of the rubric that is extended.
func TestExtendsVarsAndWeights(t *testing.T) {
	t.Parallel()
	r := parseExtending(t, `
vars: {foreign: ["gen/**"]}
synthesis: {weights: {defense: 3}, gate: {overall: 4.5}}
`)
	require.Contains(t, probeNamed(r, "safety.shell").Files.Exclude, "gen/**")
	require.NotContains(t, strings.Join(probeNamed(r, "safety.shell").Files.Exclude, " "), "vendor")
	require.Equal(t, 4.5, r.Synthesis.Gate.Overall)
	require.Equal(t, []string{"security.critical"}, r.Synthesis.Gate.FailOn, "what is not given stays")
	require.Equal(t, 3.0, r.Weight(r.Dimension("package_design"), audit.Defense), "a judge whom the dimension leaves out")
	require.Equal(t, 1.5, r.Weight(r.Dimension("package_design"), audit.TechLead))

	embedded, err := rubric.Embedded("go")
	require.NoError(t, err)
	require.NotContains(t, probeNamed(embedded, "safety.shell").Files.Exclude, "gen/**", "the embedded rubric was changed")
}

func TestExtendsFaults(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ text, want string }{
		"no such rubric": {"rubric_metadata: {rubric_name: T, version: 4.0.0}\nextends: gol\n",
			"r.yaml:2:10: `extends` takes the name of an embedded rubric: there is no embedded rubric \"gol\"; did you mean \"go\"?"},
		"a file": {"rubric_metadata: {rubric_name: T, version: 4.0.0}\nextends: ../go.yaml\n",
			"r.yaml:2:10: `extends` takes the name of an embedded rubric: there is no embedded rubric \"../go.yaml\"; there are general, go, python, typescript, rust, documents, agent-graph"},
		"drop alone": {complete + "drop: {probes: [p]}\n", "r.yaml:12:7: `drop` needs `extends`: there is nothing to leave out"},
		"unknown ids": {extending("drop: {probes: [safety.shel], dimensions: [tsts]}\n"),
			"r.yaml:3:17: `go` has no probe `safety.shel`; did you mean `safety.shell`?\nr.yaml:3:44: `go` has no dimension `tsts`; did you mean `tests`?"},
		"dropped and written": {extending("drop: {probes: [history]}\nprobes: [{id: history, type: git}]\ndimensions: [" + whole("d", "history") + "]\n"),
			"r.yaml:3:17: the probe `history` is dropped here and written below `probes`: one of them is enough, it replaces that of `go`"},
		"nothing left": {"rubric_metadata: {rubric_name: T, version: 4.0.0}\nextends: general\ndrop: {dimensions: [" + strings.Join(dimensionIDs(t, "general"), ", ") + "]}\n",
			"r.yaml:3:20: this leaves no dimension of `general`, so there is nothing to judge"},
		"a list": {extending("drop: [tests]\n"), "r.yaml:3:7: `drop` must be a mapping of keys, not a list: write `probes: …` on a line of its own"},
		"required without expect": {extending("probes:\n  - {id: tests.functions, type: git}\n"),
			"r.yaml:4:5: the dimension `tests` of `go` requires the probe `tests.functions`: it has no `expect`, which could be violated"},
		"required observation": {extending("probes:\n  - {id: tests.functions, type: git, basis: observed, expect: {authors: {min: 2}}}\n"),
			"r.yaml:4:5: the dimension `tests` of `go` requires the probe `tests.functions`: it says `basis: observed`, and exact facts alone cap a score"},
		"a var that does not fit": {extending("vars:\n  foreign: [\"/a\"]\n"),
			"r.yaml:4:13: the pattern `/a` begins with /: paths are relative to the repository's root; write ./ for a place at the root"},
		"a var that nothing uses":   {extending("vars: {ours: [\"a/**\"]}\n"), "r.yaml:3:14: nothing uses `$ours` (warning)"},
		"a waiver of what is gone":  {extending("drop: {dimensions: [tests]}\nwaivers: [{dimension: tests, reason: x}]\n"), "r.yaml:4:23: there is no dimension `tests`; there are version_history, automation, secrets, supply_chain, documentation, document_accuracy, module_hygiene, error_handling, concurrency, safety, package_design"},
		"a gate of what is not":     {extending("synthesis: {gate: {each: {tets: 3}}}\n"), "r.yaml:3:33: there is no dimension `tets`; did you mean `tests`?"},
		"a threshold of the other":  {extending("synthesis: {pass: 2}\n"), "r.yaml:3:19: `partial` is 3, more than `pass`, which is 2: nothing could pass in part"},
		"a probe that nobody reads": {extending("probes: [{id: own, type: git}]\n"), "r.yaml:3:15: no dimension refers to the probe `own`: name it in `evidence` or `required`, or take it out (warning)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, problems, _ := rubric.Parse("r.yaml", []byte(tc.text))
			require.Equal(t, tc.want, lines(problems))
		})
	}
}

// whole is a dimension with nothing wrong that looks at one probe.
func whole(id, probe string) string {
	return "{id: " + id + ", evidence: [" + probe + "], forensic_instruction: Look., success_pattern: Good., failure_pattern: Bad., levels: {1: bad, 5: good}}"
}

func TestExtendsExplained(t *testing.T) {
	t.Parallel()
	r := parseExtending(t, "drop: {probes: [tests.fuzz], dimensions: [automation]}\nprobes: [{id: history, type: git, expect: {commit_count: {min: 9}}}, {id: own, type: git}]\ndimensions: ["+whole("d", "own")+"]\n")
	var out bytes.Buffer
	r.Explain(&out)
	for _, want := range []string{
		"Extends the embedded rubric go; [go] marks what comes from there, [own] what this file adds.\n",
		"Left out of it, probes: tests.fuzz.\n",
		"Left out of it, dimensions: automation.\n",
		"tests: Tests [go]\n",
		"d: d [own]\n",
		"message_quality, cadence [own, in place of that of go]\n",
		"requires: module: go.mod (**/go.mod), not in $foreign [go]\n",
	} {
		require.Contains(t, out.String(), want)
	}
}

// TestOwnRubric reads the rubric that this project is audited with.
func TestOwnRubric(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../docs/audit/sentinel.rubric.yaml")
	require.NoError(t, err)
	_, problems, err := rubric.Parse("sentinel.rubric.yaml", text)
	require.NoError(t, err)
	require.Empty(t, problems)
	require.NoError(t, resolved(t).Validate(asJSON(t, text)))
}
