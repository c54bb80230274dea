// Package ollama asks a model on an Ollama server.
//
// A guard must not take a cut or missing answer for an answer. Servers of versions
// 0.24 and 0.32 were seen to need this:
//
//   - A prompt longer than the context is cut silently: truncate and shift are
//     false, and the server then refuses it.
//   - A thinking model thinks by default, and uses up the tokens
//     of the answer: think is always sent.
//   - num_predict 0 means no limit: it is never sent.
//   - Another num_ctx than the loaded one has the model loaded again: every
//     request, [Backend.Warm] too, sends the same.
//   - Status 200 comes with answers that are cut ("done":false, or a done_reason
//     other than "stop"), empty, an error, or HTML: each is an error here.
//   - A stream that the client hangs up on can leave the server stuck for every
//     caller: nothing is streamed. A call that is not may be cancelled at any time.
//   - A redirect would carry the prompt to wherever it points: one to another
//     host is refused.
//
// A request goes to the server that [New] was given, whatever the environment says:
// neither OLLAMA_HOST nor a proxy counts. Nothing is signed, and no key in ~/.ollama
// is read. ollama.com takes signed requests only, so asking it is
// [sentinel.ErrRefused].
package ollama

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/backend"
	"github.com/agentsentinel/sentinel/backend/internal/capabilities"
	"github.com/agentsentinel/sentinel/backend/internal/logprobs"
	"github.com/agentsentinel/sentinel/backend/internal/webapi"
	"github.com/agentsentinel/sentinel/internal/jsonschema"
	"github.com/agentsentinel/sentinel/internal/judge/failure"
)

// Name is the name of the backend, in responses and errors.
const Name = "ollama"

// Defaults of [Options].
const (
	DefaultURL       = "http://localhost:11434"
	DefaultModel     = "gemma3:4b"
	DefaultKeepAlive = 10 * time.Minute
	DefaultNumCtx    = 4096
)

// DefaultThinking is how many tokens a model may think, beyond the answer's own.
const DefaultThinking = 2000

// defaultTokens bounds an answer when the request does not.
const defaultTokens = 300

// Schema modes: how schemas that are an anyOf are sent.
const (
	twoBranches uint32 = iota
	oneBranch
)

// Options says how to ask. The zero value of each field means its default.
type Options struct {
	// Model is asked when a request names none; default [DefaultModel].
	Model string

	// KeepAlive is how long the server keeps the model loaded after a call;
	// default [DefaultKeepAlive]. Negative means for ever.
	KeepAlive time.Duration

	// NumCtx is the context in tokens, for prompt and answer together; default
	// [DefaultNumCtx]. A longer prompt is an error, never cut.
	NumCtx int

	// Thinking is how many tokens a model may think where it is asked to, beyond those
	// of the answer, which the server counts together; default [DefaultThinking].
	Thinking int

	// SchemaBranches is how a schema that is an anyOf of objects is sent: 2,
	// the default, as it is; 1 merged into one object, for servers that refuse
	// anyOf. A server that is seen to refuse it gets the merged one by itself,
	// at once and from then on.
	SchemaBranches int

	// Memory keeps what was found out about how the server wants to be asked, for
	// other processes and for a week. nil keeps it for this Backend alone.
	Memory backend.Shared

	// Count is called with the model before the question of [Backend.Probe], which is not put
	// if it returns an error. nil allows all.
	Count func(model string) error

	// HTTP is the client to use. Its CheckRedirect is replaced. nil means one of
	// the backend's own that uses no proxy and has no time limit but the
	// context's.
	HTTP *http.Client
}

// Backend asks one Ollama server. It is safe for concurrent use. It also
// implements [sentinel.Pinger], [sentinel.Warmer] and [io.Closer].
//
// Its errors are *[sentinel.BackendError]. They wrap
//
//   - [sentinel.ErrUnavailable] when the server could not be reached, answered
//     with an error, or with what no Ollama server sends; with [sentinel.ErrBusy]
//     too when it is overloaded, and the error of the context when that ended;
//   - [sentinel.ErrMalformed] when the model's answer is cut or empty;
//   - [errors.ErrUnsupported] when the model cannot see or cannot think;
//   - [sentinel.ErrRefused] when the request would have been signed.
type Backend struct {
	base      *url.URL
	service   *webapi.Service
	model     string
	keepAlive time.Duration
	numCtx    int
	thinking  int                 // tokens
	modes     *capabilities.Modes // of the schema: two branches or one
	families  *capabilities.Notes // of models
	bound     *capabilities.Notes // whether a schema binds a model's answers
	count     func(model string) error
}

// New returns a backend for the server at base; nil means [DefaultURL]. opts may
// be nil. Nothing is asked before the first call, so a wrong base shows there.
func New(base *url.URL, opts *Options) *Backend {
	if opts == nil {
		opts = &Options{}
	}
	if base == nil {
		base = &url.URL{Scheme: "http", Host: "localhost:11434"}
	}
	b := &Backend{
		base:      base,
		service:   webapi.New(base.String(), opts.HTTP, nil, nil),
		model:     cmp.Or(opts.Model, DefaultModel),
		keepAlive: cmp.Or(opts.KeepAlive, DefaultKeepAlive),
		numCtx:    cmp.Or(opts.NumCtx, DefaultNumCtx),
		thinking:  cmp.Or(opts.Thinking, DefaultThinking),
		count:     opts.Count,
	}
	b.service.Kind, b.service.Start = "an Ollama server", "start Ollama there (`ollama serve`)"
	first := twoBranches
	if opts.SchemaBranches == 1 {
		first = oneBranch
	}
	b.modes = capabilities.New(first, Name+" "+base.String(), opts.Memory, nil)
	b.bound = capabilities.NewNotes("schema "+Name+" "+base.String(), opts.Memory, nil)
	b.families = capabilities.NewNotes("family "+Name+" "+base.String(), opts.Memory, nil)
	return b
}

// Complete asks the model and returns its whole answer.
func (b *Backend) Complete(ctx context.Context, req sentinel.Request) (sentinel.Response, error) {
	resp, err := b.complete(ctx, cmp.Or(req.Model, b.model), req)
	return failure.Completed(ctx, Name, resp, err)
}

func (b *Backend) complete(ctx context.Context, name string, req sentinel.Request) (sentinel.Response, error) {
	if len(req.Images) > 0 {
		if err := b.sees(ctx, name); err != nil {
			return sentinel.Response{}, err
		}
	}
	answer, err := b.ask(ctx, name, req)
	if err == nil {
		err = b.whole(answer)
	}
	if err != nil {
		return sentinel.Response{}, err
	}
	return sentinel.Response{
		Text:         answer.Message.Content,
		Backend:      Name,
		Model:        name,
		PromptTokens: answer.PromptEvalCount,
		OutputTokens: answer.EvalCount,
		PTrue:        logprobs.Of(answer.Logprobs, req.PTrue),
	}, nil
}

// ask sends the question, and once more with a merged schema to a server that
// refuses one of several branches. That is still one question: the refusal came
// before any model saw it.
func (b *Backend) ask(ctx context.Context, name string, req sentinel.Request) (*answer, error) {
	merged := b.modes.Of("") == oneBranch // a matter of the server, not of its models
	answer, err := b.chat(ctx, b.newChat(name, req, merged))
	if merged || !ofSchema(err) || !jsonschema.IsAnyOf(req.Schema) {
		return answer, err
	}
	answer, err = b.chat(ctx, b.newChat(name, req, true))
	if err == nil {
		b.modes.Learn("", oneBranch)
	}
	return answer, err
}

// whole says whether an answer is all of what the model had to say.
func (b *Backend) whole(answer *answer) error {
	switch {
	case !answer.Done:
		return fmt.Errorf("%w: the model stopped in the middle of its answer (done is false)", sentinel.ErrMalformed)
	case answer.DoneReason == "length" && answer.PromptEvalCount+answer.EvalCount >= b.numCtx:
		return fmt.Errorf("%w: %w: the prompt left %d tokens for the answer, which was cut: raise num_ctx, or show less",
			sentinel.ErrMalformed, sentinel.ErrTooLong, answer.EvalCount)
	case answer.DoneReason == "length":
		return fmt.Errorf("%w: the answer was cut after %d tokens: allow more, or a larger num_ctx", sentinel.ErrMalformed, answer.EvalCount)
	case answer.DoneReason != "stop":
		return fmt.Errorf("%w: the answer ended for the reason %s, not \"stop\"", sentinel.ErrMalformed, failure.Excerpt(answer.DoneReason))
	case strings.TrimSpace(answer.Message.Content) == "":
		return fmt.Errorf("%w: the answer is empty", sentinel.ErrMalformed)
	}
	return nil
}

// sees checks that the model takes images. Asking is needed: version 0.24 drops
// the images of a model that does not, and answers.
func (b *Backend) sees(ctx context.Context, name string) error {
	about, err := b.show(ctx, name)
	if err != nil {
		return err
	}
	if !slices.Contains(about.Capabilities, "vision") {
		return fmt.Errorf("%w: model %q cannot see images", errors.ErrUnsupported, name)
	}
	return nil
}

// Ping checks that an Ollama server answers and that it has the model; "" means
// the backend's own.
func (b *Backend) Ping(ctx context.Context, name string) error {
	return failure.Of(ctx, Name, "ping", b.ping(ctx, cmp.Or(name, b.model)))
}

func (b *Backend) ping(ctx context.Context, name string) error {
	if err := b.ready(); err != nil {
		return err
	}
	if _, err := b.version(ctx, name); err != nil {
		return err
	}
	_, err := b.show(ctx, name)
	return err
}

// version asks which version the server is of.
func (b *Backend) version(ctx context.Context, name string) (string, error) {
	var about struct{ Version string }
	if err := b.service.Get(ctx, "api/version", &about); err != nil {
		return "", b.explain(name, err)
	}
	if about.Version == "" {
		return "", fmt.Errorf("%w: what answers at %s tells no version, so it is no Ollama server", sentinel.ErrUnavailable, b.service.Where())
	}
	return about.Version, nil
}

// Warm has the model loaded, with the context that judgements use, and returns
// when it is; "" means the backend's own. Loading takes a second for a small model
// and minutes for a large one. A ctx that ends before makes the server give
// the load up, and the next caller has to start again: give it time.
func (b *Backend) Warm(ctx context.Context, name string) error {
	name = cmp.Or(name, b.model)
	load := b.newChat(name, sentinel.Request{}, false)
	load.Messages = []message{} // no messages: load and say nothing
	answer, err := b.chat(ctx, load)
	if err == nil && !(answer.Done && answer.DoneReason == "load") {
		err = fmt.Errorf("%w: the server did not say that model %q is loaded", sentinel.ErrUnavailable, name)
	}
	return failure.Of(ctx, Name, "warm", err)
}

// Close lets go of idle connections. The backend stays usable. It never fails,
// and leaves a client that [Options] brought alone.
func (b *Backend) Close() error { return b.service.Close() }

// ready refuses to ask where no server of the user's own can be.
func (b *Backend) ready() error {
	if b.base.Host == "" || (b.base.Scheme != "http" && b.base.Scheme != "https") {
		return fmt.Errorf("%w: %q is no URL of a server: write it as %s", sentinel.ErrUnavailable, b.base.Redacted(), DefaultURL)
	}
	if strings.EqualFold(strings.TrimSuffix(b.base.Hostname(), "."), "ollama.com") {
		return fmt.Errorf("%w: ollama.com wants requests that are signed with the key in ~/.ollama, which is not read here: use a server of your own", sentinel.ErrRefused)
	}
	return nil
}

var (
	_ sentinel.Backend = (*Backend)(nil)
	_ sentinel.Pinger  = (*Backend)(nil)
	_ sentinel.Warmer  = (*Backend)(nil)
)
