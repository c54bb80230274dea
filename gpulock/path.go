package gpulock

import (
	"path/filepath"

	"github.com/agentsentinel/sentinel/internal/digest"
)

const (
	// stateFolder is the folder of a project in which Sentinel keeps what it
	// needs while it works.
	stateFolder = ".sentinel"
	lockName    = "ollama.lock"
)

// SessionPath returns the path of the lock that the processes of one agent
// session share: root/.sentinel/sessions/SESSION/ollama.lock. root is the folder
// of the project.
//
// session is hostile: an id of anything but 1 to 128 letters, digits, dots,
// underscores and hyphens, or one that begins with a dot, is replaced by its
// digest (SHA-256, 64 hexadecimal digits).
func SessionPath(root, session string) string {
	return filepath.Join(root, stateFolder, "sessions", folderName(session), lockName)
}

// MachinePath returns the path of the lock that all processes of a user on this
// machine share: sentinel/ollama.lock in runtimeDir ($XDG_RUNTIME_DIR), or in
// cacheDir (the user's cache folder) when runtimeDir is "".
func MachinePath(runtimeDir, cacheDir string) string {
	dir := runtimeDir
	if dir == "" {
		dir = cacheDir
	}
	return filepath.Join(dir, "sentinel", lockName)
}

// folderName makes the id of a session the name of a folder.
func folderName(session string) string {
	if plain(session) {
		return session
	}
	return digest.Hex(session)
}

// plain says whether an id can be used as the name of one folder.
func plain(id string) bool {
	if id == "" || len(id) > 128 || id[0] == '.' || !filepath.IsLocal(id) { // "con" is a device on Windows
		return false
	}
	for _, c := range []byte(id) {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '.', c == '_', c == '-':
		default:
			return false
		}
	}
	return true
}
