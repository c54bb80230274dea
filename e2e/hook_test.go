package e2e

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// event is what Claude Code sends before it runs a command.
func (r *repository) event(command string) string {
	r.t.Helper()
	data, err := json.Marshal(map[string]any{
		"session_id":      "s",
		"cwd":             r.dir,
		"hook_event_name": "PreToolUse",
		"tool_name":       "Bash",
		"tool_input":      map[string]string{"command": command},
	})
	require.NoError(r.t, err)
	return string(data)
}

func TestHookByHand(t *testing.T) {
	begin(t)
	r := newRepository(t)
	r.initSentinel()

	blocked := r.sentinel(r.event("git push --force"), "hook")
	assert.Equal(t, 2, blocked.exit)
	assert.Empty(t, blocked.stdout)
	assert.Regexp(t, `^[^\n]{20,}\n$`, blocked.stderr, "want one helpful line")

	passed := r.sentinel(r.event("git push"), "hook")
	assert.Equal(t, result{}, passed)

	broken := r.sentinel(r.event("git push --force")[:40], "hook")
	assert.Equal(t, 1, broken.exit)
	assert.Empty(t, broken.stdout)
	assert.Regexp(t, `^[^\n]+\n$`, broken.stderr)
}

func TestInitTwice(t *testing.T) {
	begin(t)
	r := newRepository(t)
	const own = `{
    "permissions": {"allow": ["Bash(ls:*)"]},
    "hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "true"}]}]}
}
`
	r.write(".claude/settings.json", own)
	r.initSentinel()
	once := r.files()
	assert.Contains(t, once[".claude/settings.json"], "sentinel hook")
	assert.Contains(t, once[".claude/settings.json"], `"permissions": {"allow": ["Bash(ls:*)"]}`)
	assert.Contains(t, once[".claude/settings.json"], `"command": "true"`)
	var rules int
	for name := range once {
		if strings.HasPrefix(name, ".claude/sentinel/rules/") {
			rules++
		}
	}
	assert.Positive(t, rules)

	r.initSentinel()
	assert.Equal(t, once, r.files())
}
