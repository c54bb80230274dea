package fakeserver

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// What the scripted server reports of every answer, constant so that tests can
// compare whole bodies.
const (
	ollamaTime       = "2026-01-02T03:04:05.000000006Z"
	ollamaTokenBytes = 4
)

// OllamaAnswer is one answer of an [OllamaServer]: what a model says, or one of
// the ways in which a server fails. Build it with the functions below.
type OllamaAnswer = Answer[*ollamaCall]

// OllamaText is a whole answer with text as its content. Text that is longer
// than the request's num_predict is cut as the real server cuts it: status 200,
// done_reason "length".
func OllamaText(text string) OllamaAnswer {
	return OllamaAnswer{give: func(c *ollamaCall) { c.say(text, "stop") }}
}

// OllamaVerdict is a judge's answer as a well-behaved model gives it: with a
// reason if it has one or sees a violation.
func OllamaVerdict(violation bool, confidence float64, reason string) OllamaAnswer {
	return OllamaText(verdictText(violation, confidence, reason))
}

// verdictText is a verdict as a well-behaved model writes it.
func verdictText(violation bool, confidence float64, reason string) string {
	if !violation && reason == "" {
		return fmt.Sprintf(`{"violation":false,"confidence":%v}`, confidence)
	}
	quoted, _ := json.Marshal(reason) // a string can always be marshalled
	return fmt.Sprintf(`{"violation":%t,"confidence":%v,"reason":%s}`, violation, confidence, quoted)
}

// OllamaProse is a verdict with words around it, as a model writes when the
// server did not hold it to a schema.
func OllamaProse() OllamaAnswer {
	return OllamaText("Sure! Here is my verdict:\n```json\n" + verdictText(false, 0.9, "") + "\n```\nLet me know if you need more.")
}

// OllamaDoneFalse is status 200 with "done":false and the text cut, which a real
// server sends when the model repeats itself.
func OllamaDoneFalse(text string) OllamaAnswer {
	return OllamaAnswer{give: func(c *ollamaCall) { c.say(text, "") }}
}

// OllamaCutByLength is status 200 with done_reason "length": the model ran out of
// its tokens after text.
func OllamaCutByLength(text string) OllamaAnswer {
	return OllamaAnswer{give: func(c *ollamaCall) { c.say(text, "length") }}
}

// OllamaAfter is then, given when release is closed or yields a value: a server
// that takes its time before it sends the first header.
func OllamaAfter(release <-chan struct{}, then OllamaAnswer) OllamaAnswer {
	return OllamaAnswer{give: func(c *ollamaCall) {
		c.wait(release)
		then.give(c)
	}}
}

// OllamaFault is a failure of the connection or of any web server, in place of an
// answer.
func OllamaFault(f Fault) OllamaAnswer {
	return OllamaAnswer{give: func(c *ollamaCall) { f.give(c.w, c.r, c.done) }}
}

// OllamaStatus is an error as the real server sends it: status, and message in a
// JSON object. No message is an empty body.
func OllamaStatus(status int, message string) OllamaAnswer {
	return OllamaAnswer{give: func(c *ollamaCall) {
		if message == "" {
			c.w.WriteHeader(status)
			return
		}
		c.fail(status, message)
	}}
}

// OllamaBusy is the real server's 503 when its queue is full, asking to wait for
// retryAfter seconds; 0 leaves that header out.
func OllamaBusy(retryAfter int) OllamaAnswer {
	return OllamaAnswer{give: func(c *ollamaCall) {
		if retryAfter > 0 {
			c.w.Header().Set("Retry-After", strconv.Itoa(retryAfter))
		}
		c.fail(http.StatusServiceUnavailable, "server busy, please try again.  maximum pending requests exceeded")
	}}
}

// OllamaErrorIn200 is status 200 with an error as the body.
func OllamaErrorIn200(message string) OllamaAnswer {
	return OllamaAnswer{give: func(c *ollamaCall) { c.fail(http.StatusOK, message) }}
}

// OllamaFlood is a well-formed answer with n bytes of content.
func OllamaFlood(n int) OllamaAnswer {
	return OllamaAnswer{give: func(c *ollamaCall) {
		c.chat.Options.NumPredict = nil
		c.say(strings.Repeat("a", n), "stop")
	}}
}

// wait returns when release lets go on. When the client or the server goes first
// it ends the connection with no more said.
func (c *ollamaCall) wait(release <-chan struct{}) {
	select {
	case <-release:
		return
	case <-c.r.Context().Done():
	case <-c.done:
	}
	panic(http.ErrAbortHandler)
}

// say answers with text in one object, or in a stream if one was asked for.
// Without a reason the answer is not done.
func (c *ollamaCall) say(text, reason string) {
	if n := c.chat.Options.NumPredict; n != nil && *n > 0 && reason == "stop" && tokensOf(text) > *n {
		text, reason = text[:*n*ollamaTokenBytes], "length"
	}
	count := tokensOf(text)
	if c.chat.Stream == nil || *c.chat.Stream {
		c.w.Header().Set("Content-Type", "application/x-ndjson")
		c.line(c.message(text))
		text = ""
	}
	last := c.message(text)
	if reason != "" {
		last["done"], last["done_reason"] = true, reason
		last["total_duration"], last["load_duration"] = 20_000_000, 1_000_000
		last["prompt_eval_count"], last["prompt_eval_duration"] = c.chat.tokens(), 4_000_000
		last["eval_count"], last["eval_duration"] = count, 15_000_000
	}
	if c.w.Header().Get("Content-Type") == "" {
		c.w.Header().Set("Content-Type", "application/json; charset=utf-8")
	}
	c.line(last)
}

func (c *ollamaCall) message(text string) map[string]any {
	return map[string]any{"model": c.chat.Model, "created_at": ollamaTime, "done": false,
		"message": map[string]any{"role": "assistant", "content": text}}
}

func (c *ollamaCall) fail(status int, message string) {
	c.json(status, map[string]any{"error": message})
}

func (c *ollamaCall) json(status int, body map[string]any) {
	writeJSON(c.w, status, "application/json; charset=utf-8", body)
}

func (c *ollamaCall) line(body map[string]any) {
	_ = json.NewEncoder(c.w).Encode(body) // the client may have gone
}
