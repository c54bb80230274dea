package undo

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/agentsentinel/sentinel/internal/digest"
)

// A Place says where a call is made, and where what it would remove goes. All its paths
// are absolute, with slashes.
type Place struct {
	Root  string // only what lies below it is moved
	Dir   string // in which the line begins
	Trash string // folder of this very call; it does not exist yet
	Stamp string // of letters, digits and -: makes a name that nothing else has
}

// NewPlace is the place of a call in a project, whose own folder in the trash is named by a
// stamp: the same for every process that judges the call. trash is that of all projects, ""
// for none.
func NewPlace(root, dir, trash, stamp string) Place {
	at := Place{Root: filepath.ToSlash(root), Dir: filepath.ToSlash(dir), Stamp: stamp}
	if trash != "" {
		at.Trash = filepath.ToSlash(notThere(filepath.Join(trash, trashOf(root), stamp)))
	}
	return at
}

// notThere is a path at which nothing is yet, or "". A decision about a call
// that an agent makes again without an id of its own is the same one.
func notThere(path string) string {
	const tries = 100
	for n := range tries {
		next := path
		if n > 0 {
			next = fmt.Sprintf("%s-%d", path, n+1)
		}
		if _, err := os.Lstat(next); errors.Is(err, fs.ErrNotExist) {
			return next
		}
	}
	return ""
}

// trashOf is the name of a project's folder in the trash: one that people recognise.
func trashOf(root string) string {
	name := strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '-'
	}, filepath.Base(root))
	const longest, sum = 40, 8
	return name[:min(len(name), longest)] + "-" + digest.Hex(root)[:sum]
}

// WithCommand are the arguments of a tool with another command in the place of was, which
// one of them holds. ok is false where none does, or two.
func WithCommand(args json.RawMessage, was, command string) (changed json.RawMessage, ok bool) {
	var all map[string]json.RawMessage
	if json.Unmarshal(args, &all) != nil {
		return nil, false
	}
	places := 0
	for key, raw := range all {
		var text string
		if json.Unmarshal(raw, &text) == nil && text == was {
			all[key], _ = json.Marshal(command) // texts always encode
			places++
		}
	}
	changed, err := json.Marshal(all)
	return changed, err == nil && places == 1
}
