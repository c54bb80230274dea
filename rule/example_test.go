package rule_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/backend/builtin"
	"github.com/agentsentinel/sentinel/rule"
	"github.com/agentsentinel/sentinel/trigger"
)

// A rule file becomes a rule, and rules become an engine.
func Example() {
	f := rule.Parse("rules/no-force-push.yaml", []byte(`
id: no-force-push
trigger: bash
scope: ["git push*"]
backend: builtin
when: hasFlag(cmd, "-f", "--force")
message: Push without force; ask the owner of the branch first.
`))
	rules, problems := rule.Build([]rule.File{f}, nil)
	if len(problems) > 0 {
		fmt.Println(problems)
	}
	engine, err := sentinel.New(rules, &sentinel.Options{
		Mapper:   trigger.New(nil),
		Backends: map[string]sentinel.Backend{sentinel.Builtin: builtin.New()},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	args, _ := json.Marshal(map[string]string{"command": "git push -f"})
	d, err := engine.Evaluate(context.Background(), sentinel.Event{
		Phase: sentinel.PhasePre, Dir: "/repo",
		Tool: sentinel.ToolCall{Name: "Bash", Args: args},
	})
	fmt.Println(d.Verdict, err)
	fmt.Println(d.Reason())
	// Output:
	// block <nil>
	// Push without force; ask the owner of the branch first. [no-force-push] (from rules/no-force-push.yaml)
}

// Each fault of a file is reported with its place and what to write. The rule stays,
// as one that cannot be judged.
func ExampleParse() {
	f := rule.Parse("rules/typo.yaml", []byte("id: typo\ntrigger: bsh\nscop: ['rm *']\nmessage: no\n"))
	_, problems := rule.Build([]rule.File{f}, nil)
	for _, p := range problems {
		fmt.Println(p)
	}
	// Output:
	// rules/typo.yaml:1: the rule has nothing to judge by but its name and message: write a `prompt`, or `backend: builtin` and `when`
	// rules/typo.yaml:2:10: `trigger` cannot be `bsh`, which is taken for `bash`: write that
	// rules/typo.yaml:3:1: unknown key `scop` is taken for `scope`: write that
}
