package project_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/project"
)

// Trust is in the configuration and in the judges and models that rules name:
// a rule that is added later leads nowhere else unseen.
func TestTrustPinsTheJudgesThatRulesName(t *testing.T) {
	t.Parallel()
	const config = "backend: openai\nbackends: {openai: {base_url: \"https://models.example.com/v1\", model: small}}\n"
	const plain, named = "trigger: file_write\nprompt: x\n", "trigger: file_write\nprompt: x\nbackend: claude\nmodel: haiku\n"
	for name, c := range map[string]struct {
		files   tree // on top of a.yaml (plain) and b.yaml (named)
		trusted bool
	}{
		"nothing":                   {tree{}, true},
		"another text":              {tree{"a.yaml": plain + "severity: warn\n"}, true},
		"another rule like that":    {tree{"c.yaml": named}, true},
		"another plain rule":        {tree{"0.yaml": plain}, true},
		"the order of the files":    {tree{"b.yaml": plain, "a.yaml": named}, true},
		"a broken file":             {tree{"c.yaml": "trigger: [\n"}, true},
		"another judge":             {tree{"c.yaml": plain + "backend: command\n"}, false},
		"another model":             {tree{"c.yaml": plain + "model: large\n"}, false},
		"a dearer model":            {tree{"b.yaml": strings.Replace(named, "haiku", "opus", 1)}, false},
		"a fallback":                {tree{"a.yaml": plain + "fallback: [claude]\n"}, false},
		"fallbacks in another turn": {tree{"b.yaml": named + "fallback: [builtin, ollama]\n"}, false},
		"one less":                  {tree{"b.yaml": plain}, false},
		"one that looks like two":   {tree{"c.yaml": plain + "model: 'haiku\" \"\\n\"claude'\n"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const dir = ".claude/sentinel/"
			repo := tree{dir + "config.yaml": config, dir + "rules/a.yaml": plain, dir + "rules/b.yaml": named}.write(t)
			stateDir := filepath.Join(t.TempDir(), "state")
			folder := func() *project.Folder { return project.Open([]string{repo}, nil).Folders[0] }
			require.NoError(t, folder().Trust(stateDir))
			require.True(t, folder().Trusted(stateDir))
			for file, text := range c.files {
				put(t, filepath.Join(repo, dir, "rules", file), text)
			}
			require.Equal(t, c.trusted, folder().Trusted(stateDir))
			put(t, filepath.Join(repo, dir, "config.yaml"), config+"# seen\n")
			require.False(t, folder().Trusted(stateDir), "the configuration has changed")
		})
	}
}

// Who looks the project over sees everything that waits for trust, not only what
// the configuration asks by default.
func TestWhatWaitsForTrustIsShown(t *testing.T) {
	t.Parallel()
	dir := tree{
		".claude/sentinel/config.yaml":  "backends: {anthropic: {base_url: \"https://models.example.com\"}, command: {argv: [./judge]}}\n",
		rules[len("repo/"):] + "a.yaml": "trigger: file_write\nprompt: x\nbackend: anthropic\n",
		rules[len("repo/"):] + "b.yaml": "trigger: file_write\nprompt: x\nfallback: [command]\n",
	}.write(t)
	opts := &project.Options{StateDir: filepath.Join(t.TempDir(), "state")}
	p := project.Open([]string{dir}, opts)
	text := problems(p)
	require.Contains(t, text, "models.example.com")
	require.Contains(t, text, "names a program as judge")
	require.NoError(t, p.Folders[0].Trust(opts.StateDir))
	require.NotContains(t, problems(p), "not trusted")
}

// Rules need no configuration to name a judge that needs trust, and then there
// has to be a way to give it.
func TestTrustWithoutAConfiguration(t *testing.T) {
	t.Parallel()
	const dir = ".claude/sentinel/"
	const rule = "trigger: file_write\nprompt: x\nbackend: openai\nmodel: small\n"
	repo := tree{dir + "rules/a.yaml": rule}.write(t)
	opts := &project.Options{StateDir: filepath.Join(t.TempDir(), "state"), CacheDir: t.TempDir()}
	waits := func() string { return problems(project.Open([]string{repo}, opts)) }
	trusted := func() bool { return project.Open([]string{repo}, opts).Folders[0].Trusted(opts.StateDir) }

	require.Contains(t, waits(), "the server api.openai.com")
	require.False(t, trusted())
	require.NoError(t, project.Open([]string{repo}, opts).Folders[0].Trust(opts.StateDir))
	require.True(t, trusted())
	require.True(t, trusted(), "from the compiled form")
	require.NotContains(t, waits(), "not trusted")

	put(t, filepath.Join(repo, dir, "rules/b.yaml"), strings.Replace(rule, "small", "large", 1))
	require.False(t, trusted(), "another model is named")
	put(t, filepath.Join(repo, dir, "rules/b.yaml"), rule)
	require.True(t, trusted())
	put(t, filepath.Join(repo, dir, "config.yaml"), "fail_open: false\n")
	require.False(t, trusted(), "now there is a configuration")
}
