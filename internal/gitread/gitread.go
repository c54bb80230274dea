// Package gitread asks git what a repository holds. The repository may be hostile, and
// the answer has to come soon: nothing that its configuration or attributes name is
// run, nothing is fetched, written or locked, and time and output are bounded.
package gitread

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agentsentinel/sentinel/internal/subprocess"
)

// maxOutput bounds what one question may be answered, in bytes.
const maxOutput = 1 << 20

// maxQuestions bounds how often one Reader starts git.
const maxQuestions = 32

// A Reader asks git and remembers the answers. It is safe for concurrent use.
type Reader struct {
	Limit time.Duration // for all its questions together; like Index it is set before the first
	Index string        // absolute: the index that is asked about; "" for that of the work tree

	mu      sync.Mutex
	used    time.Duration
	answers map[string]answer
}

type answer struct {
	out []byte
	err error
}

// Command is the beginning of a command line of git. It switches off the programs that
// the configuration of a repository starts for every command, and applies further
// settings.
func Command(settings ...string) []string {
	argv := []string{"git", "--no-pager"}
	for _, s := range append([]string{"core.fsmonitor=false", "core.hooksPath=" + os.DevNull, "core.quotePath=true"}, settings...) {
		argv = append(argv, "-c", s)
	}
	return argv
}

// questions are the commands of git that only read, and the option that each has to have: without
// it filters of the repository would run.
var questions = map[string]string{
	"cat-file": "", "diff-index": "--cached", "diff-tree": "", "log": "--name-only", "ls-files": "", "ls-tree": "", "rev-list": "",
}

// Ask runs a command of git that reads, in a folder: one of questions. Other ones are refused. The
// error says why the answer is missing.
func (r *Reader) Ask(ctx context.Context, dir string, args ...string) ([]byte, error) {
	if len(args) == 0 {
		return nil, fmt.Errorf("gitread: no question")
	}
	if option, ok := questions[args[0]]; !ok || option != "" && !slices.Contains(args, option) {
		return nil, fmt.Errorf("gitread: git %s is not a question", args[0])
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	key := dir + "\x00" + strings.Join(args, "\x00")
	if a, ok := r.answers[key]; ok {
		return a.out, a.err
	}
	if len(r.answers) >= maxQuestions || r.used >= r.Limit {
		return nil, fmt.Errorf("gitread: no time is left for git %s", args[0])
	}
	out, err := r.run(ctx, dir, args)
	if r.answers == nil {
		r.answers = make(map[string]answer)
	}
	r.answers[key] = answer{out, err}
	return out, err
}

func (r *Reader) run(ctx context.Context, dir string, args []string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, r.Limit-r.used)
	defer cancel()
	argv := append(Command("core.pager=cat", "core.untrackedCache=false", "diff.external=", "protocol.allow=never",
		"diff.ignoreSubmodules=all", "submodule.recurse=false", "log.showSignature=false"),
		"--literal-pathspecs", "--no-optional-locks")
	began := time.Now()
	out, err := subprocess.Run(ctx, subprocess.Program{Argv: append(argv, args...), Dir: dir, Env: r.environment(), MaxStdout: maxOutput})
	r.used += time.Since(began)
	switch line, _, _ := strings.Cut(strings.TrimSpace(string(out.Stderr)), "\n"); {
	case err != nil:
		return nil, fmt.Errorf("gitread: git %s: %w", args[0], err)
	case out.Exit != 0:
		return nil, fmt.Errorf("gitread: git %s: exit status %d: %s", args[0], out.Exit, line)
	case out.Partial:
		return nil, fmt.Errorf("gitread: git %s: its output was not read to the end", args[0])
	}
	return out.Stdout, nil
}

// environment is that of this process without what leads git elsewhere.
func (r *Reader) environment() []string {
	env := []string{
		"GIT_CONFIG_NOSYSTEM=1", "GIT_OPTIONAL_LOCKS=0", "GIT_NO_LAZY_FETCH=1", "GIT_TERMINAL_PROMPT=0", "GIT_ATTR_NOSYSTEM=1", "GIT_NO_REPLACE_OBJECTS=1",
		"LC_ALL=C",
	}
	if r.Index != "" {
		env = append(env, "GIT_INDEX_FILE="+r.Index)
	}
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "GIT_") && !strings.HasPrefix(v, "LC_ALL=") {
			env = append(env, v)
		}
	}
	return env
}
