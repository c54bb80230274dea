package hook

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/project"
)

// A sessionRun sends the events of one session of an agent, as they come.
type sessionRun struct {
	t     testing.TB
	dir   string
	agent string
	id    string
	part  string // id of a subagent
	state string
	ahead time.Duration // of the clock
	calls int
}

func obliged(t testing.TB, rules map[string]string) *sessionRun {
	t.Helper()
	dir := t.TempDir()
	for name, text := range rules {
		path := filepath.Join(dir, "repo/.claude/sentinel/rules", name+".yaml")
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "repo/.claude/sentinel"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "repo/.claude/sentinel/config.yaml"), []byte("backend: builtin\nlog_file: \"\"\n"), 0o644))
	return &sessionRun{t: t, dir: filepath.Join(dir, "repo"), agent: "claude", id: "s", state: filepath.Join(dir, "state")}
}

func (s *sessionRun) send(event map[string]any) string {
	s.t.Helper()
	event["session_id"], event["cwd"], event["transcript_path"] = s.id, s.dir, filepath.Join(s.dir, "t.jsonl")
	if s.part != "" {
		event["agent_id"], event["agent_type"] = s.part, "general-purpose"
	}
	data, err := json.Marshal(event)
	require.NoError(s.t, err)
	var out, errs bytes.Buffer
	Run(&Env{
		Args: []string{"--agent", s.agent}, Stdin: bytes.NewReader(data), Stdout: &out, Stderr: &errs,
		Getenv: func(string) string { return "" }, Dir: s.dir, Now: s.now,
		Project: func() *project.Options {
			return &project.Options{StateDir: s.state, Now: s.now}
		},
	})
	return out.String() + errs.String()
}

func (s *sessionRun) now() time.Time { return time.Now().Add(s.ahead) }

// before sends the event before a call, and returns the answer.
func (s *sessionRun) before(tool string, args map[string]any) string {
	s.calls++
	return s.send(map[string]any{"hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": args, "tool_use_id": fmt.Sprint("c", s.calls)})
}

// call sends both events of a call that goes on; what fails ends in failure.
func (s *sessionRun) call(tool string, args map[string]any, failed bool) (stopped bool) {
	s.t.Helper()
	if answer := s.before(tool, args); strings.Contains(answer, `"deny"`) || strings.Contains(answer, `"ask"`) {
		return true
	}
	s.after(tool, args, failed)
	return false
}

func (s *sessionRun) after(tool string, args map[string]any, failed bool) {
	event := map[string]any{"hook_event_name": "PostToolUse", "tool_name": tool, "tool_input": args, "tool_use_id": fmt.Sprint("c", s.calls), "tool_response": map[string]any{"stdout": "ok"}}
	if failed {
		event["hook_event_name"], event["error"] = "PostToolUseFailure", "Exit code 1"
	}
	s.send(event)
}

func (s *sessionRun) bash(line string) bool {
	return s.call("Bash", map[string]any{"command": line}, false)
}

func (s *sessionRun) fails(line string) bool {
	return s.call("Bash", map[string]any{"command": line}, true)
}

func (s *sessionRun) write(name string) bool {
	return s.call("Write", map[string]any{"file_path": filepath.Join(s.dir, name), "content": "x"}, false)
}

func (s *sessionRun) read(name string) bool {
	return s.call("Read", map[string]any{"file_path": filepath.Join(s.dir, name)}, false)
}

func (s *sessionRun) stop() string {
	return s.send(map[string]any{"hook_event_name": "Stop", "stop_hook_active": false})
}

const testFirst = "trigger: bash\nscope: [\"git commit*\"]\nrequires: {ran: [\"go test ./...\"], since: [\"**/*.go\"]}\nsource: \"CLAUDE.md:14\"\nquote: Run the tests\nmessage: \"Test first: {{stale_files}}\"\n"

// TestCommitAfterTests: which runs count, and which writes make them old.
func TestCommitAfterTests(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		steps   func(s *sessionRun)
		stopped bool
	}{
		"nothing was written":        {func(s *sessionRun) {}, false},
		"no Go file was written":     {func(s *sessionRun) { s.write("a.md") }, false},
		"not tested":                 {func(s *sessionRun) { s.write("a.go") }, true},
		"tested":                     {func(s *sessionRun) { s.write("a.go"); s.bash("go test ./...") }, false},
		"written by a shell":         {func(s *sessionRun) { s.bash("go test ./..."); s.bash("echo x >> a.go") }, true},
		"written by one that failed": {func(s *sessionRun) { s.bash("go test ./..."); s.fails("echo x >> a.go; false") }, true},
		"deleted with its folder":    {func(s *sessionRun) { s.bash("go test ./..."); s.bash("rm -r pkg") }, false},
		"failed":                     {func(s *sessionRun) { s.write("a.go"); s.fails("go test ./...") }, true},
		"a pipe":                     {func(s *sessionRun) { s.write("a.go"); s.bash("go test ./... | tail") }, true},
		"a list":                     {func(s *sessionRun) { s.write("a.go"); s.bash("go test ./... || true") }, true},
		"less than it":               {func(s *sessionRun) { s.write("a.go"); s.bash("go test ./... -run NONE") }, true},
		"a comment":                  {func(s *sessionRun) { s.write("a.go"); s.bash("true # go test ./...") }, true},
		"a function":                 {func(s *sessionRun) { s.write("a.go"); s.bash("go() { true; }; go test ./...") }, true},
		"an echo":                    {func(s *sessionRun) { s.write("a.go"); s.bash("echo go test ./...") }, true},
		"cancelled":                  {func(s *sessionRun) { s.write("a.go"); s.before("Bash", map[string]any{"command": "go test ./..."}) }, true},
		"in the background": {func(s *sessionRun) {
			s.write("a.go")
			s.call("Bash", map[string]any{"command": "go test ./...", "run_in_background": true}, false)
		}, true},
		"in a list":              {func(s *sessionRun) { s.write("a.go"); s.bash("cd . && go test ./...") }, false},
		"written while it ran":   {func(s *sessionRun) { during(s) }, true},
		"another session wrote":  {func(s *sessionRun) { s.bash("go test ./..."); s.id = "o"; s.write("a.go"); s.id = "s" }, true},
		"another session tested": {func(s *sessionRun) { s.write("a.go"); s.id = "o"; s.bash("go test ./..."); s.id = "s" }, true},
		"compacted in between": {func(s *sessionRun) {
			s.write("a.go")
			s.bash("go test ./...")
			s.send(map[string]any{"hook_event_name": "SessionStart", "source": "compact"})
		}, false},
		"resumed in between": {func(s *sessionRun) {
			s.write("a.go")
			s.bash("go test ./...")
			s.send(map[string]any{"hook_event_name": "SessionEnd", "reason": "other"})
			s.send(map[string]any{"hook_event_name": "SessionStart", "source": "resume"})
		}, false},
		"resumed, not tested": {func(s *sessionRun) {
			s.write("a.go")
			s.send(map[string]any{"hook_event_name": "SessionEnd", "reason": "other"})
			s.send(map[string]any{"hook_event_name": "SessionStart", "source": "resume"})
		}, true},
		"the program is not there": {func(s *sessionRun) {
			s.write("a.go")
			args := map[string]any{"command": "go test ./..."}
			s.before("Bash", args)
			s.send(map[string]any{"hook_event_name": "PostToolUseFailure", "tool_name": "Bash", "tool_input": args, "tool_use_id": fmt.Sprint("c", s.calls), "error": "Exit code 127\ngo: not found"})
		}, true},
		"interrupted": {func(s *sessionRun) {
			s.write("a.go")
			args := map[string]any{"command": "go test ./..."}
			s.before("Bash", args)
			s.send(map[string]any{"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": args, "tool_use_id": fmt.Sprint("c", s.calls), "tool_response": map[string]any{"stdout": "ok", "interrupted": true}})
		}, true},
		"tested by a recipe":            {func(s *sessionRun) { s.recipe(); s.write("a.go"); s.bash("make check") }, false},
		"a recipe in a pipe":            {func(s *sessionRun) { s.recipe(); s.write("a.go"); s.bash("make check | tail") }, true},
		"written before it in its line": {func(s *sessionRun) { s.bash("sed -i s/a/b/ a.go && go test ./...") }, false},
		"written behind it in its line": {func(s *sessionRun) { s.write("a.go"); s.bash("go test ./... && sed -i s/a/b/ a.go") }, true},
		"written later than it":         {func(s *sessionRun) { s.bash("sed -i s/a/b/ a.go & go test ./...") }, true},
		"written at the end":            {func(s *sessionRun) { s.bash("trap 'sed -i s/a/b/ a.go' EXIT && go test ./...") }, true},
		"formatted after it": {func(s *sessionRun) {
			s.save("a.go", s.now().Add(-time.Hour))
			s.write("a.go")
			s.bash("go test ./... && gofmt -w .")
			s.save("a.go", s.now())
		}, true},
		"nothing to format after it": {func(s *sessionRun) {
			s.save("a.go", s.now().Add(-time.Hour))
			s.write("a.go")
			s.bash("go test ./... && gofmt -w .")
		}, false},
		"formatted in another call": {func(s *sessionRun) {
			s.save("a.go", s.now().Add(-time.Hour))
			s.write("a.go")
			s.bash("go test ./...")
			s.bash("gofmt -w .")
			s.save("a.go", s.now().Add(time.Second))
		}, true},
		"nothing left to format": {func(s *sessionRun) {
			s.save("a.go", s.now().Add(-time.Hour))
			s.write("a.go")
			s.bash("go test ./...")
			s.bash("gofmt -w . && prettier --write .")
		}, false},
		"another file was formatted": {func(s *sessionRun) {
			s.write("a.go")
			s.bash("go test ./...")
			s.bash("prettier --write .")
			s.save("a.md", s.now().Add(time.Second))
		}, false},
		"a clock that was put back": {func(s *sessionRun) {
			s.save("a.go", s.now().Add(-3*time.Hour))
			s.write("a.go")
			s.bash("go test ./...")
			s.ahead = -2 * time.Hour
			s.bash("gofmt -w .")
		}, true},
		"the line failed the next time": {func(s *sessionRun) {
			s.bash("sed -i s/a/b/ a.go && go test ./...")
			s.fails("sed -i s/a/b/ a.go && go test ./...")
		}, true},
		"the same line without ids": {func(s *sessionRun) {
			s.bash("sed -i s/a/b/ a.go && go test ./...")
			s.calls--
			s.fails("sed -i s/a/b/ a.go && go test ./...")
		}, true},
		"an agent that does not tell": {func(s *sessionRun) { s.agent = "qwen"; s.write("a.go"); s.bash("go test ./...") }, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := obliged(t, map[string]string{"tests": testFirst})
			c.steps(s)
			require.Equal(t, c.stopped, s.bash("git commit -m x"))
		})
	}
}

// TestRunsThatWrite: what a run itself writes, as a formatter does, does not make it old.
func TestRunsThatWrite(t *testing.T) {
	t.Parallel()
	const formatFirst = "trigger: bash\nscope: [\"git commit*\"]\nrequires: {ran: [\"go fmt ./...\", \"prettier --write *\", \"make fmt\"], since: [\"**/*.{go,ts}\"]}\nmessage: \"Format first: {{stale_files}}\"\n"
	for name, c := range map[string]struct {
		steps   func(s *sessionRun)
		stopped bool
	}{
		"formatted":            {func(s *sessionRun) { s.write("a.go"); s.bash("go fmt ./...") }, false},
		"formatted twice":      {func(s *sessionRun) { s.write("a.go"); s.bash("go fmt ./..."); s.bash("go fmt ./...") }, false},
		"written after it":     {func(s *sessionRun) { s.bash("go fmt ./..."); s.write("a.go") }, true},
		"in a list":            {func(s *sessionRun) { s.write("a.ts"); s.bash("cd . && prettier --write . && git status") }, false},
		"written behind it":    {func(s *sessionRun) { s.bash("prettier --write src && echo x > a.ts") }, true},
		"by a recipe":          {func(s *sessionRun) { s.recipe(); s.write("a.go"); s.bash("make fmt") }, false},
		"behind a recipe":      {func(s *sessionRun) { s.recipe(); s.bash("make fmt && echo x > a.go") }, true},
		"written while it ran": {func(s *sessionRun) { duringRun(s, "go fmt ./...") }, true},
		"another one formatted": {func(s *sessionRun) {
			s.save("a.go", s.now().Add(-time.Hour))
			s.write("a.go")
			s.bash("go fmt ./...")
			s.id = "o"
			s.bash("go fmt ./...")
			s.id = "s"
			s.save("a.go", s.now().Add(time.Second))
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := obliged(t, map[string]string{"format": formatFirst})
			c.steps(s)
			require.Equal(t, c.stopped, s.bash("git commit -m x"))
		})
	}
}

// TestTwoFormatters: two rules whose commands may write the same files can both be met.
func TestTwoFormatters(t *testing.T) {
	t.Parallel()
	rule := func(ran string) string {
		return "trigger: bash\nscope: [\"git commit*\"]\nrequires: {ran: [\"" + ran + "\"], since: [\"**/*.py\"]}\nmessage: \"First: {{stale_files}}\"\n"
	}
	s := obliged(t, map[string]string{"hooks": rule("pre-commit run --all-files"), "format": rule("ruff format .")})
	s.save("a.py", s.now().Add(-time.Hour))
	s.write("a.py")
	require.True(t, s.bash("git commit -m x"))
	s.bash("pre-commit run --all-files")
	s.bash("ruff format .")
	require.False(t, s.bash("git commit -m x"))
	s.save("a.py", s.now().Add(time.Second))
	s.bash("ruff format .") // which changed it
	require.True(t, s.bash("git commit -m x"))
}

// TestFormatterOfMany: a formatter that looks at very many files makes tests old only by the files that
// it changed, and does not count as the change that another file needs.
func TestFormatterOfMany(t *testing.T) {
	t.Parallel()
	s := obliged(t, map[string]string{"test": testFirst, "sidebar": "also: {changed: [\"docs/pages/*.md\"], with: [docs/sidebar.yml]}\nmessage: \"Sidebar: {{missing}}\"\n"})
	for i := range 300 {
		s.folder(fmt.Sprintf("p%d", i%70))
		s.save(fmt.Sprintf("p%d/f%d.go", i%70, i), s.now().Add(-time.Hour))
	}
	s.bash("go test ./...")
	s.bash("gofmt -w .")
	require.False(t, s.bash("git commit -m x"), "it changed nothing")
	s.save("p3/f3.go", s.now().Add(time.Second))
	require.True(t, s.bash("git commit -m x"), "it changed a file")
	s.bash("go test ./...")
	s.write("docs/pages/n.md")
	s.bash("gofmt -w .")
	require.Contains(t, s.before("Bash", map[string]any{"command": "git commit -m x"}), "Sidebar")
}

func (s *sessionRun) folder(name string) {
	require.NoError(s.t, os.MkdirAll(filepath.Join(s.dir, name), 0o755))
}

// TestSameRun: a run counts in each of the ways in which it can be written, and only then.
func TestSameRun(t *testing.T) {
	t.Parallel()
	const checkFirst = "trigger: bash\nscope: [\"git commit*\"]\nrequires: {ran: [\"scripts/check.sh\", \"pnpm typecheck\", \"mypy src\", \"npm test\"], since: [\"**/*.go\"]}\nmessage: \"Check first: {{stale_files}}\"\n"
	for line, stopped := range map[string]bool{
		"scripts/check.sh": false, "./scripts/check.sh": false, "bash scripts/check.sh": false, "cd scripts && ./check.sh": false,
		"ROOT/scripts/check.sh": false, "bash ROOT/scripts/check.sh": false,
		"/elsewhere/scripts/check.sh": true, "bash /elsewhere/scripts/check.sh": true, "cd sub && ./scripts/check.sh": true,
		"bash -n scripts/check.sh": true, "cat scripts/check.sh": true, "./scripts/check.sh || true": true,
		"pnpm run typecheck": false, "python -m mypy src": false, "uv run python -m mypy src": false, "python -m mypy other": true,
		"npm run test": false, "npm t": false, "npm run test:unit": true,
	} {
		s := obliged(t, map[string]string{"check": checkFirst})
		s.write("a.go")
		s.bash(strings.ReplaceAll(line, "ROOT", filepath.ToSlash(s.dir)))
		require.Equal(t, stopped, s.bash("git commit -m x"), line)
	}
}

// save writes a file with a time of change.
func (s *sessionRun) save(name string, at time.Time) {
	path := filepath.Join(s.dir, name)
	require.NoError(s.t, os.WriteFile(path, []byte("x"), 0o644))
	require.NoError(s.t, os.Chtimes(path, at, at))
}

func (s *sessionRun) recipe() {
	require.NoError(s.t, os.WriteFile(filepath.Join(s.dir, "Makefile"), []byte("check:\n\tgo vet ./...\n\tgo test ./...\nfmt:\n\tgofmt -w .\n"), 0o644))
}

// during writes a file while the tests run.
func during(s *sessionRun) { duringRun(s, "go test ./...") }

func duringRun(s *sessionRun, command string) {
	args := map[string]any{"command": command}
	s.before("Bash", args)
	run := s.calls
	s.write("a.go")
	s.calls = run
	s.after("Bash", args, false)
}

// TestCommitInOneLine: a line that tests first needs no other run.
func TestCommitInOneLine(t *testing.T) {
	t.Parallel()
	for line, stopped := range map[string]bool{
		"go test ./... && git commit -m x":                       false,
		"cd . && go test ./... && git add -A && git commit -m x": false,
		"echo x > b.go && go test ./... && git commit -m x":      false,
		"go test ./... && echo x > b.go && git commit -m x":      true,
		"go test ./...; git commit -m x":                         true,
		"go test ./... | tail && git commit -m x":                true,
		"sudo env A=1 git -C . commit -m x":                      true,
	} {
		s := obliged(t, map[string]string{"tests": testFirst})
		s.write("a.go")
		require.Equal(t, stopped, s.bash(line), line)
	}
}

// TestObligationIsSaid: the agent reads the line that the rule is from, and what is missing.
func TestObligationIsSaid(t *testing.T) {
	t.Parallel()
	s := obliged(t, map[string]string{"tests": testFirst})
	require.NoError(t, os.WriteFile(filepath.Join(s.dir, "CLAUDE.md"), []byte(strings.Repeat("\n", 13)+"Run the tests\n"), 0o644))
	s.write("a.go")
	said := s.before("Bash", map[string]any{"command": "git commit -m x"})
	for _, part := range []string{"CLAUDE.md:14 says", "Run the tests", "Test first: a.go", "no run of `go test ./...` that succeeded since a.go changed"} {
		require.Contains(t, said, part)
	}
}

// TestNearlyRun: a refusal names the run that was nearly what has to run.
func TestNearlyRun(t *testing.T) {
	t.Parallel()
	for line, says := range map[string]string{
		"go test ./pkg":                      "; `go test ./pkg` ran, which is no `go test ./...`",
		"go test -run TestX ./... && ls":     "; `go test -run TestX ./...` ran, which is no `go test ./...`",
		"./go test ./...":                    "; `./go test ./...` ran, which is no `go test ./...`",
		"go vet ./...":                       "",
		"go test ./pkg; go test ./... | cat": "; the line of the last one",
	} {
		s := obliged(t, map[string]string{"test": testFirst})
		s.write("a.go")
		s.bash(line)
		answer := s.before("Bash", map[string]any{"command": "git commit -m x"})
		require.Contains(t, answer, "since a.go changed"+says, line)
		require.Equal(t, strings.HasPrefix(says, "; `"), strings.Contains(answer, "ran, which is no"), line)
	}
	s := obliged(t, map[string]string{"test": testFirst})
	s.bash("go test ./pkg")
	s.bash("go test ./...")
	s.write("a.go")
	require.NotContains(t, s.before("Bash", map[string]any{"command": "git commit -m x"}), "which is no", "the run came later")
}

// TestAlsoAtStop: the agent is sent back twice, and then the user is told.
func TestAlsoAtStop(t *testing.T) {
	t.Parallel()
	s := obliged(t, map[string]string{"pages": "also: {changed: [\"docs/*.md\"], with: [docs/sidebar.yml]}\nmessage: Add it to the sidebar.\n"})
	s.write("docs/a.md")
	require.True(t, s.bash("git commit -m x"))
	for range 2 {
		require.Contains(t, s.stop(), `"block"`)
		s.bash("ls")
	}
	last := s.stop()
	require.NotContains(t, last, `"block"`)
	require.Contains(t, last, "although the agent was told to go on 2 times")

	s.write("docs/b.md")
	s.bash("echo b >> docs/sidebar.yml")
	require.False(t, s.bash("git commit -m x"))
	require.NotContains(t, s.stop(), `"block"`)
}

// TestBeforeFirst: a file has to be read before the first write, by a tool or a command.
func TestBeforeFirst(t *testing.T) {
	t.Parallel()
	for name, steps := range map[string]func(s *sessionRun){
		"tool":  func(s *sessionRun) { s.read("docs/x.md") },
		"shell": func(s *sessionRun) { s.bash("cat docs/x.md") },
	} {
		s := obliged(t, map[string]string{"first": "before_first: {write: [\"src/**\"], read: [docs/x.md]}\n"})
		require.NoError(t, os.MkdirAll(filepath.Join(s.dir, "docs"), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(s.dir, "docs/x.md"), nil, 0o644))
		require.True(t, s.write("src/a"), name)
		require.True(t, s.bash("echo x > src/a"), name)
		steps(s)
		require.False(t, s.write("src/a"), name)
	}
	s := obliged(t, map[string]string{"first": "before_first: {write: [\"src/**\"], read: [docs/x.md]}\n"})
	require.NoError(t, os.MkdirAll(filepath.Join(s.dir, "docs"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(s.dir, "docs/x.md"), nil, 0o644))
	require.False(t, s.call("Grep", map[string]any{"pattern": "x", "path": "docs/x.md", "output_mode": "content"}, false))
	require.True(t, s.write("src/a"), "a search shows some lines of the file")
	s = obliged(t, map[string]string{"first": "before_first: {write: [\"src/**\"], read: [docs/x.md]}\n"})
	require.False(t, s.write("src/a"), "what is not there cannot be read")
}

// TestWhatIsRead: the agent has read what a call showed it of the file.
func TestWhatIsRead(t *testing.T) {
	t.Parallel()
	sh := func(line string) func(s *sessionRun) { return func(s *sessionRun) { s.bash(line) } }
	tool := func(name, key string, value any) func(s *sessionRun) {
		return func(s *sessionRun) { s.call(name, map[string]any{key: value}, false) }
	}
	for name, c := range map[string]struct {
		steps func(s *sessionRun)
		read  bool
	}{
		"a part of it": {func(s *sessionRun) {
			s.call("Read", map[string]any{"file_path": filepath.Join(s.dir, "docs/x.md"), "offset": 1, "limit": 5}, false)
		}, true},
		"a subagent":          {func(s *sessionRun) { s.part = "p"; s.read("docs/x.md"); s.part = "" }, true},
		"a link":              {func(s *sessionRun) { s.read("LINK.md") }, true},
		"a link, by a shell":  {sh("cat LINK.md"), true},
		"an MCP tool":         {tool("mcp__filesystem__read_text_file", "path", "docs/x.md"), true},
		"an MCP tool of many": {tool("mcp__filesystem__read_multiple_files", "paths", []string{"docs/x.md"}), true},
		"sed":                 {sh("sed -n 1,80p docs/x.md"), true},
		"a pipe":              {sh("cat docs/x.md | head -50"), true},
		"a pattern":           {sh("cat docs/*.md"), true},
		"another folder":      {sh("cd docs && cat x.md"), true},
		"code":                {sh("python3 -c 'print(open(\"docs/x.md\").read())'"), true},
		"errors put aside":    {sh("cat docs/x.md 2>/dev/null"), true},
		"counted and shown":   {sh("wc -l docs/x.md; cat docs/x.md"), true},

		"to another file":   {sh("cat docs/x.md > y.md"), false},
		"to nowhere":        {sh("cat docs/x.md >/dev/null 2>&1"), false},
		"not there":         {sh("cat docs/none.md || true"), false},
		"counted":           {sh("wc -l docs/x.md"), false},
		"counted by pipe":   {sh("cat docs/x.md | wc -l"), false},
		"into a variable":   {sh("V=$(cat docs/x.md)"), false},
		"where it is there": {sh("[ -f docs/x.md ] && cat docs/x.md; ls"), true},
		"if it is there":    {sh("if [ -f docs/x.md ]; then cat docs/x.md; fi; ls"), true},
		"tested, not there": {sh("[ -f docs/none.md ] && cat docs/none.md; ls"), false},
		"at the end":        {sh("trap 'cat docs/x.md' EXIT"), false},
		"behind a failure":  {sh("false && cat docs/x.md; true"), false},
		"behind a cd":       {sh("cd docs && cat x.md | head; ls"), true},
		"copied":            {sh("cp docs/x.md y.md"), false},
		"a sum of it":       {sh("sha256sum docs/x.md"), false},
		"looked for":        {sh("grep -n word docs/x.md"), false},
		"run":               {sh("bash docs/x.md"), false},
		"another pattern":   {sh("cat src/*.md"), false},
		"any file":          {sh("rg -l x | xargs cat"), false},
		"found files":       {sh("find docs -exec cat {} \\;"), false},
		"names in a pipe":   {sh("echo docs/x.md | xargs cat"), true},
		"no names":          {sh("xargs -r cat docs/x.md </dev/null"), false},
		"a failure": {func(s *sessionRun) {
			s.call("Read", map[string]any{"file_path": filepath.Join(s.dir, "docs/x.md")}, true)
		}, false},
		"written":           {func(s *sessionRun) { s.write("docs/x.md") }, false},
		"in the same line":  {sh("cat docs/x.md && echo x > src/a"), false},
		"of another folder": {sh("cat other/docs/x.md"), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := obliged(t, map[string]string{"first": "before_first: {write: [\"src/**\"], read: [\"docs/[nx]*.md\"]}\n"})
			require.NoError(t, os.MkdirAll(filepath.Join(s.dir, "docs"), 0o755))
			require.NoError(t, os.WriteFile(filepath.Join(s.dir, "docs/x.md"), []byte("x"), 0o644))
			require.NoError(t, os.Symlink("docs/x.md", filepath.Join(s.dir, "LINK.md")))
			c.steps(s)
			require.Equal(t, c.read, !s.write("src/a"))
		})
	}
}

// TestOnce: one yes lasts for the session, a no does not.
func TestOnce(t *testing.T) {
	t.Parallel()
	s := obliged(t, map[string]string{"push": "trigger: bash\nscope: [\"git push*\"]\nseverity: ask\nonce: true\n"})
	push := map[string]any{"command": "git push"}
	require.Contains(t, s.before("Bash", push), `"ask"`)
	require.Contains(t, s.before("Bash", push), `"ask"`, "the first was declined")
	s.after("Bash", push, false)
	require.NotContains(t, s.before("Bash", push), `"ask"`)
	s.id = "other"
	require.Contains(t, s.before("Bash", push), `"ask"`)
}

// TestOnceOfACallThatFails: an approval counts though the command fails, where the agent tells its status. A
// refusal that it reports as a failure is not an approval, whatever its words are.
func TestOnceOfACallThatFails(t *testing.T) {
	t.Parallel()
	for said, yes := range map[string]bool{
		"Exit code 128\nfatal: Permission denied (publickey)": true,
		"Exit code 1":                                 true,
		"Error: Exit code 2":                          true,
		"Command timed out after 2m":                  false,
		"Command failed":                              false,
		"Not now, thanks":                             false,
		"No. What is its exit code?":                  false,
		"Nein danke":                                  false,
		"The user said: exit code 1 is what I expect": false,
		"The user doesn't want to proceed with this tool use. The tool use was rejected": false,
		"Permission to use Bash has been denied":                                         false,
		"":                                                                               false,
	} {
		s := obliged(t, map[string]string{"push": "trigger: bash\nscope: [\"git push*\"]\nseverity: ask\nonce: true\n"})
		push := map[string]any{"command": "git push"}
		require.Contains(t, s.before("Bash", push), `"ask"`)
		s.send(map[string]any{"hook_event_name": "PostToolUseFailure", "tool_name": "Bash", "tool_input": push, "tool_use_id": "c1", "error": said})
		require.Equal(t, yes, !strings.Contains(s.before("Bash", push), `"ask"`), said)
	}
}

// TestRunsThatFail: a failed run counts as a run, wherever the agent puts the status. A run that the user refused does not.
func TestRunsThatFail(t *testing.T) {
	t.Parallel()
	for said, ran := range map[string]bool{
		"Exit code 1\nFAIL":                                   true,
		"FAIL\n\nCommand exited with code 2":                  true,
		"FAIL shop\nmake: *** [test] Error 1":                 true,
		"permission denied: ./x\n<exited with exit code 126>": true,
		"Command timed out after 2m":                          true,
		"The user doesn't want to proceed with this tool use": false,
		"Permission to use Bash has been denied":              false,
		"":                                                    false,
	} {
		s := obliged(t, map[string]string{
			"any":  "trigger: bash\nscope: [\"git commit*\"]\nrequires: {ran: [\"go test ./...\"], since: [\"**/*.go\"], ok: false}\nmessage: \"{{missing}}\"\n",
			"good": "trigger: bash\nscope: [\"git push*\"]\nrequires: {ran: [\"go test ./...\"], since: [\"**/*.go\"]}\nmessage: \"{{missing}}\"\n",
		})
		s.write("a.go")
		test := map[string]any{"command": "go test ./..."}
		s.before("Bash", test)
		s.send(map[string]any{"hook_event_name": "PostToolUseFailure", "tool_name": "Bash", "tool_input": test, "tool_use_id": fmt.Sprint("c", s.calls), "error": said})
		require.Equal(t, ran, !s.bash("git commit -m x"), said)
		require.Equal(t, ran, strings.Contains(s.before("Bash", map[string]any{"command": "git push"}), "the last one failed"), said)
	}
}

// TestOnceByCode: an approval by its code counts as soon as the call goes on.
func TestOnceByCode(t *testing.T) {
	t.Parallel()
	s := obliged(t, map[string]string{"push": "trigger: bash\nscope: [\"git push*\"]\nseverity: ask\nonce: true\n"})
	s.agent = "codex" // which cannot ask
	push := map[string]any{"command": "git push"}
	require.Contains(t, s.before("Bash", push), "sentinel allow ")
	p := project.Open([]string{s.dir}, &project.Options{StateDir: s.state, Now: s.now})
	waiting, _, err := p.Gate().Waiting()
	require.NoError(t, err)
	require.Len(t, waiting, 1)
	require.NoError(t, p.Gate().Allow(waiting[0], "somebody"))
	require.NotContains(t, s.before("Bash", push), "sentinel allow ")
	require.NotContains(t, s.before("Bash", push), "sentinel allow ", "nothing was told of the call")
}

// TestObligationLimits: what docs/limits.md says is not seen.
func TestObligationLimits(t *testing.T) {
	t.Parallel()
	for name, steps := range map[string]func(s *sessionRun){
		"an earlier alias": func(s *sessionRun) { s.write("a.go"); s.bash("alias go=true"); s.bash("go test ./...") },
		"an unseen write":  func(s *sessionRun) { s.bash("generate-it") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := obliged(t, map[string]string{"tests": testFirst})
			steps(s)
			require.False(t, s.bash("git commit -m x"))
		})
	}
	for _, line := range []string{"make other && cp -r other sub && git add sub && git commit -m x", "make other && mv other sub && git add sub && git commit -m x"} {
		s := obliged(t, map[string]string{"tests": testFirst})
		require.False(t, s.bash(line), line)
	}
}

// TestWhenSeesTheSession: expressions see runs and writes of the session, and their order.
func TestWhenSeesTheSession(t *testing.T) {
	t.Parallel()
	const order, wrote, ran = `last(wrote("db/**")) > last(ran("make migrate"))`, `wrote("db/**")`, `ran("curl *")`
	for name, c := range map[string]struct {
		when    string
		steps   func(s *sessionRun)
		line    string
		stopped bool
	}{
		"nothing yet":             {order, func(*sessionRun) {}, "deploy", false},
		"written":                 {order, func(s *sessionRun) { s.write("db/1.sql") }, "deploy", true},
		"migrated":                {order, func(s *sessionRun) { s.write("db/1.sql"); s.bash("make migrate") }, "deploy", false},
		"migration failed":        {order, func(s *sessionRun) { s.write("db/1.sql"); s.fails("make migrate") }, "deploy", true},
		"written again":           {order, func(s *sessionRun) { s.bash("make migrate"); s.write("db/1.sql") }, "deploy", true},
		"by another session":      {order, func(s *sessionRun) { s.id = "o"; s.write("db/1.sql"); s.id = "s" }, "deploy", true},
		"migrated by another":     {order, func(s *sessionRun) { s.write("db/1.sql"); s.id = "o"; s.bash("make migrate"); s.id = "s" }, "deploy", true},
		"in the line":             {order, func(*sessionRun) {}, "echo x > db/1.sql && make migrate && deploy", false},
		"in the line, not run":    {order, func(*sessionRun) {}, "make migrate && echo x > db/1.sql && deploy", true},
		"in the line, run or not": {order, func(s *sessionRun) { s.write("db/1.sql") }, "make migrate; deploy", true},
		"wrote elsewhere":         {wrote, func(s *sessionRun) { s.write("a.sql") }, "deploy", false},
		"merged":                  {wrote, func(s *sessionRun) { s.bash("git merge x") }, "deploy", false},
		"wrote":                   {wrote, func(s *sessionRun) { s.bash("cp a db/a") }, "deploy", true},
		"removed with its folder": {wrote, func(s *sessionRun) { s.bash("rm -r db") }, "deploy", true},
		"ran in an earlier turn":  {ran, func(s *sessionRun) { s.bash("curl https://example.com"); s.stop() }, "deploy", true},
		"ran in a pipe":           {ran, func(s *sessionRun) { s.bash("curl https://example.com | jq .") }, "deploy", true},
		"did not run":             {ran, func(s *sessionRun) { s.bash("echo curl x") }, "deploy", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := obliged(t, map[string]string{"order": "trigger: bash\nscope: [deploy]\nbackend: builtin\nwhen: '" + c.when + "'\nmessage: no\n"})
			c.steps(s)
			require.Equal(t, c.stopped, s.bash(c.line))
		})
	}
}

// TestTriedAgainAfterTests: an agent whose calls have no ids tries the very same commit again,
// right after the tests.
func TestTriedAgainAfterTests(t *testing.T) {
	t.Parallel()
	for agent, c := range map[string]struct {
		before, after, shell, write string
		result                      func(exit string) any
	}{
		"gemini": {"BeforeTool", "AfterTool", "run_shell_command", "write_file", func(exit string) any {
			return map[string]any{"llmContent": "<untrusted_context>\nOutput: ok" + exit + "\nProcess Group PGID: 7\n</untrusted_context>"}
		}},
		"copilot": {"PreToolUse", "PostToolUse", "Bash", "Write", func(exit string) any {
			return map[string]any{"result_type": "success", "text_result_for_llm": "ok\n<shellId: 0 completed with exit code " + cmp.Or(exit, "0") + ">"}
		}},
	} {
		t.Run(agent, func(t *testing.T) {
			t.Parallel()
			s := obliged(t, map[string]string{"test": testFirst})
			s.agent = agent
			call := func(tool string, args map[string]any, exit string) (stopped bool) {
				event := func(name string) map[string]any {
					return map[string]any{"hook_event_name": name, "tool_name": tool, "tool_input": args, "timestamp": "2026-10-20T10:00:00.000Z"}
				}
				if strings.Contains(s.send(event(c.before)), `"deny"`) {
					return true
				}
				done := event(c.after)
				done["tool_response"], done["tool_result"] = c.result(exit), c.result(exit)
				s.send(done)
				return false
			}
			commit, tests := map[string]any{"command": "git commit -m x"}, map[string]any{"command": "go test ./..."}
			call(c.write, map[string]any{"file_path": filepath.Join(s.dir, "a.go"), "path": filepath.Join(s.dir, "a.go"), "content": "x"}, "")
			require.True(t, call(c.shell, commit, ""))
			call(c.shell, tests, map[string]string{"gemini": "\nExit Code: 1", "copilot": "1"}[agent])
			require.True(t, call(c.shell, commit, ""), "the tests failed")
			call(c.shell, tests, "")
			require.False(t, call(c.shell, commit, ""), "the tests passed")
		})
	}
}

// TestResultInRecord: Codex says in its record of the session how a command ended, and not in
// its event. What another program adds there makes no success.
func TestResultInRecord(t *testing.T) {
	t.Parallel()
	item := func(id string, exit int) string {
		return fmt.Sprintf(`{"timestamp":"2026-11-22T10:00:00.000Z","type":"event_msg","payload":{"type":"item_completed","item":{"type":"CommandExecution","id":%q,"aggregated_output":"ok","exit_code":%d}}}`+"\n", id, exit)
	}
	for name, c := range map[string]struct {
		record string
		says   string // the answer to the commit; "" lets it go on
	}{
		"succeeded":              {item("c2", 0), ""},
		"failed":                 {item("c2", 1), "the last one failed"},
		"another call succeeded": {item("c1", 0), "not tell whether"},
		"imitated afterwards":    {item("c2", 1) + item("c2", 0), "the last one failed"},
		"imitated before":        {item("c2", 0) + item("c2", 1), "the last one failed"},
		"named by its output":    {strings.Replace(item("c1", 0), `"ok"`, `"\"c2\""`, 1), "not tell whether"},
		"a broken line":          {strings.Replace(item("c2", 0), "}}}", "}}", 1), "not tell whether"},
		"no record":              {"", "not tell whether"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := obliged(t, map[string]string{"test": testFirst})
			require.NoError(t, os.WriteFile(filepath.Join(s.dir, ".claude/sentinel/config.yaml"), []byte("backend: builtin\nlog_file: \"\"\nfail_open: false\n"), 0o644))
			s.agent = "codex"
			s.call("apply_patch", map[string]any{"command": "*** Begin Patch\n*** Add File: a.go\n+x\n*** End Patch\n"}, false)
			if c.record != "" {
				require.NoError(t, os.WriteFile(filepath.Join(s.dir, "t.jsonl"), []byte(c.record), 0o600))
			}
			s.bash("go test ./...")
			answer := s.before("Bash", map[string]any{"command": "git commit -m x"})
			if c.says == "" {
				require.Empty(t, answer)
				return
			}
			require.Contains(t, answer, c.says)
		})
	}
}

// A line that enters another project counts in each of the two as if the other's commands were there.
func TestLinesOfTwoProjects(t *testing.T) {
	t.Parallel()
	for line, stopped := range map[string]bool{
		"cd sub && go test ./...":                          false,
		"cd sub && go vet ./... && go test ./...":          false,
		"make && cd sub && go test ./... | tail":           true,
		"cd sub && go test ./... ; true":                   true,
		"cd sub && (go vet ./... ; go test ./...)":         false,
		"for d in sub; do cd $d && go test ./...; done":    true,
		"cd sub && go test ./... && cd .. && echo done":    false,
		"cd sub && trap 'exit 0' EXIT && go test ./...":    true,
		"cd sub && go test ./... && sed -i s/a/b/ sub2.go": true,
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			s := obliged(t, nil)
			sub := filepath.Join(s.dir, "sub/.claude/sentinel")
			require.NoError(t, os.MkdirAll(filepath.Join(sub, "rules"), 0o755))
			require.NoError(t, os.WriteFile(filepath.Join(sub, "rules/test.yaml"), []byte(testFirst), 0o644))
			require.NoError(t, os.WriteFile(filepath.Join(sub, "config.yaml"), []byte("backend: builtin\nlog_file: \"\"\n"), 0o644))
			s.write("sub/a.go")
			require.False(t, s.bash(line))
			require.Equal(t, stopped, s.bash("cd sub && git commit -m x"))
		})
	}
}
