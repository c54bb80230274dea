package project_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/project"
)

// A repository's settings do not change what is asked about it, wherever
// the command is started.
func TestOpenUser(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	user := filepath.Join(home, "sentinel")

	p := project.OpenUser(&project.Options{UserDir: user})
	require.Equal(t, "ollama", p.Nearest().Config.Backend, "nothing is set up")
	require.True(t, p.Nearest().Trusted(""))
	_, err := p.Models().Asker(nil, "")("ollama")
	require.NoError(t, err, "the defaults can be asked")

	require.NoError(t, os.MkdirAll(user, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(user, "config.yaml"), []byte("backend: claude\n"), 0o600))
	require.Equal(t, "claude", project.OpenUser(&project.Options{UserDir: user}).Nearest().Config.Backend)

	named := filepath.Join(home, "named")
	require.NoError(t, os.MkdirAll(named, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(named, "config.yaml"), []byte("backend: copilot\n"), 0o600))
	p = project.OpenUser(&project.Options{UserDir: user, ConfigDir: named})
	require.Equal(t, "copilot", p.Nearest().Config.Backend, "the user names it")
	require.False(t, p.Nearest().Trusted(""), "but its servers have to be trusted, as elsewhere")

	p = project.OpenUser(nil)
	require.Len(t, p.Folders, 1)
	require.Equal(t, "ollama", p.Nearest().Config.Backend)
}
