package realollama_test

import (
	"net/http"
	"testing"

	"github.com/agentsentinel/sentinel/internal/realollama"
	"github.com/stretchr/testify/require"
)

func TestStart(t *testing.T) {
	url := realollama.Start(t)
	require.Equal(t, url, realollama.Start(t), "one server for the whole binary")

	resp, err := http.Get(url + "/api/version")
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	require.Equal(t, http.StatusOK, resp.StatusCode)
}
