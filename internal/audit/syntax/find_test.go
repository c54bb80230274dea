package syntax_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/audit/rubric"
	"github.com/agentsentinel/sentinel/internal/audit/syntax"
)

// probesOf are the probes that the files of testdata/hits are asked, by the
// names after "hit:" on the lines where they are to find something.
func probesOf(file string) map[string]rubric.Probe {
	call := func(name string) rubric.Probe { return rubric.Probe{Call: name} }
	switch file {
	case "calls.py", "shadow.py":
		return map[string]rubric.Probe{"os.system": call("os.system"), ".system": call(".system"), "eval": call("eval"), "subprocess.*": call("subprocess.*")}
	case "classes.py":
		return map[string]rubric.Probe{"BaseModel": {Base: "BaseModel"}, "pydantic.BaseModel": {Base: "pydantic.BaseModel"}}
	case "imports.py":
		return map[string]rubric.Probe{"langgraph": {Imports: "langgraph"}, "langgraph.graph": {Imports: "langgraph.graph"}}
	case "classes.tsx":
		return map[string]rubric.Probe{"Component": {Base: "Component"}, "react.Component": {Base: "react.Component"}}
	case "calls.ts", "calls.js":
		return map[string]rubric.Probe{"exec": call("child_process.exec"), ".exec": call("*.exec"), "import": {Imports: "child_process"}, "eval": call("eval")}
	default:
		return map[string]rubric.Probe{"exec": call("os/exec.Command*"), ".Command": call(".Command"), "import": {Imports: "os/exec"}, "yaml": call("gopkg.in/yaml.v3.Unmarshal")}
	}
}

// marked lists the lines on which a file says that the probe finds something.
func marked(src, probe string) []int {
	var lines []int
	for i, line := range strings.Split(src, "\n") {
		_, names, _ := strings.Cut(line, "hit:")
		for _, name := range strings.Fields(names) {
			if name == probe {
				lines = append(lines, i+1)
			}
		}
	}
	return lines
}

func TestFindFindsWhatTheFilesMark(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/hits/*")
	require.NoError(t, err)
	require.Len(t, files, 8)
	for _, path := range files {
		src, err := os.ReadFile(path)
		require.NoError(t, err)
		name := filepath.Base(path)
		for label, probe := range probesOf(name) {
			t.Run(name+" "+label, func(t *testing.T) {
				t.Parallel()
				q, err := syntax.Compile(&probe)
				require.NoError(t, err)
				r := q.Find(context.Background(), syntax.File{Path: path, Lang: syntax.Language(path), Source: src})
				require.NoError(t, r.Err)
				require.False(t, r.Broken)
				found := []int{}
				for _, h := range r.Hits {
					found = append(found, h.First)
					require.LessOrEqual(t, h.First, h.Last)
					require.NotEmpty(t, h.Snippet)
					require.NotEmpty(t, h.Captures["name"])
				}
				require.Equal(t, append([]int{}, marked(string(src), label)...), found)
				if len(found) > 0 {
					require.True(t, slices.ContainsFunc(q.Literals(), func(l string) bool { return strings.Contains(string(src), l) }), "%v", q.Literals())
				}
			})
		}
	}
}
