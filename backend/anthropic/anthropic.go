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
// Nothing is streamed. An answer that is cut, empty, or refused by the model is an
// error. So is a redirect to another host, which would carry the prompt there.
package anthropic

import (
	"cmp"
	"context"
	"crypto/tls"
	"net/http"
	"net/url"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/backend"
	"github.com/agentsentinel/sentinel/backend/internal/webapi"
	"github.com/agentsentinel/sentinel/internal/judge/failure"
)

// Name is the name of the backend, in responses and errors.
const Name = "anthropic"

// Defaults of [Options].
const (
	DefaultBaseURL = "https://api.anthropic.com"
	DefaultKeyName = "ANTHROPIC_API_KEY"
)

const (
	// defaultTokens bounds an answer when the request does not.
	defaultTokens = 300
	// version of the protocol, a required header.
	version = "2023-06-01"
	// ownHost is where Anthropic itself serves.
	ownHost = "api.anthropic.com"
)

// Options says whom to ask. The zero value of each field means its default.
type Options struct {
	// BaseURL is the address before /v1/messages; default [DefaultBaseURL].
	BaseURL string

	// Key is sent as x-api-key; "" sends none, for gateways that add it. KeyName
	// is how errors name it; default [DefaultKeyName].
	Key, KeyName string

	// Model is asked when a request names none. There is no default: a request
	// without any model is an error.
	Model string

	// Thinking is how many tokens a model may think that cannot help it, beyond those of
	// the answer; default [DefaultThinking].
	Thinking int

	// Memory keeps what the server was found to accept, for other processes and for
	// a week. nil keeps it for this Backend alone.
	Memory backend.Shared

	// HTTP is the client to use; its CheckRedirect is replaced. nil means one of
	// the backend's own, which has no time limit but the context's and uses the
	// proxy that Proxy returns, or none; [http.ProxyFromEnvironment] is one. A
	// service without TLS is asked directly, so that no proxy reads along.
	HTTP  *http.Client
	Proxy func(*http.Request) (*url.URL, error)

	// TLS says which authority the server's certificate may be of, and has a certificate for
	// a server that asks for one; nil takes the system's authorities. It goes with a nil HTTP.
	TLS *tls.Config
}

// Backend asks one service. It is safe for concurrent use. It also
// implements [sentinel.Pinger] and [io.Closer]. The API has no seeds,
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
	client   *webapi.Client
	thinking int // tokens
}

// New returns a backend; opts may be nil. Nothing is asked before the first
// call, so a wrong URL or a missing model shows there.
func New(opts *Options) *Backend {
	if opts == nil {
		opts = &Options{}
	}
	b := &Backend{thinking: cmp.Or(opts.Thinking, DefaultThinking), client: webapi.NewClient(webapi.ClientOptions{
		Backend: Name, Host: ownHost, Kind: "a server with Anthropic's Messages API",
		BaseURL: cmp.Or(opts.BaseURL, DefaultBaseURL), KeyName: cmp.Or(opts.KeyName, DefaultKeyName), Key: opts.Key,
		Model: opts.Model, Memory: opts.Memory, HTTP: opts.HTTP, Proxy: opts.Proxy, TLS: opts.TLS,
		Refusals: []int{http.StatusBadRequest},
	}, func(*webapi.Service) uint32 { return 0 })}
	b.client.Header.Set("Anthropic-Version", version)
	if opts.Key != "" {
		b.client.Header.Set("X-Api-Key", opts.Key)
	}
	return b
}

// Complete asks the model and returns its whole answer.
func (b *Backend) Complete(ctx context.Context, req sentinel.Request) (sentinel.Response, error) {
	resp, err := b.complete(ctx, req)
	return failure.Completed(ctx, Name, resp, err)
}

func (b *Backend) complete(ctx context.Context, req sentinel.Request) (sentinel.Response, error) {
	model, err := b.client.Model(req.Model)
	if err != nil {
		return sentinel.Response{}, err
	}
	var q *question
	var answer message
	err = webapi.Ask(b.client, model, len(req.Images) > 0, func(m mode) error {
		q, answer = b.newQuestion(model, req, m), message{}
		return b.client.Post(ctx, "v1/messages", q, &answer)
	}, mode.after)
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

// Ping checks that the service answers, takes the key and knows the model; ""
// means the backend's own. It costs nothing.
func (b *Backend) Ping(ctx context.Context, model string) error {
	model, err := b.client.Model(model)
	if err == nil {
		var described struct{}
		err = b.client.Models(ctx, "v1/models/"+url.PathEscape(model), &described)
	}
	return failure.Of(ctx, Name, "ping", err)
}

// Close lets go of idle connections. The backend stays usable.
func (b *Backend) Close() error { return b.client.Close() }

var (
	_ sentinel.Backend = (*Backend)(nil)
	_ sentinel.Pinger  = (*Backend)(nil)
)
