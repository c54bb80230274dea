package auditcli_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/audit"
	"github.com/agentsentinel/sentinel/audit/report"
	"github.com/agentsentinel/sentinel/internal/auditcli"
	"github.com/agentsentinel/sentinel/internal/cli"
)

// model is a server with OpenAI's chat completions whose answer depends on what it
// is shown. It counts the facts that do not hold; and it is gullible: where it
// reads that it is to give full marks, it does.
type model struct {
	url string

	mu       sync.Mutex
	prompts  []string
	pictures int // that were shown to it
}

// whole is how a judge is shown what a probe found as a whole.
var whole = regexp.MustCompile(`(?m)^((?:repo|docs|vision)#\d+)\| (fact|untrusted claim|seen by a model); ([^;]+); probe ([^,]+), the whole probe`)

func newModel(t *testing.T) *model {
	m := &model{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/models" {
			io.WriteString(w, `{"object":"list","data":[{"id":"gullible"}]}`)
			return
		}
		system, prompt, pictures, err := readChat(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		m.mu.Lock()
		m.prompts = append(m.prompts, prompt)
		m.pictures += pictures
		m.mu.Unlock()
		answer := opinion(system, prompt)
		if pictures > 0 {
			answer = `{"description":"boxes that are joined by lines","answer":"parallel"}`
		}
		json.NewEncoder(w).Encode(map[string]any{
			"object": "chat.completion", "model": "gullible-1",
			"choices": []any{map[string]any{"index": 0, "finish_reason": "stop", "message": map[string]any{"role": "assistant", "content": answer}}},
			"usage":   map[string]any{"prompt_tokens": len(prompt) / 4, "completion_tokens": 50},
		})
	}))
	t.Cleanup(server.Close)
	m.url = server.URL + "/v1"
	return m
}

// readChat reads a request: its texts, and how many pictures are with them.
func readChat(body io.Reader) (system, prompt string, pictures int, err error) {
	var chat struct {
		Messages []struct {
			Role    string
			Content json.RawMessage
		}
	}
	if err := json.NewDecoder(body).Decode(&chat); err != nil {
		return "", "", 0, err
	}
	for _, msg := range chat.Messages {
		var text string
		var parts []struct{ Type, Text string }
		switch {
		case json.Unmarshal(msg.Content, &text) == nil:
		case json.Unmarshal(msg.Content, &parts) == nil:
			for _, p := range parts {
				text += p.Text
				if p.Type == "image_url" {
					pictures++
				}
			}
		}
		if msg.Role == "system" {
			system = text
		} else {
			prompt += text
		}
	}
	return system, prompt, pictures, nil
}

// opinion is what the model says.
func opinion(system, prompt string) string {
	score, cited := 5, []string{}
	for _, found := range whole.FindAllStringSubmatch(prompt, -1) {
		cited = append(cited, found[1])
		if found[2] == "fact" && strings.Contains(found[3], "does not hold") {
			score--
		}
	}
	if strings.HasPrefix(system, "You are the Prosecutor") {
		score--
	}
	if obeys(prompt) {
		score = 5
	}
	answer, err := json.Marshal(map[string]any{"argument": "As the facts have it.", "cited_evidence": cited, "score": max(score, 1)})
	if err != nil {
		return err.Error()
	}
	return string(answer)
}

// obeys reports whether a text would have a gullible reader give full marks.
func obeys(text string) bool {
	return strings.Contains(strings.ToLower(text), "ignore all previous instructions")
}

func (m *model) asked() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]string(nil), m.prompts...)
}

// configure makes the model the judge of the person whose home folder this is.
func (m *model) configure(t *testing.T, home string) {
	t.Helper()
	dir := filepath.Join(home, ".config", "sentinel")
	require.NoError(t, os.MkdirAll(dir, 0o755))
	text := fmt.Sprintf("backend: openai\nbackends: {openai: {base_url: %q, model: gullible, api_key_env: NO_KEY}}\ncache: {enabled: false}\n", m.url)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "config.yaml"), []byte(text), 0o600))
}

// person runs the command in a home folder of their own.
type person struct {
	t         *testing.T
	home      string
	dir       string
	variables map[string]string // of the environment, beside HOME
}

func newPerson(t *testing.T) *person {
	return &person{t: t, home: t.TempDir(), dir: t.TempDir(), variables: map[string]string{}}
}

// readsPDF has the person share the compiled reader of PDF with those of other
// tests. The first one compiles it, which under the race detector takes a minute.
func (p *person) readsPDF() {
	p.t.Helper()
	dir, err := sharedCache()
	require.NoError(p.t, err)
	p.variables["XDG_CACHE_HOME"] = dir
	compiled.Lock()
	defer compiled.Unlock()
	document := filepath.Join(p.dir, "first.pdf")
	require.NoError(p.t, os.WriteFile(document, onePage("Report", "Nothing."), 0o600))
	status, _, stderr := p.audit("--doc", document, "--facts")
	require.Zero(p.t, status, stderr)
}

var compiled sync.Mutex

// audit runs the command and returns its exit status and streams.
func (p *person) audit(args ...string) (status int, stdout, stderr string) {
	p.t.Helper()
	var out, errs strings.Builder
	status = auditcli.RunContext(p.t.Context(), &cli.Env{
		Args: args, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Dir: p.dir,
		Getenv: func(name string) string {
			if name == "HOME" {
				return p.home
			}
			return p.variables[name]
		},
	})
	return status, out.String(), errs.String()
}

// record runs the command, which must end well, and returns what it reports.
func (p *person) record(args ...string) *audit.Record {
	p.t.Helper()
	status, stdout, stderr := p.audit(append(args, "--json")...)
	require.Zero(p.t, status, stderr)
	path := filepath.Join(p.t.TempDir(), "report.json")
	require.NoError(p.t, os.WriteFile(path, []byte(stdout), 0o600))
	record, err := report.Read(path)
	require.NoError(p.t, err)
	return record
}
