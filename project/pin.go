package project

import (
	"cmp"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/agentsentinel/sentinel/config"
	"github.com/agentsentinel/sentinel/internal/digest"
	"github.com/agentsentinel/sentinel/internal/pin"
	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/internal/state"
	"github.com/agentsentinel/sentinel/rule"
)

// The rules and the configuration of a project come from a working tree, which git, a crash
// or the agent itself may change. So the state that a person last knew to be in force is
// pinned in the user's own state folder. Where the folder's own stops less than the pinned
// one, the pinned one stays in force: see package pin.

// pinning is where the pins of all projects are kept; nil keeps none.
type pinning struct {
	store *pin.Store
	names func() map[string]bool // the files that there were when they were first asked for
	key   func() ([]byte, error) // the user's secret
	save  bool                   // what is in force may be pinned: an agent works by it
}

// pinsFolder is the folder of pins in the state folder.
const pinsFolder = "pins"

// newPinning returns where pins are kept, by the user's own configuration.
func newPinning(o *Options, user []*Folder) *pinning {
	if o.StateDir == "" || o.Unpinned || len(user) > 0 && !user[0].Config.Pin {
		return nil
	}
	p := &pinning{save: o.ForAgent}
	p.key = sync.OnceValues(func() ([]byte, error) { return state.Key(o.StateDir) })
	p.store = pin.NewStore(filepath.Join(o.StateDir, pinsFolder), func() state.Sealed {
		key, _ := p.key() // without one nothing can be read or kept, which the caller says
		return state.NewSealed(key, pin.Kind)
	})
	p.names = sync.OnceValue(p.store.Names)
	return p
}

// has reports whether the project at root, an absolute path without links, is pinned.
func (p *pinning) has(root string) bool {
	if p == nil {
		return false
	}
	names := p.names()
	return len(names) > 0 && names[pin.Name(root)]
}

// pinRoot is what the pin of a place is named by: the project's folder without links.
// The folder of rules itself may be a link that leads somewhere else now. A folder
// that is not in its usual place is named by itself.
func (p place) pinRoot() string {
	if p.dir == folderOf(p.root) {
		if p.real == p.dir {
			return p.root // no link is on the way
		}
		return safefile.Resolve(p.root)
	}
	return safefile.Resolve(p.dir)
}

// A guard compares a folder with its pin. nil pins nothing.
type guard struct {
	pins  *pinning
	place place
	opts  *Options
	root  string
	from  string   // the main checkout, whose pin counts while there is no other; "" for none
	seal  string   // of the pin's file; "" without one
	pin   *pin.Pin // nil: there is none, or it cannot be used
	err   error    // why it cannot be used
}

func (o *Options) guardOf(p place) *guard {
	if o.pins == nil || p.user {
		return nil
	}
	g := &guard{pins: o.pins, place: p, opts: o, root: p.pinRoot()}
	if g.seal = state.SealOf(o.pins.store.Path(g.root)); g.seal == "" && p.main != "" {
		g.from = p.main
		g.seal = state.SealOf(o.pins.store.Path(g.from))
	}
	return g
}

// is reports whether a compiled form was compared with this pin.
func (g *guard) is(seal string) bool {
	if g == nil {
		return seal == ""
	}
	return seal == g.seal
}

// wanted reports whether a pin is missing and must be made: for a project that an agent
// works in, not for one whose files it only names. The main checkout of a working tree is
// pinned first.
func (g *guard) wanted() bool {
	return g != nil && g.seal == "" && g.from == "" && g.pins.save && !g.place.touched && !g.place.gone
}

// load reads the pin once.
func (g *guard) load() bool {
	if g == nil || g.seal == "" {
		return false
	}
	if g.pin == nil && g.err == nil {
		if g.pin, g.err = g.pins.store.Load(cmp.Or(g.from, g.root)); errors.Is(g.err, fs.ErrNotExist) {
			g.seal, g.err = "", nil
		}
	}
	return g.pin != nil
}

// compare puts what is pinned in the place of what stops less, and pins the folder's
// own when nothing does. whole is false when not all rules could be listed. relist
// reads the rules again, from where the configuration says then, and returns that.
func (g *guard) compare(c *compiled, rulesDir string, whole bool, relist func() string) {
	if g == nil {
		return
	}
	defer func() { c.pin = g.seal }()
	if !g.load() {
		if g.err != nil {
			c.found = append(c.found, pinFault("cannot be used: "+g.err.Error()+". What the folder has is in force"))
		} else if g.wanted() && whole {
			g.keep(c, rulesDir)
		}
		return
	}
	state := c.state()
	if whole && state == g.pin.State() {
		return
	}
	if !whole || !g.pin.Knows(state) {
		g.config(c)
		if pin.Held(c.found) {
			rulesDir = relist()
		}
		g.rules(c, rulesDir)
		if !whole || pin.Held(c.found) {
			return
		}
	}
	c.found = nil
	if g.pins.save {
		g.keep(c, rulesDir)
	}
}

// keep pins what the folder has.
func (g *guard) keep(c *compiled, rulesDir string) {
	next, err := g.place.pinOf(g.root, c, rulesDir)
	if err == nil && g.pin != nil {
		next.Known = g.pin.Known
		if next.State() == g.pin.State() {
			return
		}
	}
	if err == nil {
		err = g.pins.store.Save(next)
	}
	if err != nil {
		c.found = append(c.found, pinFault(notKept+": "+err.Error()))
		return
	}
	g.pin, g.from, g.seal = next, "", state.SealOf(g.pins.store.Path(g.root))
}

// notKept begins what is said of a pin that cannot be written.
const notKept = "cannot be kept"

func pinFault(what string) pin.Difference {
	return pin.Difference{Kind: pin.KindPin, What: "the pin of these rules " + what}
}

// state is the digest of the folder as it was read.
func (c *compiled) state() string {
	rules := make([]pin.Rule, len(c.rules))
	for i := range c.rules {
		rules[i] = c.rules[i].asPinned()
	}
	return pin.State(c.config.sum(), rules)
}

// sum is the configuration in the digest of a state: "" for none.
func (c *compiledConfig) sum() string {
	if !c.present {
		return ""
	}
	return c.digest[:min(len(c.digest), 32)]
}

func (r *compiledRule) asPinned() pin.Rule {
	return pin.Rule{Name: r.name, Sum: r.sum, File: r.file}
}

// errMoving says that files change while they are read: the next call pins them.
var errMoving = errors.New("the files are being changed")

// pinOf reads the files once more, as a pin keeps them.
func (p place) pinOf(root string, c *compiled, rulesDir string) (*pin.Pin, error) {
	next := &pin.Pin{Root: root}
	if c.config.present {
		file := ConfigFile(p.dir)
		data, err := safefile.Read(file, maxFileBytes)
		switch {
		case c.config.unread:
			return nil, errors.New("its configuration is damaged or cannot be read")
		case err != nil:
			return nil, err
		case digest.Hex(data) != c.config.digest:
			return nil, errMoving
		}
		next.Config = &pin.File{Name: filepath.Base(file), Data: data}
	}
	total := 0
	for i := range c.rules {
		r := &c.rules[i]
		if r.sum == "" {
			continue // it cannot be read
		}
		data, err := safefile.Read(filepath.Join(rulesDir, filepath.FromSlash(r.name)), maxFileBytes)
		if err == nil && pin.Sum(data) != r.sum {
			err = errMoving
		}
		if total += len(data); err == nil && total > pin.MaxBytes {
			err = pin.ErrLarge
		}
		if err != nil {
			return nil, err
		}
		next.Rules = append(next.Rules, pin.File{Name: r.name, Data: data})
	}
	return next, nil
}

// parsedConfig is the pinned configuration.
func (g *guard) parsedConfig() compiledConfig {
	c := compiledConfig{value: config.Default(), digest: digest.Hex("")}
	if g.pin.Config != nil {
		c.digest = digest.Hex(g.pin.Config.Data)
		c.value, c.problems = config.Parse(g.configName(), g.pin.Config.Data, g.opts.addedBackends()...)
	}
	return c
}

func (g *guard) configName() string { return g.place.display(ConfigFile(g.place.dir)) }

// knowsTool reports whether an agent is known to have a tool of this name.
func (o *Options) knowsTool(name string) bool {
	_, known := o.Agents.Tool("", name)
	return known
}

// config puts the pinned configuration in the place of one that may stop less.
func (g *guard) config(c *compiled) {
	was := g.parsedConfig()
	if c.config.digest == was.digest || broken(was.problems) {
		return
	}
	change, what := pin.Config(&was.value, &c.config.value, g.opts.knowsTool)
	d := pin.Difference{File: g.configName(), What: strings.Join(what, "; "), Held: change >= pin.Changed}
	switch {
	case c.config.unread || broken(c.config.problems):
		d.Kind, d.What, d.Held = pin.KindBroken, "it cannot be understood", true
		if i := slices.IndexFunc(c.config.problems, func(pr rule.Problem) bool { return !pr.Warning }); i >= 0 {
			d.What = c.config.problems[i].Message
		}
	case change == pin.Same:
		return
	case change == pin.Stronger:
		d.Kind = pin.KindStronger
	case !c.config.present:
		d.Kind = pin.KindGone
	case change == pin.Weaker:
		d.Kind = pin.KindWeaker
	default:
		d.Kind = pin.KindChanged
	}
	c.found = append(c.found, d)
	if d.Held {
		c.config.value, c.config.digest, c.config.problems, c.config.unread = was.value, was.digest, was.problems, false
	}
}

// rules puts pinned rules in the place of those that stop less.
func (g *guard) rules(c *compiled, rulesDir string) {
	now := make([]pin.Rule, len(c.rules))
	was := make(map[string]*compiledRule, len(c.rules))
	for i := range c.rules {
		now[i] = c.rules[i].asPinned()
		was[now[i].Name] = &c.rules[i]
	}
	defaults := pin.Defaults{Was: g.parsedConfig().value.DefaultMode, Is: c.config.value.DefaultMode}
	inForce, found := pin.Merge(g.pin.Rules, now, defaults, func(f pin.File) pin.Rule {
		path := filepath.Join(rulesDir, filepath.FromSlash(f.Name))
		return pin.Rule{Name: f.Name, Sum: pin.Sum(f.Data), File: parseRule(g.place, path, f.Data)}
	})
	rules := make([]compiledRule, len(inForce))
	for i, r := range inForce {
		rules[i] = compiledRule{name: r.Name, sum: r.Sum, file: r.File}
		if !r.Pinned {
			rules[i] = *was[r.Name]
		}
	}
	c.rules, c.found = rules, append(c.found, found...)
}

// replace has the pinned state in force for a folder that cannot be read at all. It
// reports whether there is one.
func (g *guard) replace(c *compiled, why error) bool {
	if !g.load() {
		return false
	}
	c.pin, c.config, c.rules = g.seal, g.parsedConfig(), nil
	rulesDir, err := g.place.rulesDir(c.config.value)
	if err != nil {
		return false
	}
	g.rules(c, rulesDir)
	c.found = []pin.Difference{{
		Kind: pin.KindBroken, File: g.place.display(g.place.dir), What: problemOf(g.place, g.place.dir, why).Message, Held: true,
	}}
	return true
}

// findBroken lists the rules that cannot be understood and are not listed yet.
func (c *compiled) findBroken() {
	for i := range c.rules {
		f := &c.rules[i].file
		if f.Broken() && !slices.ContainsFunc(c.found, func(d pin.Difference) bool { return d.File == f.Path }) {
			c.found = append(c.found, pin.BrokenFile(f))
		}
	}
}

// Held reports whether pinned rules or a pinned configuration are in force instead of
// what the folder has.
func (f *Folder) Held() bool { return pin.Held(f.found) }

// Differences are those of the folder from what is pinned, and its files that cannot
// be understood. The slice must not be changed.
func (f *Folder) Differences() []pin.Difference { return f.found }
