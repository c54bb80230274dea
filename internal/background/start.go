package background

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// Start starts this program again, as its hidden [Command], in a process that
// outlives this one: in a session of its own, with nothing inherited but a pipe that
// holds its job and is closed before Start returns. wait waits for its end; a caller
// that does not wait leaves the child to the system.
//
// An agent waits for its hook until the hook's output is closed by every process
// that has it, and may end the hook's process group or session with it. So the child
// has neither. Work that is lost with a container is done at the next
// start of a session.
//
// With an error wait is nil where nothing was started, and else waits for the part
// of the job that could be handed over.
func Start(env []string, job *Job, stateDir string) (wait func() error, err error) {
	input, err := job.input(stateDir)
	if input != nil {
		var failed error
		wait, failed = start(env, input)
		err = errors.Join(err, failed)
	}
	if err != nil {
		err = fmt.Errorf("sentinel: background work cannot be started: %w", err)
	}
	return wait, err
}

// errNested is the error of a job that is started by a job.
var errNested = errors.New("this process does background work itself")

// start starts this program again. A process that was started so starts no other: a program
// that does not know the command, such as a test, would start itself without end.
func start(env []string, input []byte) (wait func() error, err error) {
	if len(os.Args) > 1 && os.Args[1] == Command {
		return nil, errNested
	}
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(program, Command)
	cmd.Dir = filepath.VolumeName(program) + string(filepath.Separator) // no folder is kept from being removed
	cmd.Env = env
	cmd.Stdin = read // no output: os/exec gives the null device
	cmd.SysProcAttr = ownSession()
	inheritNothing()
	err = cmd.Start()
	read.Close()
	if err == nil {
		_, err = io.Copy(write, bytes.NewReader(input))
	}
	write.Close()
	if err != nil {
		return nil, err
	}
	return cmd.Wait, nil
}

// Env is the environment of a child: the variables for finding the user's
// folders, the programs and the services that judge, and none of the agent's session.
// more are further names, such as those of keys that the configuration names.
func Env(environ, more []string) []string {
	var kept []string
	for _, variable := range environ {
		name, _, _ := strings.Cut(variable, "=")
		if runtime.GOOS == "windows" {
			name = strings.ToUpper(name)
		}
		if isNeeded(name) || contains(more, name) {
			kept = append(kept, variable)
		}
	}
	return kept
}

func contains(names []string, name string) bool {
	for _, n := range names {
		if n == name || runtime.GOOS == "windows" && strings.EqualFold(n, name) {
			return true
		}
	}
	return false
}

// isNeeded knows variables by their name, and families of them by its beginning.
func isNeeded(name string) bool {
	switch name {
	case "PATH", "HOME", "USER", "LOGNAME", "USERPROFILE", "LANG", "TZ", "TMPDIR", "TMP", "TEMP",
		"SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA",
		"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "no_proxy", "all_proxy",
		"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS",
		"CLAUDE_CONFIG_DIR", "CLOUD_ML_REGION", "GITHUB_TOKEN", "GOCOVERDIR":
		return true
	}
	for _, family := range [...]string{
		"SENTINEL_", "XDG_", "LC_", // where things are, and how texts are written
		"ANTHROPIC_", "CLAUDE_CODE_", "OPENAI_", "COPILOT_", "GH_", // signing in to a judge
		"AWS_", "AZURE_", "GOOGLE_", "VERTEX_", // the clouds that serve one
	} {
		if strings.HasPrefix(name, family) {
			return true
		}
	}
	return false
}
