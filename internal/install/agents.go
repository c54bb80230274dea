package install

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
)

// A Scope says for whom a hook is registered.
type Scope uint8

const (
	Repository Scope = iota // everybody who works in one repository
	User                    // one person, in all repositories
)

// A Place is where agents look for their settings.
type Place struct {
	Root string // of the repository
	Home string // the person's home folder
	// Getenv reads the environment, in which some agents are told to keep their
	// user's settings elsewhere; nil means that none is.
	Getenv func(string) string
	GOOS   string // "" means the system this runs on
}

// An agent is where one coding agent keeps its hooks and how they are written:
// as a form with wants, or as a script.
type agent struct {
	files  func(Place, Scope) []string
	form   func(file string) form
	wants  func(file string, h Hook) []want
	script func(file string, h Hook) script
	steps  func(Scope) []string           // what only a person can do; may be nil
	notice func(settings []byte) []string // what in the settings keeps the hook from running; may be nil
}

// Agents returns the names of the coding agents whose hooks can be written. The
// name "q", too, is understood for amazonq.
func Agents() []string {
	return []string{"claude", "copilot", "vscode", "cursor", "windsurf", "cline", "amazonq", "kiro", "codex", "gemini", "qwen", "opencode"}
}

func agentNamed(name string) (agent, error) {
	switch name {
	case "claude":
		return claudeAgent(), nil
	case "copilot", "vscode":
		return copilotAgent(), nil
	case "cursor":
		return cursorAgent(), nil
	case "windsurf":
		return windsurfAgent(), nil
	case "cline":
		return clineAgent(), nil
	case "amazonq", "q":
		return amazonqAgent(), nil
	case "kiro":
		return kiroAgent(), nil
	case "codex":
		return codexAgent(), nil
	case "gemini":
		return geminiAgent(), nil
	case "qwen":
		return qwenAgent(), nil
	case "opencode":
		return opencodeAgent(), nil
	}
	return agent{}, fmt.Errorf("install: agent %q has no settings file that is known here (known: %s)", name, strings.Join(Agents(), ", "))
}

// Targets returns the files that an agent's hook belongs into, in the order in
// which they are to be written. Most agents have one; Cline has one for each
// event, Amazon Q and Kiro one for each agent that somebody made, so Targets
// looks into their folders. Targets of two agents can be the same file.
func Targets(agent string, scope Scope, root, home string) ([]Target, error) {
	return Place{Root: root, Home: home}.Targets(agent, scope)
}

// Targets is [Targets] for a Place that says more.
func (p Place) Targets(agent string, scope Scope) ([]Target, error) {
	a, err := agentNamed(agent)
	if err != nil {
		return nil, err
	}
	if base := p.base(scope); !filepath.IsAbs(base) {
		return nil, fmt.Errorf("install: the folder %q, in which %s keeps its settings, is not an absolute path", base, agent)
	}
	var targets []Target
	for _, file := range a.files(p, scope) {
		t := Target{Agent: agent, File: file}
		if scope == Repository {
			t.Root = p.Root
		}
		targets = append(targets, t)
	}
	return targets, nil
}

// Steps returns what a person has to do in an agent before it runs the hook and
// what nobody else can do for them, as sentences without a full stop.
func Steps(agent string, scope Scope) []string {
	a, err := agentNamed(agent)
	if err != nil || a.steps == nil {
		return nil
	}
	return a.steps(scope)
}

func (p Place) base(s Scope) string {
	if s == User {
		return p.Home
	}
	return p.Root
}

// env returns the folder that a variable names, or the usual one.
func (p Place) env(name, usual string) string {
	if p.Getenv != nil {
		if dir := p.Getenv(name); filepath.IsAbs(dir) {
			return dir
		}
	}
	return usual
}

func (p Place) goos() string {
	if p.GOOS == "" {
		return runtime.GOOS
	}
	return p.GOOS
}
