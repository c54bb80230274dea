package repo

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/audit/rubric"
)

const workflowProbes = `
  - {id: target, type: workflow, check: target}
  - {id: checkout, type: workflow, check: checkout, expect: {count: {max: 0}}}
  - {id: injection, type: workflow, check: injection, expect: {count: {max: 0}}}
  - {id: permissions, type: workflow, check: permissions, expect: {count: {max: 0}}}
  - {id: branches, type: workflow, check: branches, expect: {count: {max: 0}}}
  - {id: actions, type: workflow, check: actions, expect: {count: {max: 0}}}
`

// TestWorkflows: what each check finds, in the forms that YAML has for it.
func TestWorkflows(t *testing.T) {
	t.Parallel()
	const pinned = "actions/checkout@0123456789012345678901234567890123456789"
	for name, tc := range map[string]struct {
		text string
		want map[string]int
	}{
		"sound":                               {"on: [push]\npermissions: read-all\njobs:\n  a:\n    steps:\n      - uses: " + pinned + "\n      - uses: ./local\n      - run: echo ${{ github.sha }}\n", nil},
		"target by name, in a list, as a key": {"on: pull_request_target\npermissions: {}\n", map[string]int{"target": 1}},
		"target in a list":                    {"on:\n  - push\n  - pull_request_target\npermissions: {}\n", map[string]int{"target": 1}},
		"target as a key":                     {"on:\n  pull_request_target:\n    branches: [main]\npermissions: {}\n", map[string]int{"target": 1}},
		"checkout": {"on: pull_request_target\npermissions: {}\njobs: {a: {steps: [{uses: " + pinned + ", with: {ref: '${{ github.event.pull_request.head.sha }}'}}]}}\n",
			map[string]int{"target": 1, "checkout": 1}},
		"a checkout of the base": {"on: pull_request_target\npermissions: {}\njobs: {a: {steps: [{uses: " + pinned + "}]}}\n", map[string]int{"target": 1}},
		"injection": {"on: issues\npermissions: {}\njobs:\n  a:\n    steps:\n      - run: |\n          echo one\n          echo ${{ github.event.issue.title }} ${{ github.head_ref }}\n",
			map[string]int{"injection": 2}},
		"injection into a script": {"on: issues\npermissions: {}\njobs:\n  a:\n    steps:\n      - uses: actions/github-script@0123456789012345678901234567890123456789\n        with: {script: 'f(`${{ github.event.comment.body }}`)'}\n",
			map[string]int{"injection": 1}},
		"through the environment": {"on: issues\npermissions: {}\njobs:\n  a:\n    steps:\n      - env: {T: '${{ github.event.issue.title }}'}\n        run: echo \"$T\"\n", nil},
		"permissions":             {"on: push\njobs: {a: {}, b: {permissions: {contents: read}}, c: {permissions: write-all}}\n", map[string]int{"permissions": 2}},
		"a token that writes":     {"on: push\npermissions: {contents: write}\njobs: {a: {}}\n", map[string]int{"permissions": 1}},
		"a tag, and a workflow of others": {"on: push\npermissions: {}\njobs:\n  a: {uses: 'o/r/.github/workflows/x.yml@v1'}\n  b:\n    steps:\n      - uses: actions/checkout@v4\n      - uses: docker://alpine@sha256:00\n",
			map[string]int{"actions": 2}},
		"a branch is counted once": {"on: push\npermissions: {}\njobs:\n  a: {uses: 'o/r/.github/workflows/x.yml@main'}\n  b: {steps: [{uses: 'o/r@master'}, {uses: 'o/r@mainline'}]}\n",
			map[string]int{"branches": 2, "actions": 1}},
		"what is the repository's own, and images": {"on: push\npermissions: {}\njobs:\n  a: {uses: ./.github/workflows/x.yml}\n  b: {steps: [{uses: ./}, {uses: ./actions/a}, {uses: '../x'}, {uses: 'docker://alpine:3'}, {uses: 'docker://a/b@sha256:00'}, {uses: 'docker://ghcr.io/o/main'}]}\n",
			map[string]int{"actions": 2}},
		"what is used by its tag alone":            {"on: push\npermissions: {}\njobs: {a: {uses: 'slsa-framework/slsa-github-generator/.github/workflows/x.yml@v2.1.0'}}\n", nil},
		"what a token may write that harms nobody": {"on: issues\npermissions: {issues: write, id-token: write}\njobs: {a: {}}\n", nil},
		"a workflow that others call":              {"on: workflow_call\njobs: {a: {}}\n", nil},
		"one that runs by itself too":              {"on: [workflow_call, push]\njobs: {a: {}}\n", map[string]int{"permissions": 1}},
		"a token that writes, and nobody has it":   {"on: push\npermissions: {contents: write}\njobs: {a: {permissions: {}}}\n", nil},
		"no token for the job of others":           {"on: push\njobs: {a: {uses: ./x.yml}, b: {uses: ./x.yml, permissions: {contents: read}}}\n", map[string]int{"permissions": 1}},
		"what is asked of a text is no injection":  {"on: issues\npermissions: {}\njobs: {a: {steps: [{run: \"echo ${{ contains(github.event.issue.title, 'x') && github.head_ref != 'main' }}\"}]}}\n", nil},
		"but the text itself is": {"on: issues\npermissions: {}\njobs: {a: {steps: [{run: \"echo ${{ contains(github.event.issue.title, 'x') && github.event.issue.title || github.head_ref == 'a' }}\"}]}}\n",
			map[string]int{"injection": 1}},
		"checkout behind another workflow": {"on: workflow_run\npermissions: {}\njobs: {a: {steps: [{uses: " + pinned + ", with: {ref: '${{ github.event.workflow_run.head_sha }}'}}]}}\n",
			map[string]int{"checkout": 1}},
		"checkout behind a push": {"on: workflow_run\npermissions: {}\njobs: {a: {if: \"github.event.workflow_run.event == 'push'\", steps: [{uses: " + pinned + ", with: {ref: '${{ github.event.workflow_run.head_sha }}'}}]}}\n", nil},
		"checkout by anchors and merge keys": {"on: &e [pull_request_target]\npermissions: {}\nx: &w {with: {ref: '${{ github.head_ref }}'}}\njobs: {a: {steps: [{<<: *w, uses: " + pinned + "}]}}\n",
			map[string]int{"target": 1, "checkout": 1}},
		"a checkout by another spelling": {"on: pull_request_target\npermissions: {}\njobs: {a: {steps: [{uses: Actions/Checkout@0123456789012345678901234567890123456789, with: {ref: \"${{ github.event['pull_request'].head.sha }}\"}}]}}\n",
			map[string]int{"target": 1, "checkout": 1}},
		"a checkout of another repository": {"on: pull_request_target\npermissions: {}\njobs: {a: {steps: [{uses: " + pinned + ", with: {ref: main, repository: '${{ github.event.pull_request.head.repo.full_name }}'}}]}}\n",
			map[string]int{"target": 1, "checkout": 1}},
		"a checkout by a variable": {"on: pull_request_target\npermissions: {}\nenv: {SHA: '${{ github.event.pull_request.head.sha }}'}\njobs: {a: {steps: [{uses: " + pinned + ", with: {ref: '${{ env.SHA }}'}}]}}\n",
			map[string]int{"target": 1, "checkout": 1}},
		"injection in every spelling": {"on: issues\npermissions: {}\nenv: {A: '${{ github.event.issue.title }}', b: x}\njobs:\n  a:\n    env: {B: '${{ github.head_ref }}'}\n    steps:\n      - env: {C: '${{ github.event.comment.body }}'}\n        run: |\n" +
			"          echo ${{ github.event.issue['title'] }} ${{ GITHUB.Event . ISSUE.Title }} ${{ github['event']['comment']['body'] }}\n" +
			"          echo ${{ format('{0}}}', github.event.comment.body) }} ${{ toJSON(github.event.issue) }} ${{ toJson( github.event ) }} ${{ toJSON(github) }}\n" +
			"          echo ${{ github.event.commits[0].message }} ${{ join(github.event.commits.*.author.name) }}\n" +
			"          echo ${{ env.A }} ${{ env['B'] }} ${{ env.c }}\n", map[string]int{"injection": 12}},
		"what only looks like it": {"on: issues\npermissions: {}\nenv: {A: '${{ github.sha }}', B: '${{ github.head_ref }}'}\njobs: {a: {steps: [{run: \"echo ${{ env.A }} ${{ env.C }} ${{ format('github.head_ref') }} ${{ env.B == 'main' }} ${{ toJSON(github.event.issue.number) }} $B github.head_ref\"}]}}\n", nil},
		"anchors":                 {"on: push\npermissions: {}\njobs:\n  a:\n    steps: &s\n      - uses: actions/checkout@v4\n  b:\n    steps: *s\n", map[string]int{"actions": 1}},
		"merge keys": {"x: &base\n  permissions: {contents: read}\n  steps:\n    - uses: actions/checkout@v4\non: push\njobs:\n  a:\n    <<: *base\n  b:\n    <<: [*base, {runs-on: x}]\n    permissions: write-all\n",
			map[string]int{"actions": 1, "permissions": 1}},
		"an anchor in itself": {"on: push\npermissions: {}\njobs: &j\n  a: {steps: [{uses: a/b@v1}]}\n  b: *j\n", map[string]int{"actions": 1}},
		"no mapping":          {"- a\n- b\n", nil},
		"empty":               {"", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newOrigin(t)
			o.write(".github/workflows/ci.yml", tc.text)
			o.commit("first")
			all := Investigate(t.Context(), o.clone(nil), parse(t, workflowProbes), nil)
			got := map[string]int{}
			for _, check := range []string{"target", "checkout", "injection", "permissions", "branches", "actions"} {
				if n := whole(t, all, check).Values["count"].(int); n > 0 {
					got[check] = n
				}
			}
			if tc.want == nil {
				tc.want = map[string]int{}
			}
			require.Equal(t, tc.want, got)
		})
	}
}

// TestWorkflowPlaces: a finding is at its place, in the middle of a script too.
func TestWorkflowPlaces(t *testing.T) {
	t.Parallel()
	o := newOrigin(t)
	o.write(".github/workflows/ci.yml", "on: issues\njobs:\n  a:\n    steps:\n      - run: |\n          echo one\n          echo ${{ github.event.issue.title }}\n")
	o.commit("first")
	all := Investigate(t.Context(), o.clone(nil), parse(t, workflowProbes), nil)
	require.Equal(t, ".github/workflows/ci.yml:7", parts(all, "injection")[0].Location.String())
	require.Equal(t, "echo ${{ github.event.issue.title }}", parts(all, "injection")[0].Snippet)
	require.Equal(t, ".github/workflows/ci.yml:3", parts(all, "permissions")[0].Location.String())
}

// TestHostileWorkflows: a megabyte is read, aliases of aliases are not multiplied, and
// text that is not YAML is an error, not a fact.
func TestHostileWorkflows(t *testing.T) {
	t.Parallel()
	o := newOrigin(t)
	large := "on: push\npermissions: {}\njobs:\n  a:\n    steps:\n" + strings.Repeat("      - uses: actions/checkout@v4\n", 30_000)
	require.Less(t, len(large), 1<<20)
	o.write(".github/workflows/large.yml", large)
	bomb := "a0: &a0 [{uses: x/y@v1}]\n"
	for i := 1; i < 30; i++ {
		before := "*a" + string(rune('0'+(i-1)/10)) + string(rune('0'+(i-1)%10))
		if i == 1 {
			before = "*a0"
		}
		bomb += "a" + string(rune('0'+i/10)) + string(rune('0'+i%10)) + ": &a" + string(rune('0'+i/10)) + string(rune('0'+i%10)) + " {<<: [" + strings.Repeat(before+", ", 9) + before + "]}\n"
	}
	o.write(".github/workflows/bomb.yml", bomb+"jobs: {a: {<<: *a29}}\n")
	o.commit("first")
	all := Investigate(t.Context(), o.clone(nil), parse(t, workflowProbes), nil)
	require.Equal(t, 30_000, whole(t, all, "actions").Values["count"])

	o.write(".github/workflows/broken.yml", "on: [push\n")
	o.write(".github/workflows/huge.yml", large+large)
	o.commit("second")
	all = Investigate(t.Context(), o.clone(nil), parse(t, workflowProbes), nil)
	require.Equal(t, "error", whole(t, all, "checkout").Outcome.String())
	require.Contains(t, whole(t, all, "checkout").Summary, "not examined: 2 files, the first of them .github/workflows/broken.yml (it is not understood")
}

// TestOneOf: one of several probes is enough, wherever it is.
func TestOneOf(t *testing.T) {
	t.Parallel()
	o := newOrigin(t)
	o.write("a.py", "import flask\n")
	o.commit("first")
	rb := parse(t, `
  - {id: web, type: one_of, probes: [fastapi, flask]}
  - {id: fastapi, type: ast, lang: python, imports: fastapi}
  - {id: flask, type: ast, lang: python, imports: flask, expect: {count: {min: 1}}}
  - {id: none, type: one_of, probes: [fastapi]}
`)
	all := Investigate(t.Context(), o.clone(nil), rb, nil)
	require.Equal(t, "true", whole(t, all, "web").Outcome.String())
	require.Equal(t, "1 of 2 hold: flask", whole(t, all, "web").Summary)
	require.Equal(t, "false", whole(t, all, "none").Outcome.String())
	require.NoError(t, Check(&rubric.Probe{Type: rubric.TypeWorkflow, Check: "target"}))
	require.Error(t, Check(&rubric.Probe{Type: rubric.TypeWorkflow, Check: "x"}))
}
