package cli_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/cli"
	"github.com/agentsentinel/sentinel/internal/cli/command"
)

// A full is standard output on a disk that is full.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

// A command whose output is lost says so, whatever it would have said: a script
// that reads an empty file must not take it for "nothing was found".
func TestOutputThatIsLostIsAnError(t *testing.T) {
	t.Parallel()
	repo := t.TempDir()
	put := func(name, text string) {
		path := filepath.Join(repo, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	put(".claude/sentinel/config.yaml", "backend: builtin\nlog_file: log.jsonl\n")
	put(".claude/sentinel/rules/push.yaml", "trigger: bash\nscope: ['git push*']\nwhen: 'true'\nmessage: No.\nprompt: p\ntests: [{bash: git push, expect: violation}]\n")
	put("log.jsonl", `{"ts":"2026-03-01T08:00:00Z","level":"eval","id":"k3j5","rule_id":"push","trigger":"bash","target":"git push","violation":true}`+"\n")
	put("s.jsonl", `{"type":"user","message":{"role":"user","content":"x"},"uuid":"u","sessionId":"s","cwd":"/r"}`+"\n")
	put(".claude/sentinel/drafts/a.draft.yaml", "id: a\ntrigger: bash\nwhen: 'true'\nprompt: p\n")
	for _, line := range []string{
		"--help", "help stats", "--version", "completion bash", "version", "version --json",
		"check --bash ls", "check --bash ls --json", "check --bash ls --explain", "check --bash git\x00push", "check --bash git\x00push --json",
		"rules list", "rules list --json", "rules lint", "rules lint --json", "rules schema", "rules explain push", "rules explain push --json",
		"rules severity push --to block --dry-run", "rules severity push --to block --dry-run --json",
		"config get", "config get backend", "config get --json", "config schema", "config set timeout_ms 9 --dry-run", "config set timeout_ms 9 --dry-run --json",
		"stats", "stats --json", "stats --explain k3j5", "test", "test --json", "test --junit -", "replay s.jsonl --no-model", "replay s.jsonl --no-model --json",
		"doctor", "doctor --json", "pause", "pause --json", "drafts", "drafts --json", "init --dry-run --backend builtin", "uninstall --dry-run",
	} {
		t.Run(strings.ReplaceAll(line, "\x00", "_"), func(t *testing.T) {
			t.Parallel()
			args := strings.Fields(line)
			for i := range args {
				args[i] = strings.ReplaceAll(args[i], "\x00", " ")
			}
			var stderr bytes.Buffer
			status := cli.Run(&command.Env{
				Args: args, Stdin: strings.NewReader(""), Stdout: full{}, Stderr: &stderr, Dir: repo, Now: time.Now, Getenv: func(string) string { return "" },
			})
			require.Equal(t, 1, status)
			require.Contains(t, stderr.String(), "sentinel: no space left on device\n")
		})
	}
}
