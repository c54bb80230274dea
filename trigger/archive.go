package trigger

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"compress/bzip2"
	"compress/gzip"
	"encoding/binary"
	"io"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	sentinel "github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/shell"
)

// Bounds of an archive whose names are read.
const (
	archiveNames  = walkEntries
	archiveBytes  = 16 << 20 // unpacked, up to the last name
	zipDirectory  = 1 << 20  // bytes of the list at the end
	zipEndRecord  = 22
	zipEndComment = 64 << 10
)

// An archiveList is what a command of a line unpacks.
type archiveList struct {
	line    *shell.Line
	command int
	names   []string
	whole   bool
}

// unpacked are the files that a command takes out of an archive, as paths from the
// folder that its effect e writes to. whole is false when there may be more.
func (c *call) unpacked(line *shell.Line, e shell.Effect) (names []string, whole bool) {
	if e.Kind != shell.EffectCreate || e.Command < 0 || e.Command >= len(line.Commands) || !strings.HasSuffix(e.Path, "/") {
		return nil, false
	}
	cmd := &line.Commands[e.Command]
	if cmd.Program != "tar" && cmd.Program != "bsdtar" && cmd.Program != "unzip" {
		return nil, false
	}
	archive, ok := archiveOf(line, e.Command)
	if !ok {
		return nil, false
	}
	if known := c.archive; known.line == line && known.command == e.Command {
		return known.names, known.whole
	}
	defer func() { c.archive = archiveList{line, e.Command, names, whole} }()
	f, info, err := safefile.Open(filepath.FromSlash(c.fs.abs(c.fs.abs(c.dir, archive.Dir), archive.Path)))
	if err != nil {
		return nil, false
	}
	defer f.Close()
	names, whole = c.listArchive(f, info.Size())
	if n, err := strconv.Atoi(first(cmd.Value("--strip-components", "--strip"))); err == nil {
		names = stripped(names, n)
	}
	return names, whole
}

func first(value string, _ bool) string { return value }

// archiveOf is the file that a command unpacks: one that it reads, or one that is read
// for it.
func archiveOf(line *shell.Line, command int) (archive shell.Effect, ok bool) {
	for _, e := range line.Effects {
		if e.Kind != shell.EffectRead || e.DirUnknown {
			continue
		}
		if e.Command == command {
			return e, true
		}
		if name := strings.ToLower(path.Base(e.Path)); strings.Contains(name, ".t") || strings.Contains(name, ".zip") {
			archive, ok = e, true
		}
	}
	return archive, ok && len(line.Commands[command].Input) > 0
}

// listArchive reads the names in a zip file, or in a tar file that may be packed by
// gzip or bzip2.
func (c *call) listArchive(f *os.File, size int64) (names []string, whole bool) {
	r := bufio.NewReader(io.LimitReader(f, archiveBytes))
	head, _ := r.Peek(4)
	var content io.Reader = r
	switch magic := string(head); {
	case magic == "PK\x03\x04":
		return listZip(f, size)
	case strings.HasPrefix(magic, "\x1f\x8b"):
		packed, err := gzip.NewReader(r)
		if err != nil {
			return nil, false
		}
		content = packed
	case strings.HasPrefix(magic, "BZh"):
		content = bzip2.NewReader(r)
	}
	files := tar.NewReader(io.LimitReader(content, archiveBytes))
	for len(names) < archiveNames && c.ctx.Err() == nil {
		h, err := files.Next()
		if err != nil {
			return names, err == io.EOF
		}
		names = append(names, h.Name)
	}
	return names, false
}

// listZip reads the list at the end of a zip file, unless that is very long.
func listZip(f *os.File, size int64) (names []string, whole bool) {
	end := make([]byte, min(size, zipEndRecord+zipEndComment))
	if _, err := f.ReadAt(end, size-int64(len(end))); err != nil {
		return nil, false
	}
	at := strings.LastIndex(string(end), "PK\x05\x06")
	if at < 0 || at+zipEndRecord > len(end) || binary.LittleEndian.Uint32(end[at+12:]) > zipDirectory {
		return nil, false
	}
	files, err := zip.NewReader(f, size)
	if err != nil {
		return nil, false
	}
	for _, file := range files.File {
		if len(names) == archiveNames {
			return names, false
		}
		names = append(names, strings.ReplaceAll(file.Name, `\`, "/"))
	}
	return names, true
}

// stripped cuts leading elements off the names; those that have no more are left out.
func stripped(names []string, n int) (rest []string) {
	for _, name := range names {
		name = strings.TrimPrefix(name, "./")
		ok := true
		for i := 0; i < n && ok; i++ {
			_, name, ok = strings.Cut(name, "/")
		}
		if ok && name != "" {
			rest = append(rest, name)
		}
	}
	return rest
}

// unpackedGuard is the change of the files that guard the agent by an archive.
func (c *call) unpackedGuard(line *shell.Line, e shell.Effect) []sentinel.Action {
	names, _ := c.unpacked(line, e)
	if len(names) == 0 || e.DirUnknown {
		return nil
	}
	folder := c.fs.abs(c.fs.abs(c.dir, e.Dir), e.Path)
	changed := guardChange{op: sentinel.OpCreate, files: c.guardFiles(folder, names)}
	return changed.actions(c)
}

// guardFiles are those of the files that guard the agent and are there now: what an
// archive brings replaces them.
func (c *call) guardFiles(folder string, names []string) (files []string) {
	bases := c.guardBases(folder)
	if len(bases) == 0 && c.fs.real != "" {
		bases = []string{c.fs.real}
	}
	for _, base := range bases {
		paths := c.guardPaths(base)
		for _, name := range names {
			file, _ := c.fs.resolve(c.fs.style.join(folder, name))
			rel, ok := below(base, file, c.fs.fold)
			if !ok || !c.fs.isFile(file) {
				continue
			}
			for _, p := range paths {
				if _, ok := below(p, rel, c.fs.fold); ok {
					files = appendNew(files, file)
				}
			}
		}
	}
	return files
}

func (r *resolver) isFile(abs string) bool {
	info, err := os.Lstat(filepath.FromSlash(abs))
	return err == nil && info.Mode().IsRegular()
}
