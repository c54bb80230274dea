package ollama

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/agentsentinel/sentinel/backend/internal/failure"
)

const (
	// maxAnswer bounds the body of an answer, in bytes. A verdict has some
	// hundred, the description of a model some ten thousand.
	maxAnswer = 1 << 20
	// maxRedirects within the host bounds a loop.
	maxRedirects = 3
)

// Ways in which status 200 is no answer.
var (
	errEmpty    = errors.New("the server sent an empty answer")
	errTooLarge = fmt.Errorf("the answer is larger than %d bytes", maxAnswer)
	errNotJSON  = errors.New("the answer is not one JSON object")
)

// statusError is an answer that says that something is wrong: a status other
// than 200, or an error under status 200.
type statusError struct {
	status     int
	message    string        // hostile; "" when the body told nothing
	retryAfter time.Duration // of the header of this name
}

func (e *statusError) Error() string {
	text := fmt.Sprintf("%d %s", e.status, http.StatusText(e.status))
	if e.message != "" {
		text += ": " + failure.Excerpt(e.message)
	}
	return text
}

// redirectError is a redirect that was not followed.
type redirectError struct{ host string }

func (e *redirectError) Error() string {
	return "the server redirects to another host, " + failure.Excerpt(e.host) + ": nothing was sent there"
}

// brokenError is a connection that ended in place of an answer.
type brokenError struct{ err error }

func (e *brokenError) Error() string { return e.err.Error() }
func (e *brokenError) Unwrap() error { return e.err }

// RetryAfter is how long the server wants to be left alone; see [failure.Of].
func (e *statusError) RetryAfter() time.Duration { return e.retryAfter }

// newTransport is the transport of the backend's own client. It uses no proxy:
// the variables that name one can be set by whoever owns the repository.
func newTransport() *http.Transport {
	return &http.Transport{
		DialContext:            (&net.Dialer{}).DialContext,
		MaxResponseHeaderBytes: 64 << 10,
		IdleConnTimeout:        time.Minute,
	}
}

// guarded returns a copy of client that follows no redirect to another host than
// base's and whose answers went through [guard].
func guarded(client *http.Client, base *url.URL) *http.Client {
	c := *client
	if c.Transport == nil {
		c.Transport = http.DefaultTransport
	}
	c.Transport = guard{c.Transport}
	c.CheckRedirect = func(req *http.Request, via []*http.Request) error {
		if req.URL.Scheme != base.Scheme || req.URL.Host != base.Host {
			return &redirectError{req.URL.Scheme + "://" + req.URL.Host}
		}
		if len(via) > maxRedirects {
			return fmt.Errorf("the server redirects in a circle")
		}
		return nil
	}
	return &c
}

// guard reads each answer whole, bounded, and passes on only what is one JSON
// object under status 200 and no error. The client above it reads line by line,
// takes an empty body or a broken connection for a success, and drops the type
// of most errors.
type guard struct{ next http.RoundTripper }

// RoundTrip sends the request and checks the answer.
func (g guard) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := g.next.RoundTrip(req)
	if failure.Broke(err) {
		return nil, &brokenError{err}
	}
	if err != nil {
		return nil, err
	}
	if isRedirect(resp) {
		return resp, nil
	}
	defer resp.Body.Close()
	body, err := readBounded(resp.Body)
	if err == nil {
		body, err = check(resp, body)
	}
	if err != nil {
		return nil, err
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	resp.ContentLength = int64(len(body))
	return resp, nil
}

// isRedirect reports whether the http package will follow the answer elsewhere.
func isRedirect(resp *http.Response) bool {
	switch resp.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
		http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return resp.Header.Get("Location") != ""
	}
	return false
}

func readBounded(r io.Reader) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(r, maxAnswer+1))
	if err != nil {
		return nil, fmt.Errorf("the connection broke after %d bytes of the answer: %w", len(body), err)
	}
	if len(body) > maxAnswer {
		return nil, errTooLarge
	}
	return body, nil
}

// check returns the body on one line, which is how the client wants it.
func check(resp *http.Response, body []byte) ([]byte, error) {
	if resp.StatusCode != http.StatusOK {
		return nil, &statusError{resp.StatusCode, errorText(body), retryAfter(resp.Header)}
	}
	body = bytes.TrimSpace(body)
	if len(body) == 0 {
		return nil, errEmpty
	}
	var line bytes.Buffer
	if body[0] != '{' || json.Compact(&line, body) != nil {
		return nil, fmt.Errorf("%w: it begins with %s", errNotJSON, failure.Excerpt(string(body)))
	}
	var failure struct{ Error json.RawMessage }
	if err := json.Unmarshal(body, &failure); err != nil {
		return nil, fmt.Errorf("%w: %w", errNotJSON, err)
	}
	if len(failure.Error) > 0 && string(failure.Error) != "null" {
		return nil, &statusError{status: resp.StatusCode, message: errorText(body)}
	}
	return line.Bytes(), nil
}

// errorText finds the message in the body of an error. It is {"error": text},
// where from version 0.30 on the text may itself be {"error":{"message": text}};
// proxies and the server's router send plain text or nothing.
func errorText(body []byte) string {
	text := strings.TrimSpace(string(body))
	for range 3 {
		var outer struct{ Error json.RawMessage }
		if json.Unmarshal([]byte(text), &outer) != nil || len(outer.Error) == 0 {
			break
		}
		var inner struct{ Message string }
		switch {
		case json.Unmarshal(outer.Error, &text) == nil:
		case json.Unmarshal(outer.Error, &inner) == nil && inner.Message != "":
			return inner.Message
		default:
			return string(outer.Error)
		}
	}
	return text
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
