package auditcli_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/audit/document"
	"github.com/agentsentinel/sentinel/internal/audit/report"
	"github.com/agentsentinel/sentinel/internal/auditcli"
	"github.com/agentsentinel/sentinel/internal/cli/command"
)

// model is a server with OpenAI's chat completions whose answer depends on what it
// is shown. It counts the facts that do not hold; and it is gullible: where it
// reads that it is to give full marks, it does.
type model struct {
	url string

	mu       sync.Mutex
	prompts  []string
	pictures int // that were shown to it

	heard func() // called before each answer; nil is nothing
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
		if m.heard != nil {
			m.heard()
		}
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
	variables map[string]string // of the environment, besides HOME
}

func newPerson(t *testing.T) *person {
	return &person{t: t, home: t.TempDir(), dir: t.TempDir(), variables: map[string]string{}}
}

// readsPDF has the person share the compiled reader of PDF with those of other
// tests.
func (p *person) readsPDF() {
	p.t.Helper()
	dir, err := sharedCache()
	require.NoError(p.t, err)
	p.variables["XDG_CACHE_HOME"] = dir
}

// cacheDir is what sharedCache made; "" without.
var cacheDir string

// sharedCache is a folder of caches in which the reader of PDF lies compiled.
var sharedCache = sync.OnceValues(func() (string, error) {
	var err error
	if cacheDir, err = os.MkdirTemp("", "auditcli-test-"); err != nil {
		return "", err
	}
	reader, err := plainReader(cacheDir)
	if err != nil {
		return "", err
	}
	page := filepath.Join(cacheDir, "first.pdf")
	if err := os.WriteFile(page, onePage("Report", "Nothing."), 0o600); err != nil {
		return "", err
	}
	_, err = document.Open(context.Background(), page, &document.Options{
		Reader: []string{reader, "__pdf"}, Cache: filepath.Join(cacheDir, "sentinel", "pdf"), Timeout: time.Hour,
	})
	return cacheDir, err
})

// plainReader is a program that compiles the reader: this one, but without the race
// detector, under which that takes ten times as long. It is another test binary, as
// what compiles keeps its cache apart for those.
func plainReader(dir string) (string, error) {
	if !raceDetector {
		return os.Executable()
	}
	reader := filepath.Join(dir, "reader.exe")
	text, err := exec.Command("go", "test", "-c", "-race=false", "-o", reader, reflect.TypeFor[document.Options]().PkgPath()).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w\n%s", err, text)
	}
	return reader, nil
}

// audit runs the command and returns its exit status and streams.
func (p *person) audit(args ...string) (status int, stdout, stderr string) {
	p.t.Helper()
	var out, errs strings.Builder
	status = auditcli.RunContext(p.t.Context(), &command.Env{
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
