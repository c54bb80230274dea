// Package command asks any program: the question is one JSON object on its
// standard input, the answer one on its output. It is how a judge is written in
// another language.
//
// # The question
//
//	{"version": 1, "system": "…", "prompt": "…", "schema": {…}, "model": "…",
//	 "max_tokens": 300, "temperature": 0.1, "seed": 7, "think": false, "timeout_ms": 4980,
//	 "rule_id": "…", "action": {"trigger": "bash", "target": "git push --force", …}}
//
// schema, model, seed, timeout_ms, rule_id and action are left out if they have no value.
// The action is what the rule judges: trigger (file_write, file_read, bash, mcp), op
// (create, edit, append, delete, move), tool, target, path, content, old, server, mcp_tool,
// args (as the agent sent them), root, dir, derived_from. Its texts were written by others
// and are whole: neither cut nor fenced as in the prompt.
//
// # The answer
//
// Either the answer itself, which for a rule is
//
//	{"violation": true, "confidence": 0.9, "reason": "…"}
//
// or an envelope around its text, with what else is known:
//
//	{"text": "{\"violation\": false, \"confidence\": 1}", "model": "…",
//	 "prompt_tokens": 512, "output_tokens": 12, "p_true": 0.01}
//
// or {"error": "why not"}. Nothing may come before or after it. With an exit
// status other than 0 the text on standard error is the reason of the error.
//
// The program has the time of the call. Then it and everything it started are
// ended by force. More than 1 MB of output ends it too.
package command

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/judge/failure"
	"github.com/agentsentinel/sentinel/internal/judge/internal/agentcli"
	"github.com/agentsentinel/sentinel/internal/subprocess"
)

// Name is the name of the backend, in responses and errors.
const Name = "command"

const (
	// defaultTokens bounds an answer when the request does not.
	defaultTokens = 300
	version       = 1 // of the question
)

// Options says what to run.
type Options struct {
	// Argv is the program and its arguments; no shell sees them. A program
	// without a slash is looked for in PATH, a relative path starts from Dir.
	Argv []string

	// Model is the model of a question whose request names none.
	Model string

	// Dir is the working directory; "" is that of this process.
	Dir string

	// StateDir is the user's state folder, where the token lies that keeps a
	// hook of Sentinel's own from judging what the program does. "" leaves none:
	// right where no such hook can run.
	StateDir string

	// Env is the environment; nil is that of this process.
	Env []string
}

// Backend asks one program, once for each call. It is safe for concurrent use,
// and also a [sentinel.Pinger]. Images are not passed on.
//
// Its errors are *[sentinel.BackendError]. They wrap [sentinel.ErrUnavailable]
// when the program is not there, fails or says that it cannot answer, and
// [sentinel.ErrMalformed] when its output is not an answer.
type Backend struct{ opts Options }

// New returns a backend; opts may be nil, which names no program. Nothing is run
// before the first call.
func New(opts *Options) *Backend {
	if opts == nil {
		opts = &Options{}
	}
	b := &Backend{*opts}
	b.opts.Argv, b.opts.Env = slices.Clone(opts.Argv), slices.Clone(opts.Env)
	return b
}

// Complete runs the program and returns its answer.
func (b *Backend) Complete(ctx context.Context, req sentinel.Request) (sentinel.Response, error) {
	resp, err := b.complete(ctx, req)
	return failure.Completed(ctx, Name, resp, err)
}

func (b *Backend) complete(ctx context.Context, req sentinel.Request) (sentinel.Response, error) {
	if len(req.Images) > 0 {
		return sentinel.Response{}, fmt.Errorf("%w: images are not passed on to a program", errors.ErrUnsupported)
	}
	if _, bounded := ctx.Deadline(); !bounded {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, agentcli.DefaultTimeout)
		defer cancel()
	}
	model := cmp.Or(req.Model, b.opts.Model)
	stdin, err := json.Marshal(newQuestion(ctx, model, req))
	if err != nil {
		return sentinel.Response{}, fmt.Errorf("%w: the question is no JSON: %w", sentinel.ErrUnavailable, err)
	}
	out, err := b.run(ctx, stdin)
	if err != nil {
		return sentinel.Response{}, err
	}
	resp, err := parse(out.Stdout)
	resp.Backend = Name
	resp.Model = cmp.Or(resp.Model, model, b.program())
	return resp, err
}

func (b *Backend) run(ctx context.Context, stdin []byte) (subprocess.Output, error) {
	env, leave, err := agentcli.WithToken(b.opts.StateDir, b.opts.Env)
	if err != nil {
		return subprocess.Output{}, err
	}
	defer leave()
	out, err := subprocess.Run(ctx, subprocess.Program{Argv: b.opts.Argv, Dir: b.opts.Dir, Env: env, Stdin: stdin})
	switch {
	case err != nil:
		return out, explain(err)
	case out.Exit != 0:
		said := ", and said nothing on standard error"
		if text := bytes.TrimSpace(out.Stderr); len(text) > 0 {
			said = ": " + failure.Excerpt(string(text))
		}
		return out, fmt.Errorf("%w: %s ended with status %d%s", sentinel.ErrUnavailable, b.program(), out.Exit, said)
	}
	return out, nil
}

func explain(err error) error {
	switch {
	case errors.Is(err, subprocess.ErrNotFound):
		return fmt.Errorf("%w: correct backends.command.argv: %w", sentinel.ErrUnavailable, err)
	case errors.Is(err, subprocess.ErrFlood):
		return fmt.Errorf("%w: %w", sentinel.ErrMalformed, err)
	}
	return fmt.Errorf("%w: %w", sentinel.ErrUnavailable, err)
}

// program names the program in texts.
func (b *Backend) program() string {
	if len(b.opts.Argv) == 0 {
		return ""
	}
	return b.opts.Argv[0]
}

// Ping checks that the program is there. It is not run.
func (b *Backend) Ping(ctx context.Context, _ string) error {
	err := ctx.Err()
	if err == nil {
		if _, err = subprocess.LookPath(b.opts.Argv, b.opts.Dir); err != nil {
			err = explain(err)
		}
	}
	return failure.Of(ctx, Name, "ping", err)
}

// parse reads an answer strictly: one JSON object and nothing else.
func parse(stdout []byte) (sentinel.Response, error) {
	malformed := func(format string, args ...any) (sentinel.Response, error) {
		return sentinel.Response{}, fmt.Errorf("%w: "+format, append([]any{sentinel.ErrMalformed}, args...)...)
	}
	text := bytes.TrimSpace(stdout)
	if len(text) == 0 {
		return malformed("the program printed nothing")
	}
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(text, &keys); err != nil || keys == nil {
		return malformed("the program printed %s, which is not one JSON object", failure.Excerpt(string(text)))
	}
	_, hasText := keys["text"]
	_, hasError := keys["error"]
	if !hasText && !hasError {
		return sentinel.Response{Text: string(text)}, nil
	}
	var e envelope
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&e); err != nil {
		return malformed("the program's answer has a \"text\" or an \"error\" and is no envelope all the same: %w", err)
	}
	switch {
	case e.Error != "":
		return sentinel.Response{}, fmt.Errorf("%w: the program says %s", sentinel.ErrUnavailable, failure.Excerpt(e.Error))
	case strings.TrimSpace(e.Text) == "":
		return malformed("the program's answer has an empty text")
	case e.PTrue != nil && (*e.PTrue < 0 || *e.PTrue > 1):
		return malformed("p_true is %v, and has to lie between 0 and 1", *e.PTrue)
	}
	return sentinel.Response{
		Text: e.Text, Model: e.Model,
		PromptTokens: max(e.PromptTokens, 0), OutputTokens: max(e.OutputTokens, 0), PTrue: e.PTrue,
	}, nil
}

// envelope is an answer with what is known about it.
type envelope struct {
	Text         string   `json:"text"`
	Error        string   `json:"error"`
	Model        string   `json:"model"`
	PromptTokens int      `json:"prompt_tokens"`
	OutputTokens int      `json:"output_tokens"`
	PTrue        *float64 `json:"p_true"`
}

var (
	_ sentinel.Backend = (*Backend)(nil)
	_ sentinel.Pinger  = (*Backend)(nil)
)
