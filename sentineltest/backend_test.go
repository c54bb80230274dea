package sentineltest

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
)

func TestBackendAnswersInOrder(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	b := NewBackend(
		Answer{Prompt: "rm", Text: "about rm"},
		Answer{Rule: "sentineltest", Text: "about the rule"},
		Answer{Err: broken},
		Answer{Text: "second", Response: sentinel.Response{Model: "m", OutputTokens: 7}},
	)
	ask := func(prompt string, rule sentinel.Rule) (sentinel.Response, error) {
		return b.Complete(t.Context(), sentinel.Request{Prompt: prompt, Rule: rule})
	}
	_, err := ask("git push", nil)
	require.Equal(t, broken, err)
	resp, err := ask("rm -rf", nil)
	require.NoError(t, err)
	require.Equal(t, sentinel.Response{Text: "about rm", Backend: "fake", Model: "fake"}, resp)
	resp, err = ask("git push", alwaysTrue{})
	require.NoError(t, err)
	require.Equal(t, "about the rule", resp.Text)
	resp, err = ask("rm -rf", nil)
	require.NoError(t, err)
	require.Equal(t, sentinel.Response{Text: "second", Backend: "fake", Model: "m", OutputTokens: 7}, resp)

	_, err = ask("one too many", alwaysTrue{})
	require.ErrorIs(t, err, sentinel.ErrUnavailable)
	require.ErrorContains(t, err, `rule "sentineltest", prompt "one too many"`)
	require.Len(t, b.Requests(), 5)
	require.Equal(t, "git push", b.Requests()[0].Prompt)
}

func TestBackendAlways(t *testing.T) {
	t.Parallel()
	a := Clean(0.5)
	a.Always = true
	b := NewBackend(a)
	for range 3 {
		resp, err := b.Complete(t.Context(), sentinel.Request{})
		require.NoError(t, err)
		require.Equal(t, `{"violation":false,"confidence":0.5}`, resp.Text)
	}
	b.Verify(t)
}

func TestBackendWaits(t *testing.T) {
	t.Parallel()
	release, done := make(chan struct{}), make(chan error)
	held := Violation(1, "r")
	held.Wait = release
	b := NewBackend(held)
	go func() {
		_, err := b.Complete(t.Context(), sentinel.Request{})
		done <- err
	}()
	select {
	case err := <-done:
		t.Fatalf("answered before it was released: %v", err)
	default:
	}
	close(release)
	require.NoError(t, <-done)

	held.Wait = make(chan struct{})
	b = NewBackend(held)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		_, err := b.Complete(ctx, sentinel.Request{})
		done <- err
	}()
	cancel()
	require.ErrorIs(t, <-done, context.Canceled)
}

// A call that was over before it began uses up no answer.
func TestBackendCancelledBefore(t *testing.T) {
	t.Parallel()
	b := NewBackend(Clean(1))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := b.Complete(ctx, sentinel.Request{})
	require.ErrorIs(t, err, context.Canceled)
	_, err = b.Complete(t.Context(), sentinel.Request{})
	require.NoError(t, err)
}

// complaints takes what Verify reports.
type complaints struct {
	testing.TB
	said []string
}

func (c *complaints) Helper() {}
func (c *complaints) Errorf(format string, args ...any) {
	c.said = append(c.said, fmt.Sprintf(format, args...))
}

func TestVerify(t *testing.T) {
	t.Parallel()
	b := NewBackend(Answer{Prompt: "rm", Rule: "no-rm", Text: "never"}, Clean(1), Answer{Err: errors.New("broken"), Prompt: "x"})
	for range 2 {
		_, _ = b.Complete(t.Context(), sentinel.Request{Prompt: "git push"}) // the second finds no answer
	}
	var c complaints
	b.Verify(&c)
	require.Equal(t, []string{
		`sentineltest: answer 1 of the script was never asked for (rule "no-rm") (prompt with "rm"): never`,
		`sentineltest: answer 3 of the script was never asked for (prompt with "x"): error: broken`,
		`sentineltest: no answer was left in the script for prompt "git push"`,
	}, c.said)
}

func TestVerdictText(t *testing.T) {
	t.Parallel()
	require.Equal(t, `{"violation":true,"confidence":1,"reason":"a \"b\"\n"}`, Violation(1, "a \"b\"\n").Text)
	require.NoError(t, validVerdict(Violation(0.5, "").Text))
	require.NoError(t, validVerdict(Clean(0).Text))
	for _, bad := range []string{"", "{}", `{"violation":true}`, `{"violation":"true","confidence":1}`, `{"violation":true,"confidence":1,"x":1}`, `{"violation":true,"confidence":1} {}`, "null", "[]"} {
		require.Error(t, validVerdict(bad), bad)
	}
}
