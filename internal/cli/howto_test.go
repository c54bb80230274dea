package cli_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/agent"
	"github.com/agentsentinel/sentinel/internal/scripttest"
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
	if testing.Short() {
		t.Skip("it starts many processes one after the other: not with -short, as under the race detector")
	}
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
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"shows": scripttest.Shows, "recommended": scripttest.Recommended},
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
