package opencode

import (
	_ "embed"
	"encoding/json"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/agent/internal/plugin"
	"github.com/agentsentinel/sentinel/agent/internal/wire"
	"github.com/agentsentinel/sentinel/internal/install"
	"github.com/agentsentinel/sentinel/internal/safefile"
)

// text is the plugin without the common part.
//
//go:embed sentinel.ts
var text string

// files: opencode runs every plugin of this folder in its own process.
func files(p install.Place, s install.Scope) []string {
	if s == install.User {
		return []string{filepath.Join(p.Env("XDG_CONFIG_HOME", filepath.Join(p.Home, ".config")), "opencode", "plugins", "sentinel.ts")}
	}
	return []string{filepath.Join(p.Root, ".opencode", "plugins", "sentinel.ts")}
}

const (
	pkg         = "@agentsentinel/opencode" // plugin/opencode, at npm
	maxSettings = 1 << 20
)

// packaged is the file of settings that names the plugin as a package of npm, "" for none.
func packaged(p install.Place) string {
	global := filepath.Join(p.Env("XDG_CONFIG_HOME", filepath.Join(p.Home, ".config")), "opencode")
	candidates := []string{p.Env("OPENCODE_CONFIG", "")}
	for _, dir := range []string{p.Root, filepath.Join(p.Root, ".opencode"), p.Env("OPENCODE_CONFIG_DIR", global), global} {
		candidates = append(candidates, filepath.Join(dir, "opencode.json"), filepath.Join(dir, "opencode.jsonc"))
	}
	for _, file := range candidates {
		var settings struct{ Plugin []any }
		ours := func(entry any) bool { return names(filepath.Dir(file), entry) }
		if wire.ReadState(file, &settings) == nil && slices.ContainsFunc(settings.Plugin, ours) {
			return file
		}
	}
	return ""
}

// names reports whether an entry of the settings in dir is Sentinel's package: NAME,
// NAME@VERSION, a folder or a URL that has the package, or one of these with options.
func names(dir string, entry any) bool {
	if list, ok := entry.([]any); ok && len(list) > 0 {
		entry = list[0]
	}
	name, _ := entry.(string)
	if name == pkg || strings.HasPrefix(name, pkg+"@") {
		return true
	}
	path, isURL := strings.CutPrefix(name, "file://")
	if !isURL && !filepath.IsAbs(name) && !strings.HasPrefix(name, ".") {
		return false // a package of another name
	}
	if plain, err := url.PathUnescape(path); isURL && err == nil {
		path = plain
	}
	if len(path) > 2 && path[0] == '/' && path[2] == ':' {
		path = path[1:] // file:///C:/…
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	if filepath.Base(path) == "sentinel.ts" {
		path = filepath.Dir(path)
	}
	var manifest struct{ Name string }
	data, err := safefile.Read(filepath.Join(path, "package.json"), maxSettings)
	return err == nil && json.Unmarshal(data, &manifest) == nil && manifest.Name == pkg
}

func steps(install.Place, install.Scope) []install.Step {
	return []install.Step{{What: "opencode loads plugins when it starts", Do: "restart it"}}
}

func script(_ string, h install.Hook) install.Script { return plugin.Script(Name, text, h, 0) }

func readScript(_, text, own string) (install.Entry, bool) { return plugin.ReadScript(Name, text, own) }
