package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// pi loads the extensions of a folder that it trusts: --approve says so for one run.
var pi = agent{
	name: "pi", unheard: true, pkg: "@earendil-works/pi-coding-agent", program: "@earendil-works/pi-coding-agent/dist/bundle/cli.js",
	node: true,
	start: func(r *repository, model string) (args, env []string) {
		r.writeHome(".pi/agent/models.json", `{"providers": {"scripted": {
			"baseUrl": "`+model+`/v1", "api": "openai-completions", "apiKey": "dummy",
			"models": [{"id": "scripted-model", "name": "Scripted", "input": ["text"], "contextWindow": 128000, "maxTokens": 4096}]
		}}}`)
		return []string{
			"--approve", "--provider", "scripted", "--model", "scripted-model", "--tools", "+codemode,+grep", "--print", "--mode", "json", prompt,
		}, []string{"PI_OFFLINE=1", "PI_SKIP_VERSION_CHECK=1", "PI_TELEMETRY=0"}
	},
	write: func(r *repository, name, content string) call {
		return call{"write", map[string]any{"path": r.path(name), "content": content}}
	},
	shell: func(command string) call { return call{"bash", map[string]any{"command": command}} },
	search: func(in, glob string) call {
		args := map[string]any{"pattern": "KEY", "path": in}
		if glob != "" {
			args["glob"] = glob
		}
		return call{"grep", args}
	},
	serves: func(r *repository, node, script string) []string {
		r.writeHome(".pi/agent/mcp.json", `{"mcpServers": {"tracker": {"command": "`+node+`", "args": ["`+script+`"], "exposure": "direct"}}}`)
		return nil
	},
	served: func(tool string) string { return "mcp__tracker__" + tool },
	stop:   `"hook_event_name":"pi.agent_end"`,
}

func TestPi(t *testing.T) { pi.test(t) }

// The calls that a script makes are judged one by one, and what is said of them is
// given with the result of the script.
func TestPiJudgesTheCallsOfAScript(t *testing.T) {
	t.Parallel()
	r := pi.ready(t, map[string]string{"protect-billing": protectBilling, "changelog": warnAPI})
	w := pi.work(r, calling(call{"codemode", map[string]any{"code": `
		await tools.write({path: "api/users.ts", content: "export {}\n"})
		const stopped = await Promise.allSettled([
			tools.write({path: "src/billing/invoice.ts", content: "x"}),
			tools.bash({command: "mkdir -p src/billing; echo x > src/billing/rates.ts"}),
		])
		return stopped.map((s) => String(s.reason))
	`}}), says("Done."))

	_, exists := r.read("api/users.ts")
	assert.True(t, exists)
	for _, name := range []string{"src/billing/invoice.ts", "src/billing/rates.ts"} {
		_, exists := r.read(name)
		assert.False(t, exists, name)
	}
	result := w.model.results(1)[0]
	assert.Equal(t, 2, strings.Count(result, billingText))
	assert.Equal(t, 1, strings.Count(result, warnText))
}

// Where there is a user the question is theirs to answer.
func TestPiAsksItsUser(t *testing.T) {
	t.Parallel()
	for _, yes := range []bool{true, false} {
		t.Run(fmt.Sprint(yes), func(t *testing.T) {
			t.Parallel()
			r := pi.ready(t, map[string]string{"deploy": askDeploy})
			program := pi.installed(t)
			model := newScriptedModel(t, calling(pi.shell("touch deployed")), says("Done."))
			args, env := pi.start(r, model.url)
			args = append(args[:len(args)-4:len(args)-4], "--mode", "rpc")
			asked := answer(t, r.env(env...), r.dir, append(program, args...), yes)

			assert.Contains(t, asked, "Sentinel asks: ")
			assert.Contains(t, asked, askText)
			_, exists := r.read("deployed")
			assert.Equal(t, yes, exists)
			assert.Equal(t, !yes, strings.Contains(model.results(1)[0], askText))
		})
	}
}

// answer drives pi by its protocol for other programs until the model's turn is over, and
// returns what its user was asked.
func answer(t *testing.T, env []string, dir string, argv []string, yes bool) (asked string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = dir, env
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	_, err = fmt.Fprintf(in, "{\"type\":\"prompt\",\"message\":%q}\n", prompt)
	require.NoError(t, err)
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var line struct{ Type, ID, Method, Message string }
		_ = json.Unmarshal(lines.Bytes(), &line) // lines of other forms say nothing here
		switch {
		case line.Method == "confirm":
			asked += line.Message
			_, err = fmt.Fprintf(in, "{\"type\":\"extension_ui_response\",\"id\":%q,\"confirmed\":%t}\n", line.ID, yes)
			require.NoError(t, err)
		case line.Type == "agent_end":
			require.NoError(t, in.Close())
		}
	}
	require.NoError(t, cmd.Wait())
	return asked
}
