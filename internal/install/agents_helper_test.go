package install_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/agent"
	"github.com/agentsentinel/sentinel/internal/install"
)

// agents are those that Sentinel knows.
var agents agent.Registry

// settingsOf are those of an agent.
func settingsOf(name string) *install.Settings {
	a, err := agents.Named(name)
	if err != nil {
		return &install.Settings{}
	}
	return &a.Settings
}

// folderOf is the folder of an agent, which may be that of the one whose protocol it speaks.
func folderOf(t *testing.T, name string) string {
	t.Helper()
	a, err := agents.Named(name)
	require.NoError(t, err)
	for _, dir := range []string{a.Name, a.Speaks} {
		dir = filepath.Join("..", "..", "agent", "internal", dir)
		if _, err := os.Stat(filepath.Join(dir, "agent.go")); err == nil {
			return dir
		}
	}
	require.Fail(t, "no folder has the agent", name)
	return ""
}

// targetsOf are the files of an agent.
func targetsOf(p install.Place, name string, scope install.Scope) ([]install.Target, error) {
	return p.Targets(name, settingsOf(name), scope)
}

func claudeMerge(text []byte, h install.Hook) ([]byte, error) {
	return settingsOf("claude").Merge("", text, h)
}

func claudeRemove(text []byte) ([]byte, error) { return settingsOf("claude").Remove("", text, "") }

// A form is one kind of settings file, for the fuzz test.
type form struct {
	install.Form
	wants func(file string, h install.Hook) []install.Want
}

func forms() []form {
	of := func(name string, comments bool) form {
		s := settingsOf(name)
		f := s.Form(filepath.Join("r", "hooks", "sentinel.json"))
		if comments {
			f.Dialect = install.WithComments
		}
		return form{f, s.Wants}
	}
	return []form{of("codex", false), of("gemini", true), of("cursor", true), of("amazonq", false), of("kiro", true)}
}

func formOf(n int) form { return forms()[(n%len(forms())+len(forms()))%len(forms())] }

// merge puts the hook into a text.
func (f form) merge(t testing.TB, text []byte) ([]byte, error) {
	t.Helper()
	require.NotNil(t, f.wants)
	return f.MergeWants(text, f.wants("r/hooks/sentinel.json", install.Hook{GOOS: "linux"}))
}
