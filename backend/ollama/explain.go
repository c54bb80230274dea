package ollama

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/backend/internal/webapi"
)

// explain says what to do about a refusal; another error is returned as it is. It
// knows the messages of servers 0.24 and 0.32. They are free text, so an unknown one
// is passed on.
func (b *Backend) explain(name string, err error) error {
	var e *webapi.StatusError
	if !errors.As(err, &e) {
		return err
	}
	says := func(parts ...string) bool {
		for _, p := range parts {
			if !e.Says(p) {
				return false
			}
		}
		return true
	}
	switch {
	case e.Status == http.StatusNotFound && says("model", "not found"):
		return fmt.Errorf("%w: the server at %s does not have model %q: run `ollama pull %s` (%w)", sentinel.ErrUnavailable, b.service.Where(), name, name, e)
	case e.Status == http.StatusNotFound:
		return fmt.Errorf("%w: is this %s, at %s? %w", sentinel.ErrUnavailable, b.service.Kind, b.service.Where(), e)
	case e.Status == http.StatusServiceUnavailable, e.Status == http.StatusTooManyRequests:
		return fmt.Errorf("%w: %w: %w", sentinel.ErrUnavailable, sentinel.ErrBusy, e)
	case e.Status == http.StatusForbidden:
		return fmt.Errorf("%w: the server at %s does not serve this host name (OLLAMA_HOST and OLLAMA_ORIGINS on its side): %w", sentinel.ErrUnavailable, b.service.Where(), e)
	case says("does not support thinking"):
		return fmt.Errorf("%w: %w: model %q cannot think: do not ask it to (%w)", sentinel.ErrUnavailable, errors.ErrUnsupported, name, e)
	case says("exceed", "context"):
		return fmt.Errorf("%w: %w: it is longer than the %d tokens of num_ctx: raise it, or show less (%w)", sentinel.ErrUnavailable, sentinel.ErrTooLong, b.numCtx, e)
	}
	return fmt.Errorf("%w: %w", sentinel.ErrUnavailable, e)
}

// ofSchema reports whether the server refused the form of the answer rather
// than the question. Servers say so with status 500 (0.24) or 400 (0.32).
func ofSchema(err error) bool {
	var e *webapi.StatusError
	return errors.As(err, &e) && (e.Status == http.StatusBadRequest || e.Status == http.StatusInternalServerError) && e.Says("schema", "grammar")
}
