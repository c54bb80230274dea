package e2e

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	agents "github.com/agentsentinel/sentinel/agent"
)

// requireSeen wants Sentinel to know what each tool does that an agent offers to its
// model, and the hook to be registered for those that write files, run commands or search
// files: any other could do so unseen. shows are the names by which hooks know tools, "" for a tool
// that no hook is shown; docs/limits.md names those.
func (r *repository) requireSeen(agent string, offered map[string]bool, shows map[string]string) {
	r.t.Helper()
	require.NotEmpty(r.t, offered, "the model server saw no tools")
	r.t.Logf("%s offers %v", agent, slices.Sorted(maps.Keys(offered)))
	matchers := r.matchers()
	var registry agents.Registry
	for name := range offered {
		tool, known := registry.Tool(agent, name)
		assert.True(r.t, known, "%s offers %s, and nobody knows what it does: add it to Tools of agent/internal/%s", agent, name, agent)
		if tool.Does != sentinel.FileWrite && tool.Does != sentinel.Bash && !tool.Searches {
			continue
		}
		if shown, other := shows[name]; other {
			name = shown
		}
		hooked := name == "" || len(matchers) == 0 || slices.ContainsFunc(matchers, func(m *regexp.Regexp) bool { return m.MatchString(name) })
		assert.True(r.t, hooked, "the hook of %s is not registered for %s: %v", agent, name, matchers)
	}
}

// matchers are those of the hooks that init registered in the repository's JSON files;
// none where an agent shows every tool.
func (r *repository) matchers() (all []*regexp.Regexp) {
	for name, text := range r.files() {
		var settings any
		if strings.HasSuffix(name, ".json") && strings.HasPrefix(name, ".") && json.Unmarshal([]byte(text), &settings) == nil {
			eachMatcher(settings, func(m string) { all = append(all, regexp.MustCompile("^(?:"+m+")$")) })
		}
	}
	return all
}

func eachMatcher(value any, yield func(string)) {
	switch v := value.(type) {
	case map[string]any:
		for key, inner := range v {
			if text, ok := inner.(string); ok && key == "matcher" {
				yield(text)
				continue
			}
			eachMatcher(inner, yield)
		}
	case []any:
		for _, inner := range v {
			eachMatcher(inner, yield)
		}
	}
}

// A list of tools whose names alone the model is told, behind a tool that searches.
var (
	behindSearch = regexp.MustCompile("(?s)deferred tools are now available via ToolSearch.*?\n\n|reachable through `tool_search`.*?</system-reminder>")
	listedName   = regexp.MustCompile(`(?m)^(?:- ")?(\w+)(?:":.*)?$`)
)

func deferred(notes string) (names []string) {
	for _, list := range behindSearch.FindAllString(notes, -1) {
		for _, m := range listedName.FindAllStringSubmatch(list, -1) {
			names = append(names, m[1])
		}
	}
	return names
}

// Each tool that the agent offers to its model is one that Sentinel knows and is shown.
func (a agent) testTools(t *testing.T) {
	r := a.ready(t, nil)
	w := a.work(r, says("Done."))
	offered, notes := maps.Clone(w.model.tools), w.model.notes()
	for _, name := range deferred(notes) {
		offered[name] = true
	}
	if strings.Contains(notes, "via ToolSearch") || strings.Contains(notes, "`tool_search`") {
		assert.Greater(t, len(offered), len(w.model.tools), "the tools behind the search are listed in another form now")
	}
	r.requireSeen(a.hooked(), offered, a.shows)
}
