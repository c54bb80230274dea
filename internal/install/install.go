// Package install writes Sentinel's hook into the settings of coding agents, and
// takes it out again.
//
// The settings belong to their owner: an edit changes the bytes of our own
// entries and nothing else, so that order, indentation, line ends, comments and
// keys that we do not know survive. Doing it twice changes nothing, and taking
// the hook out leaves the file as it was.
//
// [Settings] say what is particular to one agent, and [Place.Targets] where its
// files are. [Plan] and [PlanRemoval] read a file and say what would become of it,
// which a dry run shows as [Change.Diff]; [Change.Apply] does it. [Look] reads what
// is registered. docs/reference/hooks.md shows what is written for every agent.
package install

//go:generate go test -run=^(TestAgentsGolden|TestDocumented)$ . -update

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/rule"
)

// DefaultTimeout is how long an agent waits for the hook when [Hook.Timeout] is
// zero. The hook has to answer before it, because to most agents a hook that
// timed out has allowed the call.
const DefaultTimeout = 20 * time.Second

// DefaultDeadline is how long `sentinel hook` takes at most when it is given no
// deadline. It is below [DefaultTimeout], which is what hooks are registered with.
const DefaultDeadline = 15 * time.Second

// Hook says what is registered.
type Hook struct {
	// Program is the path of sentinel where agents do not find it on the PATH; ""
	// means that they do. It is quoted for the shell of each agent.
	Program string
	// Timeout is how long the agent waits, rounded up to its own unit; 0 means
	// DefaultTimeout. The command is told to answer a second earlier, with
	// --deadline, unless it is the default. An agent whose timeout cannot be set
	// has its own.
	Timeout time.Duration
	Strict  bool // a call is refused when the hook cannot run or answer, as far as the agent can
	Reads   bool // the hook is also called for tools that only read files
	// Tools are further tools that the hook is called for, as [ToolPattern] and
	// [PrefixPattern] write them. An agent whose settings have no pattern for names
	// cannot be told.
	Tools []string
	// Name is what this program is called; "" means sentinel.
	Name string
	// GOOS is the system whose paths and shells are written; "" means this one.
	GOOS string

	// Command, in place of Program, is a whole line for Claude Code: `sentinel
	// hook`, with a quoted path and flags. Other agents get its program and flags.
	// It must be recognisable as Sentinel's, or it could not be found again.
	Command string
	// Args, when not nil, are passed to Claude Code unchanged, with no shell;
	// Command is then the program alone.
	Args []string
}

// Change is what is to be done to a settings file.
type Change struct {
	Target
	Before []byte      // nil when the file does not exist
	After  []byte      // nil when nothing would be left
	Mode   fs.FileMode // of the existing file, or for the new one
	// Notes say what the user should know or do: why the hook may not run yet, or
	// what is left as it is.
	Notes []string
}

// Changed reports whether there is anything to do.
func (c Change) Changed() bool {
	return (c.Before == nil) != (c.After == nil) || !bytes.Equal(c.Before, c.After)
}

// Plan says how the hook would be put into t.File. It changes nothing.
func Plan(t Target, h Hook) (Change, error) {
	h.Name = t.Program
	c, err := read(t)
	if err != nil {
		return Change{}, err
	}
	if err := h.check(); err != nil {
		return Change{}, err
	}
	a := t.Settings
	if a.Script != nil {
		err = a.Script(t.File, h).plan(&c)
	} else {
		c.After, err = a.formFor(t.File, t.Program).merge(c.Before, a.Wants(t.File, h))
	}
	if err != nil {
		return Change{}, named(t.File, err)
	}
	if a.Off != nil {
		c.Notes = a.Off(c.After)
	}
	if c.Changed() && a.Notes != nil {
		c.Notes = append(c.Notes, a.Notes(t.scope())...)
	}
	return c, nil
}

// PlanRemoval says how the hook would be taken out of t.File. It changes nothing.
// A file that says the same as before the hook came becomes what it was, byte for
// byte.
func PlanRemoval(t Target) (Change, error) {
	if t.Settings.Known() && absent(t.File) {
		return Change{Target: t}, nil
	}
	c, err := read(t)
	if err != nil {
		return c, err
	}
	if t.Settings.Script != nil {
		planRemoval(&c)
		return c, nil
	}
	f := t.Settings.formFor(t.File, t.Program)
	if c.After, err = f.remove(c.Before); err != nil {
		return Change{}, named(t.File, err)
	}
	if c.Changed() {
		kept, err := safefile.ReadNoFollow(c.backup(), maxSettings)
		switch {
		case err == nil && f.same(kept, c.After):
			c.After = kept
		case c.After == nil && (err == nil || c.byHand()):
			c.After = []byte("{}\n") // there was a file before us: it stays
			c.Notes = append(c.Notes, "what "+c.File+" held before `init` is in "+c.backup())
		}
	}
	return c, nil
}

// read loads what a change starts from. A file that cannot be edited safely is refused:
// a link would be replaced by a file, and a file is read-only for a reason.
func read(t Target) (Change, error) {
	if !t.Settings.Known() {
		return Change{}, fmt.Errorf("install: agent %q has no settings file that is known here", t.Agent)
	}
	if err := t.inside(); err != nil {
		return Change{}, err
	}
	c := Change{Target: t, Mode: 0o644}
	if t.Settings.Executable {
		c.Mode = 0o755
	}
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
	if c.Before, err = safefile.ReadNoFollow(t.File, maxSettings); err != nil {
		return Change{}, fmt.Errorf("install: %s: %w", t.File, err)
	}
	if c.Before == nil {
		c.Before = []byte{}
	}
	return c, nil
}

// ErrNoFolder is wrapped by what [Plan] says of a settings file whose folder cannot be
// made: the agent can be used there, but not with hooks.
var ErrNoFolder = errors.New("a file")

// inside refuses a file that does not lie below the target's root, or that is
// reached over a symbolic link or through something other than a folder.
func (t Target) inside() error {
	if t.Root == "" {
		return nil
	}
	rel, err := filepath.Rel(t.Root, t.File)
	if err != nil || !filepath.IsLocal(rel) {
		return fmt.Errorf("install: %s does not lie in %s", t.File, t.Root)
	}
	dir := t.Root
	for part := range strings.SplitSeq(filepath.Dir(rel), string(filepath.Separator)) {
		dir = filepath.Join(dir, part)
		info, err := os.Lstat(dir)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return fmt.Errorf("install: %w", err)
		case info.Mode()&fs.ModeSymlink != 0 && part != ".":
			return fmt.Errorf("install: %s is a symbolic link, and %s would be written elsewhere; add the hook there by hand", dir, t.File)
		case !info.IsDir() && part != ".":
			return fmt.Errorf("install: %s is %w, and %s needs a folder of that name: rename the file, make the folder, move the file into it, and repeat", dir, ErrNoFolder, t.File)
		}
	}
	return nil
}

// Apply makes the change, atomically. The folder of a new file is made. If the file has
// changed since the change was planned, Apply changes nothing and says so. A change that
// leads back to the backup removes it.
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
	if err := replace(c.File, c.After, c.Mode); err != nil {
		return err
	}
	return c.dropBackup()
}

// keep writes the backup, unless there is nothing to keep or one is there.
func (c Change) keep() error {
	if c.Before == nil || c.Settings.Script != nil || safefile.Exists(c.backup()) {
		return nil
	}
	if removed, err := c.Settings.formFor(c.File, c.Program).remove(c.Before); err != nil || !bytes.Equal(removed, c.Before) && !c.byHand() {
		return err // it holds the hook that we have written: not what was there before us
	}
	if err := os.MkdirAll(filepath.Dir(c.backup()), 0o755); err != nil {
		return fmt.Errorf("install: %w", err)
	}
	return replace(c.backup(), c.Before, c.Mode)
}

func replace(file string, data []byte, mode fs.FileMode) error {
	if err := safefile.Replace(file, data, mode); err != nil {
		return fmt.Errorf("install: %w", err)
	}
	return nil
}

// dropBackup removes a backup that says the same as the file.
func (c Change) dropBackup() error {
	kept, err := safefile.ReadNoFollow(c.backup(), maxSettings)
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

// byHand reports whether a file had a hook of Sentinel's that [Plan] never writes,
// whatever program, tools and times it is given. A person wrote it, so the file was there
// before us.
func (c Change) byHand() bool {
	had, ours := Registration{Target: c.Target}, Registration{Target: c.Target}
	text, err := c.Settings.formFor(c.File, c.Program).merge(nil, c.Settings.Wants(c.File, Hook{Name: c.Program, Reads: true}))
	if err != nil || ours.lookAtHooks(text, Hook{}) != nil || had.lookAtHooks(c.Before, Hook{}) != nil {
		return false
	}
	return slices.ContainsFunc(had.Entries, func(e Entry) bool { return !slices.ContainsFunc(ours.Entries, e.like) })
}

// absent reports whether a file is not there, also because a file is in the place of its
// folder.
func absent(path string) bool {
	_, err := os.Lstat(path)
	return safefile.Missing(err)
}

// named puts the file's name into a problem that was found in its text.
func named(file string, err error) error {
	var p rule.Problem
	if errors.As(err, &p) {
		p.File = file
		return p
	}
	return err
}
