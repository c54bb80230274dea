package install_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/install"
	"github.com/agentsentinel/sentinel/internal/programtest"
)

// ownTargets are the files of an agent whose hook is a whole file.
func ownTarget(t *testing.T, agent string) install.Target {
	t.Helper()
	targets, err := targetsOf(place(t, "linux"), agent, install.Repository)
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(filepath.Dir(targets[0].File), 0o755))
	return targets[0]
}

func TestScriptOwnership(t *testing.T) {
	t.Parallel()
	for _, agent := range []string{"cline", "opencode"} {
		t.Run(agent, func(t *testing.T) {
			t.Parallel()
			hook := install.Hook{GOOS: "linux"}
			tg := ownTarget(t, agent)
			c, err := install.Plan(tg, hook)
			require.NoError(t, err)
			require.NoError(t, c.Apply())
			text := content(t, tg.File)
			if runtime.GOOS != "windows" {
				info, err := os.Stat(tg.File)
				require.NoError(t, err)
				require.Equal(t, agent == "cline", info.Mode().Perm()&0o100 != 0, "Cline starts its hooks")
			}

			// Checked out with the line ends of Windows it is still ours.
			require.NoError(t, os.WriteFile(tg.File, []byte(strings.ReplaceAll(text, "\n", "\r\n")), 0o755))
			c, err = install.Plan(tg, hook)
			require.NoError(t, err)
			require.False(t, c.Changed())
			removal, err := install.PlanRemoval(tg)
			require.NoError(t, err)
			require.True(t, removal.Changed() && removal.After == nil)

			// Changed by somebody, it is left alone and named.
			edited := strings.Replace(text, "hook", "hook --verbose", 1)
			require.NoError(t, os.WriteFile(tg.File, []byte(edited), 0o755))
			c, err = install.Plan(tg, install.Hook{GOOS: "linux", Strict: true})
			require.NoError(t, err)
			require.False(t, c.Changed())
			require.Contains(t, strings.Join(c.Notes, " "), tg.File+" was changed since Sentinel wrote it")
			removal, err = install.PlanRemoval(tg)
			require.NoError(t, err)
			require.False(t, removal.Changed())
			require.NoError(t, removal.Apply())
			require.Contains(t, strings.Join(removal.Notes, " "), tg.File+" was changed since Sentinel wrote it, and stays")
			require.Equal(t, edited, content(t, tg.File))

			// Somebody else's is refused, and not taken out.
			require.NoError(t, os.WriteFile(tg.File, []byte("#!/bin/sh\nexit 0\n"), 0o755))
			_, err = install.Plan(tg, hook)
			require.ErrorContains(t, err, tg.File+" is there already and is not Sentinel's; call `sentinel hook --agent "+agent+"` in it")
			removal, err = install.PlanRemoval(tg)
			require.NoError(t, err)
			require.False(t, removal.Changed())
			require.Empty(t, removal.Notes)

			// One that calls us is as good as ours, but theirs.
			own := "#!/bin/sh\n./mine\nexec sentinel hook --agent cline\n"
			require.NoError(t, os.WriteFile(tg.File, []byte(own), 0o755))
			c, err = install.Plan(tg, hook)
			require.NoError(t, err)
			require.False(t, c.Changed())
			removal, err = install.PlanRemoval(tg)
			require.NoError(t, err)
			require.False(t, removal.Changed())
			require.Contains(t, strings.Join(removal.Notes, " "), "take that out by hand")
		})
	}
}

// TestClineScriptRuns has a shell run what Cline would.
func TestClineScriptRuns(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the script is for a POSIX shell")
	}
	bin := t.TempDir()
	fake := filepath.Join(bin, "sentinel")
	programtest.Write(t, fake, "#!/bin/sh\nprintf '{\"contextModification\":\"%s %s\"}' \"$*\" \"$(cat)\"\nexit ${STATUS:-0}\n")
	run := func(h install.Hook, env ...string) (string, int) {
		tg := ownTarget(t, "cline")
		c, err := install.Plan(tg, h)
		require.NoError(t, err)
		require.NoError(t, c.Apply())
		cmd := exec.Command("sh", tg.File) // not by itself: a sibling that is starting may still hold it open for writing
		cmd.Env = append([]string{"PATH=/usr/bin:/bin:" + bin}, env...)
		cmd.Stdin = strings.NewReader("event")
		out, err := cmd.Output()
		if err != nil {
			require.ErrorAs(t, err, new(*exec.ExitError))
		}
		return strings.TrimSpace(string(out)), cmd.ProcessState.ExitCode()
	}
	plain, strict := install.Hook{GOOS: "linux"}, install.Hook{GOOS: "linux", Strict: true}
	answer := `{"contextModification":"hook --agent cline event"}`
	for _, h := range []install.Hook{plain, strict} {
		out, exit := run(h)
		require.Equal(t, answer, out)
		require.Zero(t, exit)
	}
	_, exit := run(plain, "STATUS=1")
	require.Equal(t, 1, exit, "at which Cline goes on")
	_, exit = run(plain, "PATH=/usr/bin:/bin")
	require.Equal(t, 127, exit, "at which Cline goes on")
	for _, env := range []string{"STATUS=1", "PATH=/usr/bin:/bin"} {
		out, exit := run(strict, env)
		require.Zero(t, exit)
		require.Contains(t, out, `{"cancel":true,"errorMessage":"Sentinel did not answer`)
		require.NotContains(t, out, "contextModification")
	}
}
