package telemetry

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/agentsentinel/sentinel/internal/safefile"
)

// maxIgnore bounds the .gitignore that is read.
const maxIgnore = 1 << 20

// Ignore makes git ignore the log at logPath and its rotated files, and nothing
// else: the log's folder also has the configuration and the rules, which are
// committed. It adds missing patterns to the .gitignore in that folder, and creates
// the file if needed. A second call changes nothing. The folder must exist.
func Ignore(logPath string) error {
	name := filepath.Base(logPath)
	if strings.ContainsFunc(name, unicode.IsControl) {
		return fmt.Errorf("telemetry: %q cannot be named in a .gitignore; choose another name for the log", name)
	}
	path := filepath.Join(filepath.Dir(logPath), ".gitignore")
	old, err := readIgnore(path)
	if err != nil {
		return err
	}
	missing := missingPatterns(old, ignorePatterns(name))
	if len(missing) == 0 {
		return nil
	}
	eol := "\n"
	if bytes.Contains(old, []byte("\r\n")) {
		eol = "\r\n"
	}
	add := strings.Join(missing, eol) + eol
	if len(old) > 0 && old[len(old)-1] != '\n' {
		add = eol + add
	}
	f, _, err := safefile.OpenAppend(path, 0o644)
	if err != nil {
		return fmt.Errorf("telemetry: %w", err)
	}
	_, err = f.WriteString(add)
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("telemetry: %w", err)
	}
	return nil
}

// readIgnore returns the content of the file at path, nil if it is missing.
func readIgnore(path string) ([]byte, error) {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("telemetry: %w", err)
	case !info.Mode().IsRegular():
		return nil, notRegular(path, info)
	case info.Size() > maxIgnore:
		return nil, fmt.Errorf("telemetry: %s is larger than 1 MB; add the log's name to it by hand", path)
	}
	content, err := safefile.ReadNoFollow(path, maxIgnore)
	if err != nil {
		return nil, fmt.Errorf("telemetry: %s: %w", path, err)
	}
	return content, nil
}

// ignorePatterns returns the patterns of a log's files in the folder of the
// .gitignore. Characters of the name that git reads as wildcards are escaped.
func ignorePatterns(name string) []string {
	var b strings.Builder
	for i := range len(name) {
		if strings.IndexByte(`*?[]\`, name[i]) >= 0 || name[i] == ' ' && i == len(name)-1 {
			b.WriteByte('\\')
		}
		b.WriteByte(name[i])
	}
	return []string{"/" + b.String(), "/" + b.String() + ".[0-9]*"}
}

// missingPatterns returns the patterns that no line of content equals.
func missingPatterns(content []byte, patterns []string) []string {
	have := make(map[string]bool)
	for line := range strings.Lines(string(content)) {
		have[strings.TrimRight(line, "\r\n")] = true
	}
	var missing []string
	for _, p := range patterns {
		if !have[p] {
			missing = append(missing, p)
		}
	}
	return missing
}
