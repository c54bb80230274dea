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
	"internal/nearest":          "",
	"internal/digest":           "",
	"internal/safefile":         "",
	"internal/text":             "",
	"internal/prompt":           "internal/text",
	"internal/progress":         "internal/text",
	"internal/filelock":         "",
	"internal/state":            "internal/filelock internal/safefile internal/digest",
	"scope":                     "shell",
	"":                          "shell internal/prompt internal/text",
	"internal/strictjson":       "",
	"internal/strictyaml":       ". internal/text internal/nearest",
	"internal/sarif":            "",
	"internal/statspage":        "",
	"internal/yamledit":         "",
	"internal/change":           ". internal/subprocess",
	"config":                    ". internal/strictyaml internal/nearest",
	"rule":                      ". scope shell secret internal/prompt internal/strictyaml internal/text internal/nearest",
	"trigger":                   ". shell internal/text",
	"hook":                      ". internal/text internal/nearest",
	"internal/install":          ". rule config packs internal/state internal/safefile internal/digest",
	"internal/recursion":        "internal/state",
	"internal/subprocess":       "",
	"gpulock":                   ". internal/digest",
	"backend":                   ". internal/state internal/digest",
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
	"internal/transcript":       ". internal/state internal/text internal/safefile internal/digest",
	"telemetry":                 ". secret internal/filelock internal/text internal/safefile",
	"sentineltest":              ". internal/text",
	"internal/fakeserver":       "",
	"internal/replay":           ". internal/transcript internal/safefile internal/digest",
	"internal/ruletest":         ". rule internal/text internal/yamledit",
	"contextacc":                ". internal/prompt internal/state internal/transcript internal/text",
	"scribe":                    ". internal/prompt internal/state internal/strictjson rule scope secret internal/transcript internal/text internal/safefile",
	"project": ". backend backend/anthropic backend/builtin backend/claude backend/command backend/copilot backend/ollama backend/openai " +
		"config contextacc gpulock internal/text internal/state packs rule scribe secret telemetry internal/transcript trigger internal/safefile internal/digest",
	"internal/doctor":              ". config gpulock hook internal/install internal/text internal/state internal/subprocess packs project telemetry internal/safefile",
	"internal/cli":                 ". backend/ollama config hook internal/install internal/text internal/change internal/doctor internal/progress internal/recursion internal/sarif internal/state internal/statspage internal/yamledit packs project internal/replay rule internal/ruletest scribe secret shell telemetry internal/nearest internal/safefile internal/digest",
	"sentinelcmd":                  ". config internal/cli",
	"cmd/sentinel":                 "sentinelcmd",
	"internal/watch":               "internal/text telemetry",
	"cmd/sentinel-watch":           "internal/watch telemetry",
	"internal/audit":               "",
	"internal/audit/rubric":        "internal/audit internal/strictyaml internal/text internal/nearest",
	"internal/audit/integrity":     "internal/text",
	"internal/audit/rubric/probes": "",
	"internal/audit/syntax":        "internal/audit/rubric",
	"internal/audit/repo":          "internal/audit internal/audit/integrity internal/audit/rubric internal/audit/syntax internal/text internal/subprocess secret",
	"internal/audit/document":      "internal/audit internal/audit/integrity internal/audit/rubric internal/subprocess internal/digest",
	"internal/audit/asking":        ".",
	"internal/audit/vision":        ". internal/audit internal/audit/document internal/audit/integrity internal/audit/asking internal/audit/rubric internal/text internal/strictjson",
	"internal/audit/bench":         ". internal/audit internal/audit/asking internal/audit/rubric internal/prompt internal/strictjson internal/text",
	"internal/audit/justice":       "internal/audit internal/audit/rubric",
	"internal/audit/trial":         ". internal/audit internal/audit/bench internal/audit/document internal/audit/justice internal/audit/repo internal/audit/rubric internal/audit/vision internal/state",
	"internal/audit/report":        "internal/audit internal/text internal/sarif",
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
