package fakeserver

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
)

// Fault is a way in which a web service fails, whatever it was asked. An
// [OpenAIServer] and an [AnthropicServer] give it in place of an answer.
type Fault struct {
	give   func(w http.ResponseWriter, r *http.Request, done <-chan struct{})
	status int // that is noted for the request; 0 when there was none
}

// FaultStatus is an error as both services send it: a status, and a JSON object
// with message.
func FaultStatus(status int, message string) Fault {
	body, _ := json.Marshal(map[string]any{ // strings and nulls can always be marshalled
		"type":  "error",
		"error": map[string]any{"type": "scripted_error", "message": message, "param": nil, "code": nil},
	})
	return FaultBody(status, "application/json", string(body))
}

// FaultBusy is status 429 that asks the caller to wait. retryAfter is the header's
// value, seconds or a date; "" leaves it out.
func FaultBusy(retryAfter string) Fault {
	then := FaultStatus(http.StatusTooManyRequests, "Rate limit reached. Please slow down.")
	return Fault{status: then.status, give: func(w http.ResponseWriter, r *http.Request, done <-chan struct{}) {
		if retryAfter != "" {
			w.Header().Set("Retry-After", retryAfter)
		}
		then.give(w, r, done)
	}}
}

// FaultHTML is status 200 with the page of some other server.
func FaultHTML() Fault {
	return FaultBody(http.StatusOK, "text/html; charset=utf-8", "<!DOCTYPE html>\n<html><body>\n<h1>It works!</h1>\n</body></html>\n")
}

// FaultBody is any status and body, byte for byte.
func FaultBody(status int, contentType, body string) Fault {
	return Fault{status: status, give: func(w http.ResponseWriter, _ *http.Request, _ <-chan struct{}) {
		w.Header().Set("Content-Type", contentType)
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}}
}

// FaultHalf is status 200 and a connection that breaks in the middle of body.
func FaultHalf(body string) Fault {
	return Fault{status: http.StatusOK, give: func(w http.ResponseWriter, _ *http.Request, _ <-chan struct{}) {
		half(w, body)
		panic(http.ErrAbortHandler)
	}}
}

// FaultHangInBody is status 200 and the first half of body; the rest never comes.
func FaultHangInBody(body string) Fault {
	return Fault{status: http.StatusOK, give: func(w http.ResponseWriter, r *http.Request, done <-chan struct{}) {
		half(w, body)
		hang(r, done)
	}}
}

// half announces a body and sends the first half of it.
func half(w http.ResponseWriter, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(http.StatusOK)
	fmt.Fprint(w, body[:len(body)/2])
	_ = http.NewResponseController(w).Flush() // the client may have gone
}

// FaultHang is a server that takes the request and never answers. The call ends
// when the client gives up or the server is closed.
func FaultHang() Fault {
	return Fault{give: func(_ http.ResponseWriter, r *http.Request, done <-chan struct{}) { hang(r, done) }}
}

// FaultReset is a connection that is closed in place of an answer.
func FaultReset() Fault {
	return Fault{give: func(http.ResponseWriter, *http.Request, <-chan struct{}) { panic(http.ErrAbortHandler) }}
}

// FaultRedirect is a redirect, with one of the statuses for it, that asks
// the client to send the request, prompt and all, to url.
func FaultRedirect(status int, url string) Fault {
	return Fault{status: status, give: func(w http.ResponseWriter, _ *http.Request, _ <-chan struct{}) {
		w.Header().Set("Location", url)
		w.WriteHeader(status)
	}}
}

// hang waits until the client or the server goes, and ends the connection with
// no more said.
func hang(r *http.Request, done <-chan struct{}) {
	select {
	case <-r.Context().Done():
	case <-done:
	}
	panic(http.ErrAbortHandler)
}
