package sentinel_test

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// layers are the packages from the floor up. A package imports from its own layer
// and from those below it, never from above; `x/...` is x and all below it. A
// package without a layer fails the test, so that its place is thought about.
var layers = []string{
	/* leaves     */ "shell/... internal/secret internal/intent packs internal/text/... internal/prompt internal/safefile internal/filelock internal/subprocess internal/gitindex internal/gitobject internal/gitignore internal/disposable internal/gitread internal/jsonscan internal/jsonschema internal/codec internal/nearest internal/undo internal/digest internal/facts internal/lazy internal/exit internal/shellpattern internal/strictjson internal/strictyaml internal/yamledit internal/sarif internal/progress internal/statspage internal/gittest internal/scripttest internal/browsertest internal/programtest internal/pagetest internal/realollama internal/fakeserver",
	/* engine     */ ".",
	/* parts      */ "scope/... rule/... config/... trigger/... agent/... internal/install/... telemetry/... gpulock backend/... sentineltest internal/state internal/pin internal/recursion internal/change internal/judge/... internal/profile internal/transcript",
	/* services   */ "contextacc scribe internal/record internal/gate internal/memory internal/replay internal/person internal/ruletest internal/instructions/... internal/selfprotect internal/turn",
	/* wiring     */ "project",
	/* work       */ "internal/place internal/hook internal/background internal/doctor internal/watch internal/authoring internal/bench internal/judgebench internal/setup internal/history internal/explain internal/stats internal/rulecases internal/settings internal/release internal/coverage internal/verify internal/canary internal/playground internal/audit/...",
	/* products   */ "audit internal/auditcli internal/cli/... sentinelcmd",
	/* programs   */ "cmd/... examples/... tools/... internal/schemagen internal/plugintest internal/packagingtest internal/safefile/callers plugin e2e bench/...",
}

// layerOf is the place of a package in layers, of the longest pattern that names it;
// -1 without one.
func layerOf(name string) int {
	layer, longest := -1, -1
	for i, names := range layers {
		for pattern := range strings.FieldsSeq(names) {
			dir, below := strings.CutSuffix(pattern, "/...")
			if (name == dir || below && strings.HasPrefix(name, dir+"/")) && len(dir) > longest {
				layer, longest = i, len(dir)
			}
		}
	}
	return layer
}

// CONTRIBUTING.md has the layers from the top, each with all its packages, and some of the
// leaves.
func TestContributingHasTheLayers(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("CONTRIBUTING.md")
	require.NoError(t, err)
	_, table, _ := strings.Cut(string(text), "|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	rows := strings.Split(table, "\n")
	require.Len(t, rows, len(layers))
	for i, row := range rows {
		var named []string
		for k, word := range strings.Split(row, "`") {
			if k%2 == 1 && word != "Rulebook" {
				named = append(named, word)
			}
		}
		switch layer := len(layers) - 1 - i; {
		case layer == 0:
			require.Subset(t, strings.Fields(layers[layer]), named, row)
		case layers[layer] != ".":
			require.ElementsMatch(t, strings.Fields(layers[layer]), named, row)
		}
	}
}

// rootImports are what the package that everybody imports may import of others.
var rootImports = []string{"golang.org/x/sync"}

func TestImportsPointDown(t *testing.T) {
	t.Parallel()
	const module = "github.com/agentsentinel/sentinel"
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("the go command is not on the PATH of this test")
	}
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", "./...").Output()
	require.NoError(t, err)
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct {
			ImportPath string
			Imports    []string
		}
		err := dec.Decode(&p)
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		name := short(p.ImportPath, module)
		if layerOf(name) < 0 {
			t.Errorf("package %q has no layer", name)
		}
		for _, imp := range p.Imports {
			switch {
			case imp == module || strings.HasPrefix(imp, module+"/"):
				if layerOf(short(imp, module)) > layerOf(name) {
					t.Errorf("%s imports %s, which is in a layer above it", name, imp)
				}
			case name == "." && strings.Contains(imp, ".") && !slices.ContainsFunc(rootImports, func(r string) bool { return strings.HasPrefix(imp, r) }):
				t.Errorf("the root imports %s: everyone who embeds it would get that too", imp)
			}
		}
	}
}

func short(importPath, module string) string {
	return path.Clean(strings.TrimPrefix(strings.TrimPrefix(importPath, module), "/"))
}
