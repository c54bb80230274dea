// Package openai asks a model on any server that has OpenAI's chat completions:
// llama.cpp, vLLM, LM Studio, Ray Serve, OpenAI itself and many gateways.
//
// The answer is held to the request's JSON Schema by response_format. Servers
// differ in what they take. What one of them refuses with status 400 before any
// model has seen the question (a schema of two branches, strict, a temperature,
// max_tokens under its old name, a seed) is left out or put otherwise, the
// question is asked again, and the server is asked in that way from then on.
//
// Nothing is streamed. An answer that is cut, empty, refused by the model, or
// held back by a filter is an error. So is a redirect to another host, which
// would carry the prompt there.
package openai

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/backend"
	"github.com/agentsentinel/sentinel/backend/internal/failure"
	"github.com/agentsentinel/sentinel/backend/internal/learned"
	"github.com/agentsentinel/sentinel/backend/internal/logprobs"
	"github.com/agentsentinel/sentinel/backend/internal/webapi"
)

// Name is the name of the backend, in responses and errors.
const Name = "openai"

// What [New] takes for what is not set.
const (
	DefaultBaseURL = "https://api.openai.com/v1"
	DefaultKeyName = "OPENAI_API_KEY"
)

const (
	// defaultTokens bounds an answer when the request does not.
	defaultTokens = 300
	// thinkingTokens is the room that a model gets which cannot help but think:
	// its thoughts count as output, and would use up the answer's tokens.
	thinkingTokens = 2000
)

// ownHost is where OpenAI itself serves.
const ownHost = "api.openai.com"

// Options says whom to ask. The zero value of each field means its default.
type Options struct {
	// BaseURL is what stands before /chat/completions; default [DefaultBaseURL].
	// A llama.cpp server is http://localhost:8080/v1.
	BaseURL string

	// Key is sent as a bearer token; "" sends none, as servers of one's own
	// need none. KeyName is how errors name it; default [DefaultKeyName].
	Key, KeyName string

	// Model is asked when a request names none. There is no default: a request
	// without any model is an error.
	Model string

	// SchemaBranches is how a schema that is an anyOf of objects is sent: 2 as
	// it is, 1 merged into one object. 0 finds out; OpenAI itself takes one.
	SchemaBranches int

	// Memory keeps what was found out about how the server wants to be asked, for
	// other processes and for a week. nil keeps it for this Backend alone.
	Memory backend.Shared

	// HTTP is the client to use; its CheckRedirect is replaced. nil means one of
	// the backend's own, which has no time limit but the context's and uses the
	// proxy that Proxy tells, or none; [http.ProxyFromEnvironment] is one. A
	// service without TLS is asked directly, so that no proxy reads along.
	HTTP  *http.Client
	Proxy func(*http.Request) (*url.URL, error)
}

// Backend asks one server. It is safe for concurrent use, and beside
// [sentinel.Backend] a [sentinel.Pinger] and an io.Closer.
//
// Its errors are *[sentinel.BackendError]. They wrap
//
//   - [sentinel.ErrUnavailable] when the server could not be reached, refused, or
//     answered with what no such server sends; with [sentinel.ErrBusy] too when it
//     limits its callers, RetryAfter being what it asked for; with
//     [errors.ErrUnsupported] when it refused an image;
//   - [sentinel.ErrMalformed] when the model's answer is cut, empty or a refusal.
type Backend struct {
	service *webapi.Service
	key     string
	keyName string
	model   string
	ways    *learned.Ways // of the server's models; each a way
}

// New returns a backend; opts may be nil. Nothing is asked before the first
// call, so a wrong URL or a missing model shows there.
func New(opts *Options) *Backend {
	if opts == nil {
		opts = &Options{}
	}
	b := &Backend{
		service: webapi.New(cmp.Or(opts.BaseURL, DefaultBaseURL), opts.HTTP, opts.Proxy),
		key:     opts.Key,
		keyName: cmp.Or(opts.KeyName, DefaultKeyName),
		model:   opts.Model,
	}
	b.service.Kind, b.service.Key = "an OpenAI-compatible server", b.keyName
	first := firstWay(opts.SchemaBranches, b.service.Is(ownHost))
	b.ways = learned.New(uint32(first), Name+" "+b.service.Where(), opts.Memory, nil)
	return b
}

// Complete asks the model and returns its whole answer.
func (b *Backend) Complete(ctx context.Context, req sentinel.Request) (sentinel.Response, error) {
	name := cmp.Or(req.Model, b.model)
	if err := b.ready(name); err != nil {
		return sentinel.Response{}, failure.Of(ctx, Name, "complete", err)
	}
	var text string
	answer, err := b.ask(ctx, name, req)
	if err == nil {
		text, err = answer.text()
	}
	if err != nil {
		return sentinel.Response{}, failure.Of(ctx, Name, "complete", err)
	}
	return sentinel.Response{
		Text:         text,
		Backend:      Name,
		Model:        name,
		PromptTokens: answer.Usage.PromptTokens,
		OutputTokens: answer.Usage.CompletionTokens,
		PTrue:        logprobs.OfTrue(answer.places()),
	}, nil
}

// ready finds what is missing before anything is sent.
func (b *Backend) ready(model string) error {
	if model == "" {
		return fmt.Errorf("%w: no model is named: set backends.openai.model, or the rule's `model`", sentinel.ErrUnavailable)
	}
	if b.key == "" && b.service.Is(ownHost) {
		return fmt.Errorf("%w: there is no key: set %s", sentinel.ErrUnavailable, b.keyName)
	}
	return nil
}

// ask sends the question, and again in another way for as long as the server
// refuses the way and there is another. That is still one question: a refusal
// comes before any model saw it.
func (b *Backend) ask(ctx context.Context, model string, req sentinel.Request) (*completion, error) {
	for w := way(b.ways.Of(model)); ; {
		var answer completion
		err := b.service.Post(ctx, "chat/completions", b.header(), newQuestion(model, req, w), &answer)
		var refusal *webapi.StatusError
		if !errors.As(err, &refusal) || !wrongWay(refusal.Status) {
			if err == nil {
				b.ways.Learn(model, uint32(w))
			}
			return &answer, err
		}
		next := w.after(refusal, req)
		if next == w {
			if len(req.Images) > 0 {
				err = fmt.Errorf("%w: does model %q see images? %w", errors.ErrUnsupported, model, err)
			}
			return nil, err
		}
		w = next
	}
}

// wrongWay reports whether a status can mean that the form of the request was
// refused. llama.cpp says 500 of a schema that it cannot turn into a grammar.
func wrongWay(status int) bool {
	return status == http.StatusBadRequest || status == http.StatusUnprocessableEntity || status == http.StatusInternalServerError
}

func (b *Backend) header() http.Header {
	h := http.Header{}
	if b.key != "" {
		h.Set("Authorization", "Bearer "+b.key)
	}
	return h
}

// Ping checks that the server answers and lists the model; "" means the
// backend's own. A server that lists no models is taken at its word.
func (b *Backend) Ping(ctx context.Context, name string) error {
	return failure.Of(ctx, Name, "ping", b.ping(ctx, cmp.Or(name, b.model)))
}

func (b *Backend) ping(ctx context.Context, name string) error {
	if err := b.ready(name); err != nil {
		return err
	}
	var list struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if err := b.service.Get(ctx, "models", b.header(), &list); err != nil {
		return err
	}
	var ids []string
	for _, m := range list.Data {
		ids = append(ids, m.ID)
	}
	if len(ids) == 0 || slices.Contains(ids, name) {
		return nil
	}
	return fmt.Errorf("%w: the server at %s does not have model %q: it has %s", sentinel.ErrUnavailable, b.service.Where(), name, listed(ids))
}

// listed names a few models.
func listed(ids []string) string {
	const most = 5
	more := ""
	if len(ids) > most {
		more = fmt.Sprintf(" and %d more", len(ids)-most)
		ids = ids[:most]
	}
	return failure.Excerpt(strings.Join(ids, ", ")) + more
}

// Close lets go of idle connections. The backend stays usable.
func (b *Backend) Close() error { return b.service.Close() }

var (
	_ sentinel.Backend = (*Backend)(nil)
	_ sentinel.Pinger  = (*Backend)(nil)
)
