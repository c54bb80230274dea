package hook

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/exit"
	"github.com/agentsentinel/sentinel/internal/gittest"
	"github.com/agentsentinel/sentinel/project"
)

const (
	dayRule   = "trigger: bash\nseverity: block\nscope: [\"git push*\"]\nwhen: \"true\"\nmessage: not pushed\n"
	dayConfig = "backend: builtin\nfail_open: false\n"
	dayFolder = ".claude/sentinel"
)

// A gitDay is a repository at which an agent with a hook works.
type gitDay struct {
	*gittest.Repository
	t     *testing.T
	state string
	calls int
}

// ask sends a command to the hook, in a session of its own.
func (d *gitDay) ask(command string) (said string, stopped bool) {
	d.t.Helper()
	d.calls++
	event, err := json.Marshal(map[string]any{
		"session_id": fmt.Sprint("s", d.calls), "cwd": d.Dir, "hook_event_name": "PreToolUse",
		"tool_name": "Bash", "tool_use_id": fmt.Sprint(d.calls), "tool_input": map[string]string{"command": command},
	})
	require.NoError(d.t, err)
	var stdout, stderr bytes.Buffer
	status := Run(&Env{
		Args: []string{"--agent", "claude"}, Stdin: bytes.NewReader(event), Stdout: &stdout, Stderr: &stderr,
		Getenv: func(string) string { return "" }, Dir: d.Dir, Now: time.Now,
		Project: func() *project.Options {
			return &project.Options{StateDir: filepath.Join(d.state, "state"), CacheDir: filepath.Join(d.state, "cache")}
		},
	})
	return stdout.String() + stderr.String(), status == exit.Block
}

// weaker reports whether the files, by themselves, stop less than in the morning.
func (d *gitDay) weaker() bool {
	rule, _ := os.ReadFile(filepath.Join(d.Dir, dayFolder, "rules", "push.yaml"))
	config, _ := os.ReadFile(filepath.Join(d.Dir, dayFolder, "config.yaml"))
	return string(rule) != dayRule || !strings.Contains(string(config), "fail_open: false")
}

// run runs a git command that may fail, as a conflict does.
func (d *gitDay) run(command string) {
	d.t.Helper()
	cmd := exec.Command("sh", "-c", command)
	cmd.Dir = d.Dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "GIT_EDITOR=true",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")
	out, _ := cmd.CombinedOutput()
	d.t.Logf("%s\n%s", command, out)
}

func newGitDay(t *testing.T) *gitDay {
	d := &gitDay{Repository: gittest.New(t), t: t, state: t.TempDir()}
	d.Write("README.md", "hello\n")
	d.Commit("one")
	d.Git("branch", "old")
	d.Write(dayFolder+"/config.yaml", strings.ReplaceAll(dayConfig, "false", "true"))
	d.Write(dayFolder+"/rules/push.yaml", strings.ReplaceAll(dayRule, "block", "warn"))
	d.Commit("a beginning")
	d.Git("branch", "beginning")
	d.Write(dayFolder+"/config.yaml", dayConfig)
	d.Write(dayFolder+"/rules/push.yaml", dayRule)
	d.Commit("strict")
	d.Git("branch", "conflict")
	d.Git("checkout", "--quiet", "conflict")
	d.Write(dayFolder+"/rules/push.yaml", strings.ReplaceAll(dayRule, "not pushed", "never"))
	d.Commit("other words")
	d.Git("branch", "weak", "main")
	d.Git("checkout", "--quiet", "weak")
	d.Write(dayFolder+"/rules/push.yaml", strings.ReplaceAll(dayRule, "block", "info\nprompt: x"))
	d.Commit("less")
	d.Git("checkout", "--quiet", "main")
	_, stopped := d.ask("git push")
	require.True(t, stopped)
	return d
}

// After each command of a day with git the guard is as strong as before, or the
// person was told; and what is protected is stopped all the same.
func TestADaysOrdinaryGit(t *testing.T) {
	t.Parallel()
	for _, step := range []string{
		"git checkout old",
		"git switch beginning",
		"git checkout -B x old",
		"git switch --detach HEAD~1",
		"git checkout HEAD~1 -- .claude",
		"git reset --hard HEAD~2",
		"git reset --keep HEAD~1",
		"git revert --no-edit HEAD HEAD~1",
		"git revert -n HEAD HEAD~1",
		"git merge weak",
		"git checkout -q conflict && git commit -qm x --allow-empty && git checkout -q main && sed -i.bak 's/not pushed/mine/' .claude/sentinel/rules/push.yaml && rm -f .claude/sentinel/rules/*.bak && git commit -qam mine && git merge conflict",
		"git rebase --onto old main~1 main",
		"git cherry-pick weak",
		"git sparse-checkout set src",
		"git rm -rq .claude && git stash && git stash pop",
		"git rm -rq --cached .claude && git stash -u -q && rm -rf .claude",
		"git rm -rq --cached .claude && git stash -a -q",
		"git diff main old | git apply",
		"git diff main beginning > ../p && git apply ../p",
		"git format-patch -q --stdout main..weak > ../m && git am -q ../m",
		"git show HEAD | patch -R -p1",
		"git fetch -q . weak && git pull -q --ff-only . weak",
		"git worktree list && git restore --source old --worktree .claude",
		"git read-tree -um old",
		"git clean -fdxq .claude",
	} {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			d := newGitDay(t)
			d.run(step)
			weaker := d.weaker()
			said, _ := d.ask("ls")
			if weaker {
				require.True(t, strings.Contains(said, "sentinel accept"), "the person was not told: %q", said)
			}
			_, stopped := d.ask("git push")
			require.True(t, stopped)
		})
	}
}

// A change of words alone is not reported, and a branch that is known is silent.
func TestADayWithoutAChange(t *testing.T) {
	t.Parallel()
	d := newGitDay(t)
	for _, step := range []string{"git checkout -q -b feature", "git commit -q --allow-empty -m x", "git checkout -q conflict", "git checkout -q main", "git merge -q feature", "git stash", "git pull -q . feature"} {
		d.run(step)
		said, _ := d.ask("ls")
		require.Empty(t, said, step)
	}
}
