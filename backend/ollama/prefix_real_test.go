package ollama_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/prompt"
	"github.com/agentsentinel/sentinel/internal/realollama"
)

// BenchmarkRealSharedPrefix reports how often the time for reading one prompt a real
// server needs for four rules about one action: where the action comes first, and where
// the rules show it themselves and come first. The server counts all tokens of a prompt,
// kept ones too, so its own time for reading is what tells.
func BenchmarkRealSharedPrefix(b *testing.B) {
	url := realollama.Start(b)
	body := strings.Repeat("func total(items []item) (sum int) { for _, it := range items { sum += it.price }; return sum }\n", 6)
	rules := []string{"No debugging output.", "Errors are wrapped.", "Exported names are documented.", "No global variables."}
	calls := 0
	times := func(shows string) float64 {
		calls++
		content := fmt.Sprintf("// %d\n%s", calls, body) // no earlier question had it
		var first, sum float64
		for i, rule := range rules {
			took := reading(b, url, rule+shows, content)
			sum += took
			if i == 0 {
				first = took
			}
		}
		return sum / first
	}
	var shared, apart float64
	for range b.N {
		shared += times("")
		apart += times(" {{content_snippet}}")
	}
	b.ReportMetric(shared/float64(b.N), "action-first")
	b.ReportMetric(apart/float64(b.N), "rule-first")
}

// reading is the server's time for a prompt, in nanoseconds.
func reading(tb testing.TB, url, rule, content string) float64 {
	vars := func(name string) (string, bool) {
		v, ok := map[string]string{"trigger": "file_write", "action_summary": "write a.go", "content_snippet": content}[name]
		return v, ok
	}
	q := prompt.Questions(rule, vars, prompt.Options{Key: []byte("k")})[0]
	body, err := json.Marshal(map[string]any{
		"model": realollama.Model, "stream": false, "options": map[string]any{"num_predict": 1, "num_ctx": 2048},
		"messages": []map[string]string{{"role": "system", "content": q.System}, {"role": "user", "content": q.Prompt}},
	})
	require.NoError(tb, err)
	resp, err := http.Post(url+"/api/chat", "application/json", bytes.NewReader(body))
	require.NoError(tb, err)
	defer resp.Body.Close()
	var a struct {
		NS float64 `json:"prompt_eval_duration"`
	}
	require.NoError(tb, json.NewDecoder(resp.Body).Decode(&a))
	return a.NS
}
