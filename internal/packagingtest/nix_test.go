package packagingtest

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"hash"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNixVendorHash: flake.nix has the digest of the modules that go.mod asks for. Nix takes
// it of the folder that `go mod vendor` writes, in the form of a Nix archive.
func TestNixVendorHash(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the digest depends on which files may be executed, and Windows does not tell")
	}
	flake, err := os.ReadFile(filepath.Join("..", "..", "flake.nix"))
	require.NoError(t, err)
	kept := regexp.MustCompile(`vendorHash = "(sha256-[^"]*)";`).FindSubmatch(flake)
	require.NotNil(t, kept, "flake.nix has no vendorHash")

	dir := filepath.Join(t.TempDir(), "vendor")
	cmd := exec.CommandContext(t.Context(), "go", "mod", "vendor", "-o", dir)
	cmd.Dir = filepath.Join("..", "..")
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOPROXY=off", "GOWORK=off")
	out, err := cmd.CombinedOutput()
	if err != nil && strings.Contains(string(out), "GOPROXY=off") {
		t.Skip("not all modules of go.mod are in the cache (go mod download gets them), so that the digest is not computed")
	}
	require.NoError(t, err, "%s", out)

	n := nar{sha256.New()}
	n.text("nix-archive-1")
	n.node(t, dir)
	got := "sha256-" + base64.StdEncoding.EncodeToString(n.Sum(nil))
	require.Equal(t, got, string(kept[1]), "go.mod has changed: vendorHash of flake.nix is the first of these now")
}

// A nar takes the digest of a Nix archive.
type nar struct{ hash.Hash }

// text writes texts, each after its length and filled up to eight bytes.
func (n nar) text(all ...string) {
	for _, s := range all {
		_, _ = n.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(s))))
		_, _ = n.Write([]byte(s + strings.Repeat("\x00", -len(s)&7)))
	}
}

// node writes a file or a folder, whose entries are sorted by their names.
func (n nar) node(t *testing.T, path string) {
	info, err := os.Lstat(path)
	require.NoError(t, err)
	n.text("(", "type")
	switch {
	case info.IsDir():
		n.text("directory")
		entries, err := os.ReadDir(path)
		require.NoError(t, err)
		for _, e := range entries {
			n.text("entry", "(", "name", e.Name(), "node")
			n.node(t, filepath.Join(path, e.Name()))
			n.text(")")
		}
	default:
		require.True(t, info.Mode().IsRegular(), "%s: go mod vendor copies regular files alone", path)
		content, err := os.ReadFile(path)
		require.NoError(t, err)
		n.text("regular")
		if info.Mode()&0o100 != 0 {
			n.text("executable", "")
		}
		n.text("contents", string(content))
	}
	n.text(")")
}
