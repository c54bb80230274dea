package install_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/install"
)

// target names a settings file in a folder of its own, and writes it if text is
// given.
func target(t *testing.T, text ...string) install.Target {
	t.Helper()
	file := filepath.Join(t.TempDir(), ".claude", "settings.json")
	for _, s := range text {
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(s), 0o600))
	}
	return install.Target{Agent: "claude", Settings: settingsOf("claude"), File: file}
}

func planned(t *testing.T, tg install.Target) install.Change {
	t.Helper()
	c, err := install.Plan(tg, install.Hook{})
	require.NoError(t, err)
	return c
}

func content(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(b)
}

// left lists what lies in the target's folder.
func left(t *testing.T, tg install.Target) []string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(tg.File))
	require.NoError(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestApplyNewFile(t *testing.T) {
	t.Parallel()
	tg := target(t)
	c := planned(t, tg)
	require.True(t, c.Changed())
	require.NoFileExists(t, tg.File, "a plan changes nothing")
	require.NoError(t, c.Apply())
	require.Equal(t, []string{"settings.json"}, left(t, tg), "there was nothing to back up")
	requireRegistered(t, []byte(content(t, tg.File)), false)

	require.False(t, planned(t, tg).Changed(), "a second time changes nothing")
	require.NoError(t, planned(t, tg).Apply())

	removal, err := install.PlanRemoval(tg)
	require.NoError(t, err)
	require.NoError(t, removal.Apply())
	require.Empty(t, left(t, tg), "the file was ours alone")

	removal, err = install.PlanRemoval(tg)
	require.NoError(t, err)
	require.False(t, removal.Changed())
	require.NoError(t, removal.Apply())
}

func TestApplyExistingFile(t *testing.T) {
	t.Parallel()
	for _, before := range []string{"{\n    \"model\": \"opus\"\n}\n", "{}\n"} {
		tg := target(t, before)
		require.NoError(t, planned(t, tg).Apply())
		require.Equal(t, []string{"settings.json", "settings.json.before-sentinel"}, left(t, tg))
		require.Equal(t, before, content(t, tg.File+".before-sentinel"))
		for _, file := range []string{tg.File, tg.File + ".before-sentinel"} {
			info, err := os.Stat(file)
			require.NoError(t, err)
			if runtime.GOOS != "windows" {
				require.Equal(t, fs.FileMode(0o600), info.Mode().Perm(), file)
			}
		}

		strict, err := install.Plan(tg, install.Hook{Strict: true})
		require.NoError(t, err)
		require.NoError(t, strict.Apply())
		require.Equal(t, before, content(t, tg.File+".before-sentinel"), "kept once, before the first change")

		removal, err := install.PlanRemoval(tg)
		require.NoError(t, err)
		require.NoError(t, removal.Apply())
		require.Equal(t, before, content(t, tg.File))
		require.Equal(t, []string{"settings.json"}, left(t, tg), "the backup says nothing that the file does not")
	}
}

func TestApplyKeepsBackupThatStillTells(t *testing.T) {
	t.Parallel()
	tg := target(t, `{"model": "opus"}`)
	tg.Backup = filepath.Join(filepath.Dir(tg.File), "..", ".sentinel", "backup", "settings.json")
	require.NoError(t, planned(t, tg).Apply())
	require.Equal(t, []string{"settings.json"}, left(t, tg), "the backup goes where it was told to")
	require.Equal(t, `{"model": "opus"}`, content(t, tg.Backup))

	edited := strings.Replace(content(t, tg.File), "opus", "haiku", 1)
	require.NoError(t, os.WriteFile(tg.File, []byte(edited), 0o600))
	removal, err := install.PlanRemoval(tg)
	require.NoError(t, err)
	require.NoError(t, removal.Apply())
	require.Equal(t, `{"model": "haiku"}`, content(t, tg.File))
	require.Equal(t, `{"model": "opus"}`, content(t, tg.Backup))
}

func TestApplyMakesNoBackupOfOwnWork(t *testing.T) {
	t.Parallel()
	tg := target(t, `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "sentinel hook --deadline 9s", "timeout": 10}]}]}}`)
	require.NoError(t, planned(t, tg).Apply())
	require.Equal(t, []string{"settings.json"}, left(t, tg))
}

// A hook that a person wrote was there before us, and so was its file.
func TestAHookWrittenByHandIsKept(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"/opt/sentinel hook --agent claude", "sentinel hook", "A=1 sentinel hook"} {
		before := `{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "` + command + `"}]}]}}`
		for name, setUp := range map[string]func(install.Target){
			"after init": func(tg install.Target) { require.NoError(t, planned(t, tg).Apply()) }, "without": func(install.Target) {},
		} {
			tg := target(t, before)
			setUp(tg)
			removal, err := install.PlanRemoval(tg)
			require.NoError(t, err)
			require.NoError(t, removal.Apply())
			require.Equal(t, "{}\n", content(t, tg.File), "%s, %s: the file was a person's", command, name)
			require.Equal(t, before, content(t, tg.File+".before-sentinel"), "%s, %s", command, name)
			require.Contains(t, strings.Join(removal.Notes, "\n"), ".before-sentinel")
		}
	}
}

func TestApplyRefusesWhatChangedMeanwhile(t *testing.T) {
	t.Parallel()
	tg := target(t, `{"model": "opus"}`)
	c := planned(t, tg)
	require.NoError(t, os.WriteFile(tg.File, []byte(`{"model": "haiku"}`), 0o600))
	require.ErrorContains(t, c.Apply(), "was changed meanwhile; repeat")
	require.Equal(t, `{"model": "haiku"}`, content(t, tg.File))

	fresh := target(t)
	c = planned(t, fresh)
	require.NoError(t, os.MkdirAll(filepath.Dir(fresh.File), 0o755))
	require.NoError(t, os.WriteFile(fresh.File, nil, 0o600))
	require.ErrorContains(t, c.Apply(), "was changed meanwhile")
}

func TestPlanRefusesFiles(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, want string
		make       func(t *testing.T, tg install.Target)
	}{
		{"directory", "is a directory; want a file", func(t *testing.T, tg install.Target) {
			require.NoError(t, os.MkdirAll(tg.File, 0o755))
		}},
		{"symbolic link", "is a symbolic link; name the file it points to", func(t *testing.T, tg install.Target) {
			if err := os.Symlink("elsewhere.json", tg.File); err != nil {
				t.Skip("no symbolic links here:", err)
			}
		}},
		{"read-only", "is read-only; make it writable", func(t *testing.T, tg install.Target) {
			require.NoError(t, os.WriteFile(tg.File, []byte("{}"), 0o444))
		}},
		{"broken", "settings.json:2:3: comments are not allowed", func(t *testing.T, tg install.Target) {
			require.NoError(t, os.WriteFile(tg.File, []byte("{\n  // a\n}"), 0o644))
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tg := target(t)
			require.NoError(t, os.MkdirAll(filepath.Dir(tg.File), 0o755))
			tt.make(t, tg)
			before := left(t, tg)
			_, err := install.Plan(tg, install.Hook{})
			require.ErrorContains(t, err, tt.want)
			require.ErrorContains(t, err, tg.File)
			_, err = install.PlanRemoval(tg)
			require.ErrorContains(t, err, tt.want)
			require.Equal(t, before, left(t, tg))
		})
	}
	_, err := install.Plan(install.Target{Agent: "nobody", Settings: settingsOf("nobody"), File: "x"}, install.Hook{})
	require.ErrorContains(t, err, `agent "nobody"`)
}

func TestPlanNotesWhatKeepsTheHookFromRunning(t *testing.T) {
	t.Parallel()
	require.Empty(t, planned(t, target(t, `{"disableAllHooks": false}`)).Notes)
	require.Empty(t, planned(t, target(t, `{"disableAllHooks": "yes"}`)).Notes)
	require.Len(t, planned(t, target(t, `{"disableAllHooks": true, "allowManagedHooksOnly": true}`)).Notes, 2)
}
