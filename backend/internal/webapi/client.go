package webapi

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/backend"
	"github.com/agentsentinel/sentinel/backend/internal/capabilities"
)

// ClientOptions are what the services with a key differ in.
type ClientOptions struct {
	Backend  string // its name
	Host     string // where the maker itself serves, and a key is needed
	Kind     string // see Service.Kind
	BaseURL  string
	KeyName  string
	Key      string
	Model    string
	Refusals []int // statuses that mean that the form of a request was refused
	Memory   backend.Shared
	HTTP     *http.Client
	Proxy    func(*http.Request) (*url.URL, error)
	TLS      *tls.Config
}

// A Client asks the models of a service that takes a key. It is safe for concurrent
// use.
type Client struct {
	*Service
	opts  ClientOptions
	modes *capabilities.Modes
}

// NewClient returns a client; first is the mode of unknown models. Nothing is asked before the first call.
func NewClient(opts ClientOptions, first func(*Service) uint32) *Client {
	c := &Client{Service: New(opts.BaseURL, opts.HTTP, opts.Proxy, opts.TLS), opts: opts}
	c.Kind, c.Key, c.Header = opts.Kind, opts.KeyName, http.Header{}
	c.modes = capabilities.New(first(c.Service), opts.Backend+" "+c.Where(), opts.Memory, nil)
	return c
}

// Model returns the model that is asked for a request that names one, or none. The
// error says what is missing before anything is sent.
func (c *Client) Model(named string) (string, error) {
	model := cmp.Or(named, c.opts.Model)
	if model == "" {
		return "", fmt.Errorf("%w: no model is named: set backends.%s.model, or the rule's `model`", sentinel.ErrUnavailable, c.opts.Backend)
	}
	if c.opts.Key == "" && c.Is(c.opts.Host) {
		return "", fmt.Errorf("%w: there is no key: set %s", sentinel.ErrUnavailable, c.opts.KeyName)
	}
	return model, nil
}

// Mode returns the mode in which a model is asked. Learn notes another one.
func (c *Client) Mode(model string) uint32 { return c.modes.Of(model) }

// Learn is described at [Client.Mode].
func (c *Client) Learn(model string, mode uint32) { c.modes.Learn(model, mode) }

// Ask has send ask a model in the mode that it is known to accept. While the service
// refuses the mode and next knows another one, send is called again. That is still one
// question: a refusal comes before a model saw it.
func Ask[M ~uint32](c *Client, model string, images bool, send func(M) error, next func(M, *StatusError) M) error {
	for mode := M(c.modes.Of(model)); ; {
		err := send(mode)
		if err == nil {
			c.modes.Learn(model, uint32(mode))
			return nil
		}
		var refusal *StatusError
		if !errors.As(err, &refusal) || !slices.Contains(c.opts.Refusals, refusal.Status) {
			return err
		}
		other := next(mode, refusal)
		switch {
		case other != mode:
			mode = other
		case images:
			return fmt.Errorf("%w: does model %q see images? %w", errors.ErrUnsupported, model, err)
		default:
			return err
		}
	}
}

// unlisted is the error of a service that has no page about its models: it may answer all
// the same.
type unlisted struct{ error }

func (unlisted) Is(target error) bool { return target == errors.ErrUnsupported }
func (e unlisted) Unwrap() error      { return e.error }

// Models reads what the service says of its models. The error is [errors.ErrUnsupported] if
// it says nothing of them, as gateways do.
func (c *Client) Models(ctx context.Context, path string, answer any) error {
	err := c.Get(ctx, path, answer)
	var refusal *StatusError
	if errors.As(err, &refusal) && (refusal.Status == http.StatusNotFound || refusal.Status == http.StatusMethodNotAllowed) {
		return unlisted{err}
	}
	return err
}
