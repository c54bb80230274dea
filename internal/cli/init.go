package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/backend/ollama"
	"github.com/agentsentinel/sentinel/config"
	"github.com/agentsentinel/sentinel/install"
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
	flags.StringArrayVar(&f.agents, "agent", []string{"claude"}, "agent whose settings get the hook; repeatable")
	flags.StringArrayVar(&f.packs, "pack", []string{"starter"}, "rules to begin with; repeatable")
	flags.StringVar(&f.backend, "backend", "", "who judges: ollama, builtin, … (default: ollama if it answers, else builtin)")
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
}

func newSetup(env *Env, f *initFlags) (*setup, error) {
	s := &setup{env: env, flags: f}
	for _, name := range f.agents {
		if name != "claude" {
			return nil, fmt.Errorf("init: agent %q is not known (known: claude)", name)
		}
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
		return s, nil
	}
	if env.Dir == "" {
		return nil, errors.New("init: the working directory does not exist any more")
	}
	s.root = projectRoot(env.Dir)
	s.dir = filepath.Join(s.root, ".claude", "sentinel")
	return s, nil
}

func (s *setup) run(ctx context.Context) error {
	if _, err := s.planHook(); err != nil { // settings that cannot be edited: before anything is written
		return fmt.Errorf("init: %w", err)
	}
	s.chooseBackend(ctx)
	steps := []func() error{s.writeConfig, s.writeRules, s.writeIgnores, s.writeHook}
	for _, step := range steps {
		if err := step(); err != nil {
			return fmt.Errorf("init: %w", err)
		}
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

const configTemplate = `# Every key with its default: docs/configuration.md, or "sentinel config schema".

# Who judges: ollama (a model on this machine), builtin (the rules' own
# expressions, no model), …
backend: %s

# What becomes of an action when a rule cannot be judged: true lets it pass.
fail_open: true

# One JSON line for each evaluation, relative to the project's folder.
log_file: %s
`

func (s *setup) writeConfig() error {
	path := filepath.Join(s.dir, "config.yaml")
	log := ".claude/sentinel/sentinel.log"
	if s.flags.user {
		log = "sentinel.log"
	}
	if _, err := os.Stat(path); err == nil {
		s.backend, s.why = s.config().Backend, "As config.yaml says."
	}
	return s.create(path, []byte(fmt.Sprintf(configTemplate, s.backend, log)))
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
	return telemetry.Ignore(filepath.Join(s.dir, "sentinel.log"))
}

// planHook says how the hook gets into the agent's settings.
func (s *setup) planHook() (install.Change, error) {
	c := s.config()
	h := install.Hook{Command: hookCommand(s.env), Timeout: time.Duration(c.HookTimeoutS) * time.Second, Strict: !c.FailOpen, Reads: s.reads()}
	if c.HookTimeoutS != config.Default().HookTimeoutS {
		h.Command += fmt.Sprintf(" --deadline %ds", c.HookTimeoutS-1)
	}
	return install.Plan(install.Target{Agent: "claude", File: filepath.Join(s.root, ".claude", "settings.json")}, h)
}

// writeHook puts the hook into the agent's settings.
func (s *setup) writeHook() error {
	c, err := s.planHook()
	if err != nil {
		return err
	}
	for _, note := range c.Notes {
		s.say("note: %s", note)
	}
	if !c.Changed() {
		return nil
	}
	s.changes++
	if s.flags.dryRun {
		s.say("would add the hook to %s", c.File)
		return nil
	}
	if err := c.Apply(); err != nil {
		return err
	}
	s.say("added the hook to %s", c.File)
	return nil
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

// hookCommand is what the agent is to run: short where the PATH finds this very
// program, since the model reads the line with every block.
func hookCommand(env *Env) string {
	self, err := os.Executable()
	if err != nil {
		return install.DefaultCommand
	}
	if found, err := exec.LookPath("sentinel"); err == nil {
		a, errA := os.Stat(found)
		b, errB := os.Stat(self)
		if errA == nil && errB == nil && os.SameFile(a, b) {
			return install.DefaultCommand
		}
	}
	if base := strings.TrimSuffix(filepath.Base(self), ".exe"); base != "sentinel" {
		return install.DefaultCommand // a test or a program of another name: the PATH has to find it
	}
	return quote(self) + " hook"
}

// quote writes a path as a word for the shells that start hooks.
func quote(path string) string {
	if !strings.ContainsAny(path, " \t'\"$`\\&;|<>()*?[]{}~#!") {
		return path
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`").Replace(path) + `"`
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
	if err := install.WriteFile(path, data, 0o644); err != nil {
		return err
	}
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
