package project_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/project"
)

// A repository judged as the command does: its rules and its configuration. Nothing is
// written but to the folders that the options name.
func Example() {
	repo, err := os.MkdirTemp("", "project")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(repo)
	for name, text := range map[string]string{
		"config.yaml":         "backend: builtin\n",
		"rules/no-force.yaml": "id: no-force\ntrigger: bash\nscope: ['git push*']\nwhen: hasFlag(cmd, '--force')\nmessage: Push without force.\n",
	} {
		file := filepath.Join(repo, ".claude", "sentinel", filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			fmt.Println(err)
			return
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			fmt.Println(err)
			return
		}
	}

	p := project.Open([]string{repo}, &project.Options{CacheDir: filepath.Join(repo, "cache"), StateDir: filepath.Join(repo, "state")})
	for _, command := range []string{"git push", "git push --force"} {
		args, _ := json.Marshal(map[string]string{"command": command})
		d, err := p.Evaluate(context.Background(), sentinel.Event{
			Phase: sentinel.PhasePre, Dir: repo,
			Tool: sentinel.ToolCall{Name: "Bash", Args: args},
		})
		fmt.Println(command, "→", d.Verdict, err)
	}
	// Output:
	// git push → allow <nil>
	// git push --force → block <nil>
}
