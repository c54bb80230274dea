package rubric_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/audit/rubric"
)

// lines writes problems as lint does, warnings marked.
func lines(problems []rubric.Problem) string {
	var out []string
	for _, p := range problems {
		line := p.In("r.yaml")
		if !p.Error {
			line += " (warning)"
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}

// complete is a rubric with nothing wrong, to which tests add what is.
const complete = `rubric_metadata: {rubric_name: Test, version: 4.0.0}
probes:
  - {id: p, type: file, any: ["README*"], expect: {count: {min: 1}}}
dimensions:
  - id: d
    name: D
    evidence: [p]
    forensic_instruction: Look.
    success_pattern: Good.
    failure_pattern: Bad.
    levels: {1: bad, 5: good}
`

// probe is the complete rubric with another probe, on line 3.
func probe(text string) string {
	return strings.Replace(complete, `{id: p, type: file, any: ["README*"], expect: {count: {min: 1}}}`, text, 1)
}

// dimension is the complete rubric with more keys of its dimension, from line 12.
func dimension(text string) string { return complete + text }

func TestCompleteRubric(t *testing.T) {
	t.Parallel()
	r, problems, err := rubric.Parse("r.yaml", []byte(complete))
	require.NoError(t, err)
	require.Empty(t, problems)
	require.Equal(t, rubric.Synthesis{VarianceOver: 2, Pass: 4, Partial: 3, OnDissent: "reevaluate", MinOpinions: 2}, r.Synthesis)
	d := r.Dimension("d")
	require.Equal(t, 1.0, d.Weight)
	require.Equal(t, "repo", d.TargetArtifact)
	require.Equal(t, []rubric.Cap{{When: "security.any > 0", Max: 3, Rule: "security_override"}}, d.Caps)
	require.Equal(t, map[int]string{1: "bad", 5: "good"}, d.Levels)
	require.Equal(t, []string{"d"}, r.Criteria("p"))
	require.Equal(t, audit.RubricRef{Name: "Test", Version: "4.0.0", Source: "r.yaml", Digest: r.Digest}, r.Ref())
	require.Len(t, r.Digest, 64)
	require.Nil(t, r.Dimension("none"))
}

func TestFaults(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, text, want string }{
		{"empty", "", "r.yaml:1: the rubric is empty: write `rubric_metadata`, `probes` and `dimensions`; `sentinel audit rubric schema` prints all keys"},
		{"comments only", "# nothing\n", "r.yaml:1: the rubric is empty: write `rubric_metadata`, `probes` and `dimensions`; `sentinel audit rubric schema` prints all keys"},
		{"no dimensions", "rubric_metadata: {rubric_name: x, version: 4.0.0}\n", "r.yaml:1: the rubric has no dimensions, so there is nothing to judge: write `dimensions: [{id: …, name: …, evidence: […]}]`"},
		{"not YAML", "dimensions: [", "r.yaml:1: this is not YAML: did not find expected node content"},
		{"a text", "hello", "r.yaml:1:1: the file must be a mapping of keys, not text: write `rubric_metadata: …` on a line of its own"},
		{"unknown key", strings.Replace(complete, "probes:", "probs:", 1), "r.yaml:2:1: unknown key `probs`; did you mean `probes`?\nr.yaml:7:16: there is no probe `p`: write it below `probes`"},
		{"unknown key of a probe", probe(`{id: p, type: file, any: [a], expct: {}}`), "r.yaml:3:35: unknown key `probes[0].expct`; did you mean `probes[0].expect`?"},
		{"duplicate key", complete + "dimensions: []\n", "r.yaml:12:1: duplicate key `dimensions`; it stands in line 4 already, keep one of them"},
		{"version", strings.Replace(complete, "4.0.0", "5.1.0", 1), "r.yaml:1:47: version `5.1.0` cannot be read: its first number is that of the format, 4 or 3; write `version: 4.0.0`"},
		{"scale", strings.Replace(complete, "4.0.0", "4.0.0, scale: [5, 10]", 1), "r.yaml:1:61: `scale` is the lowest and the highest score, as [1, 5] or [0, 100]: the lowest is 0 or 1, the highest at least 2 more, and at most 1000"},
		{"scale of one number", strings.Replace(complete, "4.0.0", "4.0.0, scale: [100]", 1), "r.yaml:1:61: `scale` is the lowest and the highest score, as [1, 5] or [0, 100]: the lowest is 0 or 1, the highest at least 2 more, and at most 1000"},
		{"scale of words", strings.Replace(complete, "4.0.0", "4.0.0, scale: points", 1), "r.yaml:1:61: `rubric_metadata.scale` must be a list, not text: write `scale: [\"points\"]`"},
		{"level off its scale", dimension("    scale: [0, 20]\n"), "r.yaml:5:9: the dimension `d` leaves judges without levels 0, levels 20: each of them will think of something else (warning)"},
		{"cap off its scale", dimension("    scale: [1, 10]\n    caps: [{when: security.any > 0, max: 0}]\n"), "r.yaml:5:9: the dimension `d` leaves judges without levels 10: each of them will think of something else (warning)\nr.yaml:13:42: a score is from 1 to 10 here, not 0"},
		{"threshold off the scale", complete + "synthesis: {pass: 75, partial: 0, variance_over: 9, gate: {overall: 50, each: {d: 6}}}\n", "r.yaml:12:19: a score is from 1 to 5 here, not 75\nr.yaml:12:32: a score is from 1 to 5 here, not 0\nr.yaml:12:50: two scores from 1 to 5 are at most 4 apart, so `variance_over: 9` means nothing\nr.yaml:12:69: a score is from 1 to 5 here, not 50\nr.yaml:12:83: a score is from 1 to 5 here, not 6"},
		{"category of nothing", probe(`{id: p, type: git, category: style}`), "r.yaml:3:34: `category` needs `expect`: a finding is what violates it; write `expect: {count: {max: 0}}`"},
		{"security without severity", probe(`{id: p, type: git, category: security, expect: {authors: {min: 1}}}`), "r.yaml:3:34: a security finding has a severity: write `severity: …`, one of low, medium, high and critical"},

		{"no id", probe(`{type: git}`), "r.yaml:3:5: the probe has no id: write `id: …`\nr.yaml:7:16: there is no probe `p`: write it below `probes`"},
		{"id", probe(`{id: "a b", type: git}`), "r.yaml:3:10: the id `a b` can hold letters, digits, `_`, `-` and `.` only\nr.yaml:3:10: no dimension refers to the probe `a b`: name it in `evidence` or `required`, or take it out (warning)\nr.yaml:7:16: there is no probe `p`: write it below `probes`"},
		{"duplicate id", probe("{id: p, type: git}\n  - {id: p, type: git}"), "r.yaml:4:10: the id `p` is taken by an earlier probe: ids are unique"},
		{"the court's own id", probe(`{id: integrity.x, type: git}`), "r.yaml:3:10: ids that begin with `integrity.` are the court's own: choose another one\nr.yaml:3:10: no dimension refers to the probe `integrity.x`: name it in `evidence` or `required`, or take it out (warning)\nr.yaml:7:16: there is no probe `p`: write it below `probes`"},
		{"no type", probe(`{id: p}`), "r.yaml:3:5: the probe `p` has no type: write `type: …`, one of file, text, ast, graph, git, manifest, workflow, secret, ratio, overlap, one_of, doc_terms, doc_paths or diagram"},
		{"type", probe(`{id: p, type: astt}`), "r.yaml:3:19: `probes[0].type` cannot be `astt`; did you mean `ast`? It is file, text, ast, graph, git, manifest, workflow, secret, ratio, overlap, one_of, doc_terms, doc_paths or diagram"},
		{"key of another type", probe(`{id: p, type: git, regex: x}`), "r.yaml:3:31: `regex` means nothing to a probe of type git: take it out; its keys are id, type, title, basis, expect, severity, category, remediation, metrics"},
		{"missing key", probe(`{id: p, type: text}`), "r.yaml:3:5: the probe `p` has no `regex`, which a probe of type text needs"},
		{"regex", probe(`{id: p, type: text, regex: "a("}`), "r.yaml:3:32: `regex` is no regular expression in RE2 syntax: missing closing ): `a(`"},
		{"pattern", probe(`{id: p, type: file, any: [a, "b{c"]}`), "r.yaml:3:34: the pattern `b{c` is wrong at byte 2: the { is never closed; write }, or \\{ for a brace"},
		{"pattern from the root", probe(`{id: p, type: file, any: [/a]}`), "r.yaml:3:31: the pattern `/a` begins with /: paths are relative to the repository's root; write ./ for a place at the root"},
		{"unknown var", probe(`{id: p, type: file, any: [$src]}`), "r.yaml:3:31: `vars` has no `src`: write `vars: {src: [\"**/*.go\"]}`, or `\\$src` for a file of that name"},
		{"nothing to look for", probe(`{id: p, type: ast, lang: go}`), "r.yaml:3:5: the probe `p` looks for one thing: write one of query, call, class_base or imports, not 0 of them"},
		{"two things to look for", probe(`{id: p, type: ast, lang: go, call: a, imports: b}`), "r.yaml:3:5: the probe `p` looks for one thing: write one of query, call, class_base or imports, not 2 of them"},
		{"empty call", probe(`{id: p, type: ast, call: ""}`), "r.yaml:3:30: `call` is empty"},
		{"outside without a language", probe(`{id: p, type: ast, call: f, outside: "(a)"}`), "r.yaml:3:42: a query is made for the grammar of one language: write `lang: …` beside it"},
		{"query without a language", probe(`{id: p, type: ast, query: "(a)"}`), "r.yaml:3:31: a query is made for the grammar of one language: write `lang: …` beside it"},
		{"language", probe(`{id: p, type: ast, lang: pyton, call: a}`), "r.yaml:3:30: `probes[0].lang` cannot be `pyton`; did you mean `python`? It is go, python, typescript, tsx, javascript or rust"},
		{"metric", probe(`{id: p, type: git, metrics: [commits]}`), "r.yaml:3:34: there is no figure `commits` here; there are commit_count, span_days, authors, merge_ratio, idle_days, largest_add_share, message_quality, cadence"},
		{"figure", probe(`{id: p, type: file, any: [a], expect: {cont: {min: 1}}}`), "r.yaml:3:50: there is no figure `cont` here; did you mean `count`?"},
		{"figure that is not asked for", probe(`{id: p, type: git, metrics: [authors], expect: {cadence: {min: 1}}}`), "r.yaml:3:62: there is no figure `cadence` here; there are authors"},
		{"number for a flag", probe(`{id: p, type: manifest, expect: {lockfile: {min: 1}}}`), "r.yaml:3:48: `lockfile` is true or false: write `lockfile: true`"},
		{"flag for a number", probe(`{id: p, type: manifest, expect: {count: true}}`), "r.yaml:3:45: `count` is a number: write `count: {min: …}` or `{max: …}`"},
		{"empty bound", probe(`{id: p, type: manifest, expect: {count: {}}}`), "r.yaml:3:45: `count` is a number: write `count: {min: …}` or `{max: …}`"},
		{"bounds that exclude each other", probe(`{id: p, type: git, expect: {authors: {min: 3, max: 2}}}`), "r.yaml:3:42: `authors` cannot be at least 3 and at most 2"},
		{"bound of a wrong type", probe(`{id: p, type: git, expect: {authors: {min: many}}}`), "r.yaml:3:48: `probes[0].expect.authors.min` must be a number, not `many`: write `min: 0`"},
		{"severity without expect", probe(`{id: p, type: git, severity: high}`), "r.yaml:3:34: `severity` needs `expect`: a finding is what violates it; write `expect: {count: {max: 0}}`"},
		{"ratio", probe(`{id: p, type: ratio, num: {files: []}, den: {files: [a]}}`), "r.yaml:3:31: `num.files` is empty: write path patterns"},
		{"overlap of nothing", probe(`{id: p, type: overlap, of: {}}`), "r.yaml:3:32: `of` says whose texts are compared: write either `ast_strings` or `files`"},
		{"overlap without names", probe(`{id: p, type: overlap, of: {ast_strings: {lang: python}}}`), "r.yaml:3:46: `ast_strings` needs both `lang` and `names`"},
		{"overlap with a bad name", probe(`{id: p, type: overlap, of: {ast_strings: {lang: python, names: "["}}}`), "r.yaml:3:68: `names` is no regular expression in RE2 syntax: missing closing ]: `[`"},
		{"control characters", strings.Replace(complete, "[p]", `["q\e[31m\u202e"]`, 1), "r.yaml:3:10: no dimension refers to the probe `p`: name it in `evidence` or `required`, or take it out (warning)\nr.yaml:7:16: there is no probe `q [31m `: write it below `probes`"},
		{"terms", probe(`{id: p, type: doc_terms, terms: [a, A]}`), "r.yaml:3:41: `terms` holds `A` twice"},
		{"answers", probe(`{id: p, type: diagram, question: q, answers: [pages, none]}`), "r.yaml:3:50: `answers` are two or more, and none of them is `pages`, which is a figure already"},
		{"answer as a figure", probe(`{id: p, type: diagram, question: q, answers: [yes it is, none], expect: {maybe: {min: 1}}}`), "r.yaml:3:85: there is no figure `maybe` here; there are pages, yes it is, none"},

		{"unknown probe", strings.Replace(complete, "[p]", "[q]", 1), "r.yaml:3:10: no dimension refers to the probe `p`: name it in `evidence` or `required`, or take it out (warning)\nr.yaml:7:16: there is no probe `q`: write it below `probes`"},
		{"probe twice", strings.Replace(complete, "[p]", "[p, p]", 1), "r.yaml:7:19: the probe `p` is named twice"},
		{"required without expect", strings.Replace(probe(`{id: p, type: git}`), "evidence", "required", 1), "r.yaml:7:16: the probe `p` cannot be required: it has no `expect`, which could be violated; name it in `evidence`"},
		{"required observation", strings.Replace(probe(`{id: p, type: doc_paths, expect: {not_in_repo: {max: 0}}}`), "evidence", "required", 1), "r.yaml:7:16: the probe `p` cannot be required: what a probe of type doc_paths finds is a reading, and exact facts alone cap a score; name it in `evidence`"},
		{"required figure that is observed", strings.Replace(probe(`{id: p, type: git, expect: {commit_count: {min: 4}, largest_add_share: {max: 0.6}}}`), "evidence", "required", 1), "r.yaml:7:16: the probe `p` cannot be required: the figure `largest_add_share` is a reading, and exact facts alone cap a score; name it in `evidence`"},
		{"required names", strings.Replace(probe(`{id: p, type: file, basis: observed, any: [a], expect: {count: {min: 1}}}`), "evidence", "required", 1), "r.yaml:7:16: the probe `p` cannot be required: it says `basis: observed`, and exact facts alone cap a score; name it in `evidence`"},
		{"overlap in another language", probe(`{id: p, type: overlap, of: {ast_strings: {lang: go, names: x}}}`), "r.yaml:3:53: `probes[0].of.ast_strings.lang` cannot be `go`: write python"},
		{"shorthand in Rust", probe(`{id: p, type: ast, lang: rust, call: panic}`), "r.yaml:3:30: in Rust only a query finds something: write `query: …` in place of `call`, `class_base` and `imports`"},
		{"exact reading", probe(`{id: p, type: overlap, basis: exact, of: {ast_strings: {lang: python, names: x}}}`), "r.yaml:3:35: which texts `names` chooses is a reading and not a fact: write `basis: observed`, or leave it out"},
		{"cap on observed findings", strings.Replace(dimension("    caps: [{when: security.any > 0, max: 3}]\n"), "type: file", "type: file, severity: high, basis: observed", 1), "r.yaml:12:19: the cap asks for security findings, and those of the dimension `d` are observed: observations cap nothing; take the cap out, or name a probe that is exact and has `severity`"},
		{"gate on observed findings", strings.Replace(complete, "type: file", "type: file, severity: high, basis: observed", 1) + "synthesis: {gate: {fail_on: [security.any]}}\n", "r.yaml:12:30: the gate asks for security, and the probes that could count there are observed: only exact facts fail a gate; add a probe that is exact, or take the condition out"},
		{"gate on observations", strings.Replace(complete, "type: file", "type: file, basis: observed", 1) + "synthesis: {gate: {fail_on: [facts.false]}}\n", "r.yaml:12:30: the gate asks for facts, and the probes that could count there are observed: only exact facts fail a gate; add a probe that is exact, or take the condition out"},
		{"gate that nothing can fail", complete + "synthesis: {gate: {fail_on: [security.any]}}\n", "r.yaml:12:30: no probe finds what `security` counts, so this asks for nothing (warning)"},
		{"cap on observations", strings.Replace(dimension("    caps: [{when: facts.false > 0, max: 3}]\n"), "type: file", "type: file, basis: observed", 1), "r.yaml:12:19: the cap asks for facts, and no probe of the dimension `d` finds any: observations cap nothing; take the cap out, or name a probe that is exact and has `expect`"},
		{"basis", probe(`{id: p, type: git, basis: sure}`), "r.yaml:3:31: `probes[0].basis` cannot be `sure`: write exact or observed"},
		{"opinion only", strings.Replace(complete, "[p]", "[]", 1), "r.yaml:3:10: no dimension refers to the probe `p`: name it in `evidence` or `required`, or take it out (warning)\nr.yaml:5:9: the dimension `d` names no probes: judges see no facts for it, and its score is opinion only (warning)"},
		{"weight", dimension("    weight: 0\n"), "r.yaml:12:13: `weight` is more than 0: take the dimension out where it counts for nothing"},
		{"target", dimension("    target_artifact: moon\n"), "r.yaml:12:22: `dimensions[0].target_artifact` cannot be `moon`: write repo, doc, diagram, manual, all, github_repo, pdf_report or pdf_images"},
		{"level", strings.Replace(complete, "5: good", "5: good, 6: better", 1), "r.yaml:11:34: a level is a score from 1 to 5, not 6"},
		{"levels left out", strings.Replace(complete, "{1: bad, 5: good}", "{3: middling}", 1), "r.yaml:5:9: the dimension `d` leaves judges without levels 1, levels 5: each of them will think of something else (warning)"},
		{"cap", dimension("    caps: [{when: security.hihg > 0, max: 3}]\n"), "r.yaml:12:19: the condition `security.hihg > 0` does not know `security.hihg`; there are security.low, security.medium, security.high, security.critical or security.any"},
		{"cap without max", dimension("    caps: [{when: security.high > 0}]\n"), "r.yaml:12:12: the cap has no `max`: write the highest score, from 1 to 5"},
		{"cap of 6", dimension("    caps: [{when: security.high > 0, max: 6}]\n"), "r.yaml:12:43: a score is from 1 to 5 here, not 6"},
		{"cap on a verdict", dimension("    caps: [{when: \"security.any > 0 or verdict.fail > 0\", max: 3}]\n"), "r.yaml:12:40: the condition `security.any > 0 or verdict.fail > 0` does not know `verdict`; figures here begin with security, required or facts"},
		{"cap that calls", dimension("    caps: [{when: \"len(facts) > 0\", max: 3}]\n"), "r.yaml:12:19: the condition `len(facts) > 0` can hold figures, numbers, comparisons, sums, `and`, `or` and `not`, and nothing else"},
		{"cap that does not parse", dimension("    caps: [{when: \"security.high >\", max: 3}]\n"), "r.yaml:12:34: the condition `security.high >` cannot be read: unexpected token EOF"},
		{"cap that lets high findings through", dimension("    caps: [{when: security.critical > 0, max: 2}]\n"), "r.yaml:12:11: one high security finding caps nothing here: write `security.high > 0`, which holds for critical ones too, or `security.any > 0` (warning)"},
		{"cap on two findings", dimension("    caps: [{when: security.any > 1, max: 2}, {when: security.critical > 0, max: 1}]\n"), "r.yaml:12:11: one high security finding caps nothing here: write `security.high > 0`, which holds for critical ones too, or `security.any > 0` (warning)"},
		{"cap on a group", dimension("    caps: [{when: security, max: 3}]\n"), "r.yaml:12:19: the condition `security` names no figure: write security.low, security.medium, security.high, security.critical or security.any"},
		{"cap that asks for nothing", dimension("    caps: [{when: required.false > 0, max: 3}]\n"), "r.yaml:12:19: the dimension `d` has no `required` probes, so this asks for nothing (warning)"},
		{"judge", dimension("    judge_weights: {jury: 2}\n"), "r.yaml:12:27: there is no judge `jury`; the judges are prosecutor, defense and tech_lead"},
		{"weight of a judge", dimension("    judge_weights: {defense: -1}\n"), "r.yaml:12:30: the weight of a judge is between 0 and 100, not -1"},
		{"no judge counts", dimension("    judge_weights: {defense: 0, prosecutor: 0, techlead: 0}\n"), "r.yaml:12:20: no judge has any weight: give one more than 0"},
		{"applies_if", dimension("    applies_if: {file_any: [\"a[\"]}\n"), "r.yaml:12:29: the pattern `a[` is wrong at byte 2: the [ is never closed; write ], or \\[ for a bracket"},

		{"partial above pass", complete + "synthesis: {pass: 3, partial: 4}\n", "r.yaml:12:31: `partial` is 4, more than `pass`, which is 3: nothing could pass in part"},
		{"opinions of four judges", complete + "synthesis: {min_opinions: 4}\n", "r.yaml:12:27: `synthesis.min_opinions` must be between 1 and 3, not 4: write `min_opinions: 2`"},
		{"gate on nothing", complete + "synthesis: {gate: {each: {e: 3}}}\n", "r.yaml:12:30: there is no dimension `e`; there are d"},
		{"gate on a requirement", complete + "synthesis: {gate: {fail_on: [required.false]}}\n", "r.yaml:12:30: the condition `required.false` does not know `required`; figures here begin with security, facts or verdict"},
		{"waiver without a reason", complete + "waivers: [{dimension: d}]\n", "r.yaml:12:11: the waiver has no reason: write `reason: …`, which stands in the report"},
		{"waiver of nothing", complete + "waivers: [{reason: because}]\n", "r.yaml:12:11: a waiver names either a `dimension` or a `probe`"},
		{"waiver of an unknown probe", complete + "waivers: [{probe: x, reason: because}]\n", "r.yaml:12:19: there is no probe `x`: write it below `probes`"},
		{"waiver until never", complete + "waivers: [{probe: p, reason: because, until: never}]\n", "r.yaml:12:46: `until` is a day, as 2026-12-31, not `never`"},
		{"waiver of a part of a dimension", complete + "waivers: [{dimension: d, path: a, reason: because}]\n", "r.yaml:12:32: `path` needs `probe`: a dimension is waived as a whole"},
		{"unused var", "vars: {src: [\"**\"]}\n" + complete, "r.yaml:1:13: nothing uses `$src` (warning)"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r, problems, err := rubric.Parse("r.yaml", []byte(tc.text))
			require.Equal(t, tc.want, lines(problems))
			if strings.HasSuffix(tc.want, "(warning)") && !strings.Contains(strings.ReplaceAll(tc.want, "(warning)\n", ""), "\n") {
				require.NoError(t, err)
				require.NotNil(t, r)
				require.Equal(t, problems, r.Lint(nil))
				return
			}
			require.Nil(t, r)
			var invalid *rubric.InvalidError
			require.ErrorAs(t, err, &invalid)
			require.Equal(t, "r.yaml", invalid.Name)
			require.Contains(t, err.Error(), "rubric: r.yaml cannot be used\n")
			require.NotContains(t, err.Error(), "(warning)")
		})
	}
}

// TestLint asks somebody else about each probe, and puts the answers where the
// probes stand.
func TestLint(t *testing.T) {
	t.Parallel()
	r, _, err := rubric.Parse("r.yaml", []byte("vars: {src: [\"**\"]}\n"+probe("{id: q, type: git}\n  - {id: p, type: git}")))
	require.NoError(t, err)
	check := func(p *rubric.Probe) error { return fmt.Errorf("no %s\x1b[0m today", p.Type) }
	require.Equal(t, strings.Join([]string{
		"r.yaml:1:13: nothing uses `$src` (warning)",
		"r.yaml:4:5: probe `q`: no git [0m today",
		"r.yaml:4:10: no dimension refers to the probe `q`: name it in `evidence` or `required`, or take it out (warning)",
		"r.yaml:5:5: probe `p`: no git [0m today",
	}, "\n"), lines(r.Lint(check)))
	require.Len(t, r.Lint(nil), 2, "what was asked once is not kept")
}

func TestCompletion(t *testing.T) {
	t.Parallel()
	r, problems, err := rubric.Parse("r.yaml", []byte(`
rubric_metadata: {rubric_name: Test, version: 4.2.0}
vars: {src: ["**/*.go", "**/*.py"], skip: ["vendor/**"]}
probes:
  - {id: a, type: text, regex: x, files: {include: [$src, "b.txt"], exclude: [$skip]}}
  - {id: b, type: git, expect: {authors: {min: 2}}}
  - {id: c, type: manifest, expect: {lockfile: true, count: {min: 1}}}
  - {id: g, type: graph, lang: python}
dimensions:
  - &d
    id: one
    target_artifact: pdf_report
    evidence: [a]
    required: [b]
    forensic_instruction: Look.
    success_pattern: Good.
    failure_pattern: Bad.
    levels: {1: bad, 5: good}
    judge_weights: {techlead: 2}
    caps: [{when: security.high, max: 1}]
  - {<<: *d, id: two, required: [], evidence: [c, g], judge_weights: {}, caps: [], applies_if: {file_any: [$src]}}
synthesis: {weights: {defense: 1}}
`))
	require.NoError(t, err)
	require.Empty(t, problems)
	require.Equal(t, rubric.Files{Include: []string{"**/*.go", "**/*.py", "b.txt"}, Exclude: []string{"vendor/**"}}, r.Probes[0].Files)
	require.Equal(t, slices.DeleteFunc(rubric.Figures(rubric.TypeGit), func(name string) bool { return name == "idle_days" }), r.Probes[1].Metrics, "what changes each day is asked for")
	yes := true
	require.Equal(t, rubric.Bound{Is: &yes}, r.Probes[2].Expect["lockfile"])
	require.Equal(t, "add_conditional_edges", r.Probes[3].CondCall)

	one, two := &r.Dimensions[0], &r.Dimensions[1]
	require.Equal(t, "one", one.Name)
	require.Equal(t, "doc", one.TargetArtifact)
	require.Equal(t, []string{"a", "b"}, one.Evidence, "judges see what is required")
	require.Equal(t, []rubric.Cap{{When: "security.high", Max: 1, Rule: "cap"}, {When: "required.false > 0", Max: 2, Rule: "fact_supremacy"}}, one.Caps)
	require.Equal(t, []rubric.Cap{{When: "security.any > 0", Max: 3, Rule: "security_override"}}, two.Caps)
	require.Equal(t, []string{"**/*.go", "**/*.py"}, two.AppliesIf.FileAny)
	require.Equal(t, map[audit.Judge]float64{audit.Prosecutor: 1.2, audit.Defense: 1, audit.TechLead: 2}, one.JudgeWeights)
	require.Equal(t, map[audit.Judge]float64{audit.Prosecutor: 1.2, audit.Defense: 1, audit.TechLead: 1.5}, two.JudgeWeights)
}

func TestWeight(t *testing.T) {
	t.Parallel()
	weights := func(r *rubric.Rubric) (w [3]float64) {
		for i, j := range audit.Judges() {
			w[i] = r.Weight(&r.Dimensions[0], j)
		}
		return w
	}
	for text, want := range map[string][3]float64{
		complete:                             {1, 1, 1},
		dimension("    judge_weights: {}\n"): {1.2, 0.9, 1.5},
		dimension("    judge_weights: {tech_lead: 3}\n"):                                           {1.2, 0.9, 3},
		complete + "synthesis: {weights: {}}\n":                                                    {1.2, 0.9, 1.5},
		complete + "synthesis: {weights: {prosecutor: 2}}\n":                                       {2, 0.9, 1.5},
		dimension("    judge_weights: {defense: 5}\n") + "synthesis: {weights: {prosecutor: 2}}\n": {2, 5, 1.5},
	} {
		r, problems, err := rubric.Parse("r.yaml", []byte(text))
		require.NoError(t, err, problems)
		require.Equal(t, want, weights(r), text)
	}
}

// TestJSON reads the same rubric from JSON, whose keys are texts.
func TestJSON(t *testing.T) {
	t.Parallel()
	r, problems, err := rubric.Parse("r.json", []byte(`{
		"rubric_metadata": {"rubric_name": "Test", "version": "4.0.0"},
		"probes": [{"id": "p", "type": "text", "regex": "\\bx\/y", "expect": {"count": {"max": 0}}}],
		"dimensions": [{"id": "d", "evidence": ["p"], "forensic_instruction": "a", "success_pattern": "b", "failure_pattern": "c", "levels": {"1": "bad", "5": "good"}}]
	}`))
	require.NoError(t, err)
	require.Empty(t, problems)
	require.Equal(t, `\bx/y`, r.Probes[0].Regex)
	require.Equal(t, "good", r.Dimensions[0].Levels[5])

	_, problems, err = rubric.Parse("r.yaml", []byte(`{"rubric_metadata": {"rubric_name": "a", "rubric_name": "b", "version": "4"}, "dimensions": [{"id": "d"}]}`))
	require.Error(t, err)
	require.Contains(t, lines(problems), "r.yaml:1:42: duplicate key `rubric_metadata.rubric_name`; it stands in line 1 already, keep one of them")
}

func TestLoad(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "r.yaml")
	require.NoError(t, os.WriteFile(path, []byte(complete), 0o600))
	r, _, err := rubric.Load(path)
	require.NoError(t, err)
	require.Equal(t, path, r.Source)

	_, _, err = rubric.Load(filepath.Join(dir, "none.yaml"))
	require.ErrorIs(t, err, os.ErrNotExist)

	require.NoError(t, os.WriteFile(path, []byte(complete+strings.Repeat("# filling\n", 200_000)), 0o600))
	_, problems, err := rubric.Load(path)
	require.Error(t, err)
	require.Equal(t, "r.yaml:1: the file is larger than 1024 KB; nothing of it is read", lines(problems))
}

// TestBounds gives rubrics that are built to take long.
func TestBounds(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"probes":   "probes: [" + strings.Repeat("{}, ", 5000) + "]\n" + complete,
		"evidence": strings.Replace(complete, "[p]", "["+strings.Repeat("p, ", 5000)+"]", 1),
		"vars":     "vars: {a: [" + strings.Repeat("x, ", 5000) + "]}\n" + complete,
		"aliases":  "a: &a [" + strings.Repeat("x, ", 500) + "]\nb: &b [" + strings.Repeat("*a, ", 500) + "]\n" + complete,
		"regex":    probe(`{id: p, type: text, regex: "` + strings.Repeat("(a{1000}){1000}", 20) + `"}`),
		"pattern":  probe(`{id: p, type: file, any: ["` + strings.Repeat("{a,", 2000) + `"]}`),
		"cap":      dimension("    caps: [{when: \"" + strings.Repeat("(", 5000) + "\", max: 3}]\n"),
		"depth":    strings.Repeat("[", 5000),
	} {
		_, problems, err := rubric.Parse("r.yaml", []byte(text))
		require.Error(t, err, name)
		require.Less(t, len(problems), 300, name)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(complete))
	f.Add([]byte(extending("drop: {probes: [history], dimensions: [tests]}\nvars: {foreign: [\"a/**\"]}\nprobes: [{id: errors.panic, type: git}]\n")))
	f.Add([]byte(dimension("    caps: [{when: security.any > 0, max: 3}]\nwaivers: [{probe: p, reason: x, until: 2026-01-01}]\n")))
	for _, file := range []string{"testdata/v3.json", "testdata/v3_dialects.json", "testdata/explain.yaml"} {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		r, problems, err := rubric.Parse("r.yaml", text)
		if (r == nil) == (err == nil) {
			t.Fatalf("either a rubric or an error: %v, %v", r, err)
		}
		for _, p := range problems {
			if p.Text == "" || p.Line < 1 {
				t.Fatalf("a problem without text or place: %+v", p)
			}
		}
		if r == nil {
			return
		}
		r.Explain(new(strings.Builder))
		for i := range r.Dimensions {
			d := &r.Dimensions[i]
			if d.ID == "" || d.Weight <= 0 || len(d.Caps) == 0 && d.TargetArtifact != "manual" {
				t.Fatalf("an incomplete dimension: %+v", d)
			}
			for _, c := range d.Caps {
				c.Holds(rubric.Facts{})
			}
		}
		r.Synthesis.Gate.Failing(rubric.Facts{})
	})
}
