// Command genrules writes a folder of rules for benchmarks: -n rules of the
// usual kinds and sizes, none of which is about the command
// "git status --short", and with -match one that forbids exactly this.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	n := flag.Int("n", 24, "number of rules that do not match")
	match := flag.Bool("match", false, "add a rule that the built-in judge finds violated")
	dir := flag.String("dir", "", "repository to write .claude/sentinel into")
	flag.Parse()
	if err := generate(*dir, *n, *match); err != nil {
		fmt.Fprintln(os.Stderr, "genrules:", err)
		os.Exit(1)
	}
}

func generate(dir string, n int, match bool) error {
	if dir == "" || n < 0 {
		return fmt.Errorf("want -dir and a number of rules that is not negative")
	}
	root := filepath.Join(dir, ".claude", "sentinel")
	rules := filepath.Join(root, "rules")
	if err := os.MkdirAll(rules, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(root, "config.yaml"), []byte("backend: builtin\n"), 0o644); err != nil {
		return err
	}
	for i := range n {
		if err := write(rules, fmt.Sprintf("rule-%04d", i), kinds[i%len(kinds)], i); err != nil {
			return err
		}
	}
	if match {
		return write(rules, "matches", matching, 0)
	}
	return nil
}

// write fills a template in: ID and NUMBER.
func write(rules, id, template string, number int) error {
	text := strings.NewReplacer("ID", id, "NUMBER", fmt.Sprint(number)).Replace(template)
	return os.WriteFile(filepath.Join(rules, id+".yaml"), []byte(text), 0o644)
}

// kinds are rules as people write them: about files, commands and MCP servers,
// with a prompt of some lines.
var kinds = []string{`id: ID
trigger: file_write
severity: block
scope:
  - "src/area-NUMBER/billing/**"
  - "**/payments-NUMBER/*.ts"
exclude:
  - "**/*.test.ts"
  - "**/testdata/**"
when: 'path contains "NUMBER" and not (content contains "reviewed")'
message: "Area NUMBER is changed by its owners only. Ask them for a review."
prompt: |
  CONTEXT: {{action_summary}}
  FILE: {{file_path}}
  CONTENT: {{content_snippet}}
  RULE: Nobody changes the code of area NUMBER without its owners.
  A comment, a test or generated code is no change of the code.
  Respond ONLY with JSON: {"violation": true/false, "confidence": 0.0-1.0, "reason": "one line"}
`, `id: ID
trigger: bash
severity: warn
scope:
  - "deploy-NUMBER *"
  - "kubectl delete * --namespace area-NUMBER*"
exclude:
  - "* --dry-run*"
when: 'command contains "area-NUMBER"'
message: "Area NUMBER is deployed by its pipeline."
prompt: |
  CONTEXT: {{action_summary}}
  COMMAND: {{command}}
  RULE: Nothing is deployed to area NUMBER or deleted there by hand.
  Respond ONLY with JSON: {"violation": true/false, "confidence": 0.0-1.0, "reason": "one line"}
`, `id: ID
trigger: mcp
severity: block
scope:
  - "postgres-NUMBER:*"
when: 'server contains "NUMBER"'
message: "The database of area NUMBER is only read."
prompt: |
  CONTEXT: {{action_summary}}
  SERVER: {{server_name}}
  TOOL: {{mcp_tool}}
  ARGUMENTS: {{mcp_arguments}}
  RULE: The database of area NUMBER is only read.
  Respond ONLY with JSON: {"violation": true/false, "confidence": 0.0-1.0, "reason": "one line"}
`}

const matching = `id: ID
trigger: bash
severity: block
scope:
  - "git status*"
when: 'command contains "--short"'
message: "Use the long form."
`
