package cli_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/agent"
	"github.com/agentsentinel/sentinel/internal/scripttest"
	"github.com/agentsentinel/sentinel/packs"
)

// howTo begins the script of each answer: a repository with what init writes, or where
// it was run, which takes longer.
const howTo = `[windows] skip 'the page shows a POSIX shell'
cd repo
exec git init --quiet
BEGIN
exec git add --all
exec git commit --quiet --message init
`

// needsInit are the answers about what init does besides writing rules.
var needsInit = regexp.MustCompile(`sentinel (init|uninstall|doctor|accept|trust|untrust|packs)\b`)

// forPeople are the commands that work only at a terminal.
var forPeople = regexp.MustCompile(`^sentinel (allow|pause|accept|trust|untrust)\b`)

// TestHowTo runs the answers of the page of questions: each command of a block
// "console", in a repository of its own, with the status and the lines that the page
// shows. A block with a file name is that file.
func TestHowTo(t *testing.T) {
	t.Parallel()
	scripts, answers := t.TempDir(), 0
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "how-to.md"))
	require.NoError(t, err)
	for _, answer := range strings.Split(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n### … ")[1:] {
		question, body, _ := strings.Cut(answer, "\n")
		name := regexp.MustCompile(`[^a-z]+`).ReplaceAllString(strings.ToLower(question), "-")
		if script := howToScript(t, question, body); script != "" {
			answers++
			require.NoError(t, os.WriteFile(filepath.Join(scripts, name+".txtar"), []byte(script), 0o600))
		}
	}
	require.GreaterOrEqual(t, answers, 40)
	var programs []string
	for _, a := range (agent.Registry{}).All() {
		programs = append(programs, a.Traces.Programs...)
	}
	testscript.Run(t, testscript.Params{
		Dir: scripts, RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error {
			for name, value := range map[string]string{
				"HOME": filepath.Join(e.WorkDir, "home"), "NO_COLOR": "1", "GOCOVERDIR": e.Getenv("TMPDIR"),
				"PATH": scripttest.Without(e.Getenv("PATH"), programs), "GIT_CONFIG_NOSYSTEM": "1",
				"GIT_AUTHOR_NAME": "A Developer", "GIT_AUTHOR_EMAIL": "developer@example.com",
				"GIT_COMMITTER_NAME": "A Developer", "GIT_COMMITTER_EMAIL": "developer@example.com",
			} {
				e.Setenv(name, value)
			}
			if err := scripttest.Schemas(e, schemas, e.Getenv("TMPDIR")); err != nil {
				return err
			}
			for _, dir := range []string{"home", "repo"} {
				if err := os.Mkdir(filepath.Join(e.WorkDir, dir), 0o755); err != nil {
					return err
				}
			}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"shows": cmdShows, "recommended": cmdRecommended},
	})
}

// howToScript is the script of an answer; "" where it has no command.
func howToScript(t *testing.T, question, body string) string {
	t.Helper()
	begin := "recommended"
	if needsInit.MatchString(body) {
		begin = "exec sentinel init --agent claude --backend builtin"
	}
	script, files, commands := strings.Replace(howTo, "BEGIN", begin, 1), "-- yes --\nyes\n", 0
	for _, block := range strings.Split("\n"+body, "\n```")[1:] {
		info, text, _ := strings.Cut(block, "\n")
		kind, file, _ := strings.Cut(info, " ")
		if file != "" {
			script += "mkdir " + filepath.Dir(file) + "\ncp $WORK/" + filepath.Base(file) + " " + file + "\n"
			files += "-- " + filepath.Base(file) + " --\n" + text + "\n"
		}
		if kind != "console" {
			continue
		}
		for _, command := range strings.Split("\n"+text, "\n$ ")[1:] {
			line, want, _ := strings.Cut(command, "\n")
			line, status, _ := strings.Cut(line, "   # exit status ")
			name := fmt.Sprintf("want-%d", commands)
			files += "-- " + name + " --\n" + want + "\n"
			commands++
			if status == "" {
				status = "0"
			}
			run := "sh -c '" + strings.ReplaceAll(line, "'", "''") + "'"
			if forPeople.MatchString(line) {
				script += "ttyin -stdin $WORK/yes\n"
				run = strings.Replace(line, "sentinel ", "person ", 1)
			}
			script += "shows " + status + " $WORK/" + name + " " + run + "\n"
		}
	}
	if commands == 0 {
		require.Contains(t, body, "sentinel-audit", "%q has no command", question)
		return ""
	}
	return script + files
}

// cmdRecommended writes the recommended rules and a configuration, as init does.
func cmdRecommended(ts *testscript.TestScript, _ bool, _ []string) {
	dir := ts.MkAbs(".claude/sentinel")
	ts.Check(os.MkdirAll(filepath.Join(dir, "rules"), 0o755))
	files, err := packs.Files(packs.Recommended)
	ts.Check(err)
	for _, f := range files {
		ts.Check(os.WriteFile(filepath.Join(dir, "rules", f.Name), f.Data, 0o600))
	}
	ts.Check(os.WriteFile(filepath.Join(dir, "config.yaml"), []byte("backend: builtin\nfail_open: true\nlog_file: .claude/sentinel/sentinel.log\n"), 0o600))
}

// cmdShows runs a program and wants this exit status, and each line of a file in what is
// printed, in this order; … stands for any text:
//
//	shows STATUS FILE PROGRAM [ARG…]
func cmdShows(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if exit := (*exec.ExitError)(nil); errors.As(ts.Exec(args[2], args[3:]...), &exit) {
		got = exit.ExitCode()
	}
	printed := ts.ReadFile("stdout") + ts.ReadFile("stderr")
	if got != want {
		ts.Fatalf("%s: exit status %d, want %d:\n%s", args[2:], got, want, printed)
	}
	for line := range strings.Lines(ts.ReadFile(args[1])) {
		if line = strings.TrimRight(line, "\n"); line == "" {
			continue
		}
		pattern := "(?m)^" + strings.ReplaceAll(regexp.QuoteMeta(line), "…", ".*") + "$"
		at := regexp.MustCompile(pattern).FindStringIndex(printed)
		if at == nil {
			ts.Fatalf("%s does not print the line %q:\n%s", args[2:], line, printed)
		}
		printed = printed[at[1]:]
	}
}
