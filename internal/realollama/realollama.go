// Package realollama starts a real Ollama server with a tiny model, for tests
// that must see the true wire.
//
// The server is next to the repository, in ../shared/ollama from its root. It is not part
// of the repository, so tests that need it are skipped without it.
package realollama

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// The models that the server has. Both have random weights: they judge nothing,
// but obey schema, options and limits.
const (
	Model         = "tinyrandom"
	ThinkingModel = "tinythink" // says that it can think
)

// Start returns the URL of a real server on loopback, started at the first call
// in this test binary and ended when the binary ends, however it ends. It skips the test if
// it has no server to start.
func Start(tb testing.TB) (url string) {
	tb.Helper()
	s, err := started()
	var absent *absentError
	if errors.As(err, &absent) {
		tb.Skip(absent.why)
	}
	if err != nil {
		tb.Fatal(err)
	}
	return s.url
}

// server is a server that runs for as long as lifeline is open.
type server struct {
	url, log string
	lifeline io.Closer
}

// Evaluated returns how many tokens of each prompt the server of [Start] has evaluated so
// far, the latest last: those that it had not kept from an earlier one. Its answers count
// all tokens of a prompt.
func Evaluated(tb testing.TB) (tokens []int) {
	tb.Helper()
	Start(tb)
	s, _ := started() // it was
	text, err := os.ReadFile(s.log)
	if err != nil {
		tb.Fatal(err)
	}
	for _, line := range strings.Split(string(text), "\n") {
		if _, count, ok := strings.Cut(line, " remaining="); ok && strings.Contains(line, "cache slot") {
			n, err := strconv.Atoi(count)
			if err != nil {
				tb.Fatal(err)
			}
			tokens = append(tokens, n)
		}
	}
	return tokens
}

// absentError says why no server can be started.
type absentError struct{ why string }

func (e *absentError) Error() string { return e.why }

var started = sync.OnceValues(start)

func start() (*server, error) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		return nil, &absentError{"no real Ollama server: the one for tests runs on linux/amd64 only"}
	}
	script, err := find()
	if err != nil {
		return nil, err
	}
	state, err := os.MkdirTemp("", "realollama-")
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(script)
	cmd.Env = append(os.Environ(), "TMPDIR="+state, "OLLAMA_DEBUG=1") // all that it writes lies there
	var complaint strings.Builder
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("realollama: %s: %w: %s", script, err, complaint.String())
	}
	var url, files string
	var pid int
	if _, err := fmt.Sscan(string(out), &url, &pid, &files); err != nil {
		return nil, fmt.Errorf("realollama: %s printed %q, not a URL, a process id and a folder", script, out)
	}
	lifeline, err := endWithUs(pid, state)
	if err != nil {
		return nil, err
	}
	return &server{url, filepath.Join(files, "log"), lifeline}, nil
}

// find looks for the start script next to the repository that the test runs in.
func find() (script string, err error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			script = filepath.Join(filepath.Dir(dir), "shared", "ollama", "start")
			if _, err := os.Stat(script); err == nil {
				return script, nil
			}
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", &absentError{"no real Ollama server: there is no ../shared/ollama/start beside the repository"}
		}
		dir = parent
	}
}

// endWithUs starts a process that ends the server and removes its files once
// the pipe to it closes, which happens when this process ends in whatever way.
// A test's cleanup would come too early (other tests use the server) or, after
// a panic or a timeout, never. It outlives the signal of a terminal, which the
// server does too.
func endWithUs(pid int, state string) (lifeline io.Closer, err error) {
	const script = `trap "" INT HUP TERM; read -r _; kill "$1"; while kill -0 "$1" 2>/dev/null; do sleep 0.1; done; rm -rf "$2"`
	watcher := exec.Command("sh", "-c", script, "sh", fmt.Sprint(pid), state)
	lifeline, err = watcher.StdinPipe()
	if err == nil {
		err = watcher.Start()
	}
	if err != nil {
		return nil, errors.Join(err, kill(pid))
	}
	return lifeline, nil
}

func kill(pid int) error {
	p, err := os.FindProcess(pid)
	if err != nil {
		return err
	}
	return p.Kill()
}
