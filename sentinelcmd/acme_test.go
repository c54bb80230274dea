package sentinelcmd_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/agent"
	"github.com/agentsentinel/sentinel/sentinelcmd"
)

// acme is an agent that Sentinel does not know: all that a program of its own has to say
// of it.
func acme() agent.Agent {
	return agent.Agent{
		Name: "acme", Title: "Acme Coder",
		Decode: acmeDecode, Encode: acmeEncode,
		Marks:     []agent.Sign{{All: []string{"acme"}}},
		Abilities: agent.Abilities{NumbersCalls: true, OnBlock: "drops the call", OnAsk: "drops the call", OnWarn: "shows it"},
		Tools:     agent.Tools{Run: []string{"acme_run"}, Harmless: []string{"acme_think"}},
		Settings: agent.Settings{
			Files: func(p agent.Place, s agent.Scope) []string {
				return []string{filepath.Join(p.Base(s), ".acme", "hooks.json")}
			},
			Form: func(string) agent.Form {
				return agent.Form{Shape: agent.Flat, Head: agent.Object{}.With("acme", 1), Keys: []string{"kind"}}
			},
			Wants: func(_ string, h agent.Hook) []agent.Want {
				line := h.Shell(agent.Cmd).Line(h.Call(0, "--agent", "acme"))
				handler := agent.Object{}.With("kind", "shell").With("command", line).With("timeout", h.Seconds())
				return []agent.Want{{Event: "beforeTool", Item: handler}, {Event: "afterTool", Item: handler}}
			},
			Before:  []string{"beforeTool"},
			Windows: agent.Cmd,
			Steps: func(agent.Place, agent.Scope) []agent.Step {
				return []agent.Step{{What: "Acme reads its hooks when it starts", Do: "restart it"}}
			},
		},
		Sessions: agent.Sessions{
			Format: "claude", // it writes records in the form of Claude Code
			Homes:  func(p agent.Place) []string { return []string{p.UnderHome(".acme")} },
			Files:  []string{"sessions/*.jsonl"},
		},
		Traces: agent.Traces{Programs: []string{"acme"}, Processes: []string{"acme"}, Environment: []string{"ACME"}},
		Trial: func(dir, command string) map[string]any {
			return map[string]any{"acme": "before", "id": "1", "dir": dir, "tool": "acme_run", "args": map[string]any{"command": command}}
		},
	}
}

func acmeDecode(stdin []byte) (sentinel.Event, error) {
	var in struct {
		Acme, ID, Session, Dir, Tool string
		Args                         json.RawMessage
	}
	if err := json.Unmarshal(stdin, &in); err != nil {
		return sentinel.Event{}, fmt.Errorf("acme: %w: %w", sentinel.ErrEvent, err)
	}
	ev := sentinel.Event{Agent: "acme", Session: in.Session, Dir: in.Dir}
	ev.Tool = sentinel.ToolCall{ID: in.ID, Name: in.Tool, Args: in.Args}
	switch in.Acme {
	case "before":
		ev.Phase = sentinel.PhasePre
	case "after":
		ev.Phase = sentinel.PhasePost
	}
	return ev, nil
}

func acmeEncode(_ sentinel.Event, d sentinel.Decision) agent.Answer {
	switch text := agent.Context(d); {
	case !agent.Proceeds(d):
		return agent.Answer{Stdout: []byte("NO " + agent.Denial(d) + "\n")}
	case text != "":
		return agent.Answer{Stdout: []byte("NOTE " + text + "\n")}
	}
	return agent.Answer{}
}

// sentinelWithAcme is the command with an agent in addition, where ACME says so.
func sentinelWithAcme() int {
	if os.Getenv("ACME") == "" {
		return sentinelcmd.Main(nil)
	}
	return sentinelcmd.Main(&sentinelcmd.Config{Agents: []agent.Agent{acme()}})
}

// TestAcme takes an agent that Sentinel does not know through the commands: what every
// one of them needs to know of it is in the value above.
func TestAcme(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Files: []string{filepath.Join("testdata", "acme.txtar")}, RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("HOME", filepath.Join(e.WorkDir, "home"))
			e.Setenv("NO_COLOR", "1")
			e.Setenv("ACME", "1")
			e.Setenv("GOCOVERDIR", e.Getenv("TMPDIR"))
			return os.MkdirAll(filepath.Join(e.WorkDir, "home"), 0o755)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			// here puts the script's folder for WORK into files
			"here": func(ts *testscript.TestScript, _ bool, names []string) {
				for _, name := range names {
					text := strings.ReplaceAll(ts.ReadFile(name), "WORK", filepath.ToSlash(ts.Getenv("WORK")))
					ts.Check(errors.Join(os.WriteFile(ts.MkAbs(name), []byte(text), 0o600)))
				}
			},
		},
	})
}
