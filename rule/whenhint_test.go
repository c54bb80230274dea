package rule

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestWhenHints shows expressions that are never true, each with what to write instead, and
// some that may be true.
func TestWhenHints(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ trigger, when, want string }{
		{"bash", "false", "`when` is always false: the rule stops nothing"},
		{"bash", "1 > 2 or not true", "is always false"},
		{"file_write", `operation == "write"`, "`operation` is never \"write\""},
		{"file_write", `operation in ["edit", "remove"]`, "`operation` is never \"remove\""},
		{"file_write", `"creat" == operation`, `did you mean "create"`},
		{"file_write", `not (operation != "apend")`, `did you mean "append"`},
		{"file_write", `trigger == "bash"`, "`trigger` is never \"bash\""},
		{"any", `trigger == "file_read"`, "`trigger` is never \"file_read\""},
		{"any", `agent == "Claude Code"`, "`agent` is never \"Claude Code\""},
		{"bash", `any(effects, .kind == "write")`, "`.kind` is never \"write\""},
		{"file_write", `any(secrets(content), .kind == "aws-key")`, "`.kind` is never \"aws-key\""},
		{"file_write", `operation == "edit" and exists and operation == "append"`, `cannot be both "edit" and "append"; write`},
		{"file_write", `path == "src/*.ts"`, "write `glob(path, \"src/*.ts\")`"},
		{"file_write", `path endsWith "*.ts"`, "write `glob(path, \"*.ts\")`"},
		{"file_write", `path startsWith "./src"`, `no path begins with ./: write "src"`},

		{"bash", "true", ""},
		{"bash", `any(effects, .kind in ["delete", "lose"])`, ""},
		{"bash", `command contains "*" and command startsWith "rm *"`, ""},
		{"any", `trigger == "bash" or trigger == "mcp"`, ""},
		{"any", `agent in ["claude", "commit"] and agent != "codex"`, ""},
		{"file_write", `operation == "edit" or operation == "append"`, ""},
		{"file_write", `operation == "edit" and path == "a" or operation == "append" and path == "b"`, ""},
		{"file_write", `any(secrets(content), .kind == "generic-password") and path != "a.md"`, ""},
		{"mcp", `any(args.list, .kind == "write") and args.kind == "x"`, ""},
		{"mcp", `server == "pg" and tool == "query"`, ""},
	} {
		r := build(t, "trigger: "+c.trigger+"\nbackend: builtin\nwhen: |\n  "+c.when+"\n", &Options{Agents: func() []string { return []string{"claude", "codex", "commit"} }})
		require.NoError(t, r.Spec().Err, c.when)
		said := report(r.ScopeHints(nil))
		if c.want == "" {
			assert.Empty(t, said, c.when)
		} else {
			assert.Contains(t, said, c.want, c.when)
		}
	}
	doubtful := build(t, "trigger: file_write\nverdict: exact\nwhen: exists\ndoubtful: operation == \"write\"\nprompt: x\n", nil)
	assert.Contains(t, report(doubtful.ScopeHints(nil)), "`doubtful` `operation` is never")
}
