package ollama

import (
	"encoding/json"
	"net/http"
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
		`404 page not found`:                                   "404 page not found",
		"  \n":                                                 "",
		"":                                                     "",
	} {
		require.Equal(t, want, errorText([]byte(body)), body)
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

// Whatever a server sends, only a JSON object that is no error comes through.
func FuzzCheck(f *testing.F) {
	f.Add(200, []byte(`{"model":"m","message":{"role":"assistant","content":"{}"},"done":true,"done_reason":"stop"}`))
	f.Add(200, []byte(`{"error":"{\"error\":{\"message\":\"x\"}}"}`))
	f.Add(200, []byte("<html>"))
	f.Add(500, []byte(`{"error":null}`))
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		got, err := check(&http.Response{StatusCode: status}, body)
		if err != nil {
			require.Empty(t, got)
			require.NotEmpty(t, err.Error())
			return
		}
		require.Equal(t, http.StatusOK, status)
		require.NotContains(t, string(got), "\n", "the client reads lines")
		var object map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(got, &object))
		if e, ok := object["error"]; ok {
			require.Equal(t, "null", string(e))
		}
	})
}
