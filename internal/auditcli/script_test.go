package auditcli_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/audit/report"
	"github.com/agentsentinel/sentinel/internal/auditcli"
	"github.com/agentsentinel/sentinel/internal/cli/command"
	"github.com/agentsentinel/sentinel/internal/fakeserver"
	"github.com/agentsentinel/sentinel/internal/schemagen"
	"github.com/agentsentinel/sentinel/internal/scripttest"
)

// TestMain makes this binary the command too: in scripts, and where the command
// starts itself to read a PDF.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "__pdf" {
		syscall.Exit(auditcli.Run(command.Process())) // which does not wait, as the race detector does in os.Exit
	}
	testscript.Main(cleaning{m}, map[string]func(){
		"sentinel-audit": func() { os.Exit(asPrinted()) },
	})
}

// asPrinted runs the command. Its JSON output has to fit its schema.
func asPrinted() int {
	env := command.Process()
	if !slices.Contains(env.Args, "--json") {
		return auditcli.Run(env)
	}
	var out bytes.Buffer
	env.Stdout = io.MultiWriter(os.Stdout, &out)
	status := auditcli.Run(env)
	if err := scripttest.Fits(auditcli.Root(command.Process()), env.Args, &out); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 97 // no status of the command
	}
	return status
}

// cleaning removes what the tests share.
type cleaning struct{ *testing.M }

func (m cleaning) Run() int {
	code := m.M.Run()
	if cacheDir != "" {
		os.RemoveAll(cacheDir)
	}
	return code
}

// TestScripts runs testdata/script/*.txtar: a repository, commands, and exactly
// what they print and exit with.
func TestScripts(t *testing.T) {
	t.Parallel()
	dir, files, err := scripttest.Select(filepath.Join("testdata", "script"), "list.txtar", "judged.txtar")
	require.NoError(t, err)
	var servers sync.Map // the last server of each script, by its folder
	seen := t.TempDir()
	schemas := filepath.Join("..", "..", "docs", "reference", "json", fmt.Sprintf("v%d", schemagen.OutputVersion))
	t.Cleanup(func() {
		_, err := exec.LookPath("git") // without which most scripts are skipped
		if err == nil && !testing.Short() && !strings.Contains(flag.Lookup("test.run").Value.String(), "/") && !t.Failed() {
			unseen, err := scripttest.Unseen(schemas, seen)
			require.NoError(t, err)
			require.False(t, slices.ContainsFunc(unseen, func(name string) bool { return strings.HasPrefix(name, "sentinel-audit") }), "no script prints JSON with: %s", unseen)
		}
	})
	testscript.Run(t, testscript.Params{
		Dir:                 dir,
		Files:               files,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
		Setup: func(e *testscript.Env) error {
			for name, value := range map[string]string{
				"HOME": filepath.Join(e.WorkDir, "home"), "NO_COLOR": "1", "GOCOVERDIR": e.Getenv("TMPDIR"),
				"GORACE":              "atexit_sleep_ms=0", // a command that ends need not wait for races
				"GIT_CONFIG_NOSYSTEM": "1",
				"GIT_AUTHOR_NAME":     "A Developer", "GIT_AUTHOR_EMAIL": "developer@example.com", "GIT_AUTHOR_DATE": "2026-01-05T09:00:00Z",
				"GIT_COMMITTER_NAME": "A Developer", "GIT_COMMITTER_EMAIL": "developer@example.com", "GIT_COMMITTER_DATE": "2026-01-05T09:00:00Z",
			} {
				e.Setenv(name, value)
			}
			if err := scripttest.Schemas(e, schemas, seen); err != nil {
				return err
			}
			return os.Mkdir(filepath.Join(e.WorkDir, "home"), 0o755)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": scripttest.Exits, "commit": cmdCommit, "facts": cmdFacts, "results": cmdResults,
			"judge": func(ts *testscript.TestScript, _ bool, args []string) {
				servers.Store(ts.Getenv("WORK"), cmdJudge(t, ts, args))
			},
			"asked": func(ts *testscript.TestScript, _ bool, args []string) { // asked N: so many requests have arrived
				server, _ := servers.Load(ts.Getenv("WORK"))
				n, err := strconv.Atoi(args[0])
				ts.Check(err)
				ts.Check(server.(*fakeserver.OpenAIServer).Await(t.Context(), n))
			},
		},
	})
}

// cmdCommit commits all files of a folder, which it makes a repository first:
//
//	commit DIR MESSAGE
func cmdCommit(ts *testscript.TestScript, _ bool, args []string) {
	dir := ts.MkAbs(args[0])
	for _, git := range [][]string{
		{"init", "--quiet", "--initial-branch=main"}, {"add", "--all"}, {"commit", "--quiet", "--message", args[1]},
	} {
		ts.Check(ts.Exec("git", append([]string{"-C", dir}, git...)...))
	}
}

// cmdFacts writes the evidence of a report in JSON, a line each, without what
// differs from run to run:
//
//	facts FILE TO
func cmdFacts(ts *testscript.TestScript, _ bool, args []string) {
	path := filepath.Join(ts.MkAbs("."), "facts.json")
	ts.Check(os.WriteFile(path, []byte(ts.ReadFile(args[0])), 0o600))
	record, err := report.Read(path)
	ts.Check(err)
	var b strings.Builder
	fmt.Fprintf(&b, "commit %s\nrubric %s %s (%s)\n", record.Subject.Commit, record.Rubric.Name, record.Rubric.Version, record.Rubric.Source)
	for i := range record.Evidence {
		e := &record.Evidence[i]
		fmt.Fprintf(&b, "%s %s %s", e.ID, e.Probe, e.Outcome)
		if e.Severity != "" {
			fmt.Fprintf(&b, " %s", e.Severity)
		}
		if at := e.Location.String(); at != "" {
			fmt.Fprintf(&b, " %s", at)
		}
		if len(e.Values) > 0 {
			values, err := json.Marshal(e.Values)
			ts.Check(err)
			fmt.Fprintf(&b, " %s", values)
		}
		b.WriteString("\n")
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(b.String()), 0o600))
}

// cmdResults writes what became of each criterion of the one report in a folder:
//
//	results DIR TO
func cmdResults(ts *testscript.TestScript, _ bool, args []string) {
	paths, err := filepath.Glob(filepath.Join(ts.MkAbs(args[0]), "*.json"))
	ts.Check(err)
	if len(paths) != 1 {
		ts.Fatalf("%d reports in %s, not one", len(paths), args[0])
	}
	record, err := report.Read(paths[0])
	ts.Check(err)
	var b strings.Builder
	for i := range record.Results {
		r := &record.Results[i]
		fmt.Fprintf(&b, "%s %s %d\n", r.Criterion, r.Verdict, r.Score)
		for _, o := range r.Opinions {
			fmt.Fprintf(&b, "  %s %d %v %s/%s %s\n", o.Judge, o.Score, o.Cited, o.Backend, o.Model, o.Err)
		}
	}
	for _, f := range record.Failures {
		fmt.Fprintf(&b, "%s: %s\n", f.Stage, f.Err)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(b.String()), 0o600))
}

// cmdJudge starts a model server that always says the same, and makes it the
// user's own backend; "absent" is one that is not there, "hang" one whose model
// never answers:
//
//	judge ANSWER|absent|hang [LINE OF CONFIGURATION…]
func cmdJudge(t *testing.T, ts *testscript.TestScript, args []string) *fakeserver.OpenAIServer {
	answer := fakeserver.OpenAIText(args[0])
	if args[0] == "hang" {
		answer = fakeserver.OpenAIFault(fakeserver.FaultHang())
	}
	server := fakeserver.NewOpenAIServer(t, answer)
	server.SetModels("scripted")
	ts.Defer(server.Close)
	if args[0] == "absent" {
		server.Close()
	}
	path := filepath.Join(ts.Getenv("HOME"), ".config", "sentinel", "config.yaml")
	ts.Check(os.MkdirAll(filepath.Dir(path), 0o755))
	text := fmt.Sprintf("backend: openai\nbackends: {openai: {base_url: %q, model: scripted, api_key_env: NO_KEY}}\n%s\n", server.URL, strings.Join(args[1:], "\n"))
	ts.Check(os.WriteFile(path, []byte(text), 0o600))
	return server
}
