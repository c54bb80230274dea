package transcript

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEssential(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ tool, args, want string }{
		{"Bash", `{"description":"d","command":"git push"}`, "git push"},
		{"shell", `{"command":["bash","-lc","ls"]}`, "bash -lc ls"},
		{"Grep", `{"path":"src","pattern":"x"}`, "x in src"},
		{"Glob", `{"pattern":"**/*.go"}`, "**/*.go"},
		{"Write", `{"content":"c","file_path":"/a"}`, "/a"},
		{"write", `{"content":"c","filePath":"/a"}`, "/a"},
		{"WebFetch", `{"url":"https://x.test","prompt":"p"}`, "https://x.test"},
		{"mcp__a__b", `{"x":1}`, "a:b"},
		{"apply_patch", `"*** Begin Patch\n*** Update File: a\n*** Move to: b\n*** Delete File: c\n*** End Patch"`, "a b c"},
		{"apply_patch", `{"input":"*** Begin Patch\n*** Add File: a\n*** End Patch"}`, "a"},
		{"Task", `{"description":"look","subagent_type":"explore","prompt":"find"}`, "explore"},
		{"odd", `{"one":"first","two":"second"}`, "first"},
		{"odd", `{"n":1}`, ""},
		{"odd", `[1]`, ""},
		{"odd", ``, ""},
		{"read_many", `{"paths":["a","b"]}`, "a b"},
	} {
		require.Equal(t, c.want, essential(c.tool, json.RawMessage(c.args)), c.tool+c.args)
	}
}

func TestExitCode(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"x\nExit Code: 1\nSignal: 0": "1", "Exit Code: 5\nExit Code: 0": "0", "<shellId: 3 completed with exit code -1>": "-1", "Exit Code: (none)": "", "": ""} {
		code, ok := exitCode(text)
		require.Equal(t, want, code)
		require.Equal(t, want != "", ok)
	}
}
