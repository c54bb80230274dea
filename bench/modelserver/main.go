// Command modelserver is a scripted model server for benchmarks. It speaks the
// wire of Ollama and finds every action clean. Its answer takes the time that
// a model needs: so much for each token, a token being four bytes.
//
// It does what a model is held to do: to a schema of two branches it answers with
// the short one, to format "json" and to a schema of one branch with a reason.
//
// The URL is printed first. The server ends when its standard input does.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"
)

func main() {
	token := flag.Duration("token", 10*time.Millisecond, "time of one token")
	save := flag.String("save", "", "file for the body of the first question")
	flag.Parse()
	if err := run(*token, *save); err != nil {
		fmt.Fprintln(os.Stderr, "modelserver:", err)
		os.Exit(1)
	}
}

func run(token time.Duration, save string) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Printf("http://%s\n", l.Addr())
	go http.Serve(l, handler(token, save))
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

func handler(token time.Duration, save string) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/version", func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, `{"version":"0.24.0"}`)
	})
	mux.HandleFunc("POST /api/show", func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, `{"capabilities":["completion"]}`)
	})
	mux.HandleFunc("POST /api/chat", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the caller has gone
		}
		if _, err := os.Stat(save); save != "" && err != nil {
			os.WriteFile(save, body, 0o600)
		}
		content, err := answer(body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		tokens := (len(content) + 3) / 4
		select {
		case <-time.After(time.Duration(tokens) * token):
		case <-r.Context().Done():
			return
		}
		json.NewEncoder(w).Encode(map[string]any{
			"model": "m", "created_at": "2026-01-02T03:04:05Z", "done": true, "done_reason": "stop",
			"message":    map[string]string{"role": "assistant", "content": content},
			"eval_count": tokens, "prompt_eval_count": len(body) / 4,
		})
	})
	return mux
}

const (
	short      = `{"violation":false,"confidence":0.95}`
	withReason = `{"violation": false, "confidence": 0.95, "reason": "The file is outside of the billing directory and holds no payment logic."}`
)

// answer is what a model writes that obeys the request.
func answer(body []byte) (string, error) {
	var asked struct {
		Format   json.RawMessage
		Messages []json.RawMessage
	}
	if err := json.Unmarshal(body, &asked); err != nil {
		return "", err
	}
	if len(asked.Messages) == 0 {
		return "", fmt.Errorf("no messages")
	}
	if strings.Contains(string(asked.Format), `"anyOf"`) {
		return short, nil
	}
	return withReason, nil
}
