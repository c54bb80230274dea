package trigger

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	sentinel "github.com/agentsentinel/sentinel"
)

// ownTools are tools whose arguments have no usual name, or are deeper down.
func ownTools() *Options {
	return &Options{
		Extra: map[string]sentinel.Trigger{
			"save": sentinel.FileWrite, "revise": sentinel.FileWrite, "relocate": sentinel.FileWrite,
			"peek": sentinel.FileRead, "sh": sentinel.Bash, "remove_doc": sentinel.FileWrite,
		},
		Args: map[string]ArgKeys{
			"save":       {Path: "target.where", Content: "target.body"},
			"revise":     {Path: "doc", Edits: "batch.items", Content: "after", Old: "before"},
			"relocate":   {Path: "here", To: "there.name"},
			"remove_doc": {Path: "docs"},
			"peek":       {Path: "docs"},
			"sh":         {Command: "job.line", Dir: "job.at"},
		},
	}
}

func TestConfiguredArguments(t *testing.T) {
	t.Parallel()
	opts := ownTools()
	for _, c := range []struct {
		name, tool, args string
		want             []string
		fault            string
	}{
		{"nested", "save", `{"target":{"where":"a.go","body":"x"}}`, []string{`file_write/create sub/a.go "x"`}, ""},
		{"nested in JSON text", "save", `{"target":"{\"where\":\"a.go\"}"}`, []string{`file_write/create sub/a.go`}, ""},
		{"a key that has the dots itself", "save", `{"target.where":"a.go","target.body":"x"}`, []string{`file_write/create sub/a.go "x"`}, ""},
		{"both: neither hides the other", "save", `{"target.where":"ok.go","target":{"where":"src/a.go"}}`, []string{`file_write/create sub/ok.go`, `file_write/create sub/src/a.go`}, ""},
		{"usual names do not count", "save", `{"path":"a.go","target":{}}`, nil, "no target.where"},
		{"what it leads through is no object", "save", `{"target":"a.go"}`, nil, "no target.where"},
		{"no string", "save", `{"target":{"where":7}}`, nil, "target.where is or holds a number"},

		{"a list of edits", "revise", `{"doc":"a.go","batch":{"items":[{"before":"1","after":"2"},{"before":"3","after":"4"}]}}`,
			[]string{`file_write/edit sub/a.go "2\n4" for "1\n3"`}, ""},
		{"edits with paths of their own", "revise", `{"batch":{"items":[{"doc":"a.go","after":"1"},{"doc":["b.go","c.go"],"after":"2"}]}}`,
			[]string{`file_write/edit sub/a.go "1"`, `file_write/edit sub/b.go "2"`, `file_write/edit sub/c.go "2"`}, ""},
		{"an edit with a bad path", "revise", `{"batch":{"items":[{"doc":{}}]}}`, nil, "doc is or holds an object"},
		{"usual lists do not count", "revise", `{"edits":[{"doc":"a.go"}]}`, nil, "no doc"},

		{"a patch as the content of a file", "save", `{"target":{"where":"src/a.go"},"content":` + quoted(patchText) + `}`, []string{`file_write/create sub/src/a.go`}, ""},
		{"a patch in place of the arguments", "save", quoted(patchText), nil, "no target.where"},

		{"a move", "relocate", `{"here":"a.go","there":{"name":"b.go"}}`, []string{`file_write/move sub/a.go`, `file_write/create sub/b.go`}, ""},
		{"a move to nowhere", "relocate", `{"here":"a.go"}`, nil, "no here or no there.name: a move needs both"},
		{"a list of paths", "remove_doc", `{"docs":["a.go",null,"b.go"]}`, []string{`file_write/delete sub/a.go`, `file_write/delete sub/b.go`}, ""},
		{"a list of something else", "remove_doc", `{"docs":["a.go",{"path":"b.go"}]}`, nil, "docs is or holds an object"},
		{"reading", "peek", `{"docs":["a.go","b.go"]}`, []string{`file_read sub/a.go`, `file_read sub/b.go`}, ""},

		{"a command", "sh", `{"job":{"line":"echo x > a","at":"deep"}}`, []string{`bash echo x > a`, `file_write/create sub/deep/a "x\n"`}, ""},
		{"a command in words", "sh", `{"job":{"line":["rm","a b"]}}`, []string{`bash rm 'a b'`, `file_write/delete sub/a b`}, ""},
		{"two commands", "sh", `{"job.line":"ls","job":{"line":"rm a"}}`, []string{`bash ls`, `bash rm a`, `file_write/delete sub/a`}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			actions, err := mapCall(t, opts, "own", c.tool, c.args)
			if c.fault != "" {
				require.ErrorIs(t, err, sentinel.ErrEvent)
				require.ErrorContains(t, err, c.fault)
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.want, briefs(actions))
		})
	}
}

func FuzzConfiguredArguments(f *testing.F) {
	tools := slices.Sorted(maps.Keys(ownTools().Args))
	for i := range tools {
		for _, args := range []string{
			`{"target":{"where":"a","body":1},"target.where":["b"]}`, `{"batch":{"items":[{"doc":["a",null],"after":"x"}]}}`,
			`{"docs":[[],""],"here":"a","there":{"name":"../b"}}`, `{"job":"{\"line\":[\"rm\",\"-rf\",\"..\"],\"at\":\"/\"}"}`,
		} {
			f.Add(i, args)
		}
	}
	m := New(ownTools())
	f.Fuzz(func(t *testing.T, tool int, args string) {
		actions, err := m.MapTool(t.Context(), sentinel.Event{
			Dir: "/no-such-repo", Tool: sentinel.ToolCall{Name: tools[uint(tool)%uint(len(tools))], Args: json.RawMessage(args)},
		})
		if err != nil {
			require.Empty(t, actions)
			return
		}
		require.NotEmpty(t, actions, "a call of a known tool is never nothing")
		for _, a := range actions {
			require.NotEmpty(t, a.Target)
			require.NotEmpty(t, a.Forms)
		}
	})
}
