package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/agentsentinel/sentinel"
)

// sessionCommand is the hidden command by which a hook starts the work that
// nobody waits for. Its input is a [sessionWork]; nothing about the session stands
// in its arguments, which every user of the machine can read.
const sessionCommand = "session-work"

// sessionWork is what a child is told to do.
type sessionWork struct {
	Phase      string   `json:"phase"`
	Agent      string   `json:"agent"`
	Session    string   `json:"session"`
	Transcript string   `json:"transcript,omitempty"`
	Starts     []string `json:"starts"` // folders from which rules are looked for
}

func newSessionWork(ev sentinel.Event, starts []string) sessionWork {
	return sessionWork{Phase: ev.Phase.String(), Agent: ev.Agent, Session: ev.Session, Transcript: ev.Transcript, Starts: starts}
}

// event is the event that the work is about.
func (w *sessionWork) event() (sentinel.Event, error) {
	phase, err := sentinel.ParsePhase(w.Phase)
	if err != nil {
		return sentinel.Event{}, err
	}
	ev := sentinel.Event{Phase: phase, Agent: w.Agent, Session: w.Session, Transcript: w.Transcript}
	if len(w.Starts) > 0 {
		ev.Dir = w.Starts[0]
	}
	return ev, nil
}

// maxWork bounds the work that is handed over, in bytes. It fits into a pipe, so
// that a hook never waits for its child to read.
const maxWork = 32 << 10

// detach starts the command again as a process that outlives this one: in a
// session of its own, with nothing inherited but a pipe that holds its work and
// is closed before detach returns. wait waits for its end; who does not call it
// leaves the child to the system.
//
// An agent waits for its hook until the hook's output is closed by all who have
// it, and may end the hook's process group or session with it. So the child has
// neither. What kills it with its container is made up for at the next start of a
// session.
func detach(env []string, w sessionWork) (wait func() error, err error) {
	input, err := json.Marshal(w)
	switch {
	case err != nil:
		return nil, err
	case len(input) > maxWork:
		return nil, fmt.Errorf("sentinel: the session's work is described by %d bytes, more than %d", len(input), maxWork)
	}
	if wait, err = leaveBehind(env, sessionCommand, input); err != nil {
		return nil, fmt.Errorf("sentinel: the session's work could not be started: %w", err)
	}
	return wait, nil
}

// leaveBehind is [detach] for a hidden command and its input.
func leaveBehind(env []string, command string, input []byte) (wait func() error, err error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(program, command)
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

// childEnv is the environment of a child: what finding the user's folders, the
// programs and the services that judge needs, and nothing of the agent's session.
// more are further names, such as those of keys that the configuration names.
func childEnv(environ, more []string) []string {
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
