package scribe_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/scribe"
)

// Twenty sessions that end at once: nothing is lost, and no draft is another's.
func TestManySessions(t *testing.T) {
	t.Parallel()
	const sessions = 20
	r := newRepo(t)
	r.opts.Backend = sentinel.BackendFunc(func(_ context.Context, req sentinel.Request) (sentinel.Response, error) {
		_, n, _ := strings.Cut(req.Prompt, "tool-")
		n, _, _ = strings.Cut(n, " ")
		if req.Schema != nil {
			return sentinel.Response{Text: finds(convention{
				Statement: "Never use tool-" + n + " in this repository", Confidence: 0.9, TriggerHint: "bash", Evidence: "never use tool-" + n + " here",
			}).Text}, nil
		}
		return sentinel.Response{Text: "id: no-tool\ntrigger: bash\nseverity: warn\nscope: [\"tool-" + n + "*\"]\nprompt: It must not run.\n"}, nil
	})
	var wg sync.WaitGroup
	errs := make([]error, sessions)
	for i := range sessions {
		name := fmt.Sprintf("t%d.jsonl", i)
		r.write(name, person(fmt.Sprintf("Please never use tool-%d here again.", i))+"\n")
		wg.Go(func() {
			_, errs[i] = scribe.Reflect(t.Context(), scribe.Session{ID: name, Agent: "claude", Transcript: r.path(name)}, r.opts)
		})
	}
	wg.Wait()
	for _, err := range errs {
		require.NoError(t, err)
	}
	require.Len(t, r.observations(), sessions)
	require.Len(t, r.drafts(), sessions)
	drafts, err := scribe.Drafts(r.opts)
	require.NoError(t, err)
	scopes := map[string]bool{}
	for _, d := range drafts {
		require.False(t, d.Broken(), d.File.Problems)
		scopes[d.File.Definition.Scope[0]] = true
	}
	require.Len(t, scopes, sessions, "each has the draft of its own convention")
	for _, ob := range r.observations() {
		require.Equal(t, scribe.Drafted, ob.State)
	}
}

// Who comes while another process reflects on the session leaves it to that one.
func TestBusySession(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	rows := r.billingSession()
	var inner error
	r.opts.Backend = sentinel.BackendFunc(func(context.Context, sentinel.Request) (sentinel.Response, error) {
		_, inner = r.reflect("s1", rows...)
		return sentinel.Response{Text: `{"conventions":[]}`}, nil
	})
	_, err := r.reflect("s1", rows...)
	require.NoError(t, err)
	require.ErrorIs(t, inner, sentinel.ErrBusy)
}

// A GPU that is taken costs nothing but time.
func TestBusyGPU(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.opts.Backend = sentinel.BackendFunc(func(context.Context, sentinel.Request) (sentinel.Response, error) {
		return sentinel.Response{}, &sentinel.BackendError{Backend: "ollama", Op: "complete", Err: sentinel.ErrBusy}
	})
	_, err := r.reflect("s1", r.billingSession()...)
	require.ErrorIs(t, err, sentinel.ErrBusy)
	r.answers(finds(billing()), writesRule(billingRule))
	require.Len(t, r.learned("s1", r.billingSession()...).Drafts, 1)
}

func TestOptionsThatAreMissing(t *testing.T) {
	t.Parallel()
	_, err := scribe.Reflect(t.Context(), scribe.Session{}, nil)
	require.ErrorContains(t, err, "no model to ask")
	_, err = scribe.Learn(t.Context(), nil)
	require.ErrorContains(t, err, "no model to ask")
	r := newRepo(t)
	r.opts.Root = "relative"
	_, err = scribe.Learn(t.Context(), r.opts)
	require.ErrorContains(t, err, "absolute")
	_, err = scribe.Drafts(nil)
	require.NoError(t, err)
}

// Of several people who decide on a draft at once one does, and the others are told.
func TestDecidedAtOnce(t *testing.T) {
	t.Parallel()
	for round := range 15 {
		r := billingDraft(t)
		decide := []func() error{
			func() error { _, err := scribe.Promote(t.Context(), "no-direct-billing", r.opts); return err },
			func() error { _, err := scribe.Dismiss(t.Context(), "no-direct-billing", r.opts); return err },
		}
		failed := make([]error, 4)
		var wait sync.WaitGroup
		for i := range failed {
			wait.Go(func() { failed[i] = decide[(i+round)%2]() })
		}
		wait.Wait()
		decided := -1
		for i, err := range failed {
			if err == nil {
				require.Negative(t, decided, "two have decided")
				decided = (i + round) % 2
			}
		}
		gone, err := scribe.OpenStore(r.path(".sentinel/scribe")).Dismissals()
		require.NoError(t, err)
		require.Empty(t, r.drafts())
		switch decided {
		case 0:
			require.FileExists(t, r.path(".claude/sentinel/rules/no-direct-billing.yaml"))
			require.Equal(t, scribe.Promoted, r.only().State)
			require.Empty(t, gone)
		case 1:
			require.NoFileExists(t, r.path(".claude/sentinel/rules/no-direct-billing.yaml"))
			require.Equal(t, scribe.Dismissed, r.only().State)
			require.Len(t, gone, 1)
		default:
			require.Fail(t, "nobody has decided", "%v", failed)
		}
	}
}
