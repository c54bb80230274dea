package transcript_test

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/transcript"
)

// fuzz reads what follows a beginning that tells whose transcript it is, in one
// pass and in two, and checks what holds for anything.
func fuzz(f *testing.F, fixture, head string) {
	text, err := os.ReadFile(filepath.Join("testdata", fixture))
	require.NoError(f, err)
	f.Add(text, len(text)/2)
	f.Add([]byte("{\"type\":\"user\"}\n{"), 3)
	path := filepath.Join(f.TempDir(), "s.jsonl")
	f.Fuzz(func(t *testing.T, text []byte, split int) {
		text = append([]byte(head), text...)
		split = min(max(split, 0), len(text))
		read := func(text []byte, from transcript.Position) ([]transcript.Entry, transcript.Position) {
			require.NoError(t, os.WriteFile(path, text, 0o600))
			r, err := transcript.Open(path, from, nil)
			require.NoError(t, err)
			defer r.Close()
			var all []transcript.Entry
			for {
				e, err := r.Next()
				if errors.Is(err, io.EOF) || errors.Is(err, transcript.ErrFormat) {
					return all, r.Position()
				}
				require.NoError(t, err)
				bounded(t, e)
				all = append(all, e)
			}
		}
		whole, end := read(text, transcript.Position{})
		require.LessOrEqual(t, end.Offset, int64(len(text)))
		first, at := read(text[:split], transcript.Position{})
		second, _ := read(text, at)
		if head != geminiHead { // whose messages may be written again
			require.Equal(t, len(whole), len(first)+len(second))
		}
	})
}

const (
	codexHead   = `{"timestamp":"x","type":"session_meta","payload":{"id":"s"}}` + "\n"
	copilotHead = `{"type":"session.start","data":{},"id":"x","parentId":null}` + "\n"
	geminiHead  = `{"sessionId":"s","projectHash":"p"}` + "\n"
	piHead      = `{"type":"session","version":3,"id":"s","timestamp":"2026-11-20T00:00:00.000Z","cwd":"/p"}` + "\n"
	qwenHead    = `{"uuid":"u","sessionId":"s","type":"system","systemPayload":{}}` + "\n"
	journalHead = `{"sentinelJournal":1,"agent":"opencode"}` + "\n"
)

func FuzzClaude(f *testing.F)   { fuzz(f, "claude.jsonl", claudeHead) }
func FuzzCodex(f *testing.F)    { fuzz(f, "codex.jsonl", codexHead) }
func FuzzCopilot(f *testing.F)  { fuzz(f, "copilot.jsonl", copilotHead) }
func FuzzGemini(f *testing.F)   { fuzz(f, "gemini.jsonl", geminiHead) }
func FuzzPi(f *testing.F)       { fuzz(f, "pi.jsonl", piHead) }
func FuzzQwen(f *testing.F)     { fuzz(f, "qwen.jsonl", qwenHead) }
func FuzzJournal(f *testing.F)  { fuzz(f, "journal.jsonl", journalHead) }
func FuzzDocument(f *testing.F) { fuzz(f, "gemini.json", "") }

// FuzzPosition goes on from anything that may be in a checkpoint file.
func FuzzPosition(f *testing.F) {
	for _, name := range []string{"claude.jsonl", "gemini.jsonl", "gemini.json"} {
		r := open(f, filepath.Join("testdata", name), transcript.Position{})
		entries(f, r)
		b, err := json.Marshal(r.Position())
		require.NoError(f, err)
		f.Add(b)
	}
	f.Add([]byte(`{"offset":9e18,"digest":"document","state":"{\"count\":-1,\"open\":[{}],\"seen\":[{\"calls\":-9}]}"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var p transcript.Position
		if json.Unmarshal(text, &p) != nil {
			return
		}
		for name := range fixtures() {
			r, err := transcript.Open(filepath.Join("testdata", name), p, nil)
			require.NoError(t, err)
			for {
				e, err := r.Next()
				if err != nil {
					require.ErrorIs(t, err, io.EOF)
					break
				}
				bounded(t, e)
			}
			r.Position()
			require.NoError(t, r.Close())
		}
	})
}
