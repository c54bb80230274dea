package trigger

import (
	"archive/zip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	sentinel "github.com/agentsentinel/sentinel"
)

// TestUnpacked has archives with a file of the guard, with one of another rule, and with
// neither.
func TestUnpacked(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("tar"); err != nil {
		t.Skip("tar is not installed")
	}
	const guard, plain = ".claude/sentinel/rules/a.yaml", "src/billing/a.go"
	from := tree(t, guard, ".claude/sentinel/rules/new.yaml", plain, "x/"+guard)
	root, out := tree(t, guard), tree(t)
	pack := func(args ...string) {
		t.Helper()
		cmd := exec.Command("tar", args...)
		cmd.Dir = from
		text, err := cmd.CombinedOutput()
		require.NoError(t, err, string(text))
	}
	pack("cf", filepath.Join(out, "a.tar"), ".")
	pack("czf", filepath.Join(out, "a.tgz"), ".claude", "src")
	pack("czf", filepath.Join(out, "x.tar.gz"), "x")
	pack("czf", filepath.Join(out, "plain.tgz"), "src")
	writeZip(t, filepath.Join(out, "a.zip"), guard, plain)
	writeZip(t, filepath.Join(out, "new.zip"), ".claude/sentinel/rules/new.yaml")
	m := New(nil)
	for command, want := range map[string]bool{
		"tar xf A/a.tar": true, "tar xzf A/a.tgz": true, "tar -xf A/a.tgz -C .": true, "tar xz < A/a.tgz": true, "cat A/a.tgz | tar xz": true,
		"tar xf A/x.tar.gz --strip-components=1": true, "tar xf A/x.tar.gz": false, "unzip A/a.zip": true, "unzip -o -q A/a.zip -d .": true,
		"tar xf A/plain.tgz": false, "unzip A/new.zip": false, "tar tf A/a.tar": false, "unzip -l A/a.zip": false, "tar xf A/a.tar -C A": false, "tar xf A/missing.tgz": false,
	} {
		actions, err := m.MapTool(t.Context(), sentinel.Event{Dir: root, Root: root, Tool: bashCall(strings.ReplaceAll(command, "A/", out+"/"))})
		require.NoError(t, err)
		found := false
		for _, a := range actions {
			found = found || a.Trigger == sentinel.FileWrite && a.Path == guard
		}
		assert.Equal(t, want, found, command)
	}
	for _, command := range []string{"tar xf A/plain.tgz", "unzip A/a.zip"} {
		assert.Contains(t, written(t, m, root, strings.ReplaceAll(command, "A/", out+"/")), plain, command)
	}
	require.NoError(t, os.WriteFile(filepath.Join(out, "broken.zip"), []byte("PK\x03\x04PK\x05\x06"+strings.Repeat("\xff", 18)), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(out, "broken.tgz"), []byte("\x1f\x8bnothing"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(out, "a.tar.xz"), []byte("\xfd7zXZ\x00"), 0o600))
	for _, command := range []string{"unzip A/broken.zip", "tar xf A/broken.tgz", "tar xf A/a.tar.xz"} {
		assert.Contains(t, written(t, m, root, strings.ReplaceAll(command, "A/", out+"/")), "*", command)
	}
}

func writeZip(t *testing.T, file string, names ...string) {
	t.Helper()
	f, err := os.Create(file)
	require.NoError(t, err)
	defer f.Close()
	z := zip.NewWriter(f)
	for _, name := range names {
		w, err := z.Create(name)
		require.NoError(t, err)
		_, err = w.Write([]byte("x"))
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
}
