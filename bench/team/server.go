package main

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"time"
)

// A server speaks the wire of OpenAI, as vLLM or a balancer before several does: so many
// questions are answered at a time, so many wait, and the others are told when to come again.
type server struct {
	slots, queue chan struct{}
	answer       time.Duration // that a question takes
	again        int           // seconds in Retry-After
	keys         map[string]bool

	down                         atomic.Bool // every question is refused with 502
	asked, answered, busy, fault atomic.Int64
	strangers                    atomic.Int64 // questions without a key of a developer
}

func newServer(slots, queue int, answer time.Duration, again int, keys map[string]bool) *server {
	return &server{slots: make(chan struct{}, slots), queue: make(chan struct{}, slots+queue), answer: answer, again: again, keys: keys}
}

const verdict = `{"violation":false,"confidence":0.95,"reason":"It is outside of the rule."}`

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !strings.HasSuffix(r.URL.Path, "/chat/completions") {
		http.NotFound(w, r)
		return
	}
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		return
	}
	if !s.keys[r.Header.Get("Authorization")] {
		s.strangers.Add(1)
		http.Error(w, "no such key", http.StatusUnauthorized)
		return
	}
	s.asked.Add(1)
	if s.down.Load() {
		s.fault.Add(1)
		http.Error(w, "the model is gone", http.StatusBadGateway)
		return
	}
	select {
	case s.queue <- struct{}{}:
	default:
		s.busy.Add(1)
		w.Header().Set("Retry-After", fmt.Sprint(s.again))
		http.Error(w, "too many questions", http.StatusTooManyRequests)
		return
	}
	defer func() { <-s.queue }()
	select {
	case s.slots <- struct{}{}:
	case <-r.Context().Done():
		return
	}
	defer func() { <-s.slots }()
	select {
	case <-time.After(s.answer):
	case <-r.Context().Done():
		return
	}
	s.answered.Add(1)
	fmt.Fprintf(w, `{"model":"team","choices":[{"message":{"content":%q},"finish_reason":"stop"}],"usage":{"prompt_tokens":400,"completion_tokens":20}}`, verdict)
}
