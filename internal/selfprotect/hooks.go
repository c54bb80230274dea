package selfprotect

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/agent"
	"github.com/agentsentinel/sentinel/internal/install"
	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/rule"
)

// maxHookFile bounds what is read of an agent's settings, in bytes.
const maxHookFile = 4 << 20

// hooks is the rule about the files in which agents register Sentinel's hook: those
// that one of the actions changes, and that start the hook or would switch it off. It is
// not about other settings of agents.
func (g *Guard) hooks(actions []sentinel.Action) []rule.File {
	var scope []string
	var known []hookFile // of all agents, when it is needed: finding them takes longer than all else here
	var names map[string]bool
	for i := range actions {
		a := &actions[i]
		if !anyWrite(actions[i:i+1], mayHook) {
			continue
		}
		if known == nil {
			known = g.hookFiles()
			names = namesOf(known)
		}
		for _, form := range append([]string{a.Path}, a.Forms...) {
			path := filepath.Clean(filepath.FromSlash(absolute(a, form)))
			if names[filepath.Base(path)] { // a folder that is removed can have thousands of files
				scope = append(scope, g.hooksAt(path, known, a)...)
			}
		}
	}
	if len(scope) == 0 {
		return nil
	}
	slices.Sort(scope)
	return []rule.File{protectFiles("own-hooks", slices.Compact(scope), committed+"true",
		"{{file_path}} has Sentinel's hook, or would switch it off. Ask the user to change it, or to approve it.")}
}

// hooksAt are patterns for the files with hooks that an action changes at a path.
func (g *Guard) hooksAt(path string, known []hookFile, a *sentinel.Action) (scope []string) {
	for i := range known {
		file, ok := known[i].at(path, g.Home)
		if !ok || !known[i].matters(g.Program, file, path == file, a) {
			continue
		}
		scope = append(scope, literal(file))
		if rel, err := filepath.Rel(a.Root, file); err == nil && filepath.IsLocal(rel) {
			scope = append(scope, literal(rel)) // as patterns name files of the project
		}
	}
	return scope
}

// mayHook reports whether path may be a file in which an agent registers hooks, or a
// folder with one: they are hidden, or called after hooks, or settings that an
// organisation manages.
func mayHook(path string) bool {
	return strings.Contains(path, "/.") || strings.Contains(strings.ToLower(path), "hooks") || strings.Contains(path, "managed")
}

// A hookFile is a file in which an agent registers hooks.
type hookFile struct {
	name     string // from the root of a repository; absolute for a person's own
	settings *install.Settings
}

// hookFiles are those of all agents that are known, in repositories and of the person.
func (g *Guard) hookFiles() []hookFile {
	const root = "/"
	at := agent.Place{Root: filepath.FromSlash(root), Home: g.Home, Getenv: g.Getenv}
	var all []hookFile
	for _, a := range g.Agents.All() {
		for _, file := range settingsFiles(a, at, install.Repository) {
			all = append(all, hookFile{strings.TrimPrefix(filepath.ToSlash(file), root), &a.Settings})
		}
		if !filepath.IsAbs(g.Home) {
			continue
		}
		for _, file := range settingsFiles(a, at, install.User) {
			all = append(all, hookFile{file, &a.Settings})
		}
	}
	return all
}

// settingsFiles are the files that an agent's hook is written to, and those that the agent
// reads besides.
func settingsFiles(a *agent.Agent, at agent.Place, scope install.Scope) (files []string) {
	for _, find := range []func(agent.Place, install.Scope) []string{a.Settings.Files, a.Settings.Reads} {
		if find != nil {
			files = append(files, find(at, scope)...)
		}
	}
	return files
}

// namesOf are the names in the paths of files. A path that ends in another name is neither
// one of the files nor a folder above one.
func namesOf(files []hookFile) map[string]bool {
	names := map[string]bool{}
	for i := range files {
		for name := filepath.FromSlash(files[i].name); name != "."; name = filepath.Dir(name) {
			if names[filepath.Base(name)] = true; name == filepath.Dir(name) {
				break // the root
			}
		}
	}
	return names
}

// at returns the file that a change at path, which is absolute, is about: path itself,
// or what lies below it when path is a folder on the way to the file. The person's home
// folder, and what is above it, names no file.
func (h *hookFile) at(path, home string) (file string, ok bool) {
	if filepath.IsAbs(h.name) {
		return h.name, path == h.name || path != home && safefile.Within(h.name, path) && !safefile.Within(home, path)
	}
	slashed := filepath.ToSlash(path)
	for name := h.name; name != "."; name = filepath.ToSlash(filepath.Dir(name)) {
		if strings.HasSuffix(slashed, "/"+name) {
			return path + filepath.FromSlash(strings.TrimPrefix(h.name, name)), true
		}
	}
	return "", false
}

// matters reports whether the file starts Sentinel's hook, or the change would switch it
// off. whole says that the action is about the file itself.
func (h *hookFile) matters(program, file string, whole bool, a *sentinel.Action) bool {
	data, err := safefile.Read(file, maxHookFile)
	if err != nil && !os.IsNotExist(err) {
		return true // it exists and cannot be read
	}
	text := string(data)
	if strings.Contains(text, "sentinel") || program != "" && strings.Contains(text, program) {
		return true
	}
	if !whole || h.settings.Off == nil {
		return false
	}
	if a.Old != "" {
		text = strings.Replace(text, a.Old, a.Content, 1)
	} else {
		text = a.Content
	}
	return len(h.settings.Off([]byte(text))) > 0
}
