package cli

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"gopkg.in/yaml.v3"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/replay"
	"github.com/agentsentinel/sentinel/internal/ruletest"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/project"
	"github.com/agentsentinel/sentinel/rule"
)

// newRule is a rule that is being written.
type newRule struct {
	id, trigger, severity string
	mode                  string // "" leaves it to default_mode of the configuration
	scope, exclude        []string
	prompt, when, message string
	catches, passes       []string
	yes, noReplay         bool

	env       *Env
	project   *project.Project
	workshop  project.Workshop
	dir, path string // of the rules, and of the file
	suite     ruletest.Suite
	terminal  *terminal     // nil where nobody can be asked
	lines     *bufio.Reader // what is typed there
}

func newRulesNew(env *Env) *cobra.Command {
	n := newRule{env: env}
	cmd := &cobra.Command{
		Use: "new", Short: "Write a rule with cases, and try it before it is saved",
		Long: `Writes a rule. In a terminal it asks for whatever the flags leave open; elsewhere
--id, --trigger and either --when or --prompt have to be given.

The rule is checked, its cases are run, its scope is tried on the files of this
repository, and the rule on past sessions, all without a model. Then you decide; --yes
saves without asking. It begins with severity warn: make it stricter with "sentinel
rules promote" when it has shown to be right. With --mode shadow it is judged and
recorded, and no agent hears of it until then. No file is ever overwritten.

--when is an expression that decides alone, with no model (docs/when.md); "true"
leaves it to the scope. --prompt is what a model is asked; without {{variables}} what
the agent does is added to it.

Exit status: 0 the rule is saved; 1 it is not, and why.`,
		Example: `  sentinel rules new
  sentinel rules new --id no-push --trigger bash --scope 'git push*' --when true \
    --message 'Leave pushing to the user.' --catch 'git push origin main' --pass 'git pull' --yes
  sentinel rules new --id rounding --trigger file_write --scope 'src/billing/**' \
    --prompt 'Amounts are rounded by money.Round only.' --yes`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return n.run(cmd.Context()) },
	}
	flags := cmd.Flags()
	flags.StringVar(&n.id, "id", "", "name of the rule")
	flags.StringVar(&n.trigger, "trigger", "", "what it is about: file_write, file_read, bash, mcp or any")
	flags.StringArrayVar(&n.scope, "scope", nil, "a `PATTERN` of paths, commands or server:tool; repeatable (default: every target)")
	flags.StringArrayVar(&n.exclude, "exclude", nil, "a `PATTERN` that is exempt; repeatable")
	flags.StringVar(&n.severity, "severity", "", "warn, ask, block or info (default warn)")
	flags.StringVar(&n.mode, "mode", "", "shadow (judged and recorded, no more) or enforce (default: default_mode in config.yaml)")
	flags.StringVar(&n.when, "when", "", "an expression that decides, with no model; true leaves it to the scope")
	flags.StringVar(&n.prompt, "prompt", "", "what a model is asked")
	flags.StringVar(&n.message, "message", "", "what the agent is to do instead")
	flags.StringArrayVar(&n.catches, "catch", nil, "a `TARGET` that it has to catch: a command, a path :: what is written, or a server:tool; repeatable")
	flags.StringArrayVar(&n.passes, "pass", nil, "a `TARGET` that it must let pass; repeatable")
	flags.BoolVar(&n.noReplay, "no-replay", false, "do not try it on past sessions")
	flags.BoolVar(&n.yes, "yes", false, "save it without asking")
	return cmd
}

func (n *newRule) run(ctx context.Context) error {
	if !slices.Contains([]string{"", "enforce", "shadow"}, n.mode) {
		return fmt.Errorf("rules new: --mode wants shadow or enforce, not %q", text.OneLine(n.mode))
	}
	if err := n.open(); err != nil {
		return err
	}
	if t, err := n.env.dialog(); err == nil && !(n.yes && n.missing() == "") {
		defer t.Close()
		n.terminal, n.lines = t, bufio.NewReader(io.LimitReader(t.in, 1<<20))
	}
	if n.terminal != nil {
		if err := n.interview(); err != nil {
			return err
		}
	}
	if missing := n.missing(); missing != "" {
		return fmt.Errorf("rules new: %s; or run it in a terminal, where it asks", missing)
	}
	if err := n.place(); err != nil {
		return err
	}
	text, err := n.compose(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(n.env.Stdout, "%s\n", text)
	if err := n.try(ctx); err != nil {
		return err
	}
	return n.save(text)
}

// open finds where the rule belongs.
func (n *newRule) open() error {
	o := n.env.project()
	o.NoLog = true
	n.project = project.Open([]string{n.env.Dir}, o)
	s, err := n.project.Scribe(nil, "")
	if err != nil {
		return errors.New("rules new: there is no .claude/sentinel here to put a rule into; run `sentinel init` first")
	}
	n.dir = s.RulesDir
	n.workshop, _ = n.project.Workshop(nil)
	return nil
}

// missing says what nobody has given.
func (n *newRule) missing() string {
	var flags []string
	for _, f := range []struct{ name, value string }{{"--id", n.id}, {"--trigger", n.trigger}, {"--prompt or --when", n.prompt + n.when}} {
		if f.value == "" {
			flags = append(flags, f.name)
		}
	}
	if len(flags) == 0 {
		return ""
	}
	return "give " + strings.Join(flags, " and ")
}

// place says where the file will stand. Nothing that is there is overwritten.
func (n *newRule) place() error {
	for _, f := range n.project.Folders {
		for _, r := range f.Rules {
			if r.Spec().ID == n.id {
				return fmt.Errorf("rules new: there is a rule %s already: %s. Take another id, or edit it", text.OneLine(n.id), display(f, r.Spec().Source))
			}
		}
	}
	n.path = filepath.Join(n.dir, strings.ReplaceAll(n.id, ":", "-")+".yaml")
	if _, err := os.Lstat(n.path); !errors.Is(err, fs.ErrNotExist) {
		if err != nil {
			return fmt.Errorf("rules new: %w", err)
		}
		return fmt.Errorf("rules new: %s: is there already. Take another id", text.OneLine(n.env.short(n.path)))
	}
	return nil
}

// interview asks a person for what the flags leave open.
func (n *newRule) interview() error {
	ask := func(to *string, question, usual string) error {
		if *to != "" {
			return nil
		}
		answer, err := n.question(question, usual)
		*to = answer
		return err
	}
	list := func(to *[]string, question, usual string) error {
		if len(*to) > 0 {
			return nil
		}
		answer, err := n.question(question, usual)
		for _, one := range strings.Split(answer, ";") {
			if one = strings.TrimSpace(one); one != "" {
				*to = append(*to, one)
			}
		}
		return err
	}
	if err := ask(&n.trigger, "What does the agent do: file_write, file_read, bash or mcp?", "file_write"); err != nil {
		return err
	}
	if err := list(&n.scope, "Where? Patterns, with ; between them, such as "+patternExample(n.trigger)+" (empty: everywhere)", ""); err != nil {
		return err
	}
	if err := list(&n.exclude, "What is exempt? Patterns as above (empty: nothing)", ""); err != nil {
		return err
	}
	if n.prompt+n.when == "" {
		if err := n.askJudge(ask); err != nil {
			return err
		}
	}
	if err := ask(&n.message, "What is the agent to do instead?", ""); err != nil {
		return err
	}
	if err := ask(&n.id, "Name of the rule", slug(cmp.Or(n.message, n.prompt))); err != nil {
		return err
	}
	if err := ask(&n.severity, "Severity: warn, ask, block or info", "warn"); err != nil {
		return err
	}
	if err := list(&n.catches, "What has it to catch? "+caseExample(n.trigger)+", with ; between (empty: made from the patterns)", ""); err != nil {
		return err
	}
	return list(&n.passes, "What looks alike and is right? (empty: made up)", "")
}

func (n *newRule) askJudge(ask func(to *string, question, usual string) error) error {
	answer, err := n.question("Do the patterns alone decide? Then no model is needed (y/n)", "n")
	if err != nil {
		return err
	}
	if a := strings.ToLower(answer); a == "y" || a == "yes" {
		return ask(&n.when, "An expression that has to be true as well (docs/when.md)", "true")
	}
	return ask(&n.prompt, "What must not happen there, in one sentence? A model judges by it", "")
}

// question puts a question to the person. The end of the input ends it all: nothing
// is written by somebody who has gone.
func (n *newRule) question(content, usual string) (string, error) {
	if usual != "" {
		content += " [" + usual + "]"
	}
	if _, err := io.WriteString(n.terminal.out, content+": "); err != nil {
		return "", err
	}
	answer, err := n.lines.ReadString('\n')
	if err != nil {
		return "", errors.New("rules new: the input ended; nothing was saved")
	}
	if answer = text.OneLine(answer); answer == "" {
		answer = usual
	}
	return answer, nil
}

func patternExample(trigger string) string {
	switch sentinel.Trigger(trigger) {
	case sentinel.Bash:
		return "git push --force*"
	case sentinel.MCP:
		return "postgres-prod:*"
	}
	return "src/billing/**"
}

func caseExample(trigger string) string {
	switch sentinel.Trigger(trigger) {
	case sentinel.Bash:
		return "Commands"
	case sentinel.MCP:
		return "server:tool"
	}
	return "Paths, each perhaps followed by :: and what is written"
}

// slug makes an id of the first words of a text.
func slug(text string) string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	id := strings.Join(words[:min(len(words), 4)], "-")
	return id[:min(len(id), 60)]
}

// compose makes the text of the rule, and its suite.
func (n *newRule) compose(ctx context.Context) ([]byte, error) {
	if err := n.build(nil); err != nil {
		return nil, err
	}
	var cases []*yaml.Node
	for _, group := range []struct {
		targets []string
		expect  string
		usual   func() []string
	}{{n.catches, "violation", n.examples}, {n.passes, "pass", n.harmless}} {
		given := len(group.targets) > 0
		if !given {
			group.targets = group.usual()
		}
		for _, target := range group.targets {
			c, err := caseOf(n.trigger, target, group.expect)
			if err != nil {
				return nil, err
			}
			if !given && !n.holds(ctx, c) {
				continue // what was only made up must not stand there as a wrong case
			}
			cases = append(cases, c)
		}
	}
	if err := n.build(cases); err != nil {
		return nil, err
	}
	return n.text(cases)
}

// build parses the rule as it is so far. It says what is wrong with it.
func (n *newRule) build(cases []*yaml.Node) error {
	content, err := n.text(cases)
	if err != nil {
		return err
	}
	n.suite = ruletest.NewSuite(n.path, content)
	_, problems := rule.Build([]rule.File{n.suite.File}, &n.workshop.Build)
	var errs []error
	for _, p := range problems {
		if !p.Warning {
			errs = append(errs, errors.New(text.OneLine(p.Message)))
		}
	}
	if len(errs) > 0 {
		return fmt.Errorf("rules new: %w", errors.Join(errs...))
	}
	return nil
}

// holds reports whether a case is as expected, or waits for a model's answer.
func (n *newRule) holds(ctx context.Context, c *yaml.Node) bool {
	if n.build([]*yaml.Node{c}) != nil {
		return false
	}
	r, err := ruletest.Run(ctx, []ruletest.Suite{n.suite}, n.testing())
	return err == nil && len(r.Results) == 1 && (r.Results[0].State == ruletest.Passed || r.Results[0].State == ruletest.Unanswered)
}

func (n *newRule) testing() *ruletest.Options {
	return &ruletest.Options{Engine: n.workshop.Engine, Root: n.workshop.Root, Build: n.workshop.Build}
}

// text is the file.
func (n *newRule) text(cases []*yaml.Node) ([]byte, error) {
	doc := &yaml.Node{Kind: yaml.MappingNode}
	add := func(key string, value *yaml.Node) {
		k := &yaml.Node{}
		k.SetString(key)
		doc.Content = append(doc.Content, k, value)
	}
	text := func(key, value string) {
		if value != "" {
			v := &yaml.Node{}
			v.SetString(value)
			add(key, v)
		}
	}
	list := func(key string, values []string) {
		if len(values) == 0 {
			return
		}
		v := &yaml.Node{Kind: yaml.SequenceNode}
		for _, value := range values {
			v.Content = append(v.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: value, Style: yaml.DoubleQuotedStyle})
		}
		add(key, v)
	}
	severity := n.severity
	if severity == "" {
		severity = sentinel.SeverityWarn.String()
	}
	text("id", n.id)
	text("trigger", n.trigger)
	text("severity", severity)
	text("mode", n.mode)
	list("scope", n.scope)
	list("exclude", n.exclude)
	if n.prompt == "" {
		text("backend", sentinel.Builtin)
	}
	text("when", n.when)
	text("prompt", n.shownPrompt())
	text("message", n.message)
	if len(cases) > 0 {
		add("tests", &yaml.Node{Kind: yaml.SequenceNode, Content: cases})
	}
	var b bytes.Buffer
	b.WriteString("# yaml-language-server: $schema=" + schemaID(rule.Schema()) + "\n")
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode(doc); err != nil {
		return nil, fmt.Errorf("rules new: %w", err)
	}
	return b.Bytes(), nil
}

// schemaID is the address at which a schema is published.
func schemaID(schema []byte) string {
	var s struct {
		ID string `json:"$id"`
	}
	_ = json.Unmarshal(schema, &s) // a part of the program: a test holds that it has one
	return s.ID
}

// shownPrompt is the prompt, with what the agent does added to a mere sentence.
func (n *newRule) shownPrompt() string {
	if n.prompt == "" || strings.Contains(n.prompt, "{{") || n.severity == sentinel.SeverityInfo.String() {
		return n.prompt
	}
	shown := "ACTION: {{action_summary}}"
	switch sentinel.Trigger(n.trigger) {
	case sentinel.FileWrite:
		shown = "FILE: {{file_path}}\nWHAT IS WRITTEN:\n{{content_snippet}}"
	case sentinel.FileRead:
		shown = "FILE: {{file_path}}"
	case sentinel.Bash:
		shown = "COMMAND: {{command}}"
	case sentinel.MCP:
		shown = "TOOL: {{server_name}}:{{mcp_tool}}\nARGUMENTS:\n{{mcp_arguments}}"
	}
	return "RULE: " + strings.TrimSpace(n.prompt) + "\n" + shown + "\n"
}

// caseKeys are the words that a case can begin with.
func caseKeys() []string { return []string{"bash", "write", "read", "mcp"} }

// caseOf is a case in YAML. Its kind is the rule's, or stands before it as in
// "write: src/a.ts"; behind a path may stand :: and what is written.
func caseOf(trigger, target, expect string) (*yaml.Node, error) {
	key := ""
	switch sentinel.Trigger(trigger) {
	case sentinel.FileWrite:
		key = "write"
	case sentinel.FileRead:
		key = "read"
	case sentinel.Bash:
		key = "bash"
	case sentinel.MCP:
		key = "mcp"
	}
	if before, rest, found := strings.Cut(target, ": "); found && slices.Contains(caseKeys(), before) {
		key, target = before, rest
	}
	if key == "" {
		return nil, fmt.Errorf("rules new: say what the case %q is, as in \"bash: %s\" (bash, write, read or mcp)", text.OneLine(target), text.OneLine(target))
	}
	words := []string{key, target}
	if path, content, found := strings.Cut(target, " :: "); found && key == "write" {
		words = []string{key, path, "content", content}
	}
	c := &yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle}
	for i, text := range append(words, "expect", expect) {
		node := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text}
		if i%2 == 1 && i < len(words) {
			node.Style = yaml.DoubleQuotedStyle
		}
		c.Content = append(c.Content, node)
	}
	return c, nil
}

// examples are targets that the scope is about, made from its patterns.
func (n *newRule) examples() []string {
	if n.when == "" || n.prompt != "" {
		return nil // what a model would object to cannot be made up
	}
	word := strings.NewReplacer("**/", "", "/**", "/example", "**", "example", "*", "", "?", "x")
	if t := sentinel.Trigger(n.trigger); t != sentinel.Bash {
		word = strings.NewReplacer("**/", "", "/**", "/example", "**", "example", "*", "example", "?", "x")
	}
	var out []string
	for _, p := range n.scope {
		if i := strings.IndexByte(p, '{'); i >= 0 {
			head, rest, _ := strings.Cut(p, "{")
			inner, tail, _ := strings.Cut(rest, "}")
			first, _, _ := strings.Cut(inner, ",")
			p = head + first + tail
		}
		if n.trigger == string(sentinel.Any) {
			p = "write: " + p
		}
		out = append(out, strings.TrimSpace(word.Replace(p)))
	}
	return out
}

// harmless is a target that is nothing special.
func (n *newRule) harmless() []string {
	switch sentinel.Trigger(n.trigger) {
	case sentinel.Bash:
		return []string{"ls"}
	case sentinel.MCP:
		return []string{"other:read"}
	case sentinel.Any:
		return []string{"bash: ls"}
	}
	return []string{"README.md"}
}

// try shows what the rule does: with its cases, to the files that are here, and in
// past sessions.
func (n *newRule) try(ctx context.Context) error {
	p := &printer{env: n.env}
	_, problems := rule.Build([]rule.File{n.suite.File}, &n.workshop.Build)
	for _, pr := range problems {
		p.line("%s", text.OneLine("warning: "+pr.Message))
	}
	r, err := ruletest.Run(ctx, []ruletest.Suite{n.suite}, n.testing())
	if err != nil {
		return err
	}
	p.line("cases: %d as expected, %d not", r.Count(ruletest.Passed), r.Count(ruletest.Failed)+r.Count(ruletest.Broken))
	for i := range r.Results {
		if r.Results[i].State != ruletest.Unanswered {
			p.result(&r.Results[i])
		}
	}
	if waiting := r.Count(ruletest.Unanswered); waiting > 0 {
		p.line("  %s more once a model has answered: sentinel test %s --record", text.Count(waiting, "case"), text.OneLine(n.id))
	}
	if n.prompt != "" && len(n.catches) == 0 {
		p.line("  no case shows what it has to catch: add one, with the text that is written")
	}
	n.tryFiles(p)
	if !n.noReplay {
		if err := n.trySessions(ctx, p); err != nil {
			return err
		}
	}
	if !r.OK() {
		return errors.New("rules new: a case is not as expected; nothing was saved")
	}
	return nil
}

// maxFiles bounds how many files a scope is tried on.
const maxFiles = 200_000

// tryFiles says how many files of the repository the scope is about.
func (n *newRule) tryFiles(p *printer) {
	trigger := sentinel.Trigger(n.trigger)
	if trigger == sentinel.Bash || trigger == sentinel.MCP {
		return
	}
	if trigger == sentinel.Any {
		trigger = sentinel.FileWrite
	}
	rules, _ := rule.Build([]rule.File{n.suite.File}, &n.workshop.Build)
	all, matched := 0, 0
	var first []string
	_ = filepath.WalkDir(n.workshop.Root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil
		case d.IsDir() && slices.Contains([]string{".git", ".sentinel", "node_modules"}, d.Name()):
			return fs.SkipDir
		case !d.Type().IsRegular():
			return nil
		case all >= maxFiles:
			return fs.SkipAll
		}
		all++
		rel, err := filepath.Rel(n.workshop.Root, path)
		if err != nil {
			return nil
		}
		rel = filepath.ToSlash(rel)
		a := sentinel.Action{Trigger: trigger, Op: sentinel.OpEdit, Target: rel, Path: rel, Forms: []string{rel}, Root: n.workshop.Root, Dir: n.workshop.Root, Certain: true}
		if rules[0].Match(&a).OK {
			if matched++; matched <= 3 {
				first = append(first, text.OneLine(rel))
			}
		}
		return nil
	})
	switch {
	case matched == 0:
		p.line("files: its scope matches none of the %d files here. Is a pattern wrong? `src/*.ts` stays within one folder, `src/**/*.ts` does not", all)
	case matched == all:
		p.line("files: its scope matches every one of the %d files here. A narrower one is cheaper and errs less", all)
	default:
		p.line("files: its scope matches %d of %d: %s%s", matched, all, strings.Join(first, ", "), unless(matched <= 3, ", …"))
	}
}

// trySessions says what the rule would have done in past sessions.
func (n *newRule) trySessions(ctx context.Context, p *printer) error {
	past, err := n.env.past([]rule.File{n.suite.File})
	if err != nil {
		return err
	}
	past.opts.Sets = slices.DeleteFunc(past.opts.Sets, func(s replay.Set) bool { return !s.Draft })
	paths, err := n.env.transcripts(ctx, nil, past.root)
	if err != nil {
		return err
	}
	if len(paths) == 0 {
		p.line("past sessions: none was found to try it on")
		return nil
	}
	r, err := n.env.replayed(ctx, past.opts, paths)
	if r == nil {
		return err
	}
	report := r.Report()
	c := report.Rules[0]
	p.line("past sessions: of %s in %s it is about %d and objects to %d; a model would judge %d", text.Count(report.Actions, "action"), text.Count(report.Transcripts, "session"), c.Matched, c.Violations, c.Open)
	for i := range report.Found[:min(3, len(report.Found))] {
		p.call(&report.Found[i])
	}
	if err != nil {
		return errors.New("rules new: interrupted; nothing was saved")
	}
	return nil
}

// save writes the file, if the person wants it.
func (n *newRule) save(content []byte) error {
	name := n.env.short(n.path)
	if !n.yes {
		if n.terminal == nil {
			return fmt.Errorf("rules new: %s was not saved: there is no terminal to ask you at; --yes saves it", text.OneLine(name))
		}
		answer, err := n.question("Save it as "+text.OneLine(name)+"? (y/n)", "n")
		if err != nil {
			return err
		}
		if a := strings.ToLower(answer); a != "y" && a != "yes" {
			return errors.New("rules new: nothing was saved")
		}
	}
	if err := os.MkdirAll(filepath.Dir(n.path), 0o755); err != nil {
		return fmt.Errorf("rules new: %w", err)
	}
	f, err := os.OpenFile(n.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644) // O_EXCL follows no link either
	if err != nil {
		return fmt.Errorf("rules new: %w", err)
	}
	_, err = f.Write(content)
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("rules new: %w", errors.Join(err, os.Remove(n.path)))
	}
	n.saved(text.OneLine(n.id), text.OneLine(name))
	return nil
}

// saved says what the rule does from now on.
func (n *newRule) saved(id, name string) {
	p := &printer{env: n.env}
	rules, _ := rule.Build([]rule.File{n.suite.File}, &n.workshop.Build)
	spec := rules[0].Spec()
	if !spec.Shadow {
		p.line("saved: %s holds from the next call on (%s)", id, name)
		return
	}
	p.line("saved: %s is judged from the next call on, in shadow mode: no agent hears of it (%s)", id, name)
	if n.project.LogFile() == "" {
		p.line("  but there is no log to show what it would do: set log_file in config.yaml")
	}
	if spec.Severity >= sentinel.SeverityWarn {
		p.line("  sentinel rules promote %s --to %s lets it act", id, spec.Severity)
	}
}
