package project

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/rule"
)

// Limits of what a folder may hold. They are far above what a person writes, and
// keep a hostile repository from stalling the hook.
const (
	maxRuleFiles = 20_000
	maxDepth     = 16
	maxFileBytes = 1 << 20
)

// A source is one file of a folder: a rule file or the configuration.
type source struct {
	name  string // below the rules folder, with slashes
	path  string // absolute
	stamp stamp
	err   error // why it cannot be read at all
}

// listRules finds the rule files below dir, in the order of their names. What
// has the name of a rule file and is none (a folder, a FIFO) is listed with an
// error, so that it is not overlooked.
func listRules(dir, root string, followOut bool) ([]source, error) {
	l := lister{root: resolve(root), followOut: followOut}
	err := l.walk(dir, "", 0)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil // a folder without rules has none
	}
	slices.SortFunc(l.found, func(a, b source) int { return strings.Compare(a.name, b.name) })
	return l.found, err
}

type lister struct {
	root      string // resolved; a link must not lead out of it
	followOut bool
	found     []source
}

func (l *lister) walk(dir, name string, depth int) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		full, sub := filepath.Join(dir, e.Name()), path.Join(name, e.Name())
		switch {
		case len(l.found) >= maxRuleFiles:
			return fmt.Errorf("more than %d rule files in %s", maxRuleFiles, dir)
		case e.IsDir() && !rule.IsRuleFile(e.Name()):
			if depth >= maxDepth {
				return fmt.Errorf("folders are nested deeper than %d in %s", maxDepth, dir)
			}
			if err := l.walk(full, sub, depth+1); err != nil {
				l.found = append(l.found, source{name: sub, path: full, err: err})
			}
		case rule.IsRuleFile(e.Name()):
			s := source{name: sub, path: full}
			if info, err := e.Info(); err != nil {
				s.err = err
			} else {
				s.stamp, s.err = l.look(full, info)
			}
			l.found = append(l.found, s)
		}
	}
	return nil
}

// look stamps one file, of which info is what Lstat tells, and says why it
// cannot be used.
func (l *lister) look(full string, info fs.FileInfo) (stamp, error) {
	if info.Mode()&fs.ModeSymlink != 0 {
		target, err := os.Stat(full)
		if err != nil {
			return stamp{}, fmt.Errorf("the link leads nowhere: %w", err)
		}
		info = target
		if real := resolve(full); !l.followOut && !within(real, l.root) {
			return newStamp(info), fmt.Errorf("the link leads out of the project, to %s; copy the file here", real)
		}
	}
	switch {
	case info.IsDir():
		return newStamp(info), errors.New("is a folder; rename it or put a file in its place")
	case !info.Mode().IsRegular():
		return newStamp(info), errors.New("is not a regular file; remove it")
	}
	return newStamp(info), nil
}

// read returns what a file says. It never waits for a FIFO and never reads more
// than a rule can be.
func (s source) read() ([]byte, error) {
	if s.err != nil {
		return nil, s.err
	}
	return readRegular(s.path, maxFileBytes)
}

func readRegular(path string, limit int64) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|nonBlock, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("is not a regular file")
	}
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > limit {
		return nil, fmt.Errorf("is larger than %d bytes", limit)
	}
	return data, nil
}

// configSource is the configuration of a folder; ok is false when there is none.
func configSource(p place) (s source, ok bool) {
	s = source{name: configFile, path: filepath.Join(p.dir, configFile)}
	info, err := os.Lstat(s.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return s, false
	case err != nil:
		s.err = err
	default:
		l := lister{root: resolve(p.root), followOut: p.user}
		s.stamp, s.err = l.look(s.path, info)
	}
	return s, true
}
