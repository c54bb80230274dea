// Package cli is the sentinel command: flags, streams, exit statuses. Everything
// it does, a library does for it.
//
// Exit statuses: 0 is done or allowed; 1 an error of sentinel itself or of its
// call; 2 a block, or that a person must be asked.
package cli

import (
	"io"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/config"
	"github.com/agentsentinel/sentinel/project"
)

// Exit statuses.
const (
	exitOK    = 0
	exitError = 1
	exitBlock = 2
)

// Env is the world of one run of the command: all it may see and touch.
type Env struct {
	Args   []string // without the program's name
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer
	Getenv func(string) string
	Dir    string // absolute working directory
	Now    func() time.Time
	Color  bool // Stdout is a terminal that shows colours

	Backends map[string]func(config.Config) (sentinel.Backend, error)
}

// Process is the world of this process.
func Process() *Env {
	// With it, Ollama's client would sign requests with a key of the user's, and
	// without that key fail. A repository's settings can set variables.
	os.Unsetenv("OLLAMA_AUTH")
	dir, err := os.Getwd()
	if err != nil {
		dir = "" // the folder was removed: what needs it says so
	}
	return &Env{
		Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Getenv: os.Getenv, Dir: dir, Now: time.Now,
		Color: os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && isTerminal(os.Stdout),
	}
}

func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// Run runs the command and returns its exit status. The hook is started for
// every tool call of an agent, so it goes past the command-line library.
func Run(env *Env) int {
	if len(env.Args) > 0 && env.Args[0] == "hook" {
		return runHook(env, env.Args[1:])
	}
	return runCommand(env)
}

// home is the user's folder, "" when there is none.
func (e *Env) home() string {
	if h := e.Getenv("HOME"); h != "" {
		return h
	}
	return e.Getenv("USERPROFILE")
}

// userPath is a folder of the user: below the variable xdg when it is set, else
// below the home folder. "" when neither is there.
func (e *Env) userPath(xdg, fallback string) string {
	base := e.Getenv(xdg)
	if !filepath.IsAbs(base) { // the XDG specification ignores relative ones
		if e.home() == "" {
			return ""
		}
		base = filepath.Join(e.home(), filepath.FromSlash(fallback))
	}
	return filepath.Join(base, "sentinel")
}

func (e *Env) userDir() string { return e.userPath("XDG_CONFIG_HOME", ".config") }

func (e *Env) stateDir() string { return e.userPath("XDG_STATE_HOME", ".local/state") }

func (e *Env) cacheDir() string {
	fallback := ".cache"
	if runtime.GOOS == "darwin" {
		fallback = "Library/Caches"
	}
	return e.userPath("XDG_CACHE_HOME", fallback)
}

// project are the options by which every command opens a project.
func (e *Env) project() *project.Options {
	return &project.Options{
		ConfigDir: e.Getenv("SENTINEL_CONFIG_DIR"),
		UserDir:   e.userDir(),
		CacheDir:  e.cacheDir(),
		StateDir:  e.stateDir(),
		Home:      e.home(),
		Backends:  e.Backends,

		RuntimeDir: e.Getenv("XDG_RUNTIME_DIR"),
		Getenv:     e.Getenv,
		Now:        e.Now,
	}
}
