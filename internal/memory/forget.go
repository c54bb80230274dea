package memory

import (
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/agentsentinel/sentinel/internal/state"
)

const (
	// sessionFolderAge is after how long without a summary or a lock of its own the
	// folder of a session goes. A session that is taken up again later begins a new
	// summary.
	sessionFolderAge = 30 * 24 * time.Hour
	// maxForgotten bounds how many folders one start takes away.
	maxForgotten = 500
)

// forgetOldSessions takes away the folders of sessions that were over long ago, so
// that .sentinel does not grow for ever. Files that others have put there stay, and
// no link is followed.
func (m *Memory) forgetOldSessions() {
	dir := filepath.Join(m.Root, state.WorkFolder, "sessions")
	folder, err := state.OpenFolder(dir, false)
	if err != nil {
		return
	}
	folder.Close()
	entries, _ := os.ReadDir(dir) // what could be read is enough
	forgotten := 0
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !e.IsDir() || m.now().Sub(info.ModTime()) < sessionFolderAge {
			continue
		}
		if forgotten++; forgotten > maxForgotten {
			return
		}
		forgetSession(filepath.Join(dir, e.Name()))
	}
}

// forgetSession removes what is ours in a session's folder, and the folder when
// nothing else is in it.
func forgetSession(dir string) {
	files, _ := os.ReadDir(dir)
	for _, file := range files {
		if file.Type().IsRegular() && isSessionFile(file.Name()) {
			os.Remove(filepath.Join(dir, file.Name())) // one that is open elsewhere goes another time
		}
	}
	os.Remove(dir)
}

// isSessionFile knows the files of a session by their names.
func isSessionFile(name string) bool {
	switch name {
	case "summary.json", "checkpoint", "again":
		return true
	}
	return strings.HasPrefix(name, "ollama.lock")
}
