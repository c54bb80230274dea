package audit_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/audit"
)

const termsRubric = `
rubric_metadata: {rubric_name: Terms, version: 4.0.0}
probes:
  - {id: retry, type: doc_terms, terms: [retry budget], expect: {mentioned: {min: 1}}}
dimensions:
  - id: depth
    name: Depth
    target_artifact: doc
    forensic_instruction: Are the terms explained?
    success_pattern: Each is tied to a rule of the system.
    failure_pattern: They are dropped.
    evidence: [retry]
synthesis: {gate: {overall: 3}}
`

// A document is judged by a rubric of the caller. The backend is a stand-in for
// one of package backend/builtin.
func Example() {
	dir, err := os.MkdirTemp("", "audit")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	doc := filepath.Join(dir, "design.md")
	text := "# Design\n\nThe retry budget allows one retry for ten calls, so that a slow server is not overrun.\n"
	if err := os.WriteFile(doc, []byte(text), 0o600); err != nil {
		panic(err)
	}
	backend := sentinel.BackendFunc(func(context.Context, sentinel.Request) (sentinel.Response, error) {
		return sentinel.Response{Text: `{"argument": "The budget is explained with a number and a reason.", "cited_evidence": ["docs#0"], "score": 4}`}, nil
	})

	report, err := audit.Run(context.Background(), audit.Options{
		Documents:  []string{doc},
		RubricText: []byte(termsRubric),
		Judges:     audit.OneModel(audit.Model{Name: "scripted", Backend: backend}),
	})
	if err != nil {
		panic(err)
	}
	for _, r := range report.Results {
		fmt.Printf("%s: %s, %d of 5, %d opinions\n", r.Name, r.Verdict, r.Score, len(r.Opinions))
	}

	var file bytes.Buffer
	if err := audit.Write(&file, audit.JSON, report); err != nil {
		panic(err)
	}
	again, err := audit.Read(&file)
	if err != nil {
		panic(err)
	}
	fmt.Println("gate passed:", again.Gate.Passed)
	// Output:
	// Depth: PASS, 4 of 5, 3 opinions
	// gate passed: true
}
