package replay_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/replay"
	"github.com/agentsentinel/sentinel/packs"
	"github.com/agentsentinel/sentinel/rule"
)

// BenchmarkHistory replays sessions of 10,000 calls in all, by the recommended rules:
// a tenth of what has to be done in 30 s.
func BenchmarkHistory(b *testing.B) {
	files, err := packs.Files(packs.Recommended)
	require.NoError(b, err)
	var parsed []rule.File
	for _, f := range files {
		parsed = append(parsed, rule.Parse(f.Name, f.Data))
	}
	built, _ := rule.Build(parsed, &rule.Options{Backend: sentinel.Builtin})
	all := built.Engine()
	var paths []string
	for s := range 10 {
		var l log
		l.human("go on")
		for i := range 250 {
			l.bash(fmt.Sprintf("cd src && go test ./pkg%d/... 2>&1 | tail -n 20", i))
			l.bash("git status && git diff HEAD~1 -- src/a.ts")
			l.call("Read", map[string]any{"file_path": filepath.Join(root, "src", fmt.Sprint(i))}, false)
			l.edit(fmt.Sprintf("src/%d.ts", i%7), fmt.Sprint("const a = ", i), fmt.Sprint("const b = ", i))
		}
		path := filepath.Join(b.TempDir(), fmt.Sprint(s))
		require.NoError(b, os.WriteFile(path, []byte(l.String()), 0o600))
		paths = append(paths, path)
	}
	for b.Loop() {
		r, err := replay.Run(b.Context(), paths, options(all, nil, nil))
		require.NoError(b, err)
		require.Equal(b, 10_000, r.Report().Calls)
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/10_000, "µs/call")
}
