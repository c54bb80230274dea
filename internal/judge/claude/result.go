package claude

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/judge/failure"
	"github.com/agentsentinel/sentinel/internal/strictjson"
	"github.com/agentsentinel/sentinel/internal/subprocess"
)

var errNoResult = errors.New("it printed no result")

func notSignedIn() error {
	return fmt.Errorf("%w: Claude Code is not signed in: run `claude` once and sign in, or set ANTHROPIC_API_KEY", sentinel.ErrUnavailable)
}

// result is the part of Claude Code's result that is read.
type result struct {
	Type       string          `json:"type"`
	Subtype    string          `json:"subtype"`
	IsError    bool            `json:"is_error"`
	APIStatus  int             `json:"api_error_status"` // null where no service answered
	Result     string          `json:"result"`
	Structured json.RawMessage `json:"structured_output"`
	StopReason string          `json:"stop_reason"`
	Turns      int             `json:"num_turns"`
	Usage      struct {
		Input         int `json:"input_tokens"`
		Output        int `json:"output_tokens"`
		CacheCreation int `json:"cache_creation_input_tokens"`
		CacheRead     int `json:"cache_read_input_tokens"`
	} `json:"usage"`
}

// parse wants one JSON object that is a result.
func parse(stdout []byte) (*result, error) {
	stdout = bytes.TrimSpace(stdout)
	if len(stdout) == 0 {
		return nil, errNoResult
	}
	r := new(result)
	if err := json.Unmarshal(stdout, r); err != nil {
		return nil, fmt.Errorf("it printed %s: %w", failure.Excerpt(string(stdout)), errNoResult)
	}
	if r.Type != "result" {
		return nil, fmt.Errorf("it printed %s: %w", failure.Excerpt(string(stdout)), errNoResult)
	}
	return r, nil
}

// notAResult explains output that no result could be read from.
func notAResult(out subprocess.Output, err error) error {
	said := string(bytes.TrimSpace(out.Stderr))
	all := strings.ToLower(said + string(out.Stdout))
	switch {
	case strings.Contains(all, "log in") || strings.Contains(all, "login"):
		return notSignedIn()
	case strings.Contains(said, "unknown option"):
		return fmt.Errorf("%w: this version of Claude Code is too old for a judge: update it (%s)", sentinel.ErrUnavailable, failure.Excerpt(said))
	case said != "":
		return fmt.Errorf("%w: Claude Code ended with status %d: %w; it said %s", sentinel.ErrUnavailable, out.Exit, err, failure.Excerpt(said))
	}
	return fmt.Errorf("%w: Claude Code ended with status %d: %w", sentinel.ErrUnavailable, out.Exit, err)
}

// text returns what the model said, if it is all of it: what it gave to the
// schema, byte for byte, or without one its text.
func (r *result) text(bySchema bool) (string, error) {
	switch {
	case r.StopReason == "max_tokens" || r.says("maximum", "output token"):
		return "", fmt.Errorf("%w: the answer was cut after %d tokens: allow more", sentinel.ErrMalformed, r.Usage.Output)
	case r.Subtype == "error_max_turns" || r.Subtype == "error_max_structured_output_retries":
		return "", fmt.Errorf("%w: the model did not answer in the form asked for", sentinel.ErrMalformed)
	case r.StopReason == "refusal":
		return "", fmt.Errorf("%w: the model refused to answer", sentinel.ErrMalformed)
	case r.IsError || r.Subtype != "success":
		return "", r.failed()
	case r.Turns == 0:
		return "", fmt.Errorf("%w: Claude Code took the prompt for a command and asked no model: %s", sentinel.ErrMalformed, failure.Excerpt(r.Result))
	}
	text := r.Result
	if bySchema {
		text = string(r.Structured)
		if text == "null" || text == "" { // the schema bound nothing: a model that no tool call came of
			text = onlyObject(r.Result)
		}
	}
	switch {
	case strings.TrimSpace(text) != "":
		return text, nil
	case bySchema && r.Result != "":
		return "", fmt.Errorf("%w: the model did not answer in the form asked for, but said %s", sentinel.ErrMalformed, failure.Excerpt(r.Result))
	}
	return "", fmt.Errorf("%w: the answer is empty", sentinel.ErrMalformed)
}

// onlyObject is the JSON object that a text consists of, or "".
func onlyObject(text string) string {
	if found := strictjson.Only(text); strings.HasPrefix(found, "{") {
		return found
	}
	return ""
}

// says reports whether an error's text contains all of the parts.
func (r *result) says(parts ...string) bool {
	if !r.IsError {
		return false
	}
	text := strings.ToLower(r.Result)
	for _, p := range parts {
		if !strings.Contains(text, p) {
			return false
		}
	}
	return true
}

// failed explains an error of the service or of Claude Code itself.
func (r *result) failed() error {
	said := failure.Excerpt(r.Result)
	switch {
	case r.says("not logged in"), r.says("/login"), r.says("login", "expired"):
		return fmt.Errorf("%w (it said %s)", notSignedIn(), said)
	case r.APIStatus == http.StatusUnauthorized || r.APIStatus == http.StatusForbidden:
		return fmt.Errorf("%w: the service does not accept the key or account that Claude Code has: sign in again, or correct ANTHROPIC_API_KEY (it said %s)", sentinel.ErrUnavailable, said)
	case r.APIStatus == http.StatusTooManyRequests, r.APIStatus == http.StatusServiceUnavailable, r.APIStatus == 529, r.says("usage limit"), r.says("hit your", "limit"):
		return fmt.Errorf("%w: %w: the service limits its callers or has too much to do (it said %s)", sentinel.ErrUnavailable, sentinel.ErrBusy, said)
	case r.APIStatus == http.StatusNotFound:
		return fmt.Errorf("%w: does the account have this model? Claude Code said %s", sentinel.ErrUnavailable, said)
	}
	return fmt.Errorf("%w: Claude Code said %s", sentinel.ErrUnavailable, said)
}
