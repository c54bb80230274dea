package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/config"
	"github.com/agentsentinel/sentinel/internal/cli"
	"github.com/agentsentinel/sentinel/internal/cli/command"
)

// replayed runs `sentinel replay --yes --json` in a repository with a session of
// some deployments, which a model of the caller's judges.
func replayed(t *testing.T, judge func(ctx context.Context, repo string) (string, error)) (out struct {
	Open        int
	Interrupted bool
	Before      struct{ Block int }
	Rules       []struct {
		ID         string `json:"rule_id"`
		Violations int
	}
}, result result) {
	t.Helper()
	repo := t.TempDir()
	put := func(name, text string) string {
		path := filepath.Join(repo, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	put(".claude/sentinel/config.yaml", "backend: mine\nmax_parallel: 1\n")
	put(".claude/sentinel/rules/deploying.yaml", "id: deploying\ntrigger: bash\nscope: ['deploy *']\nprompt: 'Is it bad? {{command}}'\n")
	var session strings.Builder
	for i := range 8 {
		fmt.Fprintf(&session, `{"type":"assistant","message":{"role":"assistant","content":[{"type":"tool_use","id":"t%d","name":"Bash","input":{"command":"deploy %d"}}]},"uuid":"u","cwd":"/r","sessionId":"s"}`+"\n", i, i)
	}
	path := put("s.jsonl", session.String())

	var stdout, stderr bytes.Buffer
	result.status = cli.Run(&command.Env{
		Args: []string{"replay", path, "--yes", "--json"}, Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr, Dir: repo, Now: time.Now,
		Getenv: func(string) string { return "" },
		Backends: map[string]func(config.Config) (sentinel.Backend, error){"mine": func(config.Config) (sentinel.Backend, error) {
			return sentinel.BackendFunc(func(ctx context.Context, _ sentinel.Request) (sentinel.Response, error) {
				text, err := judge(ctx, repo)
				return sentinel.Response{Text: text}, err
			}), nil
		}},
	})
	result.stdout, result.stderr = stdout.String(), stderr.String()
	require.NoError(t, json.Unmarshal(stdout.Bytes(), &out), result.stderr)
	return out, result
}

const bad = `{"violation":true,"confidence":1,"reason":"x"}`

// TestReplayReadsRulesOnce: a rule that changes in the middle changes nothing.
func TestReplayReadsRulesOnce(t *testing.T) {
	t.Parallel()
	out, r := replayed(t, func(_ context.Context, repo string) (string, error) {
		return bad, os.WriteFile(filepath.Join(repo, ".claude", "sentinel", "rules", "deploying.yaml"), []byte("id: changed\ntrigger: mcp\nbackend: builtin\nwhen: 'true'\n"), 0o600)
	})
	require.Zero(t, r.status, r.stderr)
	require.Equal(t, 8, out.Before.Block)
	last := out.Rules[len(out.Rules)-1]
	require.Equal(t, "deploying", last.ID)
	require.Equal(t, 8, last.Violations)
}
