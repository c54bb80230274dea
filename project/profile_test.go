package project_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/fakeserver"
	"github.com/agentsentinel/sentinel/project"
)

// TestWarmFindsWhatAServerCanDo: a server with OpenAI's protocol is asked once whether it
// applies schemas, and sent none from then on if it does not.
func TestWarmFindsWhatAServerCanDo(t *testing.T) {
	t.Parallel()
	server := fakeserver.NewOpenAIServer(t, fakeserver.OpenAIText("Hello!"))
	dir := tree{
		".claude/sentinel/config.yaml":  "backend: openai\nbackends: {openai: {base_url: \"" + server.URL + "\", model: m}}\n",
		".claude/sentinel/rules/a.yaml": "trigger: file_write\nprompt: x\n",
	}.write(t)
	opts := &project.Options{StateDir: filepath.Join(t.TempDir(), "state")}
	questions := func() (n int) {
		for _, r := range server.Requests() {
			n += strings.Count(string(r.Body), `"messages"`)
		}
		return n
	}
	require.NoError(t, project.Open([]string{dir}, opts).Models().Warm(t.Context()))
	asked := questions()
	require.Positive(t, asked)
	require.NoError(t, project.Open([]string{dir}, opts).Models().Warm(t.Context()))
	require.Equal(t, asked, questions(), "it is known for a week")

	p := project.Open([]string{dir}, opts)
	said, err := p.Inspect().Profile(t.Context(), p.Folders[0], project.Use{Backend: "openai", Model: "m"})
	require.NoError(t, err)
	require.Contains(t, said, "no-schema (")
	require.Contains(t, said, "schemas are not applied")
}

// TestABrokenProfileOfTheUser: its models cannot be asked, and the error says where it is.
func TestABrokenProfileOfTheUser(t *testing.T) {
	t.Parallel()
	server := fakeserver.NewOllamaServer(t, fakeserver.OllamaVerdict(false, 1, ""))
	dir := tree{
		".claude/sentinel/config.yaml":  "fail_open: false\nbackends: {ollama: {url: \"" + server.URL + "\"}}\n",
		".claude/sentinel/rules/a.yaml": "trigger: file_write\nscope: [\"**\"]\nprompt: x\nseverity: block\n",
	}.write(t)
	user := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(user, "profiles"), 0o755))
	file := filepath.Join(user, "profiles", "own.yaml")
	judge := func(text string) (*project.Project, sentinel.Decision) {
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
		p := project.Open([]string{dir}, &project.Options{UserDir: user, StateDir: filepath.Join(t.TempDir(), "state")})
		d, err := p.Evaluate(t.Context(), write(dir, "a.go"))
		require.NoError(t, err)
		return p, d
	}
	p, d := judge("name: own\nmatch: [\"gemma*\"]\nanswer: {form: pattern, pattern: \"(\", violation: [a], clean: [b]}\n")
	require.Equal(t, sentinel.VerdictBlock, d.Verdict)
	require.ErrorContains(t, d.Findings[0].Err, "own.yaml:3")
	require.Empty(t, server.Requests())
	require.Empty(t, p.Inspect().NamedProfile(p.Folders[0], "ollama", "gemma3:4b"))

	p, _ = judge("name: own\nmatch: [\"gemma*\"]\nschema: none\n")
	require.Equal(t, "own", p.Inspect().NamedProfile(p.Folders[0], "ollama", "gemma3:4b"))
	require.Empty(t, p.Inspect().NamedProfile(p.Folders[0], "claude", "haiku"))
}
