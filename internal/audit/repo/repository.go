package repo

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/audit/rubric"
	"github.com/agentsentinel/sentinel/internal/text"
)

// Why a file could not be read. Compare with errors.Is.
var (
	ErrNoFile       = errors.New("no such file in the commit")
	ErrNotRegular   = errors.New("not a regular file")
	ErrNotAvailable = errors.New("too large to be examined")
)

// Repository is a cloned repository at one commit. It is safe for concurrent use.
type Repository struct {
	subject  audit.Subject
	files    []File // sorted by path
	git      *git
	folder   string // the temporary folder that holds everything
	options  CloneOptions
	shallow  bool  // the history is cut
	dirtyErr error // why the changes that are not committed were not counted
	bytes    map[string]int64
	blobs    *blobs
	closing  sync.Once
	closeErr error
}

// start begins what lives as long as the repository.
func (r *Repository) start() { r.blobs = newBlobs(r.git) }

// Close removes the clone. It may be called more than once, and while others read:
// they get an error.
func (r *Repository) Close() error {
	r.closing.Do(func() {
		r.blobs.close()
		if err := os.RemoveAll(r.folder); err != nil {
			r.closeErr = fmt.Errorf("repo: the clone was not removed: %w", err)
		}
	})
	return r.closeErr
}

// Subject says what was cloned.
func (r *Repository) Subject() audit.Subject {
	s := r.subject
	s.Languages = slices.Clone(s.Languages)
	return s
}

// Paths returns the paths of the tree in order: of files, links and submodules,
// not of folders. The slice is the caller's.
func (r *Repository) Paths() []string {
	paths := make([]string, len(r.files))
	for i := range r.files {
		paths[i] = r.files[i].Path
	}
	return paths
}

// Has reports whether a path of the tree matches the pattern, as
// [rubric.CompilePatterns] takes it. A pattern that is wrong matches nothing.
func (r *Repository) Has(pattern string) bool {
	p, err := rubric.CompilePatterns([]string{pattern})
	return err == nil && slices.ContainsFunc(r.files, func(f File) bool { _, ok := p.Match(f.Path); return ok })
}

// Languages returns how many bytes of each language the tree has, without what is
// vendored or generated. The map is the caller's.
func (r *Repository) Languages() map[string]int64 { return maps.Clone(r.bytes) }

// Read returns the content of a file at the commit; the slice is the caller's. The
// error wraps [ErrNoFile], [ErrNotRegular], [ErrNotAvailable] or the context's.
func (r *Repository) Read(ctx context.Context, path string) ([]byte, error) {
	i, ok := r.find(path)
	if !ok {
		return nil, fmt.Errorf("repo: %s: %w", text.Name(path), ErrNoFile)
	}
	return r.read(ctx, &r.files[i])
}

func (r *Repository) find(path string) (int, bool) {
	return slices.BinarySearchFunc(r.files, path, func(f File, path string) int { return strings.Compare(f.Path, path) })
}

func (r *Repository) read(ctx context.Context, f *File) ([]byte, error) {
	var err error
	switch {
	case !f.Regular():
		err = ErrNotRegular
	case f.Size < 0 || f.Size > r.options.MaxBlob:
		err = ErrNotAvailable
	default:
		var content []byte
		if content, err = r.blobs.get(ctx, f.Hash, r.options.MaxBlob); err == nil {
			return content, nil
		}
	}
	return nil, fmt.Errorf("repo: %s: %w", text.Name(f.Path), err)
}
