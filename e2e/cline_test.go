package e2e

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// cline has one answer to a refusal: it ends the whole run. It is started without
// the server that would outlive it.
var cline = agent{
	unread: true,
	name:   "cline", pkg: "@cline/cli-linux-x64", program: "@cline/cli-linux-x64/bin/cline",
	start: func(r *repository, model string) (args, env []string) {
		r.writeHome(".cline/data/settings/providers.json", `{
			"version": 1, "lastUsedProvider": "openai-compatible", "modes": {},
			"providers": {"openai-compatible": {"updatedAt": "2026-11-21T00:00:00.000Z", "tokenSource": "manual", "settings": {
				"provider": "openai-compatible", "apiKey": "dummy", "model": "scripted-model", "baseUrl": "`+model+`/v1"
			}}}
		}`)
		r.writeHome("cline.json", `{"telemetryOptOut": true, "autoUpdateEnabled": false}`)
		return []string{"--json", "--auto-approve", "true", "-P", "openai-compatible", "-m", "scripted-model", prompt},
			[]string{"CLINE_GLOBAL_SETTINGS_PATH=" + r.home + "/cline.json", "CLINE_SESSION_BACKEND_MODE=local", "CLINE_PLUGIN_IMPORT_TIMEOUT_MS=60000"}
	},
	write: func(r *repository, name, content string) call {
		return call{"editor", map[string]any{"path": r.path(name), "new_text": content}}
	},
	shell: func(command string) call { return call{"run_commands", map[string]any{"commands": []string{command}}} },
	serves: func(r *repository, node, script string) []string {
		r.writeHome(".cline/data/settings/cline_mcp_settings.json", `{"mcpServers": {"tracker": {"command": "`+node+`", "args": ["`+script+`"]}}}`)
		return nil
	},
	served:  func(tool string) string { return "tracker__" + tool },
	spawn:   []turn{calling(call{"spawn_agent", map[string]any{"systemPrompt": "You run errands.", "task": errand}})},
	stop:    `"hookName":"agent_end"`,
	endsRun: true,
	unheard: true,
}

func TestCline(t *testing.T) { cline.test(t) }

// A plugin refuses one call, and the run goes on.
func TestClineByPlugin(t *testing.T) { clineByPlugin().test(t) }

func clineByPlugin() agent {
	a := cline
	a.init, a.called, a.choice, a.endsRun = "cline-cli", "cline", true, false
	return a
}

// A call that a script and the plugin both see is judged once, and the model is told once.
func TestClineByPluginAndScripts(t *testing.T) {
	begin(t)
	t.Parallel()
	r := newRepository(t)
	r.initSentinel("cline", "cline-cli")
	r.write(".claude/sentinel/rules/changelog.yaml", warnAPI)
	w := cline.work(r, calling(cline.write(r, "api/users.ts", "export {}\n")), says("Done."))

	assert.Equal(t, 1, strings.Count(strings.Join(w.model.results(1), "")+w.model.notes(), "Warning: "+warnText))
	judged := 0
	for _, rec := range r.records() {
		if rec.RuleID == "changelog" {
			judged++
		}
	}
	assert.Equal(t, 1, judged)
	before := 0
	for _, h := range w.hooks() {
		if strings.Contains(h.event, `"hookName":"tool_call"`) {
			before++
		}
	}
	assert.Equal(t, 2, before, "both were to be asked")
}
