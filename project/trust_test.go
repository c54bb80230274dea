package project_test

import (
	"os"
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

// Only what `sentinel trust` wrote with this user's key is trust: not a file of an earlier
// version, which has no seal, nor one that was changed, or is another folder's.
func TestTrustIsSealed(t *testing.T) {
	t.Parallel()
	const config = "backend: openai\nbackends: {openai: {base_url: \"https://models.example.com/v1\", model: small}}\n"
	stateDir := filepath.Join(t.TempDir(), "state")
	open := func(repo string) *project.Folder {
		return project.Open([]string{repo}, &project.Options{StateDir: stateDir}).Folders[0]
	}
	one, two := tree{".claude/sentinel/config.yaml": config}.write(t), tree{".claude/sentinel/config.yaml": config}.write(t)
	require.NoError(t, open(one).Trust(stateDir))
	files, err := filepath.Glob(filepath.Join(stateDir, "trust", "*"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	sealed, err := os.ReadFile(files[0])
	require.NoError(t, err)
	pin := sealed[len(sealed)-64:]
	for i := range sealed {
		changed := append([]byte(nil), sealed...)
		changed[i] ^= 1
		require.NoError(t, os.WriteFile(files[0], changed, 0o600))
		require.False(t, open(one).Trusted(stateDir), "changed at %d", i)
		require.NoError(t, os.WriteFile(files[0], sealed[:i], 0o600))
		require.False(t, open(one).Trusted(stateDir), "cut at %d", i)
	}
	require.NoError(t, os.WriteFile(files[0], pin, 0o600))
	require.False(t, open(one).Trusted(stateDir), "as an earlier version kept it")
	notes, err := os.ReadFile(filepath.Join(stateDir, "notes.jsonl"))
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(string(notes), `"kind":"seal"`), "told once")
	require.Contains(t, string(notes), "the trust in "+strings.ReplaceAll(open(one).Dir, `\`, `\\`))

	require.NoError(t, open(two).Trust(stateDir))
	files, err = filepath.Glob(filepath.Join(stateDir, "trust", "*"))
	require.NoError(t, err)
	require.Len(t, files, 2)
	for _, f := range files {
		require.NoError(t, os.WriteFile(f, sealed, 0o600))
	}
	require.True(t, open(one).Trusted(stateDir))
	require.False(t, open(two).Trusted(stateDir), "the same configuration, in another folder")
	require.NoError(t, os.Remove(filepath.Join(stateDir, "key")))
	require.False(t, open(one).Trusted(stateDir), "the key is lost")
}
