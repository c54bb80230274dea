// Package anthropic asks a model by Anthropic's Messages API, at Anthropic or at
// a gateway that speaks it.
//
// An answer is held to the request's JSON Schema by a tool that the model has to
// call: every model and every gateway knows tools, while the newer ways are known
// to some. The service takes no schema that is an anyOf at the top, so the
// branches of one are merged into an object that requires what all of them do:
// a clean verdict stays short. A model that always thinks cannot be made to call a
// tool, and some take no temperature; where a model says so, it is asked at once
// without, and from then on.
//
// Nothing is streamed. An answer that is cut, empty, or
// refused by the model is an error. So is a redirect to another host, which would
// carry the prompt there.
package anthropic

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/backend"
	"github.com/agentsentinel/sentinel/backend/internal/failure"
	"github.com/agentsentinel/sentinel/backend/internal/learned"
	"github.com/agentsentinel/sentinel/backend/internal/webapi"
)

// Name is the name of the backend, in responses and errors.
const Name = "anthropic"

// What [New] takes for what is not set.
const (
	DefaultBaseURL = "https://api.anthropic.com"
	DefaultKeyName = "ANTHROPIC_API_KEY"
)

const (
	// defaultTokens bounds an answer when the request does not.
	defaultTokens = 300
	// version of the protocol, which the service wants to be told.
	version = "2023-06-01"
	// ownHost is where Anthropic itself serves.
	ownHost = "api.anthropic.com"
)

// Options says whom to ask. The zero value of each field means its default.
type Options struct {
	// BaseURL is what stands before /v1/messages; default [DefaultBaseURL].
	BaseURL string

	// Key is sent as x-api-key; "" sends none, for gateways that add it. KeyName
	// is how errors name it; default [DefaultKeyName].
	Key, KeyName string

	// Model is asked when a request names none. There is no default: a request
	// without any model is an error.
	Model string

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

// Backend asks one service. It is safe for concurrent use, and beside
// [sentinel.Backend] a [sentinel.Pinger] and an io.Closer. The API has no seeds,
// and it gives no probabilities of tokens.
//
// Its errors are *[sentinel.BackendError]. They wrap
//
//   - [sentinel.ErrUnavailable] when the service could not be reached, refused, or
//     answered with what it never sends; with [sentinel.ErrBusy] too when it
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
	b.ways = learned.New(0, Name+" "+b.service.Where(), opts.Memory, nil)
	b.service.Kind, b.service.Key = "a server with Anthropic's Messages API", b.keyName
	return b
}

// Complete asks the model and returns its whole answer.
func (b *Backend) Complete(ctx context.Context, req sentinel.Request) (sentinel.Response, error) {
	resp, err := b.complete(ctx, cmp.Or(req.Model, b.model), req)
	if err != nil {
		return sentinel.Response{}, failure.Of(ctx, Name, "complete", err)
	}
	return resp, nil
}

func (b *Backend) complete(ctx context.Context, model string, req sentinel.Request) (sentinel.Response, error) {
	if err := b.ready(model); err != nil {
		return sentinel.Response{}, err
	}
	q, answer, err := b.ask(ctx, model, req)
	if err != nil {
		return sentinel.Response{}, err
	}
	text, err := answer.text(len(q.Tools) > 0)
	return sentinel.Response{
		Text:         text,
		Backend:      Name,
		Model:        model,
		PromptTokens: answer.Usage.Input + answer.Usage.CacheCreation + answer.Usage.CacheRead,
		OutputTokens: answer.Usage.Output,
	}, err
}

// ask sends the question, and again in another way where the model refuses the
// first. That is still one question: a refusal comes before any model saw it.
func (b *Backend) ask(ctx context.Context, model string, req sentinel.Request) (*question, *message, error) {
	for w := way(b.ways.Of(model)); ; {
		q, answer := newQuestion(model, req, w), new(message)
		err := b.service.Post(ctx, "v1/messages", b.header(), q, answer)
		var refusal *webapi.StatusError
		if !errors.As(err, &refusal) || refusal.Status != http.StatusBadRequest {
			if err == nil {
				b.ways.Learn(model, uint32(w))
			}
			return q, answer, err
		}
		next := w.after(refusal)
		if next == w {
			if len(req.Images) > 0 {
				err = fmt.Errorf("%w: does model %q see images? %w", errors.ErrUnsupported, model, err)
			}
			return q, nil, err
		}
		w = next
	}
}

// ready finds what is missing before anything is sent.
func (b *Backend) ready(model string) error {
	if model == "" {
		return fmt.Errorf("%w: no model is named: set backends.anthropic.model, or the rule's `model`", sentinel.ErrUnavailable)
	}
	if b.key == "" && b.service.Is(ownHost) {
		return fmt.Errorf("%w: there is no key: set %s", sentinel.ErrUnavailable, b.keyName)
	}
	return nil
}

func (b *Backend) header() http.Header {
	h := http.Header{}
	h.Set("Anthropic-Version", version)
	if b.key != "" {
		h.Set("X-Api-Key", b.key)
	}
	return h
}

// Ping checks that the service answers, takes the key and knows the model; ""
// means the backend's own. It costs nothing.
func (b *Backend) Ping(ctx context.Context, model string) error {
	model = cmp.Or(model, b.model)
	err := b.ready(model)
	if err == nil {
		var described struct{}
		err = b.service.Get(ctx, "v1/models/"+url.PathEscape(model), b.header(), &described)
	}
	return failure.Of(ctx, Name, "ping", err)
}

// Close lets go of idle connections. The backend stays usable.
func (b *Backend) Close() error { return b.service.Close() }

var (
	_ sentinel.Backend = (*Backend)(nil)
	_ sentinel.Pinger  = (*Backend)(nil)
)
