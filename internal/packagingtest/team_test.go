package packagingtest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/agentsentinel/sentinel/config"
)

// TestTeam: the configuration for a team's judge is valid, as it is shown and as it lies in
// examples/team, and the servers' files name the files next to them.
func TestTeam(t *testing.T) {
	t.Parallel()
	folder := filepath.Join("..", "..", "examples", "team")
	page := string(must(os.ReadFile(filepath.Join("..", "..", "docs", "team-judge.md"))))
	_, shown, _ := strings.Cut(page, "```yaml\n")
	shown, _, _ = strings.Cut(shown, "```")
	for _, text := range []string{shown, string(must(os.ReadFile(filepath.Join(folder, "config.yaml"))))} {
		c, problems := config.Parse("config.yaml", []byte(text))
		require.Empty(t, problems)
		require.Equal(t, "openai", c.Backend)
		require.Equal(t, "~/.config/team/ca.pem", c.Backends.OpenAI.CAFile)
		require.Zero(t, c.Budget.PaidCallsPerDay)
	}
	var compose struct {
		Services map[string]struct {
			Image   string
			Volumes []string
		}
	}
	require.NoError(t, yaml.Unmarshal(must(os.ReadFile(filepath.Join(folder, "compose.yaml"))), &compose))
	require.Len(t, compose.Services, 4)
	for name, service := range compose.Services {
		require.Regexp(t, `:v?\d[\w.-]+$`, service.Image, name)
		for _, volume := range service.Volumes {
			if file, _, _ := strings.Cut(volume, ":"); strings.HasSuffix(file, ".conf") || strings.HasSuffix(file, ".yaml") {
				require.FileExists(t, filepath.Join(folder, file))
			}
		}
	}
	var collector struct {
		Processors map[string]any
		Service    struct {
			Pipelines map[string]struct{ Processors []string }
		}
	}
	require.NoError(t, yaml.Unmarshal(must(os.ReadFile(filepath.Join(folder, "collector.yaml"))), &collector))
	for _, pipeline := range collector.Service.Pipelines {
		for _, name := range pipeline.Processors {
			require.Contains(t, collector.Processors, name)
		}
	}
}
