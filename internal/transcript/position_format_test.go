package transcript

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
)

// A position that another version left has the result of an open call as a number.
func TestAnOpenCallKeepsItsResultAsANumber(t *testing.T) {
	t.Parallel()
	const kept = `{"id":"a","tool":"Bash","came":2}`
	var c openCall
	require.NoError(t, json.Unmarshal([]byte(kept), &c))
	require.Equal(t, sentinel.ResultFailed, sentinel.Result(c.Came))
	data, err := json.Marshal(c)
	require.NoError(t, err)
	require.JSONEq(t, kept, string(data))
}
