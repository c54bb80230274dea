package trigger_test

import (
	"encoding/json"
	"testing"

	sentinel "github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/sentineltest"
	"github.com/agentsentinel/sentinel/trigger"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	sentineltest.RunToolMapper(t, func(*testing.T) sentinel.ToolMapper { return trigger.New(nil) },
		sentinel.ToolCall{Name: "Write", Args: json.RawMessage(`{"file_path":"src/a.go","content":"package a\n"}`)},
		sentinel.ToolCall{Name: "Bash", Args: json.RawMessage(`{"command":"rm -rf src && echo x > b"}`)},
		sentinel.ToolCall{Name: "Read", Args: json.RawMessage(`{"file_path":"src/a.go"}`)},
		sentinel.ToolCall{Name: "mcp__filesystem__write_file", Args: json.RawMessage(`{"path":"a","content":"x"}`)},
		sentinel.ToolCall{Name: "apply_patch", Args: json.RawMessage(`{"input":"*** Begin Patch\n*** Add File: a\n+x\n*** End Patch"}`)},
	)
}
