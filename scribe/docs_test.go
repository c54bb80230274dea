package scribe_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/scribe"
)

// The draft in the manual is one.
func TestDocumentedDraft(t *testing.T) {
	t.Parallel()
	manual, err := os.ReadFile(filepath.Join("..", "docs", "scribe.md"))
	require.NoError(t, err)
	_, text, found := strings.Cut(string(manual), "```yaml\nid: ")
	require.True(t, found)
	text, _, _ = strings.Cut(text, "```")
	r := newRepo(t)
	r.write(".claude/sentinel/drafts/no-direct-billing.draft.yaml", "id: "+text)
	drafts, err := scribe.Drafts(r.opts)
	require.NoError(t, err)
	require.Len(t, drafts, 1)
	require.Empty(t, drafts[0].File.Problems)
	require.Equal(t, scribe.UserFeedback, drafts[0].Provenance.Source)
	require.Equal(t, 2, drafts[0].Provenance.Seen)
	_, err = scribe.Promote(t.Context(), "no-direct-billing", r.opts)
	require.NoError(t, err)
}

// A model that answers both questions, for the example.
func exampleModel(_ context.Context, req sentinel.Request) (sentinel.Response, error) {
	if req.Schema != nil { // extraction has a schema, synthesis may answer in YAML
		return sentinel.Response{Text: `{"conventions":[{"statement":"Never use sudo","scope_hint":"sudo","trigger_hint":"bash",
			"confidence":0.9,"evidence":"Nobody uses sudo here.","source":"documentation"}]}`}, nil
	}
	return sentinel.Response{Text: "id: no-sudo\ntrigger: bash\nseverity: block\nscope: [\"sudo *\"]\nprompt: The command must not use sudo.\n"}, nil
}

func ExampleLearn() {
	root, err := os.MkdirTemp("", "example-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(root)
	if err := os.WriteFile(filepath.Join(root, "README.md"), []byte("# Deploying\n\nNobody uses sudo here.\n"), 0o600); err != nil {
		fmt.Println(err)
		return
	}
	dir := filepath.Join(root, ".claude", "sentinel")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		fmt.Println(err)
		return
	}
	opts := &scribe.Options{Root: root, Dir: dir, Backend: sentinel.BackendFunc(exampleModel)}
	result, err := scribe.Learn(context.Background(), opts)
	fmt.Println(result.Drafts, err)

	drafts, err := scribe.Drafts(opts)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, d := range drafts {
		fmt.Println(d.ID, d.Provenance.Source, d.Provenance.Document)
	}
	// Output:
	// [no-sudo] <nil>
	// no-sudo documentation README.md
}
