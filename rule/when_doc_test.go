package rule

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/shell"
)

// docCase is an action below an example of docs/when.md.
type docCase struct {
	Bash, Write, Read, MCP string
	Content, Old           string
	Args                   map[string]any
}

// action is what the tool call of the case does.
func (c *docCase) action(t *testing.T) *sentinel.Action {
	t.Helper()
	a := &sentinel.Action{Root: "/home/me/project", Dir: "/home/me/project", Agent: "claude"}
	switch {
	case c.Bash != "":
		a.Trigger, a.Target, a.Tool = sentinel.Bash, c.Bash, "Bash"
		a.Forms, a.Command = []string{c.Bash}, shell.Parse(c.Bash, nil)
	case c.Write != "":
		a.Trigger, a.Op, a.Target, a.Tool = sentinel.FileWrite, sentinel.OpCreate, c.Write, "Write"
		a.Path, a.Forms, a.Content, a.Old = c.Write, []string{c.Write}, c.Content, c.Old
		if c.Old != "" {
			a.Op = sentinel.OpEdit
		}
	case c.Read != "":
		a.Trigger, a.Target, a.Tool = sentinel.FileRead, c.Read, "Read"
		a.Path, a.Forms = c.Read, []string{c.Read}
	default:
		server, tool, ok := strings.Cut(c.MCP, ":")
		require.True(t, ok, "a case is one of bash, write, read and mcp: %+v", c)
		a.Trigger, a.Target, a.Tool = sentinel.MCP, c.MCP, "mcp__"+server+"__"+tool
		a.Server, a.MCPTool, a.Forms = server, tool, []string{c.MCP, tool, server}
		args, err := json.Marshal(c.Args)
		require.NoError(t, err)
		a.Args = args
	}
	return a
}

// TestWhenExamples evaluates the examples of docs/when.md on the actions that
// follow them.
func TestWhenExamples(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/when.md")
	require.NoError(t, err)
	blocks := regexp.MustCompile("(?s)### (\\d+)\\.[^\n]*\n\n```yaml\n(.*?)```").FindAllStringSubmatch(string(page), -1)
	require.Len(t, blocks, 4)
	for _, block := range blocks {
		t.Run("example "+block[1], func(t *testing.T) {
			t.Parallel()
			var example struct {
				When  string
				True  []docCase `yaml:"true"`
				False []docCase `yaml:"false"`
			}
			require.NoError(t, yaml.Unmarshal([]byte(block[2]), &example))
			require.NotEmpty(t, example.True)
			require.NotEmpty(t, example.False)
			w, err := compileWhen(example.When)
			require.NoError(t, err)
			for _, list := range []struct {
				cases []docCase
				want  bool
			}{{example.True, true}, {example.False, false}} {
				for _, c := range list.cases {
					a := c.action(t)
					got, err := w.eval(context.Background(), a, sentinel.Match{OK: true})
					assert.NoError(t, err)
					assert.Equal(t, list.want, got, fmt.Sprint(a.Target))
					assert.NoError(t, checkWhen(example.When, sentinel.Any, ""))
				}
			}
		})
	}
}

// TestWhenPage holds that the page names everything that an expression can name.
func TestWhenPage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/when.md")
	require.NoError(t, err)
	names := append(whenVariables(), whenFields(reflect.TypeFor[whenCommand]())...)
	names = append(names, whenFields(reflect.TypeFor[whenEffect]())...)
	for _, name := range append(names, whenFields(reflect.TypeFor[whenSecret]())...) {
		assert.Contains(t, string(page), "`"+name+"`")
	}
	for _, name := range whenFunctions() {
		assert.Contains(t, string(page), "| `"+name+"(")
	}
}
