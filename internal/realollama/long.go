package realollama

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/agentsentinel/sentinel/internal/digest"
)

// LongModel is [Model] with a context of LongContext tokens instead of 2,048: the same
// weights, which have no learned positions. A prompt is about as many tokens as it has
// characters.
const (
	LongModel   = "tinylong"
	LongContext = 16384
)

// StartLong is [Start] for a server that has LongModel too.
func StartLong(tb testing.TB) (url string) {
	tb.Helper()
	url = Start(tb)
	if err := createdLong(); err != nil {
		tb.Fatal(err)
	}
	return url
}

var createdLong = sync.OnceValue(func() error {
	s, err := started()
	if err == nil {
		err = createLong(s.url)
	}
	if err != nil {
		return fmt.Errorf("realollama: making %s: %w", LongModel, err)
	}
	return nil
})

// createLong makes the model as `ollama create` does: the weights as a blob, and
// then a model of it.
func createLong(url string) error {
	script, err := find()
	if err != nil {
		return err
	}
	weights, err := os.ReadFile(filepath.Join(filepath.Dir(script), "models", Model+".gguf"))
	if err != nil {
		return err
	}
	if err := setContextLength(weights, LongContext); err != nil {
		return err
	}
	blob := "sha256:" + digest.Hex(weights)
	if err := post(url+"/api/blobs/"+blob, weights); err != nil {
		return err
	}
	model, err := json.Marshal(map[string]any{
		"model": LongModel, "stream": false, "files": map[string]string{LongModel + ".gguf": blob},
		"template":   "{{- if .System }}system: {{ .System }}\n{{ end }}{{- range .Messages }}{{ .Role }}: {{ .Content }}\n{{ end }}assistant: ",
		"parameters": map[string]any{"num_thread": 1},
	})
	if err != nil {
		return err
	}
	return post(url+"/api/create", model)
}

// setContextLength changes the number of a GGUF file that bounds the num_ctx of requests to
// a server.
func setContextLength(gguf []byte, tokens uint32) error {
	const uint32Type = 4 // GGUF's number for the type of a value
	key := []byte("llama.context_length")
	at := bytes.Index(gguf, key)
	if at < 0 || bytes.Count(gguf, key) != 1 || len(gguf) < at+len(key)+8 {
		return errors.New("the file names no context length")
	}
	value := gguf[at+len(key):]
	if binary.LittleEndian.Uint32(value) != uint32Type {
		return errors.New("the context length is of another type")
	}
	binary.LittleEndian.PutUint32(value[4:], tokens)
	return nil
}

func post(url string, body []byte) error {
	resp, err := http.Post(url, "application/octet-stream", bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode/100 != 2 {
		err = fmt.Errorf("%s: %s: %s", url, resp.Status, text)
	}
	return err
}
