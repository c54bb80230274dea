package project_test

import (
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/project"
	"github.com/agentsentinel/sentinel/telemetry"
)

// A sink gets what the log would, as its lines, and no file is written.
func TestRecordToASink(t *testing.T) {
	t.Parallel()
	for name, config := range map[string]string{"a log": "log_file: logs/sentinel.log\n", "no log": "log_file: null\n"} {
		dir := tree{".claude/sentinel/config.yaml": config, ".claude/sentinel/rules/a.yaml": guard("a")}.write(t)
		var lines []telemetry.Record
		full := errors.New("the sink is full")
		opts := &project.Options{StateDir: filepath.Join(t.TempDir(), "state"), Sink: func(more []telemetry.Record) error {
			if lines = append(lines, more...); len(lines) > 3 {
				return full
			}
			return nil
		}}
		p := project.Open([]string{dir}, opts)
		record := func(target string) error {
			d, err := p.Evaluate(t.Context(), write(dir, target))
			require.NoError(t, err)
			return p.Record(write(dir, target), d)
		}
		require.NoError(t, record("b"), name)
		require.Empty(t, lines, "a call that matches nothing has no line")
		require.NoError(t, record("a"), name)
		require.Len(t, lines, 2, "an evaluation and the decision")
		require.Equal(t, "a", lines[0].RuleID)
		_, err := p.Gate().Pause(time.Minute, false, "ann")
		require.NoError(t, err)
		require.Equal(t, "paused", lines[2].Level)
		require.ErrorIs(t, record("a"), full)
		require.NoFileExists(t, filepath.Join(dir, "logs", "sentinel.log"))

		opts.NoLog = true
		lines = nil
		require.NoError(t, record("a"))
		require.NotEmpty(t, lines, "the options of an open project stay")
		p, lines = project.Open([]string{dir}, opts), nil
		require.NoError(t, record("a"))
		require.Empty(t, lines)
	}
}
