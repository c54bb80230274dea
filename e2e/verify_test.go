package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/programtest"
)

// verified is what `sentinel verify --last --json` says.
type verified struct {
	Sessions []struct {
		Agent                 string
		Transcripts, Problems []string
		Calls, Checked, Late  int
		Never                 int `json:"never_seen"`
		Extra                 int `json:"not_in_transcript"`
		Listed                []unseenCall
	}
}

type unseenCall struct {
	Tool, Subject, State, Why, Said string
	Rules                           []string
}

// verify wants `sentinel verify --last` to say that the last session's calls were
// checked, as many as these. An agent that keeps no transcript that can be read has its
// receipts alone.
func (r *repository) verify(checked int, readable bool) {
	r.t.Helper()
	r.verifyPart(checked, 0, readable)
}

// verifyPart is verify where the transcript lacks calls that the hook was asked about.
func (r *repository) verifyPart(checked, lacking int, readable bool) {
	r.t.Helper()
	res := r.sentinel("", "verify", "--last", "--json")
	var v verified
	require.NoError(r.t, json.Unmarshal([]byte(res.stdout), &v), "%s%s", res.stdout, res.stderr)
	require.Len(r.t, v.Sessions, 1)
	s := v.Sessions[0]
	assert.Equal(r.t, checked, s.Checked, "%+v", v)
	assert.Zero(r.t, s.Never+s.Late, "%+v", v)
	assert.Equal(r.t, lacking, s.Extra, "%+v", v)
	if readable {
		assert.Zero(r.t, res.exit, "%+v", v)
		assert.NotEmpty(r.t, s.Transcripts)
	} else {
		assert.Equal(r.t, 2, res.exit, "%+v", v)
		assert.Len(r.t, s.Problems, 1)
	}
}

// A session of Claude Code without the hook: each call that a rule is about is named.
func TestVerifyNamesWhatClaudeDidUnseen(t *testing.T) {
	begin(t)
	r := newRepository(t)
	r.initSentinel()
	r.write(".claude/sentinel/rules/protect-billing.yaml", protectBilling)
	settings, _ := r.read(".claude/settings.json")
	r.write(".claude/settings.json", "{}")
	r.claude(write(r.path("src/billing/invoice.ts"), "export {}\n"), write(r.path("notes.md"), "a note\n"))
	r.write(".claude/settings.json", settings)

	res := r.sentinel("", "verify", "--json")
	var v verified
	require.NoError(t, json.Unmarshal([]byte(res.stdout), &v), "%s%s", res.stdout, res.stderr)
	require.Equal(t, 1, res.exit, "%+v", v)
	unseen := slices.IndexFunc(v.Sessions[0].Listed, func(c unseenCall) bool { return c.Subject == "src/billing/invoice.ts" })
	require.GreaterOrEqual(t, unseen, 0, "%+v", v)
	require.Equal(t, "never_seen", v.Sessions[0].Listed[unseen].State)
	require.Contains(t, v.Sessions[0].Listed[unseen].Rules, "protect-billing")
}

// A canary is an agent as `sentinel verify --canary` is to find it.
type canaryAgent struct {
	agent
	called string   // the program on the PATH
	adds   []string // what stands for the user's trust, which only a user can give in a terminal
}

func canaries() []canaryAgent {
	return []canaryAgent{
		{agent{name: "claude-code", pkg: "@anthropic-ai/claude-code", program: "@anthropic-ai/claude-code-*/claude"}, "claude", nil},
		{codex, "codex", []string{"--dangerously-bypass-hook-trust"}},
		{gemini, "gemini", nil},
		{qwen, "qwen", nil},
		{copilot, "copilot", []string{"--trust-folder"}},
	}
}

// ready is a repository in which the agent is on the PATH.
func (c canaryAgent) ready(t *testing.T) *repository {
	t.Helper()
	begin(t)
	r := newRepository(t)
	program := "'" + strings.Join(c.installed(t), "' '") + "'"
	first := ""
	if c.called == "codex" { // its flags come behind the command
		first = "first=$1; shift; "
		program += " \"$first\""
	}
	r.writeHome(".gemini/trustedFolders.json", `{"`+r.dir+`": "TRUST_FOLDER"}`)
	r.writeHome(".codex/config.toml", "[projects.\""+r.dir+"\"]\ntrust_level = \"trusted\"\n")
	if c.settings != nil {
		c.settings(r)
	}
	r.bin = filepath.Join(filepath.Dir(r.dir), "bin")
	require.NoError(t, os.MkdirAll(r.bin, 0o755))
	built, err := built()
	require.NoError(t, err)
	require.NoError(t, os.Symlink(filepath.Join(built, "sentinel"), filepath.Join(r.bin, "sentinel")))
	programtest.Write(t, filepath.Join(r.bin, c.called), "#!/bin/sh\n"+first+"exec "+program+" "+strings.Join(c.adds, " ")+" \"$@\"\n")
	r.initSentinel(c.called)
	return r
}

// The real agent, with the user's own settings, is stopped at a write into the folder of
// rules; where its hook is gone, that is said, and the file is removed.
func TestCanary(t *testing.T) {
	for _, c := range canaries() {
		t.Run(c.called, func(t *testing.T) {
			t.Parallel()
			r := c.ready(t)
			before := r.files()
			res := r.sentinel("", "verify", "--canary", c.called, "--json")
			require.Zero(t, res.exit, "%s%s", res.stdout, res.stderr)
			require.Contains(t, res.stdout, `"outcome":"stopped"`)

			require.Zero(t, r.sentinel("", "uninstall", "--agent", c.called).exit)
			res = r.sentinel("", "verify", "--canary", c.called, "--json")
			require.Equal(t, 1, res.exit, "%s%s", res.stdout, res.stderr)
			require.Contains(t, res.stdout, `"outcome":"not_stopped"`)
			after := r.files()
			for name := range after {
				if _, known := before[name]; !known && name != logFile {
					t.Errorf("%s was left", name)
				}
			}
		})
	}
}

// In a sub-folder Claude Code reads no settings of the project: the canary tells.
func TestCanaryInASubFolder(t *testing.T) {
	t.Parallel()
	r := canaries()[0].ready(t)
	res := r.run("", r.env(), "sh", "-c", "cd sub && sentinel verify --canary claude")
	require.Equal(t, 1, res.exit, "%s%s", res.stdout, res.stderr)
	require.Contains(t, res.stdout, "not stopped: no hook was asked")
}

// An agent that cannot be started with another model server is tried by hand.
func TestCanaryByHand(t *testing.T) {
	begin(t)
	r := newRepository(t)
	r.initSentinel("cline")
	res := r.sentinel("", "verify", "--canary", "cline")
	require.Equal(t, 2, res.exit)
	require.Contains(t, res.stdout, "By hand: start Cline in "+r.dir)
}
