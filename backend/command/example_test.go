//go:build unix

package command_test

import (
	"context"
	"fmt"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/backend/command"
)

// Any program can judge. It reads the question from its standard input; this one
// looks for a word in it.
func Example() {
	program := `if grep -q 'DROP TABLE'; then echo '{"violation":true,"confidence":1,"reason":"drops a table"}'; else echo '{"violation":false,"confidence":1}'; fi`
	b := command.New(&command.Options{Argv: []string{"sh", "-c", program}})

	for _, prompt := range []string{"psql -c 'SELECT 1'", "psql -c 'DROP TABLE users'"} {
		resp, err := b.Complete(context.Background(), sentinel.Request{Prompt: prompt})
		fmt.Println(resp.Text, err)
	}
	// Output:
	// {"violation":false,"confidence":1} <nil>
	// {"violation":true,"confidence":1,"reason":"drops a table"} <nil>
}
