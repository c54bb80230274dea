package agent_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/agent"
	"github.com/agentsentinel/sentinel/agent/internal/agenttest"
)

// A documented block is a comment that says what it is, and the fenced text
// after it.
var documented = regexp.MustCompile("(?s)<!-- (event|answer): ([^>]+) -->\n```(?:json)?\n(.*?)\n```")

// TestProtocolPage runs the examples of the page that describes the protocol.
func TestProtocolPage(t *testing.T) {
	t.Parallel()
	require.Equal(t, 5, runPage(t, "claude", filepath.Join("..", "docs", "hook-protocol.md")))
}

// TestAgentPages runs the examples of the other agents' pages, each of which is
// called as the agent is.
func TestAgentPages(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob(filepath.Join("..", "docs", "agents", "*.md"))
	require.NoError(t, err)
	require.NotEmpty(t, pages)
	for _, page := range pages {
		name := strings.TrimSuffix(filepath.Base(page), ".md")
		if name == "third-party" || name == "README" {
			continue // no protocol of their own; package cli runs third-party
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.NotZero(t, runPage(t, name, page), "the page shows no event")
		})
	}
}

// runPage decodes every event that a page shows and compares every answer. It
// returns the number of events.
func runPage(t *testing.T, name, file string) int {
	t.Helper()
	page, err := os.ReadFile(file)
	require.NoError(t, err)
	ag, err := agenttest.ByName(name)
	require.NoError(t, err)
	events := map[string]sentinel.Event{}
	answers := 0
	for _, m := range documented.FindAllStringSubmatch(string(page), -1) {
		if m[1] == "event" {
			ev, err := ag.Decode([]byte(m[3]))
			require.NoError(t, err, m[2])
			require.NotContains(t, events, m[2])
			events[m[2]] = ev
			continue
		}
		var event, decision, stream string
		var exit int
		_, err := fmt.Sscanf(m[2], "%s %s exit %d %s", &event, &decision, &exit, &stream)
		require.NoError(t, err, m[2])
		require.Contains(t, events, event, m[2])
		want := agent.Answer{Exit: exit}
		switch stream {
		case "stdout":
			want.Stdout = []byte(m[3])
		case "stderr":
			want.Stderr = []byte(m[3] + "\n")
		}
		got := ag.Encode(events[event], agenttest.ExampleDecision(decision))
		require.Equal(t, string(want.Stdout), string(got.Stdout), m[2])
		require.Equal(t, string(want.Stderr), string(got.Stderr), m[2])
		require.Equal(t, want.Exit, got.Exit, m[2])
		answers++
	}
	require.Equal(t, strings.Count(string(page), "<!-- event: "), len(events), "an event could not be read")
	require.Equal(t, strings.Count(string(page), "<!-- answer: "), answers, "an answer could not be read")
	return len(events)
}
