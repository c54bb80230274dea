package doctor

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/internal/subprocess"
)

// A presence is what of an agent is on this machine.
type presence struct {
	where   string // a program, an application or an extension; "" when there is none
	version string // "" when it is not known
}

// traces are where an agent is found.
type traces struct {
	programs []string // on the PATH
	paths    []string // below the home folder, or absolute; * stands for anything
	asks     bool     // the program answers --version at once, and opens no window
}

// tracesOf knows where agents are installed: by their own installers, by package
// managers and as extensions of VS Code.
func tracesOf(agent string) traces {
	switch agent {
	case "claude":
		return traces{[]string{"claude"}, []string{".claude/local/claude", ".local/bin/claude"}, true}
	case "copilot":
		return traces{[]string{"copilot"}, nil, true}
	case "vscode":
		return traces{nil, []string{ // VS Code without Copilot is no agent
			".vscode/extensions/github.copilot-*", ".vscode-server/extensions/github.copilot-*",
		}, false}
	case "cursor":
		return traces{[]string{"cursor", "cursor-agent"}, []string{".cursor/extensions", "/Applications/Cursor.app"}, false}
	case "windsurf":
		return traces{[]string{"windsurf"}, []string{".windsurf/extensions", "/Applications/Windsurf.app"}, false}
	case "cline":
		return traces{[]string{"cline"}, []string{
			".vscode/extensions/saoudrizwan.claude-dev-*", ".vscode-server/extensions/saoudrizwan.claude-dev-*", ".cursor/extensions/saoudrizwan.claude-dev-*",
		}, false}
	case "amazonq":
		return traces{[]string{"qchat"}, []string{".aws/amazonq", "/Applications/Amazon Q.app"}, false}
	case "kiro":
		return traces{[]string{"kiro-cli", "kiro"}, []string{".kiro/extensions", "/Applications/Kiro.app"}, false}
	case "codex":
		return traces{[]string{"codex"}, nil, true}
	case "gemini":
		return traces{[]string{"gemini"}, nil, true}
	case "qwen":
		return traces{[]string{"qwen"}, nil, true}
	case "opencode":
		return traces{[]string{"opencode"}, []string{".opencode/bin/opencode"}, true}
	}
	return traces{}
}

// machine looks for an agent. A program that lies in a repository counts as there,
// and is not run.
func (d *doctor) machine(ctx context.Context, agent string) presence {
	t := tracesOf(agent)
	for _, name := range t.programs {
		if path := d.lookPath(name); path != "" {
			return presence{path, d.versionOf(ctx, path, t.asks)}
		}
	}
	for _, path := range t.paths {
		if !filepath.IsAbs(path) && !strings.HasPrefix(path, "/") {
			if d.Home == "" {
				continue
			}
			path = filepath.Join(d.Home, filepath.FromSlash(path))
		}
		found, err := filepath.Glob(path)
		if err != nil || len(found) == 0 {
			continue
		}
		last := found[len(found)-1]
		return presence{last, d.versionOf(ctx, last, t.asks && executable(last))}
	}
	return presence{}
}

// versionOf reads the version of an agent in the package that its program is part
// of, and otherwise asks the program if it may be run.
func (d *doctor) versionOf(ctx context.Context, path string, asks bool) string {
	if v := packageVersion(resolved(path)); v != "" {
		return v
	}
	if !asks || d.holder(path) != "" {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, d.Patience/3)
	defer cancel()
	out, err := d.run(ctx, subprocess.Program{Argv: []string{path, "--version"}})
	if err != nil || out.Exit != 0 {
		return ""
	}
	return firstVersion(string(out.Stdout))
}

// packageVersion is that of the npm package which holds a file, or which a folder
// is: as it is written in package.json, a few folders up.
func packageVersion(path string) string {
	const most = 4
	for range most {
		data, err := readBounded(filepath.Join(path, "package.json"))
		var p struct{ Name, Version string }
		if err == nil && json.Unmarshal(data, &p) == nil && p.Name != "" && p.Version != "" {
			return firstVersion(p.Version)
		}
		path = filepath.Dir(path)
	}
	return ""
}

// maxRead bounds what is read of a file that others wrote, in bytes.
const maxRead = 1 << 20

func readBounded(path string) ([]byte, error) { return safefile.Read(path, maxRead) }

// firstVersion finds the first thing in a text that looks like 1.2.3.
func firstVersion(text string) string {
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r != '.' && (r < '0' || r > '9') }) {
		if word = strings.Trim(word, "."); len(numbers(word)) >= 2 {
			return word
		}
	}
	return ""
}

// older reports whether version a is below b; what is not known is not.
func older(a, b string) bool {
	x, y := numbers(a), numbers(b)
	if x == nil || y == nil {
		return false
	}
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return x[i] < y[i]
		}
	}
	return false
}

// numbers are the parts of a version, nil if it is none.
func numbers(version string) (parts []int) {
	for text := range strings.SplitSeq(version, ".") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 || len(parts) == 4 {
			return nil
		}
		parts = append(parts, n)
	}
	return parts
}

// aged names what a version of an agent does not do yet; "" when there is nothing
// to say. The facts stand in docs/agents.
func aged(agent, version string, strict bool) (what, do string) {
	switch {
	case agent == "gemini" && older(version, "0.36.0"):
		return "Gemini CLI " + version + " does not know the question that Sentinel asks, and runs the call: severity `ask` stops nothing", "update Gemini CLI to 0.36 or newer"
	case agent == "claude" && strict && older(version, "2.1.295"):
		return "Claude Code " + version + " does not know `onFailure`: a call goes on when the hook cannot run, although `fail_open` is false", "update Claude Code to 2.1.295 or newer"
	}
	return "", ""
}
