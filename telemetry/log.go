package telemetry

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/agentsentinel/sentinel/internal/filelock"
	"github.com/agentsentinel/sentinel/internal/safefile"
)

// Defaults of [Options]: the configuration's log_max_mb and log_keep.
const (
	DefaultMaxMB = 20
	DefaultKeep  = 5
)

// Options are the settings of a [Log]. The zero value of each means its default.
type Options struct {
	// MaxMB is the size, in millions of bytes, from which the file is renamed to
	// .1 and a new one begun. 0 means DefaultMaxMB, a negative number never.
	MaxMB int
	// Keep is how many renamed files are kept, .1 being the newest. 0 means
	// DefaultKeep, a negative number none.
	Keep int
	// Within is a folder that the log must lie in once symbolic links are
	// resolved: a log path that a cloned repository names must not lead out of
	// that repository. "" means that any path is good.
	Within string
	// Logger gets failures that are not the caller's concern: a rotation that
	// failed. nil discards them.
	Logger *slog.Logger
}

// Log appends records to a file that any number of processes write at once. It
// may be used concurrently. It holds no file open between calls.
type Log struct {
	path   string
	max    int64
	keep   int
	within string
	logger *slog.Logger
	wait   time.Duration // for the file's lock
	mu     sync.Mutex    // one goroutine of this process at a time competes for the file's lock
}

// Open returns the log at path. It touches nothing before the first Write, so that
// a process without records pays nothing. opts may be nil.
func Open(path string, opts *Options) *Log {
	if opts == nil {
		opts = &Options{}
	}
	l := &Log{path: path, max: int64(opts.MaxMB), keep: opts.Keep, within: opts.Within, logger: opts.Logger, wait: lockWait}
	if l.max == 0 {
		l.max = DefaultMaxMB
	}
	l.max *= 1e6
	if l.keep == 0 {
		l.keep = DefaultKeep
	}
	l.keep = max(l.keep, 0)
	if l.logger == nil {
		l.logger = slog.New(slog.DiscardHandler)
	}
	return l
}

// Path returns the path that the log was opened with.
func (l *Log) Path() string { return l.path }

// Write appends records, each as one line in one write, and rotates the file
// when it has become too large. The file is created with mode 0600, its folder
// too if it is missing. No records is nothing to do.
//
// The path must name a regular file: a symbolic link, FIFO, device or folder is
// refused with an error. Write waits for other processes for at
// most a second; it then appends without the lock, which can tear no line.
func (l *Log) Write(records []Record) error {
	lines, err := encode(records)
	if err != nil {
		return err
	}
	return l.write(lines)
}

// write appends lines, each with its line end.
func (l *Log) write(lines [][]byte) error {
	if len(lines) == 0 {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.prepareFolder(); err != nil {
		return err
	}
	f, locked, err := l.acquire()
	if err != nil {
		return err
	}
	size, err := appendLines(f, lines)
	if err == nil && locked && l.max > 0 && size >= l.max {
		if err := l.rotate(); err != nil {
			l.logger.Warn("telemetry: the log could not be rotated and grows on", "path", l.path, "error", err)
		}
	}
	return errors.Join(err, f.Close()) // closing gives the lock back
}

// encode returns the lines of records, each with its line end.
func encode(records []Record) ([][]byte, error) {
	lines := make([][]byte, len(records))
	for i, r := range records {
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false) // a command line is full of < > and &, and this file is not a web page
		r.Time = r.Time.UTC().Truncate(time.Second)
		if err := enc.Encode(r); err != nil {
			return nil, fmt.Errorf("telemetry: record of rule %q cannot be written: %w", r.RuleID, err)
		}
		lines[i] = b.Bytes()
	}
	return lines, nil
}

// appendLines writes lines at the end of f and returns the size it then has. If
// a line before was torn (a full disk, a killed process), the first line gets a
// line end in front, so that it does not become part of the torn one.
func appendLines(f *os.File, lines [][]byte) (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, fmt.Errorf("telemetry: %w", err)
	}
	size := info.Size()
	if last := make([]byte, 1); size > 0 {
		if _, err := f.ReadAt(last, size-1); err == nil && last[0] != '\n' {
			lines[0] = append([]byte{'\n'}, lines[0]...)
		}
	}
	for _, line := range lines {
		n, err := f.Write(line)
		size += int64(n)
		if err != nil {
			return size, fmt.Errorf("telemetry: %w", err)
		}
	}
	return size, nil
}

// prepareFolder creates the log's folder, and checks that it is where it has to be.
func (l *Log) prepareFolder() error {
	dir := filepath.Dir(l.path)
	if l.within == "" {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return fmt.Errorf("telemetry: the log's folder cannot be created: %w", err)
		}
		return nil
	}
	// The links of what exists are resolved before anything is created.
	if err := l.contained(existing(dir)); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("telemetry: the log's folder cannot be created: %w", err)
	}
	return l.contained(dir)
}

// existing returns the longest part of dir that exists.
func existing(dir string) string {
	for {
		_, err := os.Lstat(dir)
		parent := filepath.Dir(dir)
		if !errors.Is(err, fs.ErrNotExist) || parent == dir {
			return dir
		}
		dir = parent
	}
}

func (l *Log) contained(dir string) error {
	root, err := filepath.EvalSymlinks(l.within)
	if err == nil {
		root, err = filepath.Abs(root)
	}
	if err != nil {
		return fmt.Errorf("telemetry: the project folder cannot be resolved: %w", err)
	}
	if dir, err = filepath.EvalSymlinks(dir); err == nil {
		dir, err = filepath.Abs(dir)
	}
	if err != nil {
		return fmt.Errorf("telemetry: the log's folder cannot be resolved: %w", err)
	}
	if !safefile.Within(dir, root) {
		return fmt.Errorf("telemetry: the log %s lies outside %s; set log_file to a path inside the project", l.path, l.within)
	}
	return nil
}

// Waiting for the lock: the first tries come at once, since a holder needs
// microseconds; a holder that was stopped must not stop the hook.
const (
	lockTries = 20
	lockPause = time.Millisecond
	lockWait  = time.Second
)

// acquire opens the file and locks it. The lock is on the file itself, so it
// ends with the process that holds it and leaves no file. If the file was
// renamed by another process between the opening and the locking, the one that
// is at the path now is opened instead.
func (l *Log) acquire() (f *os.File, locked bool, err error) {
	deadline := time.Now().Add(l.wait)
	for try := 0; ; try++ {
		if f, err = openLog(l.path); err != nil {
			return nil, false, err
		}
		switch err := filelock.Try(f); {
		case err == nil && current(f, l.path):
			return f, true, nil
		case err != nil && !errors.Is(err, filelock.ErrHeld): // a file system that has no locks
			return f, false, nil
		case time.Now().After(deadline):
			return f, false, nil
		}
		_ = f.Close() // nothing was written to it
		if try >= lockTries {
			time.Sleep(lockPause)
		}
	}
}

// current reports whether f is the file at path.
func current(f *os.File, path string) bool {
	opened, err := f.Stat()
	if err != nil {
		return false
	}
	named, err := os.Lstat(path)
	return err == nil && os.SameFile(opened, named)
}

// openLog opens path for appending, creates it if it is missing, and refuses
// everything that is not a regular file.
func openLog(path string) (*os.File, error) {
	f, _, err := safefile.OpenAppend(path, 0o600)
	if err != nil {
		if info, statErr := os.Lstat(path); statErr == nil && !info.Mode().IsRegular() {
			return nil, notRegular(path, info)
		}
		return nil, fmt.Errorf("telemetry: the log cannot be opened: %w", err)
	}
	return f, nil
}

func notRegular(path string, info fs.FileInfo) error {
	what := "a device"
	switch m := info.Mode(); {
	case m&fs.ModeSymlink != 0:
		what = "a symbolic link"
	case m&fs.ModeNamedPipe != 0:
		what = "a named pipe"
	case m.IsDir():
		what = "a folder"
	}
	return fmt.Errorf("telemetry: %s is %s, not a regular file; remove it or choose another path", path, what)
}
