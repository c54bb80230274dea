package cli

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/cli/command"
)

// A program of another name calls each of its commands by that name, and leaves
// other commands alone.
func TestEveryCommandIsCalledByTheProgramsName(t *testing.T) {
	t.Parallel()
	env := &command.Env{Name: "ours"}
	for _, c := range newRoot(env).Commands() {
		require.Equal(t, "run `ours "+c.Name()+"` first", env.Called("run `sentinel "+c.Name()+"` first"))
	}
	for _, text := range []string{"a sentinel that watches", ".claude/sentinel init", "sentinel:own-commands", "sentinel-watch --lines", "Sentinel init"} {
		require.Equal(t, text, env.Called(text))
	}
	require.Equal(t, "sentinel init", (&command.Env{}).Called("sentinel init"))
}

// mayName are the files and folders whose texts may call a command by the name
// sentinel, and why.
var mayName = map[string]string{
	"internal/cli/":                 "a command prints by Env.Line and Env.Called; Run and Rename do so for errors and help",
	"internal/authoring/":           "printed by rules severity, and errors of commands",
	"internal/canary/":              "printed by verify",
	"internal/change/":              "errors of check",
	"internal/doctor/":              "printed by doctor and init",
	"internal/explain/":             "printed by rules explain",
	"internal/gate/pause.go":        "an error of pause",
	"internal/judgebench/":          "errors of bench",
	"internal/rulecases/":           "errors of commands",
	"internal/ruletest/run.go":      "printed by test",
	"internal/ruletest/junit.go":    "the name of the suite in a report, not a command",
	"internal/settings/settings.go": "an error of config",
	"internal/setup/":               "said by Options.Say, which is Env.Line, and errors of init and uninstall",
	"internal/stats/report.go":      "an error of stats",
	"project/folders.go":            "an error of commands",
	"scribe/list.go":                "errors of drafts",
	"scribe/promote.go":             "errors of drafts promote",
	"config/config.go":              "the schema and docs/configuration.md; config prints it by Env.Called",
	"internal/audit/":               "texts of sentinel-audit, a program of its own",
	"internal/auditcli/":            "texts of sentinel-audit",
	"internal/watch/":               "texts of sentinel-watch, a program of its own",
	"internal/scripttest/":          "for tests",
	"cmd/":                          "the programs of this module",
	"examples/":                     "programs for readers",
	"tools/":                        "tools of this module",
}

// A text that a user or an agent reads names commands as the program is called:
// text.Command makes such a name, and what a command prints passes Env.Called.
func TestNoTextNamesACommandOfAnotherProgram(t *testing.T) {
	t.Parallel()
	root := newRoot(&command.Env{})
	root.InitDefaultCompletionCmd()
	root.InitDefaultHelpCmd()
	var names []string
	for _, c := range root.Commands() {
		names = append(names, c.Name())
	}
	require.Subset(t, names, []string{"accept", "completion", "help", "hook", "trust"})
	call := regexp.MustCompile("(^|[\\s\"'`(])sentinel (" + strings.Join(names, "|") + `)\b`)
	used := map[string]bool{}
	excused := func(path string) bool {
		for name := range mayName {
			if path == name || strings.HasSuffix(name, "/") && strings.HasPrefix(path, name) {
				used[name] = true
				return true
			}
		}
		return false
	}
	module := filepath.Join("..", "..")
	require.NoError(t, fs.WalkDir(os.DirFS(module), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, filepath.Join(module, path), nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			literal, ok := n.(*ast.BasicLit)
			if !ok || literal.Kind != token.STRING {
				return true
			}
			text, err := strconv.Unquote(literal.Value)
			require.NoError(t, err)
			if call.MatchString(text) && !excused(path) {
				t.Errorf("%s:%d: name the command by text.Command: %s", path, files.Position(literal.Pos()).Line, literal.Value)
			}
			return true
		})
		return nil
	}))
	for name := range mayName {
		require.True(t, used[name], "no text of %s names a command any more: take it out of the list", name)
	}
}
