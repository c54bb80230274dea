package repo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
)

// dirty counts the files of the local folder that differ from the commit: changed,
// removed, and new ones that are not ignored.
//
// The folder's own configuration can name programs that git status runs: fsmonitor,
// and the clean filter of a file. So git is given the clone's configuration and an
// index of its own, and only looks at the files of the folder.
func (c *cloning) dirty(r *Repository) (int, error) {
	if !hasGit(c.address.folder) { // a bare repository
		return 0, nil
	}
	if blocksStatus(c.address.folder) {
		return 0, errors.New("changes that are not committed were not counted: a .gitignore or .gitattributes is a pipe or a device")
	}
	if r.subject.Commit != "" { // without a commit every file is new
		if _, err := c.short("read-tree", "HEAD"); err != nil {
			return 0, err
		}
	}
	ctx, cancel := within(c.ctx, c.options.LogTimeout)
	defer cancel()
	// autocrlf=input: text that has CRLF in the folder alone is not a change. An attribute
	// that names a filter names none that is configured.
	out, err := c.git.run(ctx, "none",
		"-c", "core.bare=false", "-c", "core.autocrlf=input", "-c", "core.safecrlf=false",
		"-c", "core.excludesFile="+filepath.Join(c.address.folder, ".git", "info", "exclude"),
		"--work-tree="+c.address.folder,
		"status", "--porcelain", "-z", "--no-renames", "--untracked-files=all", "--ignore-submodules=all")
	if err != nil {
		return 0, fmt.Errorf("changes that are not committed were not counted: %w", timedOut(ctx, err))
	}
	changed := slices.DeleteFunc(statusPaths(out), func(path string) bool { return r.isPointer(ctx, path) })
	return len(changed), nil
}

// statusPaths reads the output of git status --porcelain -z without renames.
func statusPaths(out []byte) []string {
	var paths []string
	for entry := range bytes.SplitSeq(out, []byte{0}) {
		if len(entry) > 3 {
			paths = append(paths, string(entry[3:]))
		}
	}
	return paths
}

// isPointer reports whether the commit has a Git LFS pointer there: the folder has
// the file itself, and whether that was changed cannot be seen.
func (r *Repository) isPointer(ctx context.Context, path string) bool {
	const longest = 1024 // by the specification of Git LFS
	i, ok := r.find(path)
	if !ok || r.files[i].Size > longest {
		return false
	}
	content, err := r.read(ctx, &r.files[i])
	return err == nil && bytes.HasPrefix(content, []byte("version https://git-lfs.github.com/spec/"))
}
