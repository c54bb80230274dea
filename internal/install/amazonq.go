package install

import (
	"os"
	"path/filepath"
)

// amazonqAgent is Amazon Q Developer CLI. Its hooks stand in the files of its
// agents, so each agent of the folder gets them, and one more is made that is
// like the built-in one, which has no file.
func amazonqAgent() agent {
	return agent{
		files: func(p Place, s Scope) []string {
			dir := filepath.Join(p.Root, ".amazonq", "cli-agents")
			if s == User {
				dir = filepath.Join(p.Home, ".aws", "amazonq", "cli-agents")
			}
			return append(jsonFiles(dir), filepath.Join(dir, ownFile))
		},
		form: func(file string) form {
			f := form{shape: flat}
			if filepath.Base(file) == ownFile {
				f.head = amazonqHead()
			}
			return f
		},
		wants: func(_ string, h Hook) []want { return amazonqWants(h) },
		steps: func(Scope) []string {
			return []string{"Amazon Q's hooks belong to an agent: start it with `q chat --agent sentinel`, or make that the default with `q settings chat.defaultAgent sentinel`"}
		},
	}
}

// ownFile is the name of a file that only we write.
const ownFile = "sentinel.json"

// jsonFiles lists the JSON files of a folder, sorted, but for our own one. A
// folder that is not there has none.
func jsonFiles(dir string) (files []string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if name := e.Name(); filepath.Ext(name) == ".json" && name != ownFile {
			files = append(files, filepath.Join(dir, name))
		}
	}
	return files
}

// amazonqHead is an agent that may do what the built-in one may.
func amazonqHead() object {
	return object{
		{"name", `"sentinel"`},
		{"description", `"The default agent, guarded by Sentinel"`},
		{"tools", `["*"]`},
		{"allowedTools", `["fs_read"]`},
		{"resources", `["file://AmazonQ.md", "file://AGENTS.md", "file://README.md", "file://.amazonq/rules/**/*.md"]`},
		{"useLegacyMcpJson", "true"},
	}
}

// amazonqWants: a matcher is the name of one tool or server, and none means
// every MCP server, so the hook is started for each tool. The timeout is in
// milliseconds; the line runs in bash or cmd.exe; only exit status 2 stops a
// call.
func amazonqWants(h Hook) []want {
	handler := func(ending string, members ...pair) object {
		line := h.shell(cmd).line(h.call(0, "--agent", "amazonq"))
		return append(append(members, pair{"command", quote(line + ending)}), pair{"timeout_ms", h.millis()})
	}
	every := pair{"matcher", `"*"`}
	pre := handler("", every)
	if h.Strict {
		pre = handler(elseDeny, every)
	}
	return []want{
		{"preToolUse", pre},
		{"postToolUse", handler("", every)},
		{"stop", handler("")},
		{"agentSpawn", handler("")},
		{"userPromptSubmit", handler("")}, // with the prompt: Amazon Q keeps no transcript
	}
}

// kiroAgent is Kiro CLI 3 and Kiro IDE 1, which read hook files, and Kiro CLI 2,
// which has them in the files of its agents as Amazon Q does.
func kiroAgent() agent {
	return agent{
		files: func(p Place, s Scope) []string {
			kiro := filepath.Join(p.base(s), ".kiro")
			return append([]string{filepath.Join(kiro, "hooks", ownFile)}, jsonFiles(filepath.Join(kiro, "agents"))...)
		},
		form: func(file string) form {
			if isKiroAgent(file) {
				return form{shape: flat}
			}
			return form{shape: listed, head: object{{"version", `"v1"`}}}
		},
		wants: func(file string, h Hook) []want {
			if isKiroAgent(file) {
				return amazonqWants(h)
			}
			return kiroWants(h)
		},
		steps: func(s Scope) []string {
			if s == Repository {
				return nil
			}
			return []string{"Kiro documents hook files for a workspace only: run `sentinel init --agent kiro` in a repository to be sure"}
		},
	}
}

func isKiroAgent(file string) bool { return filepath.Base(filepath.Dir(file)) == "agents" }

// kiroWants: in a hook file the matcher is a regular expression over the tool's
// name, and the timeout is in seconds.
func kiroWants(h Hook) []want {
	tools := "fs_write|write|fsWrite|fsAppend|strReplace|deleteFile|execute_bash|execute_cmd|shell|executeBash|executePwsh|use_aws"
	if h.Reads {
		tools += "|fs_read|read|readFile|readMultipleFiles"
	}
	matcher := pair{"matcher", quote("^(" + tools + "|@.*)$")}
	handler := func(name, trigger, ending string, members ...pair) want {
		line := h.shell(cmd).line(h.call(0, "--agent", "amazonq"))
		o := append(object{{"name", quote("sentinel-" + name)}, {"trigger", quote(trigger)}}, members...)
		return want{trigger, append(o,
			pair{"action", object{{"type", `"command"`}, {"command", quote(line + ending)}}},
			pair{"timeout", h.seconds()})}
	}
	deny := ""
	if h.Strict {
		deny = elseDeny
	}
	return []want{
		handler("pre", "PreToolUse", deny, matcher),
		handler("post", "PostToolUse", "", matcher),
		handler("stop", "Stop", ""),
		handler("start", "SessionStart", ""),
		handler("prompt", "UserPromptSubmit", ""),
	}
}
