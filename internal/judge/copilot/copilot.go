// Package copilot asks a model by GitHub Copilot's command line, `copilot -p`, so
// that a Copilot subscription is enough and no API key is needed.
//
// The command line is an agent. What version 1.0.102 was seen to need, so that it
// is a judge and nothing else:
//
//   - The user's hooks run even in an empty folder. There is no argument against
//     them, but a setting of the folder's: the neutral folder has it, and is trusted
//     for the one call (--trust-folder), without which it would not be read.
//   - --available-tools with a name that no tool has leaves none; an empty list
//     leaves all.
//   - The user's own MCP servers are started. Each has to be switched off by name,
//     so the names are read from mcp-config.json in Copilot's folder.
//   - Standard input is the prompt, so no process list shows it and it has no
//     limit of 120 KB. One that begins with a slash may be a command.
//   - There is no system prompt, schema, temperature or limit of tokens to set. The
//     first two become part of the prompt, with some 8 KB of Copilot's own.
//   - It repeats a failed request for up to a minute, and continues an answer that
//     was cut. The first ends with the context of the call, by force; the second is
//     an error, because the parts may not belong together.
//   - It keeps a log of each session in its own folder, with the prompt in it, and
//     nothing turns that off. The log is removed when the call has ended, unless it
//     was ended by force. Copies of it in Copilot's database are not removed.
package copilot

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/judge/failure"
	"github.com/agentsentinel/sentinel/internal/judge/internal/agentcli"
	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/internal/strictjson"
)

// Name is the name of the backend, in responses and errors.
const Name = "copilot"

// Defaults of [Options].
const (
	DefaultPath  = "copilot"
	DefaultModel = "gpt-5-mini"
)

// Options says how to run it. The zero value of each field means its default.
type Options struct {
	// Path is the program; default [DefaultPath], looked for in PATH.
	Path string

	// Model is asked when a request names none; default [DefaultModel].
	Model string

	// StateDir is the user's state folder. The program runs in a folder of its own
	// below it, and the token that guards against recursion lies there. "" means
	// a temporary folder for each call and no token: right where no hook of
	// Sentinel's own can run.
	StateDir string

	// Env is the environment to start from; nil is that of this process. Variables that a
	// running agent has set are removed.
	Env []string
}

// Backend asks by one program. It is safe for concurrent use, and
// also a [sentinel.Pinger]. Tokens are not reported; images cannot
// be passed on.
//
// Its errors are *[sentinel.BackendError]. They wrap
//
//   - [sentinel.ErrUnavailable] when the program is not there, not signed in, was
//     refused by the service or ended in another way than it should; with
//     [sentinel.ErrBusy] too when a limit is reached;
//   - [sentinel.ErrMalformed] when the model's answer is empty or in several parts.
type Backend struct {
	cli   *agentcli.CLI
	model string
}

// New returns a backend; opts may be nil. Nothing is run before the first call.
func New(opts *Options) *Backend {
	if opts == nil {
		opts = &Options{}
	}
	return &Backend{
		model: cmp.Or(opts.Model, DefaultModel),
		cli: &agentcli.CLI{
			Path:     cmp.Or(opts.Path, DefaultPath),
			Install:  "install GitHub Copilot's command line, or name another backend",
			StateDir: opts.StateDir, Folder: Name,
			Files: map[string]string{".github/copilot/settings.json": `{"disableAllHooks":true}` + "\n"},
			Env:   opts.Env, Drop: dropped,
		},
	}
}

// dropped are variables that tell of the session that this process is part of,
// or that would give the model tools, instructions or another conversation. What
// is needed to sign in or to reach a provider of one's own stays.
func dropped(name string) bool {
	switch name {
	case "COPILOT_ALLOW_ALL", "COPILOT_ASSISTED_APPROVAL", "COPILOT_CUSTOM_INSTRUCTIONS_DIRS", "COPILOT_MODEL",
		"COPILOT_CLI", "COPILOT_CLI_BINARY_VERSION", "COPILOT_CLI_RESOLVED_DIST_DIR", "COPILOT_HOOK_DIR",
		"COPILOT_PROJECT_DIR", "COPILOT_PROMPT_MODE_REPO_HOOKS", "COPILOT_EVENTS_LOG_DIRECTORY", "COPILOT_AUTO_TIER",
		"CLAUDE_PROJECT_DIR", "USE_TGREP":
		return true
	}
	return false
}

// Complete asks the model and returns its whole answer.
func (b *Backend) Complete(ctx context.Context, req sentinel.Request) (sentinel.Response, error) {
	resp, err := b.complete(ctx, cmp.Or(req.Model, b.model), req)
	return failure.Completed(ctx, Name, resp, err)
}

func (b *Backend) complete(ctx context.Context, model string, req sentinel.Request) (sentinel.Response, error) {
	if len(req.Images) > 0 {
		return sentinel.Response{}, fmt.Errorf("%w: images cannot be passed on to Copilot", errors.ErrUnsupported)
	}
	home := copilotHome(b.cli.Environ())
	out, err := b.cli.Run(ctx, arguments(model, req.Think, mcpServers(home)), []string{"COPILOT_AUTO_UPDATE=false"}, prompt(req))
	if err != nil {
		return sentinel.Response{}, err
	}
	r, err := read(out.Stdout)
	forget(home, r.session)
	if err != nil {
		return sentinel.Response{}, broken(out, err)
	}
	text, err := r.answer(out)
	if len(req.Schema) > 0 {
		text = strictjson.Only(text)
	}
	return sentinel.Response{Text: text, Backend: Name, Model: model}, err
}

// arguments are the same for the same question. Without -p the prompt is read
// from standard input.
func arguments(model string, think bool, servers []string) []string {
	args := []string{
		"--output-format", "json", "--stream", "off", "--model", model,
		"--available-tools=none", "--no-custom-instructions", "--disable-builtin-mcps",
		"--trust-folder", "--no-ask-user", "--no-remote", "--no-remote-export", "--no-experimental",
		"--no-auto-update", "--no-color", "--log-level", "none",
	}
	if !think && strings.HasPrefix(model, "gpt-5") { // other models may have no such setting
		args = append(args, "--reasoning-effort", "low")
	}
	for _, s := range servers {
		args = append(args, "--disable-mcp-server", s)
	}
	return args
}

// prompt is all that is asked. It never begins with a slash.
func prompt(req sentinel.Request) string {
	system := cmp.Or(req.System, "Answer the question below.")
	text := system + "\n\n" + req.Prompt
	if len(req.Schema) > 0 {
		text += "\n\nAnswer with one JSON value that obeys this JSON Schema, with nothing before or after it and no code fence:\n" + string(req.Schema)
	}
	return text
}

// copilotHome is Copilot's own folder, by the environment; "" if that does not
// say.
func copilotHome(env []string) string {
	var home string
	for _, variable := range env {
		name, value, _ := strings.Cut(variable, "=")
		switch {
		case name == "COPILOT_HOME" && value != "":
			return value
		case (name == "HOME" || name == "USERPROFILE") && value != "":
			home = filepath.Join(value, ".copilot")
		}
	}
	return home
}

// maxConfig bounds the file of MCP servers, in bytes.
const maxConfig = 1 << 20

// mcpServers are the names of the servers that the user has registered with
// Copilot. A file that cannot be read has none that Copilot could read.
func mcpServers(home string) []string {
	if home == "" {
		return nil
	}
	data, err := safefile.Read(filepath.Join(home, "mcp-config.json"), maxConfig)
	if err != nil {
		return nil
	}
	var config struct {
		Servers map[string]json.RawMessage `json:"mcpServers"`
	}
	_ = json.Unmarshal(data, &config) // what was read before an error counts
	var names []string
	for name := range config.Servers {
		if name != "" && !strings.HasPrefix(name, "-") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// forget removes the log of a session, which holds the prompt. An id of any other
// form than Copilot's is left alone.
func forget(home, session string) {
	if home == "" || !isUUID(session) {
		return
	}
	_ = os.RemoveAll(filepath.Join(home, "session-state", session)) // it is Copilot's to keep if it cannot be removed
}

func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		switch c := s[i]; {
		case i == 8 || i == 13 || i == 18 || i == 23:
			if c != '-' {
				return false
			}
		case (c < '0' || c > '9') && (c < 'a' || c > 'f'):
			return false
		}
	}
	return true
}

// Ping checks that the program is there. Only a question shows whether it is signed
// in and has the model.
func (b *Backend) Ping(ctx context.Context, _ string) error {
	err := ctx.Err()
	if err == nil {
		err = b.cli.Look()
	}
	return failure.Of(ctx, Name, "ping", err)
}

var (
	_ sentinel.Backend = (*Backend)(nil)
	_ sentinel.Pinger  = (*Backend)(nil)
)
