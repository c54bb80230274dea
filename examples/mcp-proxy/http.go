package main

import (
	"net/http"
	"net/url"
	"sync/atomic"
)

// headers adds to requests what the transport would add if the session were its
// own and not one that passes through: the version that was agreed on.
type headers struct {
	next    http.RoundTripper
	token   string
	version atomic.Value // string
}

func (h *headers) setVersion(version string) { h.version.Store(version) }

// RoundTrip implements [http.RoundTripper].
func (h *headers) RoundTrip(req *http.Request) (*http.Response, error) {
	const protocolVersion = "Mcp-Protocol-Version"
	req = req.Clone(req.Context())
	if v, ok := h.version.Load().(string); ok && req.Header.Get(protocolVersion) == "" {
		req.Header.Set(protocolVersion, v)
	}
	if h.token != "" {
		req.Header.Set("Authorization", "Bearer "+h.token)
	}
	return h.next.RoundTrip(req)
}

// hostOf is the host of a URL, and the name of a server that has no other.
func hostOf(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return ""
	}
	return u.Hostname()
}
