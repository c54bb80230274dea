package cli_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/backend"
	"github.com/agentsentinel/sentinel/config"
	"github.com/agentsentinel/sentinel/internal/cli"
	"github.com/agentsentinel/sentinel/internal/cli/command"
	"github.com/agentsentinel/sentinel/internal/fakeserver"
	"github.com/agentsentinel/sentinel/internal/judge"
)

// ourJudge is a judge that only this program has. It has what a judge may
// have besides its answers: settings of its own, a model and a ping.
type ourJudge struct {
	word  string
	asked *atomic.Int32
}

func (j ourJudge) Complete(_ context.Context, req sentinel.Request) (sentinel.Response, error) {
	j.asked.Add(1)
	verdict := fmt.Sprintf(`{"violation":%t,"confidence":1,"reason":"it says %s"}`, strings.Contains(req.Action.Target, j.word), j.word)
	return sentinel.Response{Text: verdict, Backend: "ours", Model: req.Model}, nil
}

func (j ourJudge) Ping(context.Context, string) error { return nil }

// TestAJudgeOfOnesOwn adds a judge by one value and sees it in every command: the
// configuration knows its name and its settings, rules are judged by it, and doctor
// asks it.
func TestAJudgeOfOnesOwn(t *testing.T) {
	t.Parallel()
	repo := t.TempDir()
	put := func(name, text string) {
		path := filepath.Join(repo, ".claude", "sentinel", name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	put("config.yaml", "backend: ours\nbackends: {ours: {model: small, word: drop}}\n")
	put("rules/tables.yaml", "id: tables\ntrigger: bash\nseverity: block\nprompt: 'Is it bad? {{command}}'\nmessage: Keep the tables.\n")
	put("rules/named.yaml", "id: named\ntrigger: file_write\nbackend: ours\nprompt: 'Is it bad? {{file_path}}'\n")

	var asked atomic.Int32
	run := func(backends map[string]func(config.Config) (sentinel.Backend, error), stdin string, args ...string) result {
		var stdout, stderr bytes.Buffer
		status := cli.Run(&command.Env{
			Args: args, Stdin: strings.NewReader(stdin), Stdout: &stdout, Stderr: &stderr, Dir: repo, Now: time.Now,
			Getenv: func(string) string { return "" }, Backends: backends,
		})
		return result{stdout.String(), stderr.String(), status}
	}
	ours := map[string]func(config.Config) (sentinel.Backend, error){"ours": func(c config.Config) (sentinel.Backend, error) {
		require.Equal(t, "small", c.Model("ours"))
		require.JSONEq(t, `{"model":"small","word":"drop"}`, string(c.Backends.Other["ours"]))
		return ourJudge{"drop", &asked}, nil
	}}

	lint := run(ours, "", "rules", "lint")
	require.Zero(t, lint.status, lint.stdout+lint.stderr)
	require.NotContains(t, lint.stdout+lint.stderr, "unknown backend")
	stock := run(nil, "", "rules", "lint")
	require.Contains(t, stock.stdout+stock.stderr, "unknown backend `backends.ours`", "a program without it says so")

	for command, want := range map[string]int{"psql -c 'drop table x'": 2, "ls": 0} {
		event := fmt.Sprintf(`{"hook_event_name":"PreToolUse","cwd":%q,"tool_name":"Bash","tool_input":{"command":%q}}`, filepath.ToSlash(repo), command)
		got := run(ours, event, "hook", "--agent", "claude")
		require.Equal(t, want, got.status, "%s: %s%s", command, got.stdout, got.stderr)
	}
	require.EqualValues(t, 2, asked.Load())

	doctor := run(ours, "", "doctor", "--json")
	require.Contains(t, doctor.stdout, `"ours"`, doctor.stdout+doctor.stderr)
	require.Contains(t, doctor.stdout, "small answers in")

	explain := run(ours, "", "rules", "explain", "named")
	require.Contains(t, explain.stdout, "1. ours small: asks a model", explain.stderr)

	set := run(ours, "", "config", "set", "fallback", "[ours]")
	require.Zero(t, set.status, set.stderr)
	require.NotContains(t, set.stdout+set.stderr, "unknown backend")
}

// countedLock is a lock that lets everybody in.
type countedLock struct{ taken atomic.Int32 }

func (l *countedLock) Lock(ctx context.Context, _ sentinel.Priority) (context.Context, func(), error) {
	l.taken.Add(1)
	return ctx, func() {}, nil
}

// TestALockOfOnesOwn is taken in the place of the lock files, which then are not
// even made.
func TestALockOfOnesOwn(t *testing.T) {
	t.Parallel()
	server := fakeserver.NewOllamaServer(t, fakeserver.OllamaVerdict(true, 0.9, "it is one"))
	repo := t.TempDir()
	rules := filepath.Join(repo, ".claude", "sentinel", "rules")
	require.NoError(t, os.MkdirAll(rules, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(rules, "..", "config.yaml"), []byte("backends: {ollama: {url: '"+server.URL+"'}}\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(rules, "x.yaml"), []byte("trigger: bash\nprompt: 'Is it bad? {{command}}'\n"), 0o600))
	lock := new(countedLock)
	run := func(stdin string, args ...string) result {
		var stdout, stderr bytes.Buffer
		status := cli.Run(&command.Env{
			Args: args, Stdin: strings.NewReader(stdin), Stdout: &stdout, Stderr: &stderr, Dir: repo, Now: time.Now,
			Getenv: func(string) string { return "" }, Lock: lock,
		})
		return result{stdout.String(), stderr.String(), status}
	}
	event := fmt.Sprintf(`{"hook_event_name":"PreToolUse","cwd":%q,"tool_name":"Bash","tool_input":{"command":"ls"}}`, filepath.ToSlash(repo))
	got := run(event, "hook", "--agent", "claude")
	require.Equal(t, 2, got.status, got.stdout+got.stderr)
	require.Len(t, server.Chats(), 1)
	require.EqualValues(t, 1, lock.taken.Load())
	require.NoDirExists(t, filepath.Join(repo, ".sentinel"))
	require.Contains(t, run("", "doctor").stdout, "the program brings a lock of its own")
}

// described is a judge of one's own that describes itself.
type described struct {
	ourJudge
	about backend.About
}

func (d described) About() backend.About { return d.about }

// TestAJudgeOfOnesOwnDescribesItself: what it says of itself counts as what Sentinel's own
// say. It takes the lock if it shares the GPU, also under the name of one of Sentinel's
// own, is asked as often in a day as paid judges are, and doctor shows what it asks.
func TestAJudgeOfOnesOwnDescribesItself(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		judge  string
		about  backend.About
		locked bool
		asked  int32
		doctor string
	}{
		"nothing":                  {"ours", backend.About{}, false, 2, "no backend that is used here shares a GPU"},
		"a GPU":                    {"ours", backend.About{SharesGPU: true}, true, 2, "the program brings a lock of its own"},
		"a GPU, as Sentinel's own": {"claude", backend.About{SharesGPU: true}, true, 2, "the program brings a lock of its own"},
		"none, as Sentinel's own":  {"ollama", backend.About{}, false, 2, "no backend that is used here shares a GPU"},
		"money":                    {"ours", backend.About{Paid: judge.Always}, false, 1, "1 of 1 paid calls of today are made"},
		"a server":                 {"ours", backend.About{Server: "https://me:secret@gpu.example"}, false, 2, "https://me:xxxxx@gpu.example"},
		"a ping":                   {"ours", backend.About{Pinged: "was seen in %v"}, false, 2, "was seen in"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			repo, home := t.TempDir(), t.TempDir()
			rules := filepath.Join(repo, ".claude", "sentinel", "rules")
			require.NoError(t, os.MkdirAll(rules, 0o755))
			require.NoError(t, os.WriteFile(filepath.Join(rules, "..", "config.yaml"),
				[]byte("backend: "+c.judge+"\nmodel: small\nbudget: {paid_calls_per_day: 1}\ncontext: {enabled: false}\nscribe: {enabled: false}\n"), 0o600))
			require.NoError(t, os.WriteFile(filepath.Join(rules, "x.yaml"), []byte("trigger: bash\nprompt: 'Is it bad? {{command}}'\n"), 0o600))
			lock, asked := new(countedLock), new(atomic.Int32)
			run := func(stdin string, args ...string) result {
				var stdout, stderr bytes.Buffer
				status := cli.Run(&command.Env{
					Args: args, Stdin: strings.NewReader(stdin), Stdout: &stdout, Stderr: &stderr, Dir: repo, Now: time.Now, Lock: lock,
					Getenv: func(name string) string { return map[string]string{"HOME": home, "USERPROFILE": home}[name] },
					Backends: map[string]func(config.Config) (sentinel.Backend, error){c.judge: func(config.Config) (sentinel.Backend, error) {
						return described{ourJudge{"drop", asked}, c.about}, nil
					}},
				})
				return result{stdout.String(), stderr.String(), status}
			}
			for _, line := range []string{"ls", "ls -l"} {
				event := fmt.Sprintf(`{"hook_event_name":"PreToolUse","cwd":%q,"tool_name":"Bash","tool_input":{"command":%q}}`, filepath.ToSlash(repo), line)
				run(event, "hook", "--agent", "claude")
			}
			require.Equal(t, c.asked, asked.Load())
			require.Equal(t, c.locked, lock.taken.Load() > 0)
			require.Contains(t, run("", "doctor").stdout, c.doctor)
		})
	}
}
