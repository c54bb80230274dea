package install_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"mvdan.cc/sh/v3/syntax"

	"github.com/agentsentinel/sentinel/internal/install"
)

// Look sees what Plan writes, for every agent and system.
func TestLookSeesWhatPlanWrites(t *testing.T) {
	t.Parallel()
	for _, goos := range []string{"linux", "darwin", "windows"} {
		for name, h := range map[string]install.Hook{
			"default": {},
			"strict":  {Strict: true, Reads: true, Timeout: 40 * time.Second},
			"spaces":  {Program: "/home/it's me/go bin/sentinel"},
		} {
			if goos == "windows" && h.Program != "" {
				h.Program = `C:\Users\it is me\sentinel.exe`
			}
			h.GOOS = goos
			for _, agent := range agents.Installable() {
				t.Run(goos+"/"+name+"/"+agent, func(t *testing.T) {
					t.Parallel()
					root := t.TempDir()
					targets, err := targetsOf(install.Place{Root: root, GOOS: goos}, agent, install.Repository)
					require.NoError(t, err)
					for _, target := range targets {
						look(t, target, h, goos)
					}
				})
			}
		}
	}
}

func look(t *testing.T, target install.Target, h install.Hook, goos string) {
	absent, err := install.Look(target, h)
	require.NoError(t, err)
	require.False(t, absent.Found)
	c, err := install.Plan(target, h)
	require.NoError(t, err)
	require.NoError(t, c.Apply())

	r, err := install.Look(target, h)
	require.NoError(t, err)
	require.True(t, r.Found)
	require.True(t, r.Current)
	require.False(t, r.Changed)
	require.Empty(t, r.Missing)
	require.Empty(t, r.Others)
	require.Empty(t, r.Off)
	require.NotEmpty(t, r.Entries)
	for _, e := range r.Entries {
		call, plain := e.Call()
		if goos == "windows" && target.Agent == "vscode" && h.Program != "" {
			require.False(t, plain, "a quoted path is right for Copilot CLI's shell or for that of VS Code")
			continue
		}
		require.True(t, plain, e.Command)
		want := "sentinel"
		if h.Program != "" {
			want = h.Program
		}
		require.Equal(t, want, call.Program)
		require.False(t, call.Home)
		deadline, sane := call.Deadline()
		require.True(t, sane)
		if target.Agent == "windsurf" {
			require.Zero(t, e.Timeout, "it has none")
			continue
		}
		wait := h.Timeout
		switch {
		case target.Agent == "cline":
			wait = 30 * time.Second
		case target.Agent == "cline-cli":
			wait = 3 * time.Second // so much a plugin has
		case target.Agent == "codex" && e.Event == "SessionEnd":
			wait = 3 * time.Second // it allows no more there
		case wait == 0:
			wait = install.DefaultTimeout
		}
		require.Equal(t, wait, e.Timeout, "in the agent's own unit")
		if deadline == 0 {
			deadline = install.DefaultDeadline
		}
		require.GreaterOrEqual(t, e.Timeout, deadline+time.Second)
	}
}

func TestLook(t *testing.T) {
	t.Parallel()
	const ours = `{"type": "command", "command": "sentinel hook", "timeout": 20}`
	for _, c := range []struct {
		name, agent, text string
		entries, others   int
		missing           string // one of them
		current           bool
		off, err          string
	}{
		{"empty file", "claude", "", 0, 0, "", false, "", ""},
		{"no hooks", "claude", `{"mine": 1}`, 0, 0, "", false, "", ""},
		{"only after tools", "claude", `{"hooks": {"PostToolUse": [{"hooks": [` + ours + `]}]}}`, 1, 0, "PreToolUse", false, "", ""},
		{"all hooks are off", "claude", `{"disableAllHooks": true, "hooks": {"Stop": [{"hooks": [` + ours + `]}]}}`, 1, 0, "SessionEnd", false, "disableAllHooks", ""},
		{"go run", "codex", `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "go run ./cmd/sentinel hook"}]}]}}`, 0, 1, "", false, "", ""},
		{"somebody else's", "codex", `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "other hook"}]}]}}`, 0, 0, "", false, "", ""},
		{"a wrapper", "cursor", `{"version": 1, "hooks": {"stop": [{"command": "./my-sentinel.sh"}]}}`, 0, 1, "", false, "", ""},
		{"comments where they may be", "gemini", "{\n// mine\n\"hooks\": {}}", 0, 0, "", false, "", ""},
		{"comments where they may not be", "claude", "{\n  // mine\n}", 0, 0, "", false, "", "settings.json:2:3: comments are not allowed"},
		{"broken", "codex", "{\n  \"hooks\": {,}\n}", 0, 0, "", false, "", "hooks.json:2:13: "},
		{"cut", "cursor", "{\"hooks\": ", 0, 0, "", false, "", "hooks.json:1:11: "},
		{"a list", "claude", "[]", 0, 0, "", false, "", "must hold one JSON object"},
		{"hooks of another form", "claude", `{"hooks": []}`, 0, 0, "", false, "", `"hooks" must be an object`},
		{"twice", "claude", `{"hooks": {"Stop": [{"hooks": [` + ours + `]}], "Stop": []}}`, 0, 0, "", false, "", "stands twice"},
		{"handlers of odd kinds", "claude", `{"hooks": {"Stop": [1, {"hooks": 2}, {"hooks": [3, null, {"command": 4, "timeout": "x"}]}]}}`, 0, 0, "", false, "", ""},
		{"another plugin", "opencode", "export const Other = 1", 0, 0, "", false, "", ""},
		{"a plugin of one's own that asks", "opencode", "spawn('sentinel')", 0, 1, "", false, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			targets, err := targetsOf(install.Place{Root: root, Home: ""}, c.agent, install.Repository)
			require.NoError(t, err)
			file := targets[0].File
			require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
			require.NoError(t, os.WriteFile(file, []byte(c.text), 0o644))
			r, err := install.Look(targets[0], install.Hook{})
			if c.err != "" {
				require.ErrorContains(t, err, c.err)
				require.ErrorContains(t, err, root, "the file is named")
				return
			}
			require.NoError(t, err)
			require.Len(t, r.Entries, c.entries)
			require.Len(t, r.Others, c.others)
			require.Equal(t, c.current, r.Current)
			require.Contains(t, strings.Join(r.Missing, " "), c.missing)
			require.Contains(t, strings.Join(r.Off, " "), c.off)
		})
	}
}

func TestLookAtTimeoutsAndLines(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write := func(agent, text string) install.Target {
		targets, err := targetsOf(install.Place{Root: root, Home: ""}, agent, install.Repository)
		require.NoError(t, err)
		require.NoError(t, os.MkdirAll(filepath.Dir(targets[0].File), 0o755))
		require.NoError(t, os.WriteFile(targets[0].File, []byte(text), 0o644))
		return targets[0]
	}
	for text, want := range map[string]time.Duration{
		"20": 20 * time.Second, "20000": 20000 * time.Second, "0.5": 500 * time.Millisecond,
		"0": 0, "-3": 0, `"20"`: 0, "null": 0, "1e300": 1e4 * time.Hour,
	} {
		r, err := install.Look(write("codex", "{\"hooks\": {\"Stop\": [\n{\"hooks\": [\n{\"command\": \"sentinel hook\", \"timeout\": "+text+"}]}]}}"), install.Hook{})
		require.NoError(t, err)
		require.Equal(t, want, r.Entries[0].Timeout, text)
		require.Equal(t, 3, r.Entries[0].Line)
	}
	r, err := install.Look(write("gemini", `{"hooks": {"BeforeTool": [{"hooks": [{"command": "sentinel hook", "timeout": 20}]}]}}`), install.Hook{})
	require.NoError(t, err)
	require.Equal(t, 20*time.Millisecond, r.Entries[0].Timeout)
}

func TestLookFollowsNoLinkOutOfTheRepository(t *testing.T) {
	t.Parallel()
	root, outside := t.TempDir(), t.TempDir()
	secret := filepath.Join(outside, "secret.json")
	require.NoError(t, os.WriteFile(secret, []byte(`{"hooks": {"stop": [{"command": "sentinel hook"}]}}`), 0o600))
	target := install.Target{Agent: "cursor", Settings: settingsOf("cursor"), File: filepath.Join(root, ".cursor", "hooks.json"), Root: root}
	require.NoError(t, os.MkdirAll(filepath.Dir(target.File), 0o755))

	link := func(to string) {
		require.NoError(t, os.RemoveAll(target.File))
		if err := os.Symlink(to, target.File); err != nil {
			t.Skip(err)
		}
	}
	link(secret)
	_, err := install.Look(target, install.Hook{})
	require.ErrorContains(t, err, "leads out of the repository")

	own := target
	own.Root = "" // a person's own settings are often links
	r, err := install.Look(own, install.Hook{})
	require.NoError(t, err)
	require.Len(t, r.Entries, 1)

	link(filepath.Join(outside, "nothing"))
	_, err = install.Look(target, install.Hook{})
	require.ErrorContains(t, err, "leads nowhere")

	require.NoError(t, os.Remove(target.File))
	require.NoError(t, os.Mkdir(target.File, 0o755))
	_, err = install.Look(target, install.Hook{})
	require.ErrorContains(t, err, "is a directory")

	require.NoError(t, os.Remove(target.File))
	require.NoError(t, os.WriteFile(target.File, bytes.Repeat([]byte(" "), 5<<20), 0o600))
	_, err = install.Look(target, install.Hook{})
	require.ErrorContains(t, err, "5242880 bytes")
}

// A changed script is seen as such, and its command all the same.
func TestLookAtAChangedScript(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for _, agent := range []string{"cline", "opencode"} {
		targets, err := targetsOf(install.Place{Root: root, GOOS: "linux"}, agent, install.Repository)
		require.NoError(t, err)
		c, err := install.Plan(targets[0], install.Hook{GOOS: "linux"})
		require.NoError(t, err)
		require.NoError(t, c.Apply())
		require.NoError(t, os.WriteFile(targets[0].File, append(c.After, "// more\n"...), 0o755))
		r, err := install.Look(targets[0], install.Hook{GOOS: "linux"})
		require.NoError(t, err)
		require.True(t, r.Changed)
		require.False(t, r.Current)
		_, plain := r.Entries[0].Call()
		require.True(t, plain)
	}
}

func TestCall(t *testing.T) {
	t.Parallel()
	const (
		sh  = install.Posix
		cmd = install.Cmd
		ps  = install.PowerShell
	)
	for _, c := range []struct {
		shell   install.Shell
		line    string
		program string // "" when the line is not plain
		flags   string
	}{
		{sh, "sentinel hook", "sentinel", ""},
		{sh, " /opt/sentinel  hook --agent codex --deadline 29s ", "/opt/sentinel", "--agent codex --deadline 29s"},
		{sh, "'/a b/sentinel' hook", "/a b/sentinel", ""},
		{sh, `"/a b/sentinel" hook`, "/a b/sentinel", ""},
		{sh, `'/it'\''s/sentinel' hook`, "/it's/sentinel", ""},
		{sh, "sentinel hook --phase pre; exit 0", "sentinel", "--phase pre"},
		{sh, "sentinel hook || exit 2", "sentinel", ""},
		{sh, "~/go/bin/sentinel hook", "go/bin/sentinel", ""},
		{sh, "$HOME/go/bin/sentinel hook", "go/bin/sentinel", ""},
		{sh, `"${HOME}/go bin/sentinel" hook`, "go bin/sentinel", ""},
		{sh, "/grün/sentinel hook", "/grün/sentinel", ""},
		{sh, `"~/x/sentinel" hook`, "~/x/sentinel", ""}, // ~ means itself between quotes
		{cmd, `"C:\a b\sentinel.exe" hook || exit 2`, `C:\a b\sentinel.exe`, ""},
		{cmd, `cmd /c "sentinel hook --phase pre & exit 0"`, "sentinel", "--phase pre"},
		{ps, `& 'C:\it''s\sentinel.exe' hook; exit $LASTEXITCODE`, `C:\it's\sentinel.exe`, ""},
		{ps, `cmd /c "sentinel hook --phase pre & exit 0"`, "sentinel", "--phase pre"},

		{sh, "", "", ""},
		{sh, "sentinel", "", ""},
		{sh, "sentinel check", "", ""},
		{sh, "other hook", "", ""},
		{sh, "go run ./cmd/sentinel hook", "", ""},
		{sh, "PATH=. sentinel hook", "", ""},
		{sh, "LD_PRELOAD=./x.so sentinel hook", "", ""},
		{sh, "sentinel hook > /etc/passwd", "", ""},
		{sh, "sentinel hook >/etc/passwd", "", ""},
		{sh, "sentinel hook </etc/passwd", "", ""},
		{sh, "sentinel hook; rm -rf /", "", ""},
		{sh, "sentinel hook & exit 0", "", ""},
		{sh, "sentinel hook && true", "", ""},
		{sh, "sentinel hook | tee x", "", ""},
		{sh, "sentinel hook\nrm x", "", ""},
		{sh, `sentinel hook --agent "$(touch x)"`, "", ""},
		{sh, "sentinel hook --agent `touch x`", "", ""},
		{sh, "sentinel hook --agent \"`touch x`\"", "", ""},
		{sh, "sentinel hook --agent $X", "", ""},
		{sh, `"$HOME/$(touch x)/sentinel" hook`, "", ""},
		{sh, "sentinel hook {a,b}", "", ""},
		{sh, "sentinel hook *", "", ""},
		{sh, "sentinel hook # x", "", ""},
		{sh, "sentinel hook 'open", "", ""},
		{sh, `sentinel hook \`, "", ""},
		{sh, "(sentinel hook)", "", ""},
		{sh, "! sentinel hook", "", ""},
		{sh, `cmd /c "sentinel hook & exit 0"`, "", ""},
		{cmd, "sentinel hook %X%", "", ""},
		{cmd, `sentinel hook "%X%"`, "", ""},
		{cmd, "sentinel hook ^& calc", "", ""},
		{cmd, "sentinel hook & calc", "", ""},
		{ps, `sentinel hook "$(calc)"`, "", ""},
		{ps, "sentinel hook; calc", "", ""},
		{ps, "sentinel hook @x", "", ""},
		{ps, "sentinel hook ’; calc; ’", "", ""},
	} {
		e := install.Entry{Command: c.line, Shell: c.shell}
		call, plain := e.Call()
		require.Equal(t, c.program != "", plain, "%s: %s", c.shell, c.line)
		require.Equal(t, c.program, call.Program, c.line)
		require.Equal(t, c.flags, strings.Join(call.Flags, " "), c.line)
		require.Equal(t, plain && !strings.HasPrefix(c.program, "/") && strings.Contains(c.program, "go"), call.Home, c.line)
	}
	call, plain := install.Entry{Command: `C:\x\sentinel.exe`, Args: []string{"hook", "--deadline=9s", "-agent", "qwen"}}.Call()
	require.True(t, plain)
	require.Equal(t, []string{"--deadline=9s", "-agent", "qwen"}, call.Flags)
	deadline, ok := call.Deadline()
	require.True(t, ok)
	require.Equal(t, 9*time.Second, deadline)
	for _, text := range []string{"x", "0s", "-3s", ""} {
		_, ok = install.Call{Flags: []string{"--deadline", text}}.Deadline()
		require.False(t, ok, text)
	}
}

// A plain line does in the real shell what Call says: nothing else runs.
func TestPlainLinesInTheRealShell(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("no sh")
	}
	dir := t.TempDir()
	for _, line := range []string{
		"sentinel hook --agent codex", "'/a b/sentinel' hook", `'/it'\''s/sentinel' hook`, `"/a b/sentinel" hook "x y"`, "sentinel  hook\t--x=y", "sentinel hook 'a\"b$c`d'",
	} {
		call, plain := install.Entry{Command: line, Shell: install.Posix}.Call()
		require.True(t, plain, line)
		want := fmt.Sprintf("%q", append([]string{call.Program, "hook"}, call.Flags...))
		require.Equal(t, want, fmt.Sprintf("%q", wordsBySh(t, dir, line)), line)
	}
}

// FuzzCall holds Call to a parser of the shell's language: a line that it calls
// plain is one simple command of literal words.
func FuzzCall(f *testing.F) {
	for _, line := range []string{"sentinel hook", "'/a b/sentinel' hook; exit 0", `"$HOME/x/sentinel" hook --agent x || exit 2`, "~/sentinel hook", "sentinel hook >x", `sentinel hook "$(x)"`} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		for _, s := range []install.Shell{install.Cmd, install.PowerShell, install.NoShell} {
			install.Entry{Command: line, Shell: s}.Call() // does not crash
		}
		call, plain := install.Entry{Command: line, Shell: install.Posix}.Call()
		if !plain {
			return
		}
		file, err := syntax.NewParser(syntax.Variant(syntax.LangPOSIX)).Parse(strings.NewReader(line), "")
		require.NoError(t, err, "%q", line)
		first := file.Stmts[0]
		for _, s := range file.Stmts[1:] {
			requireExit(t, s)
		}
		if b, ok := first.Cmd.(*syntax.BinaryCmd); ok {
			require.Equal(t, syntax.OrStmt, b.Op)
			requireExit(t, b.Y)
			first = b.X
		}
		require.Empty(t, first.Redirs, "%q", line)
		require.False(t, first.Background || first.Negated || first.Coprocess, "%q", line)
		c, ok := first.Cmd.(*syntax.CallExpr)
		require.True(t, ok, "%q", line)
		require.Empty(t, c.Assigns, "%q", line)
		require.Len(t, c.Args, 2+len(call.Flags), "%q", line)
		syntax.Walk(c, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.CmdSubst, *syntax.ProcSubst, *syntax.ArithmExp, *syntax.ExtGlob:
				t.Errorf("%q holds %T", line, n)
			case *syntax.ParamExp:
				require.Equal(t, "HOME", n.Param.Value, "%q", line)
			}
			return true
		})
	})
}

func requireExit(t *testing.T, s *syntax.Stmt) {
	c, ok := s.Cmd.(*syntax.CallExpr)
	require.True(t, ok)
	require.Equal(t, "exit", c.Args[0].Lit())
}

// FuzzLook: no file of any agent crashes Look, and what it finds can be taken apart.
func FuzzLook(f *testing.F) {
	for n, text := range []string{
		`{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "sentinel hook", "timeout": 20}]}]}}`,
		`{"version": 1, "hooks": {"stop": [{"bash": "sentinel hook", "args": ["x"]}]}}`,
		"#!/bin/sh\n# sentinel-digest: 00\nexec sentinel hook --agent cline\n",
		"\nconst program = \"sentinel\"\nconst deadlineMs = 15000 // x\nconst timeoutMs = 2e4\n// sentinel-digest: 00\n",
		`{"version": "v1", "hooks": [{"trigger": "Stop", "action": {"command": "sentinel hook"}}]}`,
	} {
		f.Add(n, text)
	}
	names := agents.Installable()
	f.Fuzz(func(t *testing.T, n int, text string) {
		targets, err := targetsOf(install.Place{Root: abs("/r")}, names[(n%len(names)+len(names))%len(names)], install.Repository)
		require.NoError(t, err)
		r, err := install.LookAt(targets[0], text)
		if err != nil {
			return
		}
		for _, e := range append(r.Entries, r.Others...) {
			if call, plain := e.Call(); plain {
				require.NotEmpty(t, call.Program)
				call.Deadline()
			}
			require.GreaterOrEqual(t, e.Timeout, time.Duration(0))
		}
	})
}
