package sentinel_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/rule"
	"github.com/agentsentinel/sentinel/trigger"
)

// An agent of one's own asks the engine before it runs a tool. The judge here is
// a function of three lines; a real one asks a model.
func Example() {
	judge := sentinel.BackendFunc(func(_ context.Context, req sentinel.Request) (sentinel.Response, error) {
		violation := strings.Contains(req.Prompt, "DROP TABLE")
		return sentinel.Response{Text: fmt.Sprintf(`{"violation":%t,"confidence":0.95,"reason":"the migration drops a table"}`, violation)}, nil
	})

	file := rule.Parse("rules/keep-tables.yaml", []byte(`
trigger: file_write
severity: block
scope: ["migrations/**"]
prompt: "RULE: a migration never drops a table. FILE: {{file_path}} CONTENT: {{content_snippet}}"
message: "Rename the table instead; it is dropped after the next release."
`))
	rules, problems := rule.Build([]rule.File{file}, nil)
	if len(problems) > 0 {
		fmt.Println(problems[0])
	}
	engine, err := sentinel.New(rules, &sentinel.Options{
		Mapper:   trigger.New(nil),
		Backends: map[string]sentinel.Backend{"ours": judge},
		Default:  "ours",
		Deadline: 10 * time.Second,
	})
	if err != nil {
		fmt.Println(err)
	}

	for _, sql := range []string{"ALTER TABLE users RENAME TO people;", "DROP TABLE users;"} {
		args, _ := json.Marshal(map[string]string{"file_path": "migrations/7.sql", "content": sql})
		d, err := engine.Evaluate(context.Background(), sentinel.Event{
			Phase: sentinel.PhasePre, Dir: "/repo",
			Tool: sentinel.ToolCall{Name: "Write", Args: args},
		})
		if err != nil {
			fmt.Println(err)
		}
		fmt.Println(strings.TrimSpace(d.Verdict.String() + " " + d.Reason()))
	}
	// Output:
	// allow
	// block Rename the table instead; it is dropped after the next release. (the migration drops a table) [keep-tables] (from rules/keep-tables.yaml)
}
