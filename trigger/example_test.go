package trigger_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/trigger"
)

// One call can be several actions: the command, and the file that it writes.
func Example() {
	m := trigger.New(nil)
	actions, err := m.MapTool(context.Background(), sentinel.Event{
		Phase: sentinel.PhasePre, Dir: "/repo", Root: "/repo",
		Tool: sentinel.ToolCall{Name: "Bash", Args: json.RawMessage(`{"command":"echo 'package x' > src/x.go"}`)},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, a := range actions {
		fmt.Printf("%s %s %q from %q\n", a.Trigger, a.Target, a.Content, a.DerivedFrom)
	}
	// Output:
	// bash echo 'package x' > src/x.go "" from ""
	// file_write src/x.go "package x\n" from "echo 'package x' > src/x.go"
}

// A harness that knows its own tools needs no mapper: it says what a call does.
func ExampleWriteAction() {
	ev := sentinel.Event{Phase: sentinel.PhasePre, Dir: "/repo", Root: "/repo"}
	ev.Actions = append(trigger.CommandAction(ev, "npm test"), trigger.WriteAction(ev, "src/x.ts", "export {}"))
	for _, a := range ev.Actions {
		fmt.Println(a.Trigger, a.Target)
	}
	// Output:
	// bash npm test
	// file_write src/x.ts
}
