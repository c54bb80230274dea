package telemetry_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/telemetry"
)

func readDocs(t *testing.T) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("..", "docs", "telemetry.md"))
	require.NoError(t, err)
	return string(content)
}

// recordKeys returns the keys of a record in the order of a line.
func recordKeys() []string {
	var keys []string
	for i := range reflect.TypeFor[telemetry.Record]().NumField() {
		key, _, _ := strings.Cut(reflect.TypeFor[telemetry.Record]().Field(i).Tag.Get("json"), ",")
		keys = append(keys, key)
	}
	return keys
}

func TestReferenceKeysComeFirst(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"ts", "rule_id", "trigger", "target", "violation", "confidence", "reason", "elapsed_ms", "model", "backend"}, recordKeys()[:10])
}

// The tables of the page name exactly the keys and levels that there are.
func TestDocsTables(t *testing.T) {
	t.Parallel()
	names := map[string][]string{}
	chapter := ""
	for line := range strings.Lines(readDocs(t)) {
		if title, ok := strings.CutPrefix(line, "## "); ok {
			chapter = strings.TrimSpace(title)
		}
		cells := strings.Split(line, "|")
		if len(cells) < 4 || !strings.HasPrefix(cells[1], " `") {
			continue
		}
		names[chapter] = append(names[chapter], strings.Trim(cells[1], " `"))
	}
	require.Equal(t, recordKeys(), names["Keys"])
	require.Equal(t, []string{
		telemetry.LevelEval, telemetry.LevelSkipped, telemetry.LevelUnavailable, telemetry.LevelDecision, telemetry.LevelContext, telemetry.LevelScribe,
		telemetry.LevelAllowed, telemetry.LevelPaused,
	}, names["Levels"])
}

// Every example of the page is a line as it is written: reading it and writing
// it again gives the same.
func TestDocsExamples(t *testing.T) {
	t.Parallel()
	examples := 0
	for i, block := range strings.Split(readDocs(t), "```jsonl\n") {
		if i == 0 {
			continue
		}
		block, _, _ = strings.Cut(block, "```")
		for line := range strings.Lines(block) {
			examples++
			r, err := telemetry.Parse([]byte(line))
			require.NoError(t, err, line)
			written, err := json.Marshal(r)
			require.NoError(t, err)
			require.Equal(t, strings.TrimSpace(line), string(written))
		}
	}
	require.Equal(t, 2, examples)
}
