// Package claude asks a model by Claude Code's command line, `claude -p`, so that
// a Claude subscription is enough and no API key is needed.
//
// Claude Code is an agent: by itself it would run hooks and MCP servers, read
// CLAUDE.md and settings of its working folder, offer its tools, keep a
// session file, and read every file that the text it is given mentions with an @.
// A judge must do none of that, and last of all with text that somebody else
// wrote. What version 2.1.329 was seen to need for it:
//
//   - --safe-mode has no hooks, plugins, skills, MCP servers and no CLAUDE.md, and
//     leaves sign-in alone, which --bare does not. --setting-sources user keeps the
//     user's own ways to sign in (env, apiKeyHelper) and no project's settings.
//   - --tools "" alone still reads mentioned files, inside and outside of the
//     working directory. CLAUDE_CODE_DISABLE_ATTACHMENTS and a denied Read each
//     stop that; both are set.
//   - A prompt that begins with a slash is a command, even with
//     --disable-slash-commands; one that begins with an empty line is not.
//   - Hooks of an administrator's policy still run. A token in the environment
//     keeps Sentinel's own from judging the judge.
//   - By itself it repeats a failed request for minutes; retries are off, and the
//     call has the time of its context, after which its whole process group is
//     ended.
//
// The prompt goes to standard input, so that no process list shows it. The
// system prompt and the schema, which hold no data of the action, are arguments.
package claude

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/jsonschema"
	"github.com/agentsentinel/sentinel/internal/judge/failure"
	"github.com/agentsentinel/sentinel/internal/judge/internal/agentcli"
)

// Name is the name of the backend, in responses and errors.
const Name = "claude"

// Defaults of [Options].
const (
	DefaultPath  = "claude"
	DefaultModel = "haiku"
)

const (
	// defaultTokens bounds an answer when the request does not.
	defaultTokens = 300
	// maxArgument bounds what goes into one argument, in bytes; Linux takes 128 KB.
	maxArgument = 120 << 10
	// settings of this call alone. They win over the user's.
	settings = `{"disableAllHooks":true,"permissions":{"deny":["Read"]}}`
)

// Options says how to run it. The zero value of each field means its default.
type Options struct {
	// Path is the program; default [DefaultPath], looked for in PATH.
	Path string

	// Model is asked when a request names none; default [DefaultModel]. It is an
	// alias that Claude Code knows, or a model's full name.
	Model string

	// StateDir is the user's state folder. The program runs in an empty folder
	// below it, and the token that guards against recursion lies there. "" means
	// a temporary folder for each call and no token: right where no hook of
	// Sentinel's own can run.
	StateDir string

	// Dir is the working directory in place of that empty folder.
	Dir string

	// Env is the environment to start from; nil is that of this process. Variables that a
	// running agent has set are removed.
	Env []string
}

// Backend asks by one program. It is safe for concurrent use, and
// also a [sentinel.Pinger]. Temperature, seeds and probabilities
// are not Claude Code's to set or tell; images cannot be passed on.
//
// Its errors are *[sentinel.BackendError]. They wrap
//
//   - [sentinel.ErrUnavailable] when the program is not there, not signed in, was
//     refused by the service or ended in another way than it should; with
//     [sentinel.ErrBusy] too when a limit is reached;
//   - [sentinel.ErrMalformed] when the model's answer is cut, empty or not of the
//     schema.
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
			Install:  "install Claude Code, or name another backend",
			StateDir: opts.StateDir, Folder: Name, Dir: opts.Dir,
			Env: opts.Env, Drop: dropped,
		},
	}
}

// dropped are variables that tell of the session that this process is part of,
// or that would undo what the arguments say. What is needed to sign in, such as
// ANTHROPIC_BASE_URL and CLAUDE_CONFIG_DIR, stays.
func dropped(name string) bool {
	switch name {
	case "CLAUDECODE", "CLAUDE_PID", "CLAUDE_PROJECT_DIR", "CLAUDE_ENV_FILE", "CLAUDE_EFFORT", "AI_AGENT",
		"CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SESSION_ID", "CLAUDE_CODE_CHILD_SESSION", "CLAUDE_CODE_CHILD_NOTES_DIR",
		"CLAUDE_CODE_SESSION_ATTENDED", "CLAUDE_CODE_MESSAGING_SOCKET", "CLAUDE_CODE_MESSAGING_TOKEN", "CLAUDE_CODE_SSE_PORT",
		"CLAUDE_CODE_REMOTE", "CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_EXTRA_BODY", "CLAUDE_CODE_MAX_TURNS",
		"CLAUDE_CODE_DISABLE_STRUCTURED_OUTPUTS", "CLAUDE_CODE_FORCE_SESSION_PERSISTENCE", "MAX_THINKING_TOKENS":
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
		return sentinel.Response{}, fmt.Errorf("%w: images cannot be passed on to Claude Code", errors.ErrUnsupported)
	}
	schema := jsonschema.Merge(req.Schema, jsonschema.Common) // the service takes no anyOf at the top
	if len(req.System) > maxArgument || len(schema) > maxArgument {
		return sentinel.Response{}, fmt.Errorf("%w: the system prompt or the schema is longer than %d bytes", sentinel.ErrUnavailable, maxArgument)
	}
	out, err := b.cli.Run(ctx, arguments(model, req.System, schema), variables(ctx, req), stdin(req.Prompt))
	if err != nil {
		return sentinel.Response{}, err
	}
	r, err := parse(out.Stdout)
	if err != nil {
		return sentinel.Response{}, notAResult(out, err)
	}
	text, err := r.text(len(schema) > 0)
	return sentinel.Response{
		Text:         text,
		Backend:      Name,
		Model:        model,
		PromptTokens: r.Usage.Input + r.Usage.CacheCreation + r.Usage.CacheRead,
		OutputTokens: r.Usage.Output,
	}, err
}

// arguments are the same for the same question.
func arguments(model, system string, schema json.RawMessage) []string {
	args := []string{
		"-p", "--output-format", "json", "--model", model, "--system-prompt", system,
		"--safe-mode", "--setting-sources", "user", "--settings", settings,
		"--strict-mcp-config", "--tools", "", "--disable-slash-commands",
		"--no-session-persistence", "--max-turns", "1",
	}
	if len(schema) > 0 {
		var line bytes.Buffer
		if json.Compact(&line, schema) != nil {
			line.Reset()
			line.Write(schema) // Claude Code says what is wrong with it
		}
		args = append(args, "--json-schema", line.String())
	}
	return args
}

// variables are what a call sets in the environment.
func variables(ctx context.Context, req sentinel.Request) []string {
	limit := agentcli.DefaultTimeout
	if end, bounded := ctx.Deadline(); bounded {
		limit = max(time.Until(end), time.Millisecond)
	}
	set := []string{
		"API_TIMEOUT_MS=" + strconv.FormatInt(max(limit.Milliseconds(), 1), 10),
		"CLAUDE_CODE_MAX_RETRIES=0",
		"CLAUDE_CODE_DISABLE_ATTACHMENTS=1",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
		"CLAUDE_CODE_DISABLE_NONSTREAMING_FALLBACK=1",
		"DISABLE_AUTOUPDATER=1",
	}
	if req.Think { // thoughts count as output, so the answer's bound would cut them
		return set
	}
	tokens := req.MaxTokens
	if tokens <= 0 {
		tokens = defaultTokens
	}
	return append(set, "CLAUDE_CODE_DISABLE_THINKING=1", "CLAUDE_CODE_EFFORT_LEVEL=low",
		"CLAUDE_CODE_MAX_OUTPUT_TOKENS="+strconv.Itoa(tokens))
}

// stdin keeps the first word of a prompt from being a command.
func stdin(prompt string) string {
	if strings.HasPrefix(strings.TrimSpace(prompt), "/") {
		return "\n" + prompt
	}
	return prompt
}

// Ping checks that the program is there and signed in, without asking a model.
func (b *Backend) Ping(ctx context.Context, _ string) error {
	return failure.Of(ctx, Name, "ping", b.ping(ctx))
}

func (b *Backend) ping(ctx context.Context) error {
	out, err := b.cli.Run(ctx, []string{"auth", "status"}, nil, "")
	if err != nil {
		return err
	}
	var status struct{ LoggedIn *bool }
	if json.Unmarshal(out.Stdout, &status) != nil || status.LoggedIn == nil {
		return notAResult(out, errNoResult)
	}
	if !*status.LoggedIn {
		return notSignedIn()
	}
	return nil
}

var (
	_ sentinel.Backend = (*Backend)(nil)
	_ sentinel.Pinger  = (*Backend)(nil)
)
