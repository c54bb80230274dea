package ollama_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/fakeserver"
)

// Answers that real servers of two versions gave, and what becomes of each.
func TestRecordings(t *testing.T) {
	const folder = "../../../shared/ollama/recordings"
	if _, err := os.Stat(folder); err != nil {
		t.Skip("no recordings of real servers: there is no ../shared/ollama/recordings beside the repository")
	}
	for name, c := range map[string]struct {
		kind error // nil: it is an answer
		says string
	}{
		"chat_format_schema":                 {nil, ""},
		"chat_format_schema_bounded":         {nil, ""},
		"chat_think_false_schema_thinkmodel": {nil, ""},
		"chat_format_schema_truncated":       {sentinel.ErrMalformed, "cut after"},
		"chat_think_absent_thinkmodel":       {sentinel.ErrMalformed, "cut after"},
		"load_only":                          {sentinel.ErrMalformed, `"load"`},
		"unload_only":                        {sentinel.ErrMalformed, `"unload"`},
		"chat_stream_absent":                 {sentinel.ErrUnavailable, "not one JSON object"},
		"ctx_too_long_truncate_false":        {sentinel.ErrUnavailable, "num_ctx"},
		"ctx_gen_overflow_shift_false":       {sentinel.ErrMalformed, "cut after"},
		"err_model_not_found":                {sentinel.ErrUnavailable, "ollama pull"},
		"err_queue_full":                     {sentinel.ErrBusy, "server busy"},
		"chat_think_true_unsupported":        {sentinel.ErrUnavailable, "cannot think"},
		"chat_format_bad_string":             {sentinel.ErrUnavailable, "invalid format"},
		"host_header_foreign":                {sentinel.ErrUnavailable, "403 Forbidden"},
		"err_unknown_path":                   {sentinel.ErrUnavailable, "is this an Ollama server"},
		"err_get_chat":                       {sentinel.ErrUnavailable, "405 Method Not Allowed"},
		"err_empty_body":                     {sentinel.ErrUnavailable, "missing request body"},
		"root":                               {sentinel.ErrUnavailable, "Ollama is running"},
		"incomplete_done_false":              {sentinel.ErrMalformed, "done is false"},
	} {
		files, err := filepath.Glob(filepath.Join(folder, "v*-"+name+".json"))
		require.NoError(t, err)
		require.NotEmpty(t, files, name)
		for _, file := range files {
			t.Run(filepath.Base(file), func(t *testing.T) {
				t.Parallel()
				status, body := recorded(t, file)
				server := fakeserver.NewOllamaServer(t, fakeserver.OllamaFault(fakeserver.FaultBody(status, "application/json", body)))
				resp, err := at(t, server, nil).Complete(t.Context(), question())
				if c.kind == nil {
					require.NoError(t, err)
					require.True(t, json.Valid([]byte(resp.Text)), resp.Text)
					return
				}
				require.ErrorIs(t, err, c.kind)
				require.ErrorContains(t, err, c.says)
			})
		}
	}
}

// recorded reads a recording; one without a frame is the body itself.
func recorded(t *testing.T, file string) (status int, body string) {
	t.Helper()
	raw, err := os.ReadFile(file)
	require.NoError(t, err)
	var rec struct {
		Response *struct {
			Status int    `json:"status"`
			Body   string `json:"body_raw"`
		} `json:"response"`
	}
	require.NoError(t, json.Unmarshal(raw, &rec))
	if rec.Response == nil {
		return http.StatusOK, string(raw)
	}
	return rec.Response.Status, rec.Response.Body
}
