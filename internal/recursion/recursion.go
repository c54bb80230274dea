// Package recursion keeps a judge from judging itself. A judge that is a coding
// agent may have Sentinel in its own hooks (an administrator's policy can put it
// there); without a guard that hook would start the judge again.
//
// The program that starts such a judge leaves a token in the user's state folder and
// names it in the judge's environment. The hook that finds both stays silent. A
// token that is not in the folder counts for nothing, so that a repository,
// which can set environment variables but does not know a token, cannot switch
// Sentinel off.
package recursion

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/agentsentinel/sentinel/internal/state"
)

// Variable is the environment variable that names the token.
const Variable = "SENTINEL_JUDGE"

const (
	folder     = "judging"
	tokenBytes = 16
	// lifetime bounds the files of a process that was killed. No call to a
	// judge takes that long.
	lifetime = time.Hour
)

// Guarded reports whether this process was started by a judge: value, which is
// that of [Variable], names a token in the user's state folder.
func Guarded(stateDir, value string) bool {
	if stateDir == "" || !wellFormed(value) {
		return false
	}
	path := filepath.Join(stateDir, folder, value)
	if _, err := state.Read(path); err != nil {
		return false
	}
	info, err := os.Lstat(path)
	return err == nil && fresh(info)
}

// Enter leaves a token in the user's state folder and returns what the judge's
// environment has to say, NAME=value. leave takes the token back; it is never nil
// and may be called twice.
func Enter(stateDir string) (variable string, leave func(), err error) {
	dir := filepath.Join(stateDir, folder)
	sweep(dir)
	raw := make([]byte, tokenBytes)
	rand.Read(raw) // never fails (crypto/rand since Go 1.24)
	token := hex.EncodeToString(raw)
	path := filepath.Join(dir, token)
	if err := state.Write(path, nil); err != nil {
		return "", func() {}, fmt.Errorf("recursion: the token that keeps a judge from judging itself cannot be kept: %w", err)
	}
	return Variable + "=" + token, func() { os.Remove(path) }, nil
}

// wellFormed keeps values that cannot be tokens, such as a path, away from the file system.
func wellFormed(value string) bool {
	raw, err := hex.DecodeString(value)
	return err == nil && len(raw) == tokenBytes
}

// fresh refuses what lies about its age too.
func fresh(info os.FileInfo) bool {
	age := time.Since(info.ModTime())
	return age < lifetime && age > -lifetime
}

// sweep removes tokens that were not taken back.
func sweep(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && !fresh(info) {
			os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}
