package webapi

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestErrorText(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"error":"model is required"}`:                        "model is required",
		`{"error":{"message":"no memory"}}`:                    "no memory",
		`{"error":"{\"error\":{\"message\":\"bad schema\"}}"}`: "bad schema",
		`{"error":"{\"error\":\"deep\"}"}`:                     "deep",
		`{"error":{"code":7}}`:                                 `{"code":7}`,
		`{"error":7}`:                                          "7",
		`{"failure":"x"}`:                                      `{"failure":"x"}`,
		`{"detail":"no such path"}`:                            "no such path",
		`404 page not found`:                                   "404 page not found",
		"  \n":                                                 "",
		"":                                                     "",
	} {
		require.Equal(t, want, statusError(&http.Response{StatusCode: http.StatusNotFound}, []byte(body)).Message, body)
	}
}

func TestRetryAfterHeader(t *testing.T) {
	t.Parallel()
	read := func(value string) time.Duration { return retryAfter(http.Header{"Retry-After": {value}}) }
	require.Equal(t, 7*time.Second, read("7"))
	for _, value := range []string{"", "-1", "soon", "1e9", "99999999999999999999", "Mon, 02 Jan 2006 15:04:05 GMT"} {
		require.Zero(t, read(value), value)
	}
	require.InDelta(t, time.Hour, read(time.Now().Add(time.Hour).UTC().Format(http.TimeFormat)), float64(time.Minute))
}

// Whatever a server sends, only a JSON object without an error comes through.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"model":"m","message":{"role":"assistant","content":"{}"},"done":true,"done_reason":"stop"}`))
	f.Add([]byte(`{"error":"{\"error\":{\"message\":\"x\"}}"}`))
	f.Add([]byte("<html>"))
	f.Add([]byte(`{"error":null}`))
	service := New("http://localhost", nil, nil, nil)
	f.Fuzz(func(t *testing.T, body []byte) {
		var got map[string]json.RawMessage
		if err := service.decode(body, &got); err != nil {
			require.NotEmpty(t, err.Error())
			return
		}
		var object map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(body, &object))
		require.Equal(t, object, got)
		if e, ok := object["error"]; ok {
			require.Equal(t, "null", string(e))
		}
	})
}

// Numbers that JSON does not have are nothing; texts keep their words.
func TestNumbersThatAreNone(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, `{"a": NaN, "b": [-Infinity,Infinity], "c": "NaN \" Infinity", "d": {"NaN": 1}}`)
	}))
	t.Cleanup(s.Close)
	var got map[string]any
	require.NoError(t, New(s.URL, nil, nil, nil).Get(t.Context(), "x", &got))
	require.Equal(t, map[string]any{"a": nil, "b": []any{nil, nil}, "c": `NaN " Infinity`, "d": map[string]any{"NaN": 1.0}}, got)
}
