package scribe

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/scope"
)

// Limits of the documents of a repository. Documents beyond them are named in the log
// and in [ErrTooMany].
const (
	maxDocuments     = 2000
	maxWalked        = 1_000_000 // files and folders that are looked at
	maxWalkDepth     = 32
	maxDocumentBytes = 1 << 20
)

// documents lists the files below the root that a glob matches, in the order of
// their names, from the root with slashes. Links to folders are not followed, and
// neither are folders of version control and of dependencies.
func (o *Options) documents() (names []string, cut bool, err error) {
	for _, g := range o.DocGlobs {
		if err := scope.CheckPath(g); err != nil {
			return nil, false, fmt.Errorf("scribe: `scribe.doc_globs`: %w", err)
		}
	}
	globs := scope.NewPaths(o.DocGlobs, false)
	walked := 0
	err = filepath.WalkDir(o.Root, func(full string, e fs.DirEntry, err error) error {
		rel, relErr := filepath.Rel(o.Root, full)
		if relErr != nil || rel == "." {
			return err
		}
		if err != nil {
			o.Logger.Info("scribe: a folder cannot be read", "folder", rel, "error", err)
			return nil // the others can
		}
		name := filepath.ToSlash(rel)
		if walked++; walked > maxWalked || len(names) == maxDocuments {
			cut = true
			return fs.SkipAll
		}
		if e.IsDir() {
			if skippedFolder(e.Name()) || strings.Count(name, "/") >= maxWalkDepth {
				return fs.SkipDir
			}
			return nil
		}
		if _, ok := globs.Match(name); ok && o.readable(full, e) {
			names = append(names, name)
		}
		return nil
	})
	if err != nil {
		return nil, false, fmt.Errorf("scribe: %w", err)
	}
	slices.Sort(names)
	return names, cut, nil
}

// readable reports whether a file is regular, or a link to a regular file in the
// project: CLAUDE.md is often a link to AGENTS.md.
func (o *Options) readable(full string, e fs.DirEntry) bool {
	if e.Type().IsRegular() {
		return true
	}
	if e.Type()&fs.ModeSymlink == 0 || contained(full, o.Root) != nil {
		return false
	}
	info, err := os.Stat(full)
	return err == nil && info.Mode().IsRegular()
}

// skippedFolder reports whether folders of a name have no documents of the repository.
func skippedFolder(name string) bool {
	switch name {
	case ".git", ".hg", ".svn", ".jj", "node_modules", "vendor", ".venv", "venv", "__pycache__", "target", "dist", ".sentinel":
		return true
	}
	return false
}

// readDocument returns the text of a document.
func (o *Options) readDocument(name string) (string, error) {
	full := filepath.Join(o.Root, filepath.FromSlash(name))
	real, err := filepath.EvalSymlinks(full)
	if err != nil {
		return "", err
	}
	if err := contained(full, o.Root); err != nil {
		return "", err
	}
	data, err := readRegular(real, maxDocumentBytes)
	return strings.ToValidUTF8(string(data), "\uFFFD"), err
}

// sections cuts a document into parts of at most max characters: at its headings,
// a part that is still too large at empty lines, then at line ends, then anywhere.
// Short neighbours are joined. A part that does not begin with its heading gets the
// headings above it.
func sections(document string, max int) []string {
	c := cutter{max: max}
	var above []string // the headings above the text
	for _, block := range headed(document) {
		outer := above
		if block.heading != "" {
			outer = above[:min(len(above), block.level-1)]
			above = append(outer[:len(outer):len(outer)], block.heading)
		}
		for i, piece := range pieces(block.text, max) {
			if i == 0 {
				c.add(piece, outer) // it has its own heading
			} else {
				c.add(piece, above)
			}
		}
	}
	c.end()
	return c.parts
}

// A cutter joins texts to parts of at most max characters.
type cutter struct {
	max   int
	parts []string
	part  strings.Builder
	size  int
}

// add adds a text with the headings above it.
func (c *cutter) add(text string, above []string) {
	n := utf8.RuneCountInString(text)
	if c.size > 0 && c.size+n > c.max {
		c.end()
	}
	if c.size == 0 && len(above) > 0 {
		if under := strings.Join(above, "\n") + "\n"; utf8.RuneCountInString(under)+n <= c.max {
			c.part.WriteString(under)
			c.size = utf8.RuneCountInString(under)
		}
	}
	c.part.WriteString(text)
	c.size += n
}

// end ends the current part.
func (c *cutter) end() {
	if text := strings.TrimSpace(c.part.String()); text != "" {
		c.parts = append(c.parts, text)
	}
	c.part.Reset()
	c.size = 0
}

// A block is a heading with the text below it, up to the next one.
type block struct {
	heading string // its line; "" before the first
	level   int
	text    string // with the heading's line
}

// headed cuts a document before each heading. A line with # in a code block is not a
// heading.
func headed(document string) []block {
	var blocks []block
	current, from, at := block{}, 0, 0
	code := ""
	for line := range strings.Lines(document) {
		trimmed := strings.TrimSpace(line)
		switch {
		case code != "":
			if strings.HasPrefix(trimmed, code) {
				code = ""
			}
		case strings.HasPrefix(trimmed, "```"), strings.HasPrefix(trimmed, "~~~"):
			code = trimmed[:3]
		default:
			if level := headingLevel(line); level > 0 {
				current.text = document[from:at]
				blocks = append(blocks, current)
				current, from = block{heading: text.Cut(trimmed, maxHeading), level: level}, at
			}
		}
		at += len(line)
	}
	current.text = document[from:]
	return append(blocks, current)
}

// maxHeading bounds a heading that is repeated, in characters.
const maxHeading = 120

// headingLevel is 1 to 6 for a line that is a heading, else 0.
func headingLevel(line string) int {
	n := len(line) - len(strings.TrimLeft(line, "#"))
	if n == 0 || n > 6 || line[n:] == "" || line[n] != ' ' || strings.TrimSpace(line[n:]) == "" {
		return 0
	}
	return n
}

// pieces cuts a text into parts of at most max characters, as few as possible:
// behind empty lines, else behind lines, else behind words, else anywhere.
func pieces(text string, max int) []string {
	var list []string
	from, at, size := 0, 0, 0
	for _, u := range units(nil, text, max, "\n\n", "\n", " ") {
		n := utf8.RuneCountInString(u)
		if size > 0 && size+n > max {
			list, from, size = append(list, text[from:at]), at, 0
		}
		at += len(u)
		size += n
	}
	return append(list, text[from:])
}

// units adds the units of a text to list: parts of at most max characters that stay
// whole, each with its separator at the end.
func units(list []string, text string, max int, separators ...string) []string {
	if utf8.RuneCountInString(text) <= max {
		return append(list, text)
	}
	if len(separators) == 0 {
		runes := []rune(text)
		for len(runes) > max {
			list, runes = append(list, string(runes[:max])), runes[max:]
		}
		return append(list, string(runes))
	}
	for part := range strings.SplitAfterSeq(text, separators[0]) {
		list = units(list, part, max, separators[1:]...)
	}
	return list
}

// documentName is the name of a document for a message.
func documentName(name string) string { return sentence(path.Clean(name), maxHint) }
