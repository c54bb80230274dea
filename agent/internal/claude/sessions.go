package claude

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/agent/internal/wire"
	"github.com/agentsentinel/sentinel/internal/install"
)

func sessionHomes(p install.Place) []string { return []string{home(p)} }

// belongs accepts the folders of the project, of those below it and of those whose
// name only begins alike: Claude Code writes - for every character that is not a letter
// or digit, so two folders can have the same name.
func belongs(dir string, p wire.Project) wire.Belonging {
	name := filepath.Base(dir)
	if slices.ContainsFunc(p.Roots, func(root string) bool { return strings.HasPrefix(name, mangle(root)) }) {
		return wire.Perhaps
	}
	return wire.Elsewhere
}

func mangle(path string) string {
	name := strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' {
			return r
		}
		return '-'
	}, path)
	return name[:min(len(name), 200)] // longer names are cut, and end in a digest
}
