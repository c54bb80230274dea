package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/backend/ollama"
	"github.com/agentsentinel/sentinel/config"
	"github.com/agentsentinel/sentinel/internal/install"
	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/packs"
	"github.com/agentsentinel/sentinel/project"
	"github.com/agentsentinel/sentinel/telemetry"
)

// initFlags are the flags of init.
type initFlags struct {
	agents, packs []string
	backend       string
	user, dryRun  bool
}

func newInit(env *Env) *cobra.Command {
	var f initFlags
	cmd := &cobra.Command{
		Use: "init", Short: "Set Sentinel up in this repository",
		Long: `Writes .claude/sentinel with a configuration and the starter rules, and puts the
hook into the settings of the agent. What is there already is kept: init only
adds, and running it twice changes nothing.`,
		Example: `  sentinel init --dry-run
  sentinel init --agent claude --agent codex --pack starter --pack databases`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := newSetup(env, &f)
			if err != nil {
				return err
			}
			return s.run(cmd.Context())
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&f.agents, "agent", []string{"claude"}, "`AGENT` whose settings get the hook; repeatable ("+strings.Join(install.Agents(), ", ")+")")
	flags.StringArrayVar(&f.packs, "pack", []string{"starter"}, "`PACK` of rules to begin with; repeatable")
	flags.StringVar(&f.backend, "backend", "", "`NAME` of who judges: ollama, builtin, … (default: ollama if it answers, else builtin)")
	flags.BoolVar(&f.user, "user", false, "set it up for all of your repositories, in your own folders")
	flags.BoolVar(&f.dryRun, "dry-run", false, "only say what would be done")
	return cmd
}

// A setup writes what init writes, or with dryRun says so.
type setup struct {
	env     *Env
	flags   *initFlags
	root    string // the repository, or the user's home
	dir     string // the folder of configuration and rules
	changes int
	backend string
	why     string // why this backend was chosen
	written *written
}

func newSetup(env *Env, f *initFlags) (*setup, error) {
	s := &setup{env: env, flags: f}
	if f.backend != "" && !slices.Contains(backendNames(env), f.backend) {
		return nil, fmt.Errorf("init: no backend is called %q; there are: %s", f.backend, strings.Join(backendNames(env), ", "))
	}
	for _, name := range f.packs {
		if _, err := packs.Files(name); err != nil {
			return nil, fmt.Errorf("init: %w", err)
		}
	}
	if f.user {
		if s.root, s.dir = env.home(), env.userDir(); s.root == "" || s.dir == "" {
			return nil, errors.New("init --user: HOME is not set")
		}
		s.written = env.written(s.dir)
		return s, nil
	}
	if env.Dir == "" {
		return nil, errors.New("init: the working directory does not exist any more")
	}
	s.root = projectRoot(env.Dir)
	s.dir = filepath.Join(s.root, ".claude", "sentinel")
	s.written = env.written(s.root)
	return s, nil
}

// backendNames are the judges that this program has.
func backendNames(env *Env) []string {
	c := config.Default()
	return append(c.BackendNames(), slices.Sorted(maps.Keys(env.Backends))...)
}

func (s *setup) run(ctx context.Context) error {
	if _, err := s.planHooks(); err != nil { // settings that cannot be edited: before anything is written
		return fmt.Errorf("init: %w", err)
	}
	s.chooseBackend(ctx)
	if err := s.write(); err != nil {
		return fmt.Errorf("init: %w", err)
	}
	if s.changes == 0 {
		s.say("Nothing to do: Sentinel is set up in %s.", s.root)
		return nil
	}
	if s.flags.dryRun {
		return nil
	}
	s.say("Judge: %s. %s", s.backend, s.why)
	s.say("Try it: sentinel check --bash 'git push --force'")
	return nil
}

// write does the steps, and keeps what they wrote even if one fails.
func (s *setup) write() error {
	defer s.remember()
	for _, step := range []func() error{s.writeConfig, s.writeRules, s.writeIgnores, s.writeHooks} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// remember keeps the digests of what was written, for uninstall.
func (s *setup) remember() {
	if s.flags.dryRun || !s.written.changed {
		return
	}
	if err := s.written.save(); err != nil {
		s.say("note: what was written cannot be noted, so uninstall will leave it: %v", err)
	}
}

func (s *setup) say(format string, args ...any) { fmt.Fprintf(s.env.Stdout, format+"\n", args...) }

// chooseBackend takes a model where one answers on this machine.
func (s *setup) chooseBackend(ctx context.Context) {
	if s.backend = s.flags.backend; s.backend != "" {
		s.why = "You chose it; `backend` in config.yaml changes it."
		return
	}
	c := config.Default()
	model, server := c.Model(config.BackendOllama), c.OllamaURL()
	base, err := url.Parse(server)
	if err == nil {
		ctx, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		err = ollama.New(base, &ollama.Options{Model: model}).Ping(ctx, "")
	}
	if err != nil {
		s.backend = sentinel.Builtin
		s.why = fmt.Sprintf("Ollama with %s does not answer on %s, so the rules' own expressions judge, with no model. To use one: start it, `ollama pull %s`, and set `backend: ollama` in config.yaml.", model, server, model)
		return
	}
	s.backend = config.BackendOllama
	s.why = fmt.Sprintf("Ollama answers on %s with %s. To judge without a model, set `backend: builtin` in config.yaml.", server, model)
}

const configTemplate = `# yaml-language-server: $schema=%s
# Every key with its default: docs/configuration.md, or "sentinel config schema".

# Who judges: ollama (a model on this machine), builtin (the rules' own
# expressions, no model), …
backend: %s

# What becomes of an action when a rule cannot be judged: true lets it pass.
fail_open: true

# One JSON line for each evaluation, relative to the project's folder.
log_file: %s
`

// logName is the name of the log that init sets.
const logName = "sentinel.log"

func (s *setup) writeConfig() error {
	path := filepath.Join(s.dir, "config.yaml")
	log := ".claude/sentinel/" + logName
	if s.flags.user {
		log = logName
	}
	if _, err := os.Stat(path); err == nil {
		s.backend, s.why = s.config().Backend, "As config.yaml says."
	}
	return s.create(path, []byte(fmt.Sprintf(configTemplate, schemaID(config.Schema()), s.backend, log)))
}

// writeRules writes the rules of the packs that are not there yet. A rule that
// was changed or removed by its owner is theirs; one with the same file name is
// never overwritten.
func (s *setup) writeRules() error {
	for _, name := range s.flags.packs {
		files, err := packs.Files(name)
		if err != nil {
			return err
		}
		for _, f := range files {
			if err := s.create(filepath.Join(s.dir, "rules", filepath.FromSlash(f.Name)), f.Data); err != nil {
				return err
			}
		}
	}
	return nil
}

// writeIgnores keeps what Sentinel writes while it works out of the repository.
func (s *setup) writeIgnores() error {
	if s.flags.user {
		return nil
	}
	if err := s.create(filepath.Join(s.root, ".sentinel", ".gitignore"), []byte("*\n")); err != nil {
		return err
	}
	if s.flags.dryRun {
		return nil
	}
	return s.ignoreLog()
}

// ignoreLog keeps the log out of git, and not what stands beside it.
func (s *setup) ignoreLog() error {
	file := filepath.Join(s.dir, ".gitignore")
	before, err := os.ReadFile(file)
	if err == nil && string(before) == ignoreAll { // uninstall left it
		before, err = nil, os.Remove(file)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := telemetry.Ignore(filepath.Join(s.dir, logName)); err != nil {
		return err
	}
	if after, err := os.ReadFile(file); err == nil && before == nil {
		s.written.add(file, after)
	}
	return nil
}

// planHooks says how the hook gets into the settings of each agent.
func (s *setup) planHooks() ([]install.Change, error) {
	c := s.config()
	h := install.Hook{
		Program: hookProgram(), Timeout: time.Duration(c.HookTimeoutS) * time.Second,
		Strict: !c.FailOpen, Reads: s.reads(),
	}
	return planEach(s.env, s.root, s.flags.agents, s.scope(), func(t install.Target) (install.Change, error) { return install.Plan(t, h) })
}

func (s *setup) scope() install.Scope { return scopeOf(s.flags.user) }

func scopeOf(user bool) install.Scope {
	if user {
		return install.User
	}
	return install.Repository
}

// planEach plans a change of every settings file of the agents. Two agents may
// share one.
func planEach(env *Env, root string, agents []string, scope install.Scope, plan func(install.Target) (install.Change, error)) ([]install.Change, error) {
	place := install.Place{Root: root, Home: env.home(), Getenv: env.Getenv}
	var changes []install.Change
	seen := map[string]bool{}
	for _, agent := range agents {
		targets, err := place.Targets(agent, scope)
		if err != nil {
			return nil, err
		}
		for _, t := range targets {
			if seen[t.File] {
				continue
			}
			seen[t.File] = true
			c, err := plan(t)
			if err != nil {
				return nil, err
			}
			changes = append(changes, c)
		}
	}
	return changes, nil
}

// writeHooks puts the hook into the settings of each agent.
func (s *setup) writeHooks() error {
	changes, err := s.planHooks()
	if err != nil {
		return err
	}
	done, err := applyAll(s.env, changes, s.flags.dryRun, "added the hook to")
	s.changes += done
	return err
}

// applyAll makes changes, or shows them, and counts those there were.
func applyAll(env *Env, changes []install.Change, dryRun bool, done string) (count int, err error) {
	for _, c := range changes {
		for _, note := range c.Notes {
			fmt.Fprintf(env.Stdout, "note: %s\n", note)
		}
		if !c.Changed() {
			continue
		}
		count++
		if dryRun {
			c.File = env.short(c.File)
			fmt.Fprint(env.Stdout, c.Diff())
			continue
		}
		if err := c.Apply(); err != nil {
			return count, err
		}
		fmt.Fprintf(env.Stdout, "%s %s\n", done, c.File)
	}
	return count, nil
}

// reads reports whether a rule is about reading: only then is the hook started
// for tools that do nothing else.
func (s *setup) reads() bool {
	for _, f := range project.Open([]string{s.root}, s.env.project()).Folders {
		for _, r := range f.Rules {
			if r.Spec().Trigger == sentinel.FileRead {
				return true
			}
		}
	}
	return false
}

// config is the configuration that is there, or the default one.
func (s *setup) config() config.Config {
	data, err := os.ReadFile(filepath.Join(s.dir, "config.yaml"))
	if err != nil {
		return config.Default()
	}
	c, _ := config.Parse("config.yaml", data)
	return c
}

// hookProgram is the path of this program, "" where the PATH finds it: the line
// is kept short, since the model reads it with every block.
func hookProgram() string {
	self, err := os.Executable()
	if err != nil {
		return ""
	}
	if found, err := exec.LookPath("sentinel"); err == nil {
		a, errA := os.Stat(found)
		b, errB := os.Stat(self)
		if errA == nil && errB == nil && os.SameFile(a, b) {
			return ""
		}
	}
	if base := strings.TrimSuffix(filepath.Base(self), ".exe"); base != "sentinel" {
		return "" // a test or a program of another name: the PATH has to find it
	}
	return self
}

// create writes a file that is not there yet.
func (s *setup) create(path string, data []byte) error {
	if _, err := os.Lstat(path); err == nil || !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	s.changes++
	if s.flags.dryRun {
		s.say("would write %s", path)
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if err := safefile.Replace(path, data, 0o644); err != nil {
		return err
	}
	s.written.add(path, data)
	s.say("wrote %s", path)
	return nil
}

// projectRoot is the folder that a project's own folder is made in: the nearest
// one at or above dir that has rules or is a repository, else dir itself.
func projectRoot(dir string) string {
	for d := dir; ; {
		for _, mark := range []string{filepath.Join(".claude", "sentinel"), ".git"} {
			if _, err := os.Stat(filepath.Join(d, mark)); err == nil {
				return d
			}
		}
		parent := filepath.Dir(d)
		if parent == d {
			return dir
		}
		d = parent
	}
}
