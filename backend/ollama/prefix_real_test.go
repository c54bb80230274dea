package ollama_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/backend/ollama"
	"github.com/agentsentinel/sentinel/internal/prompt"
	"github.com/agentsentinel/sentinel/internal/realollama"
)

// TestRealSharedPrefix: four rules about one action of 3,000 characters have a real
// server evaluate at most 1.6 times the tokens of one, since the action comes first. They
// are asked one after the other, as ollama_concurrency is 1: questions that begin at
// the same time in several slots of a server share nothing.
func TestRealSharedPrefix(t *testing.T) {
	b := ollama.New(parse(t, realollama.StartLong(t)), &ollama.Options{Model: realollama.LongModel, NumCtx: 8192})
	t.Cleanup(func() { require.NoError(t, b.Close()) })
	action := map[string]string{
		"trigger": "file_write", "action_summary": "write a.go",
		"content_snippet": strings.Repeat("func total(items []item) int { return len(items) }\n", 60)[:3000],
	}
	vars := func(name string) (string, bool) { v, ok := action[name]; return v, ok }
	rules := []string{"No debugging output.", "Errors are wrapped.", "Exported names are documented.", "No global variables."}
	before := len(realollama.Evaluated(t))
	for _, rule := range rules {
		q := prompt.Questions(rule, vars, prompt.Options{Key: []byte("k")})[0]
		_, err := b.Complete(t.Context(), sentinel.Request{System: q.System, Prompt: q.Prompt, MaxTokens: 1})
		require.ErrorIs(t, err, sentinel.ErrMalformed, "only reading counts here")
	}
	tokens := realollama.Evaluated(t)[before:]
	require.Len(t, tokens, len(rules), "the server's log has another form")
	sum := 0
	for _, n := range tokens {
		sum += n
	}
	t.Logf("evaluated: %d, %.2f times those of one rule", tokens, float64(sum)/float64(tokens[0]))
	require.LessOrEqual(t, float64(sum), 1.6*float64(tokens[0]))
}
