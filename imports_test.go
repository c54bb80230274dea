package sentinel_test

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// mayImport is the order of the packages, and a statement of policy: what each
// one may import of ours. Imports point one way, from the command down to the
// leaves. A package that is not listed fails the test, so that its place is
// thought about.
var mayImport = map[string]string{
	"shell":                     "",
	"secret":                    "",
	"packs":                     "",
	"internal/prompt":           "",
	"internal/progress":         "internal/prompt",
	"internal/filelock":         "",
	"internal/state":            "internal/filelock",
	"scope":                     "shell",
	"":                          "shell internal/prompt",
	"internal/strictjson":       "",
	"internal/strictyaml":       ".",
	"internal/sarif":            "",
	"internal/statspage":        "",
	"internal/yamledit":         "",
	"internal/change":           ".",
	"config":                    ". internal/strictyaml",
	"rule":                      ". scope shell secret internal/prompt internal/strictyaml",
	"trigger":                   ". shell",
	"hook":                      ".",
	"internal/install":          ". rule config packs internal/state",
	"internal/recursion":        "internal/state",
	"internal/subprocess":       "",
	"gpulock":                   ".",
	"backend":                   ". internal/state",
	"backend/internal/agentcli": ". backend/internal/failure internal/recursion internal/state internal/subprocess",
	"backend/internal/branches": "",
	"backend/internal/failure":  ".",
	"backend/internal/learned":  "",
	"backend/internal/logprobs": "",
	"backend/internal/webapi":   ". backend/internal/failure",
	"backend/anthropic":         ". backend backend/internal/branches backend/internal/failure backend/internal/learned backend/internal/webapi",
	"backend/builtin":           ". backend",
	"backend/claude":            ". backend/internal/agentcli backend/internal/branches backend/internal/failure internal/subprocess",
	"backend/command":           ". backend/internal/failure internal/recursion internal/subprocess",
	"backend/copilot":           ". backend/internal/agentcli backend/internal/failure internal/subprocess",
	"backend/ollama":            ". backend backend/internal/branches backend/internal/failure backend/internal/learned backend/internal/logprobs",
	"backend/openai":            ". backend backend/internal/branches backend/internal/failure backend/internal/learned backend/internal/logprobs backend/internal/webapi",
	"internal/transcript":       ". internal/state",
	"telemetry":                 ". secret internal/filelock",
	"sentineltest":              ".",
	"internal/replay":           ". internal/transcript",
	"internal/ruletest":         ". rule internal/prompt internal/yamledit",
	"contextacc":                ". internal/prompt internal/state internal/transcript",
	"scribe":                    ". internal/prompt internal/state internal/strictjson rule scope secret internal/transcript",
	"project": ". backend backend/anthropic backend/builtin backend/claude backend/command backend/copilot backend/ollama backend/openai " +
		"config contextacc gpulock internal/prompt internal/state packs rule scribe secret telemetry internal/transcript trigger",
	"internal/doctor":              ". config gpulock hook internal/install internal/prompt internal/state internal/subprocess packs project telemetry",
	"internal/authoring":           ". internal/place internal/prompt internal/ruletest internal/settings internal/words internal/yamledit project rule telemetry",
	"internal/cli":                 ". hook internal/cli/allow internal/cli/audit internal/cli/check internal/cli/command internal/cli/config internal/cli/doctor internal/cli/drafts internal/cli/initcmd internal/cli/learn internal/cli/pause internal/cli/replay internal/cli/rules internal/cli/stats internal/cli/test internal/cli/trust internal/cli/uninstall internal/cli/version internal/cli/watch internal/prompt internal/recursion internal/state project secret",
	"internal/cli/allow":           "internal/cli/command internal/person internal/prompt project",
	"internal/cli/audit":           "internal/cli/command",
	"internal/cli/check":           ". internal/change internal/cli/command internal/cli/decision internal/place internal/prompt internal/sarif project",
	"internal/cli/command":         ". config internal/install internal/person internal/place internal/progress internal/prompt project telemetry",
	"internal/cli/config":          "config internal/cli/command internal/install internal/place internal/prompt internal/settings internal/words",
	"internal/cli/decision":        ". internal/cli/command internal/prompt internal/replay internal/ruletest internal/words project rule shell",
	"internal/cli/doctor":          "internal/cli/command internal/doctor internal/place internal/words",
	"internal/cli/drafts":          "internal/cli/command internal/install internal/place internal/prompt internal/words project scribe",
	"internal/cli/initcmd":         "internal/cli/command internal/install internal/setup",
	"internal/cli/learn":           ". internal/cli/command internal/words project scribe",
	"internal/cli/pause":           "internal/cli/command internal/person internal/prompt project",
	"internal/cli/replay":          "internal/cli/command internal/cli/decision internal/history internal/prompt internal/replay internal/words",
	"internal/cli/rules":           ". internal/authoring internal/cli/command internal/cli/decision internal/explain internal/history internal/install internal/place internal/prompt internal/replay internal/ruletest internal/settings internal/stats internal/words project rule telemetry",
	"internal/cli/stats":           ". internal/cli/command internal/cli/decision internal/install internal/prompt internal/stats internal/statspage internal/words project scribe telemetry",
	"internal/cli/test":            ". internal/cli/command internal/cli/decision internal/install internal/place internal/progress internal/prompt internal/rulecases internal/ruletest internal/settings internal/words project",
	"internal/cli/trust":           "internal/cli/command project",
	"internal/cli/uninstall":       "internal/cli/command internal/install internal/setup",
	"internal/cli/version":         "internal/cli/command",
	"internal/cli/watch":           "internal/cli/command project",
	"internal/explain":             ". internal/place internal/prompt internal/rulecases internal/ruletest internal/words project rule telemetry",
	"internal/history":             ". config internal/place internal/progress internal/replay internal/words project rule secret telemetry",
	"internal/person":              "",
	"internal/place":               "project",
	"internal/rulecases":           ". internal/prompt internal/ruletest project",
	"internal/settings":            ". config internal/prompt internal/yamledit",
	"internal/setup":               ". backend/ollama config internal/install internal/place internal/prompt internal/settings internal/state packs project telemetry",
	"internal/stats":               "internal/prompt project scribe telemetry",
	"internal/words":               ". internal/prompt",
	"sentinelcmd":                  ". config internal/cli internal/cli/command",
	"cmd/sentinel":                 "sentinelcmd",
	"internal/watch":               "internal/prompt telemetry",
	"cmd/sentinel-watch":           "internal/watch telemetry",
	"internal/audit":               "",
	"internal/audit/rubric":        "internal/audit internal/strictyaml",
	"internal/audit/integrity":     "internal/prompt",
	"internal/audit/rubric/probes": "",
	"internal/audit/syntax":        "internal/audit/rubric",
	"internal/audit/repo":          "internal/audit internal/audit/integrity internal/audit/rubric internal/audit/syntax internal/prompt internal/subprocess secret",
	"internal/audit/document":      "internal/audit internal/audit/integrity internal/audit/rubric internal/subprocess",
	"internal/audit/asking":        ".",
	"internal/audit/vision":        ". internal/audit internal/audit/document internal/audit/integrity internal/audit/asking internal/audit/rubric internal/prompt internal/strictjson",
	"internal/audit/bench":         ". internal/audit internal/audit/asking internal/audit/rubric internal/prompt internal/strictjson",
	"internal/audit/justice":       "internal/audit internal/audit/rubric",
	"internal/audit/trial":         ". internal/audit internal/audit/bench internal/audit/document internal/audit/justice internal/audit/repo internal/audit/rubric internal/audit/vision internal/state",
	"internal/audit/report":        "internal/audit internal/prompt internal/sarif",
	"internal/auditcli":            "*",
	"cmd/sentinel-audit":           "internal/auditcli internal/cli",
	"examples/demo":                "*",
	"examples/harness":             "*",
	"examples/rules":               "*",
	"internal/gittest":             "",
	"internal/scripttest":          "",
	"internal/browsertest":         "",
	"internal/programtest":         "",
	"internal/realollama":          "",
	"internal/schemagen":           "*",
	"bench/audit":                  "*",
	"bench/corpus":                 "*",
	"bench/empty":                  "",
	"bench/genrules":               "",
	"bench/modelserver":            "",
	"bench/post":                   "",
	"bench/timer":                  "",
	"e2e":                          "*",
	"plugin":                       "*",
}

// rootImports are what the package that everybody imports may import of others.
var rootImports = []string{"golang.org/x/sync"}

func TestImportsPointOneWay(t *testing.T) {
	t.Parallel()
	const module = "github.com/agentsentinel/sentinel"
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports", "./...")
	out, err := cmd.Output()
	require.NoError(t, err)
	short := func(path string) string { return strings.TrimPrefix(strings.TrimPrefix(path, module), "/") }
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
		name := short(p.ImportPath)
		allowed, listed := mayImport[name]
		if !listed {
			t.Errorf("package %q has no place in the order of the packages", name)
		}
		for _, imp := range p.Imports {
			ours := imp == module || strings.HasPrefix(imp, module+"/")
			switch dep := short(imp); {
			case !ours && name == "" && strings.Contains(imp, ".") && !slices.ContainsFunc(rootImports, func(r string) bool { return strings.HasPrefix(imp, r) }):
				t.Errorf("the root imports %s: whoever embeds it would get that too", imp)
			case ours && dep == "":
				dep = "."
				fallthrough
			case ours:
				if allowed != "*" && !slices.Contains(strings.Fields(allowed), dep) {
					t.Errorf("%s imports %s, which its place in the order does not allow", name, dep)
				}
			}
		}
	}
}
