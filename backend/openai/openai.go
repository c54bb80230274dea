// Package openai asks a model on any server that has OpenAI's chat completions:
// llama.cpp, vLLM, LM Studio, Ray Serve, OpenAI itself and many gateways.
//
// The answer is held to the request's JSON Schema by response_format. Servers
// differ in what they take. If a server refuses a parameter with status 400 before any
// model has seen the question (a schema of two branches, strict, a temperature, max_tokens
// under its old name, a seed), the parameter is left out or changed, the question is asked
// again, and the server is asked in that way from then on. Servers that ignore a schema
// are found by a probe, see [Backend.Probe].
//
// Nothing is streamed. An answer that is cut, empty, refused by the model, or
// held back by a filter is an error. So is a redirect to another host, which
// would carry the prompt there.
package openai

import (
	"cmp"
	"context"
	"crypto/tls"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/backend"
	"github.com/agentsentinel/sentinel/backend/internal/capabilities"
	"github.com/agentsentinel/sentinel/backend/internal/logprobs"
	"github.com/agentsentinel/sentinel/backend/internal/webapi"
	"github.com/agentsentinel/sentinel/internal/judge/failure"
)

// Name is the name of the backend, in responses and errors.
const Name = "openai"

// Defaults of [Options].
const (
	DefaultBaseURL = "https://api.openai.com/v1"
	DefaultKeyName = "OPENAI_API_KEY"
)

// defaultTokens bounds an answer when the request does not.
const defaultTokens = 300

// DefaultThinking is how many tokens a model may think, beyond the answer's own: its
// thoughts count as output, and would use up the answer's.
const DefaultThinking = 2000

// refusals are the statuses of a request whose form is refused. llama.cpp answers 500 to a
// schema that it cannot turn into a grammar.
var refusals = []int{http.StatusBadRequest, http.StatusUnprocessableEntity, http.StatusInternalServerError}

// ownHost is where OpenAI itself serves.
const ownHost = "api.openai.com"

// Options says whom to ask. The zero value of each field means its default.
type Options struct {
	// BaseURL is the address before /chat/completions; default [DefaultBaseURL].
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

	// Thinking is how many tokens a model may think that is asked to, or does so unasked,
	// beyond those of the answer; default [DefaultThinking].
	Thinking int

	// Memory keeps what the server was found to accept, for other processes and for
	// a week. nil keeps it for this Backend alone.
	Memory backend.Shared

	// Count is called with the model before each question of [Backend.Probe], which is not
	// put if it returns an error. nil allows all.
	Count func(model string) error

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

// Backend asks one server. It is safe for concurrent use. It also
// implements [sentinel.Pinger] and [io.Closer].
//
// Its errors are *[sentinel.BackendError]. They wrap
//
//   - [sentinel.ErrUnavailable] when the server could not be reached, refused, or
//     answered with what no such server sends; with [sentinel.ErrBusy] too when it
//     limits its callers, RetryAfter being what it asked for; with
//     [errors.ErrUnsupported] when it refused an image;
//   - [sentinel.ErrMalformed] when the model's answer is cut, empty or a refusal.
type Backend struct {
	client   *webapi.Client
	own      string // model
	thinking int    // tokens
	models   *capabilities.Notes
	bound    *capabilities.Notes // the way in which a schema binds a model's answers
	count    func(model string) error
}

// New returns a backend; opts may be nil. Nothing is asked before the first
// call, so a wrong URL or a missing model shows there.
func New(opts *Options) *Backend {
	if opts == nil {
		opts = &Options{}
	}
	b := &Backend{own: opts.Model, thinking: cmp.Or(opts.Thinking, DefaultThinking), count: opts.Count, client: webapi.NewClient(webapi.ClientOptions{
		Backend: Name, Host: ownHost, Kind: "an OpenAI-compatible server",
		BaseURL: cmp.Or(opts.BaseURL, DefaultBaseURL), KeyName: cmp.Or(opts.KeyName, DefaultKeyName), Key: opts.Key,
		Model: opts.Model, Memory: opts.Memory, HTTP: opts.HTTP, Proxy: opts.Proxy, TLS: opts.TLS,
		Refusals: refusals,
	}, func(s *webapi.Service) uint32 { return uint32(firstMode(opts.SchemaBranches, s.Is(ownHost))) })}
	if opts.Key != "" {
		b.client.Header.Set("Authorization", "Bearer "+opts.Key)
	}
	b.models = capabilities.NewNotes("server "+Name+" "+b.client.Where(), opts.Memory, nil)
	b.bound = capabilities.NewNotes("schema "+Name+" "+b.client.Where(), opts.Memory, nil)
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
	return b.ask(ctx, model, req, b.way(model))
}

// ask sends a question with its schema in one way. A model that thinks unasked until its
// tokens are used up is asked not to from then on, and has room for it.
func (b *Backend) ask(ctx context.Context, model string, req sentinel.Request, w way) (sentinel.Response, error) {
	var answer completion
	var used mode
	err := webapi.Ask(b.client, model, len(req.Images) > 0, func(m mode) error {
		answer, used = completion{}, m
		return b.client.Post(ctx, "chat/completions", b.newQuestion(model, req, m, w), &answer)
	}, func(m mode, refusal *webapi.StatusError) mode { return m.after(refusal, req, w) })
	if err != nil {
		return sentinel.Response{}, err
	}
	if answer.thought() && answer.cut() {
		b.client.Learn(model, uint32(used|thinksFirst))
	}
	text, err := answer.text()
	if err != nil {
		return sentinel.Response{}, err
	}
	return sentinel.Response{
		Text:         text,
		Backend:      Name,
		Model:        model,
		PromptTokens: answer.Usage.PromptTokens,
		OutputTokens: answer.Usage.CompletionTokens,
		PTrue:        logprobs.Of(answer.Choices[0].Logprobs.Content, req.PTrue),
	}, nil
}

// Ping checks that the server answers and lists the model; "" means the
// backend's own. A server that lists no models is taken at its word.
func (b *Backend) Ping(ctx context.Context, name string) error {
	return failure.Of(ctx, Name, "ping", b.ping(ctx, name))
}

func (b *Backend) ping(ctx context.Context, name string) error {
	name, err := b.client.Model(name)
	if err != nil {
		return err
	}
	var list struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if err := b.client.Models(ctx, "models", &list); err != nil {
		return err
	}
	var ids []string
	for _, m := range list.Data {
		ids = append(ids, m.ID)
	}
	if len(ids) == 0 || slices.Contains(ids, name) {
		return nil
	}
	return fmt.Errorf("%w: the server at %s does not have model %q: it has %s", sentinel.ErrUnavailable, b.client.Where(), name, listed(ids))
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
func (b *Backend) Close() error { return b.client.Close() }

var (
	_ sentinel.Backend = (*Backend)(nil)
	_ sentinel.Pinger  = (*Backend)(nil)
)
