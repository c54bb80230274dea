package rule

import (
	"strings"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/shell"
)

// hidden are the files that lines read and do not show, as actions have them.
func hidden(actions []sentinel.Action) map[string]bool {
	all := map[string]bool{}
	for i := range actions {
		a := &actions[i]
		if a.Trigger != sentinel.Bash || a.Carrier != "" {
			continue
		}
		line := parsed(a)
		for j := range line.Effects {
			e := &line.Effects[j]
			if e.Kind != shell.EffectRead || e.Path == "" || e.Command >= len(line.Commands) {
				continue
			}
			name := fromRoot(a, e, e.Path)
			before, seen := all[name]
			shown := line.Commands[e.Command].Script != e.Path && line.Shown(e.Command)
			all[name] = (before || !seen) && !shown
		}
	}
	return all
}

// readsFile reports whether an action shows the agent a file: for certain, or as one of those that
// a pattern of the line names.
func readsFile(a *sentinel.Action, hidden map[string]bool) bool {
	return !hidden[a.Path] && (a.Certain || a.DerivedFrom != "" && isPattern(a.Path) && !strings.Contains(a.Path, "**"))
}
