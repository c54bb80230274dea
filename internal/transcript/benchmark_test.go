package transcript_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentsentinel/sentinel/internal/transcript"
)

// session writes about size bytes of a session of Claude Code: short messages,
// calls, and results as large as those of real work.
func session(w io.Writer, size int) {
	out := bufio.NewWriter(w)
	defer out.Flush()
	code := strings.Repeat("\tif err != nil {\n\t\treturn fmt.Errorf(\"reading %s: %w\", name, err)\n\t}\n", 60)
	written := 0
	row := func(v any) {
		b, _ := json.Marshal(v)
		n, _ := out.Write(append(b, '\n'))
		written += n
	}
	type m = map[string]any
	meta := func(kind string, content any) m {
		return m{"parentUuid": "b7dc5219", "isSidechain": false, "type": kind, "uuid": "a9b3770d", "timestamp": "2026-11-20T21:11:57.166Z", "cwd": "/home/dev/repo",
			"sessionId": "bf9a7596", "version": "2.1.329", "message": m{"role": kind, "content": content}}
	}
	for i := 0; written < size; i++ {
		id := fmt.Sprintf("toolu_%d", i)
		row(meta("assistant", []m{{"type": "text", "text": "Now the next file."}, {"type": "tool_use", "id": id, "name": "Read", "input": m{"file_path": fmt.Sprintf("/home/dev/repo/a%d.go", i)}}}))
		r := meta("user", []m{{"type": "tool_result", "tool_use_id": id, "content": code, "is_error": i%10 == 0}})
		r["toolUseResult"] = m{"type": "text", "file": m{"content": code, "numLines": 60}}
		row(r)
	}
}

// BenchmarkRead reads a large session from its beginning, compared with json.Valid over
// the same lines: the ratio of the two is what is kept.
func BenchmarkRead(b *testing.B) {
	const size = 32 << 20
	path := filepath.Join(b.TempDir(), "session.jsonl")
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	session(f, size)
	f.Close()
	b.Run("transcript", func(b *testing.B) {
		b.SetBytes(size)
		b.ReportAllocs()
		for b.Loop() {
			drain(b, path, transcript.Position{})
		}
	})
	b.Run("json.Valid", func(b *testing.B) {
		data, err := os.ReadFile(path)
		if err != nil {
			b.Fatal(err)
		}
		b.SetBytes(size)
		for b.Loop() {
			for line := range bytes.Lines(data) {
				if !json.Valid(line) {
					b.Fatal("not JSON")
				}
			}
		}
	})
}

// BenchmarkNext reads ten new lines behind a large session.
func BenchmarkNext(b *testing.B) {
	path := filepath.Join(b.TempDir(), "session.jsonl")
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	session(f, 32<<20)
	at := drain(b, path, transcript.Position{})
	session(f, 40<<10)
	b.ReportAllocs()
	for b.Loop() {
		drain(b, path, at)
	}
}

func drain(b *testing.B, path string, from transcript.Position) transcript.Position {
	r, err := transcript.Open(path, from, nil)
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	for {
		if _, err := r.Next(); errors.Is(err, io.EOF) {
			return r.Position()
		} else if err != nil {
			b.Fatal(err)
		}
	}
}
