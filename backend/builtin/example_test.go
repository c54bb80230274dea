package builtin_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/backend/builtin"
)

// The condition of the rule is the verdict.
func Example() {
	noForce := rule{conditional: true, when: func(_ context.Context, a *sentinel.Action, _ sentinel.Match) (bool, error) {
		return strings.Contains(a.Target, "--force"), nil
	}}
	for _, command := range []string{"git push", "git push --force"} {
		resp, err := builtin.New().Complete(context.Background(), sentinel.Request{
			Rule:   noForce,
			Action: &sentinel.Action{Trigger: sentinel.Bash, Target: command},
		})
		fmt.Println(resp.Text, err)
	}
	// Output:
	// {"violation":false,"confidence":1} <nil>
	// {"violation":true,"confidence":1,"reason":""} <nil>
}
