// Package packagingtest installs Sentinel as users do, from what a release is made of.
package packagingtest

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/programtest"
)

// programs are what an archive holds.
var programs = []string{"sentinel", "sentinel-audit", "sentinel-watch"}

// A release is a folder with an archive for this platform whose programs are scripts that
// print a word, and with its digests.
func release(t *testing.T, version, word string) (dir, archive string) {
	t.Helper()
	dir = t.TempDir()
	archive = fmt.Sprintf("sentinel_%s_%s_%s.tar.gz", version, runtime.GOOS, runtime.GOARCH)
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	w := tar.NewWriter(z)
	for _, name := range programs {
		text := "#!/bin/sh\necho " + word + "\n"
		require.NoError(t, w.WriteHeader(&tar.Header{Name: name, Mode: 0o755, Size: int64(len(text))}))
		_, err := w.Write([]byte(text))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	require.NoError(t, z.Close())
	require.NoError(t, os.WriteFile(filepath.Join(dir, archive), packed.Bytes(), 0o644))
	sums := fmt.Sprintf("%x  %s\n", sha256.Sum256(packed.Bytes()), archive)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "checksums.txt"), []byte(sums), 0o644))
	return dir, archive
}

// installs runs install.sh with a home folder of its own and returns what it printed.
// After PATH, further variables may be on lines of their own.
func installs(t *testing.T, home, path string, args ...string) (output string, ok bool) {
	t.Helper()
	script, err := filepath.Abs(filepath.Join("..", "..", "packaging", "install.sh"))
	require.NoError(t, err)
	return installsFrom(t, nil, home, path, append([]string{script}, args...)...)
}

// installsFrom runs a shell with its standard input and arguments.
func installsFrom(t *testing.T, stdin io.Reader, home, path string, args ...string) (output string, ok bool) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("install.sh is for systems with a POSIX shell")
	}
	if runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		t.Skip("there is no release for " + runtime.GOARCH)
	}
	cmd := exec.Command("sh", args...)
	cmd.Stdin = stdin
	cmd.Env = append(strings.Split("PATH="+path, "\n"), "TMPDIR="+t.TempDir())
	if home != "" {
		cmd.Env = append(cmd.Env, "HOME="+home)
	}
	out, err := cmd.CombinedOutput()
	return string(out), err == nil
}

func TestInstall(t *testing.T) {
	t.Parallel()
	dir, _ := release(t, "1.2.3", "new")
	server := httptest.NewServer(http.FileServer(http.Dir(dir)))
	t.Cleanup(server.Close)
	for name, from := range map[string]string{"a folder": dir, "a server": server.URL} {
		home := filepath.Join(t.TempDir(), "Ünsal Ö")
		bin := filepath.Join(home, ".local", "bin")
		out, ok := installs(t, home, os.Getenv("PATH"), "--version", "v1.2.3", "--from", from)
		require.True(t, ok, "%s: %s", name, out)
		require.Contains(t, out, "Sentinel 1.2.3 is in "+bin)
		require.Contains(t, out, "is not on your PATH")
		for _, program := range programs {
			text, err := os.ReadFile(filepath.Join(bin, program))
			require.NoError(t, err)
			require.Equal(t, "#!/bin/sh\necho new\n", string(text))
		}
		entries, err := os.ReadDir(bin)
		require.NoError(t, err)
		require.Len(t, entries, len(programs), "nothing else is left")
	}
}

// TestOldProgram: an old program is replaced, and one that comes first on the PATH is named.
func TestOldProgram(t *testing.T) {
	t.Parallel()
	dir, _ := release(t, "1.2.3", "new")
	home, other := t.TempDir(), t.TempDir()
	bin := filepath.Join(home, "my bin")
	require.NoError(t, os.Mkdir(bin, 0o755))
	programtest.Write(t, filepath.Join(bin, "sentinel"), "#!/bin/sh\necho old\n")
	programtest.Write(t, filepath.Join(other, "sentinel"), "#!/bin/sh\necho other\n")
	out, ok := installs(t, home, other+":"+bin+":"+os.Getenv("PATH"), "--version", "1.2.3", "--from", dir, "--dir", bin)
	require.True(t, ok, out)
	require.Contains(t, out, `"sentinel" on your PATH is `+other)
	text, err := os.ReadFile(filepath.Join(bin, "sentinel"))
	require.NoError(t, err)
	require.Contains(t, string(text), "echo new")
}

// TestInstallRefuses: what is not verified changes nothing.
func TestInstallRefuses(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		spoil func(t *testing.T, dir, archive string)
		args  []string
		says  string
	}{
		"a corrupted archive": {spoil: func(t *testing.T, dir, archive string) {
			require.NoError(t, os.WriteFile(filepath.Join(dir, archive), []byte("x"), 0o644))
		}, says: "checksums.txt says"},
		"the archive of another version": {spoil: func(t *testing.T, dir, archive string) {
			older, _ := release(t, "1.2.3", "older")
			text, err := os.ReadFile(filepath.Join(older, archive))
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(filepath.Join(dir, archive), text, 0o644))
		}, says: "checksums.txt says"},
		"no digest": {spoil: func(t *testing.T, dir, _ string) {
			require.NoError(t, os.WriteFile(filepath.Join(dir, "checksums.txt"), []byte("00  other.tar.gz\n"), 0o644))
		}, says: "has no line for"},
		"no digests": {spoil: func(t *testing.T, dir, _ string) {
			require.NoError(t, os.Remove(filepath.Join(dir, "checksums.txt")))
		}, says: "has no checksums.txt"},
		"no archive":                {spoil: func(t *testing.T, dir, archive string) { require.NoError(t, os.Remove(filepath.Join(dir, archive))) }, says: "has no sentinel_"},
		"a version that is a path":  {args: []string{"--version", "../../x"}, says: "is no version"},
		"a mirror without TLS":      {args: []string{"--from", "http://mirror.example"}, says: "needs https"},
		"a mirror without a number": {args: []string{"--version", ""}, says: "--from needs --version"},
		"an unknown option":         {args: []string{"--force"}, says: "unknown option"},
		"an option without a value": {args: []string{"--dir"}, says: "--dir needs a value"},
		"a folder that is a file":   {args: []string{"--dir", "/dev/null"}, says: "cannot be"},
	} {
		dir, archive := release(t, "1.2.3", "new")
		if tt.spoil != nil {
			tt.spoil(t, dir, archive)
		}
		home := t.TempDir()
		bin := filepath.Join(home, ".local", "bin")
		require.NoError(t, os.MkdirAll(bin, 0o755))
		programtest.Write(t, filepath.Join(bin, "sentinel"), "#!/bin/sh\necho old\n")
		out, ok := installs(t, home, os.Getenv("PATH"), append([]string{"--version", "1.2.3", "--from", dir}, tt.args...)...)
		require.False(t, ok, "%s: %s", name, out)
		require.Contains(t, out, tt.says, name)
		text, err := os.ReadFile(filepath.Join(bin, "sentinel"))
		require.NoError(t, err)
		require.Contains(t, string(text), "echo old", name)
	}
}

// TestInstallWithoutHome: without HOME a folder has to be named.
func TestInstallWithoutHome(t *testing.T) {
	t.Parallel()
	dir, _ := release(t, "1.2.3", "new")
	out, ok := installs(t, "", os.Getenv("PATH"), "--version", "1.2.3", "--from", dir)
	require.False(t, ok)
	require.Contains(t, out, "HOME is not set")
	bin := t.TempDir()
	out, ok = installs(t, "", os.Getenv("PATH"), "--version", "1.2.3", "--from", dir, "--dir", bin)
	require.True(t, ok, out)
	require.FileExists(t, filepath.Join(bin, "sentinel"))
	require.True(t, strings.Contains(out, "Next:"), out)
}

// TestInstallInPart holds that a script that was loaded in part does nothing.
func TestInstallInPart(t *testing.T) {
	t.Parallel()
	dir, _ := release(t, "1.2.3", "new")
	home := t.TempDir()
	text, err := os.ReadFile(filepath.Join("..", "..", "packaging", "install.sh"))
	require.NoError(t, err)
	all := strings.TrimSuffix(string(text), "\n")
	start, _, found := strings.Cut(all, "\n{")
	require.True(t, found)
	run := func(script string) (string, bool) {
		return installsFrom(t, strings.NewReader(script), home, os.Getenv("PATH"), "-s", "--", "--version", "1.2.3", "--from", dir)
	}
	for end := len(start) + len("\n{"); end < len(all); end += 101 {
		out, ok := run(all[:end])
		require.False(t, ok, "%d bytes: %s", end, out)
		require.NoDirExists(t, filepath.Join(home, ".local"), "%d bytes", end)
	}
	out, ok := run(all[:len(all)-1])
	require.False(t, ok, out)
	out, ok = run(all)
	require.True(t, ok, out)
	require.FileExists(t, filepath.Join(home, ".local", "bin", "sentinel"))
}

// TestSignature: where there is cosign, it decides, and is told whose signature it has to be.
func TestSignature(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		bundle bool
		status string
		says   string
	}{
		"right":  {true, "0", "Sentinel 1.2.3 is in"},
		"wrong":  {true, "1", "cannot be verified (cosign 3 is needed); nothing was installed"},
		"absent": {false, "0", "has no checksums.txt.sigstore.json"},
	} {
		dir, _ := release(t, "1.2.3", "new")
		if tt.bundle {
			require.NoError(t, os.WriteFile(filepath.Join(dir, "checksums.txt.sigstore.json"), []byte("{}"), 0o644))
		}
		home, fake := t.TempDir(), t.TempDir()
		programtest.Write(t, filepath.Join(fake, "cosign"), "#!/bin/sh\necho \"$@\" >"+filepath.Join(fake, "args")+"\nexit "+tt.status+"\n")
		out, ok := installs(t, home, fake+":"+os.Getenv("PATH"), "--version", "1.2.3", "--from", dir)
		require.Equal(t, name == "right", ok, out)
		require.Contains(t, out, tt.says, name)
		require.NotContains(t, out, "was not checked", name)
		if !ok {
			require.NoDirExists(t, filepath.Join(home, ".local"), name)
		}
		if tt.bundle {
			args := string(must(os.ReadFile(filepath.Join(fake, "args"))))
			require.Contains(t, args, "--certificate-identity https://github.com/agentsentinel/sentinel/.github/workflows/release.yml@refs/tags/v1.2.3 ")
			require.Contains(t, args, "--certificate-oidc-issuer https://token.actions.githubusercontent.com ")
		}
	}
}
