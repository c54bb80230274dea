package setup

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/digest"
	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/packs"
	"github.com/agentsentinel/sentinel/project"
)

// A PackFile is a rule file of a pack and what is here under its name.
type PackFile struct {
	Name      string
	Packs     []string // that have it
	Path      string   // where it is, or would be
	Here      []byte   // nil: it is not here
	Delivered []byte   // as this program has it

	known bool   // the record has it
	once  string // digest of what was delivered when it was written
}

// Changed reports whether its owner has changed the file since it was delivered. Where
// no record tells, a file that differs counts as changed.
func (f *PackFile) Changed() bool {
	if f.Here == nil || f.Same() {
		return false
	}
	return !f.known || digest.Hex(unix(f.Here)) != f.once
}

// Same reports whether the file is as this program delivers it.
func (f *PackFile) Same() bool { return string(unix(f.Here)) == string(f.Delivered) }

// News reports whether this program delivers another text than the one that was
// delivered before.
func (f *PackFile) News() bool {
	return f.Here != nil && !f.Same() && (!f.known || digest.Hex(f.Delivered) != f.once)
}

// Removed reports whether the file was here once and its owner took it away.
func (f *PackFile) Removed() bool { return f.Here == nil && f.known }

// PackFiles are the files of all packs, each once, sorted by name, with the files of a
// project's folder to compare.
func PackFiles(f *project.Folder) ([]PackFile, error) {
	in, err := openInstalled(f.Dir)
	if err != nil {
		return nil, err
	}
	dir := filepath.FromSlash(f.Config.RulesDir)
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(f.Dir, dir)
	}
	byName := map[string]int{}
	var all []PackFile
	for _, pack := range packs.Names() {
		files, err := packs.Files(pack)
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			if at, seen := byName[file.Name]; seen {
				all[at].Packs = append(all[at].Packs, pack)
				continue
			}
			byName[file.Name] = len(all)
			p := PackFile{Name: file.Name, Packs: []string{pack}, Delivered: file.Data, Path: filepath.Join(dir, file.Name)}
			p.once, p.known = in.Files[file.Name]
			if p.Here, err = safefile.Read(p.Path, maxWritten); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return nil, err
			}
			all = append(all, p)
		}
	}
	slices.SortFunc(all, func(a, b PackFile) int { return strings.Compare(a.Name, b.Name) })
	return all, nil
}

// Update writes a file as this program delivers it. A file that its owner has changed is
// kept next to it, under a name that no rule has.
func (f *PackFile) Update(dir string) (kept string, err error) {
	in, err := openInstalled(dir)
	if err != nil {
		return "", err
	}
	if f.Changed() {
		kept = f.Path + ".bak"
		if err := safefile.Replace(kept, f.Here, 0o644); err != nil {
			return "", err
		}
	}
	if err := safefile.Replace(f.Path, f.Delivered, 0o644); err != nil {
		return kept, err
	}
	in.add(f.Name, f.Delivered)
	_, err = in.save()
	return kept, err
}
