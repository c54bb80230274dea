package amazonq

import (
	"os"
	"path/filepath"
	"time"

	"github.com/agentsentinel/sentinel/internal/install"
)

// files: the hooks are in the files of Amazon Q's agents, so each agent of the folder
// gets them, and one more is made that is like the built-in one, which has no file.
func files(p install.Place, s install.Scope) []string {
	dir := filepath.Join(p.Root, ".amazonq", "cli-agents")
	if s == install.User {
		dir = filepath.Join(p.Home, ".aws", "amazonq", "cli-agents")
	}
	return append(JSONFiles(dir), filepath.Join(dir, OwnFile))
}

// OwnFile is the name of a file that only Sentinel writes.
const OwnFile = "sentinel.json"

// JSONFiles lists the JSON files of a folder, sorted, but for our own one. A folder that
// is not there has none.
func JSONFiles(dir string) (files []string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if name := e.Name(); filepath.Ext(name) == ".json" && name != OwnFile {
			files = append(files, filepath.Join(dir, name))
		}
	}
	return files
}

func form(file string) install.Form {
	f := AgentForm()
	if filepath.Base(file) == OwnFile {
		f.Head = head()
	}
	return f
}

// AgentForm is the form of the file of an agent.
func AgentForm() install.Form {
	return install.Form{Shape: install.Flat, Unit: time.Millisecond, Alone: true}
}

// head is an agent that may do what the built-in one may.
func head() install.Object {
	return install.Object{}.
		With("name", "sentinel").
		With("description", "The default agent, guarded by Sentinel").
		With("tools", install.Raw(`["*"]`)).
		With("allowedTools", install.Raw(`["fs_read"]`)).
		With("resources", install.Raw(`["file://AmazonQ.md", "file://AGENTS.md", "file://README.md", "file://.amazonq/rules/**/*.md"]`)).
		With("useLegacyMcpJson", true)
}

func steps(install.Place, install.Scope) []install.Step {
	return []install.Step{{
		What: "Amazon Q's hooks belong to an agent",
		Do:   "start it with `q chat --agent sentinel`, or make that the default with `q settings chat.defaultAgent sentinel`",
	}}
}

// Wants: a matcher is the name of one tool or server, and none means every MCP server,
// so the hook is started for each tool. The timeout is in milliseconds; the line runs in
// bash or cmd.exe; only exit status 2 stops a call.
func Wants(_ string, h install.Hook) []install.Want {
	want := func(event, ending string, members ...install.Pair) install.Want {
		o := append(install.Object{}, members...)
		return install.Want{Event: event, Item: o.With("command", Line(h)+ending).With("timeout_ms", h.Millis())}
	}
	every := install.Pair{Key: "matcher", Value: "*"}
	deny := ""
	if h.Strict {
		deny = install.ElseDeny
	}
	return []install.Want{
		want("preToolUse", deny, every),
		want("postToolUse", "", every),
		want("stop", ""),
		want("agentSpawn", ""),
		want("userPromptSubmit", ""), // with the prompt: Amazon Q keeps no transcript
	}
}

// Line is the command without an ending.
func Line(h install.Hook) string {
	return h.Shell(install.Cmd).Line(h.Call(0, "--agent", Name))
}
