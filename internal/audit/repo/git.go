package repo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/agentsentinel/sentinel/internal/subprocess"
	"github.com/agentsentinel/sentinel/internal/text"
)

// git runs git without this process's environment and without
// any configuration.
type git struct {
	program string // absolute
	home    string // an empty folder but for the file config
	dir     string // of the clone
	replace bool   // objects are replaced by what refs/replace names, which is of our own making
}

// minGit is the first release that has the mends of CVE-2024-32002, -32004, -32020,
// -32021 and -32465.
var minGit = [3]int{2, 39, 4}

// findGit looks git up in PATH and checks its version.
func findGit(ctx context.Context, home string) (*git, error) {
	program, err := exec.LookPath("git")
	if err == nil {
		program, err = filepath.Abs(program)
	}
	if err != nil {
		return nil, fmt.Errorf("there is no git: %w", err)
	}
	g := &git{program: program, home: home}
	out, err := g.run(ctx, "none", "version")
	if err != nil {
		return nil, err
	}
	version, ok := parseVersion(string(out))
	if !ok {
		return nil, fmt.Errorf("git says no version that is understood: %s", text.Name(text.CutBytes(string(out), 80)))
	}
	if tooOld(version) {
		return nil, fmt.Errorf("git %d.%d.%d has known holes in clone", version[0], version[1], version[2])
	}
	return g, nil
}

// parseVersion reads "git version 2.39.5 (Apple Git-154)".
func parseVersion(s string) (v [3]int, ok bool) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(s), "git version ")
	if !ok {
		return v, false
	}
	rest, _, _ = strings.Cut(rest, " ")
	parts := strings.Split(rest, ".")
	if len(parts) < 2 {
		return v, false
	}
	for i := range min(3, len(parts)) {
		n, err := strconv.Atoi(parts[i])
		if err != nil && i < 2 {
			return v, false
		}
		v[i] = n // of "0-rc1" it is 0
	}
	return v, true
}

// tooOld reports whether a version lacks the mends: they came to each line of
// releases at its own number.
func tooOld(v [3]int) bool {
	switch {
	case v[0] != minGit[0]:
		return v[0] < minGit[0]
	case v[1] < minGit[1]:
		return true
	}
	return v[2] < map[int]int{39: minGit[2], 40: 2, 41: 1, 42: 2, 43: 4, 44: 1, 45: 1}[v[1]]
}

// environment is all that git knows of the world. protocols is what it may speak:
// "https", "file" or "none"; it overrides whatever a configuration allows.
func (g *git) environment(protocols string) []string {
	config := "/dev/null"
	if protocols == "file" {
		config = filepath.Join(g.home, configFile)
	}
	env := []string{
		"PATH=" + filepath.Dir(g.program) + string(filepath.ListSeparator) + "/usr/bin" + string(filepath.ListSeparator) + "/bin",
		"HOME=" + g.home,
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_SYSTEM=/dev/null", "GIT_CONFIG_GLOBAL=" + config,
		"GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=", "SSH_ASKPASS=",
		"GIT_ALLOW_PROTOCOL=" + protocols, "GIT_PROTOCOL_FROM_USER=0",
		"GIT_LFS_SKIP_SMUDGE=1", "GIT_NO_LAZY_FETCH=1", "GIT_ATTR_NOSYSTEM=1",
		"GIT_OPTIONAL_LOCKS=0", "LC_ALL=C", "TZ=UTC",
	}
	if !g.replace {
		env = append(env, "GIT_NO_REPLACE_OBJECTS=1")
	}
	return env
}

// configFile is what the other end of a local clone reads: the settings of argv do
// not reach it. It lets large files be left out.
const (
	configFile = "config"
	configText = "[uploadpack]\n\tallowFilter = true\n[core]\n\thooksPath = /dev/null\n\tfsmonitor = false\n"
)

// settings are given to every command: they take away what a configuration could
// have git run.
func settings() []string {
	var argv []string
	for _, s := range []string{
		"core.hooksPath=/dev/null", "core.symlinks=false", "core.fsmonitor=false", "core.quotePath=false", "core.pager=cat",
		"credential.helper=", "submodule.recurse=false", "protocol.allow=never", "http.followRedirects=false",
		"filter.lfs.smudge=", "filter.lfs.required=false", "gc.auto=0", "maintenance.auto=false",
	} {
		argv = append(argv, "-c", s)
	}
	return argv
}

func (g *git) command(protocols string, args []string) subprocess.Program {
	argv := append([]string{g.program, "--no-pager"}, settings()...)
	if g.dir != "" {
		argv = append(argv, "--git-dir="+g.dir)
	}
	return subprocess.Program{Argv: append(argv, args...), Dir: g.home, Env: g.environment(protocols), MaxStdout: maxOutput}
}

// maxOutput bounds what git may say at once, in bytes: the tree of as many files
// as are taken.
const maxOutput = 64 << 20

// run returns what git says. args may begin with settings, -c NAME=VALUE. The error of a command that failed is a *gitError.
func (g *git) run(ctx context.Context, protocols string, args ...string) ([]byte, error) {
	out, err := subprocess.Run(ctx, g.command(protocols, args))
	if err != nil {
		return nil, err
	}
	return out.Stdout, failure(args, out)
}

// listRemote lists the references of the other side. spoken says that it talked
// git's protocol: git takes any web page for an empty repository.
func (g *git) listRemote(ctx context.Context, protocol string, args []string) (refs []byte, spoken bool, err error) {
	p := g.command(protocol, args)
	p.Env = append(p.Env, "GIT_TRACE_PACKET=1")
	out, err := subprocess.Run(ctx, p)
	if err != nil {
		return nil, false, err
	}
	return out.Stdout, bytes.Contains(out.Stderr, []byte("packet:")), failure(args, out)
}

// stream lets use read what git says while it says it.
func (g *git) stream(ctx context.Context, args []string, use func(in io.WriteCloser, out io.Reader) error) error {
	out, err := subprocess.Stream(ctx, g.command("none", args), use)
	if err != nil {
		return err
	}
	return failure(args, out)
}

func failure(args []string, out subprocess.Output) error {
	if out.Exit == 0 {
		return nil
	}
	for len(args) > 2 && args[0] == "-c" {
		args = args[2:]
	}
	return &gitError{command: args[0], exit: out.Exit, stderr: out.Stderr}
}

// gitError is a git that failed. What it said may be the server's words.
type gitError struct {
	command string
	exit    int
	stderr  []byte
}

// Error tells git's last words, which say why.
func (e *gitError) Error() string {
	var said []string
	for line := range bytes.Lines(e.stderr) {
		if words := strings.Trim(string(line), " \t\r\n\x00"); words != "" && !strings.HasPrefix(words, "warning:") {
			said = append(said, text.Name(text.CutBytes(words, 300)))
		}
	}
	if n := len(said); n > 3 {
		said = said[n-3:]
	}
	if len(said) == 0 {
		return fmt.Sprintf("git %s failed with exit status %d", e.command, e.exit)
	}
	return fmt.Sprintf("git %s: %s", e.command, strings.Join(said, "; "))
}

// within bounds a step and tells its end from that of the caller's context.
func within(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, limit, errTimeout)
}

var errTimeout = errors.New("it took too long")
