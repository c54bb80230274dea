package config_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/agent"
	"github.com/agentsentinel/sentinel/config"
	"github.com/agentsentinel/sentinel/internal/judge"
)

// rows are the judges of the table.
func rows() (names []string) {
	c := config.Default()
	for name := range c.Judges() {
		names = append(names, name)
	}
	return names
}

// TestTable holds every line of the table against the recipe of CONTRIBUTING: a
// judge has a package of its name, says what the manual has of it, and its defaults are
// sound.
func TestTable(t *testing.T) {
	t.Parallel()
	c := config.Default()
	require.Equal(t, append(rows(), sentinel.Builtin), c.BackendNames())
	for name, settings := range c.Judges() {
		require.Equal(t, name, path.Base(folderOf(settings)), "its package is called as it is")
		about := settings.About()
		require.NotContains(t, []string{about.Needs, about.DataTo, about.Costs}, "", "docs/judges.md says it of each judge")
		require.Equal(t, about.DefaultModel, c.Model(name))
		require.Empty(t, about.Model, "a model is no default: the top-level key has to come before it")
		v := reflect.ValueOf(settings).Elem()
		before := v.Interface()
		settings.SetDefaults()
		require.Equal(t, before, v.Interface(), "config.Default has other defaults")
	}
}

// folderOf is the package of a judge, below the module.
func folderOf(s judge.Settings) string {
	return strings.TrimPrefix(reflect.TypeOf(s).Elem().PkgPath(), "github.com/agentsentinel/sentinel/")
}

// folders are the packages of the judges.
func folders() (all []string) {
	c := config.Default()
	for _, s := range c.Judges() {
		all = append(all, folderOf(s))
	}
	return all
}

// atHome may name judges: the judges themselves, the table, and the constant for the one
// without settings.
func atHome(file string) bool {
	return strings.HasPrefix(file, "backend/") || slices.Contains(folders(), path.Dir(file)) ||
		file == "config/backends.go" || file == "sentinel.go" || strings.HasSuffix(file, "_test.go")
}

// TestOnlyTheTableNamesJudges finds places that would have to be changed for a new
// judge: imports of a judge's package, its field of the table, lists of judges, and texts
// that are its name, in files that know of judges by what they import. Names that are
// those of agents too, and command, are looked for where judges are the subject, and
// builtin everywhere but in shell, where it is a command.
func TestOnlyTheTableNamesJudges(t *testing.T) {
	t.Parallel()
	aboutJudges := []string{"config/", "project/", "internal/judge/", "internal/doctor/judges.go", "internal/doctor/lock.go", "internal/auditcli/models.go", "internal/replay/gauge.go", "gpulock/", "otel/"}
	ambiguous := append(agent.Registry{}.Names(), "command")
	names := append(rows(), sentinel.Builtin)
	fset := token.NewFileSet()
	checked := 0
	err := filepath.WalkDir("..", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") {
			return err
		}
		file := filepath.ToSlash(strings.TrimPrefix(name, ".."+string(filepath.Separator)))
		if atHome(file) || strings.HasPrefix(file, "sentineltest/") || strings.HasPrefix(file, "internal/realollama/") || strings.HasPrefix(file, ".") {
			return nil
		}
		checked++
		tree, err := parser.ParseFile(fset, name, nil, 0)
		if err != nil {
			return err
		}
		knows := slices.ContainsFunc(tree.Imports, func(i *ast.ImportSpec) bool { return slices.Contains(ofJudges, strings.Trim(i.Path.Value, `"`)) })
		subject := slices.ContainsFunc(aboutJudges, func(p string) bool { return strings.HasPrefix(file, p) })
		ast.Inspect(tree, func(n ast.Node) bool {
			if field, ok := n.(*ast.Field); ok && field.Tag != nil {
				if listed := listedIn(field.Tag.Value); len(listed) > 2 {
					t.Errorf("%s lists judges: %q", fset.Position(n.Pos()), listed)
				}
				return false // keys, not names
			}
			if field := fieldOfTable(n); field != "" {
				t.Errorf("%s names the judge %s by its field", fset.Position(n.Pos()), field)
			}
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				return true
			}
			text, _ := strconv.Unquote(lit.Value)
			if listed := listedIn(text); len(listed) > 2 {
				t.Errorf("%s lists judges: %q", fset.Position(lit.Pos()), listed)
			}
			folder := strings.TrimPrefix(text, "github.com/agentsentinel/sentinel/")
			switch {
			case slices.Contains(folders(), folder):
				t.Errorf("%s imports the judge %s; the table should say what it needs", fset.Position(lit.Pos()), folder)
			case text == sentinel.Builtin && strings.HasPrefix(file, "shell/"):
			case text == sentinel.Builtin, subject && slices.Contains(names, text), knows && slices.Contains(names, text) && !slices.Contains(ambiguous, text):
				t.Errorf("%s names the judge %q", fset.Position(lit.Pos()), text)
			}
			return true
		})
		return nil
	})
	require.NoError(t, err)
	require.Greater(t, checked, 300)
}

// ofJudges are the packages that files which are about judges import.
var ofJudges = []string{
	"github.com/agentsentinel/sentinel", "github.com/agentsentinel/sentinel/backend", "github.com/agentsentinel/sentinel/config",
	"github.com/agentsentinel/sentinel/internal/judge", "github.com/agentsentinel/sentinel/project",
}

// listedIn are the judges in a text for people, where that names the standard one: agents
// and vendors are called like the others. command is a word.
func listedIn(text string) (names []string) {
	if c := config.Default(); !strings.Contains(text, c.Backend) {
		return nil
	}
	for _, name := range rows() {
		if name != "command" && regexp.MustCompile(`\b`+name+`\b`).MatchString(text) {
			names = append(names, name)
		}
	}
	return names
}

// fieldOfTable is the judge in an expression such as c.Backends.Ollama; "" in any other.
func fieldOfTable(n ast.Node) string {
	field, ok := n.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	table, ok := field.X.(*ast.SelectorExpr)
	if !ok || table.Sel.Name != "Backends" {
		return ""
	}
	row, ok := reflect.TypeFor[config.Backends]().FieldByName(field.Sel.Name)
	if !ok || !reflect.PointerTo(row.Type).Implements(reflect.TypeFor[judge.Settings]()) {
		return ""
	}
	return field.Sel.Name
}

// TestIdentity: a setting that changes answers changes the key of kept answers, and
// equal settings have equal keys, which people can read. The tag same of a setting says
// why it changes none. The model is given.
func TestIdentity(t *testing.T) {
	t.Parallel()
	c := config.Default()
	for name, settings := range c.Judges() {
		before := settings.Identity("m")
		if before == "" {
			continue
		}
		require.True(t, strings.HasPrefix(before, name+" "), before)
		require.Contains(t, before+" ", ` model="m" `)
		require.NotEqual(t, before, settings.Identity("n"))
		v := reflect.ValueOf(settings).Elem()
		for i := range v.NumField() {
			tag := v.Type().Field(i).Tag
			key, _, _ := strings.Cut(tag.Get("yaml"), ",")
			settings.SetDefaults()
			change(t, v.Field(i))
			if key == "model" || tag.Get("same") != "" {
				assert.Equal(t, before, settings.Identity("m"), "%s.%s", name, key)
			} else {
				assert.NotEqual(t, before, settings.Identity("m"), "%s.%s", name, key)
			}
		}
	}
	require.NotEqual(t, judge.Identity("a", "k", `x" l="y`), judge.Identity("a", "k", "x", "l", "y"), "a value cannot pass for a key")
}

// TestIdentityStays: answers that are kept are found again after an update.
func TestIdentityStays(t *testing.T) {
	t.Parallel()
	c := config.Default()
	for name, want := range map[string]string{
		"ollama":    `ollama url="http://localhost:11434" model="m" num_ctx=4096 num_predict=2000 schema_branches=2 profile=""`,
		"claude":    `claude model="m"`,
		"copilot":   `copilot model="m"`,
		"openai":    `openai base_url="https://api.openai.com/v1" api_key_env="OPENAI_API_KEY" model="m" num_predict=2000 profile=""`,
		"anthropic": `anthropic base_url="https://api.anthropic.com" api_key_env="ANTHROPIC_API_KEY" model="m" num_predict=2000`,
		"command":   "", // sees the action
	} {
		settings, ok := c.SettingsOf(name)
		require.True(t, ok, name)
		require.Equal(t, want, settings.Identity("m"))
	}
}

func change(t *testing.T, v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(v.String() + "x")
	case reflect.Int:
		v.SetInt(v.Int() + 1)
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.Float64:
		v.SetFloat(v.Float() + 1)
	default:
		t.Fatalf("settings of kind %s: say here how to change one", v.Kind())
	}
}

// TestBackendsOfTheProgram: a backend that the program brings along is not unknown.
func TestBackendsOfTheProgram(t *testing.T) {
	t.Parallel()
	text := []byte("backend: ours\nfallback: [ours, theirs]\nbackends: {ours: {model: x}, other: {model: y}}\n")
	messages := func(others ...string) (all []string) {
		_, problems := config.Parse("c", text, others...)
		for _, p := range problems {
			all = append(all, p.Message)
		}
		return all
	}
	require.Len(t, messages(), 3, "ours is configured, so only its section and the others are doubtful: %q", messages())
	require.Len(t, messages("ours"), 2)
	require.Empty(t, messages("ours", "theirs", "other"))
	_, problems := config.Parse("c", []byte("backend: our\n"), "ours")
	require.Len(t, problems, 1)
	require.Contains(t, problems[0].Message, "did you mean `ours`?")
	_, problems = config.Parse("c", []byte("backends: {ours: 7}\n"), "ours")
	require.Len(t, problems, 1)
	require.Contains(t, problems[0].Message, "must be a mapping of keys")
}

// TestOllamaURLEverywhere: the older key is what the judge itself is told.
func TestOllamaURLEverywhere(t *testing.T) {
	t.Parallel()
	c, _ := config.Parse("c", []byte("ollama_url: http://gpu:11434\nollama_concurrency: 3\nmax_parallel: 9\n"))
	settings, ok := c.SettingsOf("ollama")
	require.True(t, ok)
	require.Equal(t, "http://gpu:11434", settings.About().Server)
	require.Contains(t, settings.Identity("m"), "http://gpu:11434")
	require.Empty(t, c.Backends.Ollama.URL, "what was read stays")
	require.Equal(t, 3, c.Slots("ollama"))
	require.Equal(t, 9, c.Slots("claude"))
}
