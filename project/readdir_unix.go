//go:build linux || darwin

package project

import (
	"io/fs"
	"os"
	"runtime"
	"sync"

	"golang.org/x/sys/unix"
)

// statShare is how many files are worth a goroutine of their own.
const statShare = 128

// readDir lists a folder with the stamps of its files, in the order of the system.
// It asks the system relative to the open folder, and for many files at once: for
// a thousand rules, os.ReadDir and Lstat by path take several times as long, and
// this is paid with every tool call.
func readDir(dir string) ([]entry, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	names, err := f.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	entries := make([]entry, len(names))
	fd, share := int(f.Fd()), max(statShare, len(names)/min(4, runtime.GOMAXPROCS(0))+1)
	var wait sync.WaitGroup
	for start := share; start < len(names); start += share {
		end := min(start+share, len(names))
		wait.Go(func() { lookAll(fd, names[start:end], entries[start:end]) })
	}
	lookAll(fd, names[:min(share, len(names))], entries)
	wait.Wait()
	return entries, nil
}

// lookAll fills in what names are in the open folder fd.
func lookAll(fd int, names []string, entries []entry) {
	for i, name := range names {
		e := &entries[i]
		e.name = name
		var st unix.Stat_t
		if err := unix.Fstatat(fd, name, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
			e.err = &fs.PathError{Op: "lstat", Path: name, Err: err}
			continue
		}
		e.mode, e.stamp = fileMode(uint32(st.Mode)), statStamp(&st)
	}
}

// fileMode is the kind of file that a mode of the system means.
func fileMode(mode uint32) fs.FileMode {
	switch mode & unix.S_IFMT {
	case unix.S_IFREG:
		return 0
	case unix.S_IFDIR:
		return fs.ModeDir
	case unix.S_IFLNK:
		return fs.ModeSymlink
	}
	return fs.ModeIrregular
}

// statStamp is the stamp that newStamp makes of the same file.
func statStamp(st *unix.Stat_t) stamp {
	return stamp{size: st.Size, mtime: st.Mtim.Nano(), ctime: st.Ctim.Nano(), inode: st.Ino}
}
