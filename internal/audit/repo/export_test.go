package repo

import (
	"context"
	"errors"
	"fmt"
)

// errNoFile says that the commit has no such file.
var errNoFile = errors.New("no such file in the commit")

// Files returns the entries of the commit's tree.
func (r *Repository) Files() []File { return r.files }

// Read returns the content of a file at the commit.
func (r *Repository) Read(ctx context.Context, path string) ([]byte, error) {
	i, ok := r.find(path)
	if !ok {
		return nil, fmt.Errorf("repo: %s: %w", path, errNoFile)
	}
	return r.read(ctx, &r.files[i])
}
