package project_test

import (
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/project"
)

func TestEnvironment(t *testing.T) {
	t.Parallel()
	at := func(parts ...string) string { return filepath.Join(parts...) }
	home, other := t.TempDir(), t.TempDir()
	cache := ".cache"
	if runtime.GOOS == "darwin" {
		cache = "Library/Caches"
	}
	type folders struct{ User, Cache, State, Home, Config, Runtime string }
	for name, c := range map[string]struct {
		env  map[string]string
		want folders
	}{
		"a home": {map[string]string{"HOME": home}, folders{
			User: at(home, ".config/sentinel"), Cache: at(home, cache, "sentinel"), State: at(home, ".local/state/sentinel"), Home: home,
		}},
		"a home as Windows names it": {map[string]string{"USERPROFILE": home, "XDG_CONFIG_HOME": other}, folders{
			User: at(other, "sentinel"), Cache: at(home, cache, "sentinel"), State: at(home, ".local/state/sentinel"), Home: home,
		}},
		"folders without a home": {map[string]string{"XDG_STATE_HOME": other, "XDG_RUNTIME_DIR": home, "SENTINEL_CONFIG_DIR": "here"}, folders{
			State: at(other, "sentinel"), Config: "here", Runtime: home,
		}},
		"a relative folder does not count": {map[string]string{"XDG_STATE_HOME": "state"}, folders{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := project.Environment(func(name string) string { return c.env[name] })
			require.Equal(t, c.want, folders{o.UserDir, o.CacheDir, o.StateDir, o.Home, o.ConfigDir, o.RuntimeDir})
			require.Equal(t, c.env["HOME"], o.Getenv("HOME"))
		})
	}
}
