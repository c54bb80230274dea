// Package webapi asks a web service that takes and gives JSON. Answers are read
// whole and bounded, no prompt follows a redirect to another host, and errors say
// what to do.
package webapi

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/judge/failure"
)

const (
	// maxAnswer bounds the body of an answer, in bytes. A verdict has some
	// hundred, a list of models some hundred thousand.
	maxAnswer = 1 << 20
	// maxRedirects within the host bounds a loop.
	maxRedirects = 3
)

// Service is one web service. Build it with [New]. It is safe for concurrent use.
type Service struct {
	// Kind is what the service should be, as in "is this an OpenAI-compatible
	// server?". Key says which key it takes, as in "the key of OPENAI_API_KEY".
	// Start says how it is started; "" means "start the server".
	Kind, Key, Start string

	Header http.Header // sent with each request

	base *url.URL
	bad  error // why base cannot be used
	http *http.Client
	own  bool // http is ours, and with it its idle connections
}

// New returns the service at base, a URL to which paths are added. An invalid base is
// reported by the first call. A nil client means one that has no time limit but the
// context's, and that uses proxy, if it is not nil, for services with TLS alone: so a proxy
// that the environment names sees no prompt and no key.
func New(base string, client *http.Client, proxy func(*http.Request) (*url.URL, error), secure *tls.Config) *Service {
	s := &Service{own: client == nil}
	s.base, s.bad = parseBase(base)
	if client == nil {
		client = &http.Client{Transport: &http.Transport{
			Proxy:                  onlyTLS(proxy),
			TLSClientConfig:        secure,
			DialContext:            (&net.Dialer{}).DialContext,
			ForceAttemptHTTP2:      true,
			MaxResponseHeaderBytes: 64 << 10,
			IdleConnTimeout:        time.Minute,
		}}
	}
	guarded := *client
	guarded.CheckRedirect = s.checkRedirect
	s.http = &guarded
	return s
}

func onlyTLS(proxy func(*http.Request) (*url.URL, error)) func(*http.Request) (*url.URL, error) {
	if proxy == nil {
		return nil
	}
	return func(req *http.Request) (*url.URL, error) {
		if req.URL.Scheme != "https" {
			return nil, nil
		}
		return proxy(req)
	}
}

func parseBase(base string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimRight(base, "/"))
	if err != nil {
		var e *url.Error
		if errors.As(err, &e) {
			err = e.Err // without the text, which may have a password in it
		}
		return &url.URL{}, fmt.Errorf("%w: the URL of the service cannot be read: %w", sentinel.ErrUnavailable, err)
	}
	if u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return u, fmt.Errorf("%w: %q is no URL of a service: write it as https://host/path", sentinel.ErrUnavailable, u.Redacted())
	}
	return u, nil
}

// Where is the URL of the service, without a password.
func (s *Service) Where() string { return s.base.Redacted() }

// Is reports whether the service is on the host of this name or one below it.
func (s *Service) Is(host string) bool {
	own := strings.ToLower(strings.TrimSuffix(s.base.Hostname(), "."))
	return own == host || strings.HasSuffix(own, "."+host)
}

// Close lets go of idle connections, if they are the service's own.
func (s *Service) Close() error {
	if s.own {
		s.http.CloseIdleConnections()
	}
	return nil
}

// redirectError is a redirect that was not followed.
type redirectError struct{ host string }

func (e *redirectError) Error() string {
	return "the server redirects to another host, " + failure.Excerpt(e.host) + ": nothing was sent there"
}

func (s *Service) checkRedirect(req *http.Request, via []*http.Request) error {
	if req.URL.Scheme != s.base.Scheme || req.URL.Host != s.base.Host {
		return &redirectError{req.URL.Scheme + "://" + req.URL.Host}
	}
	if len(via) > maxRedirects {
		return errors.New("the server redirects in a circle")
	}
	if req.Method != via[0].Method {
		return errors.New("the server redirects in a way that drops the question")
	}
	return nil
}

// StatusError is an answer with a status other than 200, or one that says that
// something is wrong under status 200.
type StatusError struct {
	Status  int
	Message string // hostile; "" when the body has none
	Param   string // the refused parameter, where the service names it
	wait    time.Duration
}

// Error is the status in words and an excerpt of the message.
func (e *StatusError) Error() string {
	text := strings.TrimSpace(fmt.Sprintf("%d %s", e.Status, http.StatusText(e.Status)))
	if e.Message != "" {
		text += ": " + failure.Excerpt(e.Message)
	}
	return text
}

// RetryAfter is how long the service wants to be left alone; 0 if it did not say.
func (e *StatusError) RetryAfter() time.Duration { return e.wait }

// Says reports whether the message contains one of the parts, which are in small
// letters.
func (e *StatusError) Says(parts ...string) bool {
	message := strings.ToLower(e.Message)
	for _, p := range parts {
		if strings.Contains(message, p) {
			return true
		}
	}
	return false
}

// Post sends question as JSON to path and decodes the answer into answer. Get
// asks without a question. Errors wrap [sentinel.ErrUnavailable]; a *StatusError
// is among them where the service itself refused.
func (s *Service) Post(ctx context.Context, path string, question, answer any) error {
	body, err := json.Marshal(question)
	if err != nil {
		return fmt.Errorf("%w: the question is no JSON: %w", sentinel.ErrUnavailable, err)
	}
	return s.call(ctx, http.MethodPost, path, body, answer)
}

// Get is described at [Service.Post].
func (s *Service) Get(ctx context.Context, path string, answer any) error {
	return s.call(ctx, http.MethodGet, path, nil, answer)
}

func (s *Service) call(ctx context.Context, method, path string, body []byte, answer any) error {
	if s.bad != nil {
		return s.bad
	}
	req, err := http.NewRequestWithContext(ctx, method, s.base.JoinPath(path).String(), bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("%w: %w", sentinel.ErrUnavailable, err)
	}
	maps.Copy(req.Header, s.Header)
	req.Header.Set("Accept", "application/json")
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := s.http.Do(req)
	if err != nil {
		return s.explain(err)
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	switch {
	case err != nil:
		return fmt.Errorf("%w: the connection broke after %d bytes of the answer: %w", sentinel.ErrUnavailable, len(got), err)
	case len(got) > maxAnswer:
		return fmt.Errorf("%w: the answer is larger than %d bytes", sentinel.ErrUnavailable, maxAnswer)
	case resp.StatusCode != http.StatusOK:
		return s.explainStatus(statusError(resp, got))
	}
	return s.decode(got, answer)
}

// decode accepts one JSON object that is not an error.
func (s *Service) decode(body []byte, answer any) error {
	body = bytes.TrimSpace(body)
	if len(body) == 0 {
		return fmt.Errorf("%w: the server sent an empty answer", sentinel.ErrUnavailable)
	}
	if !json.Valid(body) {
		body = withoutNaN(body)
	}
	if body[0] != '{' || !json.Valid(body) {
		return fmt.Errorf("%w: is this %s, at %s? The answer is not one JSON object: it begins with %s",
			sentinel.ErrUnavailable, s.Kind, s.Where(), failure.Excerpt(string(body)))
	}
	if e := (&StatusError{Status: http.StatusOK}); e.read(body, nesting) {
		return s.explainStatus(e)
	}
	if err := json.Unmarshal(body, answer); err != nil {
		return fmt.Errorf("%w: the answer is not what %s sends: %w", sentinel.ErrUnavailable, s.Kind, err)
	}
	return nil
}

// notNumbers are what servers in Python write for numbers that JSON does not have.
var notNumbers = []string{"NaN", "-Infinity", "Infinity"}

// withoutNaN writes null for such numbers, outside of texts.
func withoutNaN(body []byte) []byte {
	var out []byte
	inText := false
	for i := 0; i < len(body); i++ {
		c := body[i]
		switch {
		case inText && c == '\\' && i+1 < len(body):
			out = append(out, c)
			i++
			c = body[i]
		case c == '"':
			inText = !inText
		case !inText:
			at := slices.IndexFunc(notNumbers, func(word string) bool { return bytes.HasPrefix(body[i:], []byte(word)) })
			if at >= 0 {
				out = append(out, "null"...)
				i += len(notNumbers[at]) - 1
				continue
			}
		}
		out = append(out, c)
	}
	return out
}

func statusError(resp *http.Response, body []byte) *StatusError {
	e := &StatusError{Status: resp.StatusCode, wait: retryAfter(resp.Header)}
	if !e.read(body, nesting) {
		e.Message = strings.TrimSpace(string(body))
	}
	return e
}

// nesting is how deep an error may be wrapped in the text of another one.
const nesting = 2

// read finds the error in a body, if it is one: {"error": {"message": …}} or
// {"error": "…"}, and with some servers {"detail": …} or {"message": …} under a
// status that is an error. Ollama from version 0.30 on puts such an object into
// the text of another one.
func (e *StatusError) read(body []byte, nested int) bool {
	var outer struct {
		Error   json.RawMessage `json:"error"`
		Detail  json.RawMessage `json:"detail"`
		Message json.RawMessage `json:"message"`
	}
	if json.Unmarshal(body, &outer) != nil {
		return false
	}
	told := outer.Error
	if e.Status != http.StatusOK {
		for _, other := range []json.RawMessage{outer.Detail, outer.Message} {
			if isNothing(told) {
				told = other
			}
		}
	}
	if isNothing(told) {
		return false
	}
	var inner struct{ Message, Param string }
	switch {
	case json.Unmarshal(told, &e.Message) == nil:
		e.Message = strings.TrimSpace(e.Message)
		if nested > 0 {
			e.read([]byte(e.Message), nested-1)
		}
	case json.Unmarshal(told, &inner) == nil && inner.Message != "":
		e.Message, e.Param = inner.Message, inner.Param
	default:
		e.Message = string(told)
	}
	return true
}

func isNothing(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }

// explain turns an error of the connection into one that says what to do. Context
// errors are handled in [failure.Of].
func (s *Service) explain(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err // without method and URL, which may have a password in it
	}
	var dial *net.OpError
	if errors.As(err, &dial) && dial.Op == "dial" {
		return fmt.Errorf("%w: nothing answers at %s: %s or correct the URL (%w)", sentinel.ErrUnavailable, s.Where(), cmp.Or(s.Start, "start the server"), dial)
	}
	if errors.As(err, new(x509.UnknownAuthorityError)) {
		return fmt.Errorf("%w: the certificate of %s is of an authority that is not known here: name its file in `ca_file` (%w)", sentinel.ErrUnavailable, s.Where(), err)
	}
	if failure.Broke(err) {
		return fmt.Errorf("%w: the connection to %s broke before an answer came: is the server still there? (%w)", sentinel.ErrUnavailable, s.Where(), err)
	}
	return fmt.Errorf("%w: %w", sentinel.ErrUnavailable, err)
}

// statusOverloaded is Anthropic's status for a service that has too much to do.
const statusOverloaded = 529

func (s *Service) explainStatus(e *StatusError) error {
	switch e.Status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return fmt.Errorf("%w: the service at %s does not accept the key: check %s (%w)", sentinel.ErrUnavailable, s.Where(), s.Key, e)
	case http.StatusPaymentRequired:
		return fmt.Errorf("%w: the account of %s has to be paid for (%w)", sentinel.ErrUnavailable, s.Key, e)
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		return fmt.Errorf("%w: is this %s, at %s, and does it have the model? %w", sentinel.ErrUnavailable, s.Kind, s.Where(), e)
	case http.StatusTooManyRequests, http.StatusServiceUnavailable, statusOverloaded:
		return fmt.Errorf("%w: %w: the service limits its callers or has too much to do (%w)", sentinel.ErrUnavailable, sentinel.ErrBusy, e)
	case http.StatusRequestEntityTooLarge:
		return fmt.Errorf("%w: %w for the service: show less (%w)", sentinel.ErrUnavailable, sentinel.ErrTooLong, e)
	case http.StatusBadRequest:
		if e.Says("context") && e.Says("exceed", "maximum", "longer", "too long", "too large") || e.Says("prompt is too long") {
			return fmt.Errorf("%w: %w for the model: show less (%w)", sentinel.ErrUnavailable, sentinel.ErrTooLong, e)
		}
	}
	return fmt.Errorf("%w: %w", sentinel.ErrUnavailable, e)
}

// retryAfter reads the header of this name: seconds, or a date.
func retryAfter(h http.Header) time.Duration {
	value := h.Get("Retry-After")
	if seconds, err := strconv.ParseUint(value, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, time.Until(at))
	}
	return 0
}
