package doctor_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/doctor"
	"github.com/agentsentinel/sentinel/internal/fakeserver"
	"github.com/agentsentinel/sentinel/internal/state"
)

func (w *world) ollama(url, more string) {
	w.write(".claude/sentinel/config.yaml", "backend: ollama\nscribe: {enabled: false}\ncontext: {enabled: false}\nbackends: {ollama: {url: \""+url+"\"}}\n"+more)
}

func TestOllama(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	server := fakeserver.NewOllamaServer(t)
	w.ollama(server.URL, "")
	found := w.examine()
	requireFinding(t, found, "judges", "ollama", doctor.StatusOK, "gemma3:4b at "+server.URL+" answers in ", "by the profile generic", "for rules")
	requireFinding(t, found, "lock", "gpu", doctor.StatusOK, "free: .sentinel/sessions/_cli/ollama.lock")
	require.True(t, doctor.Sound(found), failures(found))
	require.Empty(t, server.Chats(), "no model is asked")

	w.write(".claude/sentinel/rules/big.yaml", "trigger: bash\nprompt: x\nbackend: ollama\nmodel: big:70b\n")
	found = w.examine()
	requireFinding(t, found, "judges", "ollama", doctor.StatusFail, "big:70b", "rule big", "ollama pull big:70b", "fail_open is true")
	require.False(t, doctor.Sound(found))

	server.Close()
	w.ollama(server.URL, "fail_open: false\n")
	found = w.examine()
	requireFinding(t, found, "judges", "ollama", doctor.StatusFail, "for rules", "ollama serve", "is stopped")
	requireFinding(t, found, "judges", "ollama", doctor.StatusFail, "for rule big")
}

func TestAServerThatIsNoOllama(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	server := fakeserver.NewOllamaServer(t)
	server.Answer("/api/version", fakeserver.OllamaFault(fakeserver.FaultHTML()))
	w.ollama(server.URL, "fallback: [builtin]\n")
	found := w.examine()
	requireFinding(t, found, "judges", "ollama", doctor.StatusFail, "is this an Ollama server", "the fallback judges: builtin")
	requireFinding(t, found, "judges", "builtin", doctor.StatusOK, "for fallback")
}

// A server that never answers is given up.
func TestAServerThatHangs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.patience = 2 * time.Second
	server := fakeserver.NewOllamaServer(t)
	server.Answer("/api/version", fakeserver.OllamaFault(fakeserver.FaultHang()))
	w.ollama(server.URL, "")
	requireFinding(t, w.examine(), "judges", "ollama", doctor.StatusFail, "given up")
}

func TestOpenAI(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	server := fakeserver.NewOpenAIServer(t)
	server.SetModels("small")
	server.SetKey("secret-key")
	w.env["OPENAI_API_KEY"] = "secret-key"
	config := func(model string) {
		w.write(".claude/sentinel/config.yaml", fmt.Sprintf("backend: openai\nscribe: {enabled: false}\ncontext: {enabled: false}\nbackends: {openai: {base_url: %q, model: %q}}\n", server.URL, model))
	}
	config("small")
	requireFinding(t, w.examine(), "judges", "openai", doctor.StatusFail, "OPENAI_API_KEY, which is not sent before `sentinel trust`")
	w.trust()
	found := w.examine()
	requireFinding(t, found, "judges", "openai", doctor.StatusOK, "small at ", "answers in",
		"asked by the profile no-schema (a server that does not say what it is, schemas are not applied (")
	require.NotContains(t, fmt.Sprint(found), "secret-key")
	requireFinding(t, found, "lock", "gpu", doctor.StatusOK, "no backend that is used here shares a GPU")

	config("large")
	w.trust()
	requireFinding(t, w.examine(), "judges", "openai", doctor.StatusFail, `does not have model "large"`)
	config("")
	w.trust()
	requireFinding(t, w.examine(), "judges", "openai", doctor.StatusFail, "no model is named")
	config("small")
	w.trust()
	w.env["OPENAI_API_KEY"] = "expired"
	found = w.examine()
	require.False(t, doctor.Sound(found))
	require.NotContains(t, fmt.Sprint(found), "secret-key")
}

// A server that serves its model anyway is asked whether it applies schemas. Why another one
// is not, or did not answer, is said.
func TestProbe(t *testing.T) {
	t.Parallel()
	var chats atomic.Int64
	serve := func(answer string) string {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.URL.Path == "/v1/models":
				io.WriteString(w, `{"data":[{"id":"small"},{"id":"gpt-oss-20b"}]}`)
			case r.URL.Path != "/v1/chat/completions":
				w.WriteHeader(http.StatusNotFound)
			case answer == "":
				chats.Add(1)
				io.Copy(io.Discard, r.Body) // else the end of the request is not seen
				<-r.Context().Done()
			default:
				chats.Add(1)
				io.WriteString(w, `{"choices":[{"message":{"content":"`+answer+`"},"finish_reason":"stop"}]}`)
			}
		}))
		t.Cleanup(s.Close)
		return s.URL + "/v1"
	}
	const bird = `{\"bird\":\"kestrel\"}`
	for _, c := range []struct {
		url, model, says string
		chats            int64
	}{
		{serve(bird), "small", "generic (a server that does not say what it is, schemas are applied, sent as response_format (", 1},
		{serve("hello"), "small", "no-schema (a server that does not say what it is, schemas are not applied (", 6},
		{serve(""), "small", "generic (a server that does not say what it is, schemas not tried: no answer within", 1},
		{serve(bird), "gpt-oss-20b", "schemas not tried: the profile sends none", 0},
		{strings.Replace(serve(bird), "127.0.0.1", "0.0.0.0", 1), "small", "schemas not tried: a call may cost money", 0}, // it is not a name of this machine
	} {
		if strings.Contains(c.url, "0.0.0.0") && runtime.GOOS == "windows" {
			continue
		}
		w := newWorld(t)
		if strings.Contains(c.says, "no answer") {
			w.patience = 8 * time.Second
		}
		w.write(".claude/sentinel/config.yaml", fmt.Sprintf("backend: openai\nscribe: {enabled: false}\ncontext: {enabled: false}\nbackends: {openai: {base_url: %q, model: %q}}\n", c.url, c.model))
		w.trust()
		chats.Store(0)
		for range 2 {
			requireFinding(t, w.examine(), "judges", "openai", doctor.StatusOK, "asked by the profile ", c.says)
			if c.chats > 0 && !strings.Contains(c.says, "no answer") {
				require.Equal(t, c.chats, chats.Load(), "once a week")
			}
		}
		require.Equal(t, c.chats > 0, chats.Load() > 0, c.says)
	}
}

func TestProgramsAsJudges(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(".claude/sentinel/config.yaml", "backend: claude\nscribe: {enabled: false}\nfallback: [copilot]\n")
	found := w.examine()
	requireFinding(t, found, "judges", "claude", doctor.StatusFail, "haiku", "not installed", "fallback judges: copilot")
	requireFinding(t, found, "judges", "copilot", doctor.StatusFail, "gpt-5-mini", "not installed")
}

func TestBuiltin(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(".claude/sentinel/rules/advice.yaml", "trigger: file_write\nseverity: info\npost: true\nprompt: x\nbackend: ollama\n")
	w.write(".claude/sentinel/config.yaml", "backend: builtin\nbackends: {ollama: {url: \"http://127.0.0.1:1\"}}\n")
	requireFinding(t, w.examine(), "judges", "builtin", doctor.StatusInfo, "context and the Scribe are off", "`post` (1)")
}

func TestOutageAndBudget(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	server := fakeserver.NewOllamaServer(t)
	w.ollama(server.URL, "budget: {tokens_per_day: 1000}\n")
	o := w.options().Project
	now := time.Now()
	outage := map[string]any{"failures": 3, "since": now.Add(-time.Minute), "until": now.Add(time.Hour), "reason": "it \x1b[2Jburns"}
	text, err := json.Marshal(outage)
	require.NoError(t, err)
	breakers := state.NewValues(filepath.Join(o.StateDir, "breakers"))
	require.NoError(t, breakers.Update("ollama "+server.URL+"\x00", func([]byte) []byte { return text }))
	found := w.examine()
	requireFinding(t, found, "judges", "ollama", doctor.StatusWarn, "failed 3 times in a row", "burns", "left alone until")
	requireFinding(t, found, "judges", "ollama", doctor.StatusOK, "answers in")
	requireFinding(t, found, "judges", "budget", doctor.StatusOK, "0 tokens, of 1000 tokens a day")

	sum := sha256.Sum256([]byte(w.at(".claude/sentinel"))) // as package project names it
	ledger := state.NewLedger(filepath.Join(o.StateDir, "usage", hex.EncodeToString(sum[:])))
	require.NoError(t, ledger.Add(now.Format(time.DateOnly), 1200, 0.5, false))
	requireFinding(t, w.examine(), "judges", "budget", doctor.StatusWarn, "1200 tokens, 0.50 by `pricing`", "until midnight")
}
