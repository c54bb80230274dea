package project_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/project"
)

// TestAppendOnly holds the rule of docs/life-of-a-rule.md, that only new files may
// be written, and its like with exists and tracked: a file that is there is written by none
// of the ways in which one can be.
func TestAppendOnly(t *testing.T) {
	t.Parallel()
	for _, when := range []string{`operation != "create"`, "exists", "tracked"} {
		dir := tree{
			".claude/sentinel/config.yaml": "backend: builtin\nfail_open: false\n",
			".claude/sentinel/rules/frozen.yaml": "trigger: file_write\nscope: [\"db/migrations/**/*.sql\"]\nbackend: builtin\n" +
				"when: '" + when + "'\n",
			"db/migrations/0007.sql": "create table orders;\n",
			"new.sql":                "x\n",
		}.write(t)
		for _, args := range [][]string{{"init", "-q"}, {"add", "db"}} {
			cmd := exec.Command("git", args...)
			cmd.Dir = dir
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Skipf("git: %v: %s", err, out)
			}
		}
		p := project.Open([]string{dir}, nil)
		const old, fresh = "db/migrations/0007.sql", "db/migrations/0008.sql"
		command := func(line string) sentinel.Event {
			ev := write(dir, "x")
			ev.Tool = sentinel.ToolCall{Name: "Bash", Args: []byte(`{"command": "` + line + `"}`)}
			return ev
		}
		require.Equal(t, "block", verdict(t, p, write(dir, filepath.FromSlash(old))), "Write: %s", when)
		require.Equal(t, "allow", verdict(t, p, write(dir, filepath.FromSlash(fresh))), "Write: %s", when)
		for _, line := range []string{"cat > FILE <<<x", "cp new.sql FILE", "mv new.sql FILE", "echo x | tee FILE", "cp new.sql db/../FILE", "dd if=new.sql of=FILE", "install new.sql FILE"} {
			for name, want := range map[string]string{old: "block", fresh: "allow"} {
				require.Equal(t, want, verdict(t, p, command(replaced(line, name))), "%s: %s %s", when, line, name)
			}
		}
		for _, line := range []string{"echo x >> FILE", "sed -i s/a/b/ FILE", "rm FILE", "mv FILE x.sql"} {
			require.Equal(t, "block", verdict(t, p, command(replaced(line, old))), "%s: %s", when, line)
		}
		// A pattern means the files that are there.
		for _, line := range []string{
			"sed -i s/a/b/ db/migrations/*.sql", "sed -i s/a/b/ db/*/0007.sql", "echo x | tee db/migrations/000?.sql", "rm db/migrations/00*.sql",
			"for f in db/migrations/*.sql; do echo x > $f; done", "find db -name '*.sql' -exec sed -i s/a/b/ {} +", "find . -name '00*.sql' | xargs rm",
		} {
			require.Equal(t, "block", verdict(t, p, command(line)), "%s: %s", when, line)
		}
		// What is to be committed is there already, and tracked.
		for op, want := range map[sentinel.Op]string{sentinel.OpCreate: "allow", sentinel.OpEdit: "block", sentinel.OpDelete: "block"} {
			change := sentinel.Event{Phase: sentinel.PhasePre, Agent: "commit", Dir: dir,
				Actions: []sentinel.Action{{Trigger: sentinel.FileWrite, Op: op, Path: filepath.Join(dir, filepath.FromSlash(old))}}}
			require.Equal(t, want, verdict(t, p, change), "%s: %s", when, op)
		}
	}
}

func replaced(line, name string) string { return strings.ReplaceAll(line, "FILE", name) }
