package project

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/pin"
	"github.com/agentsentinel/sentinel/internal/safefile"
)

// Pins hold the rules and the configuration that a person has accepted; see docs/pin.md.
type Pins struct{ project *Project }

// OnDisk opens the project again as its files are, whatever is pinned.
func (s *Pins) OnDisk() *Project {
	p := s.project
	o := p.opts
	o.Unpinned = true
	return Open([]string{p.start}, &o)
}

// Accept pins what the folder of a project has now, with the knowledge of a person:
// from then on this state and the one before are known, and the way from one to the
// other is free. A folder that is gone is accepted as one without rules.
func (s *Pins) Accept(f *Folder) error {
	p := s.project
	g, next, _, err := p.reread(f)
	if err != nil {
		return err
	}
	if g.load() {
		next.Known = g.pin.Known
		next.Accept(g.pin.State())
	}
	next.Accept(next.State())
	return g.pins.store.Save(next)
}

// Repin pins files of a project that a command of the user wrote or removed: absolute
// paths of its configuration or of rules. All else that is pinned stays as it is. A
// project without a pin is pinned as a whole. Where nothing is pinned it does nothing.
func (s *Pins) Repin(f *Folder, files ...string) error {
	p := s.project
	if p.opts.pins == nil || f.User {
		return nil
	}
	g, next, rulesDir, err := p.reread(f)
	if err != nil {
		return err
	}
	if !g.load() {
		if g.err != nil {
			return fmt.Errorf("project: the pin of %s %w", f.Dir, g.err)
		}
		return g.pins.store.Save(next)
	}
	now := *g.pin
	for _, file := range files {
		if file == ConfigFile(f.Dir) {
			now.Config = next.Config
			continue
		}
		rel, err := filepath.Rel(safefile.Resolve(rulesDir), safefile.Resolve(file))
		if err != nil || !filepath.IsLocal(rel) {
			continue
		}
		named := func(p pin.File) bool { return p.Name == filepath.ToSlash(rel) }
		now.Rules = slices.DeleteFunc(slices.Clone(now.Rules), named)
		if i := slices.IndexFunc(next.Rules, named); i >= 0 {
			now.Rules = append(now.Rules, next.Rules[i])
		}
	}
	slices.SortFunc(now.Rules, func(a, b pin.File) int { return strings.Compare(a.Name, b.Name) })
	return g.pins.store.Save(&now)
}

// Forget forgets the pin of the project at root, whose rules the user took out.
func Forget(root string, o *Options) error {
	pins := newPinning(o, nil)
	if pins == nil {
		return nil
	}
	return pins.store.Remove(safefile.Resolve(root))
}

// reread reads a project's folder as its files are, and returns the pin of that state.
func (p *Project) reread(f *Folder) (g *guard, next *pin.Pin, rulesDir string, err error) {
	at := f.place()
	if g = p.opts.guardOf(at); g == nil || f.User {
		return nil, nil, "", errors.New("project: nothing is pinned here: `pin` is false in your own configuration, or there is no folder to keep pins in")
	}
	r := &reader{place: at, opts: &p.opts, now: p.opts.now()}
	if err := enterable(at.dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, "", problemOf(at, at.dir, err)
	}
	c, _, _ := r.read(never)
	if rulesDir, err = at.rulesDir(c.config.value); err != nil {
		return nil, nil, "", err
	}
	if next, err = g.place.pinOf(g.root, c, rulesDir); err != nil {
		return nil, nil, "", fmt.Errorf("project: %s cannot be pinned: %w", f.Dir, err)
	}
	return g, next, rulesDir, nil
}
