// Command corpus measures the ready rules on labelled commands:
//
//	go run ./bench/corpus [-v] [-packs git,network] FILE...
//
// A file holds one JSON object a line: the command, what is expected of it
// ("block" or "allow"), and the source of that opinion. The rules judge by their
// `when`, with no model. For each source it prints how many of the commands that
// should be stopped reach a rule (its scope matched), how many are blocked or
// asked about, and how many of those that should pass are. Labels are opinions,
// and those of two sources differ, so read the lines before the total.
//
// -v prints every case that came out otherwise, with the reason: the rules that
// matched and what their `when` said, and how the command was understood.
package main

import (
	"bufio"
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

// The place that commands are taken to run in. It does not exist, so that the
// files of the machine have no part in the result.
const (
	home = "/home/u"
	repo = "/home/u/repo"
)

// lineMax bounds a line of a corpus, in bytes.
const lineMax = 4 << 20

func main() {
	verbose := flag.Bool("v", false, "print every case that came out otherwise than expected")
	list := flag.String("packs", "", "comma-separated `names` of packs (default: all)")
	flag.Usage = func() {
		fmt.Fprint(flag.CommandLine.Output(), "usage: corpus [-v] [-packs NAMES] FILE...\n\n")
		flag.PrintDefaults()
	}
	flag.Parse()
	if err := run(os.Stdout, *verbose, *list, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "corpus:", err)
		os.Exit(1)
	}
}

func run(out io.Writer, verbose bool, list string, files []string) error {
	if len(files) == 0 {
		return errors.New("name at least one file of cases")
	}
	names := packs.Names()
	if list != "" {
		names = strings.Split(list, ",")
	}
	engine, err := open(names)
	if err != nil {
		return err
	}
	for _, file := range files {
		cases, err := read(file)
		if err != nil {
			return err
		}
		t := table{verbose: verbose, out: out}
		for _, c := range cases {
			ev, err := c.event()
			if err != nil {
				return err
			}
			d, err := engine.Evaluate(context.Background(), ev)
			if err != nil {
				return fmt.Errorf("%s: %q: %w", file, c.Command, err)
			}
			t.add(c, d)
		}
		fmt.Fprintf(out, "%s\n", file)
		if err := t.print(); err != nil {
			return err
		}
	}
	return nil
}

// open builds an engine over the rules of the packs. Packs share rules; each
// counts once.
func open(names []string) (sentinel.Engine, error) {
	var files []rule.File
	seen := map[string]bool{}
	for _, name := range names {
		list, err := packs.Files(name)
		if err != nil {
			return nil, err
		}
		for _, f := range list {
			if !seen[f.Name] {
				files = append(files, rule.Parse(name+"/"+f.Name, f.Data))
			}
			seen[f.Name] = true
		}
	}
	rules, problems := rule.Build(files, nil)
	if len(problems) > 0 {
		return nil, problems[0]
	}
	return sentinel.New(rules.Engine(), &sentinel.Options{
		Mapper:     trigger.New(&trigger.Options{Home: home}),
		Backends:   map[string]sentinel.Backend{builtin.Name: builtin.New()},
		Default:    builtin.Name,
		CollectAll: true,
	})
}

// labelled is one line of a corpus.
type labelled struct {
	Command  string `json:"command"`
	Expected string `json:"expected"` // block or allow
	Source   string `json:"source"`
}

// event is the tool call that the case stands for.
func (c labelled) event() (sentinel.Event, error) {
	args, err := json.Marshal(map[string]string{"command": c.Command})
	return sentinel.Event{
		Phase: sentinel.PhasePre, Agent: "claude", Dir: repo, Root: repo,
		Tool: sentinel.ToolCall{Name: "Bash", Args: args},
	}, err
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
			return nil, fmt.Errorf("%s:%d: %w", file, n, err)
		}
		if c.Command == "" || c.Expected != "block" && c.Expected != "allow" {
			return nil, fmt.Errorf("%s:%d: want a command, and block or allow as what is expected", file, n)
		}
		cases = append(cases, c)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return cases, nil
}

// table counts by source, in the order of their first case.
type table struct {
	out     io.Writer
	verbose bool
	order   []string
	counts  map[string]*count
	total   count
}

// count is what became of the cases of one source.
type count struct {
	block, reached, stopped int // cases to stop; that reach a rule; that are blocked or asked about
	allow, disturbed        int // cases to pass; that are blocked or asked about
}

func (t *table) add(c labelled, d sentinel.Decision) {
	if t.counts == nil {
		t.counts = map[string]*count{}
	}
	n := t.counts[c.Source]
	if n == nil {
		n = &count{}
		t.counts[c.Source] = n
		t.order = append(t.order, c.Source)
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
	fmt.Fprintf(&b, "want %s, got %v: %q (%s)\n", c.Expected, d.Verdict, c.Command, c.Source)
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
	fmt.Fprintln(w, "to stop\treach a rule\tstopped\tto pass\tstopped\tsource")
	for _, source := range t.order {
		t.counts[source].print(w, source)
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
