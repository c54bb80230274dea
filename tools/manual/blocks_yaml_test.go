package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/agentsentinel/sentinel/config"
	"github.com/agentsentinel/sentinel/internal/audit/rubric"
	"github.com/agentsentinel/sentinel/internal/cli"
	"github.com/agentsentinel/sentinel/internal/cli/command"
	"github.com/agentsentinel/sentinel/internal/pagetest"
	"github.com/agentsentinel/sentinel/internal/profile"
	"github.com/agentsentinel/sentinel/rule"
)

// checkYAML reads a block with the reader of what it is: a rule, whose cases run, a
// configuration, a rubric, a profile, a workflow, or hooks of pre-commit. A part of a file
// is completed.
func checkYAML(t *testing.T, b *pagetest.Block) error {
	t.Helper()
	var node yaml.Node
	if err := yaml.Unmarshal([]byte(b.Text), &node); err != nil {
		return err
	}
	if len(node.Content) == 0 {
		return errors.New("it is empty")
	}
	if root := node.Content[0]; root.Kind == yaml.SequenceNode {
		return checkList(b, root)
	}
	var value map[string]any
	if err := node.Decode(&value); err != nil {
		return err
	}
	keys := map[string]bool{}
	for key := range value {
		keys[key] = true
	}
	switch {
	case keys["rubric_metadata"], keys["probes"], keys["dimensions"]:
		return checkRubric(b.Text)
	case within(keys, config.Schema()):
		_, problems := config.Parse(b.Page, []byte(b.Text))
		return faults(problems)
	case within(keys, rule.Schema()):
		return checkRule(t, b.Text)
	case keys["match"] && keys["answer"]:
		_, err := profile.Parse(b.Page, []byte(b.Text))
		return err
	case keys["jobs"]:
		return checkWorkflow(b.Text)
	case keys["include"]:
		return checkInclude(value)
	}
	return errUnknown
}

// within reports whether a schema has all of these keys.
func within(keys map[string]bool, schema []byte) bool {
	var s struct{ Properties map[string]any }
	if json.Unmarshal(schema, &s) != nil {
		return false
	}
	for key := range keys {
		if _, ok := s.Properties[key]; !ok {
			return false
		}
	}
	return true
}

// faults are problems as one error.
func faults(problems []rule.Problem) error {
	var all []error
	for _, p := range problems {
		all = append(all, fmt.Errorf("%v", p))
	}
	return errors.Join(all...)
}

// checkRule has a rule linted and its cases run, in a repository of its own.
func checkRule(t *testing.T, text string) error {
	t.Helper()
	has := func(key string) bool { return regexp.MustCompile(`(?m)^` + key + `:`).MatchString(text) }
	whole := has("trigger") || has("also") || has("before_first")
	if !whole {
		text = "trigger: any\n" + text
	}
	if !has("message") {
		text = "message: Leave it.\n" + text
	}
	if !has("id") {
		text = "id: example\n" + text
	}
	if !whole && !has("when") && !has("prompt") {
		text = "when: 'true'\n" + text
	}
	id := regexp.MustCompile(`(?m)^id: *(\S+)`).FindStringSubmatch(text)[1]
	dir := t.TempDir()
	file := filepath.Join(dir, ".claude", "sentinel", "rules", id+".yaml")
	for name, text := range map[string]string{file: text, filepath.Join(dir, ".git", "HEAD"): "ref: refs/heads/main\n"} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			return err
		}
	}
	if f := rule.ParseStrict(file, []byte(text)); len(f.Problems) > 0 {
		return faults(f.Problems)
	}
	runs := [][]string{{"rules", "lint"}}
	if has("tests") && whole { // the cases of a part are those of no rule
		runs = append(runs, []string{"test"})
	}
	for _, args := range runs {
		var out bytes.Buffer
		status := cli.Run(&command.Env{
			Args: args, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &out, Dir: dir, Now: time.Now, Getenv: func(string) string { return "" },
		})
		if status != 0 && !(status == 3 && args[0] == "test") {
			return fmt.Errorf("sentinel %s: exit status %d:\n%s", strings.Join(args, " "), status, &out)
		}
	}
	return nil
}

// checkRubric reads a rubric, or a part of one.
func checkRubric(text string) error {
	if !strings.Contains(text, "rubric_metadata:") {
		text = "rubric_metadata: {rubric_name: Example, version: 4.0.0}\n" + text
	}
	if !strings.Contains(text, "dimensions:") && !strings.Contains(text, "extends:") {
		var ids []string
		for _, m := range regexp.MustCompile(`(?m)\bid: *([\w.-]+)`).FindAllStringSubmatch(text, -1) {
			ids = append(ids, m[1])
		}
		text += "\ndimensions:\n  - {id: d, name: D, forensic_instruction: Look., success_pattern: Good., failure_pattern: Bad., levels: {1: Bad., 5: Good.}, evidence: [" + strings.Join(ids, ", ") + "]}\n"
	}
	_, problems, err := rubric.Parse("rubric.yaml", []byte(text))
	for _, p := range problems {
		err = errors.Join(err, fmt.Errorf("%v", p))
	}
	return err
}

// checkList reads a list: probes of a rubric, steps of a workflow, or repositories of
// pre-commit.
func checkList(b *pagetest.Block, list *yaml.Node) error {
	var items []map[string]any
	if err := list.Decode(&items); err != nil {
		return err
	}
	has := func(key string) bool {
		return slices.ContainsFunc(items, func(m map[string]any) bool { _, ok := m[key]; return ok })
	}
	switch {
	case has("type"):
		return checkRubric("probes:\n" + b.Text)
	case has("uses"), has("run"):
		indented := "      " + strings.ReplaceAll(strings.TrimSpace(b.Text), "\n", "\n      ")
		return checkWorkflow("on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n" + indented + "\n")
	}
	return errUnknown
}

// checkWorkflow holds the steps of a workflow that use the action to the action's inputs.
func checkWorkflow(text string) error {
	type step struct {
		Name, Uses, Run, ID, If, Shell string
		With, Env                      map[string]any
	}
	var flow struct {
		Name        string
		On          any
		Permissions any
		Jobs        map[string]struct {
			Name        string
			RunsOn      string `yaml:"runs-on"`
			Permissions map[string]string
			Steps       []step
		}
	}
	dec := yaml.NewDecoder(strings.NewReader(text))
	dec.KnownFields(true)
	if err := dec.Decode(&flow); err != nil {
		return err
	}
	data, err := os.ReadFile(filepath.Join(top, "action.yml"))
	if err != nil {
		return err
	}
	var action struct{ Inputs map[string]any }
	if err := yaml.Unmarshal(data, &action); err != nil {
		return err
	}
	steps := 0
	for _, job := range flow.Jobs {
		for _, s := range job.Steps {
			steps++
			if s.Uses == "" && s.Run == "" {
				return fmt.Errorf("step %q neither uses nor runs anything", s.Name)
			}
			for input := range s.With {
				if _, ok := action.Inputs[input]; !ok && strings.HasPrefix(s.Uses, "agentsentinel/sentinel@") {
					return fmt.Errorf("the action has no input %s", input)
				}
			}
		}
	}
	if steps == 0 || flow.On == nil {
		return errors.New("a workflow needs `on` and steps")
	}
	return nil
}

// checkInclude holds what a pipeline of GitLab includes of this repository to what is
// there, with the variables that it sets.
func checkInclude(value map[string]any) error {
	list, _ := value["include"].([]any)
	var template []byte
	for _, item := range list {
		remote, _ := item.(map[string]any)["remote"].(string)
		name, ok := strings.CutPrefix(remote, "https://raw.githubusercontent.com/agentsentinel/sentinel/COMMIT/")
		if !ok {
			return errUnknown
		}
		data, err := os.ReadFile(filepath.Join(top, filepath.FromSlash(name)))
		if err != nil {
			return err
		}
		template = data
	}
	variables, _ := value["variables"].(map[string]any)
	for name := range variables {
		if !bytes.Contains(template, []byte(name)) {
			return fmt.Errorf("the pipeline knows no variable %s", name)
		}
	}
	if len(variables)+1 != len(value) {
		for key := range value {
			if key != "include" && key != "variables" {
				return fmt.Errorf("key %s is not checked", key)
			}
		}
	}
	return nil
}

var mermaidLine = regexp.MustCompile(`^\s*(flowchart (LR|TB|TD|RL|BT)|\w+(\[[^]]*\])?( -->(\|[^|]*\|)? \w+(\[[^]]*\])?)+)$`)

// checkMermaid parses a flow chart of nodes and arrows.
func checkMermaid(b *pagetest.Block) error {
	for line := range strings.Lines(b.Text) {
		if line = strings.TrimRight(line, "\n"); line != "" && !mermaidLine.MatchString(line) {
			return fmt.Errorf("%q is neither the kind of the chart nor an arrow", line)
		}
	}
	return nil
}
