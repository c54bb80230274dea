package transcript_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/transcript"
)

// again encodes a position and decodes it, as it is kept between two readings.
func again(t testing.TB, p transcript.Position) transcript.Position {
	t.Helper()
	b, err := json.Marshal(p)
	require.NoError(t, err)
	var out transcript.Position
	require.NoError(t, json.Unmarshal(b, &out))
	require.Equal(t, p, out)
	return out
}

// However a file grows between two readings, the entries are those of one pass:
// none is lost, none comes twice, and a half line waits.
func TestChunksGiveTheSameEntries(t *testing.T) {
	t.Parallel()
	for name := range fixtures() {
		if filepath.Ext(name) != ".jsonl" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(filepath.Join("testdata", name))
			require.NoError(t, err)
			text = growing(name, text)
			want := entries(t, open(t, write(t, name, string(text)), transcript.Position{}))
			random := rand.New(rand.NewPCG(1, 2))
			for range 20 {
				path := write(t, name, "")
				var got []transcript.Entry
				var at transcript.Position
				for end := 0; end < len(text); {
					end = min(end+1+random.IntN(len(text)/4), len(text))
					require.NoError(t, os.WriteFile(path, text[:end], 0o600))
					r := open(t, path, at)
					got = append(got, entries(t, r)...)
					require.False(t, r.Restarted())
					at = again(t, r.Position())
				}
				require.Equal(t, placed(name, want), placed(name, got))
			}
		})
	}
}

// placed leaves out when and where a message of Gemini was that was written
// more than once: at the first time in one reading, at the last in another.
func placed(name string, all []transcript.Entry) []transcript.Entry {
	all = slices.Clone(all)
	for i := range all {
		if name == "gemini.jsonl" {
			all[i].Offset, all[i].Time = 0, time.Time{}
		}
	}
	return all
}

// growing drops the line of the Gemini fixture whose text changes when it is
// written again: between two readings the first one has been handed out.
func growing(name string, text []byte) []byte {
	if name != "gemini.jsonl" {
		return text
	}
	var kept []string
	for line := range strings.Lines(string(text)) {
		if !strings.Contains(line, `"content":"Look"`) {
			kept = append(kept, line)
		}
	}
	return []byte(strings.Join(kept, ""))
}

// A reader that stops in the middle goes on with the unfinished line.
func TestStopAnywhere(t *testing.T) {
	t.Parallel()
	for name := range fixtures() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join("testdata", name)
			want := entries(t, open(t, path, transcript.Position{}))
			for stop := range want {
				first := open(t, path, transcript.Position{})
				for range stop {
					_, err := first.Next()
					require.NoError(t, err)
				}
				rest := entries(t, open(t, path, again(t, first.Position())))
				require.GreaterOrEqual(t, len(rest), len(want)-stop)
				require.Equal(t, want[len(want)-len(rest):], rest)
				if len(rest) > len(want)-stop && filepath.Ext(name) == ".jsonl" { // then it is the unfinished line that comes again
					require.Equal(t, rest[0].Offset, want[stop-1].Offset)
				}
			}
		})
	}
}

// A file that is not the one that was read is read from its beginning.
func TestOtherFile(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/claude.jsonl")
	require.NoError(t, err)
	path := write(t, "s.jsonl", string(text))
	r := open(t, path, transcript.Position{})
	want := entries(t, r)
	at := r.Position()
	require.Equal(t, int64(len(text)), at.Offset)

	same := open(t, path, at)
	require.Empty(t, entries(t, same))
	require.False(t, same.Restarted())
	require.Equal(t, "claude", same.Agent(), "known from before")
	require.Equal(t, at, same.Position())

	half := text[:strings.Index(string(text[:len(text)/2]), "\n")+1]
	for name, now := range map[string]string{
		"truncated":               string(half),
		"empty":                   "",
		"another beginning":       "{}\n" + string(text),
		"another end of the same": string(text[:len(text)-20]) + strings.Repeat(" ", 19) + "\n" + string(text),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := open(t, write(t, "s.jsonl", now), at)
			require.True(t, r.Restarted())
			got := entries(t, r)
			if name == "another beginning" {
				require.Equal(t, lines(want), lines(got))
			}
		})
	}
}

// No position, however garbled, makes more of it than a new beginning.
func TestGarbledPosition(t *testing.T) {
	t.Parallel()
	const path = "testdata/claude.jsonl"
	r := open(t, path, transcript.Position{})
	want := lines(entries(t, r))
	good := r.Position()
	for name, p := range map[string]transcript.Position{
		"negative":         {Offset: -5, Digest: good.Digest, State: good.State},
		"behind the end":   {Offset: 1 << 60, Digest: good.Digest, State: good.State},
		"no digest":        {Offset: good.Offset, State: good.State},
		"other digest":     {Offset: good.Offset, Digest: strings.Repeat("0", 32), State: good.State},
		"state no JSON":    {Offset: good.Offset, Digest: good.Digest, State: "{"},
		"state huge":       {Offset: good.Offset, Digest: good.Digest, State: `"` + strings.Repeat("x", 1<<20) + `"`},
		"unknown agent":    {Offset: good.Offset, Digest: good.Digest, State: `{"agent":"nobody"}`},
		"not at a line":    {Offset: good.Offset - 3, Digest: good.Digest, State: good.State},
		"document":         {Offset: 3, Digest: "document", State: `{"agent":"gemini","session":"x","count":9}`},
		"document, absurd": {Offset: 3, Digest: "document", State: `{"count":9223372036854775807}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := open(t, path, p)
			require.Equal(t, want, lines(entries(t, r)))
			require.True(t, r.Restarted())
		})
	}
}

// A document is written again as a whole; the next read returns what was added.
func TestDocumentGrows(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/gemini.json")
	require.NoError(t, err)
	var doc struct {
		SessionID   string            `json:"sessionId"`
		LastUpdated string            `json:"lastUpdated"`
		Messages    []json.RawMessage `json:"messages"`
	}
	require.NoError(t, json.Unmarshal(text, &doc))
	messages := doc.Messages
	want := lines(entries(t, open(t, "testdata/gemini.json", transcript.Position{})))

	path := filepath.Join(t.TempDir(), "session.json")
	save := func(n int, indent string) {
		doc.Messages, doc.LastUpdated = messages[:n], strings.Repeat("x", n)
		b, err := json.MarshalIndent(doc, "", indent)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(path, b, 0o600))
	}
	var at transcript.Position
	var got []string
	for n := range len(messages) + 1 {
		save(n, strings.Repeat(" ", n%3))
		r := open(t, path, at)
		got = append(got, lines(entries(t, r))...)
		require.False(t, r.Restarted())
		at = again(t, r.Position())
	}
	require.Equal(t, want, got)

	save(2, "") // taken back: then what comes is new
	r := open(t, path, at)
	require.Empty(t, entries(t, r))
	save(3, "")
	require.Empty(t, lines(entries(t, open(t, path, r.Position()))), "the last messages were read already")

	doc.SessionID = "another"
	save(len(messages), "")
	r = open(t, path, at)
	require.Equal(t, want, lines(entries(t, r)))
	require.True(t, r.Restarted())
}

// After a document was taken back, what is added to it is new.
func TestDocumentTakenBack(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "session.json")
	read := func(at transcript.Position, ids ...int) ([]string, transcript.Position) {
		messages := make([]string, len(ids))
		for i, id := range ids {
			messages[i] = fmt.Sprintf(`{"id":"%d","timestamp":"x","type":"gemini","content":"said %d"}`, id, id)
		}
		text := `{"sessionId":"s","messages":[` + strings.Join(messages, ",") + `]}`
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		r := open(t, path, at)
		return lines(entries(t, r)), again(t, r.Position())
	}
	count := func(from, to int) (ids []int) {
		for i := from; i < to; i++ {
			ids = append(ids, i)
		}
		return ids
	}
	got, at := read(transcript.Position{}, count(0, 60)...)
	require.Len(t, got, 60)
	got, at = read(at, count(0, 20)...)
	require.Empty(t, got)
	got, _ = read(at, append(count(0, 20), count(100, 120)...)...)
	require.Len(t, got, 20)
	require.Equal(t, "assistant: said 100", got[0])
}

// A document that is being written has no end yet.
func TestHalfDocument(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/gemini.json")
	require.NoError(t, err)
	want := lines(entries(t, open(t, "testdata/gemini.json", transcript.Position{})))
	for cut := 0; cut < len(text); cut += 97 {
		path := write(t, "session.json", string(text[:cut]))
		r := open(t, path, transcript.Position{})
		got := lines(entries(t, r))
		require.Equal(t, want[:len(got)], got)
		require.NoError(t, os.WriteFile(path, text, 0o600))
		got = append(got, lines(entries(t, open(t, path, again(t, r.Position()))))...)
		require.Equal(t, want, got)
	}
}

// A message that is written again while it grows counts once, as the last one.
func TestLastRecordCounts(t *testing.T) {
	t.Parallel()
	const head = `{"sessionId":"s","projectHash":"p"}` + "\n"
	path := write(t, "g.jsonl", head+
		`{"id":"a","timestamp":"x","type":"gemini","content":"first"}`+"\n"+
		`{"$set":{"lastUpdated":"y"}}`+"\n"+
		`{"id":"a","timestamp":"x","type":"gemini","content":"second"}`+"\n")
	r := open(t, path, transcript.Position{})
	require.Equal(t, []string{"assistant: second"}, lines(entries(t, r)))
	at := r.Position()

	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = io.WriteString(f, `{"id":"a","timestamp":"x","type":"gemini","content":"second","toolCalls":[{"id":"c","name":"read_file","args":{"file_path":"/x"},"status":"executing"}]}`+"\n")
	require.NoError(t, err)
	r = open(t, path, at)
	require.Equal(t, []string{"tool read_file: /x"}, lines(entries(t, r)), "only what is new")
	at = r.Position()
	_, err = io.WriteString(f, `{"id":"a","timestamp":"x","type":"gemini","content":"second","toolCalls":[{"id":"c","name":"read_file","args":{"file_path":"/x"},"status":"error","result":"gone"}]}`+"\n")
	require.NoError(t, errors.Join(err, f.Close()))
	require.Equal(t, []string{"result ERROR: gone"}, lines(entries(t, open(t, path, at))))
}
