package playground

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/packs"
	"github.com/agentsentinel/sentinel/rule"
)

func begin(t *testing.T) *Playground {
	t.Helper()
	compiled, err := Compile()
	require.NoError(t, err)
	p, err := New(compiled)
	require.NoError(t, err)
	return p
}

func ask(t *testing.T, p *Playground, q Request) Answer {
	t.Helper()
	request, err := json.Marshal(q)
	require.NoError(t, err)
	var a Answer
	require.NoError(t, json.Unmarshal(p.Answer(t.Context(), request), &a))
	return a
}

// ids are the rules of an answer with an outcome.
func ids(a Answer, outcome string) string {
	var all []string
	for _, f := range a.Rules {
		if f.Outcome == outcome {
			all = append(all, f.ID)
		}
	}
	return strings.Join(all, " ")
}

const push = `{"hook_event_name":"PreToolUse","session_id":"s","cwd":"/home/me/p","tool_name":"Bash","tool_input":{"command":"git push --force origin main"}}`

func TestVerdicts(t *testing.T) {
	t.Parallel()
	p := begin(t)
	for name, tt := range map[string]struct {
		q                    Request
		verdict, by, outcome string
		says                 string
	}{
		"a nested forced push": {Request{Kind: "command", Command: "bash -c 'git push --force origin main'"}, "block", "force-push", "violation", "overwrite or delete commits"},
		"a harmless command":   {Request{Kind: "command", Command: "git status"}, "allow", "", "violation", ""},
		"a payload":            {Request{Kind: "payload", Payload: push}, "block", "force-push", "violation", "overwrite"},
		"a secret file":        {Request{Kind: "read", Path: ".env"}, "ask", "read-secret-file", "violation", ""},
		"a folder of work":     {Request{Kind: "command", Command: "rm -rf src"}, "unknown", "recursive-delete", "unavailable", ""},
		"a folder of a build":  {Request{Kind: "command", Command: "rm -rf node_modules"}, "allow", "recursive-delete", "pass", ""},
	} {
		tt.q.Packs = true
		a := ask(t, p, tt.q)
		require.Empty(t, a.Error, name)
		require.Equal(t, tt.verdict, a.Verdict, name)
		require.Contains(t, ids(a, tt.outcome), tt.by, name)
		require.Contains(t, a.Message, tt.says, name)
		require.NotEmpty(t, a.Actions, name)
		require.Greater(t, a.Idle, 20, name)
	}
}

// What is shown of a call says why it was stopped.
func TestWhy(t *testing.T) {
	t.Parallel()
	a := ask(t, begin(t), Request{Kind: "command", Command: "bash -c 'git push --force origin main'", Packs: true})
	var within, effects []string
	for _, c := range a.Actions[0].Commands {
		within = append(within, c.Text+" in "+c.Within)
	}
	require.Contains(t, within, "git push --force origin main in bash -c")
	effects = a.Actions[0].Effects
	require.Contains(t, strings.Join(effects, "\n"), "lose main")
	f := a.Rules[0]
	require.Equal(t, []string{"force-push", "block", "effect:lose", "true"}, []string{f.ID, f.Severity, f.Pattern, f.When[0].Value})
	require.Contains(t, f.When[0].Text, "any(loses")
	require.NotEmpty(t, f.Reads)
}

func TestProject(t *testing.T) {
	t.Parallel()
	p := begin(t)
	for when, on := range map[string]string{"exists": "exists", `tracked or path == "a"`: "tracked", `operation == "create"`: "operation"} {
		a := ask(t, p, Request{Kind: "write", Path: "a.txt", Rule: "trigger: file_write\nwhen: '" + when + "'\nmessage: m\n"})
		require.Equal(t, "unknown", a.Verdict, when)
		require.Contains(t, a.Rules[0].Reason, "Could not be judged here: it depends on the project: "+on)
	}
	a := ask(t, p, Request{Kind: "command", Command: "rm -rf src", Packs: true})
	for _, f := range a.Rules {
		if f.ID == "recursive-delete" {
			require.Contains(t, f.Reason, "In a project with nothing in it, it is a violation (ask)")
			require.Equal(t, []string{"no evidence that src may go"}, f.Evidence)
		}
	}
}

const console = `id: no-console
trigger: file_write
severity: warn
scope: ["src/**"]
when: content contains "console.log" and not (path endsWith ".test.ts")
message: Use the logger.
tests:
  - {write: src/a.ts, content: "console.log(1)", expect: violation}
  - {write: src/a.ts, content: "log(1)", expect: violation}
`

func TestEditedRule(t *testing.T) {
	t.Parallel()
	a := ask(t, begin(t), Request{Kind: "write", Path: "src/a.ts", Content: "console.log(2)", Rule: console})
	require.Equal(t, "warn", a.Verdict)
	require.Contains(t, a.Message, "Use the logger.")
	require.Empty(t, a.Faults)
	require.Equal(t, []Case{{"write: src/a.ts", "violation", "violation", "passed", a.Cases[0].Why}, {"write: src/a.ts", "violation", "pass", "failed", "its `when` is false"}}, a.Cases)
	values := a.Rules[0].When
	require.Len(t, values, 3, "the whole and its two parts")
	require.Equal(t, "true", values[1].Value)
}

func TestFaults(t *testing.T) {
	t.Parallel()
	p := begin(t)
	for src, want := range map[string]Fault{
		"trigger: bash\nwhen: contet == \"a\"\nmessage: m\n": {2, 7, "content", false},
		"trigger: bassh\n": {1, 10, "bassh", true},
		"trigger: bash\nwhen: 'true'\nmessage: m\nservrity: warn\n":         {4, 1, "severity", true},
		"trigger: bash\nwhen: [\n":                                          {0, 0, "YAML", false},
		"trigger: bash\nwhen: 'true'\nmessage: m\ntests: [{bahs: \"x\"}]\n": {4, 0, "expect", true},
	} {
		a := ask(t, p, Request{Kind: "command", Command: "x", Rule: src})
		at := slices.IndexFunc(a.Faults, func(f Fault) bool { return strings.Contains(f.Message, want.Message) })
		require.GreaterOrEqual(t, at, 0, "%s: %v", src, a.Faults)
		require.Equal(t, want.Warning, a.Faults[at].Warning, src)
		if want.Line > 0 {
			require.Equal(t, want.Line, a.Faults[at].Line, src)
		}
	}
}

// An edited rule takes the place of the recommended one with its id.
func TestRuleIsReplaced(t *testing.T) {
	t.Parallel()
	q := Request{Kind: "command", Command: "git push -f", Packs: true, Rule: "id: force-push\ntrigger: bash\nseverity: warn\nwhen: 'true'\nmessage: softer\n"}
	a := ask(t, begin(t), q)
	require.NotContains(t, a.Message, "overwrite or delete")
	require.True(t, slices.ContainsFunc(a.Rules, func(f Finding) bool { return f.ID == "force-push" && f.Severity == "warn" }))
}

func TestBadRequests(t *testing.T) {
	t.Parallel()
	p := begin(t)
	for request, want := range map[string]string{
		"":                                 "not JSON",
		`{"kind":"delete"}`:                `not "delete"`,
		`{"kind":"payload"}`:               "",
		`{"kind":"payload","payload":"]"}`: "",
		`{"kind":"payload","payload":"{\"hook_event_name\":\"Stop\",\"session_id\":\"s\",\"cwd\":\"/x\",\"transcript_path\":\"/x\"}"}`: "phase stop",
		strings.Repeat("x", maxRequest+1): "larger than",
	} {
		var a Answer
		require.NoError(t, json.Unmarshal(p.Answer(t.Context(), []byte(request)), &a))
		require.NotEmpty(t, a.Error, request[:min(len(request), 80)])
		require.Contains(t, a.Error, want)
		require.Empty(t, a.Verdict)
	}
	_, err := New([]byte("damaged"))
	require.ErrorContains(t, err, "another version")
}

// The compiled rules are those of the files, and the page can show each.
func TestCompile(t *testing.T) {
	t.Parallel()
	p := begin(t)
	files, err := packs.Files(packs.Recommended)
	require.NoError(t, err)
	require.Len(t, p.recommended, len(files))
	for i, f := range files {
		want := rule.Parse(f.Name, f.Data)
		want.Definition.Tests = nil
		require.Equal(t, &want.Definition, p.recommended[i].Definition())
	}
	data, err := Info()
	require.NoError(t, err)
	for _, name := range []string{`"force-push"`, `"hasFlag"`, `"subcommand"`, `"content"`, `"properties"`} {
		require.Contains(t, string(data), name)
	}
}
