package sentineltest

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/shell"
)

func knownCalls() []sentinel.ToolCall {
	return []sentinel.ToolCall{
		{Name: "write", Args: json.RawMessage(`{"path":"src/main.go","text":"package x"}`)},
		{Name: "run", Args: json.RawMessage(`{"command":"go test"}`)},
		{Name: "read", Args: json.RawMessage(`{"path":"README.md"}`)},
		{Name: "ask", Args: json.RawMessage(`{"server":"db","tool":"query"}`)},
		{Name: "think", Args: json.RawMessage(`{}`)},
	}
}

// mapGood maps the tools of an agent that is only here.
func mapGood(_ context.Context, ev sentinel.Event) ([]sentinel.Action, error) {
	if !slices.Contains([]string{"write", "run", "read", "ask", "think"}, ev.Tool.Name) {
		return nil, sentinel.ErrUnknownTool
	}
	var args struct{ Path, Text, Command, Server, Tool string }
	if err := json.Unmarshal(ev.Tool.Args, &args); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", sentinel.ErrEvent, ev.Tool.Name, err)
	}
	a := sentinel.Action{Tool: ev.Tool.Name, Root: ev.Root, Dir: ev.Dir, Certain: true}
	switch ev.Tool.Name {
	case "think":
		return nil, nil
	case "write":
		a.Trigger, a.Op, a.Target, a.Content = sentinel.FileWrite, sentinel.OpCreate, args.Path, args.Text
		a.Path = args.Path
	case "read":
		a.Trigger, a.Target, a.Path = sentinel.FileRead, args.Path, args.Path
	case "run":
		a.Trigger, a.Target, a.Command = sentinel.Bash, args.Command, &shell.Line{}
	case "ask":
		a.Trigger, a.Target, a.Server, a.MCPTool = sentinel.MCP, args.Server+":"+args.Tool, args.Server, args.Tool
		if args.Server == "" && args.Tool == "" {
			a.Target = ""
		}
	}
	if a.Target == "" {
		return nil, fmt.Errorf("%w: %s: no target", sentinel.ErrEvent, ev.Tool.Name)
	}
	a.Forms = []string{a.Target}
	return []sentinel.Action{a}, nil
}

func TestRunToolMapperAcceptsACorrectMapper(t *testing.T) {
	t.Parallel()
	RunToolMapper(t, func(*testing.T) sentinel.ToolMapper { return sentinel.MapperFunc(mapGood) }, knownCalls()...)
}

// Every mapper here breaks one clause.
func TestRunToolMapperFindsTheBrokenClause(t *testing.T) {
	t.Parallel()
	changing := func(change func(*sentinel.Action)) sentinel.MapperFunc {
		return func(ctx context.Context, ev sentinel.Event) ([]sentinel.Action, error) {
			actions, err := mapGood(ctx, ev)
			for i := range actions {
				change(&actions[i])
			}
			return actions, err
		}
	}
	// An action that is not sound is seen wherever a call is mapped.
	everywhere := []string{"1 known calls", "3 hostile arguments", "4 changes nothing", "4 bounded", "5 concurrent", "5 event unchanged"}
	var turn atomic.Int64

	for name, c := range map[string]struct {
		mapper sentinel.MapperFunc
		broken []string
	}{
		"no trigger":        {changing(func(a *sentinel.Action) { a.Trigger = "" }), everywhere},
		"any as a trigger":  {changing(func(a *sentinel.Action) { a.Trigger = sentinel.Any }), everywhere},
		"no target":         {changing(func(a *sentinel.Action) { a.Target = "" }), everywhere},
		"another tool":      {changing(func(a *sentinel.Action) { a.Tool = "x" }), everywhere},
		"no forms":          {changing(func(a *sentinel.Action) { a.Forms = nil }), everywhere},
		"an empty form":     {changing(func(a *sentinel.Action) { a.Forms = append(a.Forms, "") }), everywhere},
		"another path":      {changing(func(a *sentinel.Action) { a.Path = "x" }), everywhere},
		"no operation":      {changing(func(a *sentinel.Action) { a.Op = sentinel.OpNone }), everywhere},
		"no command":        {changing(func(a *sentinel.Action) { a.Command = nil }), everywhere},
		"no server or tool": {changing(func(a *sentinel.Action) { a.Server, a.MCPTool = "", "" }), everywhere},
		"a relative folder": {changing(func(a *sentinel.Action) { a.Root = "." }), everywhere},
		"knows every tool": {func(ctx context.Context, ev sentinel.Event) ([]sentinel.Action, error) {
			actions, err := mapGood(ctx, ev)
			if err == sentinel.ErrUnknownTool {
				return nil, nil
			}
			return actions, err
		}, []string{"2 unknown tool"}},
		"takes what it cannot read for nothing": {func(ctx context.Context, ev sentinel.Event) ([]sentinel.Action, error) {
			if !json.Valid(ev.Tool.Args) && ev.Tool.Args != nil {
				return nil, nil
			}
			return mapGood(ctx, ev)
		}, []string{"3 not understood"}},
		"says unknown to what it cannot read": {func(ctx context.Context, ev sentinel.Event) ([]sentinel.Action, error) {
			actions, err := mapGood(ctx, ev)
			if err != nil {
				err = sentinel.ErrUnknownTool
			}
			return actions, err
		}, []string{"3 not understood", "3 hostile arguments"}},
		"panics on null": {func(ctx context.Context, ev sentinel.Event) ([]sentinel.Action, error) {
			if string(ev.Tool.Args) == "null" {
				panic("nil map")
			}
			return mapGood(ctx, ev)
		}, []string{"3 hostile arguments"}},
		"actions beside an error": {func(ctx context.Context, ev sentinel.Event) ([]sentinel.Action, error) {
			actions, err := mapGood(ctx, ev)
			if err != nil && ev.Tool.Args == nil {
				actions = []sentinel.Action{{}}
			}
			return actions, err
		}, []string{"3 hostile arguments"}},
		"does what it should map": {func(ctx context.Context, ev sentinel.Event) ([]sentinel.Action, error) {
			if ev.Tool.Name == "write" {
				_ = os.WriteFile(filepath.Join(ev.Root, "src", "main.go"), []byte("package x"), 0o600)
			}
			return mapGood(ctx, ev)
		}, []string{"4 changes nothing"}},
		"is not the same each time": {func(ctx context.Context, ev sentinel.Event) ([]sentinel.Action, error) {
			actions, err := mapGood(ctx, ev)
			for i := range actions {
				actions[i].Content = fmt.Sprint(turn.Add(1))
			}
			return actions, err
		}, []string{"5 concurrent"}},
		"writes to the event": {func(ctx context.Context, ev sentinel.Event) ([]sentinel.Action, error) {
			actions, err := mapGood(ctx, ev)
			if string(ev.Tool.Args) == `{"path":"README.md"}` {
				copy(ev.Tool.Args, `{"PATH`) // means the same
			}
			return actions, err
		}, []string{"5 event unchanged"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var found []string
			for _, clause := range mapperCases() {
				dir := t.TempDir()
				require.NoError(t, populate(dir))
				if clause.check(t.Context(), mapping{c.mapper, dir, knownCalls(), nil}) != nil {
					found = append(found, clause.name)
				}
			}
			require.ElementsMatch(t, c.broken, found)
		})
	}
}

// A mapper that makes one mistake fails one case, in few words.
func TestOneFaultIsReportedOnceAndShort(t *testing.T) {
	t.Parallel()
	m := mapping{dir: t.TempDir(), known: knownCalls(), reported: map[string]bool{}}
	require.NoError(t, populate(m.dir))
	m.mapper = sentinel.MapperFunc(func(ctx context.Context, ev sentinel.Event) ([]sentinel.Action, error) {
		actions, err := mapGood(ctx, ev)
		for i := range actions {
			actions[i].Target, actions[i].Root = strings.Repeat("x", 1<<20), "relative"
		}
		return actions, err
	})
	var failed []string
	for _, c := range mapperCases() {
		err := c.check(t.Context(), m)
		if err == nil {
			continue
		}
		failed = append(failed, c.name)
		require.Less(t, len(err.Error()), 2000)
		var d defect
		require.ErrorAs(t, err, &d)
		m.reported[d.what] = true
	}
	require.Equal(t, []string{"1 known calls"}, failed)
}
