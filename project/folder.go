package project

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/config"
	"github.com/agentsentinel/sentinel/internal/digest"
	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/internal/state"
	"github.com/agentsentinel/sentinel/rule"
)

// A Folder is one folder of configuration and rules that applies.
type Folder struct {
	Dir  string // absolute: …/.claude/sentinel, or the user's folder
	Root string // absolute: the project; path patterns start here
	User bool   // the user's own: its rules hold in every project

	Config   config.Config
	Rules    []*rule.Rule       // in the order of their files; a broken file is a broken rule
	Problems []sentinel.Problem // of all files; the folder works in spite of them

	real       string // Dir without symbolic links
	digest     string // of the configuration's bytes, what trust pins; "" when they cannot be read
	configured bool   // there is a file of configuration
	standIns   int    // how many of Rules, the last of them, stand in no file of their own
	engine     *sessionEngine

	version func() string // changes with the configuration and the rules
}

// configFile is the name of the configuration in a folder.
const configFile = "config.yaml"

// compiledAge is after how long a compiled form is made anew.
const compiledAge = 30 * 24 * time.Hour

// load reads a folder, from the compiled form for as much as its files are
// unchanged. It never fails: what cannot be read is a problem and a rule that
// counts as not judged.
func load(p place, o *Options) *Folder {
	p.real = p.realDir()
	now := o.now()
	cache := cachePath(o.CacheDir, p.dir)
	old := readCompiled(cache, p.dir)
	next := compiled{dir: p.dir}

	if p.err != nil {
		next.config = lastKnown(old)
		return finish(p, o, &next, brokenFile(p, p.dir, p.err))
	}
	fresh := next.takeConfig(p, old, now)
	next.config.problems = append(next.config.problems, misnamed(p)...)
	rulesDir, err := p.rulesDir(next.config.value)
	if err != nil {
		next.config.problems = append(next.config.problems, problemOf(p, filepath.Join(p.dir, configFile), err))
	}
	sources, err := listRules(rulesDir, p.root, p.user)
	fresh = next.takeRules(p, sources, old, now) || fresh
	if fresh && cache != "" {
		if err := next.write(cache); err != nil {
			o.Logger.Debug("sentinel: the compiled rules were not kept", "file", cache, "error", err)
		}
		state.Prune(filepath.Dir(cache), compiledAge, now) // of folders and programs that are gone
	}
	if err != nil {
		return finish(p, o, &next, brokenFile(p, rulesDir, err))
	}
	return finish(p, o, &next)
}

// finish makes the folder of what was read of it, with rules that stand in for
// what could not be.
func finish(p place, o *Options, c *compiled, standIns ...rule.File) *Folder {
	f := &Folder{Dir: p.dir, real: p.real, Root: p.root, User: p.user, Config: c.config.value, digest: c.config.digest, configured: c.config.present}
	if cf, broken := c.config.asBrokenRule(p); broken {
		standIns = append(standIns, cf)
	} else {
		f.Problems = append(f.Problems, c.config.problems...)
	}
	f.standIns = len(standIns)
	rules, problems := rule.Build(append(c.files(), standIns...), f.ruleOptions(o))
	f.Rules, f.Problems = rules, append(f.Problems, problems...)
	f.engine = newSessionEngine(f, o)
	f.version = c.version
	return f
}

// Written are the rules that stand in files of their own. The rest of Rules stand in
// for what could not be read or understood, such as the configuration: they hold,
// and nobody wrote them.
func (f *Folder) Written() []*rule.Rule {
	n := len(f.Rules) - f.standIns
	return f.Rules[:n:n]
}

// ruleOptions are the surroundings that the folder's rules are built in.
func (f *Folder) ruleOptions(o *Options) *rule.Options {
	opts := &rule.Options{
		Fold: foldsCase(), DefaultMode: f.Config.DefaultMode,
		Backend: f.Config.Backend, Fallback: f.Config.Fallback, Backends: o.backendNames(&f.Config),
	}
	if f.User {
		opts.IDPrefix = "user:"
	}
	return opts
}

// A sessionEngine is the engine of a folder for the session that it last saw:
// the lock on the GPU is a session's.
type sessionEngine struct {
	build func(session string) (sentinel.Engine, error)

	mu      sync.Mutex
	session string
	engine  sentinel.Engine
	err     error
}

func newSessionEngine(f *Folder, o *Options) *sessionEngine {
	return &sessionEngine{build: func(session string) (sentinel.Engine, error) {
		rules := make([]sentinel.Rule, len(f.Rules))
		for i, r := range f.Rules {
			rules[i] = r
		}
		return newEngine(f, rules, o, session)
	}}
}

func (s *sessionEngine) get(session string) (sentinel.Engine, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.session != session || s.engine == nil && s.err == nil {
		s.session = session
		s.engine, s.err = s.build(session)
	}
	return s.engine, s.err
}

// foldsCase reports whether file names differ by case here.
func foldsCase() bool { return runtime.GOOS == "windows" || runtime.GOOS == "darwin" }

// rulesDir is where the rules of a folder are. Only a user's own folder may
// have them outside of it and of the project.
func (p place) rulesDir(c config.Config) (dir string, err error) {
	dir = filepath.FromSlash(c.RulesDir)
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(p.dir, dir)
	}
	if real := resolve(dir); !p.user && !safefile.Within(real, p.realDir()) && !safefile.Within(real, resolve(p.root)) {
		return filepath.Join(p.dir, "rules"), errors.New("`rules_dir` leads out of the project; name a folder inside it")
	}
	return dir, nil
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

// brokenFile stands for something that could not be read at all: as a rule that
// applies to every write, command and MCP call and cannot be judged.
func brokenFile(p place, path string, err error) rule.File {
	return unjudged(p.display(path), path, []sentinel.Problem{problemOf(p, path, err)})
}

func problemOf(p place, path string, err error) sentinel.Problem {
	message := err.Error()
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		message = "cannot be read: " + pathErr.Err.Error()
	}
	return sentinel.Problem{File: p.display(path), Message: message}
}

// misnamed reports configurations under names that nobody reads.
func misnamed(p place) []sentinel.Problem {
	var problems []sentinel.Problem
	for _, name := range []string{"config.yml", "config.json"} {
		path := filepath.Join(p.dir, name)
		if _, err := os.Lstat(path); err == nil {
			problems = append(problems, problemOf(p, path, errors.New("is not read; the configuration is "+configFile+": rename it, or remove it")))
		}
	}
	return problems
}

// unjudged is a rule about everything that cannot be judged. Its id cannot
// collide with one that a sound file takes from its name.
func unjudged(name, path string, problems []sentinel.Problem) rule.File {
	return rule.File{Path: name, Abs: path, Problems: problems, Definition: rule.Definition{
		ID: "broken:" + strings.ReplaceAll(name, "/", ":"), Trigger: string(sentinel.Any), Severity: sentinel.SeverityBlock.String(),
	}}
}

// takeConfig reads the configuration, or takes it from old when the file is the
// same. It reports whether something has to be kept anew.
func (c *compiled) takeConfig(p place, old *compiled, now time.Time) (fresh bool) {
	src, present := configSource(p)
	if !present {
		// No configuration says what an empty one says, to trust too: rules without
		// one can name judges that need it.
		c.config = compiledConfig{value: config.Default(), digest: digest.Hex("")}
		return old == nil || old.config.present
	}
	if src.err == nil && old != nil && old.config.present && !old.config.racy && old.config.stamp == src.stamp {
		c.config = old.config
		return false
	}
	c.config = compiledConfig{present: true, stamp: src.stamp, racy: src.stamp.racy(now)}
	data, err := src.read()
	if err != nil {
		c.config = lastKnown(old)
		c.config.present, c.config.racy = true, true
		c.config.problems = []sentinel.Problem{problemOf(p, src.path(), err)}
		return true
	}
	c.config.digest = digest.Hex(data)
	c.config.value, c.config.problems = config.Parse(p.display(src.path()), data)
	return true
}

// lastKnown is the configuration as it was when it could be read, so that taking
// the permission away does not make a strict project an open one.
func lastKnown(old *compiled) compiledConfig {
	if old == nil {
		return compiledConfig{value: config.Default()}
	}
	return compiledConfig{value: old.config.value}
}

// asBrokenRule is the configuration as a rule that cannot be judged, when the
// file is broken.
func (c *compiledConfig) asBrokenRule(p place) (rule.File, bool) {
	for _, pr := range c.problems {
		if !pr.Warning {
			path := filepath.Join(p.dir, configFile)
			return unjudged(p.display(path), path, c.problems), true
		}
	}
	return rule.File{}, false
}

// takeRules reads the rule files, those that are unchanged from old.
func (c *compiled) takeRules(p place, sources []source, old *compiled, now time.Time) (fresh bool) {
	var known []compiledRule
	if old != nil {
		known = old.rules
	}
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
		c.rules = append(c.rules, readRule(p, s, now))
	}
	return fresh
}

func readRule(p place, s source, now time.Time) compiledRule {
	data, err := s.read()
	if err != nil {
		return compiledRule{name: s.name, stamp: s.stamp, racy: true, file: brokenFile(p, s.path(), err)}
	}
	f := rule.Parse(p.display(s.path()), data)
	f.Abs = s.path()
	return compiledRule{name: s.name, stamp: s.stamp, racy: s.stamp.racy(now), file: f}
}
