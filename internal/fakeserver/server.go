package fakeserver

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
)

// Request is one request that a server received.
type Request struct {
	Method, Path string
	Header       http.Header // not to be changed
	Body         []byte      // not to be changed
}

// Answer is one answer of a server's script, to a call of its protocol: an
// [OllamaAnswer] or an [OpenAIAnswer].
type Answer[Call any] struct {
	prompt string
	give   func(Call)
}

// To makes the answer one for every chat whose messages contain prompt.
func (a Answer[Call]) To(prompt string) Answer[Call] {
	a.prompt = prompt
	return a
}

// listener is the part that every server has.
type listener struct {
	// URL is the base URL for a client, for example http://127.0.0.1:4711.
	URL string

	done chan struct{} // closed when the server closes: hanging answers end
	stop func()
	mu   sync.Mutex // guards the fields of the whole server
}

// listen serves until the test ends.
func (l *listener) listen(tb testing.TB, serve http.HandlerFunc) {
	server := httptest.NewServer(serve)
	l.URL, l.done = server.URL, make(chan struct{})
	l.stop = sync.OnceFunc(func() {
		close(l.done)
		server.CloseClientConnections()
		server.Close()
	})
	tb.Cleanup(l.stop)
}

// Close stops the server: answers that hang end, and from now on URL refuses
// connections, as that of a server that is not running. It may be called twice.
func (l *listener) Close() { l.stop() }

// locked calls f under the lock.
func (l *listener) locked(f func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f()
}

// server is a listener with a script, and a record of the requests.
type server[Call any] struct {
	listener

	script   []Answer[Call]
	byPrompt []Answer[Call]
	requests []Request
	arrival  chan struct{} // closed at the next request
}

// start serves until the test ends. empty is the answer of an empty script.
func (s *server[Call]) start(tb testing.TB, serve http.HandlerFunc, script []Answer[Call], empty Answer[Call]) {
	tb.Helper()
	s.arrival = make(chan struct{})
	for _, a := range script {
		if a.prompt != "" {
			s.byPrompt = append(s.byPrompt, a)
		} else {
			s.script = append(s.script, a)
		}
	}
	if len(s.script) == 0 {
		s.script = []Answer[Call]{empty}
	}
	s.listen(tb, serve)
}

// Requests returns everything that was asked so far, in the order of arrival.
func (s *server[Call]) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Await returns when n requests have taken their turn in the script, answered or not and not
// counting those for /api/show, or with the error of ctx when that ends first.
func (s *server[Call]) Await(ctx context.Context, n int) error {
	for {
		s.mu.Lock()
		got, arrival := s.questions(), s.arrival
		s.mu.Unlock()
		if got >= n {
			return nil
		}
		select {
		case <-arrival:
		case <-ctx.Done():
			return fmt.Errorf("fakeserver: %d of %d requests arrived: %w", got, n, ctx.Err())
		}
	}
}

// questions counts the requests but for those about what a model is, which a client
// makes when it does not know. The caller holds the lock.
func (s *server[Call]) questions() (n int) {
	for _, r := range s.requests {
		if r.Path != "/api/show" {
			n++
		}
	}
	return n
}

// record notes a request whose answer is chosen.
func (s *server[Call]) record(r *http.Request, body []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, Request{Method: r.Method, Path: r.URL.Path, Header: r.Header.Clone(), Body: body})
	close(s.arrival)
	s.arrival = make(chan struct{})
}

// next finds the answer to a chat and moves on in the script. holds reports whether
// a message of the chat contains a text.
func (s *server[Call]) next(holds func(prompt string) bool) Answer[Call] {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range s.byPrompt {
		if holds(a.prompt) {
			return a
		}
	}
	a := s.script[0]
	if len(s.script) > 1 {
		s.script = s.script[1:]
	}
	return a
}

// writeJSON answers with a value that can always be marshalled.
func writeJSON(w http.ResponseWriter, status int, contentType string, body any) {
	data, _ := json.Marshal(body)
	w.Header().Set("Content-Type", contentType)
	w.WriteHeader(status)
	_, _ = w.Write(data) // the client may have gone
}
