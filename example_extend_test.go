package sentinel_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/backend/builtin"
	"github.com/agentsentinel/sentinel/gpulock"
	"github.com/agentsentinel/sentinel/sentineltest"
	"github.com/agentsentinel/sentinel/trigger"
)

// unattended is an engine around another one, for unattended runs: what
// would need a person is stopped.
type unattended struct{ sentinel.Engine }

func (u unattended) Evaluate(ctx context.Context, ev sentinel.Event) (sentinel.Decision, error) {
	d, err := u.Engine.Evaluate(ctx, ev)
	if d.Verdict == sentinel.VerdictAsk {
		d.Verdict = sentinel.VerdictBlock
		for i := range d.Findings { // the reason is made of the findings that led to the verdict
			if d.Findings[i].Verdict == sentinel.VerdictAsk {
				d.Findings[i].Verdict = sentinel.VerdictBlock
			}
		}
	}
	return d, err
}

// An engine is added to by wrapping it.
func ExampleEngine() {
	engine, err := sentinel.New([]sentinel.Rule{largeFiles{max: 10}}, &sentinel.Options{
		Mapper:   trigger.New(nil),
		Backends: map[string]sentinel.Backend{sentinel.Builtin: builtin.New()},
		Default:  sentinel.Builtin,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	ev := sentinel.Event{
		Phase: sentinel.PhasePre, Dir: "/repo",
		Tool: sentinel.ToolCall{Name: "Write", Args: json.RawMessage(`{"file_path":"a.txt","content":"more than ten characters"}`)},
	}
	for _, e := range []sentinel.Engine{engine, unattended{engine}} {
		d, err := e.Evaluate(context.Background(), ev)
		fmt.Println(d.Verdict, d.Reason(), err)
	}
	// Output:
	// ask Is a.txt meant to be that large? [large-files] (from example) <nil>
	// block Is a.txt meant to be that large? [large-files] (from example) <nil>
}

// largeFiles is a rule in Go: a person has to approve files above a size.
type largeFiles struct{ max int }

func (largeFiles) Spec() *sentinel.RuleSpec { return largeFilesSpec }

var largeFilesSpec = &sentinel.RuleSpec{
	ID: "large-files", Source: "example", Trigger: sentinel.FileWrite, Severity: sentinel.SeverityAsk,
	Prompt: "Files stay small.", Message: "Is {{file_path}} meant to be that large?",
}

func (largeFiles) Match(a *sentinel.Action) sentinel.Match {
	if !sentinel.FileWrite.Covers(a.Trigger) {
		return sentinel.Match{Why: "trigger"}
	}
	return sentinel.Match{OK: true, Form: a.Path}
}

// With a condition no model is needed: to the builtin judge it is the verdict.
func (largeFiles) Conditional() bool { return true }

func (r largeFiles) When(_ context.Context, a *sentinel.Action, _ sentinel.Match) (bool, error) {
	return utf8.RuneCountInString(a.Content) > r.max, nil
}

// A rule need not come from a file.
func ExampleRule() {
	var rule sentinel.Rule = largeFiles{max: 10}
	for _, a := range []sentinel.Action{
		{Trigger: sentinel.Bash, Target: "ls"},
		{Trigger: sentinel.FileWrite, Path: "a.txt", Content: "short"},
		{Trigger: sentinel.FileWrite, Path: "a.txt", Content: "more than ten characters"},
	} {
		m := rule.Match(&a)
		if !m.OK {
			fmt.Printf("%s: not about it (%s)\n", a.Target, m.Why)
			continue
		}
		violated, err := rule.(sentinel.Conditional).When(context.Background(), &a, m)
		fmt.Printf("%s: violated %t, error %v\n", a.Path, violated, err)
	}
	// Output:
	// ls: not about it (trigger)
	// a.txt: violated false, error <nil>
	// a.txt: violated true, error <nil>
}

// strictest asks several backends and gives the first answer that is a
// violation; one that fails makes the whole fail, since it might have been that
// one.
type strictest []sentinel.Backend

func (s strictest) Complete(ctx context.Context, req sentinel.Request) (resp sentinel.Response, err error) {
	for _, b := range s {
		if resp, err = b.Complete(ctx, req); err != nil || strings.Contains(resp.Text, `"violation":true`) {
			return resp, err
		}
	}
	if len(s) == 0 {
		return resp, fmt.Errorf("%w: there is nobody to ask", sentinel.ErrUnavailable)
	}
	return resp, nil
}

// A backend of one's own may be made of others.
func ExampleBackend() {
	var judge sentinel.Backend = strictest{
		sentineltest.NewBackend(sentineltest.Clean(0.9)),
		sentineltest.NewBackend(sentineltest.Violation(0.8, "it drops a table")),
	}
	resp, err := judge.Complete(context.Background(), sentinel.Request{Prompt: "…"})
	fmt.Println(resp.Text, err)
	_, err = strictest{}.Complete(context.Background(), sentinel.Request{Prompt: "…"})
	fmt.Println(err)
	// Output:
	// {"violation":true,"confidence":0.8,"reason":"it drops a table"} <nil>
	// unavailable: there is nobody to ask
}

// notes maps the one tool of an agent that is its own: save_note writes a
// file of the folder notes.
type notes struct{}

func (notes) MapTool(_ context.Context, ev sentinel.Event) ([]sentinel.Action, error) {
	if ev.Tool.Name != "save_note" {
		return nil, sentinel.ErrUnknownTool
	}
	var args map[string]string // not a struct, whose fields would also be filled by TITLE and Text
	if err := json.Unmarshal(ev.Tool.Args, &args); err != nil || args["title"] == "" {
		return nil, errors.New("save_note needs a title")
	}
	path := "notes/" + args["title"] + ".md"
	return []sentinel.Action{{
		Trigger: sentinel.FileWrite, Op: sentinel.OpCreate, Tool: ev.Tool.Name,
		Root: ev.Dir, Dir: ev.Dir, Path: path, Target: path, Forms: []string{path}, Content: args["text"], Certain: true,
	}}, nil
}

// A mapper for tools of one's own goes before the one that knows everybody's.
func ExampleToolMapper() {
	mappers := []sentinel.ToolMapper{notes{}, trigger.New(nil)}
	chain := sentinel.MapperFunc(func(ctx context.Context, ev sentinel.Event) ([]sentinel.Action, error) {
		for _, m := range mappers {
			if actions, err := m.MapTool(ctx, ev); !errors.Is(err, sentinel.ErrUnknownTool) {
				return actions, err
			}
		}
		return nil, sentinel.ErrUnknownTool
	})
	for _, tool := range []sentinel.ToolCall{
		{Name: "save_note", Args: json.RawMessage(`{"title":"plan","text":"…"}`)},
		{Name: "Bash", Args: json.RawMessage(`{"command":"ls"}`)},
		{Name: "save_note", Args: json.RawMessage(`{}`)},
		{Name: "conjure"},
	} {
		actions, err := chain.MapTool(context.Background(), sentinel.Event{Dir: "/repo", Tool: tool})
		for i := range actions {
			fmt.Println(actions[i].Summary())
		}
		if err != nil {
			fmt.Println(err)
		}
	}
	// Output:
	// write file notes/plan.md
	// run command: ls
	// save_note needs a title
	// unknown tool
}

// Who has something to do in the background takes the lock for each question to
// the model, and does without when it is busy.
func ExampleLock() {
	dir, err := os.MkdirTemp("", "lock")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	var lock sentinel.Lock = gpulock.New(filepath.Join(dir, "gpu.lock"), &gpulock.Options{
		Waits: gpulock.Waits{Scribe: -1}, // do not wait at all
	})
	ask := func(p sentinel.Priority, meanwhile func()) {
		held, unlock, err := lock.Lock(context.Background(), p)
		defer unlock() // also after an error
		if err != nil {
			fmt.Printf("P%d: busy: %t\n", p, errors.Is(err, sentinel.ErrBusy))
			return
		}
		fmt.Printf("P%d: asks, as long as it may: %v\n", p, held.Err())
		meanwhile()
	}
	ask(sentinel.PriorityAccumulator, func() {
		ask(sentinel.PriorityScribe, func() {})
	})
	ask(sentinel.PriorityScribe, func() {})
	// Output:
	// P2: asks, as long as it may: <nil>
	// P3: busy: true
	// P3: asks, as long as it may: <nil>
}
