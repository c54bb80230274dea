package install_test

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/install"
)

// TestDocumented holds that docs/reference/hooks.md shows for every agent a part of what
// is written, and names every event.
func TestDocumented(t *testing.T) {
	t.Parallel()
	marked := regexp.MustCompile("(?s)<!-- written: ([a-z-]+) (\\S+) -->\n```[a-z]+\n(.*?)```")
	shown := map[string]bool{"vscode": true} // it has copilot's file
	for section := range strings.SplitSeq(content(t, filepath.Join("..", "..", "docs", "reference", "hooks.md")), "\n## ") {
		found := marked.FindStringSubmatch(section)
		if found == nil {
			continue
		}
		agent, file, block := found[1], found[2], found[3]
		shown[agent] = true
		text, ok := written(t, agent, place(t, "linux"), install.Hook{GOOS: "linux"})[file]
		require.True(t, ok, "%s: %s is not written", agent, file)
		if !strings.HasSuffix(file, ".json") {
			require.Contains(t, text, block, file)
			continue
		}
		var part, whole any
		require.NoError(t, json.Unmarshal([]byte(block), &part), file)
		require.NoError(t, json.Unmarshal([]byte(text), &whole), file)
		requirePart(t, part, whole, file)
		for _, event := range events(whole) {
			require.Contains(t, section, event, "an event of %s", agent)
		}
	}
	for _, agent := range agents.Installable() {
		require.True(t, shown[agent], "docs/reference/hooks.md does not show %s", agent)
	}
}

// requirePart holds that whole has all that part has.
func requirePart(t *testing.T, part, whole any, where string) {
	t.Helper()
	switch part := part.(type) {
	case map[string]any:
		for key, value := range part {
			members, _ := whole.(map[string]any)
			requirePart(t, value, members[key], where+" "+key)
		}
	case []any:
		list, _ := whole.([]any)
		require.GreaterOrEqual(t, len(list), len(part), where)
		for i := range part {
			requirePart(t, part[i], list[i], where)
		}
	default:
		require.Equal(t, part, whole, where)
	}
}

// events are the names of the events in a file.
func events(file any) (names []string) {
	switch hooks := file.(map[string]any)["hooks"].(type) {
	case map[string]any:
		for name := range hooks {
			names = append(names, name)
		}
	case []any:
		for _, h := range hooks {
			names = append(names, h.(map[string]any)["trigger"].(string))
		}
	}
	return names
}
