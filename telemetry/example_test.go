package telemetry_test

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	sentinel "github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/telemetry"
)

// A decision is recorded, and the log is read back.
func Example() {
	dir, err := os.MkdirTemp("", "telemetry")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)

	event := sentinel.Event{Agent: "claude", Tool: sentinel.ToolCall{Name: "Bash"}}
	action := sentinel.Action{Trigger: sentinel.Bash, Target: "git push --force"}
	decision := sentinel.Decision{
		Verdict: sentinel.VerdictBlock,
		Actions: []sentinel.Action{action},
		Findings: []sentinel.Finding{{
			Rule:    &sentinel.RuleSpec{ID: "no-force-push", Severity: sentinel.SeverityBlock},
			Action:  &action,
			Match:   sentinel.Match{OK: true},
			Outcome: sentinel.OutcomeViolation,
			Reason:  "rewrites history",
		}},
	}
	log := telemetry.Open(filepath.Join(dir, "sentinel.log"), nil)
	if err := log.Write(telemetry.Records(time.Now(), event, decision, nil, 0.7)); err != nil {
		fmt.Println(err)
		return
	}

	f, err := os.Open(log.Path())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer f.Close()
	for r, err := range telemetry.Scan(f) {
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(r.Level, r.RuleID, r.Outcome, r.Verdict, r.Reason)
	}
	// Output:
	// eval no-force-push violation  rewrites history
	// decision   block rewrites history
}
