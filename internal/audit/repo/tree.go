package repo

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/agentsentinel/sentinel/internal/subprocess"
	"github.com/agentsentinel/sentinel/internal/text"
)

// The modes of a tree's entries that are not files.
const (
	modeLink      = 0o120000
	modeSubmodule = 0o160000
)

// File is an entry of the commit's tree.
type File struct {
	Path string // from the root, with slashes; hostile text, and not always UTF-8
	Mode uint32 // as git has it: 0o100644, 0o100755, 0o120000 (link), 0o160000 (submodule)
	Hash string
	Size int64 // bytes; -1 when it is not known: a submodule, or a file that is too large and was not fetched
}

// Regular reports whether it is a file, not a link or a submodule.
func (f *File) Regular() bool { return f.Mode&0o170000 == 0o100000 }

// readTree lists the commit's tree. More files than are taken are an error: what
// was left out would be missing from every fact.
func (c *cloning) readTree(r *Repository) error {
	out, err := c.short("ls-tree", "-r", "-z", "-l", "--full-tree", r.subject.Commit)
	if errors.Is(err, subprocess.ErrFlood) {
		return c.tooManyFiles()
	}
	if err != nil {
		return err
	}
	if bytes.Count(out, []byte{0}) > c.options.MaxFiles {
		return c.tooManyFiles()
	}
	r.files, err = parseTree(out)
	return err
}

func (c *cloning) tooManyFiles() error {
	return &CloneError{Reason: ReasonSize, Hint: "raise the limit if it is meant", Err: fmt.Errorf("it has more than %d files", c.options.MaxFiles)}
}

// parseTree reads the output of git ls-tree -r -z -l.
func parseTree(out []byte) ([]File, error) {
	var files []File
	for entry := range bytes.SplitSeq(out, []byte{0}) {
		if len(entry) == 0 {
			continue
		}
		f, ok := parseEntry(string(entry))
		if !ok {
			return nil, fmt.Errorf("git ls-tree: a line that is not understood: %s", text.Name(text.CutBytes(string(entry), 100)))
		}
		files = append(files, f)
	}
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return files, nil
}

// parseEntry reads "100644 blob HASH    SIZE\tPATH". The size is - for a submodule
// and BAD for an object that is not there.
func parseEntry(s string) (f File, ok bool) {
	head, path, ok := strings.Cut(s, "\t")
	fields := strings.Fields(head)
	if !ok || path == "" || len(fields) != 4 {
		return f, false
	}
	mode, err := strconv.ParseUint(fields[0], 8, 32)
	if err != nil {
		return f, false
	}
	f = File{Path: path, Mode: uint32(mode), Hash: fields[2], Size: -1}
	if size, err := strconv.ParseInt(fields[3], 10, 64); err == nil && size >= 0 {
		f.Size = size
	}
	return f, true
}
