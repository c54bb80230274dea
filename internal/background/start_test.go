package background

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// A child gets the variables that it needs to find folders, programs and services, and
// none of the agent's session.
func TestChildEnvironment(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{
		"PATH=/bin", "HOME=/home/u", "XDG_STATE_HOME=/s", "https_proxy=p", "ANTHROPIC_BASE_URL=u", "LC_ALL=C", "MY_KEY=k", "SENTINEL_CONFIG_DIR=/c",
	}, Env([]string{
		"PATH=/bin", "HOME=/home/u", "XDG_STATE_HOME=/s", "https_proxy=p", "ANTHROPIC_BASE_URL=u", "LC_ALL=C", "MY_KEY=k", "SENTINEL_CONFIG_DIR=/c",
		"CLAUDECODE=1", "CLAUDE_PROJECT_DIR=/p", "LD_PRELOAD=/x.so", "NODE_OPTIONS=--require x", "DATABASE_PASSWORD=secret", "", "=x", "PATHOLOGY=1",
	}, []string{"MY_KEY"}))
}

// A process that does background work starts no other. Not parallel: it changes os.Args.
func TestNested(t *testing.T) {
	args := os.Args
	defer func() { os.Args = args }()
	os.Args = []string{args[0], Command}
	_, err := start(nil, nil)
	require.ErrorIs(t, err, errNested)
}
