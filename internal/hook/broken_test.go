package hook

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/agent"
	"github.com/agentsentinel/sentinel/project"
)

// A rule that is not in force is told once in a session of every agent, at the first
// call at the latest.
func TestEveryAgentTellsOfABrokenRule(t *testing.T) {
	t.Parallel()
	for _, a := range (agent.Registry{}).All() {
		if a.Trial == nil {
			continue
		}
		t.Run(a.Name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			repo := filepath.Join(dir, "repo")
			rules := filepath.Join(repo, ".claude", "sentinel", "rules")
			require.NoError(t, os.MkdirAll(rules, 0o755))
			require.NoError(t, os.WriteFile(filepath.Join(rules, "a.yaml"), []byte("trigger: bash\nprompt: {a: b}\n"), 0o600))
			event, err := json.Marshal(a.Trial(repo, "make"))
			require.NoError(t, err)
			call := func() string {
				var out bytes.Buffer
				Run(&Env{
					Args: []string{"--agent", a.Name}, Stdin: bytes.NewReader(event), Stdout: &out, Stderr: &out,
					Getenv: func(string) string { return "" }, Dir: repo, Now: time.Now,
					Project: func() *project.Options { return &project.Options{StateDir: filepath.Join(dir, "state")} },
				})
				kept := &call{env: &Env{Project: func() *project.Options { return &project.Options{StateDir: filepath.Join(dir, "state")} }}}
				known, err := (agent.Registry{}).Resolve(a.Name, event)
				require.NoError(t, err)
				kept.event, err = known.Decode(event)
				require.NoError(t, err)
				for _, f := range kept.keptAdvice().Findings { // some agents take no text before a tool
					out.WriteString(f.Advice)
				}
				return out.String()
			}
			require.Regexp(t, `cannot be understood|not in force`, call())
			require.NotRegexp(t, `cannot be understood|not in force`, call(), "told once")
		})
	}
}
