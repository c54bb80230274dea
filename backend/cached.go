package backend

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/digest"
)

// A Store keeps values by key. It is safe for concurrent use. It may forget
// whatever it wants, but never returns under one key what was put under another.
// The value of Put is not changed afterwards; that of Get belongs to the caller.
type Store interface {
	Get(key string) (value []byte, ok bool)
	Put(key string, value []byte)
}

// A Queue lets equal questions be asked one after the other, by goroutines and
// processes that share it. A [Store] that is one has the answer of the first found
// by the others, instead of each asking for it.
type Queue interface {
	// Wait returns when no earlier caller asks key any more, or when ctx ends. waited is
	// false if there was no earlier caller. leave lets the next one in; it is never nil.
	// The place of a process that died is free.
	Wait(ctx context.Context, key string) (leave func(), waited bool)
}

// A Keyer is a backend whose answers depend on more of a request than [Cached]
// sees: one that is sent the action itself, for example. What CacheKey returns becomes
// part of the key. It is safe for concurrent use and does not change req.
type Keyer interface {
	CacheKey(req sentinel.Request) []byte
}

// Cached returns a backend that asks b only what it was not asked before, and
// asks the same only once at a time.
//
// The key of an answer is fingerprint, which identifies the backend with all of its
// settings that change answers, and everything of a request that can reach a model: System, Prompt,
// Schema, Images, Model, MaxTokens, Temperature, Seed, Think, Effort, Logprobs, PTrue and
// Messages. Answers
// of a backend that looks at Rule or Action must not be cached, unless it is a
// [Keyer]. The builtin judge is such a backend. Several samples of one question
// are several seeds.
//
// An answer is kept if Request.Valid accepts it, or without Valid if it is not empty.
// Errors are not kept. Valid is called again when the answer is taken out. An answer to
// another caller's question, earlier or at the same time, has Response.Cached and no
// tokens, so that they are not counted twice.
//
// Equal requests that are under way at once in this process are one call of b.
// It goes on while any caller waits: a caller whose ctx ends does not end the call for the
// others, and the call's own ctx has no deadline. Requests of another Timeout or Priority
// are asked by themselves.
//
// The same holds among processes if s is a [Queue]: a later caller waits for the
// answer to an earlier one, no longer than a call may take (Request.Timeout, and half of what is
// left of ctx), and then asks too. A caller waits for a failure only once.
//
// With a nil store nothing is kept, but equal requests are still asked once at
// a time.
func Cached(b sentinel.Backend, s Store, fingerprint string) sentinel.Backend {
	return &cached{next: b, store: s, fingerprint: fingerprint}
}

type cached struct {
	next        sentinel.Backend
	store       Store
	fingerprint string
	flights     flights
}

// Complete answers with what is under way or kept, else asks.
func (c *cached) Complete(ctx context.Context, req sentinel.Request) (sentinel.Response, error) {
	if err := ctx.Err(); err != nil {
		return sentinel.Response{}, fmt.Errorf("backend: %w: %w", sentinel.ErrUnavailable, err)
	}
	key := c.key(&req)
	q := question{key, req.Timeout, req.Priority}
	patience := patience(ctx, req.Timeout) // the flight's own ctx has no deadline
	return c.flights.do(ctx, q, func(ctx context.Context) (sentinel.Response, error) {
		start := time.Now()
		if resp, ok := c.get(key, &req); ok {
			return resp, nil
		}
		var late time.Duration
		if q, ok := c.store.(Queue); ok {
			leave, waited := inQueue(ctx, q, key, patience)
			defer leave()
			if waited {
				late = time.Since(start)
			}
			if resp, ok := c.get(key, &req); ok { // also of one who left before this caller came
				resp.Waited = late
				return resp, nil
			}
		}
		resp, err := c.next.Complete(ctx, req)
		resp.Waited += late
		if err == nil && accepts(&req, resp.Text) {
			c.put(key, &resp)
		}
		return resp, err
	})
}

// maxPatience bounds the wait for another process, whose call may have any limit.
const maxPatience = 30 * time.Second

// patience is how long a caller waits for the answer of another process. The rest of its
// time must be enough to ask the backend itself if the other process fails.
func patience(ctx context.Context, timeout time.Duration) time.Duration {
	wait := maxPatience
	if timeout > 0 {
		wait = min(wait, timeout)
	}
	if deadline, ok := ctx.Deadline(); ok {
		wait = min(wait, time.Until(deadline)/2)
	}
	return wait
}

// inQueue waits for another caller with the same key.
func inQueue(ctx context.Context, q Queue, key string, patience time.Duration) (leave func(), waited bool) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return q.Wait(ctx, key)
}

// Peek returns the answer that is kept for a request, without asking. It is found
// by [sentinel.As].
func (c *cached) Peek(req sentinel.Request) (sentinel.Response, bool) {
	return c.get(c.key(&req), &req)
}

// Unwrap returns the backend that is asked.
func (c *cached) Unwrap() sentinel.Backend { return c.next }

func (c *cached) get(key string, req *sentinel.Request) (sentinel.Response, bool) {
	if c.store == nil {
		return sentinel.Response{}, false
	}
	value, ok := c.store.Get(key)
	if !ok {
		return sentinel.Response{}, false
	}
	resp, ok := decodeResponse(value)
	return resp, ok && accepts(req, resp.Text)
}

func (c *cached) put(key string, resp *sentinel.Response) {
	if c.store != nil && !resp.Cached {
		c.store.Put(key, encodeResponse(resp))
	}
}

// accepts reports whether text is an answer worth keeping.
func accepts(req *sentinel.Request, text string) bool {
	if req.Valid == nil {
		return text != ""
	}
	return req.Valid(text) == nil
}

// keyFormat is part of every key. It changes when the meaning of a key or of a
// kept response does, so that two versions of this program can share a store.
const keyFormat = "sentinel-answer-1"

// key is a digest of all that can change the answer, in hexadecimal.
func (c *cached) key(req *sentinel.Request) string {
	var b []byte
	text := func(s string) { b = append(binary.AppendUvarint(b, uint64(len(s))), s...) }
	number := func(n uint64) { b = binary.LittleEndian.AppendUint64(b, n) }

	text(keyFormat)
	text(c.fingerprint)
	text(req.System)
	text(req.Prompt)
	text(string(req.Schema))
	text(req.Model)
	number(uint64(req.MaxTokens))
	number(math.Float64bits(req.Temperature))
	if req.Seed != nil {
		b = append(b, 1)
		number(uint64(*req.Seed))
	}
	b = append(b, flag(req.Think), flag(req.Logprobs))
	number(uint64(len(req.Images)))
	for _, img := range req.Images {
		text(img.MIME)
		text(string(img.Data))
	}
	if req.Effort != "" || req.PTrue != nil || req.Messages != nil {
		text(req.Effort)
		text(fmt.Sprintf("%q %q", req.PTrue, req.Messages))
	}
	if k, ok := sentinel.As[Keyer](c.next); ok {
		text(string(k.CacheKey(*req)))
	}
	return digest.Hex(b)
}

func flag(v bool) byte {
	if v {
		return 1
	}
	return 0
}

// A kept response is a text, the backend's name and the model's, each after its
// length, then a byte that says whether the probability of true follows. JSON
// would not give back a text that is not UTF-8 byte for byte.

func encodeResponse(resp *sentinel.Response) []byte {
	var b []byte
	for _, s := range []string{resp.Text, resp.Backend, resp.Model} {
		b = append(binary.AppendUvarint(b, uint64(len(s))), s...)
	}
	if resp.PTrue == nil {
		return append(b, 0)
	}
	return binary.LittleEndian.AppendUint64(append(b, 1), math.Float64bits(*resp.PTrue))
}

// decodeResponse reads what encodeResponse wrote. It trusts no length.
func decodeResponse(b []byte) (resp sentinel.Response, ok bool) {
	resp.Cached = true
	for _, s := range []*string{&resp.Text, &resp.Backend, &resp.Model} {
		size, n := binary.Uvarint(b)
		if n <= 0 || size > uint64(len(b)-n) {
			return sentinel.Response{}, false
		}
		*s = string(b[n : n+int(size)])
		b = b[n+int(size):]
	}
	switch {
	case len(b) == 1 && b[0] == 0:
		return resp, true
	case len(b) == 9 && b[0] == 1:
		p := math.Float64frombits(binary.LittleEndian.Uint64(b[1:]))
		resp.PTrue = &p
		return resp, p >= 0 && p <= 1
	}
	return sentinel.Response{}, false
}
