package install_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/install"
)

func TestDiff(t *testing.T) {
	t.Parallel()
	c := install.Change{
		Target: install.Target{File: "f"},
		Before: []byte("1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15"),
		After:  []byte("1\n2\n3\nfour\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n"),
	}
	require.Equal(t, `--- a/f
+++ b/f
@@ -1,7 +1,7 @@
 1
 2
 3
-4
+four
 5
 6
 7
@@ -12,4 +12,4 @@
 12
 13
 14
-15
\ No newline at end of file
+15
`, c.Diff())
	c.Before = nil
	c.After = []byte("new\n")
	require.Equal(t, "--- /dev/null\n+++ b/f\n@@ -0,0 +1,1 @@\n+new\n", c.Diff())
	c.Before, c.After = c.After, nil
	require.Equal(t, "--- a/f\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-new\n", c.Diff())
	c.File = "/home/u/f" // as git names a file outside of any repository
	require.Equal(t, "--- a/home/u/f\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-new\n", c.Diff())
	c.After = c.Before
	require.Empty(t, c.Diff())
}

// FuzzDiff holds that git makes of one text the other by the difference.
func FuzzDiff(f *testing.F) {
	git, err := exec.LookPath("git")
	if err != nil {
		f.Skip("no git here")
	}
	f.Add([]byte("a\nb\nc\n"), []byte("a\nc\nd"))
	f.Add([]byte("1\n2\n3\n4\n5\n6\n7\n8\n9\n"), []byte("0\n1\n2\n3\n4\n5\n6\n7\n8\n"))
	for gap := range 10 { // between two changes: one hunk or two
		between := strings.Repeat("same\n", gap)
		f.Add([]byte("a\n"+between+"b\n"), []byte("A\n"+between+"B\n"))
	}
	f.Add([]byte("a\na\na\nb"), []byte("b\na\n\na\n"))
	f.Add([]byte(strings.Repeat("x\n", 20)+"y\n"+strings.Repeat("x\n", 20)), []byte(strings.Repeat("x\n", 30)))
	f.Fuzz(func(t *testing.T, before, after []byte) {
		if strings.ContainsAny(string(before)+string(after), "\x00\r") || len(before) == 0 || len(after) == 0 {
			return // git takes these for binary, or for a file that is not there
		}
		c := install.Change{Target: install.Target{File: "f"}, Before: before, After: after}
		if !c.Changed() {
			return
		}
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "f"), before, 0o644))
		cmd := exec.Command(git, "apply", "--whitespace=nowarn", "-")
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
		cmd.Stdin = strings.NewReader(c.Diff())
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s\n%s", out, c.Diff())
		require.Equal(t, string(after), content(t, filepath.Join(dir, "f")))
	})
}
