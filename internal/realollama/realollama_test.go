package realollama_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/realollama"
)

func TestStart(t *testing.T) {
	url := realollama.Start(t)
	require.Equal(t, url, realollama.Start(t), "one server for the whole binary")

	resp, err := http.Get(url + "/api/version")
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	require.Equal(t, http.StatusOK, resp.StatusCode)
}

// A prompt that is too long for the one model is not for the other.
func TestStartLong(t *testing.T) {
	url := realollama.StartLong(t)
	for model, status := range map[string]int{realollama.Model: http.StatusBadRequest, realollama.LongModel: http.StatusOK} {
		body := fmt.Sprintf(`{"model":%q,"stream":false,"truncate":false,"messages":[{"role":"user","content":%q}],"options":{"num_ctx":%d,"num_predict":1}}`,
			model, strings.Repeat("a b ", 700), realollama.LongContext)
		resp, err := http.Post(url+"/api/chat", "application/json", strings.NewReader(body))
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		require.Equal(t, status, resp.StatusCode, model)
	}
}
