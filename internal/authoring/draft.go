// Package authoring writes new rules with their test cases, and changes what a rule
// may do.
package authoring

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/history"
	"github.com/agentsentinel/sentinel/internal/place"
	"github.com/agentsentinel/sentinel/internal/ruletest"
	"github.com/agentsentinel/sentinel/internal/settings"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/project"
	"github.com/agentsentinel/sentinel/rule"
)

// A Draft is a rule that is being written.
type Draft struct {
	ID, Trigger, Severity string // of the rule; no severity is warn
	Mode                  string // "" leaves it to default_mode of the configuration
	Scope, Exclude        []string
	Prompt, When, Message string
	Catches, Passes       []string // targets of its cases

	Surroundings project.Surroundings // what it is built and tested with
	Path         string               // of its file
	Suite        ruletest.Suite       // the rule and its cases, once it is composed
}

// Missing names the flags that are needed and not given, or is "".
func (d *Draft) Missing() string {
	var flags []string
	for _, f := range []struct{ name, value string }{{"--id", d.ID}, {"--trigger", d.Trigger}, {"--prompt or --when", d.Prompt + d.When}} {
		if f.value == "" {
			flags = append(flags, f.name)
		}
	}
	if len(flags) == 0 {
		return ""
	}
	return "give " + strings.Join(flags, " and ")
}

// Check says what is wrong with what is known of the rule so far; the rest is made up.
func (d *Draft) Check() error {
	trial := *d
	trial.ID, trial.Trigger = cmp.Or(d.ID, "new-rule"), cmp.Or(d.Trigger, string(sentinel.FileWrite))
	if trial.Path = "new-rule.yaml"; d.Prompt+d.When == "" {
		trial.When = "true"
	}
	return trial.build(nil)
}

// Doubts are the patterns of the rule so far that can match nothing, each with what to
// write instead.
func (d *Draft) Doubts() (found []string) {
	trial := *d
	trial.ID, trial.Path = "new-rule", "new-rule.yaml"
	if trial.Prompt, trial.When = "", "true"; trial.build(nil) != nil {
		return nil
	}
	rules, _ := trial.Rules()
	for _, p := range rules[0].ScopeHints(rule.TreeAt(d.Surroundings.Root)) {
		found = append(found, text.OneLine(p.Message))
	}
	return found
}

// AsksModel reports whether a rule without an expression has a model to judge by.
func (d *Draft) AsksModel() bool {
	trial := Draft{Trigger: d.Trigger, Prompt: "p", Surroundings: d.Surroundings}
	return trial.Check() == nil
}

// CheckCases says which target cannot be a case of the rule, or has another result than
// expected. It leaves open what only a model can answer.
func (d *Draft) CheckCases(ctx context.Context, targets []string, expect string) error {
	trial := *d
	trial.ID, trial.Path = cmp.Or(d.ID, "new-rule"), "new-rule.yaml"
	for _, target := range targets {
		c, err := trial.newCase(target, expect)
		if err != nil {
			return err
		}
		if err := trial.build([]*yaml.Node{c}); err != nil {
			return err
		}
		r, err := trial.Test(ctx)
		if err != nil {
			return err
		}
		for i := range r.Results {
			if one := &r.Results[i]; one.State == ruletest.Failed || one.State == ruletest.Broken {
				return fmt.Errorf("%s: expected %s, got %s: %s", text.OneLine(target), expect, cmp.Or(one.Got, "no answer"), text.OneLine(one.Why))
			}
		}
	}
	return nil
}

// Put chooses the file, in the folder dir of the rules of p. Nothing that is there
// is overwritten.
func (d *Draft) Put(p *project.Project, dir string) error {
	if f, r, err := p.Inspect().Rule(d.ID); err == nil {
		return fmt.Errorf("there is a rule %s already: %s. Take another id, or edit it", text.OneLine(d.ID), place.Of(f, r.Spec().Source))
	}
	d.Path = filepath.Join(dir, strings.ReplaceAll(d.ID, ":", "-")+".yaml")
	_, err := os.Lstat(d.Path)
	switch {
	case err == nil:
		return fs.ErrExist
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	return nil
}

// Compose makes the text of the file, and Suite. Where no targets are given, cases
// are made up of the scope; one that does not hold is left out.
func (d *Draft) Compose(ctx context.Context) ([]byte, error) {
	if err := d.build(nil); err != nil {
		return nil, err
	}
	var cases []*yaml.Node
	for _, group := range []struct {
		targets []string
		expect  string
		usual   func() []string
	}{{d.Catches, "violation", d.examples}, {d.Passes, "pass", func() []string { return []string{KindOf(d.Trigger).harmless} }}} {
		given := len(group.targets) > 0
		if !given {
			group.targets = group.usual()
		}
		for _, target := range group.targets {
			c, err := d.newCase(target, group.expect)
			if err != nil {
				return nil, err
			}
			if given || d.holds(ctx, c) {
				cases = append(cases, c)
			}
		}
	}
	if err := d.build(cases); err != nil {
		return nil, err
	}
	return d.text(cases)
}

// build parses the rule as it is so far, and says what is wrong with it.
func (d *Draft) build(cases []*yaml.Node) error {
	said, err := d.text(cases)
	if err != nil {
		return err
	}
	d.Suite = ruletest.NewSuite(d.Path, said)
	d.Suite.File = rule.ParseStrict(d.Path, said)
	_, problems := d.Rules()
	var errs []error
	for _, p := range problems {
		if !p.Warning {
			errs = append(errs, errors.New(text.OneLine(p.Message)))
		}
	}
	return errors.Join(errs...)
}

// Rules are the rule, built, and what is wrong or doubtful about it.
func (d *Draft) Rules() ([]*rule.Rule, []rule.Problem) {
	return rule.Build([]rule.File{d.Suite.File}, &d.Surroundings.Build)
}

// Test runs the cases, without a model.
func (d *Draft) Test(ctx context.Context) (ruletest.Report, error) {
	return ruletest.Run(ctx, []ruletest.Suite{d.Suite}, &ruletest.Options{Engine: d.Surroundings.Engine, Root: d.Surroundings.Root, Build: d.Surroundings.Build})
}

// holds reports whether a case is as expected, or waits for a model's answer.
func (d *Draft) holds(ctx context.Context, c *yaml.Node) bool {
	if d.build([]*yaml.Node{c}) != nil {
		return false
	}
	r, err := d.Test(ctx)
	return err == nil && len(r.Results) == 1 && (r.Results[0].State == ruletest.Passed || r.Results[0].State == ruletest.Unanswered)
}

// text is the file.
func (d *Draft) text(cases []*yaml.Node) ([]byte, error) {
	backend := ""
	if d.Prompt == "" {
		backend = sentinel.Builtin
	}
	doc := &yaml.Node{Kind: yaml.MappingNode}
	for _, f := range []struct {
		key   string
		value any
	}{
		{"id", d.ID}, {"trigger", d.Trigger}, {"severity", cmp.Or(d.Severity, sentinel.SeverityWarn.String())}, {"mode", d.Mode},
		{"scope", d.Scope}, {"exclude", d.Exclude}, {"backend", backend}, {"when", d.When}, {"prompt", d.shownPrompt()}, {"message", d.Message}, {"tests", cases},
	} {
		var key, value yaml.Node
		switch v := f.value.(type) {
		case string:
			if v == "" {
				continue
			}
			value.SetString(v)
		case []string:
			for _, one := range v {
				value.Content = append(value.Content, quoted(one))
			}
		case []*yaml.Node:
			value.Content = v
		}
		if value.Kind == 0 {
			if len(value.Content) == 0 {
				continue
			}
			value.Kind = yaml.SequenceNode
		}
		key.SetString(f.key)
		doc.Content = append(doc.Content, &key, &value)
	}
	var b bytes.Buffer
	b.WriteString("# yaml-language-server: $schema=" + settings.SchemaID(rule.Schema()) + "\n")
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	err := enc.Encode(doc)
	return b.Bytes(), err
}

func quoted(text string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text, Style: yaml.DoubleQuotedStyle}
}

// A Kind is what is particular to the rules of one trigger.
type Kind struct {
	Pattern string // an example of one
	Cases   string // what the targets of cases are

	word     string // that a case begins with; "" if a target has to say it
	shown    string // what a model sees of an action
	harmless string // a target that is nothing special
}

// KindOf is the kind of a trigger, or that of the trigger "any" for other names.
func KindOf(trigger string) Kind {
	const paths = "PATH or PATH :: CONTENT"
	kinds := map[sentinel.Trigger]Kind{
		sentinel.FileWrite: {"src/billing/**", paths, "write", "FILE: {{file_path}}\nWHAT IS WRITTEN:\n{{content_snippet}}", "README.md"},
		sentinel.FileRead:  {"src/billing/**", paths, "read", "FILE: {{file_path}}", "README.md"},
		sentinel.Bash:      {"git push --force*", "COMMAND", "bash", "COMMAND: {{command}}", "ls"},
		sentinel.MCP:       {"postgres-prod:*", "SERVER:TOOL", "mcp", "TOOL: {{server_name}}:{{mcp_tool}}\nARGUMENTS:\n{{mcp_arguments}}", "other:read"},
	}
	if k, ok := kinds[sentinel.Trigger(trigger)]; ok {
		return k
	}
	return Kind{"src/billing/**", paths, "", "ACTION: {{action_summary}}", "bash: ls"}
}

// shownPrompt is the prompt, with what the agent does added to a mere sentence.
func (d *Draft) shownPrompt() string {
	if d.Prompt == "" || strings.Contains(d.Prompt, "{{") || d.Severity == sentinel.SeverityInfo.String() {
		return d.Prompt
	}
	return "RULE: " + strings.TrimSpace(d.Prompt) + "\n" + KindOf(d.Trigger).shown + "\n"
}

// newCase is a case in YAML. Its kind is the rule's, or comes before the target as in
// "write: src/a.ts"; after a path may come :: and what is written.
func (d *Draft) newCase(target, expect string) (*yaml.Node, error) {
	key := KindOf(d.Trigger).word
	if before, rest, found := strings.Cut(target, ": "); found && slices.Contains([]string{"bash", "write", "read", "mcp"}, before) {
		key, target = before, rest
	}
	if key == "" {
		return nil, fmt.Errorf("say what the case %q is, as in \"bash: %s\" (bash, write, read or mcp)", text.OneLine(target), text.OneLine(target))
	}
	words := []string{key, target}
	if path, content, found := strings.Cut(target, " :: "); found && key == "write" {
		words = []string{key, path, "content", content}
	}
	c := &yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle}
	for i, text := range append(words, "expect", expect) {
		node := quoted(text)
		if i%2 == 0 || i >= len(words) {
			node.Style = 0
		}
		c.Content = append(c.Content, node)
	}
	return c, nil
}

// examples are targets that the scope is about, made from its patterns.
func (d *Draft) examples() (out []string) {
	if d.When == "" || d.Prompt != "" {
		return nil // what a model would object to cannot be made up
	}
	star := "example"
	if sentinel.Trigger(d.Trigger) == sentinel.Bash {
		star = ""
	}
	word := strings.NewReplacer("**/", "", "/**", "/example", "**", "example", "*", star, "?", "x")
	for _, p := range d.Scope {
		if head, rest, found := strings.Cut(p, "{"); found {
			inner, tail, _ := strings.Cut(rest, "}")
			first, _, _ := strings.Cut(inner, ",")
			p = head + first + tail
		}
		if d.Trigger == string(sentinel.Any) {
			p = "write: " + p
		}
		out = append(out, strings.TrimSpace(word.Replace(p)))
	}
	return out
}

// Slug makes an id of the first words of a text.
func Slug(text string) string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	id := strings.Join(words[:min(len(words), 4)], "-")
	return id[:min(len(id), 60)]
}

// Files says how many files of the repository the scope is about, of how many, and
// names the first of them. asks is false for a trigger that is not about files.
func (d *Draft) Files() (matched, all int, first []string, asks bool) {
	trigger := sentinel.Trigger(d.Trigger)
	switch trigger {
	case sentinel.Bash, sentinel.MCP:
		return 0, 0, nil, false
	case sentinel.Any:
		trigger = sentinel.FileWrite
	}
	rules, _ := d.Rules()
	for _, a := range history.Files(d.Surroundings.Root) {
		all++
		if a.Trigger = trigger; rules[0].Match(&a).OK {
			if matched++; matched <= 3 {
				first = append(first, text.OneLine(a.Path))
			}
		}
	}
	return matched, all, first, true
}

// Save writes the file, which must not be there.
func (d *Draft) Save(text []byte) error {
	if err := os.MkdirAll(filepath.Dir(d.Path), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(d.Path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644) // O_EXCL follows no link either
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(d.Path))
	}
	return nil
}
