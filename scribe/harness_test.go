package scribe_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/rule"
	"github.com/agentsentinel/sentinel/scribe"
	"github.com/agentsentinel/sentinel/sentineltest"
	"github.com/agentsentinel/sentinel/trigger"
)

// today is when everything in these tests happens.
var today = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

// A repo is a repository with Sentinel, and a scripted model.
type repo struct {
	t     *testing.T
	root  string
	model *sentineltest.Backend
	opts  *scribe.Options
}

func newRepo(t *testing.T, script ...sentineltest.Answer) *repo {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	r := &repo{t: t, root: root}
	dir := filepath.Join(root, ".claude", "sentinel")
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "rules"), 0o755))
	r.opts = &scribe.Options{
		Dir: dir, Root: root, Mapper: trigger.New(nil),
		Build: &rule.Options{Backend: "ollama", Backends: []string{"ollama", "builtin"}},
		Now:   func() time.Time { return today },
	}
	r.answers(script...)
	return r
}

// answers gives the model a new script.
func (r *repo) answers(script ...sentineltest.Answer) {
	r.model = sentineltest.NewBackend(script...)
	r.opts.Backend = r.model
}

func (r *repo) path(name string) string { return filepath.Join(r.root, filepath.FromSlash(name)) }

func (r *repo) write(name, text string) {
	r.t.Helper()
	require.NoError(r.t, os.MkdirAll(filepath.Dir(r.path(name)), 0o755))
	require.NoError(r.t, os.WriteFile(r.path(name), []byte(text), 0o600))
}

func (r *repo) read(name string) string {
	r.t.Helper()
	text, err := os.ReadFile(r.path(name))
	require.NoError(r.t, err)
	return string(text)
}

// rule adds a rule that applies.
func (r *repo) rule(name, text string) {
	r.t.Helper()
	r.write(".claude/sentinel/rules/"+name, text)
	rules, problems := rule.Build([]rule.File{rule.Parse(r.path(".claude/sentinel/rules/"+name), []byte(text))}, nil)
	require.Empty(r.t, problems)
	r.opts.Rules = append(r.opts.Rules, rules...)
}

// drafts are the names of the files in the folder of drafts.
func (r *repo) drafts() []string {
	r.t.Helper()
	entries, err := os.ReadDir(r.path(".claude/sentinel/drafts"))
	if os.IsNotExist(err) {
		return nil
	}
	require.NoError(r.t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func (r *repo) observations() []scribe.Observation {
	r.t.Helper()
	all, err := scribe.OpenStore(r.path(".sentinel/scribe")).Observations()
	require.NoError(r.t, err)
	return all
}

// only is the one observation there is.
func (r *repo) only() scribe.Observation {
	r.t.Helper()
	all := r.observations()
	require.Len(r.t, all, 1)
	return all[0]
}

// reflect reads a transcript of these rows.
func (r *repo) reflect(session string, rows ...string) (scribe.Result, error) {
	r.t.Helper()
	name := "transcript-" + session + ".jsonl"
	r.write(name, strings.Join(rows, "\n")+"\n")
	return scribe.Reflect(r.t.Context(), scribe.Session{ID: session, Agent: "claude", Transcript: r.path(name)}, r.opts)
}

// learned is a reflection that must not fail.
func (r *repo) learned(session string, rows ...string) scribe.Result {
	r.t.Helper()
	result, err := r.reflect(session, rows...)
	require.NoError(r.t, err)
	return result
}

// The following are rows of a transcript of Claude Code.

func row(kind string, message any) string {
	line, err := json.Marshal(map[string]any{"type": kind, "isSidechain": false, "sessionId": "s", "uuid": "u", "userType": "external", "message": message, "timestamp": "2026-05-04T10:00:00.000Z"})
	if err != nil {
		panic(err)
	}
	return string(line)
}

func person(text string) string {
	return row("user", map[string]any{"role": "user", "content": text})
}

func agent(text string) string {
	return row("assistant", map[string]any{"role": "assistant", "content": []any{map[string]any{"type": "text", "text": text}}})
}

func calls(id, tool string, input map[string]any) string {
	return row("assistant", map[string]any{"role": "assistant", "content": []any{map[string]any{"type": "tool_use", "id": id, "name": tool, "input": input}}})
}

func bash(id, command string) string { return calls(id, "Bash", map[string]any{"command": command}) }

func (r *repo) writes(id, path, content string) string {
	return calls(id, "Write", map[string]any{"file_path": r.path(path), "content": content})
}

func (r *repo) edits(id, path, old, text string) string {
	return calls(id, "Edit", map[string]any{"file_path": r.path(path), "old_string": old, "new_string": text})
}

func returns(id, text string, failed bool) string {
	return row("user", map[string]any{"role": "user", "content": []any{
		map[string]any{"type": "tool_result", "tool_use_id": id, "content": text, "is_error": failed},
	}})
}

// The following are answers of the model.

type convention struct {
	Statement   string  `json:"statement"`
	ScopeHint   string  `json:"scope_hint"`
	TriggerHint string  `json:"trigger_hint"`
	Confidence  float64 `json:"confidence"`
	Evidence    string  `json:"evidence"`
	Source      string  `json:"source"`
}

// The question shows whether it is extraction or synthesis.
const (
	extraction = `{"conventions":[`
	synthesis  = "rule as bare YAML"
)

func finds(list ...convention) sentineltest.Answer {
	if list == nil {
		list = []convention{}
	}
	text, err := json.Marshal(map[string]any{"conventions": list})
	if err != nil {
		panic(err)
	}
	return sentineltest.Answer{Prompt: extraction, Text: string(text)}
}

func writesRule(yaml string) sentineltest.Answer {
	return sentineltest.Answer{Prompt: synthesis, Text: yaml}
}

func covered(id, reason string) sentineltest.Answer {
	text, err := json.Marshal(map[string]any{"redundant": true, "rule_id": id, "reason": reason})
	if err != nil {
		panic(err)
	}
	return sentineltest.Answer{Prompt: synthesis, Text: string(text)}
}

func down(what string) sentineltest.Answer {
	return sentineltest.Answer{Prompt: what, Err: &sentinel.BackendError{Backend: "fake", Op: "complete", Err: sentinel.ErrUnavailable}}
}

const billingSaid = "Never modify the billing module directly; go through src/billing/api.ts."

func billing() convention {
	return convention{
		Statement: "Never modify the billing module directly; go through src/billing/api.ts", ScopeHint: "src/billing/**", TriggerHint: "file_write",
		Confidence: 0.9, Evidence: billingSaid, Source: "user_feedback",
	}
}

const billingRule = `id: no-direct-billing
trigger: file_write
severity: block
scope:
  - "src/billing/**"
exclude:
  - "src/billing/api.ts"
prompt: |
  The action must not change the billing module other than in its api.ts.
message: "Go through src/billing/api.ts."
`

// billingSession is one in which the agent hears the convention.
func (r *repo) billingSession() []string {
	return []string{
		person("Add a discount to invoices."),
		r.writes("t1", "src/billing/invoice.ts", "export const discount = 1\n"),
		returns("t1", "ok", false),
		person("No! " + billingSaid),
		r.writes("t2", "src/billing/api.ts", "export function discount() {}\n"),
		returns("t2", "ok", false),
		bash("t3", "npm test"),
		returns("t3", "ok", false),
		agent("Done."),
	}
}
