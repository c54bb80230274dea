package fakeserver_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/fakeserver"
)

func TestOfferedTools(t *testing.T) {
	for name, body := range map[string]string{
		"anthropic":        `{"tools":[{"name":"a","input_schema":{}},{"name":"b"}]}`,
		"chat completions": `{"tools":[{"type":"function","function":{"name":"a"}},{"type":"function","function":{"name":"b"}}]}`,
		"responses":        `{"tools":[{"type":"function","name":"a"},{"type":"namespace","name":"n","tools":[{"type":"custom","name":"b"}]}]}`,
		"gemini":           `{"tools":[{"functionDeclarations":[{"name":"a"},{"name":"b"}]}]}`,
	} {
		require.Equal(t, []string{"a", "b"}, fakeserver.OfferedTools([]byte(body)), name)
	}
	require.Empty(t, fakeserver.OfferedTools([]byte(`{"tools":[{"type":"web_search"}]}`)))
	require.Empty(t, fakeserver.OfferedTools([]byte("no JSON")))
}
