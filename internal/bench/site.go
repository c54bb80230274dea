package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/agent"
	"github.com/agentsentinel/sentinel/internal/setup"
	"github.com/agentsentinel/sentinel/internal/subprocess"
	"github.com/agentsentinel/sentinel/project"
)

// A Site is where commands are judged: a repository, and an empty folder with the same
// rules, which tells what the disk has to do with a verdict.
type Site struct {
	Rules int // how many judge, without Sentinel's own

	repository, empty place
	made              string // removed by Close
}

// A place is a folder with the rules that hold there.
type place struct {
	dir   string
	rules *project.Project
}

// Close removes the folders that were made.
func (s *Site) Close() error { return os.RemoveAll(s.made) }

// Own is the site of the rules that hold in a folder, opened as p with o.
func Own(dir string, p *project.Project, o project.Options) (s *Site, err error) {
	s = &Site{repository: place{dir, p}}
	if s.made, err = os.MkdirTemp("", "sentinel-bench-"); err != nil {
		return nil, err
	}
	var config string
	for _, f := range p.Folders {
		s.Rules += len(f.Rules())
		if config == "" && !f.User {
			config = f.Dir
		}
	}
	return s, s.copyRules(config, o)
}

// Made is the site of the rules of a pack or set, in a repository that is made for it
// with git, set up as init does. It does not depend on this machine.
func Made(ctx context.Context, set string) (s *Site, err error) {
	s = &Site{}
	if s.made, err = os.MkdirTemp("", "sentinel-bench-"); err != nil {
		return nil, err
	}
	o := project.Options{Home: filepath.Join(s.made, "home"), NoLog: true, NoModel: true}
	s.repository.dir = filepath.Join(o.Home, "repository")
	if err = setUp(ctx, s.repository.dir, set, o); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	s.repository.rules = project.Open([]string{s.repository.dir}, &o)
	if folders := s.repository.rules.Folders; len(folders) != 1 {
		err := fmt.Errorf("rules of the folders above %s hold there too: name another folder for temporary files in TMPDIR", s.made)
		return nil, errors.Join(err, s.Close())
	}
	folder := s.repository.rules.Folders[0]
	s.Rules = len(folder.Rules())
	return s, s.copyRules(folder.Dir, o)
}

// copyRules makes the empty folder with the configuration and rules of another one; ""
// for none.
func (s *Site) copyRules(from string, o project.Options) error {
	s.empty.dir = filepath.Join(s.made, "home", "empty")
	to := s.empty.dir
	if from != "" {
		to = filepath.Join(to, ".claude", "sentinel")
	}
	err := os.MkdirAll(to, 0o700)
	for _, name := range []string{"config.yaml", "config.yml", "config.json", "rules"} {
		if err == nil && from != "" {
			err = copyAll(filepath.Join(from, name), filepath.Join(to, name))
		}
	}
	if err != nil {
		return errors.Join(err, s.Close())
	}
	o.StateDir, o.CacheDir, o.ConfigDir = "", "", "" // leave no trace of a folder that goes away
	s.empty.rules = project.Open([]string{s.empty.dir}, &o)
	if len(s.empty.rules.Folders) == 0 {
		s.empty.rules = project.Recommended(s.empty.dir, &o)
	}
	return nil
}

// copyAll copies a file or a folder, if it is there.
func copyAll(from, to string) error {
	info, err := os.Stat(from)
	switch {
	case err != nil:
		return nil // nothing to copy; the rules that hold say what is wrong with it
	case info.IsDir():
		return os.CopyFS(to, os.DirFS(from))
	}
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o600)
}

// The repository is as somebody has it who is at work in it: one file is changed and one
// is new since the commit, and what a build makes is ignored.
var committed = [...]struct{ name, text string }{
	{".gitignore", "build/\nnode_modules/\n.env\n*.log\n"},
	{"README.md", "# Example\n\nRun `make` to build it.\n"},
	{"Makefile", ".PHONY: all test clean\nall:\n\tcc -o build/example src/main.c\ntest: all\n\t./build/example --version\nclean:\n\trm -rf build\n"},
	{"package.json", `{"name": "example", "private": true, "scripts": {"build": "tsc -p .", "test": "node --test"}}` + "\n"},
	{"docs/guide.md", "# Guide\n"},
	{"src/main.c", "int main(void) { return 0; }\n"},
	{"src/util.c", "int one(void) { return 1; }\n"},
	{"tests/main.test.js", "require('node:test')('it starts', () => {})\n"},
}

var uncommitted = [...]struct{ name, text string }{
	{"src/main.c", "int main(void) { return 1; }\n"},
	{"src/draft.c", "int two(void) { return 2; }\n"},
	{".env", "API_KEY=example\n"},
	{"build/example", "\x7fELF"},
	{"node_modules/left/index.js", "module.exports = 1\n"},
}

// usual is the agent that gets the hook where none is named and none is found.
func usual() string { return agent.Registry{}.Installable()[0] }

// setUp makes the repository, with the rules of a pack or set in it.
func setUp(ctx context.Context, dir, set string, o project.Options) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if err := git(ctx, dir, "init", "--quiet", "--initial-branch=main"); err != nil {
		return err
	}
	_, err := setup.Init(ctx, &setup.Options{
		Agents: []string{usual()}, Packs: []string{set}, Backend: sentinel.Builtin, Dir: dir, Project: &o, Say: func(string, ...any) {},
	})
	if err != nil {
		return err
	}
	for _, f := range committed {
		if err := write(dir, f.name, f.text); err != nil {
			return err
		}
	}
	for _, args := range [][]string{{"add", "--all"}, {"commit", "--quiet", "--message", "Begin"}, {"remote", "add", "origin", "git@example.com:example/example.git"}} {
		if err := git(ctx, dir, args...); err != nil {
			return err
		}
	}
	for _, f := range uncommitted {
		if err := write(dir, f.name, f.text); err != nil {
			return err
		}
	}
	return nil
}

func write(dir, name, text string) error {
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o600)
}

// git runs git without the settings of this machine.
func git(ctx context.Context, dir string, args ...string) error {
	out, err := subprocess.Run(ctx, subprocess.Program{
		Argv: append([]string{"git"}, args...), Dir: dir,
		Env: []string{
			"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_TERMINAL_PROMPT=0",
			"GIT_AUTHOR_NAME=A Developer", "GIT_AUTHOR_EMAIL=developer@example.com", "GIT_COMMITTER_NAME=A Developer", "GIT_COMMITTER_EMAIL=developer@example.com",
		},
	})
	switch {
	case err != nil:
		return fmt.Errorf("making a repository needs git: %w", err)
	case out.Exit != 0:
		return fmt.Errorf("git %s: exit status %d: %s", args[0], out.Exit, out.Stderr)
	}
	return nil
}
