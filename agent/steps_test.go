package agent_test

import (
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/agent"
	"github.com/agentsentinel/sentinel/agent/internal/agenttest"
)

// The steps that are left to the user are read from the agents' own files, and anything
// in them that is not plainly a yes counts as not done.
func TestSteps(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the paths in these files are written as on Unix")
	}
	const (
		gemini = "~/.gemini/trustedFolders.json"
		codex  = "~/.codex/config.toml"
		all    = "[projects.\"REPO\"]\ntrust_level = \"trusted\"\n" +
			"[hooks.state.\"REPO/.codex/hooks.json:pre_tool_use:0:0\"]\ntrusted_hash = \"sha256:85f114422ddabfd506983fc729b8fd8b57025e93b63f57c3f120cdcb8f962c08\"\n" +
			"[hooks.state.'REPO/.codex/hooks.json:post_tool_use:0:0']\ntrusted_hash = \"sha256:a0d931ed1f28d58cfb9a2c64f72757e4ae77f9720d3b2051db7326233a6a661d\"\n" +
			"[hooks.state.\"REPO/.codex/hooks.json:stop:0:0\"]\ntrusted_hash = \"sha256:7b97f550a88677ca327d81b5d847708ee23438f47e49c5a9f8164e91ea538fea\"\n"
		// The digests are those that Codex 0.169.0 itself has for these hooks.
		hooks = `{"hooks": {
			"PreToolUse": [{"matcher": "^(Bash|apply_patch|mcp__.*)$", "hooks": [{"type": "command", "command": "sentinel hook --agent codex", "timeout": 20}]}],
			"PostToolUse": [{"matcher": "^(Bash|apply_patch|mcp__.*)$", "hooks": [{"type": "command", "command": "sentinel hook --agent codex", "timeout": 20}]}],
			"Stop": [{"hooks": [{"type": "command", "command": "sentinel hook --agent codex", "timeout": 20}]}, {"hooks": [{"type": "command", "command": "make"}]}]
		}}`
	)
	for name, c := range map[string]struct {
		agent string
		scope agent.Scope
		files map[string]string // REPO is the repository
		env   map[string]string
		done  []string // of each step a part of what shows that it is done, "" for one that is open
		words string   // among the steps
	}{
		"claude":                    {agent: "claude"},
		"opencode":                  {agent: "opencode", done: []string{""}, words: "restart"},
		"gemini":                    {agent: "gemini", done: []string{""}, words: "choose to trust this one when gemini asks"},
		"gemini, for oneself":       {agent: "gemini", scope: agent.User},
		"gemini, trusted":           {agent: "gemini", files: map[string]string{gemini: `{"REPO": "TRUST_FOLDER"} // yes`}, done: []string{"trusts REPO"}},
		"gemini, from above":        {agent: "gemini", files: map[string]string{gemini: `{"REPO/x": "TRUST_PARENT"}`}, done: []string{"trusts REPO"}},
		"gemini, below only":        {agent: "gemini", files: map[string]string{gemini: `{"REPO/x": "TRUST_FOLDER"}`}, done: []string{""}},
		"gemini, a longer name":     {agent: "gemini", files: map[string]string{gemini: `{"REPO2": "TRUST_FOLDER", "REP": "TRUST_FOLDER"}`}, done: []string{""}},
		"gemini, not this one":      {agent: "gemini", files: map[string]string{gemini: `{"/": "TRUST_FOLDER", "REPO": "DO_NOT_TRUST"}`}, done: []string{""}, words: "which you chose not to trust"},
		"gemini, a level of no use": {agent: "gemini", files: map[string]string{gemini: `{"REPO": "yes"}`}, done: []string{""}},
		"gemini, no object":         {agent: "gemini", files: map[string]string{gemini: `["REPO"]`}, done: []string{""}},
		"gemini, relative":          {agent: "gemini", files: map[string]string{gemini: `{".": "TRUST_FOLDER", "": "TRUST_FOLDER"}`}, done: []string{""}},
		"gemini, by a variable":     {agent: "gemini", env: map[string]string{"GEMINI_CLI_TRUST_WORKSPACE": "true"}, done: []string{"GEMINI_CLI_TRUST_WORKSPACE"}},
		"gemini, switched off":      {agent: "gemini", files: map[string]string{"~/.gemini/settings.json": `{"security": {"folderTrust": {"enabled": false}}}`}, done: []string{"folder trust off"}},
		"qwen":                      {agent: "qwen"},
		"qwen, switched on":         {agent: "qwen", files: map[string]string{"~/.qwen/settings.json": `{"security": {"folderTrust": {"enabled": true}}}`}, done: []string{""}},
		"copilot":                   {agent: "copilot", done: []string{""}},
		"copilot, trusted":          {agent: "copilot", files: map[string]string{"~/.copilot/config.json": "// managed\n{\"trustedFolders\": [\"/nowhere\", \"REPO\"]}"}, done: []string{"trusts REPO"}},
		"copilot, another":          {agent: "copilot", files: map[string]string{"~/.copilot/config.json": `{"trustedFolders": ["REPO/x", "x", ""]}`}, done: []string{""}},
		"codex":                     {agent: "codex", done: []string{"", ""}, words: "/hooks"},
		"codex, all":                {agent: "codex", files: map[string]string{codex: all}, done: []string{"trusts REPO", "all 3 hooks"}},
		"codex, one is missing":     {agent: "codex", files: map[string]string{codex: strings.Replace(all, "post_tool_use", "other", 1)}, done: []string{"trusts", ""}, words: "not yet PostToolUse"},
		"codex, one has changed":    {agent: "codex", files: map[string]string{codex: strings.Replace(all, "sha256:85", "sha256:95", 1)}, done: []string{"trusts", ""}, words: "not yet PreToolUse"},
		"codex, one is switched off": {
			agent: "codex", files: map[string]string{codex: all + "enabled = false\n"}, done: []string{"trusts", ""}, words: "not yet Stop",
		},
		"codex, another folder":   {agent: "codex", files: map[string]string{codex: strings.ReplaceAll(all, "REPO", "/nowhere")}, done: []string{"", ""}},
		"codex, in a comment":     {agent: "codex", files: map[string]string{codex: "# " + strings.ReplaceAll(all, "\n", "\n# ")}, done: []string{"", ""}},
		"codex, hooks are off":    {agent: "codex", files: map[string]string{codex: all + "[features]\nhooks = false\n"}, done: []string{"", "trusts", "all 3"}, words: "Codex runs no hook"},
		"codex, no TOML":          {agent: "codex", files: map[string]string{codex: "[[[\n]=\"\n[\"\n['"}, done: []string{"", ""}},
		"codex, another home":     {agent: "codex", files: map[string]string{"~/other/config.toml": all}, env: map[string]string{"CODEX_HOME": "~/other"}, done: []string{"trusts", "all 3"}},
		"codex, of another reach": {agent: "codex", scope: agent.User, files: map[string]string{codex: all}, done: []string{""}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			repo, home := t.TempDir(), t.TempDir()
			at := func(text string) string {
				return strings.NewReplacer("~/", filepath.ToSlash(home)+"/", "REPO", filepath.ToSlash(repo)).Replace(text)
			}
			c.files = maps.Clone(c.files)
			if c.files == nil {
				c.files = map[string]string{}
			}
			c.files["REPO/.codex/hooks.json"] = hooks
			for file, text := range c.files {
				require.NoError(t, os.MkdirAll(filepath.Dir(at(file)), 0o755))
				require.NoError(t, os.WriteFile(at(file), []byte(at(text)), 0o600))
			}
			ag, err := agenttest.Agents.Named(c.agent)
			require.NoError(t, err)
			p := agent.Place{Root: repo, Home: home, Getenv: func(name string) string { return at(c.env[name]) }, GOOS: "linux"}
			steps := ag.Steps(p, c.scope)
			require.Len(t, steps, len(c.done))
			var words []string
			for i, step := range steps {
				words = append(words, step.String())
				if c.done[i] == "" {
					require.Empty(t, step.Done)
				}
				require.Contains(t, step.Done, at(c.done[i]))
			}
			require.Contains(t, strings.Join(words, "\n"), c.words)
		})
	}
}
