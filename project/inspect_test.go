package project_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/project"
)

func TestUses(t *testing.T) {
	t.Parallel()
	const plain = "trigger: bash\nprompt: x\n"
	const off = "context: {enabled: false}\nscribe: {enabled: false}\n"
	for _, c := range []struct {
		name  string
		files tree
		want  []string
	}{
		{"the default", tree{"rules/a.yaml": plain}, []string{"ollama gemma3:4b: rules, session context, scribe"}},
		{"nothing asks it", tree{"rules/a.yaml": "trigger: bash\nbackend: builtin\nwhen: \"true\"\n"}, []string{
			"ollama gemma3:4b: no rule yet, session context, scribe", "builtin : rule a"}},
		{"builtin", tree{"config.yaml": "backend: builtin\n"}, []string{"builtin : rules"}},
		{"each by itself", tree{
			"config.yaml":  "backend: claude\nfallback: [ollama, builtin]\njudge: {second_opinion: block}\n" + off,
			"rules/a.yaml": plain + "model: opus\n",
			"rules/b.yaml": plain + "backend: ollama\nmodel: big\nfallback: [copilot]\n",
			"rules/c.yaml": "trigger: bash\nprompt: x\nbackend: nobody\n",
		}, []string{
			"claude haiku: rules", "ollama gemma3:4b: fallback, second opinion", "builtin : fallback",
			"claude opus: rule a (named)", "ollama big: rule b (named)", "copilot gpt-5-mini: fallback of rule b", "nobody : rule c",
		}},
		{"models of the scribe", tree{"config.yaml": "context: {model: c}\nscribe: {extraction_model: e, synthesis_model: s}\n"}, []string{
			"ollama gemma3:4b: rules", "ollama c: session context (named)", "ollama e: scribe (named)", "ollama s: scribe (named)"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			files := tree{".claude/sentinel/keep": ""}
			for name, text := range c.files {
				files[".claude/sentinel/"+name] = text
			}
			var got []string
			for _, u := range project.Open([]string{files.write(t)}, nil).Folders[0].Uses() {
				line := u.Backend + " " + u.Model + ": " + strings.Join(u.For, ", ")
				if u.Named {
					line += " (named)"
				}
				got = append(got, line)
			}
			require.Equal(t, c.want, got)
		})
	}
}

// A server that may not get prompts is not contacted, and no secret of a URL is shown.
func TestPingRefuses(t *testing.T) {
	t.Parallel()
	dir := tree{
		".claude/sentinel/config.yaml": "fallback: [openai, anthropic, command]\nbackends:\n" +
			"  ollama: {url: \"http://203.0.113.7:11434\"}\n  openai: {api_key_env: GITHUB_TOKEN, model: m}\n" +
			"  anthropic: {base_url: \"https://203.0.113.7\", model: m}\n  command: {argv: [\"./judge\", \"--token=secret\"]}\n",
		".claude/sentinel/rules/a.yaml": "trigger: bash\nprompt: x\nmodel: gpt-oss:120b-cloud\n",
	}.write(t)
	p := project.Open([]string{dir}, &project.Options{StateDir: t.TempDir()})
	f := p.Folders[0]
	for _, u := range f.Uses() {
		require.ErrorIs(t, p.Inspect().Ping(t.Context(), f, u), sentinel.ErrRefused, u.Backend)
		about := p.Inspect().About(f, u)
		require.NotContains(t, about.Shown(), "secret")
	}
	require.NotEmpty(t, p.Inspect().Refused(f))
	require.ErrorIs(t, p.Inspect().Ping(t.Context(), f, project.Use{Backend: "nobody"}), sentinel.ErrUnavailable)
	require.NoError(t, p.Inspect().Ping(t.Context(), f, project.Use{Backend: sentinel.Builtin}))
	tokens, money, err := project.Open([]string{dir}, nil).Inspect().UsedToday(f)
	require.NoError(t, err)
	require.Zero(t, tokens)
	require.Zero(t, money)
}

// TestMethodsOfAProject holds a project to what it is for: it finds, reads, trusts and
// wires. More belongs to one of the values that its methods return.
func TestMethodsOfAProject(t *testing.T) {
	t.Parallel()
	require.LessOrEqual(t, reflect.TypeFor[*project.Project]().NumMethod(), 15)
}
