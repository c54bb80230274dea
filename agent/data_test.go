package agent_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/agent"
	"github.com/agentsentinel/sentinel/agent/internal/agenttest"
	"github.com/agentsentinel/sentinel/internal/transcript"
)

// TestAbilities holds the abilities of every agent to what its protocol answers about a
// shell command.
func TestAbilities(t *testing.T) {
	t.Parallel()
	for _, name := range agenttest.ProtocolNames() {
		a := agenttest.Named(t, name)
		stdin, err := json.Marshal(a.Trial("/r", "ls"))
		require.NoError(t, err)
		ev, err := a.Decode(stdin)
		require.NoError(t, err)
		ev.Phase = sentinel.PhasePre
		has := func(ev sentinel.Event, decision, text string) bool {
			ans := a.Encode(ev, agenttest.ExampleDecision(decision))
			return strings.Contains(string(ans.Stdout), text)
		}
		assert.Equal(t, a.Abilities.AsksUser, has(ev, "ask", `"ask"`), "%s: AsksUser", name)
		context := has(ev, "info", "CHANGELOG")
		if name == "windsurf" {
			assert.True(t, context, "it shows the text to the user, not to the model")
			context = false
		}
		assert.Equal(t, a.Abilities.ContextBefore, context, "%s: ContextBefore", name)
		after := ev
		after.Phase, after.Tool.ID = sentinel.PhasePost, "call"
		assert.Equal(t, a.Abilities.ContextAfter, name != "windsurf" && has(after, "info", "CHANGELOG"), "%s: ContextAfter", name)
		ends := slices.ContainsFunc(agenttest.GoldenEvents(t, name), func(file string) bool {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			ev, err := a.Decode(text)
			return err == nil && ev.Phase == sentinel.PhaseEnd
		})
		assert.Equal(t, a.Abilities.TellsEnd, ends, "%s: TellsEnd", name)
	}
}

// TestValuesAreComplete: what every built-in agent has.
func TestValuesAreComplete(t *testing.T) {
	t.Parallel()
	for _, a := range agenttest.Agents.All() {
		assert.NotEmpty(t, a.Title, a.Name)
		assert.True(t, a.Settings.Known(), a.Name)
		assert.NotNil(t, a.Trial, a.Name)
		assert.NotEmpty(t, a.Abilities.OnBlock, a.Name)
		assert.NotEmpty(t, a.Tools.Write, a.Name)
		assert.NotEmpty(t, a.Tools.Run, a.Name)
		assert.NotEmpty(t, append(a.Traces.Programs, a.Traces.Paths...), a.Name)
		if a.Sessions.Format != "" {
			assert.Contains(t, transcript.Formats(), a.Sessions.Format, a.Name)
			assert.NotEmpty(t, a.Sessions.Files, a.Name)
		}
		if a.Speaks == "" {
			detected, ok := agenttest.Agents.Detect(trialOf(t, a))
			assert.True(t, ok, "the trial of %s does not show whose it is", a.Name)
			assert.Equal(t, a.Name, detected)
		}
	}
}

func trialOf(t *testing.T, a *agent.Agent) []byte {
	t.Helper()
	stdin, err := json.Marshal(a.Trial(t.TempDir(), "ls"))
	require.NoError(t, err)
	return stdin
}

// TestToolsAgree: a name means the same with all agents, because agents take over each
// other's tools.
func TestToolsAgree(t *testing.T) {
	t.Parallel()
	for _, a := range agenttest.Agents.All() {
		for _, list := range [][]string{a.Tools.Write, a.Tools.Run, a.Tools.Read, a.Tools.Search, a.Tools.MCP, a.Tools.Harmless} {
			for _, name := range list {
				want, ok := agenttest.Agents.Tool(a.Name, name)
				require.True(t, ok)
				for _, other := range agenttest.Agents.Names() {
					got, _ := agenttest.Agents.Tool(other, name)
					require.Equal(t, want.Does, got.Does, "%s: %s and %s", name, a.Name, other)
					require.Equal(t, want.Searches, got.Searches, "%s: %s and %s", name, a.Name, other)
				}
			}
		}
	}
}

// TestValuesNeedNoStartUp: a call in the value of an agent would run at every start of a
// hook, which is at every tool call.
func TestValuesNeedNoStartUp(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("internal/*/agent.go")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, path := range files {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, decl := range file.Decls {
			if gen, ok := decl.(*ast.GenDecl); ok && gen.Tok == token.VAR {
				ast.Inspect(gen, func(n ast.Node) bool {
					_, call := n.(*ast.CallExpr)
					_, function := n.(*ast.FuncLit)
					assert.False(t, call || function, "%s: a variable of the package has code in it", path)
					return true
				})
			}
		}
	}
}

// TestNewRefuses: an agent that could not be used is refused when it is added.
func TestNewRefuses(t *testing.T) {
	t.Parallel()
	good := agent.Agent{Name: "ours", Decode: agenttest.Named(t, "claude").Decode, Encode: agenttest.Named(t, "claude").Encode}
	_, err := agent.New(good)
	require.NoError(t, err)
	for want, change := range map[string]func(*agent.Agent){
		"other characters":      func(a *agent.Agent) { a.Name = "Our s" },
		"neither Decode":        func(a *agent.Agent) { a.Encode = nil },
		"which is not known":    func(a *agent.Agent) { a.Speaks = "nobody" },
		"empty sign":            func(a *agent.Agent) { a.Marks = []agent.Sign{{}} },
		"Before is nil":         func(a *agent.Agent) { a.Settings = agenttest.Named(t, "claude").Settings; a.Settings.Before = nil },
		"neither Form":          func(a *agent.Agent) { a.Settings.Files = agenttest.Named(t, "claude").Settings.Files },
		"but no ReadScript":     func(a *agent.Agent) { a.Settings.Script = agenttest.Named(t, "cline").Settings.Script },
		`the name "" has other`: func(a *agent.Agent) { a.Name = "" },
	} {
		bad := good
		change(&bad)
		_, err := agent.New(bad)
		require.ErrorContains(t, err, want)
	}
}

// TestRegistryIsAValue: agents are added to one registry and to no other, and what a
// caller does to an agent changes none of them.
func TestRegistryIsAValue(t *testing.T) {
	t.Parallel()
	claude := agenttest.Named(t, "claude")
	ours := *claude
	ours.Name, ours.Title = "ours", ""
	replaced := *claude
	replaced.Title = "Another"
	r, err := agent.New(ours, replaced)
	require.NoError(t, err)
	require.Contains(t, r.Names(), "ours")
	require.NotContains(t, agenttest.Agents.Names(), "ours")
	require.Len(t, r.All(), len(agenttest.Agents.All())+1)
	require.Equal(t, "Another", r.Find("claude").Title)
	require.Equal(t, "Claude Code", agenttest.Agents.Find("claude").Title)
	r.Find("ours").Name = "changed"
	require.NotNil(t, r.Find("ours"))
	require.Equal(t, "ours", r.Find("ours").DisplayName())
	require.Nil(t, r.Find("nobody"))
}

// seenTest is the name of a test in a claim.
var seenTest = regexp.MustCompile(`^(Test\w+)(?:/(\w+))?$`)

// TestClaims: every test that a claim names exists in package e2e.
func TestClaims(t *testing.T) {
	t.Parallel()
	var functions, inE2E []string
	files, err := filepath.Glob("../e2e/*_test.go")
	require.NoError(t, err)
	for _, path := range files {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, decl := range file.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && fn.Recv == nil {
				functions = append(functions, fn.Name.Name)
			}
		}
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		for _, m := range regexp.MustCompile(`(?:t\.Run\(|\{name: )"(\w+)"`).FindAllStringSubmatch(string(text), -1) {
			inE2E = append(inE2E, m[1])
		}
	}
	var known []string
	for _, p := range parts {
		known = append(known, p.name)
		if p.name != "verified" { // in several of the others
			assert.Contains(t, inE2E, p.name, "the table has a part that no test of package e2e has")
		}
	}
	for _, a := range agenttest.Agents.All() {
		for _, s := range a.Seen {
			for part := range s.Parts {
				assert.Contains(t, known, part, "%s says something of a part that there is not", a.Name)
			}
			for _, c := range []agent.Claim{s.Block, s.Ask, s.Warn, s.Context, s.Stop} {
				if c.Test == "" {
					continue
				}
				m := seenTest.FindStringSubmatch(c.Test)
				require.NotNil(t, m, "%s: %q is not the name of a test", a.Name, c.Test)
				assert.Contains(t, functions, m[1], "%s claims a test that package e2e does not have", a.Name)
				if m[2] != "" {
					assert.Contains(t, inE2E, m[2], "%s claims a part that no test of package e2e has", a.Name)
				}
			}
		}
	}
}
