package contextacc_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/contextacc"
)

// A harness of one's own keeps the summary of its sessions by calling Update at the
// end of each turn, and shows it to rules with post as [sentinel.Docket].Summary.
func ExampleUpdate() {
	root, err := os.MkdirTemp("", "project")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(root)
	transcript := filepath.Join(root, "transcript.jsonl")
	line := `{"type":"user","message":{"role":"user","content":"Add the invoice."},"uuid":"a","sessionId":"s1"}` + "\n"
	if err := os.WriteFile(transcript, []byte(line), 0o600); err != nil {
		panic(err)
	}
	model := sentinel.BackendFunc(func(context.Context, sentinel.Request) (sentinel.Response, error) {
		return sentinel.Response{Text: `{"task_scope":"Add the invoice.","progress":"Nothing yet.","current_focus":"Reading the code."}`}, nil
	})

	dir := filepath.Join(root, ".sentinel", "sessions", "s1")
	session := contextacc.Session{Dir: dir, Agent: "claude", Transcript: transcript}
	if _, err := contextacc.Update(context.Background(), session, &contextacc.Options{Backend: model, MinEvents: 1}); err != nil {
		panic(err)
	}
	summary, err := contextacc.Load(dir)
	if err != nil {
		panic(err)
	}
	fmt.Println(summary.Text())
	// Output:
	// Task scope: Add the invoice.
	// Progress: Nothing yet.
	// Current focus: Reading the code.
}
