// Package install writes Sentinel's hook into the settings of coding agents, and
// takes it out again.
//
// The settings belong to their owner: an edit changes the bytes of our own
// entries and nothing else, so that order, indentation, line ends and keys that
// we do not know survive. Doing it twice changes nothing, and taking the hook
// out leaves the file as it was.
//
// [Claude] and [RemoveClaude] are pure, bytes in and bytes out. [Plan] and
// [PlanRemoval] read a file and say what would become of it, which is what a
// dry run shows; [Change.Apply] does it.
package install

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/agentsentinel/sentinel"
)

// DefaultTimeout is how long an agent waits for the hook when [Hook.Timeout] is
// zero. The hook has to answer before it, because to most agents a hook that
// timed out has allowed the call.
const DefaultTimeout = 20 * time.Second

// DefaultCommand is the command that is registered when [Hook.Command] is empty.
// It names no agent, because other agents run Claude Code's hooks too and the
// event tells whose it is; and it is short, because the model reads it with
// every block.
const DefaultCommand = "sentinel hook"

// Hook says what is registered.
type Hook struct {
	// Command is `sentinel hook`, with a quoted absolute path where sentinel is
	// not on the PATH, and with flags after it. It must be recognisable as
	// Sentinel's, or it could not be found again.
	Command string
	// Args, when not nil, are passed as they stand, with no shell; Command is
	// then the program alone.
	Args    []string
	Timeout time.Duration // rounded up to whole seconds; 0 means DefaultTimeout
	Strict  bool          // the agent is told to stop a call when the hook cannot run or answer
	Reads   bool          // the hook is also called for tools that only read files
}

// Target is a settings file of an agent.
type Target struct {
	Agent string // "claude"
	File  string
	// Backup is where a copy of the file goes before the first change. It is
	// written once and never again. "" means File with ".before-sentinel" added.
	Backup string
}

// Change is what is to be done to a settings file.
type Change struct {
	Target
	Before []byte      // nil when the file does not exist
	After  []byte      // nil when nothing of ours or anybody's would be left
	Mode   fs.FileMode // of the existing file
	Notes  []string    // what a person should know: why the hook may not run
}

// Changed reports whether there is anything to do.
func (c Change) Changed() bool {
	return (c.Before == nil) != (c.After == nil) || !bytes.Equal(c.Before, c.After)
}

// Plan says how the hook would be put into t.File. It changes nothing.
func Plan(t Target, h Hook) (Change, error) {
	c, err := read(t)
	if err != nil {
		return Change{}, err
	}
	if c.After, err = Claude(c.Before, h); err != nil {
		return Change{}, named(t.File, err)
	}
	c.Notes = claudeNotes(c.After)
	return c, nil
}

// PlanRemoval says how the hook would be taken out of t.File. It changes nothing.
func PlanRemoval(t Target) (Change, error) {
	c, err := read(t)
	if err != nil || c.Before == nil {
		return c, err
	}
	if c.After, err = RemoveClaude(c.Before); err != nil {
		return Change{}, named(t.File, err)
	}
	if c.After == nil && exists(c.backup()) {
		c.After = []byte("{}\n") // there was a file before us: it stays
	}
	return c, nil
}

// read loads what a change starts from. What cannot be edited safely is refused:
// a link would be replaced by a file, and whoever made a file read-only meant it.
func read(t Target) (Change, error) {
	if t.Agent != "claude" {
		return Change{}, fmt.Errorf("install: agent %q has no settings file that is known here (known: claude)", t.Agent)
	}
	c := Change{Target: t, Mode: 0o644}
	info, err := os.Lstat(t.File)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return c, nil
	case err != nil:
		return Change{}, fmt.Errorf("install: %w", err)
	case info.Mode()&fs.ModeSymlink != 0:
		return Change{}, fmt.Errorf("install: %s is a symbolic link; name the file it points to, or add the hook there by hand", t.File)
	case info.IsDir():
		return Change{}, fmt.Errorf("install: %s is a directory; want a file", t.File)
	case !info.Mode().IsRegular():
		return Change{}, fmt.Errorf("install: %s is not a regular file", t.File)
	case info.Mode().Perm()&0o200 == 0:
		return Change{}, fmt.Errorf("install: %s is read-only; make it writable (chmod u+w) and repeat", t.File)
	}
	c.Mode = info.Mode().Perm()
	if c.Before, err = os.ReadFile(t.File); err != nil {
		return Change{}, fmt.Errorf("install: %w", err)
	}
	if c.Before == nil {
		c.Before = []byte{}
	}
	return c, nil
}

// Apply makes the change, atomically. The folder of a new file is made. When the
// file is no longer what it was when the change was planned, Apply changes
// nothing and says so. A change that leads back to the backup removes it.
func (c Change) Apply() error {
	if !c.Changed() {
		return nil
	}
	now, err := read(c.Target)
	if err != nil {
		return err
	}
	if (now.Before == nil) != (c.Before == nil) || !bytes.Equal(now.Before, c.Before) {
		return fmt.Errorf("install: %s was changed meanwhile; repeat", c.File)
	}
	if err := os.MkdirAll(filepath.Dir(c.File), 0o755); err != nil {
		return fmt.Errorf("install: %w", err)
	}
	if err := c.keep(); err != nil {
		return err
	}
	if c.After == nil {
		return os.Remove(c.File)
	}
	if err := WriteFile(c.File, c.After, c.Mode); err != nil {
		return err
	}
	return c.dropBackup()
}

// keep writes the backup, unless there is nothing to keep or one is there.
func (c Change) keep() error {
	if c.Before == nil || exists(c.backup()) {
		return nil
	}
	if removed, err := RemoveClaude(c.Before); err != nil || !bytes.Equal(removed, c.Before) {
		return err // it holds our hook already: not what was there before us
	}
	if err := os.MkdirAll(filepath.Dir(c.backup()), 0o755); err != nil {
		return fmt.Errorf("install: %w", err)
	}
	return WriteFile(c.backup(), c.Before, c.Mode)
}

// dropBackup removes a backup that says the same as the file.
func (c Change) dropBackup() error {
	kept, err := os.ReadFile(c.backup())
	if err != nil || !bytes.Equal(kept, c.After) {
		return nil // none, or it still has something to tell
	}
	return os.Remove(c.backup())
}

func (c Change) backup() string {
	if c.Backup != "" {
		return c.Backup
	}
	return c.File + ".before-sentinel"
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// named puts the file's name into a problem that was found in its text.
func named(file string, err error) error {
	var p sentinel.Problem
	if errors.As(err, &p) {
		p.File = file
		return p
	}
	return err
}
