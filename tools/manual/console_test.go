package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/agent"
	"github.com/agentsentinel/sentinel/internal/auditcli"
	"github.com/agentsentinel/sentinel/internal/cli"
	"github.com/agentsentinel/sentinel/internal/cli/command"
	"github.com/agentsentinel/sentinel/internal/pagetest"
	"github.com/agentsentinel/sentinel/internal/scripttest"
	"github.com/agentsentinel/sentinel/sentinelcmd"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"sentinel":       func() { os.Exit(sentinelcmd.Main(nil)) },
		"sentinel-audit": func() { os.Exit(auditcli.Run(command.Process())) },
		"person": func() { // the command as a person runs it, who types the word "yes"
			env := command.Process()
			env.Doubt, env.Word = nil, "yes"
			os.Exit(cli.Run(env))
		},
	})
}

// begins is how the script of a page begins that has no setup of its own: a repository
// with the recommended rules.
const begins = `recommended
exec git add --all
exec git commit --quiet --message rules
`

// forPeople are the commands that work only at a terminal.
var forPeople = regexp.MustCompile(`^sentinel (allow|pause|accept|trust|untrust)\b`)

// TestConsole runs the commands of each page, in their order, in a repository that
// testdata/pages/PAGE.txtar prepares, and holds what is printed against what the page
// shows. There, "## before COMMAND" begins the part of the script that runs before the
// command that begins so, and "## end" the part that runs last.
func TestConsole(t *testing.T) {
	t.Parallel()
	list, pages := claims(t), map[string][]pagetest.Block{}
	for _, b := range blocks(t) {
		pages[b.Page] = append(pages[b.Page], b)
	}
	dir, scripts := t.TempDir(), 0
	prepared := map[string]bool{}
	for page, all := range pages {
		name := strings.ReplaceAll(strings.TrimSuffix(page, ".md"), "/", "-")
		setup, err := os.ReadFile(filepath.Join("testdata", "pages", name+".txtar"))
		prepared[name+".txtar"] = err == nil
		script := pageScript(t, all, list, strings.ReplaceAll(string(setup), "\r\n", "\n"))
		if script != "" {
			scripts++
			require.NoError(t, os.WriteFile(filepath.Join(dir, name+".txtar"), []byte(script), 0o600))
		}
	}
	require.Greater(t, scripts, 8)
	files, err := os.ReadDir(filepath.Join("testdata", "pages"))
	require.NoError(t, err)
	for _, f := range files {
		require.True(t, prepared[f.Name()], "testdata/pages/%s is of no page", f.Name())
	}
	var programs []string // of agents: the machine's own are hidden from pages
	for _, a := range (agent.Registry{}).All() {
		programs = append(programs, a.Traces.Programs...)
	}
	testscript.Run(t, testscript.Params{
		Dir: dir, RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error {
			root, err := filepath.Abs(top)
			if err != nil {
				return err
			}
			for name, value := range map[string]string{
				"TOP": root, "HOME": filepath.Join(e.WorkDir, "home"), "NO_COLOR": "1", "GOCOVERDIR": e.Getenv("TMPDIR"), "GIT_CONFIG_NOSYSTEM": "1",
				"PATH":            scripttest.Without(e.Getenv("PATH"), programs),
				"GIT_AUTHOR_NAME": "A Developer", "GIT_AUTHOR_EMAIL": "developer@example.com",
				"GIT_COMMITTER_NAME": "A Developer", "GIT_COMMITTER_EMAIL": "developer@example.com",
			} {
				e.Setenv(name, value)
			}
			for _, dir := range []string{"home", "repo"} {
				if err := os.MkdirAll(filepath.Join(e.WorkDir, dir), 0o755); err != nil {
					return err
				}
			}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"shows": scripttest.Shows, "recommended": scripttest.Recommended, "block": blockCommand(pages), "exits": scripttest.Exits,
			"placed": scripttest.Placed, "code": scripttest.Code,
		},
	})
}

// blockCommand writes the block of a page that begins so to a file:
//
//	block PAGE BEGINS FILE
func blockCommand(pages map[string][]pagetest.Block) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, _ bool, args []string) {
		for _, b := range pages[args[0]] {
			if strings.HasPrefix(b.Begins(), args[1]) {
				ts.Check(os.MkdirAll(filepath.Dir(ts.MkAbs(args[2])), 0o755))
				ts.Check(os.WriteFile(ts.MkAbs(args[2]), []byte(b.Text), 0o600))
				return
			}
		}
		ts.Fatalf("%s has no block that begins %q", args[0], args[1])
	}
}

// pageScript is the script of a page; "" where it runs no command.
func pageScript(t *testing.T, page []pagetest.Block, list []pagetest.Claim, setup string) string {
	t.Helper()
	before, files := parts(setup)
	script := "[windows] skip 'the page shows a POSIX shell'\ncd repo\nexec git init --quiet --initial-branch main\n"
	first, own := before[""]
	if !own {
		first = begins
	}
	script += first
	delete(before, "")
	end := before["end"]
	delete(before, "end")
	files += "-- yes --\nyes\n"
	commands, seen := 0, map[string]int{}
	for _, b := range page {
		if _, ok := claimed(list, &b); ok {
			continue
		}
		if b.File != "" {
			script += fmt.Sprintf("block %s '%s' %s\n", b.Page, strings.ReplaceAll(b.Begins(), "'", "''"), b.File)
		}
		if !b.IsShell() {
			continue
		}
		exported := ""
		for _, c := range b.Commands() {
			status, run := said(list, &b, c)
			if !run {
				continue
			}
			if strings.HasPrefix(c.Line, "export ") {
				exported += c.Line + "; "
				continue
			}
			seen[c.Line]++
			for prefix, part := range before {
				command, times := prefix, 1
				if m := nth.FindStringSubmatch(prefix); m != nil {
					command, times = m[1], int(m[2][0]-'0')
				}
				if strings.HasPrefix(c.Line, command) && seen[c.Line] == times {
					script += part
					delete(before, prefix)
				}
			}
			if word := foreign(c.Line); word != "" {
				t.Errorf("%s:%d: %q may not run here, in %q: name a test that runs it, or why none can, in testdata/blocks.yaml", b.Page, b.Line, word, c.Line)
				continue
			}
			commands++
			name := fmt.Sprintf("want-%d", commands)
			files += "-- " + name + " --\n" + c.Prints + "\n"
			if strings.HasPrefix(c.Line, "#!") {
				files += "-- script-" + name + " --\n" + c.Line
				script += "shows " + status + " $WORK/" + name + " sh $WORK/script-" + name + "\n"
				continue
			}
			line := "sh -c '" + strings.ReplaceAll(exported+c.Line, "'", "''") + "'"
			if forPeople.MatchString(c.Line) {
				script += "ttyin -stdin $WORK/yes\n"
				line = codeShown.ReplaceAllString(strings.Replace(c.Line, "sentinel ", "person ", 1), "${1}$$CODE")
			}
			script += "shows " + status + " $WORK/" + name + " " + line + "\n"
		}
	}
	for prefix := range before {
		t.Errorf("%s has no command that begins %q, for which something is prepared", page[0].Page, prefix)
	}
	if commands == 0 && setup == "" {
		return ""
	}
	return script + end + files
}

// codeShown is a code of `sentinel allow` as a page shows it; that of a run is another.
var codeShown = regexp.MustCompile(`^(person allow )[A-Z0-9]{4}$`)

// foreign is the first program of a line that is neither Sentinel nor one that only reads
// and writes files, so that no page has the network asked or something installed.
func foreign(line string) string {
	if strings.HasPrefix(line, "#!") {
		return ""
	}
	for part := range strings.SplitSeq(regexp.MustCompile(`'[^']*'|"[^"]*"`).ReplaceAllString(line, "X"), "&&") {
		for command := range strings.SplitSeq(part, "|") {
			words := strings.Fields(command)
			switch {
			case len(words) > 1 && words[0] == "git" && slices.Contains([]string{"add", "commit", "log", "diff", "status"}, words[1]):
			case len(words) > 0 && slices.Contains([]string{"sentinel", "sentinel-audit", "cd", "mkdir", "cp", "cat", "jq", "sort", "uniq", "export"}, words[0]):
			default:
				return command
			}
		}
	}
	return ""
}

// said is the status that a command has to end with, and whether it is run.
func said(list []pagetest.Claim, b *pagetest.Block, c pagetest.Command) (status string, run bool) {
	i := slices.IndexFunc(list, func(cl pagetest.Claim) bool {
		return cl.Command != "" && cl.Fits(b) && strings.HasPrefix(c.Line, cl.Command)
	})
	switch {
	case i < 0:
		return c.Status, true
	case list[i].Status != "":
		return list[i].Status, true
	}
	return "", false
}

// nth is the end of what a part comes before, where that is not the first such command.
var nth = regexp.MustCompile(`^(.*) \((\d)\)$`)

// parts are the parts of a setup's script by the command that they come before, and its
// files.
func parts(setup string) (before map[string]string, files string) {
	before = map[string]string{}
	if setup == "" {
		return before, ""
	}
	script := setup
	if at := strings.Index("\n"+setup, "\n-- "); at >= 0 {
		script, files = setup[:at], setup[at:]
	}
	key := ""
	for line := range strings.Lines(script) {
		if rest, ok := strings.CutPrefix(line, "## "); ok {
			key = strings.TrimPrefix(strings.TrimSpace(rest), "before ")
			continue
		}
		before[key] += line
	}
	return before, files
}
