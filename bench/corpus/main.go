// Command corpus measures the ready rules on labelled commands:
//
//	go run ./bench/corpus [-v] [-set recommended,all] [-repo DIR] FILE...
//
// A file holds one JSON object a line: the command, what is expected of it
// ("block" or "allow"), its class, and the source of that opinion. The rules judge by
// their `when`, with no model. For each set of rules, and in it for each class, or
// source where there is no class, it prints how many of the commands that should be
// stopped reach a rule (its scope matched), how many are blocked or asked about, and
// how many of those that should pass are. Labels are opinions, and those of two
// sources differ, so read the lines before the total.
//
// Commands are taken to run in a folder that does not exist. With -repo they run in
// DIR, and the commands are counted whose verdict is another one there: it depends on
// the disk.
//
// -v prints every case that came out otherwise, with the reason: the rules that
// matched and what their `when` said, and how the command was understood.
package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/backend/builtin"
	"github.com/agentsentinel/sentinel/packs"
	"github.com/agentsentinel/sentinel/rule"
	"github.com/agentsentinel/sentinel/trigger"
)

// The place that commands are taken to run in without -repo. It does not exist, so
// that the files of the machine have no part in the result.
const (
	home = "/home/u"
	repo = "/home/u/repo"
)

// lineMax bounds a line of a corpus, in bytes.
const lineMax = 4 << 20

func main() {
	var o options
	flag.BoolVar(&o.verbose, "v", false, "print every case that came out otherwise than expected")
	flag.StringVar(&o.sets, "set", packs.Recommended+","+packs.All, "comma-separated `names` of packs or sets, each measured by itself")
	flag.StringVar(&o.repo, "repo", "", "`folder` that the commands run in")
	flag.Usage = func() {
		fmt.Fprint(flag.CommandLine.Output(), "usage: corpus [-v] [-set NAMES] [-repo DIR] FILE...\n\n")
		flag.PrintDefaults()
	}
	flag.Parse()
	if err := run(os.Stdout, o, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "corpus:", err)
		os.Exit(1)
	}
}

type options struct {
	verbose    bool
	sets, repo string
}

func run(out io.Writer, o options, files []string) error {
	if len(files) == 0 {
		return errors.New("name at least one file of cases")
	}
	for _, set := range strings.Split(o.sets, ",") {
		engine, rules, err := open(set)
		if err != nil {
			return err
		}
		for _, file := range files {
			fmt.Fprintf(out, "%s, %s: %d rules\n", file, set, rules)
			if err := measure(out, o, engine, file); err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
		}
	}
	return nil
}

// measure judges the cases of one file.
func measure(out io.Writer, o options, engine sentinel.Engine, file string) error {
	cases, err := read(file)
	if err != nil {
		return err
	}
	t := table{verbose: o.verbose, out: out}
	disk := 0
	for _, c := range cases {
		d, err := c.judged(engine, repo)
		if err == nil && o.repo != "" {
			nowhere := d.Verdict
			d, err = c.judged(engine, o.repo)
			disk += toInt(d.Verdict != nowhere)
		}
		if err != nil {
			return fmt.Errorf("%q: %w", c.Command, err)
		}
		t.add(c, d)
	}
	if err := t.print(); err != nil {
		return err
	}
	if o.repo != "" {
		fmt.Fprintf(out, "%d of %d depend on the disk\n", disk, len(cases))
	}
	return nil
}

// open builds an engine over the rules of a pack or a set, and counts them.
func open(set string) (sentinel.Engine, int, error) {
	list, err := packs.Files(set)
	if err != nil {
		return nil, 0, err
	}
	var files []rule.File
	for _, f := range list {
		files = append(files, rule.Parse(f.Name, f.Data))
	}
	rules, problems := rule.Build(files, nil)
	if len(problems) > 0 {
		return nil, 0, problems[0]
	}
	engine, err := sentinel.New(rules.Engine(), &sentinel.Options{
		Mapper:     trigger.New(&trigger.Options{Home: home}),
		Backends:   map[string]sentinel.Backend{builtin.Name: builtin.New()},
		Default:    builtin.Name,
		CollectAll: true,
		FailOpen:   true, // as init writes it
	})
	return engine, len(files), err
}

// labelled is one line of a corpus.
type labelled struct {
	Command  string `json:"command"`
	Expected string `json:"expected"` // block or allow
	Class    string `json:"class"`
	Source   string `json:"source"`
}

// group is what the case is counted under.
func (c labelled) group() string { return cmp.Or(c.Class, c.Source) }

// judged returns the decision on the case's command, run in a folder.
func (c labelled) judged(engine sentinel.Engine, dir string) (sentinel.Decision, error) {
	args, err := json.Marshal(map[string]string{"command": c.Command})
	if err != nil {
		return sentinel.Decision{}, err
	}
	return engine.Evaluate(context.Background(), sentinel.Event{
		Phase: sentinel.PhasePre, Agent: "claude", Dir: dir, Root: dir,
		Tool: sentinel.ToolCall{Name: "Bash", Args: args},
	})
}

func read(file string) ([]labelled, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var cases []labelled
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, lineMax)
	for n := 1; lines.Scan(); n++ {
		if strings.TrimSpace(lines.Text()) == "" {
			continue
		}
		var c labelled
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		if c.Command == "" || c.Expected != "block" && c.Expected != "allow" {
			return nil, fmt.Errorf("line %d: want a command, and block or allow as what is expected", n)
		}
		cases = append(cases, c)
	}
	return cases, lines.Err()
}

// table counts by group, in the order of their first case.
type table struct {
	out     io.Writer
	verbose bool
	order   []string
	counts  map[string]*count
	total   count
}

// count is what became of the cases of one group.
type count struct {
	block, reached, stopped int // cases to stop; that reach a rule; that are blocked or asked about
	allow, disturbed        int // cases to pass; that are blocked or asked about
}

func (t *table) add(c labelled, d sentinel.Decision) {
	if t.counts == nil {
		t.counts = map[string]*count{}
	}
	n := t.counts[c.group()]
	if n == nil {
		n = &count{}
		t.counts[c.group()] = n
		t.order = append(t.order, c.group())
	}
	stopped := d.Verdict >= sentinel.VerdictAsk
	for _, n := range []*count{n, &t.total} {
		if c.Expected == "block" {
			n.block++
			n.reached += toInt(len(d.Findings) > 0)
			n.stopped += toInt(stopped)
		} else {
			n.allow++
			n.disturbed += toInt(stopped)
		}
	}
	if t.verbose && stopped != (c.Expected == "block") {
		fmt.Fprint(t.out, explain(c, d))
	}
}

func toInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// explain says why a case came out as it did.
func explain(c labelled, d sentinel.Decision) string {
	var b strings.Builder
	fmt.Fprintf(&b, "want %s, got %v: %q (%s)\n", c.Expected, d.Verdict, c.Command, c.group())
	if len(d.Findings) == 0 {
		b.WriteString("  no scope matched\n")
	}
	for _, f := range d.Findings {
		fmt.Fprintf(&b, "  %s: %q matched %s %q, when: %s\n", f.Rule.ID, f.Match.Pattern, f.Action.Trigger, f.Match.Form, saidWhen(f))
	}
	if c.Expected == "block" {
		b.WriteString(understood(d))
	}
	return b.String()
}

// saidWhen is the value of a rule's `when` in words.
func saidWhen(f sentinel.Finding) string {
	switch f.Outcome {
	case sentinel.OutcomeViolation:
		return "true"
	case sentinel.OutcomePass:
		return "false"
	}
	return fmt.Sprintf("%v (%v)", f.Outcome, f.Err)
}

// understood is how the command was read.
func understood(d sentinel.Decision) string {
	var b strings.Builder
	for _, a := range d.Actions {
		if a.Command == nil {
			fmt.Fprintf(&b, "  %s %v %q\n", a.Trigger, a.Op, a.Target)
			continue
		}
		if a.Command.Unparsed != "" {
			fmt.Fprintf(&b, "  unparsed: %s\n", a.Command.Unparsed)
		}
		for _, c := range a.Command.Commands {
			fmt.Fprintf(&b, "  command %q in %q, input %q, runs %q, %s\n", c.Text, c.Wrappers, c.Input, c.Runs, certainty(c.Certain))
		}
	}
	return b.String()
}

func certainty(certain bool) string {
	if certain {
		return "certain"
	}
	return "guessed"
}

func (t *table) print() error {
	w := tabwriter.NewWriter(t.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "to stop\treach a rule\tstopped\tto pass\tstopped\tclass or source")
	for _, group := range t.order {
		t.counts[group].print(w, group)
	}
	t.total.print(w, "total")
	return w.Flush()
}

func (n *count) print(w io.Writer, name string) {
	fmt.Fprintf(w, "%d\t%s\t%s\t%d\t%s\t%s\n", n.block, share(n.reached, n.block), share(n.stopped, n.block), n.allow, share(n.disturbed, n.allow), name)
}

// share is a number with its part of the whole.
func share(n, of int) string {
	if of == 0 {
		return "-"
	}
	return fmt.Sprintf("%d (%.1f %%)", n, 100*float64(n)/float64(of))
}
