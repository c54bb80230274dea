package telemetry

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/agentsentinel/sentinel/internal/safefile"
)

// Check says why records could not be written, nil if they could. It writes no
// record and makes no log: it writes and removes a temporary file in the log's folder.
func (l *Log) Check() error {
	dir := existing(filepath.Dir(l.path))
	if l.within != "" {
		if err := l.contained(dir); err != nil {
			return err
		}
	}
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return fmt.Errorf("telemetry: the log's folder cannot be created: %s is not a folder", dir)
	}
	if info, err := os.Lstat(l.path); err == nil {
		if !info.Mode().IsRegular() {
			return notRegular(l.path, info)
		}
		f, _, err := safefile.OpenAppend(l.path, 0o600)
		if err != nil {
			return fmt.Errorf("telemetry: the log cannot be opened: %w", err)
		}
		_ = f.Close() // nothing was written to it
	}
	if err := tryFolder(dir); err != nil {
		return fmt.Errorf("telemetry: the log's folder cannot be written, so the log can be neither made nor rotated: %w", err)
	}
	return nil
}

// tryFolder writes as much into a folder as the records of some calls need.
func tryFolder(dir string) error {
	f, err := os.CreateTemp(dir, ".sentinel-log-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(make([]byte, 4096))
	return errors.Join(err, f.Close())
}

// MaxBytes is the size from which the log is rotated; less than 1 means never.
func (l *Log) MaxBytes() int64 { return l.max }
