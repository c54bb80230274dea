package ollama_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/backend/ollama"
)

// The answer counts where a probability is not a number; how sure the model is, is unknown.
func TestLogprobsOfNaN(t *testing.T) {
	t.Parallel()
	for _, number := range []string{"NaN", "-Infinity", "null", `"NaN"`} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, `{"message":{"content":"{\"v\":true}"},"done":true,"done_reason":"stop","logprobs":[
				{"token":"{\"v\":","logprob":0},{"token":"true","logprob":`+number+`,"top_logprobs":[{"token":"false","logprob":-2}]}]}`)
		}))
		t.Cleanup(s.Close)
		req := question()
		req.Logprobs = true
		resp, err := ollama.New(parse(t, s.URL), nil).Complete(t.Context(), req)
		require.NoError(t, err, number)
		require.Equal(t, `{"v":true}`, resp.Text)
		require.Nil(t, resp.PTrue, number)
	}
}
