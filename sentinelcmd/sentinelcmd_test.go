package sentinelcmd_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/agent"
	"github.com/agentsentinel/sentinel/config"
	"github.com/agentsentinel/sentinel/internal/scripttest"
	"github.com/agentsentinel/sentinel/sentinelcmd"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"sentinel":    func() { os.Exit(sentinelWithAcme()) },
		"plain":       func() { os.Exit(sentinelcmd.Main(nil)) },
		"broken":      func() { os.Exit(sentinelcmd.Main(&sentinelcmd.Config{Agents: []agent.Agent{{Name: "half"}}})) },
		"oursentinel": func() { os.Exit(sentinelcmd.Main(ours("oursentinel"))) },
		"wl":          func() { os.Exit(sentinelcmd.Main(ours("wl"))) },
		"misnamed":    func() { os.Exit(sentinelcmd.Main(ours("a b"))) },
	})
}

// ours is a program with a judge, a mapper and an observer of its own.
func ours(name string) *sentinelcmd.Config {
	return &sentinelcmd.Config{
		Name: name, Version: "v9.8.7",
		Backends: map[string]sentinelcmd.Builder{"ours": func(config.Config) (sentinel.Backend, error) {
			return sentinel.BackendFunc(func(_ context.Context, r sentinel.Request) (sentinel.Response, error) {
				bad := r.Action != nil && strings.Contains(r.Action.Target, "bad")
				return sentinel.Response{Text: fmt.Sprintf(`{"violation":%t,"confidence":1,"reason":"ours says so"}`, bad)}, nil
			}), nil
		}},
		Mapper: sentinel.MapperFunc(func(_ context.Context, ev sentinel.Event) ([]sentinel.Action, error) {
			var args struct{ Picture string }
			if ev.Tool.Name != "paint" || json.Unmarshal(ev.Tool.Args, &args) != nil {
				return nil, sentinel.ErrUnknownTool
			}
			return []sentinel.Action{{Trigger: sentinel.FileWrite, Op: sentinel.OpCreate, Tool: ev.Tool.Name, Path: args.Picture}}, nil
		}),
		Observe: func(_ context.Context, _ time.Time, ev sentinel.Event, d sentinel.Decision) error {
			return os.WriteFile(filepath.Join(os.Getenv("HOME"), "observed"), []byte(ev.Tool.Name+" "+d.Verdict.String()+"\n"), 0o600)
		},
	}
}

// TestScripts runs programs that embed the command, under names of their own.
func TestScripts(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it starts many processes one after the other: not with -short, as under the race detector")
	}
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireExplicitExec: true,
		Condition:           scripttest.Condition,
		Setup: func(e *testscript.Env) error {
			e.Setenv("HOME", filepath.Join(e.WorkDir, "home"))
			e.Setenv("NO_COLOR", "1")
			e.Setenv("GOCOVERDIR", e.Getenv("TMPDIR"))
			return os.Mkdir(filepath.Join(e.WorkDir, "home"), 0o755)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": scripttest.Exits},
	})
}
