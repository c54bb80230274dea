package copilot

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/judge/failure"
	"github.com/agentsentinel/sentinel/internal/subprocess"
)

// event is a line of what Copilot prints. Types that are not read are many.
type event struct {
	Type string `json:"type"`
	Data struct {
		Content    string `json:"content"`    // of assistant.message
		Message    string `json:"message"`    // of session.error
		StatusCode int    `json:"statusCode"` // of session.error
	} `json:"data"`
	ExitCode  *int   `json:"exitCode"`  // of result
	SessionID string `json:"sessionId"` // of result
}

// run is the result of a call.
type run struct {
	turns, messages int
	text            string
	failed          *event // the last error
	exit            *int
	session         string
}

// answer returns what the model said, if it is all of it.
func (r *run) answer(out subprocess.Output) (string, error) {
	switch {
	case r.failed != nil:
		return "", explain(r.failed.Data.StatusCode, r.failed.Data.Message)
	case r.exit == nil || *r.exit != 0 || out.Exit != 0:
		return "", broken(out, errNoResult)
	case r.turns > 1 || r.messages > 1:
		return "", fmt.Errorf("%w: the answer was cut and continued, in %d parts", sentinel.ErrMalformed, max(r.turns, r.messages))
	case strings.TrimSpace(r.text) == "":
		return "", fmt.Errorf("%w: the answer is empty", sentinel.ErrMalformed)
	}
	return r.text, nil
}

var errNoResult = errors.New("it printed no result")

func read(stdout []byte) (r run, err error) {
	for line := range bytes.Lines(stdout) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			continue
		}
		var e event
		if err := json.Unmarshal(line, &e); err != nil {
			return r, fmt.Errorf("it printed %s, which is no event", failure.Excerpt(string(line)))
		}
		switch e.Type {
		case "assistant.turn_start":
			r.turns++
		case "assistant.message":
			r.messages++
			r.text = e.Data.Content
		case "session.error":
			r.failed = &e
		case "result":
			r.exit, r.session = e.ExitCode, e.SessionID
		}
	}
	return r, nil
}

// broken explains output that holds neither an answer nor an error.
func broken(out subprocess.Output, err error) error {
	if said := string(bytes.TrimSpace(out.Stderr)); said != "" {
		return explain(0, said)
	}
	return fmt.Errorf("%w: Copilot ended with status %d: %w", sentinel.ErrUnavailable, out.Exit, err)
}

// explain knows what Copilot says of the common failures. It is free text, so
// whatever is not recognised is passed on.
func explain(status int, said string) error {
	has := func(part string) bool { return strings.Contains(strings.ToLower(said), part) }
	quoted := failure.Excerpt(said)
	switch {
	case has("no authentication information"), has("/login"), has("not logged in"):
		return fmt.Errorf("%w: Copilot is not signed in: run `copilot login` (it said %s)", sentinel.ErrUnavailable, quoted)
	case status == http.StatusUnauthorized, status == http.StatusForbidden, has("authentication failed"):
		return fmt.Errorf("%w: the service does not accept the account that Copilot has: run `copilot login` (it said %s)", sentinel.ErrUnavailable, quoted)
	case status == http.StatusTooManyRequests, has("rate limit"), has("last error: 429"), has("quota"):
		return fmt.Errorf("%w: %w: the service limits its callers, or the plan is used up (it said %s)", sentinel.ErrUnavailable, sentinel.ErrBusy, quoted)
	case has("unknown option"), has("unexpected argument"):
		return fmt.Errorf("%w: this version of Copilot is too old for a judge: update it (it said %s)", sentinel.ErrUnavailable, quoted)
	case has("model") && (has("not available") || has("not supported") || has("invalid")):
		return fmt.Errorf("%w: does the account have this model? Copilot said %s", sentinel.ErrUnavailable, quoted)
	}
	return fmt.Errorf("%w: Copilot said %s", sentinel.ErrUnavailable, quoted)
}
