package setup

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/digest"
	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/packs"
)

// NoPack is the name that means no pack at all.
const NoPack = "none"

// installedName is the record of a folder of what packs brought into it. It goes with
// the repository, so that what one person has removed is not brought back by another.
const installedName = "packs.json"

// An installed is that record: the SHA-256 of each rule file as a pack delivered it, by
// its name.
type installed struct {
	path    string
	changed bool

	Files map[string]string `json:"files"`
}

// openInstalled reads the record of a folder. A missing one is empty. One that cannot be
// read is an error: what was removed would be brought back.
func openInstalled(dir string) (*installed, error) {
	in := &installed{path: filepath.Join(dir, installedName), Files: map[string]string{}}
	data, err := safefile.Read(in.path, maxWritten)
	if errors.Is(err, fs.ErrNotExist) {
		return in, nil
	}
	if err == nil {
		err = json.Unmarshal(data, in)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w; correct it, or remove it to forget which rules were removed", in.path, err)
	}
	if in.Files == nil {
		in.Files = map[string]string{}
	}
	return in, nil
}

func (in *installed) add(name string, data []byte) {
	if sum := digest.Hex(data); in.Files[name] != sum {
		in.Files[name], in.changed = sum, true
	}
}

func (in *installed) save() ([]byte, error) {
	data, err := json.MarshalIndent(in, "", "  ")
	if err != nil {
		return nil, err
	}
	data = append(data, '\n')
	return data, safefile.Replace(in.path, data, 0o644)
}

// writeRules writes the rules of the packs that are not there yet. A rule that was
// changed or removed by its owner is theirs; one with the same file name is never
// overwritten.
func (s *setup) writeRules() error {
	in, err := openInstalled(s.dir)
	if err != nil {
		return err
	}
	if _, err := os.Lstat(in.path); err != nil {
		in.changed = true // an empty one says that nothing was wanted
	}
	var removed []string
	count, others, dir := 0, 0, filepath.Join(s.dir, "rules")
	for _, pack := range s.Packs {
		files, err := packs.Files(pack)
		if err != nil {
			return err
		}
		for _, f := range files {
			path := filepath.Join(dir, filepath.FromSlash(f.Name))
			if s.removed(in, path, f.Name) {
				removed = append(removed, f.Name)
				continue
			}
			if _, err := os.Lstat(path); s.Usual && s.settled && err != nil && in.Files[f.Name] == "" {
				others++
				continue
			}
			done, err := s.put(path, f.Data)
			if err != nil {
				return err
			}
			if done {
				count++
			}
			if here, err := safefile.Read(path, maxWritten); err == nil && string(unix(here)) == string(f.Data) {
				in.add(f.Name, f.Data)
			}
		}
	}
	if count > 0 {
		s.Say("%s %s into %s", s.wrote(), text.Count(count, "rule"), dir)
	}
	if slices.Sort(removed); len(removed) > 0 {
		removed = slices.Compact(removed)
		s.Say("left out, since they were removed here: %s (--restore brings them back)", strings.Join(removed, ", "))
	}
	if others > 0 {
		s.Say("This folder was set up before, so %s that init begins with stay out; `sentinel init --pack %s` adds them.", text.Count(others, "rule"), strings.Join(s.Packs, " --pack "))
	}
	return s.keep(in)
}

// removed reports whether a rule file was there once and its owner took it away. Where
// the whole folder is gone, as on a branch without it, no rule was chosen to stay away.
func (s *setup) removed(in *installed, path, name string) bool {
	if _, err := os.Lstat(path); s.Restore || !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	if _, once := in.Files[name]; once {
		return true
	}
	rel, err := filepath.Rel(s.written.base, path)
	return err == nil && s.settled && s.written.Files[filepath.ToSlash(rel)] != ""
}

// keep writes the record of what is installed.
func (s *setup) keep(in *installed) error {
	if !in.changed || s.DryRun {
		return nil
	}
	data, err := in.save()
	if err == nil {
		s.written.add(in.path, data)
		s.Say("wrote %s", in.path)
	}
	return err
}

// unix takes the line ends of Windows out.
func unix(data []byte) []byte { return []byte(strings.ReplaceAll(string(data), "\r\n", "\n")) }

// chosenPacks are the packs that are to be written.
func chosenPacks(names []string) ([]string, error) {
	if slices.Contains(names, NoPack) {
		if len(names) > 1 {
			return nil, fmt.Errorf("--pack %s stands alone", NoPack)
		}
		return nil, nil
	}
	for _, name := range names {
		if _, err := packs.Files(name); err != nil {
			return nil, err
		}
	}
	return names, nil
}
