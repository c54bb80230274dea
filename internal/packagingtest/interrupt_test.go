package packagingtest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/programtest"
)

// TestInterruptedInstall: install.sh that is killed before or after any program that it
// starts leaves programs that run: each is the old one or the new one. The next run installs.
func TestInterruptedInstall(t *testing.T) {
	t.Parallel()
	dir, _ := release(t, "1.2.3", "new")
	seen := map[string]bool{}
	for _, when := range []string{"before", "after"} {
		for step := 1; ; step++ {
			home, fake := t.TempDir(), t.TempDir()
			bin, count := filepath.Join(home, ".local", "bin"), filepath.Join(fake, "count")
			require.NoError(t, os.MkdirAll(bin, 0o755))
			for _, name := range programs {
				programtest.Write(t, filepath.Join(bin, name), "#!/bin/sh\necho old\n")
			}
			for _, name := range []string{"mktemp", "uname", "cp", "sha256sum", "cut", "mkdir", "tar", "chmod", "mv", "rm"} {
				real, err := exec.LookPath(name)
				if err != nil {
					continue
				}
				const text = "#!/bin/sh\necho >>COUNT\n[ $(wc -l <COUNT) = STEP ] || exec REAL \"$@\"\n[ WHEN = before ] || REAL \"$@\"\nkill -9 $PPID\n"
				programtest.Write(t, filepath.Join(fake, name), strings.NewReplacer("COUNT", count, "STEP", fmt.Sprint(step), "REAL", real, "WHEN", when).Replace(text))
			}
			out, ok := installs(t, home, fake+":"+os.Getenv("PATH"), "--version", "1.2.3", "--from", dir)
			for _, name := range programs {
				said, err := exec.Command(filepath.Join(bin, name)).Output()
				require.NoError(t, err, "%s the step %d %s does not run: %s", when, step, name, out)
				require.Contains(t, []string{"old\n", "new\n"}, string(said))
				seen[name+" "+string(said)] = true
			}
			lines, err := os.ReadFile(count)
			require.NoError(t, err)
			if strings.Count(string(lines), "\n") < step {
				require.True(t, ok, "nothing was stopped: %s", out)
				require.Greater(t, step, 15, "the test sees too few steps")
				break
			}
			if step%8 == 0 { // the next run finds nothing in its way
				out, ok = installs(t, home, os.Getenv("PATH"), "--version", "1.2.3", "--from", dir)
				require.True(t, ok, out)
			}
		}
	}
	require.Len(t, seen, 2*len(programs), "each program was seen old and new")
}

// TestInstallThroughAProxy: what is not on this machine is asked for through the proxy, with
// TLS to the end.
func TestInstallThroughAProxy(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("curl is not installed")
	}
	asked := make(chan string, 9)
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r.Method + " " + r.Host
		http.Error(w, "not today", http.StatusForbidden)
	}))
	t.Cleanup(proxy.Close)
	home := t.TempDir()
	out, ok := installs(t, home, os.Getenv("PATH")+"\nHTTPS_PROXY="+proxy.URL, "--version", "1.2.3", "--from", "https://mirror.example/x")
	require.False(t, ok)
	require.Contains(t, out, "https://mirror.example/x/checksums.txt cannot be loaded")
	require.Equal(t, "CONNECT mirror.example:443", <-asked)
	require.NoDirExists(t, filepath.Join(home, ".local"))
}

// TestInstallWhereNothingCanBeWritten: a home folder that takes no file.
func TestInstallWhereNothingCanBeWritten(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/proc/self"); err != nil {
		t.Skip("there is no /proc, in which nobody can make a folder")
	}
	dir, _ := release(t, "1.2.3", "new")
	out, ok := installs(t, "/proc", os.Getenv("PATH"), "--version", "1.2.3", "--from", dir)
	require.False(t, ok)
	require.Contains(t, out, "/proc/.local/bin cannot be made")
}
