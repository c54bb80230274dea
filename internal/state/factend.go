package state

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/agentsentinel/sentinel/internal/facts"
	"github.com/agentsentinel/sentinel/internal/safefile"
)

// Of a chain the last lines can be taken away unseen. So the seal of the last line is kept in a sealed
// file in another folder: where no line has that seal, lines were cut off. The file is written after the
// lines and read before them: it is behind them when a process dies, or another one writes at the same
// time, and never ahead. Old files that are put back together are not seen.

const (
	factCut  facts.Kind = 'k' // lines before this one were cut off
	factKept facts.Kind = 'm' // from here on the end of the file is kept

	factEndKind = "facts end 1"
	// maxReads is how often lines are read again that do not have the end: a file may be put aside meanwhile.
	maxReads = 3
)

// A factEnding is how the file of a tree ended when it was written last.
type factEnding struct {
	seal  []byte // of its last line; nil where it had none
	at    time.Time
	found bool // there is such a file
	bad   bool // it is damaged
}

// ends is where it is kept how the file at a path ends.
func ends(path string) string {
	return filepath.Join(filepath.Dir(filepath.Dir(path)), "ends", filepath.Base(path))
}

func readEnding(key []byte, path string) (e factEnding) {
	data, err := NewSealed(key, factEndKind).Read(ends(path))
	if errors.Is(err, fs.ErrNotExist) {
		return e
	}
	at, seal, ok := bytes.Cut(data, []byte(" "))
	micro, bad := strconv.ParseInt(string(at), 10, 64)
	if e.found, e.bad = true, err != nil || !ok || bad != nil; !e.bad {
		e.seal, e.at = bytes.Clone(bytes.TrimRight(seal, " ")), time.UnixMicro(micro)
	}
	return e
}

// writeEnding writes over what is there: to make a file for each call and to rename it takes longer than
// all else that is kept of the call. A process that reads in between reads again.
func writeEnding(key []byte, path string, seal []byte, at time.Time) error {
	name := ends(path)
	data := NewSealed(key, factEndKind).Seal(filepath.Base(name), fmt.Appendf(nil, "%016d %-*s", at.UnixMicro(), 2*traceSum, seal))
	file, info, err := safefile.OpenNoFollow(name, os.O_WRONLY, 0)
	if err != nil {
		return Write(name, data)
	}
	defer file.Close()
	if info.Size() != int64(len(data)) {
		return Write(name, data)
	}
	_, err = file.WriteAt(data, 0)
	return err
}

// in reports whether lines have the end.
func (e *factEnding) in(lines []byte) bool {
	return e.found && !e.bad && (len(e.seal) == 0 || bytes.Contains(lines, append([]byte(" "+string(e.seal)), '\n')))
}

// cut reports whether lines behind those of a reader are missing. An end that is older than all of
// them was forgotten with its line.
func (e *factEnding) cut(r *factReader) bool {
	if !e.found {
		return r.kept > 0
	}
	if e.bad {
		return true
	}
	if len(e.seal) == 0 {
		return false
	}
	for i := range r.seals {
		if bytes.Equal(r.seals[i], e.seal) {
			return false
		}
	}
	for i, line := range r.all {
		if len(line) > factFlags && r.verified(line, i+1) {
			return !timeOf(line).After(e.at)
		}
	}
	return true
}

// ending is how a tree's file ended, and whether lines were cut off since.
func (f *Facts) ending(tree string) (e factEnding, cut bool, err error) {
	e = readEnding(f.key(), f.path(tree))
	if e.in(tailOf(f.path(tree))) {
		return e, false, nil // as usual
	}
	r, err := f.reader(tree, "")
	return e, err == nil && r.cut, err
}

// reader has taken the lines of a tree. They are read again where the file was put aside meanwhile.
func (f *Facts) reader(tree, session string) (r *factReader, err error) {
	key := f.key()
	if len(key) == 0 {
		return nil, ErrNoKey
	}
	older := f.path(tree) + olderFile
	for range maxReads {
		before, _ := os.Lstat(older)
		end := readEnding(key, f.path(tree))
		if r, err = f.readLines(key, tree, session); err != nil {
			return nil, err
		}
		after, _ := os.Lstat(older)
		if r.cut = end.cut(r); !r.cut && (before == nil) == (after == nil) && (before == nil || os.SameFile(before, after)) {
			break
		}
	}
	return r, nil
}

// pruneFacts removes old files, each with what is kept of its end.
func (f *Facts) pruneFacts() {
	before := list(f.dir, isFileName)
	prune(f.dir, isTraceName, factsAge, maxTraces)
	for _, one := range before {
		if path := filepath.Join(f.dir, one.name); !safefile.Exists(path) && !safefile.Exists(path+olderFile) {
			os.Remove(ends(path))
		}
	}
}

// tailOf is the end of the file at a path.
func tailOf(path string) []byte {
	file, info, err := safefile.OpenNoFollow(path, os.O_RDONLY, 0)
	if err != nil {
		return nil
	}
	defer file.Close()
	return tail(file, info.Size())
}

// tail is the end of a file of a size.
func tail(file *os.File, size int64) []byte {
	end := make([]byte, min(size, maxTail))
	n, _ := file.ReadAt(end, size-int64(len(end)))
	return end[:n]
}
