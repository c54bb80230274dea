package cli_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/agent"
	"github.com/agentsentinel/sentinel/internal/cli"
	"github.com/agentsentinel/sentinel/internal/cli/command"
	"github.com/agentsentinel/sentinel/internal/fakeserver"
	"github.com/agentsentinel/sentinel/internal/scripttest"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"sentinel": func() { os.Exit(asPrinted(nil)) },
		"person":   func() { os.Exit(asPerson()) },

		"at-terminal": func() { os.Exit(scripttest.AtTerminal()) },
		"sentinel-at": func() { os.Exit(atTime()) },
		"patient":     func() { os.Exit(withPatience()) },
		"observed":    func() { os.Exit(observed()) },
	})
}

// asPerson runs the command as a person does, whoever runs the tests: who started
// this process is left out of account.
func asPerson() int {
	return asPrinted(func(env *command.Env) { env.Doubt, env.Word = nil, "yes" })
}

// withPatience runs the command with time enough for a machine that is busy.
func withPatience() int {
	env := command.Process()
	env.Patience = 5 * time.Minute
	return cli.Run(env)
}

// TestScripts runs testdata/script/*.txtar: a repository, commands, and exactly
// what they print and exit with.
func TestScripts(t *testing.T) {
	t.Parallel()
	var servers sync.Map  // the last server of each script, by its folder
	var programs []string // of agents: what the machine has is none of a script's business
	for _, a := range (agent.Registry{}).All() {
		programs = append(programs, a.Traces.Programs...)
	}
	seen := t.TempDir()
	dir, files, err := scripttest.Select(filepath.Join("testdata", "script"), "hook-*", "check*", "replay.txtar", "coverage.txtar", "doctor.txtar")
	require.NoError(t, err)
	if !testing.Short() {
		t.Cleanup(func() { everySchemaSeen(t, seen) })
	}
	testscript.Run(t, testscript.Params{
		Dir:                 dir,
		Files:               files,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
		Condition:           scripttest.Condition,
		Setup: func(e *testscript.Env) error {
			e.Setenv("HOME", filepath.Join(e.WorkDir, "home"))
			e.Setenv("NO_COLOR", "1")
			e.Setenv("PATH", scripttest.Without(e.Getenv("PATH"), programs))
			e.Setenv("GOCOVERDIR", e.Getenv("TMPDIR"))
			if err := scripttest.Schemas(e, schemas, seen); err != nil {
				return err
			}
			return os.Mkdir(filepath.Join(e.WorkDir, "home"), 0o755)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": scripttest.Exits, "types": scripttest.Types, "screen": scripttest.Screen, "shows": scripttest.Shows, "event": scripttest.Placed, "mkfifo": cmdMkfifo, "padded": cmdPadded, "code": scripttest.Code, "id": cmdID,
			"ollama": func(ts *testscript.TestScript, neg bool, args []string) {
				servers.Store(ts.Getenv("WORK"), cmdOllama(t, ts, args))
			},
			"scribe": func(ts *testscript.TestScript, neg bool, args []string) { cmdScribe(t, ts, args) },
			"plug": func(ts *testscript.TestScript, neg bool, args []string) { // plug pulled: the last server is gone
				server, _ := servers.Load(ts.Getenv("WORK"))
				server.(*fakeserver.OllamaServer).Close()
			},
		},
	})
}

// cmdID puts the id of the last call in a log into the variable ID:
//
//	id FILE
func cmdID(ts *testscript.TestScript, neg bool, args []string) {
	log := ts.ReadFile(args[0])
	_, last, found := strings.Cut(log[strings.LastIndex(log, `"level":"decision"`)+1:], `"id":"`)
	if !found || len(last) < 10 {
		ts.Fatalf("no call in %s", args[0])
	}
	ts.Setenv("ID", last[:10])
}

// cmdPadded writes an event with a content of so many megabytes:
//
//	padded FILE MEGABYTES
func cmdPadded(ts *testscript.TestScript, neg bool, args []string) {
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	text := fmt.Sprintf(`{"session_id":"s","cwd":%q,"hook_event_name":"PreToolUse","tool_name":"Write","tool_input":{"file_path":"big.txt","content":"%s"}}`,
		filepath.ToSlash(ts.Getenv("WORK")), strings.Repeat("0123456789abcde\\n", n<<20/17))
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o600))
}

// unpin takes over what the folder has, as a person's `sentinel accept` would.
func unpin(ts *testscript.TestScript) {
	ts.Check(os.RemoveAll(ts.MkAbs("home/.local/state/sentinel/pins")))
}

// cmdOllama starts a scripted Ollama server, or one with a fault, and writes a
// configuration that names it:
//
//	ollama FAULT|ANSWER [LINE OF CONFIGURATION…]
func cmdOllama(t *testing.T, ts *testscript.TestScript, args []string) *fakeserver.OllamaServer {
	var answer fakeserver.OllamaAnswer
	switch args[0] {
	case "hang":
		answer = fakeserver.OllamaFault(fakeserver.FaultHang())
	case "prose":
		answer = fakeserver.OllamaProse()
	case "html":
		answer = fakeserver.OllamaFault(fakeserver.FaultHTML())
	case "empty":
		answer = fakeserver.OllamaFault(fakeserver.FaultBody(200, "application/json", ""))
	case "error-in-200":
		answer = fakeserver.OllamaErrorIn200("out of memory")
	case "done-false":
		answer = fakeserver.OllamaDoneFalse(`{"violation":false,"confidence":1}`)
	case "cut":
		answer = fakeserver.OllamaCutByLength(`{"violation":fal`)
	case "half":
		answer = fakeserver.OllamaFault(fakeserver.FaultHalf(`{"violation":false,"confidence":1}`))
	case "not-found":
		answer = fakeserver.OllamaStatus(404, "model 'gemma3:4b' not found")
	case "broken":
		answer = fakeserver.OllamaStatus(500, "boom")
	case "redirect":
		answer = fakeserver.OllamaFault(fakeserver.FaultRedirect(307, "http://203.0.113.7/api/chat"))
	default:
		answer = fakeserver.OllamaText(args[0])
	}
	server := fakeserver.NewOllamaServer(t, answer)
	ts.Defer(server.Close)
	for _, of := range []string{"outages", "breakers", "servers"} { // another server may have had its port
		ts.Check(os.RemoveAll(ts.MkAbs("home/.local/state/sentinel/" + of)))
	}
	url := server.URL
	if args[0] == "absent" {
		server.Close()
	}
	text := "backend: ollama\nbackends: {ollama: {url: \"" + url + "\"}}\n" + strings.Join(args[1:], "\n") + "\n"
	ts.Check(os.MkdirAll(ts.MkAbs(".claude/sentinel"), 0o755))
	ts.Check(os.WriteFile(ts.MkAbs(".claude/sentinel/config.yaml"), []byte(text), 0o600))
	unpin(ts)
	return server
}
