// Package change reads what git says has changed, as the file actions that a
// rule judges: for a commit hook, for CI, and for people without an agent.
package change

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/bluekeyes/go-gitdiff/gitdiff"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/gitread"
	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/internal/subprocess"
)

// A File is one changed file.
type File struct {
	Path string // from the root of the repository, with slashes

	// Action is a FileWrite with an absolute Path. Of a new file it holds the
	// whole content, and in Old that of the file that git takes it for by another name;
	// of one that was edited the lines that are new, and in Old those that are gone, as
	// of an agent's edit; of one that is binary neither.
	Action sentinel.Action

	// First and Last are the lines from the first to the last change, in the new
	// file, from 1. 0 means the whole file.
	First, Last int
	// Lines are the numbers in the new file of the lines of Action.Content.
	Lines []int
}

// A Set is a change of several files.
type Set struct {
	Root  string // absolute folder of the repository
	Files []File
}

// Limits of one change. A larger one cannot be reviewed.
const (
	maxDiff  = 64 << 20 // bytes of git's output
	gitTime  = time.Minute
	maxError = 300 // bytes of git's messages
)

// Staged returns what is staged for the next commit in the repository around dir.
func Staged(ctx context.Context, dir string) (Set, error) {
	return read(ctx, dir, "--cached")
}

// Since returns what the working tree around dir changes since a revision, or the change of
// a range such as main...topic. Files that git does not track are not part of it.
func Since(ctx context.Context, dir, rev string) (Set, error) {
	if rev == "" {
		return Set{}, errors.New("change: no revision")
	}
	return read(ctx, dir, "--end-of-options", rev)
}

// maxFile bounds a file that is read from disk, in bytes: as much as a hook takes.
const maxFile = 256 << 20

// Whole returns files as they are on disk, as if each were newly written. Names are
// relative to dir or absolute. Anything but a regular file is an error.
func Whole(dir string, names []string) (Set, error) {
	set := Set{Root: dir}
	for _, name := range names {
		path := name
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		info, err := os.Stat(path)
		switch {
		case err != nil:
			return Set{}, fmt.Errorf("change: %w", err)
		case info.IsDir():
			return Set{}, fmt.Errorf("change: %s is a folder; name files, as in `git ls-files -z %s | xargs -0 sentinel check`", name, name)
		}
		data, err := safefile.Read(path, maxFile)
		if err != nil {
			return Set{}, fmt.Errorf("change: %s: %w", name, err)
		}
		set.Files = append(set.Files, wholeFile(name, path, string(data)))
	}
	return set, nil
}

func wholeFile(name, path, content string) File {
	f := File{Path: filepath.ToSlash(name)}
	f.Action = sentinel.Action{Trigger: sentinel.FileWrite, Op: sentinel.OpCreate, Path: path}
	if strings.Contains(content, "\x00") { // binary, as git tells it
		return f
	}
	f.Action.Content = content
	for range strings.Lines(content) {
		f.Lines = append(f.Lines, len(f.Lines)+1)
	}
	f.First, f.Last = min(1, len(f.Lines)), len(f.Lines)
	return f
}

// read asks git for the difference that args name. Nothing that a repository's
// attributes or configuration name as a program runs.
func read(ctx context.Context, dir string, args ...string) (Set, error) {
	top, err := git(ctx, dir, "rev-parse", "--show-toplevel")
	if err != nil {
		return Set{}, err
	}
	set := Set{Root: filepath.FromSlash(strings.TrimRight(string(top), "\r\n"))}
	// A renamed file is removed there and new here, so that rules see all of it
	// at its new place.
	out, err := git(ctx, dir, append([]string{
		"diff", "--no-renames", "--unified=0", "--no-color", "--no-ext-diff", "--no-textconv",
		"--no-relative", "--submodule=short", "--src-prefix=a/", "--dst-prefix=b/",
	}, append(args, "--")...)...)
	if err != nil {
		return Set{}, err
	}
	var removed map[string]string
	if set.Files, removed, err = parse(set.Root, bytes.NewReader(out)); err != nil || len(removed) == 0 {
		return set, err
	}
	names, err := git(ctx, dir, append([]string{"diff", "--find-renames", "--diff-filter=R", "--name-status", "-z", "--no-ext-diff", "--no-relative"},
		append(args, "--")...)...)
	if err != nil {
		return Set{}, err
	}
	set.addRenames(string(names), removed)
	return set, nil
}

// addRenames gives files that have another name than before what they held: a rule about what
// is added has to see that it was there. names are what git writes of each such file: a letter
// with the likeness, the old name and the new one.
func (s *Set) addRenames(names string, removed map[string]string) {
	before := map[string]string{}
	for fields := strings.Split(names, "\x00"); len(fields) >= 3; fields = fields[3:] {
		before[fields[2]] = removed[fields[1]]
	}
	for i := range s.Files {
		if a := &s.Files[i].Action; a.Op == sentinel.OpCreate {
			a.Old = before[s.Files[i].Path]
		}
	}
}

func git(ctx context.Context, dir string, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, gitTime)
	defer cancel()
	out, err := subprocess.Run(ctx, subprocess.Program{
		Argv:      append(append(gitread.Command(), "-C", dir), args...),
		MaxStdout: maxDiff, MaxStderr: maxError,
	})
	line, _, _ := strings.Cut(strings.TrimSpace(string(out.Stderr)), "\n")
	switch {
	case errors.Is(err, subprocess.ErrFlood):
		return nil, fmt.Errorf("change: the change is larger than %d bytes", maxDiff)
	case err != nil:
		return nil, fmt.Errorf("change: git %s: %w", args[0], err)
	case out.Exit != 0 && line != "":
		return nil, fmt.Errorf("change: git %s: %s", args[0], line)
	case out.Exit != 0:
		return nil, fmt.Errorf("change: git %s: exit status %d", args[0], out.Exit)
	}
	return out.Stdout, nil
}

// parse reads the output of git diff. removed are what the files held that are gone.
func parse(root string, diff io.Reader) (files []File, removed map[string]string, err error) {
	parsed, _, err := gitdiff.Parse(diff)
	if err != nil {
		return nil, nil, fmt.Errorf("change: reading git's diff: %w", err)
	}
	files, removed = make([]File, 0, len(parsed)), map[string]string{}
	for _, p := range parsed {
		files = append(files, newFile(root, p))
		if p.IsDelete {
			removed[p.OldName] = removedText(p)
		}
	}
	return files, removed, nil
}

func newFile(root string, p *gitdiff.File) File {
	f := File{Path: p.NewName}
	a := &f.Action
	a.Trigger, a.Op = sentinel.FileWrite, sentinel.OpEdit
	switch {
	case p.IsDelete:
		f.Path, a.Op = p.OldName, sentinel.OpDelete
	case p.IsNew:
		a.Op = sentinel.OpCreate
	}
	a.Path = filepath.Join(root, filepath.FromSlash(f.Path))
	if a.Op == sentinel.OpDelete {
		return f
	}
	var added strings.Builder
	for _, part := range p.TextFragments {
		f.cover(part)
		at := int(part.NewPosition)
		for _, line := range part.Lines {
			switch line.Op {
			case gitdiff.OpAdd:
				added.WriteString(line.Line)
				f.Lines = append(f.Lines, at)
				at++
			case gitdiff.OpContext:
				at++
			}
		}
	}
	a.Content, a.Old = added.String(), removedText(p)
	return f
}

// removedText are the lines of a file that are gone.
func removedText(p *gitdiff.File) string {
	var removed strings.Builder
	for _, part := range p.TextFragments {
		for _, line := range part.Lines {
			if line.Op == gitdiff.OpDelete {
				removed.WriteString(line.Line)
			}
		}
	}
	return removed.String()
}

// cover widens the lines of the file by those of one part of the change. Where
// lines are only removed that is the line before them.
func (f *File) cover(part *gitdiff.TextFragment) {
	first := max(int(part.NewPosition), 1)
	last := first + max(int(part.NewLines), 1) - 1
	if f.First == 0 || first < f.First {
		f.First = first
	}
	f.Last = max(f.Last, last)
}
