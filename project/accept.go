package project

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/pin"
	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/internal/text"
)

// Held is the text for the user about folders whose pinned rules are in force, or
// whose files cannot be understood; "" without such a folder, or when the session
// had the text before. It also writes a note of it.
func (n *Notices) Held(ev sentinel.Event) string {
	p := n.project
	return p.warning(ev, p.Folders)
}

func (p *Project) warning(ev sentinel.Event, folders []*Folder) string {
	if p.opts.StateDir == "" || p.opts.NoLog {
		return ""
	}
	for _, f := range folders {
		said := f.warning(&p.opts, ev.Phase == sentinel.PhaseStart)
		if said == "" {
			continue
		}
		within := time.Duration(0)
		if ev.Session == "" {
			within = 24 * time.Hour
		}
		if !p.opts.givenTexts().Repeated(ev.Session, "notice:pin", f.Dir+"\n"+said, within) {
			p.Past().Book().Note("pin", ev.Agent, said) // the notice itself matters more than its record
			return said
		}
	}
	return ""
}

// maxNamed bounds the differences that a notice names.
const maxNamed = 3

// warning is one line about the folder. That a pin cannot be kept is said when a session
// begins and not once, because where nothing can be kept, there is no record that it was
// said.
func (f *Folder) warning(o *Options, begins bool) string {
	var held, broken, faults []string
	for _, d := range f.found {
		switch {
		case d.Held:
			held = append(held, d.String())
		case d.Kind == pin.KindBroken:
			broken = append(broken, d.String())
		case d.Kind == pin.KindPin && (begins || !strings.Contains(d.What, notKept)):
			faults = append(faults, d.What)
		}
	}
	program := cmp.Or(o.Program, "sentinel")
	where := f.Root
	if f.User {
		where = f.Dir
	}
	switch {
	case len(held) > 0:
		return text.Line(fmt.Sprintf("the rules of %s stop less than those that you know, so the pinned ones stay in force: %s. `%s accept` shows the difference and takes it over.", where, named(held), program))
	case len(broken) > 0:
		becomes := "What they are about is let through"
		if !f.Config.FailOpen {
			becomes = "What they are about is stopped"
		}
		return text.Line(fmt.Sprintf("%s of %s cannot be understood: %s. %s until that is mended (`%s rules lint`).", text.Count(len(broken), "file"), where, named(broken), becomes, program))
	case len(faults) > 0 && strings.Contains(faults[0], notKept):
		return text.Line(fmt.Sprintf("%s: %s. What the folder has is in force, also when it stops less than before. `%s doctor` says what is wrong with the state folder.", where, faults[0], program))
	case len(faults) > 0:
		return text.Line(fmt.Sprintf("%s: %s. `%s accept` pins what the folder has.", where, faults[0], program))
	}
	return ""
}

// named lists the first of some texts.
func named(all []string) string {
	more := ""
	if len(all) > maxNamed {
		more = fmt.Sprintf("; and %d more", len(all)-maxNamed)
		all = all[:maxNamed]
	}
	return strings.Join(all, "; ") + more
}

// Pins hold the rules and the configuration that a person has accepted; see docs/pin.md.
type Pins struct{ project *Project }

// Pins returns the pins of the project's folders.
func (p *Project) Pins() *Pins { return &Pins{p} }

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
