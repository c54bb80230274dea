package cline_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/agent/internal/agenttest"
)

func TestClineRefuses(t *testing.T) {
	t.Parallel()
	agenttest.RequireRefusals(t, "cline", []agenttest.Refusal{
		{"no name", `{"clineVersion":"3","taskId":"t","preToolUse":{"toolName":"editor"}}`, "hookName is missing"},
		{"name of another type", `{"hookName":1}`, "hookName must be a string, not a number"},
		{"task of another type", `{"hookName":"TaskStart","taskId":1}`, "taskId must be a string, not a number"},
		{"roots are one text", `{"hookName":"TaskStart","workspaceRoots":"/r"}`, "workspaceRoots must be a list of strings"},
		{"no call", `{"hookName":"PreToolUse"}`, "toolName is missing"},
		{"no call, of the other program", `{"hookName":"tool_call"}`, "toolName is missing"},
		{"call is a text", `{"hookName":"tool_call","tool_call":"editor"}`, "tool_call must be an object, not a string"},
		{"call of the extension is a list", `{"hookName":"PreToolUse","preToolUse":[]}`, "preToolUse must be an object, not an array"},
		{"no tool", `{"hookName":"tool_call","tool_call":{"id":"c","input":{}}}`, "name is missing"},
		{"tool renamed", `{"hookName":"PreToolUse","preToolUse":{"tool":"editor","parameters":{}}}`, "toolName is missing"},
		{"tool of another type", `{"hookName":"tool_call","tool_call":{"name":["editor"]}}`, "name must be a string, not an array"},
		{"id of another type", `{"hookName":"tool_call","tool_call":{"name":"editor","id":1}}`, "id must be a string, not a number"},
		{"input is a number", `{"hookName":"tool_call","tool_call":{"name":"editor","input":1}}`, "input must be an object or a string, not a number"},
		{"parameters are a boolean", `{"hookName":"PreToolUse","preToolUse":{"toolName":"editor","parameters":true}}`, "parameters must be an object or a string, not a boolean"},
	})
}

func TestClineTolerates(t *testing.T) {
	t.Parallel()
	agenttest.RequireTolerance(t, "cline", []agenttest.Tolerance{
		{"no parameters", `{"hookName":"PreToolUse","preToolUse":{"toolName":"editor"}}`, "editor", `{}`},
		{"commands as a list", `{"hookName":"tool_call","tool_call":{"name":"run_commands","input":["ls"]}}`, "run_commands", `["ls"]`},
		{"patch as text", `{"hookName":"tool_call","tool_call":{"name":"apply_patch","input":"*** Begin Patch"}}`, "apply_patch", `"*** Begin Patch"`},
		{"both forms: the native one counts", `{"hookName":"tool_call","tool_call":{"name":"editor","input":{"insert_line":1}},"preToolUse":{"toolName":"editor","parameters":{"insert_line":"1"}}}`, "editor", `{"insert_line":1}`},
		{"native form missing", `{"hookName":"tool_call","tool_call":null,"preToolUse":{"toolName":"editor","parameters":{"a":"1"}}}`, "editor", `{"a":"1"}`},
		{"fields nobody knows", `{"hookName":"PreToolUse","workspaceRoots":["vscode-vfs://x"],"x":1,"preToolUse":{"toolName":"editor","parameters":{"y":"z"}}}`, "editor", `{"y":"z"}`},
	})
}

// TestClineResults holds what is read as the output of a call and as its failure.
func TestClineResults(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, fields string
		output       string
		failed       bool
	}{
		{"extension", `"postToolUse":{"toolName":"t","result":"ok","success":true}`, "ok", false},
		{"extension leaves out what is false", `"postToolUse":{"toolName":"t","result":"no"}`, "no", true},
		{"extension, nothing else", `"postToolUse":{"toolName":"t"}`, "", true},
		{"text", `"tool_result":{"name":"t","output":"ok"}`, "ok", false},
		{"text that is JSON", `"tool_result":{"name":"t","output":"7"}`, "7", false},
		{"null", `"tool_result":{"name":"t","output":null,"error":null}`, "", false},
		{"one result", `"tool_result":{"name":"t","output":{"query":"q","result":"ok","success":true}}`, "ok", false},
		{"one of two failed", `"tool_result":{"name":"t","output":[{"result":"a","success":true},{"result":"b","success":false}]}`, "a\nb", true},
		{"no output but an error", `"tool_result":{"name":"t","output":[{"error":"gone","success":false}]}`, "gone", true},
		{"error", `"tool_result":{"name":"t","output":"","error":"gone"}`, "gone", true},
		{"error as an object", `"tool_result":{"name":"t","error":{"message":"gone"}}`, "gone", true},
		{"another object", `"tool_result":{"name":"t","output":{"a":1}}`, `{"a":1}`, false},
		{"an empty list", `"tool_result":{"name":"t","output":[]}`, `[]`, false},
		{"a list of texts", `"tool_result":{"name":"t","output":["a"]}`, `["a"]`, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ev, err := agenttest.Named(t, "cline").Decode([]byte(`{"hookName":"PostToolUse",` + tt.fields + `}`))
			require.NoError(t, err)
			require.Equal(t, sentinel.PhasePost, ev.Phase)
			require.Equal(t, tt.output, ev.Tool.Output)
			require.Equal(t, tt.failed, ev.Tool.Failed)
		})
	}
}

// TestClineRecordings reads what Cline really sent.
func TestClineRecordings(t *testing.T) {
	t.Parallel()
	for _, file := range agenttest.Recordings(t, "cline/*/*.json") {
		stdin, err := os.ReadFile(file)
		require.NoError(t, err)
		agenttest.RequireDetected(t, "cline", file, stdin)
		ev, err := agenttest.Named(t, "cline").Decode(stdin)
		require.NoError(t, err, file)
		event, tool := agenttest.RecordedName(file)
		require.Equal(t, map[string]sentinel.Phase{
			"TaskStart": sentinel.PhaseStart, "PreToolUse": sentinel.PhasePre, "PostToolUse": sentinel.PhasePost, "TaskComplete": sentinel.PhaseStop,
		}[event], ev.Phase, file)
		require.NotEmpty(t, ev.Session, file)
		require.Equal(t, "/home/dev/repo", ev.Dir, file)
		require.Equal(t, tool, ev.Tool.Name, file)
		require.Equal(t, tool != "", ev.Tool.ID != "", file)
		require.Equal(t, ev.Phase == sentinel.PhasePost, ev.Tool.Output != "", file)
		require.Equal(t, strings.Contains(ev.Tool.Output, "exited with code 128"), ev.Tool.Failed, file)
	}
}

func FuzzClineDecode(f *testing.F) {
	agenttest.FuzzEvents(f, "cline", `{"hookName":"tool_result","tool_result":{"name":"t","output":[{"success":false,"error":[1]},null]}}`,
		`{"hookName":"PostToolUse","postToolUse":{"toolName":"t","parameters":[],"result":"[{\"result\":1}]"}}`)
}
