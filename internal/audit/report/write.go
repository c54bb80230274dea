package report

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/audit"
)

// Formats of [Write] and [Render].
const (
	FormatMarkdown = "md"
	FormatJSON     = "json"
	FormatSARIF    = "sarif"
	FormatHTML     = "html"
)

// Formats lists the formats of [Write] and [Render].
func Formats() []string { return []string{FormatMarkdown, FormatJSON, FormatSARIF, FormatHTML} }

// maxSame bounds the reports of one subject, commit and second in one folder.
const maxSame = 10_000

// Write writes the report into dir, which it makes if need be, in each of the
// formats (none means all), and returns the paths of the files in the order of
// formats. Files are named by the subject, the short commit and the time of the
// audit in UTC; no file is ever overwritten: a name that is taken, in any of the
// formats, gets a number. When a file cannot be written, those before it are
// removed.
func Write(dir string, r *audit.Record, formats []string) (paths []string, err error) {
	if len(formats) == 0 {
		formats = Formats()
	}
	return write(dir, stem(r), formats, func(w io.Writer, format string) error { return Render(w, format, r) })
}

// WriteChange is [Write] of a comparison: as JSON, and as SARIF with the new findings of
// after alone. There are no other formats.
func WriteChange(dir string, c *Comparison, after *audit.Record, formats []string) (paths []string, err error) {
	return write(dir, stem(after)+"-diff", formats, func(w io.Writer, format string) error {
		switch format {
		case FormatJSON:
			return c.JSON(w)
		case FormatSARIF:
			return c.SARIF(w, after)
		}
		return fmt.Errorf("report: a comparison is not written as %s: there are %s and %s", format, FormatJSON, FormatSARIF)
	})
}

func write(dir, stem string, formats []string, render func(w io.Writer, format string) error) (paths []string, err error) {
	formats = distinct(formats)
	texts := make([][]byte, len(formats))
	for i, format := range formats {
		var b bytes.Buffer
		if err := render(&b, format); err != nil {
			return nil, err
		}
		texts[i] = b.Bytes()
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	stem = filepath.Join(dir, stem)
	for n := 1; n <= maxSame; n++ {
		numbered := stem
		if n > 1 {
			numbered = fmt.Sprintf("%s-%d", stem, n)
		}
		paths, err = create(numbered, formats, texts)
		if !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	if err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	return paths, nil
}

func distinct(formats []string) []string {
	var all []string
	for _, format := range formats {
		if !slices.Contains(all, format) {
			all = append(all, format)
		}
	}
	return all
}

// Render writes the report in one of the formats.
func Render(w io.Writer, format string, r *audit.Record) error {
	write := map[string]func(io.Writer, *audit.Record) error{FormatMarkdown: Markdown, FormatJSON: JSON, FormatSARIF: SARIF, FormatHTML: HTML}[format]
	if write == nil {
		return fmt.Errorf("report: unknown format %q: there are %s", format, strings.Join(Formats(), ", "))
	}
	return write(w, r)
}

// create writes one file for each format, all of them new, or none.
func create(stem string, formats []string, texts [][]byte) (paths []string, err error) {
	defer func() {
		if err != nil {
			for _, path := range paths {
				err = errors.Join(err, os.Remove(path))
			}
		}
	}()
	for i, format := range formats {
		path := stem + "." + format
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if err != nil {
			return paths, err
		}
		paths = append(paths, path)
		_, err = f.Write(texts[i])
		if err := errors.Join(err, f.Close()); err != nil {
			return paths, err
		}
	}
	return paths, nil
}

// stem is the name of the report's files without their ending.
func stem(r *audit.Record) string {
	parts := []string{"audit", plainName(r.Subject.Name)}
	if r.Subject.Commit != "" {
		parts = append(parts, plainName(r.Subject.Commit[:min(12, len(r.Subject.Commit))]))
	}
	parts = append(parts, r.Started.UTC().Format("20060102T150405Z"))
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "-")
}

// plainName keeps what every file system and shell takes as it is. A name is
// hostile: it may be a path, or hold anything.
func plainName(s string) string {
	const most = 60
	s = strings.Map(func(c rune) rune {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '_', c == '.':
			return c
		}
		return '-'
	}, s)
	return strings.Trim(s[:min(most, len(s))], "-.")
}
