package replay_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/backend/builtin"
	"github.com/agentsentinel/sentinel/internal/replay"
	"github.com/agentsentinel/sentinel/rule"
	"github.com/agentsentinel/sentinel/trigger"
)

// root is where the sessions of these tests were held. It does not exist.
var root = filepath.Join(os.TempDir(), "replay-test-nowhere")

// log is a session of Claude Code that is being written.
type log struct {
	strings.Builder
	calls int
}

func (l *log) row(kind string, content any) {
	data, _ := json.Marshal(map[string]any{
		"type": kind, "message": map[string]any{"role": kind, "content": content}, "cwd": root, "sessionId": "s",
		"timestamp": "2026-05-04T10:00:01.000Z", "uuid": "u",
	})
	l.Write(append(data, '\n'))
}

func (l *log) human(text string) { l.row("user", text) }

// call is a call and what came of it.
func (l *log) call(tool string, args map[string]any, refused bool) {
	l.calls++
	id := fmt.Sprint("t", l.calls)
	l.row("assistant", []any{map[string]any{"type": "tool_use", "id": id, "name": tool, "input": args}})
	result := map[string]any{"type": "tool_result", "tool_use_id": id, "content": "fine"}
	if refused {
		result["content"], result["is_error"] = "The user doesn't want to proceed with this tool use.", true
	}
	l.row("user", []any{result})
}

func (l *log) bash(command string) { l.call("Bash", map[string]any{"command": command}, false) }

func (l *log) edit(path, old, new string) {
	l.call("Edit", map[string]any{"file_path": filepath.Join(root, path), "old_string": old, "new_string": new}, false)
}

func (l *log) file(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s.jsonl")
	require.NoError(t, os.WriteFile(path, []byte(l.String()), 0o600))
	return path
}

func rules(t testing.TB, texts ...string) []sentinel.Rule {
	t.Helper()
	var files []rule.File
	for i, text := range texts {
		files = append(files, rule.Parse(fmt.Sprintf("r%d.yaml", i), []byte(text)))
	}
	built, problems := rule.Build(files, nil)
	require.Empty(t, problems)
	return built.Engine()
}

func options(inForce, drafts []sentinel.Rule, backends map[string]sentinel.Backend) *replay.Options {
	all := map[string]sentinel.Backend{sentinel.Builtin: builtin.New()}
	for name, b := range backends {
		all[name] = b
	}
	engine := sentinel.Options{Backends: all, Default: sentinel.Builtin, FenceKey: func() []byte { return []byte("key") }}
	o := &replay.Options{
		Views: []replay.View{{Root: root, Mapper: trigger.New(nil)}},
		Sets:  []replay.Set{{Rules: inForce, Engine: engine}},
	}
	if drafts != nil {
		o.Sets = append(o.Sets, replay.Set{Rules: drafts, Engine: engine, Draft: true})
	}
	return o
}

func run(t testing.TB, o *replay.Options, paths ...string) replay.Report {
	t.Helper()
	r, err := replay.Run(t.Context(), paths, o)
	require.NoError(t, err)
	return r.Report()
}

func named(t testing.TB, r replay.Report, id string, draft bool) replay.Rule {
	t.Helper()
	for _, one := range r.Rules {
		if one.ID == id && one.Draft == draft {
			return one
		}
	}
	t.Fatalf("no rule %s", id)
	return replay.Rule{}
}

const (
	noPush    = "id: no-push\ntrigger: bash\nscope: ['git push*']\nbackend: builtin\nwhen: 'true'\nseverity: block\nmessage: no"
	noForce   = "id: no-push\ntrigger: bash\nscope: ['git push --force*']\nbackend: builtin\nwhen: 'true'\nseverity: block\nmessage: no"
	billing   = "id: billing\ntrigger: file_write\nscope: ['src/billing/**']\nbackend: builtin\nwhen: 'true'\nseverity: warn\nmessage: not here"
	never     = "id: never\ntrigger: mcp\nbackend: builtin\nwhen: 'true'"
	notice    = "id: notice\ntrigger: file_write\nseverity: info\nscope: ['**/*.sql']\nprompt: mind"
	after     = "id: after\ntrigger: file_write\nseverity: info\npost: true\nscope: ['**/*.sql']\nprompt: mind\nbackend: model"
	shadow    = "id: shadow\ntrigger: bash\nmode: shadow\nscope: ['rm *']\nbackend: builtin\nwhen: 'true'"
	deploying = "id: deploying\ntrigger: bash\nscope: ['deploy *']\nbackend: model\nprompt: 'Is it bad? {{command}}'\nseverity: ask"
)

func TestRulesInForce(t *testing.T) {
	t.Parallel()
	var l log
	l.human("go")
	l.bash("git push origin main")
	l.bash("ls")
	l.edit("src/billing/a.ts", "a", "b")
	l.edit("db/x.sql", "a", "b")
	l.bash("rm x")
	l.call("NoSuchTool", map[string]any{}, false)
	l.call("Bash", map[string]any{"command": 7}, false)
	l.human("thanks,\nall good")
	l.human("something else")
	r := run(t, options(rules(t, noPush, billing, never, notice, after, shadow), nil, nil), l.file(t))

	require.Equal(t, 1, r.Transcripts)
	require.Equal(t, map[string]int{"claude": 1}, r.Agents)
	require.Equal(t, 7, r.Calls)
	require.Equal(t, 1, r.Unknown)
	require.Equal(t, 1, r.Misunderstood)
	require.Equal(t, replay.Verdicts{Block: 1, Warn: 1, Allow: 5}, r.Before)
	require.Equal(t, r.Before, r.After)
	require.Len(t, r.Rules, 6, "every rule, with zeros too")
	require.Equal(t, replay.RuleCounts{}, named(t, r, "never", false).RuleCounts)
	require.Equal(t, replay.RuleCounts{Matched: 1, Violations: 1, Next: replay.NextCounts{WentOn: 1}}, named(t, r, "no-push", false).RuleCounts)
	require.Equal(t, 1, named(t, r, "notice", false).Advised)
	require.Equal(t, 1, named(t, r, "after", false).Advised)
	require.Equal(t, "shadow", named(t, r, "shadow", false).Mode)
	require.Equal(t, 1, named(t, r, "shadow", false).Violations)

	require.Len(t, r.Found, 3)
	push := r.Found[0]
	require.Equal(t, "git push origin main", push.Target)
	require.Equal(t, "block", push.Before)
	require.Equal(t, replay.WentOn, push.Next)
	require.Equal(t, "thanks, all good", push.Said)
	require.Equal(t, "allow", r.Found[2].Before, "a shadow rule has no part in it")
	require.True(t, r.Found[2].Findings[0].Shadow)
}

func TestDraftsAgainstRulesInForce(t *testing.T) {
	t.Parallel()
	var l log
	l.bash("git push origin main")
	l.bash("git push --force")
	l.edit("src/billing/a.ts", "a", "b")
	r := run(t, options(rules(t, noPush), rules(t, noForce, billing), nil), l.file(t))
	require.Equal(t, replay.Verdicts{Block: 2, Allow: 1}, r.Before)
	require.Equal(t, replay.Verdicts{Block: 1, Warn: 1, Allow: 1}, r.After)
	require.Equal(t, 1, r.New)
	require.Equal(t, 1, r.Gone)
	old, draft := named(t, r, "no-push", false), named(t, r, "no-push", true)
	require.True(t, old.Replaced)
	require.True(t, draft.Replaces)
	require.Equal(t, 1, old.Gone)
	require.Zero(t, draft.New)
	added := named(t, r, "billing", true)
	require.False(t, added.Replaces)
	require.Equal(t, 1, added.New)
}

// TestMilderDraft: what the replaced rule says has no part any more.
func TestMilderDraft(t *testing.T) {
	t.Parallel()
	var l log
	l.bash("git push")
	r := run(t, options(rules(t, noPush), rules(t, strings.Replace(noPush, "block", "warn", 1)), nil), l.file(t))
	require.Equal(t, replay.Verdicts{Block: 1}, r.Before)
	require.Equal(t, replay.Verdicts{Warn: 1}, r.After)
	require.Equal(t, 1, r.Gone)
	require.Equal(t, "block", r.Found[0].Before)
	require.Equal(t, "warn", r.Found[0].After)
}

func TestWhatHappenedNext(t *testing.T) {
	t.Parallel()
	hit := func(l *log) { l.edit("src/billing/a.ts", "old", "new") }
	for _, test := range []struct {
		name string
		then func(l *log)
		want replay.Next
	}{
		{"nothing", func(*log) {}, replay.Ended},
		{"the agent only speaks", func(l *log) { l.row("assistant", []any{map[string]any{"type": "text", "text": "done"}}) }, replay.Ended},
		{"the person goes on", func(l *log) { l.human("next") }, replay.WentOn},
		{"the agent goes on", func(l *log) { l.bash("ls") }, replay.WentOn},
		{"the same again", func(l *log) { l.bash("ls"); hit(l) }, replay.Repeated},
		{"git checkout", func(l *log) { l.bash("git checkout -- src/billing/a.ts") }, replay.Undone},
		{"git restore of all", func(l *log) { l.bash("git restore .") }, replay.Undone},
		{"git restore of another file", func(l *log) { l.bash("git restore src/other.ts") }, replay.WentOn},
		{"git reset --hard", func(l *log) { l.bash("git reset --hard") }, replay.Undone},
		{"git reset of the index", func(l *log) { l.bash("git reset") }, replay.WentOn},
		{"git stash", func(l *log) { l.bash("git stash") }, replay.Undone},
		{"git stash pop", func(l *log) { l.bash("git stash pop") }, replay.WentOn},
		{"removed", func(l *log) { l.bash("rm src/billing/a.ts") }, replay.Undone},
		{"its folder removed", func(l *log) { l.bash("rm -r src") }, replay.Undone},
		{"a folder of a like name removed", func(l *log) { l.bash("rm -r src/bill") }, replay.WentOn},
		{"the inverse edit", func(l *log) { l.edit("src/billing/a.ts", "new", "old") }, replay.Undone},
		{"another edit", func(l *log) { l.edit("src/billing/a.ts", "new", "newer") }, replay.WentOn},
		{"the inverse edit of another file", func(l *log) { l.edit("src/billing/b.ts", "new", "old") }, replay.WentOn},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var l log
			hit(&l)
			test.then(&l)
			r := run(t, options(rules(t, billing), nil, nil), l.file(t))
			require.Equal(t, test.want, r.Found[0].Next)
		})
	}
}

func TestRefusedAndTakenBack(t *testing.T) {
	t.Parallel()
	var l log
	l.call("Bash", map[string]any{"command": "git push"}, true)
	l.bash("git push")
	commit := "id: commits\ntrigger: bash\nscope: ['git commit*']\nbackend: builtin\nwhen: 'true'"
	l.bash("git commit -m x")
	l.bash("git revert HEAD")
	r := run(t, options(rules(t, noPush, commit), nil, nil), l.file(t))
	require.Equal(t, replay.NextCounts{Refused: 1, WentOn: 1}, named(t, r, "no-push", false).Next, "refused says more than repeated")
	require.Equal(t, replay.NextCounts{Undone: 1}, named(t, r, "commits", false).Next)
}

// model is a backend that answers, and counts.
type model struct {
	asked  atomic.Int64
	answer func(req sentinel.Request) (string, error)
}

func (m *model) Complete(_ context.Context, req sentinel.Request) (sentinel.Response, error) {
	m.asked.Add(1)
	text, err := m.answer(req)
	return sentinel.Response{Text: text, Backend: "model", Model: "m"}, err
}

// keeper is a model with answers that were kept.
type keeper struct {
	model
	kept func(req sentinel.Request) bool
}

func (k *keeper) Peek(req sentinel.Request) (sentinel.Response, bool) {
	if !k.kept(req) {
		return sentinel.Response{}, false
	}
	return sentinel.Response{Text: `{"violation":true,"confidence":0.9,"reason":"kept"}`, Cached: true, Backend: "model"}, true
}

func deploy(req sentinel.Request) (string, error) {
	if strings.Contains(req.Prompt, "production") {
		return `{"violation":true,"confidence":0.9,"reason":"production"}`, nil
	}
	return `{"violation":false,"confidence":1}`, nil
}

func TestModels(t *testing.T) {
	t.Parallel()
	var l log
	l.bash("deploy production")
	l.bash("deploy staging")
	l.bash("deploy production")
	l.bash("git push")
	m := &keeper{model: model{answer: deploy}, kept: func(sentinel.Request) bool { return false }}
	o := options(rules(t, deploying, noPush), nil, map[string]sentinel.Backend{"model": m})
	o.WillAsk = true
	o.Sets[0].Model = func(string) string { return "m" }
	o.Price = func(model string) (float64, float64) {
		require.Equal(t, "m", model)
		return 1e6, 0
	}
	o.Took = func(string, string) (time.Duration, int) { return time.Minute, 2 }
	r, err := replay.Run(t.Context(), []string{l.file(t)}, o)
	require.NoError(t, err)
	require.Zero(t, m.asked.Load(), "nobody is asked before")

	before := r.Report()
	e := before.Estimate
	require.Equal(t, 2, e.Calls, "equal questions are one")
	require.Equal(t, 3, before.Open)
	require.Equal(t, 3, named(t, before, "deploying", false).Open)
	require.Positive(t, e.PromptTokens)
	require.Equal(t, 60.0, e.Seconds, "two at once")
	require.Equal(t, float64(e.PromptTokens), e.Cost)
	require.Equal(t, []replay.Judge{{Backend: "model", Model: "m", Calls: 2, PromptTokens: e.PromptTokens, OutputTokens: e.OutputTokens, Cost: e.Cost, Seconds: 60}}, e.Judges)
	require.Equal(t, replay.Verdicts{Block: 1, Allow: 3}, before.Before)
	require.Len(t, before.Found, 1, "what is open objects to nothing yet")

	require.NoError(t, r.Ask(t.Context()))
	require.EqualValues(t, 2, m.asked.Load())
	done := r.Report()
	require.Equal(t, 2, done.Asked)
	require.Zero(t, done.Open)
	require.Equal(t, replay.Verdicts{Block: 1, Ask: 2, Allow: 1}, done.Before)
	require.Equal(t, replay.RuleCounts{Matched: 3, Violations: 2, Passed: 1, Next: replay.NextCounts{Repeated: 1, WentOn: 1}}, named(t, done, "deploying", false).RuleCounts)
	require.Equal(t, "production", done.Found[0].Findings[0].Reason)
}

func TestKeptAnswersCostNothing(t *testing.T) {
	t.Parallel()
	var l log
	l.bash("deploy production")
	l.bash("deploy staging")
	m := &keeper{model: model{answer: deploy}, kept: func(req sentinel.Request) bool { return strings.Contains(req.Prompt, "production") }}
	r := run(t, options(rules(t, deploying), nil, map[string]sentinel.Backend{"model": m}), l.file(t))
	require.Equal(t, 1, r.Estimate.Calls)
	require.Equal(t, 1, r.Estimate.Cached)
	require.Equal(t, replay.RuleCounts{Matched: 2, Violations: 1, Open: 1, Cached: 1, Next: replay.NextCounts{WentOn: 1}}, named(t, r, "deploying", false).RuleCounts)
	require.Zero(t, m.asked.Load())
}

// TestFallbackIsProvisional: without a model a rule is judged by its fallback, and
// stays open.
func TestFallbackIsProvisional(t *testing.T) {
	t.Parallel()
	var l log
	l.bash("deploy production")
	m := &model{answer: func(sentinel.Request) (string, error) { return `{"violation":false,"confidence":1}`, nil }}
	text := deploying + "\nwhen: command contains 'production'\nfallback: [builtin]"
	o := options(rules(t, text), nil, map[string]sentinel.Backend{"model": m})
	o.WillAsk = true
	r, err := replay.Run(t.Context(), []string{l.file(t)}, o)
	require.NoError(t, err)
	before := named(t, r.Report(), "deploying", false)
	require.Equal(t, 1, before.Open)
	require.Equal(t, 1, before.Violations)
	require.NoError(t, r.Ask(t.Context()))
	require.Equal(t, replay.RuleCounts{Matched: 1, Passed: 1}, named(t, r.Report(), "deploying", false).RuleCounts)
}

// TestFallbackModelsAreNotCounted: they are asked only when the first one fails.
func TestFallbackModelsAreNotCounted(t *testing.T) {
	t.Parallel()
	var l log
	l.bash("deploy production")
	m := &model{answer: deploy}
	o := options(rules(t, deploying+"\nfallback: [other]"), nil, map[string]sentinel.Backend{"model": m, "other": m})
	r := run(t, o, l.file(t))
	require.Equal(t, 1, r.Estimate.Calls)
	require.Len(t, r.Estimate.Judges, 1)
}

func TestModelThatIsDown(t *testing.T) {
	t.Parallel()
	var l log
	l.bash("deploy production")
	l.bash("deploy production")
	m := &keeper{model: model{answer: func(sentinel.Request) (string, error) { return "", fmt.Errorf("%w: down", sentinel.ErrUnavailable) }}, kept: func(sentinel.Request) bool { return false }}
	o := options(rules(t, deploying), nil, map[string]sentinel.Backend{"model": m})
	o.WillAsk = true
	r, err := replay.Run(t.Context(), []string{l.file(t)}, o)
	require.NoError(t, err)
	require.NoError(t, r.Ask(t.Context()))
	require.EqualValues(t, 1, m.asked.Load(), "what failed is not asked again")
	rep := r.Report()
	require.Equal(t, replay.RuleCounts{Matched: 2, Unavailable: 2}, named(t, rep, "deploying", false).RuleCounts)
	require.Contains(t, named(t, rep, "deploying", false).Failed, "down")
	require.Equal(t, replay.Verdicts{Allow: 2}, rep.Before, "an outage today is no verdict")
}

func TestInterrupted(t *testing.T) {
	t.Parallel()
	var l log
	l.bash("git push")
	for i := range 20 {
		l.bash(fmt.Sprint("deploy ", i))
	}
	ctx, cancel := context.WithCancel(t.Context())
	m := &model{}
	m.answer = func(sentinel.Request) (string, error) {
		if m.asked.Load() == 3 {
			cancel()
		}
		return `{"violation":true,"confidence":1,"reason":"x"}`, nil
	}
	o := options(rules(t, deploying, noPush), nil, map[string]sentinel.Backend{"model": m})
	o.WillAsk = true
	o.Sets[0].Engine.MaxParallel = 1
	path := l.file(t)
	r, err := replay.Run(ctx, []string{path}, o)
	require.NoError(t, err)
	require.ErrorIs(t, r.Ask(ctx), context.Canceled)
	rep := r.Report()
	require.True(t, rep.Interrupted)
	c := named(t, rep, "deploying", false)
	require.Equal(t, 20, c.Open+c.Violations, "what was judged counts, the rest is open")
	require.Positive(t, c.Open)
	require.Equal(t, 1, rep.Before.Block)

	_, err = replay.Run(ctx, []string{path}, o)
	require.ErrorIs(t, err, context.Canceled)
}

func TestBadTranscripts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	var l log
	l.bash("git push")
	torn := l.String() + `{"type":"assistant","message":{"role":"assi`
	paths := []string{
		write("empty", ""), write("prose", "hello\nworld\n"), write("junk", strings.Repeat("{\"a\":1}\n", 500)),
		filepath.Join(dir, "missing"), dir, write("torn.jsonl", torn),
		write("future.jsonl", l.String()+`{"type":"hologram","message":{"x":[]},"cwd":"/repo","sessionId":"s"}`+"\n"),
	}
	r := run(t, options(rules(t, noPush), nil, nil), paths...)
	require.Equal(t, 2, r.Transcripts)
	require.Len(t, r.Unread, 5)
	require.Equal(t, replay.Verdicts{Block: 2}, r.Before)
}

// TestAgents: whose it is shows in the content, whatever the file is called.
func TestAgents(t *testing.T) {
	t.Parallel()
	found, err := filepath.Glob("../transcript/testdata/*.json*")
	require.NoError(t, err)
	var paths []string
	for i, path := range found {
		if strings.HasSuffix(path, ".want") {
			continue
		}
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		copied := filepath.Join(t.TempDir(), fmt.Sprint("file", i))
		require.NoError(t, os.WriteFile(copied, data, 0o600))
		paths = append(paths, copied)
	}
	all := "id: all\ntrigger: any\nbackend: builtin\nwhen: 'true'"
	r := run(t, options(rules(t, all), nil, nil), paths...)
	require.Empty(t, r.Unread)
	for _, agent := range []string{"claude", "codex", "copilot", "gemini", "qwen", "journal"} {
		require.Positive(t, r.Agents[agent], agent)
	}
	require.Positive(t, named(t, r, "all", false).Violations)
	require.Equal(t, 0, r.Misunderstood)
}

// TestSessionHeldElsewhere: its paths start where it began.
func TestSessionHeldElsewhere(t *testing.T) {
	t.Parallel()
	var l log
	l.edit("src/billing/a.ts", "a", "b")
	o := options(rules(t, billing), nil, nil)
	o.Views[0].Root = filepath.Join(root, "..", "another")
	r := run(t, o, l.file(t))
	require.Equal(t, 1, r.Before.Warn)
}

func TestKeepAndMask(t *testing.T) {
	t.Parallel()
	var l log
	for i := range 5 {
		l.bash(fmt.Sprint("git push hunter2 ", i))
	}
	o := options(rules(t, noPush), nil, nil)
	o.Keep = 2
	o.Mask = func(s string) string { return strings.ReplaceAll(s, "hunter2", "****") }
	r := run(t, o, l.file(t))
	require.Len(t, r.Found, 2)
	require.Equal(t, 3, r.LeftOut)
	require.Equal(t, 5, r.Before.Block)
	data, err := json.Marshal(r)
	require.NoError(t, err)
	require.NotContains(t, string(data), "hunter2")
}

func TestOptionsThatCannotBe(t *testing.T) {
	t.Parallel()
	_, err := replay.Run(t.Context(), nil, &replay.Options{})
	require.ErrorContains(t, err, "no rules")
	o := options(rules(t, noPush), nil, nil)
	o.Sets[0].View = 3
	_, err = replay.Run(t.Context(), nil, o)
	require.ErrorContains(t, err, "no view")
}

// TestPanickingMapper: what a caller's mapper does with a hostile file harms that
// transcript alone.
func TestPanickingMapper(t *testing.T) {
	t.Parallel()
	var bad, good log
	bad.bash("panic")
	good.bash("git push")
	o := options(rules(t, noPush), nil, nil)
	o.Views[0].Mapper = mapper{o.Views[0].Mapper}
	r := run(t, o, bad.file(t), good.file(t))
	require.Len(t, r.Unread, 1)
	require.Equal(t, 1, r.Before.Block)
}

type mapper struct{ sentinel.ToolMapper }

func (m mapper) MapTool(ctx context.Context, ev sentinel.Event) ([]sentinel.Action, error) {
	if strings.Contains(string(ev.Tool.Args), "panic") {
		panic(errors.New("boom"))
	}
	return m.ToolMapper.MapTool(ctx, ev)
}
