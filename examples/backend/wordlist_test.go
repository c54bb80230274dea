package wordlist_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/config"
	wordlist "github.com/agentsentinel/sentinel/examples/backend"
	"github.com/agentsentinel/sentinel/sentineltest"
)

func TestContract(t *testing.T) {
	t.Parallel()
	sentineltest.RunBackend(t, func(t *testing.T) sentinel.Backend {
		j, err := wordlist.New(wordlist.Settings{Lists: map[string][]string{"force": {"--force"}}, Model: "force"})
		require.NoError(t, err)
		return j
	})
}

func TestVerdicts(t *testing.T) {
	t.Parallel()
	j, err := wordlist.New(wordlist.Settings{Lists: map[string][]string{"codenames": {`(?i)project[ -]?heron`, `x*`}, "none": {"nothing"}}, Model: "none"})
	require.NoError(t, err)
	far := strings.Repeat("a line\n", 100_000)
	for name, c := range map[string]struct {
		action sentinel.Action
		model  string
		reason string
	}{
		"in the content":         {sentinel.Action{Content: "// for Project Heron"}, "codenames", `it holds "Project Heron", which the list "codenames" does not allow`},
		"in the path":            {sentinel.Action{Target: "docs/project-heron.md"}, "codenames", `it holds "project-heron", which the list "codenames" does not allow`},
		"in an argument":         {sentinel.Action{Args: json.RawMessage(`{"title":"PROJECTHERON"}`)}, "codenames", `it holds "PROJECTHERON", which the list "codenames" does not allow`},
		"far below":              {sentinel.Action{Content: far + "project heron"}, "codenames", `it holds "project heron", which the list "codenames" does not allow`},
		"an empty match is none": {sentinel.Action{Content: "clean"}, "codenames", ""},
		"another list":           {sentinel.Action{Content: "project heron"}, "none", ""},
		"the list by default":    {sentinel.Action{Content: "nothing"}, "", `it holds "nothing", which the list "none" does not allow`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			resp, err := j.Complete(t.Context(), sentinel.Request{Action: &c.action, Model: c.model})
			require.NoError(t, err)
			var v struct {
				Violation bool
				Reason    string
			}
			require.NoError(t, json.Unmarshal([]byte(resp.Text), &v))
			require.Equal(t, c.reason != "", v.Violation)
			require.Equal(t, c.reason, v.Reason)
		})
	}
}

func TestAWordOnTheBorderOfTwoWindows(t *testing.T) {
	t.Parallel()
	j, err := wordlist.New(wordlist.Settings{Lists: map[string][]string{"l": {"heron"}}, Model: "l"})
	require.NoError(t, err)
	for _, before := range []int{64<<10 - 8, 64<<10 - 3, 64 << 10, 63 << 10, 63<<10 - 3, 127<<10 - 3} {
		resp, err := j.Complete(t.Context(), sentinel.Request{Action: &sentinel.Action{Content: strings.Repeat("x", before) + "heron"}})
		require.NoError(t, err)
		require.Contains(t, resp.Text, `"violation":true`, before)
	}
}

func TestWhatItCannotJudge(t *testing.T) {
	t.Parallel()
	j, err := wordlist.New(wordlist.Settings{Lists: map[string][]string{"a": {"b"}}})
	require.NoError(t, err)
	_, err = j.Complete(t.Context(), sentinel.Request{Action: &sentinel.Action{}, Model: "c"})
	require.ErrorIs(t, err, sentinel.ErrUnavailable)
	require.ErrorContains(t, err, `wordlist: complete: unavailable: there is no list "c": a rule names one of ["a"] as its model`)
	_, err = j.Complete(t.Context(), sentinel.Request{Model: "a"})
	require.ErrorIs(t, err, sentinel.ErrUnavailable)
	require.NoError(t, j.Ping(t.Context(), ""))
	require.NoError(t, j.Ping(t.Context(), "a"))
	require.ErrorIs(t, j.Ping(t.Context(), "c"), sentinel.ErrUnavailable)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = j.Complete(ctx, sentinel.Request{Action: &sentinel.Action{}, Model: "a"})
	require.ErrorIs(t, err, context.Canceled)
}

func TestSettings(t *testing.T) {
	t.Parallel()
	for settings, fault := range map[string]string{
		``:                                "",
		`{"lists":{"a":["b"]}}`:           "",
		`{"lists":{"a":["("]}}`:           "backends.wordlist.lists.a: error parsing regexp",
		`{"list":{"a":["b"]}}`:            `backends.wordlist: json: unknown field "list"`,
		`{"lists":["a"]}`:                 "backends.wordlist: json: cannot unmarshal array",
		`{"lists":{"a":"b"},"model":"a"}`: "backends.wordlist: json: cannot unmarshal string",
	} {
		c := config.Default()
		c.Backends.Other = map[string]json.RawMessage{wordlist.Name: json.RawMessage(settings)}
		_, err := wordlist.FromConfig(c)
		if fault == "" {
			require.NoError(t, err, settings)
			continue
		}
		require.ErrorContains(t, err, fault, settings)
		require.ErrorIs(t, err, sentinel.ErrUnavailable)
	}
}
