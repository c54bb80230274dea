package backend

import (
	"bytes"
	"testing"
	"time"

	"github.com/agentsentinel/sentinel"
)

// FuzzResponse holds that no content of a store makes the reader panic
// or take more memory than that has, and that what is accepted is a response that
// was asked for by somebody else.
func FuzzResponse(f *testing.F) {
	p := 0.25
	f.Add(encodeResponse(&sentinel.Response{Text: `{"violation":false,"confidence":1}`, Backend: "ollama", Model: "gemma3:4b"}))
	f.Add(encodeResponse(&sentinel.Response{Text: "\xff", PTrue: &p}))
	f.Add([]byte("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"))
	f.Fuzz(func(t *testing.T, data []byte) {
		resp, ok := decodeResponse(data)
		if !ok {
			return
		}
		if !resp.Cached || resp.PromptTokens != 0 || resp.PTrue != nil && !(*resp.PTrue >= 0 && *resp.PTrue <= 1) {
			t.Fatalf("%+v", resp)
		}
		again, ok := decodeResponse(encodeResponse(&resp))
		if !ok || again.Text != resp.Text || again.Backend != resp.Backend || again.Model != resp.Model || (again.PTrue == nil) != (resp.PTrue == nil) {
			t.Fatalf("%+v became %+v", resp, again)
		}
	})
}

// FuzzOutage holds that no state of a breaker makes it panic, and that none keeps
// a backend away for longer than a pause.
func FuzzOutage(f *testing.F) {
	now := time.Date(2026, 3, 30, 14, 0, 0, 0, time.UTC)
	f.Add(Outage{Failures: 3, Since: now, Until: now.Add(time.Minute), Reason: "connection refused"}.encode())
	f.Add([]byte(`{"failures":1e400}`))
	f.Add([]byte(`{"failures":3,"until":"9999-12-31T23:59:59Z"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		s := decodeOutage(data)
		if s.lasts(now, time.Minute) && s.Until.After(now.Add(time.Minute)) {
			t.Fatalf("away until %v", s.Until)
		}
		if s.Failures < 0 {
			t.Fatalf("%d failures", s.Failures)
		}
		s.note(now, sentinel.ErrUnavailable)
		if b := s.encode(); s.Failures > 0 && !bytes.Equal(decodeOutage(b).encode(), b) {
			t.Fatalf("%s became %s", b, decodeOutage(b).encode())
		}
	})
}
