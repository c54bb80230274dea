//go:build unix

package cli_test

import (
	"bytes"
	"os/exec"
	"testing"
	"time"

	"github.com/agentsentinel/sentinel/internal/fakeserver"
)

// BenchmarkHook times whole processes: the hook of a stop, behind which a model
// hangs for ever, compared with that of an allowed call. "ms-more"
// is the difference.
func BenchmarkHook(b *testing.B) {
	model := fakeserver.NewOllamaServer(b, fakeserver.OllamaFault(fakeserver.FaultHang()))
	s := newStopped(b, model.URL)
	s.says("s1", "Create the invoice file.")
	pre := `{"session_id":"s1","cwd":"` + s.dir + `","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"make"}}`
	run := func(cmd *exec.Cmd) time.Duration {
		start := time.Now()
		if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
			b.Fatalf("%v %s", err, out)
		}
		return time.Since(start)
	}
	var calls, stops time.Duration
	for b.Loop() {
		call := s.hook("s1")
		call.Stdin = bytes.NewReader([]byte(pre))
		calls += run(call)
		stops += run(s.hook("s1"))
	}
	b.ReportMetric(float64((stops-calls).Microseconds())/1000/float64(b.N), "ms-more")
	b.ReportMetric(float64(stops)/float64(calls), "stop/call")
}
