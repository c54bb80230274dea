package doctor

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"github.com/agentsentinel/sentinel/internal/install"
	"github.com/agentsentinel/sentinel/internal/setup"
	"github.com/agentsentinel/sentinel/internal/subprocess"
)

// programs remembers what was seen of programs: several agents start the same.
type programs struct {
	d    *doctor
	mu   sync.Mutex
	seen map[string]func() program
}

// A program is a file that calls itself sentinel. problem is StatusOK when it may
// be run and is of this very version.
type program struct {
	problem Finding
	version Version // as it says itself; zero where it was not asked
}

// runs reports whether the program may be run.
func (p program) runs() bool { return p.problem.Status == StatusOK || p.problem.Status == StatusWarn }

// at looks at the program of that path, once.
func (s *programs) at(ctx context.Context, path string) program {
	s.mu.Lock()
	once, seen := s.seen[path]
	if !seen {
		once = sync.OnceValue(func() program {
			f, v := s.d.examine(ctx, path)
			return program{f, v}
		})
		s.seen[path] = once
	}
	s.mu.Unlock()
	return once()
}

// examine asks a program for its version. One that lies in a repository is not
// run, because the repository may have brought it along.
func (d *doctor) examine(ctx context.Context, path string) (f Finding, v Version) {
	others := cmp.Or(foreign(path), foreign(resolved(path)))
	switch root := d.holder(path); {
	case d.isSelf(path):
		return ok(path, "this program"), d.Version
	case root != "":
		return fail(path, fmt.Sprintf("%s lies in the repository %s, which may have brought it along: it was not run", path, root),
			"install sentinel outside of the repository and run `sentinel init` again"), v
	case d.GOOS != runtime.GOOS:
		return warn(path, path+" is a program of another system: it was not run", ""), v
	case others != "":
		return fail(path, path+" "+others+", so that others could have put anything there: it was not run",
			"install sentinel in a folder of your own, and run `sentinel init` again"), v
	}
	const reinstall = "keep one and remove the others: `sentinel version --all` lists them, how each was installed, and which one a hook starts"
	ctx, cancel := context.WithTimeout(ctx, d.Patience/2)
	defer cancel()
	out, err := d.run(ctx, subprocess.Program{Argv: []string{path, "version", "--json"}})
	if err != nil {
		return fail(path, fmt.Sprintf("%s does not run: %v", path, err), reinstall), v
	}
	if out.Exit != 0 || json.Unmarshal(out.Stdout, &v) != nil || v.Version == "" {
		return fail(path, fmt.Sprintf("%s does not tell its version (exit status %d), so it is not a sentinel that this one knows", path, out.Exit), reinstall), Version{}
	}
	if v != d.Version {
		return warn(path, fmt.Sprintf("%s is another version: %s, %s; this is %s, %s", path, v, v.Go, d.Version, d.Version.Go), reinstall), v
	}
	return ok(path, path+" is this version"), v
}

// holder is the repository that a program lies in, "" for none.
func (d *doctor) holder(path string) string {
	path = resolved(path)
	for _, root := range d.roots() {
		if rel, err := filepath.Rel(resolved(root), path); err == nil && filepath.IsLocal(rel) {
			return root
		}
	}
	return ""
}

// roots are the repositories and projects that are looked at, those around them
// too: a project may be a part of a larger repository.
func (d *doctor) roots() []string {
	roots := []string{d.Root}
	for dir := d.Root; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil && dir != d.Root {
			roots = append(roots, dir)
		}
	}
	for _, f := range d.project.Folders {
		if !f.User && f.Root != "" {
			roots = append(roots, f.Root)
		}
	}
	return roots
}

// resolved is a path without links, or as it is where that cannot be told.
func resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return filepath.Clean(path)
}

// locate finds the program that a call names, as the agent's shell would. A name alone is
// looked for on the PATH and then in further, other folders in which programs are looked
// for.
func (d *doctor) locate(c install.Call, further ...string) (path string, problem Finding) {
	name := c.Program
	switch {
	case c.Home && d.Home == "":
		return "", fail(name, "the hook names a program in the home folder, and there is none", "set HOME")
	case c.Home:
		name = filepath.Join(d.Home, name)
	case !strings.ContainsAny(name, `/\`):
		if path = d.lookPath(name, further...); path == "" {
			return "", fail(name, "the hook names "+name+", and no such program is on the PATH: nothing is checked",
				"have it on the agent's PATH"+fromSource(name))
		}
		return path, Finding{}
	}
	if !filepath.IsAbs(name) {
		return "", fail(name, "the hook names the program "+name+" relative to the folder that the agent happens to be in: it was not run",
			"run `sentinel init` again: it writes the full path")
	}
	if !setup.Executable(name) {
		return "", fail(name, "the hook names "+name+", and there is no such program: nothing is checked",
			"install sentinel there, or run `sentinel init` again with the one that is installed")
	}
	return name, Finding{}
}

// lookPath finds a program on the PATH that agents have.
func (d *doctor) lookPath(name string, further ...string) string {
	return setup.LookPath(d.place, name, further...)
}

// slots is how many programs run at once.
const slots = 4

// errNoTurn: the time was over before the program was started.
var errNoTurn = errors.New("there was no time left to run it")

// run runs a program in a folder of its own, which is thrown away, unless p names
// one. It ends when ctx does.
func (d *doctor) run(ctx context.Context, p subprocess.Program) (subprocess.Output, error) {
	select {
	case d.slots <- struct{}{}:
		defer func() { <-d.slots }()
	case <-ctx.Done():
		return subprocess.Output{}, fmt.Errorf("%w: %w", errNoTurn, ctx.Err())
	}
	if p.Dir == "" {
		dir, err := os.MkdirTemp("", "sentinel-doctor-")
		if err != nil {
			return subprocess.Output{}, err
		}
		defer os.RemoveAll(dir)
		p.Dir = dir
	}
	if p.Env == nil {
		p.Env = d.outside(p.Dir)
	}
	return subprocess.Run(ctx, p)
}

// outside is the environment of a program that must neither see
// nor change the user's Sentinel: its folders lie in dir.
func (d *doctor) outside(dir string) []string {
	var env []string
	for _, variable := range d.Environ {
		name, _, _ := strings.Cut(variable, "=")
		if d.GOOS == "windows" {
			name = strings.ToUpper(name)
		}
		if !ofTheSession(name) {
			env = append(env, variable)
		}
	}
	for _, name := range []string{"XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"} {
		env = append(env, name+"="+filepath.Join(dir, strings.ToLower(name)))
	}
	return env
}

// ofTheSession reports whether a variable describes the agent that doctor was started in,
// of Sentinel, or loads code into a shell.
func ofTheSession(name string) bool {
	switch name {
	case "ENV", "BASH_ENV", "CLAUDE_PROJECT_DIR", "CLAUDECODE":
		return true
	}
	return strings.HasPrefix(name, "SENTINEL_") || strings.HasPrefix(name, "XDG_") || strings.HasPrefix(name, "BASH_FUNC_")
}
