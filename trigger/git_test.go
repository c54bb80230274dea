package trigger

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	sentinel "github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/gitread"
	"github.com/agentsentinel/sentinel/internal/gittest"
)

const (
	hookSettings  = "{\n  \"hooks\": \"sentinel hook\",\n  \"model\": \"a\"\n}\n"
	otherSettings = "{\n  \"hooks\": \"sentinel hook\",\n  \"model\": \"b\"\n}\n"
)

// guardedRepository has the branches old (from before there were rules), weaker (a rule
// is changed), fewer (one is gone), hookless (the hook is not registered), more (a rule is
// added), settings (an agent's other settings changed) and plain (none of these).
func guardedRepository(t *testing.T) *gittest.Repository {
	t.Helper()
	r := gittest.New(t)
	r.Write("app.go", "package app\n")
	r.Commit("app")
	r.Git("branch", "old")
	r.Write(".claude/sentinel/config.yaml", "backend: builtin\n")
	r.Write(".claude/sentinel/rules/a.yaml", "severity: block\n")
	r.Write(".claude/sentinel/rules/b.yaml", "severity: ask\n")
	r.Write(".claude/settings.json", hookSettings)
	r.Commit("rules")
	branch := func(name string, change func()) {
		r.Git("checkout", "--quiet", "-b", name, "main")
		change()
		r.Commit(name)
		r.Git("checkout", "--quiet", "main")
	}
	branch("weaker", func() { r.Write(".claude/sentinel/rules/a.yaml", "severity: info\n") })
	branch("fewer", func() { r.Git("rm", "--quiet", ".claude/sentinel/rules/b.yaml") })
	branch("hookless", func() { r.Write(".claude/settings.json", "{}\n") })
	branch("more", func() { r.Write(".claude/sentinel/rules/c.yaml", "severity: block\n") })
	branch("settings", func() { r.Write(".claude/settings.json", otherSettings) })
	branch("plain", func() { r.Write("app.go", "package app // plain\n") })
	r.Write("app.go", "package app // main\n")
	r.Commit("main goes on")
	r.Git("update-ref", "refs/remotes/origin/remote-only", "weaker")
	r.Git("update-ref", "refs/remotes/origin/main", "weaker")
	r.Git("config", "branch.main.remote", "origin")
	r.Git("config", "branch.main.merge", "refs/heads/main")
	r.Git("config", "remote.origin.url", "/nowhere")
	r.Git("config", "remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*")
	return r
}

// asking is a mapper that asks git.
func asking() *Mapper { return New(&Options{Git: (&gitread.Reader{Limit: time.Minute}).Ask}) }

// askingOnce is a mapper that asks git, and each question once.
func askingOnce() *Mapper {
	type answer struct {
		out []byte
		err error
	}
	known := map[string]answer{}
	return New(&Options{Git: func(ctx context.Context, dir string, args ...string) ([]byte, error) {
		key := dir + strings.Join(args, "\x00")
		a, ok := known[key]
		if !ok {
			a.out, a.err = (&gitread.Reader{Limit: time.Minute}).Ask(ctx, dir, args...)
			known[key] = a
		}
		return a.out, a.err
	}})
}

// guardChanges says what a command does to the files that guard: "-" and "~" before
// their names, in order.
func guardChanges(t *testing.T, m *Mapper, root, text string) string {
	t.Helper()
	actions, err := m.MapTool(t.Context(), sentinel.Event{Phase: sentinel.PhasePre, Dir: root, Root: root, Tool: bashCall(text)})
	require.NoError(t, err, text)
	var found []string
	for _, a := range actions {
		if a.Trigger != sentinel.FileWrite || !strings.HasPrefix(a.Path, ".claude/") {
			continue
		}
		sign := map[sentinel.Op]string{sentinel.OpDelete: "-", sentinel.OpEdit: "~"}[a.Op]
		require.True(t, a.Certain, text)
		require.NotEmpty(t, a.DerivedFrom, text)
		for _, f := range a.Forms {
			found = append(found, sign+strings.TrimPrefix(strings.TrimPrefix(f, ".claude/sentinel/"), ".claude/"))
		}
	}
	slices.Sort(found)
	return strings.Join(found, " ")
}

func TestGuardChanges(t *testing.T) {
	t.Parallel()
	r := guardedRepository(t)
	m := askingOnce()
	all := "-config.yaml -rules/a.yaml -rules/b.yaml -settings.json"
	for command, want := range map[string]string{
		"git checkout old": all, "git switch old": all, "git checkout -f old": all, "git checkout --detach old": all, "git switch -d old": all,
		"git checkout HEAD~2": all, "git checkout -b x old": all, "git switch -c x old": all, "git checkout -m old": all, "git switch --orphan x": all,
		"git checkout -q old && make": all, "sudo git checkout old": all, "bash -c 'git checkout old'": all, "git -C . checkout old": all,
		"git checkout old --": all, "git checkout weaker": "~rules/a.yaml", "git checkout fewer": "-rules/b.yaml", "git switch hookless": "~settings.json",
		"git checkout more": "", "git checkout plain": "", "git checkout settings": "", "git checkout main": "", "git checkout -b y": "",
		"git checkout missing": "", "git checkout app.go": "", "git checkout $BRANCH": "", "git checkout remote-only": "~rules/a.yaml",

		"git merge weaker": "~rules/a.yaml", "git merge --no-ff fewer": "-rules/b.yaml", "git merge plain more": "", "git merge plain weaker": "~rules/a.yaml",
		"git merge old": "", "git merge --abort": "", "git merge -s ours weaker": "", "git merge": "~rules/a.yaml",
		"git pull": "~rules/a.yaml", "git pull --ff-only": "~rules/a.yaml", "git pull --rebase origin remote-only": "~rules/a.yaml", "git pull origin nowhere": "",
		"git fetch":         "",
		"git rebase weaker": "~rules/a.yaml", "git rebase plain": "", "git rebase old": "", "git rebase --onto old HEAD~1": all, "git rebase --continue": "",
		"git rebase main old": all, "git reset --hard old": all, "git reset --keep HEAD~2": all, "git reset --merge old": all, "git reset --soft old": "",
		"git reset old": "", "git reset --hard": "", "git reset --hard weaker": "~rules/a.yaml",
		"git revert --no-edit HEAD~1": all, "git revert HEAD": "", "git revert -n HEAD~1": all, "git revert --abort": "", "git revert HEAD~2..HEAD~1": all,
		"git cherry-pick weaker": "~rules/a.yaml", "git cherry-pick -x fewer": "-rules/b.yaml", "git cherry-pick more plain": "",
		"git cherry-pick main..weaker": "~rules/a.yaml", "git read-tree -u -m old": all,
		"git sparse-checkout set src": all, "git sparse-checkout set .claude src": "", "git sparse-checkout set .claude/sentinel": "",
		"git sparse-checkout set --no-cone '/src/*'": all, "git sparse-checkout set --no-cone '/*' '!docs'": "",
		"git sparse-checkout init --cone": all, "git sparse-checkout disable": "", "git sparse-checkout add src": "",
		"git stash": "", "git stash -u": "", "git stash list": "", "git stash pop": "",
		"git diff main weaker | git apply": "~rules/a.yaml", "git diff main..old | git apply": all, "git show weaker | git apply": "~rules/a.yaml",
		"git show HEAD~1 | patch -R -p1": all, "git show HEAD~1 | git apply -R": all, "git format-patch --stdout main..fewer | git am": "-rules/b.yaml",
		"git diff main weaker > /tmp/x.patch; git apply /tmp/x.patch": "~rules/a.yaml", "git diff main weaker": "", "git show plain | git apply": "",
		"git log --oneline": "", "git status": "", "git commit -m x": "", "git push --force": "", "echo git checkout old": "",
		"git diff main..--output=" + filepath.Join(t.TempDir(), "x") + " | git apply": "", "ssh host git checkout old": "",
	} {
		assert.Equal(t, want, guardChanges(t, m, r.Dir, command), command)
	}
	require.Equal(t, "", guardChanges(t, New(nil), r.Dir, "git checkout old"), "nobody to ask")
	after, err := m.MapTool(t.Context(), sentinel.Event{Phase: sentinel.PhasePost, Dir: r.Dir, Root: r.Dir, Tool: bashCall("git checkout old")})
	require.NoError(t, err)
	require.Len(t, after, 1, "after the call the commits are others")
}

// TestGuardChangesOfWorkTree has what is edited, or not known to git, and would go away.
func TestGuardChangesOfWorkTree(t *testing.T) {
	t.Parallel()
	r := guardedRepository(t)
	check := func(want string, commands ...string) {
		t.Helper()
		for _, command := range commands {
			assert.Equal(t, want, guardChanges(t, asking(), r.Dir, command), command)
		}
	}
	r.Write(".claude/sentinel/rules/a.yaml", "severity: block\nmode: strict\n")
	check("~rules/a.yaml", "git stash", "git stash push", "git stash -u", "git stash save work", "git reset --hard", "git checkout -f", "git checkout -f plain", "git switch --discard-changes plain", "git checkout-index -f -a")
	check("", "git stash --staged", "git stash push -- app.go", "git stash list", "git reset --keep plain", "git stash show")
	r.Git("stash")
	check("~rules/a.yaml", "git stash pop", "git stash apply", "git stash apply stash@{0}", "git stash pop 0", "git stash branch z", "git stash show -p | git apply -R")
	r.Git("stash", "drop")

	r.Write(".claude/sentinel/rules/new.yaml", "severity: block\n")
	check("-rules/new.yaml", "git stash -u", "git stash push --include-untracked -m x", "git stash -a", "git stash --all")
	check("", "git stash", "git reset --hard", "git stash push")
	r.Git("add", ".claude/sentinel/rules/new.yaml")
	check("-rules/new.yaml", "git stash", "git reset --hard")
	r.Git("rm", "--quiet", "--cached", ".claude/sentinel/rules/new.yaml")
	r.Write(".gitignore", "new.yaml\n")
	check("-rules/new.yaml", "git stash -a")
	check("", "git stash -u")
}

// TestGuardAlias: an alias is what it means.
func TestGuardAlias(t *testing.T) {
	t.Parallel()
	r := guardedRepository(t)
	assert.Equal(t, "", guardChanges(t, asking(), r.Dir, "git co old"))
	r.Git("config", "alias.co", "checkout")
	want := guardChanges(t, asking(), r.Dir, "git checkout old")
	assert.NotEmpty(t, want)
	assert.Equal(t, want, guardChanges(t, asking(), r.Dir, "git co old"))
}

// TestGuardLimits keeps docs/limits.md true: of these nothing is seen before they run.
func TestGuardLimits(t *testing.T) {
	t.Parallel()
	r := guardedRepository(t)
	for reason, command := range map[string]string{
		"a commit that is not fetched yet":   "git fetch && git merge FETCH_HEAD",
		"a program that calls git":           "gh pr checkout 12",
		"a commit whose name is not known":   "git checkout $(git rev-list --max-parents=0 HEAD)",
		"a folder that is not known":         "cd \"$X\" && git checkout old",
		"the list of a sparse work tree":     "echo src | git sparse-checkout set --stdin",
		"git with a folder named explicitly": "git --git-dir .git --work-tree . checkout old",
		"what another command changes first": "git branch -f plain old; git checkout plain",
	} {
		assert.Equal(t, "", guardChanges(t, asking(), r.Dir, command), "%s is seen now: take it off docs/limits.md", reason)
	}
}

// TestGuardBelow has rules in a part of a repository, in a linked work tree, and in a
// repository below the project.
func TestGuardBelow(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	r.Write("app.go", "package app\n")
	r.Commit("app")
	r.Write("api/.claude/sentinel/rules/a.yaml", "severity: block\n")
	r.Write("api/main.go", "package main\n")
	r.Commit("rules")
	assert.Equal(t, "-rules/a.yaml", guardChanges(t, asking(), filepath.Join(r.Dir, "api"), "git checkout HEAD~1"))
	assert.Equal(t, "-rules/a.yaml", guardChanges(t, asking(), filepath.Join(r.Dir, "api"), "cd .. && git sparse-checkout set src"))
	assert.Equal(t, "", guardChanges(t, asking(), filepath.Join(r.Dir, "api"), "git sparse-checkout set api"))

	tree := filepath.Join(t.TempDir(), "tree")
	r.Git("worktree", "add", "--quiet", tree)
	assert.Equal(t, "-rules/a.yaml", guardChanges(t, asking(), filepath.Join(tree, "api"), "git reset --keep HEAD~1"))

	other := gittest.New(t)
	other.Write("x", "x")
	other.Commit("x")
	assert.Equal(t, "", guardChanges(t, asking(), filepath.Join(r.Dir, "api"), "cd "+other.Dir+" && git checkout HEAD~1"))
}

// TestGitIsAskedForFewCommands counts the questions: a usual command has none.
func TestGitIsAskedForFewCommands(t *testing.T) {
	t.Parallel()
	r := guardedRepository(t)
	plain := gittest.New(t)
	plain.Write("x", "x")
	plain.Commit("x")
	asked := 0
	m := New(&Options{Git: func(_ context.Context, _ string, args ...string) ([]byte, error) {
		asked++
		for _, a := range args {
			assert.False(t, strings.HasPrefix(a, "--output"), a)
		}
		return nil, errors.New("no answer")
	}})
	for _, command := range []string{"git status", "git add -A && git commit -m x", "git diff", "git log -p | less", "git push", "git branch -a", "ls", "make", "git show HEAD", "git fetch", "git stash list"} {
		guardChanges(t, m, r.Dir, command)
	}
	guardChanges(t, m, plain.Dir, "git checkout -b x")
	guardChanges(t, m, plain.Dir, "git checkout main") // no rules there
	require.Zero(t, asked)
	require.Equal(t, "", guardChanges(t, m, r.Dir, "git checkout old"), "no answer is no change")
	require.NotZero(t, asked)
	asked = 0
	guardChanges(t, m, r.Dir, strings.Repeat("git checkout old; ", 100))
	require.Less(t, asked, 50)
}

// TestHostileRepository: what a repository's settings would run is not run.
func TestHostileRepository(t *testing.T) {
	t.Parallel()
	r := guardedRepository(t)
	ran := filepath.Join(t.TempDir(), "ran")
	script := filepath.Join(t.TempDir(), "run.sh")
	require.NoError(t, os.WriteFile(script, []byte("#!/bin/sh\ntouch "+ran+"\ncat\n"), 0o755))
	for _, setting := range []string{"core.fsmonitor", "core.pager", "diff.external", "core.sshCommand", "diff.x.textconv", "diff.x.command", "filter.x.clean", "filter.x.smudge", "core.editor", "core.gitProxy", "alias.diff-tree", "core.alternateRefsCommand"} {
		r.Git("config", setting, script)
	}
	r.Write(".git/info/attributes", "* diff=x filter=x\n")
	require.NoError(t, os.WriteFile(filepath.Join(r.Dir, ".claude/sentinel/rules/a.yaml"), []byte("edited\n"), 0o600))
	for _, command := range []string{"git checkout old", "git stash -u", "git pull", "git reset --hard", "git sparse-checkout set src", "git diff main weaker | git apply"} {
		assert.NotEmpty(t, guardChanges(t, asking(), r.Dir, command), command)
	}
	require.NoFileExists(t, ran)
}
