package hook

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/gittest"
	"github.com/agentsentinel/sentinel/project"
)

// inRepository is a session in a git repository, in which everything is committed.
func inRepository(t *testing.T, rules map[string]string) (*sessionRun, *gittest.Repository) {
	t.Helper()
	r := gittest.New(t)
	for name, text := range rules {
		r.Write(".claude/sentinel/rules/"+name+".yaml", text)
	}
	r.Write(".claude/sentinel/config.yaml", "backend: builtin\nlog_file: \"\"\n")
	r.Commit("first")
	return &sessionRun{t: t, dir: r.Dir, agent: "claude", id: "s", state: t.TempDir()}, r
}

// commits is what a commit outside of the agent gets.
func (s *sessionRun) commits() sentinel.Decision {
	s.t.Helper()
	p := project.Open([]string{s.dir}, &project.Options{StateDir: s.state, NoLog: true})
	d, err := p.Evaluate(s.t.Context(), sentinel.Event{
		Phase: sentinel.PhasePre, Agent: "commit", Dir: s.dir,
		Actions: []sentinel.Action{{Trigger: sentinel.Bash, Target: "git commit", Dir: s.dir, Agent: "commit"}},
	})
	require.NoError(s.t, err)
	return d
}

// TestCommitOfAPerson: a commit outside of the agent is judged by what its sessions did.
func TestCommitOfAPerson(t *testing.T) {
	t.Parallel()
	const pages = "also: {changed: [\"docs/*.md\"], with: [docs/sidebar.yml]}\n"
	for name, c := range map[string]struct {
		steps  func(s *sessionRun)
		staged string
		want   sentinel.Outcome // of the one finding; "" for none
	}{
		"nothing is known":          {func(*sessionRun) {}, "a.go", sentinel.OutcomeUnavailable},
		"nothing is known of pages": {func(*sessionRun) {}, "docs/a.md", sentinel.OutcomeViolation},
		"the sidebar was not taken": {func(s *sessionRun) { s.write("docs/sidebar.yml") }, "docs/a.md", sentinel.OutcomeViolation},
		"no file that is tested":    {func(s *sessionRun) { s.write("a.go") }, "README", 0},
		"not tested":                {func(s *sessionRun) { s.write("a.go") }, "a.go", sentinel.OutcomeViolation},
		"tests failed":              {func(s *sessionRun) { s.write("a.go"); s.fails("go test ./...") }, "a.go", sentinel.OutcomeViolation},
		"tested":                    {func(s *sessionRun) { s.write("a.go"); s.bash("go test ./...") }, "a.go", 0},
		"tested by another session": {func(s *sessionRun) { s.write("a.go"); s.id = "o"; s.bash("go test ./...") }, "a.go", 0},
		"written after the tests":   {func(s *sessionRun) { s.bash("go test ./..."); s.id = "o"; s.write("a.go") }, "a.go", sentinel.OutcomeViolation},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, r := inRepository(t, map[string]string{
				"tests": testFirst, "pages": pages,
				"no-commit": "trigger: bash\nscope: [\"git commit*\"]\nwhen: 'true'\nbackend: builtin\nmessage: agents do not commit\n",
				"first":     "before_first: {write: [\"*.go\"], read: [README]}\nmode: shadow\n",
			})
			c.steps(s)
			r.Write(c.staged, "x\n")
			r.Git("add", c.staged)
			var got []sentinel.Outcome
			for _, f := range s.commits().Findings {
				if f.Outcome != sentinel.OutcomePass {
					got = append(got, f.Outcome)
				}
			}
			if c.want == 0 {
				require.Empty(t, got)
				return
			}
			require.Equal(t, []sentinel.Outcome{c.want}, got)
		})
	}
}

// TestTheIndexOfACommit: for a commit of named files, git gives its hooks another index. A file
// outside of the repository's folder is refused as one.
func TestTheIndexOfACommit(t *testing.T) {
	s, r := inRepository(t, map[string]string{"tests": testFirst})
	s.write("a.go")
	r.Write("a.go", "x\n")
	before, err := os.ReadFile(filepath.Join(s.dir, ".git/index"))
	require.NoError(t, err)
	r.Git("add", "a.go")
	for _, name := range []string{".git/next-index-7.lock", "index"} {
		require.NoError(t, os.WriteFile(filepath.Join(s.dir, name), before, 0o600))
	}
	for name, want := range map[string]sentinel.Verdict{"": sentinel.VerdictBlock, ".git/index": sentinel.VerdictBlock, ".git/next-index-7.lock": sentinel.VerdictAllow, "index": sentinel.VerdictBlock} {
		t.Setenv("GIT_INDEX_FILE", name)
		require.Equal(t, want, s.commits().Verdict, name)
	}
}

// TestAlsoLooksAtTheIndex: what was staged before the session counts at its commit.
func TestAlsoLooksAtTheIndex(t *testing.T) {
	t.Parallel()
	s, r := inRepository(t, map[string]string{"pages": "also: {changed: [\"docs/*.md\"], with: [docs/sidebar.yml], by: [commit, pull_request]}\n"})
	require.False(t, s.bash("git commit -m x"), "nothing is staged")
	r.Write("docs/a.md", "x\n")
	require.False(t, s.bash("git commit -m x"), "nothing is staged")
	r.Git("add", "docs/a.md")
	require.True(t, s.bash("git commit -m x"))
	r.Write("docs/sidebar.yml", "x\n")
	r.Git("add", "docs/sidebar.yml")
	require.False(t, s.bash("git commit -m x"))
}

// TestPullRequest: the changes of several commits count together for a pull request.
func TestPullRequest(t *testing.T) {
	t.Parallel()
	for _, opens := range []func(s *sessionRun) bool{
		func(s *sessionRun) bool { return s.bash("gh pr create --fill") },
		func(s *sessionRun) bool { return s.bash("git push -u origin HEAD") },
		func(s *sessionRun) bool {
			return s.call("mcp__github__create_pull_request", map[string]any{"title": "x"}, false)
		},
	} {
		s := obliged(t, map[string]string{"log": "also: {changed: [\"*.go\"], with: [CHANGELOG.md], by: pull_request}\n"})
		require.False(t, opens(s), "nothing was changed")
		s.write("a.go")
		require.False(t, s.bash("git commit -am x"))
		require.True(t, opens(s))
		s.write("CHANGELOG.md")
		require.False(t, s.bash("git commit -am y"))
		require.False(t, opens(s))
		s.write("b.go")
		require.True(t, opens(s), "it is for the next one")
	}
}

// TestSubagentsCount: what a subagent does counts for its session.
func TestSubagentsCount(t *testing.T) {
	t.Parallel()
	s := obliged(t, map[string]string{"tests": testFirst})
	s.part = "a0f3"
	s.write("a.go")
	s.part = ""
	require.True(t, s.bash("git commit -m x"))
	s.part = "b771"
	s.bash("go test ./...")
	require.False(t, s.bash("git commit -m x"))
	s.part = ""
	require.False(t, s.bash("git commit -m x"))
	files, err := filepath.Glob(filepath.Join(s.state, "facts", "*"))
	require.NoError(t, err)
	require.Len(t, files, 1)
}

// TestClockJumps: the order of calls holds whatever the clock does, and a run from the
// future is not in the last half hour.
func TestClockJumps(t *testing.T) {
	t.Parallel()
	const age = "trigger: bash\nscope: [\"git push*\"]\nrequires: {ran: [\"go test ./...\"], since: 30m}\n"
	s := obliged(t, map[string]string{"tests": testFirst, "age": age})
	s.write("a.go")
	s.ahead = -48 * time.Hour
	s.bash("go test ./...")
	require.False(t, s.bash("git commit -m x"), "the run is later, by a clock that says otherwise")
	require.False(t, s.bash("git push"))
	s.ahead = -49 * time.Hour
	require.False(t, s.bash("git commit -m x"))
	require.True(t, s.bash("git push"), "the run is in the future")
	s.write("b.go")
	require.True(t, s.bash("git commit -m x"), "the write is later")
	s.ahead = 48 * time.Hour
	require.True(t, s.bash("git push"), "the run is too old")
}
