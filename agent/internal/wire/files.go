package wire

import (
	"os"
	"path/filepath"
	"strings"
)

// FirstFolder is the first folder that a pattern matches, "" for none. A home folder
// whose name has brackets makes the pattern wrong, and then nothing is found.
func FirstFolder(pattern string) string {
	found, _ := filepath.Glob(pattern)
	for _, path := range found {
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			return path
		}
	}
	return ""
}

// Extension is the folder of Sentinel's extension in the folder of an agent such as Gemini
// CLI. It is "" where the extension is not installed or is switched off for a project.
// extension-enablement.json lists folders: "!" before a folder switches the extension off
// there, and "*" after it means the folders below too. The last entry that fits counts.
func Extension(home, root string) string {
	dir := filepath.Join(home, "extensions")
	var state map[string]struct{ Overrides []string }
	_ = ReadState(filepath.Join(dir, "extension-enablement.json"), &state) // without the file all are on
	on := true
	at := strings.TrimSuffix(filepath.ToSlash(root), "/") + "/"
	for _, rule := range state["sentinel"].Overrides {
		folder, off := strings.CutPrefix(rule, "!")
		folder, below := strings.CutSuffix(folder, "*")
		folder = strings.TrimSuffix(filepath.ToSlash(folder), "/") + "/"
		if folder == at || below && strings.HasPrefix(at, folder) {
			on = !off
		}
	}
	if !on {
		return ""
	}
	return FirstFolder(filepath.Join(dir, "sentinel"))
}

// Enabled reports whether a list of plugins, by NAME@SOURCE, names Sentinel's plugin, and
// whether that is on.
func Enabled(plugins map[string]any) (on, named bool) {
	for name, value := range plugins {
		if base, _, _ := strings.Cut(name, "@"); base == "sentinel" {
			named = true
			on = on || value != false && value != nil
		}
	}
	return on, named
}
