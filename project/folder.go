package project

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/config"
	"github.com/agentsentinel/sentinel/internal/digest"
	"github.com/agentsentinel/sentinel/internal/pin"
	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/internal/state"
	"github.com/agentsentinel/sentinel/rule"
)

// A Folder is one folder of configuration and rules that applies.
type Folder struct {
	Dir  string // absolute: …/.claude/sentinel, or the user's folder
	Root string // absolute: the project; path patterns start here
	User bool   // the user's own: its rules hold in every project
	// Tree is a working tree of the project at Root that has no rules of its own: these
	// hold there, and path patterns start there. "" for none.
	Tree string

	Config config.Config

	outer      bool           // it is around the nearest project's
	real       string         // Dir without symbolic links
	main       string         // see place
	digest     string         // of the configuration's bytes, what trust pins; "" when they cannot be read
	configured bool           // there is a file of configuration
	problems   []rule.Problem // of the configuration
	rules      *ruleSet
	faults     []string // see Broken
	standIns   int      // how many of the rules, the last of them, have no file of their own
	backends   sessionBackends
	bare       bool // Config has no more than what matching needs
	found      []pin.Difference

	version  func() string                // changes with the configuration and the rules
	unsealed func(what string, err error) // notes a file whose seal does not verify; nil notes nothing
}

// compiledAge is how long a compiled form is used.
const compiledAge = 30 * 24 * time.Hour

// load reads a folder, from the compiled form for as much as its files are
// unchanged. It never fails: what cannot be read is a problem and a rule that
// counts as not judged, unless it is pinned.
func load(p place, o *Options) *Folder {
	p.real = p.realDir()
	cache := cachePath(o.CacheDir, p.dir, o.addedBackends())
	r := &reader{place: p, opts: o, now: o.now(), guard: o.guardOf(p), last: o.snapshot(cache, p.dir)}
	if f := r.unchanged(); f != nil {
		return f
	}
	next, faults, standIns := r.read(o.overdue)
	f := newFolder(p, o, &next.config, faults)
	f.found = next.found
	all := next.rules
	next.rules = all[:r.used]
	f.hold(next, standIns, o)
	for i := range all[r.used:] { // they were not read in time, and are kept
		f.faults = append(f.faults, faultsOf(all[r.used+i].file.Problems)...)
	}
	if r.fresh && cache != "" && p.err == nil {
		kept := *next
		kept.rules = all
		if err := kept.write(cache, o.fenceKey(), r.listed, f.faults); err != nil {
			o.Logger.Debug("sentinel: the compiled rules were not kept", "file", cache, "error", err)
		}
		state.Prune(filepath.Dir(cache), compiledAge, r.now) // of folders and programs that are gone
	}
	return f
}

// A reader reads one folder.
type reader struct {
	place place
	opts  *Options
	now   time.Time
	guard *guard    // nil pins nothing
	last  *snapshot // the compiled form; nil for none

	fresh  bool     // the compiled form has to be written
	listed []source // the rule files as the system lists them; nil when that does not tell them
	used   int      // how many of the rules are used
}

// unchanged returns the folder from its compiled form, when that was made of the very
// files and of the very pin that there are; else nil.
func (r *reader) unchanged() *Folder {
	old := r.last
	if r.place.err != nil || old == nil || !old.settled || !r.guard.is(old.pin) || r.guard.wanted() {
		return nil
	}
	next := compiled{dir: r.place.dir}
	if next.takeConfig(r.place, old, r.opts, r.now) {
		return nil
	}
	f, rulesDir, err := r.folder(&next)
	if err != nil || broken(f.problems) {
		return nil
	}
	found, err := listRules(rulesDir, r.place.root, r.place.user)
	if err != nil || !found.fits() || !found.is(old.listing) {
		return nil
	}
	f.found = old.found
	return f.holdSnapshot(old, r.opts, func() []rule.File {
		next, _, _ := (&reader{place: r.place, opts: r.opts, now: r.now, guard: r.guard}).read(never)
		return next.files()
	})
}

// folder is the folder without its rules, and where these are. The error says why
// they are not where the configuration says.
func (r *reader) folder(c *compiled) (f *Folder, rulesDir string, err error) {
	faults := shadowed(r.place, c.config.name)
	rulesDir, err = r.place.rulesDir(c.config.value)
	if err != nil {
		faults = append(faults, problemOf(r.place, ConfigFile(r.place.dir), err))
	}
	if !r.place.user && !c.config.value.Pin {
		pr := problemOf(r.place, ConfigFile(r.place.dir), errors.New("`pin` counts in your own configuration alone, and is without effect here: take it out"))
		pr.Warning = true
		faults = append(faults, pr)
	}
	return newFolder(r.place, r.opts, &c.config, faults), rulesDir, err
}

// read reads the files. faults are those of the configuration that depend on more than
// its file; standIns replace what cannot be read and is not pinned, what is beyond the
// bounds, and what overdue leaves no time for.
func (r *reader) read(overdue func() bool) (next *compiled, faults []rule.Problem, standIns []rule.File) {
	p, old := r.place, r.last
	if old != nil && pin.Held(old.found) {
		old = nil // it is not what the files say
	}
	next = &compiled{dir: p.dir}
	if p.err != nil {
		next.config = lastKnown(r.last)
		if r.guard.replace(next, p.err) {
			r.used = len(next.rules)
			return next, nil, nil
		}
		next.found = []pin.Difference{{Kind: pin.KindBroken, File: p.display(p.dir), What: problemOf(p, p.dir, p.err).Message}}
		return next, nil, []rule.File{brokenFile(p, p.dir, p.err)}
	}
	r.fresh = next.takeConfig(p, old, r.opts, r.now) || old == nil || r.last == nil
	r.keepKnown(next)
	overdue = r.hurried(overdue, next.config.value.HookTimeoutS)
	var found listing
	var sources []source
	var dirErr, listErr error
	var beyond []rule.File
	list := func(known []compiledRule) (rulesDir string, err error) {
		var f *Folder
		f, rulesDir, dirErr = r.folder(next)
		faults = f.problems[len(next.config.problems):]
		if found = (listing{}); rulesDir != "" {
			found, listErr = listRules(rulesDir, p.root, p.user)
		}
		sources, beyond = within(p, rulesDir, found.sorted())
		r.fresh = next.takeRules(p, sources, known, r.now, overdue) || r.fresh
		if n := len(next.rules); n < len(sources) {
			beyond = append(beyond, notRead(p, rulesDir, sources[n:])...)
		}
		return rulesDir, errors.Join(dirErr, listErr)
	}
	rulesDir, err := list(r.last.all()) // a rule that a pin has put there has no file's stamp
	whole := err == nil && len(beyond) == 0
	r.guard.compare(next, rulesDir, whole, func() string { rulesDir, _ = list(nil); return rulesDir })
	if listErr != nil {
		standIns = append(standIns, brokenFile(p, rulesDir, listErr))
	}
	next.findBroken()
	standIns = append(standIns, newFolder(p, r.opts, &next.config, faults).brokenConfig(p)...)
	r.fresh = r.fresh || next.pin != r.last.pin
	n, more := next.usable(p, rulesDir)
	r.used, standIns = n, slices.Concat(standIns, beyond, more)
	if found.plain && len(standIns) == 0 {
		r.listed = append([]source{}, found.files...)
	}
	return next, faults, standIns
}

// never is overdue for a reader that takes its time.
func never() bool { return false }

// newFolder makes a folder without its rules. faults are those of the
// configuration that depend on more than its file.
func newFolder(p place, o *Options, c *compiledConfig, faults []rule.Problem) *Folder {
	f := &Folder{Dir: p.dir, real: p.real, Root: p.root, User: p.user, Tree: p.tree, main: p.main, Config: c.value, digest: c.digest, configured: c.present, unsealed: o.unsealed}
	f.problems = append(slices.Clone(c.problems), faults...)
	return f
}

// place is where the folder was found.
func (f *Folder) place() place {
	return place{dir: f.Dir, real: f.real, root: f.Root, user: f.User, tree: f.Tree, main: f.main}
}

// at is the folder that path patterns start in.
func (f *Folder) at() string { return cmp.Or(f.Tree, f.Root) }

// hold gives the folder the rules that were read, and those that replace what
// could not be.
func (f *Folder) hold(c *compiled, standIns []rule.File, o *Options) *Folder {
	f.standIns = len(standIns)
	f.rules = buildRules(append(c.files(), standIns...), f.ruleOptions(o))
	f.faults = faultsOf(f.problems, f.rules.problems)
	f.version = c.version
	return f
}

// holdSnapshot gives the folder the rules of a compiled file, read when they are
// needed. reload reads their files instead.
func (f *Folder) holdSnapshot(s *snapshot, o *Options, reload func() []rule.File) *Folder {
	f.rules, f.faults = &ruleSet{snapshot: s, reload: reload, drop: o.dropBodies, options: sync.OnceValue(func() *rule.Options { return f.ruleOptions(o) })}, s.faults
	f.version = func() string { return s.version }
	return f
}

// Rules are the folder's rules, in the order of their files. A broken file is a
// broken rule. The slice must not be changed.
func (f *Folder) Rules() []*rule.Rule {
	rules, _ := f.rules.all()
	return rules
}

// Problems are those of all files of the folder, which works in spite of them.
func (f *Folder) Problems() []rule.Problem {
	_, problems := f.rules.all()
	if broken(f.problems) { // then they are those of a rule
		return problems
	}
	return append(slices.Clone(f.problems), problems...)
}

// Written has the rules with files of their own. The rest of Rules replace files
// that could not be read or understood, such as the configuration. They apply too.
func (f *Folder) Written() []*rule.Rule {
	rules := f.Rules()
	n := len(rules) - f.standIns
	return rules[:n:n]
}

// ruleOptions are the surroundings that the folder's rules are built in.
func (f *Folder) ruleOptions(o *Options) *rule.Options {
	opts := &rule.Options{
		CaseFold: foldsCase(), DefaultMode: f.Config.DefaultMode,
		Backend: f.Config.Backend, Fallback: f.Config.Fallback, Backends: o.backendNames(&f.Config),
		IsTool: o.Agents.HasTool, Agents: o.agentNames,
	}
	if f.User {
		opts.IDPrefix = "user:"
	}
	return opts
}

// agentNames are the names that a call's agent can have.
func (o *Options) agentNames() []string { return append(o.Agents.Names(), committer) }

// foldsCase reports whether file names differ by case here.
func foldsCase() bool { return runtime.GOOS == "windows" || runtime.GOOS == "darwin" }

// rulesDir is where the rules of a folder are. Only a user's own folder may
// have them outside of it and of the project. An error comes with the usual place, "" if
// that leads out as well: then no rules are read.
func (p place) rulesDir(c config.Config) (dir string, err error) {
	dir = filepath.FromSlash(c.RulesDir)
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(p.dir, dir)
	}
	if p.holds(dir) {
		return dir, nil
	}
	usual := filepath.Join(p.dir, "rules")
	switch {
	case dir == usual:
		return "", fmt.Errorf("`rules` is a link that leads out of the project, to %s; put the rules here", safefile.Resolve(dir))
	case !p.holds(usual):
		usual = ""
	}
	return usual, errors.New("`rules_dir` leads out of the project; name a folder inside it")
}

// holds reports whether a folder of rules may be read: it lies in the project.
func (p place) holds(dir string) bool {
	if p.user {
		return true
	}
	if p.real != "" && filepath.Dir(dir) == p.dir { // the usual folder, whose last name alone is not known
		info, err := os.Lstat(dir)
		if err == nil && info.IsDir() || errors.Is(err, fs.ErrNotExist) {
			return true
		}
	}
	real := safefile.Resolve(dir)
	return safefile.Within(real, p.realDir()) || safefile.Within(real, safefile.Resolve(p.root))
}

// display is how messages name a file: relative to the project.
func (p place) display(path string) string {
	base := p.root
	if p.user {
		base = p.dir
	}
	if rel, err := filepath.Rel(base, path); err == nil && safefile.Within(path, base) {
		path = rel
	}
	return filepath.ToSlash(path)
}

// Outer reports whether the folder is around that of the nearest project, so that a path
// from its root needs the whole name.
func (f *Folder) Outer() bool { return f.outer }

// Located are problems of the folder with names of files that tell it from the others.
func (f *Folder) Located(problems []rule.Problem) []rule.Problem {
	if !f.outer {
		return problems
	}
	all := slices.Clone(problems)
	for i := range all {
		if !filepath.IsAbs(all[i].File) {
			all[i].File = filepath.ToSlash(filepath.Join(f.Root, filepath.FromSlash(all[i].File)))
		}
	}
	return all
}

// brokenFile is a rule in the place of something that could not be read at all. It
// applies to every write, command and MCP call and cannot be judged.
func brokenFile(p place, path string, err error) rule.File {
	return unjudged(p.display(path), path, []rule.Problem{problemOf(p, path, err)})
}

func problemOf(p place, path string, err error) rule.Problem {
	message := err.Error()
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		message = "cannot be read: " + pathErr.Err.Error()
	}
	return rule.Problem{File: p.display(path), Message: message}
}

// shadowed reports configurations that are not read because of the one called used.
func shadowed(p place, used string) []rule.Problem {
	var problems []rule.Problem
	for _, name := range configNames[slices.Index(configNames[:], used)+1:] {
		if used == "" {
			break
		}
		path := filepath.Join(p.dir, name)
		if _, err := os.Lstat(path); err == nil {
			pr := problemOf(p, path, errors.New("is not read, because "+used+" is there; remove one of them"))
			pr.Warning = true
			problems = append(problems, pr)
		}
	}
	return problems
}

// unjudged is a rule about everything that cannot be judged. Its id cannot
// collide with one that a sound file takes from its name.
func unjudged(name, path string, problems []rule.Problem) rule.File {
	return rule.File{Path: name, Abs: path, Problems: problems, Definition: rule.Definition{
		ID: "broken:" + strings.ReplaceAll(name, "/", ":"), Trigger: string(sentinel.Any), Severity: sentinel.SeverityBlock.String(),
	}}
}

// takeConfig reads the configuration, or takes it from old when the file is the
// same. It reports whether the compiled form has to be written.
func (c *compiled) takeConfig(p place, old *snapshot, o *Options, now time.Time) (fresh bool) {
	src, present := configSource(p)
	if present {
		defer func() { c.config.name = src.name }()
	} else {
		if old != nil && !old.config.present {
			c.config = old.config
			return false
		}
		// No configuration says what an empty one says, to trust too: rules without
		// one can name judges that need it.
		c.config = compiledConfig{value: config.Default(), digest: digest.Hex("")}
		return true
	}
	if src.err == nil && old != nil && old.config.present && !old.config.racy && old.config.stamp == src.stamp {
		c.config = old.config
		return false
	}
	c.config = compiledConfig{present: true, stamp: src.stamp, racy: src.stamp.racy(now)}
	data, err := src.read()
	if err != nil {
		c.config.racy = true
		c.config.unread = true
		c.config.value = config.Default()
		c.config.problems = []rule.Problem{problemOf(p, src.path(), err)}
		return true
	}
	c.config.digest = digest.Hex(data)
	c.config.value, c.config.problems = config.Parse(p.display(src.path()), data, o.addedBackends()...)
	c.config.unread = damaged(data)
	return true
}

// damaged reports whether a file was not written by a person or a program that meant
// it: a crash leaves NUL bytes, for instance.
func damaged(data []byte) bool { return bytes.IndexByte(data, 0) >= 0 || !utf8.Valid(data) }

// keepKnown takes the configuration as it was when it could be read, so that taking
// the permission away, or damage, does not make a strict project an open one. If that
// is not known the project is strict.
func (r *reader) keepKnown(c *compiled) {
	if !c.config.unread {
		return
	}
	c.config.value = lastKnown(r.last).value
}

// lastKnown is the configuration as it was when it could be read; a strict one if that
// is not known.
func lastKnown(old *snapshot) compiledConfig {
	if old == nil {
		c := compiledConfig{value: config.Default()}
		c.value.FailOpen = false
		return c
	}
	return compiledConfig{value: old.config.value}
}

// brokenConfig is the configuration as a rule that cannot be judged, when the file
// is broken.
func (f *Folder) brokenConfig(p place) []rule.File {
	if !broken(f.problems) {
		return nil
	}
	path := ConfigFile(p.dir)
	return []rule.File{unjudged(p.display(path), path, f.problems)}
}

// broken reports whether one of the problems is more than a warning.
func broken(problems []rule.Problem) bool {
	return slices.ContainsFunc(problems, func(pr rule.Problem) bool { return !pr.Warning })
}

// takeRules reads the rule files, those that are unchanged from known. Both are in
// the order of their names. Those that overdue leaves no time for are left out: what
// was read is kept, so that the next call goes on there.
func (c *compiled) takeRules(p place, sources []source, known []compiledRule, now time.Time, overdue func() bool) (fresh bool) {
	fresh = len(known) != len(sources)
	c.rules = make([]compiledRule, 0, len(sources))
	for _, s := range sources {
		for len(known) > 0 && known[0].name < s.name {
			known, fresh = known[1:], true // the file is gone
		}
		if len(known) > 0 && known[0].name == s.name && known[0].stamp == s.stamp && !known[0].racy && s.err == nil {
			c.rules = append(c.rules, known[0])
			known = known[1:]
			continue
		}
		fresh = true
		if overdue() {
			break
		}
		c.rules = append(c.rules, readRule(p, s, now))
	}
	return fresh
}

// parseRule reads the text of a rule file.
func parseRule(p place, path string, data []byte) rule.File {
	f := rule.Parse(p.display(path), data)
	checkTests(&f)
	f.Abs = path
	return f
}

func readRule(p place, s source, now time.Time) compiledRule {
	data, err := s.read()
	if err != nil {
		return compiledRule{name: s.name, stamp: s.stamp, racy: true, file: brokenFile(p, s.path(), err)}
	}
	return compiledRule{name: s.name, stamp: s.stamp, sum: pin.Sum(data), racy: s.stamp.racy(now), file: parseRule(p, s.path(), data)}
}
