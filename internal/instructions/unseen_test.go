package instructions

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/agentsentinel/sentinel/internal/instructions/repo"
	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/instructions/statement"
)

// TestUnseen: what has to happen in a case makes a rule where a call tells of that case: by a path,
// by a text, or by the folders and files of the tree. Elsewhere it makes none, and coverage says why.
func TestUnseen(t *testing.T) {
	files := []string{"src/providers/a.py", "src/auth.py", "docs/ref/a.md", "src/threadPool.ts", "app/Models/User.php", "app/serializers/a.rb", "web/a.ts", "worker/a.ts", "go.mod", "sub/go.mod", "cli/flags.md", "docs/cli.md", ".env.example", "list.yml"}
	for line, want := range map[string][]string{
		"When changing serializers, run `make ser`.":                                    {"since:", "- '**/serializers/**'"},
		"Before changing models or serializers, run `make ser`.":                        {"- '**/Models/**'", "- '**/serializers/**'"},
		"Before changing models or gateways, run `make ser`.":                           nil,
		"If you touch the thread pool, run `make stress`.":                              {"- '**/threadPool.ts'"},
		"If you touch the cache, run `make stress`.":                                    nil,
		"Before touching auth, read `docs/ref/a.md`.":                                   {"- '**/auth.py'"},
		"Before touching refs, read `docs/ref/a.md`.":                                   nil, // the folder of the document
		"When adding a new provider, update `list.yml`.":                                {"- '**/providers/**'"},
		"After changing web or worker code, run `make e2e`.":                            {"- '**/web/**'", "- '**/worker/**'"},
		"When touching `require` lines in any `go.mod`, run `make notice`.":             {"- '**/go.mod'"},
		"When adding a new env var, update `.env.example`.":                             {"process", `not wrote(".env.example")`},
		"When you add CLI flags, update `docs/cli.md`.":                                 {"add_argument", `not wrote("docs/cli.md")`},
		"After adding a route, run `make openapi`.":                                     {"trigger: file_write", "run make openapi before you commit"},
		"If you change `ConfigToml` or other settings, run `make schema`.":              {"trigger: file_write", "ConfigToml"},
		"When you touch code gated by `#if UNITY_*_OR_NEWER`, run `tools/versions.sh`.": {`UNITY_\w*_OR_NEWER`},
		"When editing `lib/codecs/`, run `make codecs`.":                                {"- lib/codecs/**"},
		"When adding a new locale, run `make texts`.":                                   nil,
	} {
		f := statement.File{Path: "CLAUDE.md", Text: "# Rules\n\n- " + line + "\n"}
		p := treeOf(t, f, files...)
		s := statement.Of(&f)[0]
		all := Drafts(&s, p)
		if want == nil {
			require.Empty(t, all, line)
			_, why := drafts(&s, p)
			require.Contains(t, why.why, "No call shows this case: ", line)
			continue
		}
		require.Len(t, all, 1, line)
		for _, w := range want {
			require.Contains(t, all[0].YAML, w, line)
		}
	}
}

// TestTelltales: the text of each kind of change matches its pattern, and a rule of it passes other
// writes.
func TestTelltales(t *testing.T) {
	for _, kind := range telltales() {
		require.NotEmpty(t, kind.Words)
		require.Regexp(t, kind.Pattern, kind.Bad)
		require.NotRegexp(t, kind.Pattern, "result = other(1)")
	}
	of := func(words string) (list []string) {
		for _, kind := range telltales() {
			if kind.Said.MatchString(words) {
				list = append(list, kind.Bad)
			}
		}
		return list
	}
	for words, n := range map[string]int{"adding a new env var": 1, "environment variables": 1, "the environment": 0, "adding command options": 1, "new flags": 1, "the options of the server": 0, "a new endpoint": 1, "mcp tools/endpoints": 0, "api routes": 1} {
		require.Len(t, of(words), n, words)
	}
}

// TestNoCaseEverywhere: no rule about what has to happen in some case is about all files, or all code.
func TestNoCaseEverywhere(t *testing.T) {
	ofCase := regexp.MustCompile(`^(?:If this is about|If you|When|Whenever) ([^,]+),`)
	n := 0
	for _, c := range preciseCases(t) {
		if len(c.Files) == 0 {
			continue
		}
		f := statement.File{Path: "CLAUDE.md", Text: "# Rules\n\n" + c.Text}
		p, all := treeOf(t, f, c.Files...), statement.Of(&f)
		for i := range all {
			for _, d := range Drafts(&all[i], p) {
				var r ruletext.Rule
				require.NoError(t, yaml.Unmarshal([]byte(d.YAML), &r))
				m := ofCase.FindStringSubmatch(r.Message)
				if m == nil || ofAllWork(m[1]) || ofMostWork.Get().MatchString(m[1]) || r.Requires == nil && r.Also == nil && r.BeforeFirst == nil {
					continue
				}
				n++
				for _, everything := range []string{"**", code, repo.AllText} {
					require.NotContains(t, *r.Places(), everything, c.Text)
				}
			}
		}
	}
	require.Greater(t, n, 15)
}

// TestLogsSecret: a value with the name of a secret is seen in calls of several languages, plain text
// is not.
func TestLogsSecret(t *testing.T) {
	for _, s := range []string{"logger.info(password)", `console.log("pw", user.password)`, "log.Printf(\"%s\", apiKey)", `MXLog.info("token \(accessToken)")`, `logger.debug(TAG) { "token=$accessToken" }`,
		`logger.debug { "pw ${user.password}" }`, "logger.info(f\"{auth_token}\")"} {
		require.Regexp(t, logsSecret, s)
	}
	for _, s := range []string{`logger.info("the password is wrong")`, `console.log('reset your password')`, "password = ask()", `logger.debug { "no token was found" }`} {
		require.NotRegexp(t, logsSecret, s)
	}
}

// TestSpell: a path gets the upper and lower case of the file in the tree. Links are not followed.
func TestSpell(t *testing.T) {
	f := statement.File{Path: "CLAUDE.md", Text: "# Rules\n\n- Read the docs.\n"}
	p := treeOf(t, f, "docs/Auth.md")
	outside := t.TempDir()
	write(t, outside, map[string]string{"secret.md": "x"})
	if err := os.Symlink(outside, filepath.Join(p.Root, "link")); err != nil {
		t.Skip(err)
	}
	for name, want := range map[string]string{"docs/AUTH.md": "docs/Auth.md", "docs/none.md": "docs/none.md", "link/SECRET.md": "link/SECRET.md", "../x/SECRET.md": "../x/SECRET.md"} {
		c := choice{globs: []string{name}, names: []string{name}}
		spell(p, &c)
		require.Equal(t, choice{globs: []string{want}, names: []string{want}}, c, name)
	}
}
