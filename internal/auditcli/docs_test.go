package auditcli_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/audit/rubric"
	"github.com/agentsentinel/sentinel/internal/audit/trial"
	"github.com/agentsentinel/sentinel/internal/pagetest"
)

// The page that says where each statement is shown names nothing that is gone.
func TestSpecNamesWhatExists(t *testing.T) {
	t.Parallel()
	page, err := pagetest.Read(filepath.Join("..", ".."), "audit/spec.md", "Where it is shown")
	require.NoError(t, err)
	require.Empty(t, page.Problems)
	require.Greater(t, page.Named, 150, "the page is not read as it was meant")
}

// The help names every embedded rubric.
func TestHelpNamesEveryRubric(t *testing.T) {
	t.Parallel()
	_, help, _ := newPerson(t).audit("--help")
	for _, name := range rubric.Names() {
		assert.Contains(t, help, name)
	}
}

// TestReportsOfTheManual: the lines of the reports that the manual shows have the probes that
// the rubrics have, and say what those look for and expect.
func TestReportsOfTheManual(t *testing.T) {
	t.Parallel()
	manuals := filepath.Join("..", "..", "docs", "audit")
	rubrics := map[string]string{"cobra": "go", "flask": "python", "express": "typescript", "sentinel": filepath.Join(manuals, "sentinel.rubric.yaml")}
	seen := map[string]int{}
	text, err := os.ReadFile(filepath.Join(manuals, "examples.md"))
	require.NoError(t, err)
	subject, says := "", map[string]string{}
	for line := range strings.Lines(strings.ReplaceAll(string(text), "\r\n", "\n")) {
		if rest, ok := strings.CutPrefix(line, "Audit of "); ok && strings.Contains(rest, " at ") {
			subject = strings.Fields(rest)[0]
			rb, _, err := trial.OpenRubric(rubrics[subject], nil)
			require.NoError(t, err, subject)
			_, probes, _ := rb.Told()
			clear(says)
			for _, p := range probes {
				says[p.ID] = p.Looked
				if p.Expected != "" {
					says[p.ID] += "; expected " + p.Expected
				}
			}
		}
		fields := strings.Fields(line)
		if len(fields) < 3 || !slices.Contains([]string{"true", "false", "noted"}, fields[0]) || !strings.HasPrefix(line, fields[0]+"   ") {
			continue
		}
		want, known := says[fields[1]]
		require.True(t, known, "the rubric of %s has no probe %s", subject, fields[1])
		require.Contains(t, line, " "+fields[1]+" ("+want+"): ")
		seen[subject]++
	}
	for subject := range rubrics {
		require.Greater(t, seen[subject], 1, subject)
	}
}
