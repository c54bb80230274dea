package project_test

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/project"
)

const userPush = "trigger: bash\nbackend: builtin\nscope: [\"git push*\"]\nwhen: \"true\"\nmessage: the user says no\n"

// A repository whose call takes all of its share of the time does not switch the
// user's rules off: those were matched before.
func TestASlowRepositorySwitchesNoRuleOfTheUserOff(t *testing.T) {
	t.Parallel()
	for _, config := range []string{"fail_open: true\n", "fail_open: false\n"} {
		dir := tree{"repo/.claude/sentinel/config.yaml": config + "tool_map_extra: {X: bash}\n", "user/rules/p.yaml": userPush}.write(t)
		repo := filepath.Join(dir, "repo")
		var calls atomic.Int32
		p := project.Open([]string{repo}, &project.Options{
			UserDir: filepath.Join(dir, "user"), Deadline: time.Second,
			Mapper: sentinel.MapperFunc(func(ctx context.Context, ev sentinel.Event) ([]sentinel.Action, error) {
				if calls.Add(1) == 1 {
					return nil, sentinel.ErrUnknownTool
				}
				<-ctx.Done() // the repository's own view of the call
				return nil, ctx.Err()
			}),
		})
		d, err := p.Evaluate(t.Context(), bash(repo, "git push"))
		require.NoError(t, err)
		require.Equal(t, sentinel.VerdictBlock, d.Verdict)
		require.Contains(t, d.Reason(), "the user says no")
		require.EqualValues(t, 2, calls.Load())
	}
}

// Rules that cannot be read in time are a rule that cannot be judged; the user's
// own are read all the same.
func TestRulesThatThereIsNoTimeToRead(t *testing.T) {
	t.Parallel()
	dir := tree{
		"repo/.claude/sentinel/config.yaml":  "backend: builtin\nfail_open: false\n",
		"repo/.claude/sentinel/rules/a.yaml": guard("src/**"), "user/rules/p.yaml": userPush,
	}.write(t)
	opts := &project.Options{UserDir: filepath.Join(dir, "user"), CacheDir: filepath.Join(dir, "cache"), Ends: time.Now().Add(-time.Hour)}
	p := project.Open([]string{filepath.Join(dir, "repo")}, opts)
	require.Len(t, p.Folders, 2)
	require.Len(t, p.Folders[0].Written(), 1)
	require.Empty(t, p.Folders[1].Written())
	require.True(t, p.Match(t.Context(), bash(dir, "ls")).Late())
	require.Contains(t, problems(p), "not read in the time")
	require.True(t, p.Strict())
	opts.Ends = time.Time{}
	require.False(t, project.Open(nil, opts).Match(t.Context(), bash(dir, "ls")).Late())
	require.Len(t, project.Open([]string{filepath.Join(dir, "repo")}, opts).Folders[1].Written(), 1)
}

// OpenInHaste knows the user's rules, and of a project whether it is strict.
func TestOpenInHaste(t *testing.T) {
	t.Parallel()
	dir := tree{
		"repo/.claude/sentinel/config.yaml":  "backend: builtin\nfail_open: false\n",
		"repo/.claude/sentinel/rules/a.yaml": guard("src/**"), "user/rules/p.yaml": userPush,
	}.write(t)
	repo := filepath.Join(dir, "repo")
	var strict []bool
	p := project.OpenInHaste([]string{repo}, &project.Options{UserDir: filepath.Join(dir, "user")}, func(is bool) { strict = append(strict, is) })
	require.Equal(t, []bool{true}, strict, "no folder is taken for open before all are known")
	project.OpenInHaste(nil, &project.Options{UserDir: filepath.Join(dir, "user")}, func(is bool) { strict = append(strict, is) })
	require.Equal(t, []bool{true, false}, strict)
	d, err := p.Evaluate(t.Context(), bash(repo, "git push"))
	require.NoError(t, err)
	require.Contains(t, d.Reason(), "the user says no")
	d, err = p.Evaluate(t.Context(), bash(repo, "ls"))
	require.NoError(t, err)
	require.Equal(t, sentinel.VerdictBlock, d.Verdict)
	require.Contains(t, d.Reason(), "not read in the time")
}

// A command that removes many projects meets the rules of so many, each rule once,
// and says that there are more.
func TestRemovingManyProjects(t *testing.T) {
	t.Parallel()
	files := tree{"elsewhere/x": ""}
	for i := range 20 {
		at := fmt.Sprintf("all/r%02d/", i)
		files[at+".claude/sentinel/rules/a.yaml"] = guard("src/**")
		files[at+"src/x.go"] = ""
		files[at+"src/deep/er/y.go"] = ""
	}
	dir := files.write(t)
	elsewhere := filepath.Join(dir, "elsewhere")
	for _, command := range []string{"rm -rf " + dir + "/all/*", "rm -rf " + dir + "/all", "rm -rf " + dir + "/all/r03/src/deep", "rm -f " + dir + "/all/r04/src/x.go"} {
		d, _ := project.Open([]string{elsewhere}, nil).Evaluate(t.Context(), bash(elsewhere, command))
		require.Equal(t, sentinel.VerdictBlock, d.Verdict, command)
		require.LessOrEqual(t, len(d.Findings), 20, command)
	}
	for i := range 20 {
		files[fmt.Sprintf("all/r%02d/.claude/sentinel/rules/a.yaml", i)] = "trigger: bash\nbackend: builtin\nwhen: \"true\"\nscope: [\"nothing*\"]\nmessage: no\n"
		files[fmt.Sprintf("all/r%02d/.claude/sentinel/config.yaml", i)] = "fail_open: false\nbackend: builtin\n"
	}
	dir = files.write(t)
	touch := "touch"
	for i := range 20 {
		touch += fmt.Sprintf(" %s/all/r%02d/src/z.go", dir, i)
	}
	d, err := project.Open([]string{elsewhere}, nil).Evaluate(t.Context(), bash(elsewhere, touch))
	require.ErrorContains(t, err, "more projects with rules of their own than are looked at")
	require.Equal(t, sentinel.VerdictUndecided, d.Verdict)
}

// A path that no file can have is asked about, whatever tool names it.
func TestAPathThatIsTooLong(t *testing.T) {
	t.Parallel()
	dir := tree{".claude/sentinel/config.yaml": "backend: builtin\n"}.write(t)
	p := project.Open([]string{dir}, nil)
	for _, name := range []string{strings.Repeat("a/", 64_000) + "x", strings.Repeat("n", 256), strings.Repeat("a/", 2040) + strings.Repeat("b", 30)} {
		if runtime.GOOS == "windows" && strings.HasSuffix(name, "b") {
			continue // a path has room for it
		}
		require.Equal(t, "ask", verdict(t, p, write(dir, name)), "%.20s", name)
		require.Equal(t, "ask", verdict(t, p, bash(dir, "ls; : > "+name)), "%.20s", name)
	}
	require.Equal(t, "allow", verdict(t, p, write(dir, strings.Repeat("n", 255))))
	require.Equal(t, "allow", verdict(t, p, write(dir, strings.Repeat("a/", 1000)+"x")))
	ev := bash(dir, "ls")
	ev.Dir = filepath.VolumeName(dir) + "/" + strings.Repeat("a/", 64_000)
	_, err := p.Evaluate(t.Context(), ev)
	require.ErrorIs(t, err, sentinel.ErrEvent)
}
