package ollama

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/agentsentinel/sentinel"
)

// explain turns an error of the client into one that says what to do about it.
// The context's end is told by failed.
func (b *Backend) explain(name string, err error) error {
	var status *statusError
	if errors.As(err, &status) {
		return b.explainStatus(name, status)
	}
	var redirect *redirectError
	if errors.As(err, &redirect) {
		return fmt.Errorf("%w: %w", sentinel.ErrUnavailable, redirect)
	}
	var dial *net.OpError
	if errors.As(err, &dial) && dial.Op == "dial" {
		return fmt.Errorf("%w: nothing answers at %s: start Ollama there (`ollama serve`) or correct the URL (%w)", sentinel.ErrUnavailable, b.where(), dial)
	}
	var broken *brokenError
	if errors.As(err, &broken) {
		return fmt.Errorf("%w: the connection to %s broke before an answer came: is Ollama still running there? (%w)", sentinel.ErrUnavailable, b.where(), broken)
	}
	if errors.Is(err, errNotJSON) {
		return fmt.Errorf("%w: is this an Ollama server, at %s? %w", sentinel.ErrUnavailable, b.where(), inner(err))
	}
	return fmt.Errorf("%w: %w", sentinel.ErrUnavailable, inner(err))
}

// explainStatus knows the messages of servers 0.24 and 0.32. They are free text,
// so whatever is not recognised is passed on.
func (b *Backend) explainStatus(name string, e *statusError) error {
	says := func(parts ...string) bool {
		for _, p := range parts {
			if !strings.Contains(strings.ToLower(e.message), p) {
				return false
			}
		}
		return true
	}
	switch {
	case e.status == http.StatusNotFound && says("model", "not found"):
		return fmt.Errorf("%w: the server at %s does not have model %q: run `ollama pull %s` (%w)", sentinel.ErrUnavailable, b.where(), name, name, e)
	case e.status == http.StatusNotFound:
		return fmt.Errorf("%w: is this an Ollama server, at %s? %w", sentinel.ErrUnavailable, b.where(), e)
	case e.status == http.StatusServiceUnavailable, e.status == http.StatusTooManyRequests:
		return fmt.Errorf("%w: %w: %w", sentinel.ErrUnavailable, sentinel.ErrBusy, e)
	case e.status == http.StatusForbidden:
		return fmt.Errorf("%w: the server at %s does not serve this host name (OLLAMA_HOST and OLLAMA_ORIGINS on its side): %w", sentinel.ErrUnavailable, b.where(), e)
	case says("does not support thinking"):
		return fmt.Errorf("%w: %w: model %q cannot think: do not ask it to (%w)", sentinel.ErrUnavailable, errors.ErrUnsupported, name, e)
	case says("exceed", "context"):
		return fmt.Errorf("%w: the prompt is longer than the %d tokens of num_ctx: raise it, or show less (%w)", sentinel.ErrUnavailable, b.numCtx, e)
	}
	return fmt.Errorf("%w: %w", sentinel.ErrUnavailable, e)
}

// ofSchema reports whether the server refused the form of the answer rather
// than the question. Servers say so with status 500 (0.24) or 400 (0.32).
func (e *statusError) ofSchema() bool {
	if e.status != http.StatusBadRequest && e.status != http.StatusInternalServerError {
		return false
	}
	text := strings.ToLower(e.message)
	return strings.Contains(text, "schema") || strings.Contains(text, "grammar")
}

// inner drops what the http package says of method and URL around an error.
func inner(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}
