package hook

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// BenchmarkPast times calls of a session of 5,000 calls whose facts are kept, and the same
// calls of one without a rule that asks for facts, one after the other: medians in ms, and
// their ratio.
func BenchmarkPast(b *testing.B) {
	rules := map[string]string{
		"with":    testFirst,
		"without": "trigger: bash\nscope: [\"git commit*\"]\nbackend: builtin\nwhen: 'true'\nmessage: Test first.\n",
	}
	sessions := map[string]*sessionRun{}
	for name, text := range rules {
		s := obliged(b, map[string]string{"tests": text})
		for i := range 5000 {
			s.calls++
			s.after("Write", map[string]any{"file_path": filepath.Join(s.dir, fmt.Sprintf("internal/package%d/file.go", i%500)), "content": "x"}, false)
		}
		sessions[name] = s
	}
	events := map[string]func(s *sessionRun){
		"read":   func(s *sessionRun) { s.read("a.md") },
		"write":  func(s *sessionRun) { s.write("a.go") },
		"commit": func(s *sessionRun) { s.before("Bash", map[string]any{"command": "git commit -m x"}) },
	}
	took := map[string][]time.Duration{}
	for b.Loop() {
		for event, send := range events {
			for name, s := range sessions {
				start := time.Now()
				send(s)
				took[event+name] = append(took[event+name], time.Since(start))
			}
		}
	}
	median := func(name string) float64 {
		slices.Sort(took[name])
		return took[name][len(took[name])/2].Seconds() * 1000
	}
	for event := range events {
		with, without := median(event+"with"), median(event+"without")
		b.ReportMetric(with-without, event+"-ms-more")
		b.ReportMetric(with/without, event+"-ratio")
	}
}
