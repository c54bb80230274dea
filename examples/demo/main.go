// Command demo shows Sentinel at work without an agent and without a model: it
// sends the events that Claude Code sends through the code of the hook, with the
// recommended rules and one of a project's own, and prints each answer. It exits 0
// only if every answer is the expected one.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/agent"
	"github.com/agentsentinel/sentinel/packs"
	"github.com/agentsentinel/sentinel/project"
)

const configuration = `# No model: the rules' own expressions judge.
backend: builtin
`

const ownRule = `# .claude/sentinel/rules/billing-protection.yaml
trigger: file_write
severity: block
scope:
  - "src/billing/**"
exclude:
  - "**/*_test.go"
when: "true"
prompt: |
  FILE: {{file_path}}
  RULE: Nothing in this folder is changed directly.
message: "{{file_path}} belongs to billing. Go through src/api/billing.go instead."
`

// A step is one tool call and what should become of it.
type step struct {
	says string // what the agent is doing, for the person who watches
	tool string
	args map[string]string
	want sentinel.Verdict
}

var steps = []step{
	{"cleans up and pushes", "Bash", map[string]string{"command": "cd repo && sudo git -C . push origin main --force"}, sentinel.VerdictBlock},
	{"edits a protected file", "Write", map[string]string{"file_path": "src/billing/invoice.go", "content": "package billing\n"}, sentinel.VerdictBlock},
	{"does the same from the shell", "Bash", map[string]string{"command": "cat > src/billing/invoice.go <<'EOF'\npackage billing\nEOF"}, sentinel.VerdictBlock},
	{"only talks about it", "Bash", map[string]string{"command": `git commit -m "never git push --force again"`}, sentinel.VerdictAllow},
	{"runs the tests", "Bash", map[string]string{"command": "go test ./..."}, sentinel.VerdictAllow},
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

func run() error {
	repo, err := os.MkdirTemp("", "sentinel-demo-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(repo)
	if err := setUp(repo); err != nil {
		return err
	}
	wrong := 0
	for i, s := range steps {
		ok, err := show(repo, i+1, s)
		if err != nil {
			return err
		}
		if !ok {
			wrong++
		}
	}
	if wrong > 0 {
		return fmt.Errorf("%d of %d answers are not the expected ones", wrong, len(steps))
	}
	fmt.Printf("All %d answers as expected. In your own repository: sentinel init\n", len(steps))
	return nil
}

// setUp makes the repository what "sentinel init" and a person would make it.
func setUp(repo string) error {
	folder := filepath.Join(repo, ".claude", "sentinel")
	files := map[string]string{"config.yaml": configuration, "rules/billing-protection.yaml": ownRule}
	recommended, err := packs.Files(packs.Recommended)
	if err != nil {
		return err
	}
	for _, f := range recommended {
		files["rules/"+f.Name] = string(f.Data)
	}
	for name, text := range files {
		path := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// show sends one event through the hook and prints what the agent gets back.
func show(repo string, n int, s step) (ok bool, err error) {
	event, err := json.Marshal(map[string]any{
		"session_id": "demo", "cwd": repo, "permission_mode": "default",
		"hook_event_name": "PreToolUse", "tool_name": s.tool, "tool_input": s.args,
	})
	if err != nil {
		return false, err
	}
	sender, err := agent.Registry{}.Resolve("", event) // Claude Code, by the form of the event
	if err != nil {
		return false, err
	}
	ev, err := sender.Decode(event)
	if err != nil {
		return false, err
	}
	d, err := project.Open([]string{ev.Dir}, nil).Evaluate(context.Background(), ev)
	if err != nil {
		return false, err
	}
	answer := sender.Encode(ev, d)

	what := s.args["command"]
	if what == "" {
		what = s.args["file_path"]
	}
	first, _, more := strings.Cut(what, "\n")
	if more {
		first += " …"
	}
	fmt.Printf("%d. The agent %s\n   %s: %s\n   %s, exit status %d, in %.1f ms\n", n, s.says, s.tool, first,
		strings.ToUpper(d.Verdict.String()), answer.Exit, float64(d.Took.Microseconds())/1000)
	if text := strings.TrimSpace(string(answer.Stderr)); text != "" {
		fmt.Printf("   The agent reads: %s\n", text)
	}
	if d.Verdict != s.want {
		fmt.Printf("   NOT AS EXPECTED: this should be %s\n", s.want)
	}
	fmt.Println()
	return d.Verdict == s.want, nil
}
