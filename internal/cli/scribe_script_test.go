package cli_test

import (
	"os"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/agentsentinel/sentinel/internal/fakeserver"
)

// cmdScribe starts a model server that answers the two questions of the Scribe,
// and every other one with a clean judgement, and writes a configuration that
// names it:
//
//	scribe EXTRACTION-FILE SYNTHESIS-FILE [LINE OF CONFIGURATION…]
func cmdScribe(t *testing.T, ts *testscript.TestScript, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: scribe EXTRACTION-FILE SYNTHESIS-FILE [LINE OF CONFIGURATION…]")
	}
	server := fakeserver.NewOllamaServer(t,
		fakeserver.OllamaText(ts.ReadFile(args[0])).To(`{"conventions":[`),
		fakeserver.OllamaText(ts.ReadFile(args[1])).To("one rule as bare YAML"),
		fakeserver.OllamaText(`{"violation":true,"confidence":1,"reason":"it does"}`))
	ts.Defer(server.Close)
	text := "backend: ollama\nbackends: {ollama: {url: \"" + server.URL + "\"}}\n" + strings.Join(args[2:], "\n") + "\n"
	ts.Check(os.MkdirAll(ts.MkAbs(".claude/sentinel"), 0o755))
	ts.Check(os.WriteFile(ts.MkAbs(".claude/sentinel/config.yaml"), []byte(text), 0o600))
	unpin(ts)
}
