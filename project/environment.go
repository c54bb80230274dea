package project

import (
	"path/filepath"
	"runtime"
)

// Environment returns the options that the sentinel command opens a project with: where the
// user's files are, by the variables of the environment that getenv reads (os.Getenv, or a
// test's own). A program that embeds Sentinel and uses them shares the user's rules, key,
// trust and caches with the command. It need not: see [Options].
func Environment(getenv func(string) string) *Options {
	e := environment{getenv}
	cache := ".cache"
	if runtime.GOOS == "darwin" {
		cache = "Library/Caches"
	}
	return &Options{
		ConfigDir:  getenv("SENTINEL_CONFIG_DIR"),
		UserDir:    e.folder("XDG_CONFIG_HOME", ".config"),
		CacheDir:   e.folder("XDG_CACHE_HOME", cache),
		StateDir:   e.folder("XDG_STATE_HOME", ".local/state"),
		Home:       e.home(),
		RuntimeDir: getenv("XDG_RUNTIME_DIR"),
		Getenv:     getenv,
	}
}

// environment finds the user's folders.
type environment struct{ getenv func(string) string }

// home is the user's folder, or "".
func (e environment) home() string {
	if h := e.getenv("HOME"); h != "" {
		return h
	}
	return e.getenv("USERPROFILE")
}

// folder is a folder of the user: below the variable xdg when it is set, else
// below the home folder. "" when neither is there.
func (e environment) folder(xdg, fallback string) string {
	base := e.getenv(xdg)
	if !filepath.IsAbs(base) { // the XDG specification ignores relative ones
		if e.home() == "" {
			return ""
		}
		base = filepath.Join(e.home(), filepath.FromSlash(fallback))
	}
	return filepath.Join(base, "sentinel")
}
