package telemetry_test

import (
	"context"
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

// The figures of a log, with the files that it was rotated to.
func ExampleAggregate() {
	dir, err := os.MkdirTemp("", "telemetry")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	log := telemetry.Open(filepath.Join(dir, "sentinel.log"), nil)
	for i := range 3 {
		err := log.Write([]telemetry.Record{{
			Time: time.Date(2026, 3, 30, 14, i, 0, 0, time.UTC), RuleID: "no-force-push", Level: telemetry.LevelEval, Severity: "block",
			Violation: i == 0, Confidence: 0.9, ElapsedMS: 40,
		}})
		if err != nil {
			fmt.Println(err)
			return
		}
	}
	stats, err := telemetry.Aggregate(context.Background(), telemetry.Files(log.Path()), &telemetry.StatsOptions{Now: time.Now()})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range stats.Rules {
		fmt.Printf("%s: %d evaluations, %d blocks, %.0f ms\n", r.ID, r.Evaluations, r.Blocks, r.Latency.Quantile(0.5))
	}
	// Output:
	// no-force-push: 3 evaluations, 1 blocks, 40 ms
}
