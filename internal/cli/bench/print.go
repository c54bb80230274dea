package bench

import (
	"fmt"
	"io"

	"github.com/agentsentinel/sentinel/internal/bench"
	"github.com/agentsentinel/sentinel/internal/cli/command"
	"github.com/agentsentinel/sentinel/internal/cli/decision"
	"github.com/agentsentinel/sentinel/internal/text"
)

func (f *commandsFlags) print(env *command.Env, r *bench.Report) error {
	if f.asJSON {
		return env.JSON(r)
	}
	rules := "the rules that apply here"
	if r.Set != "" {
		rules = r.Set
	}
	env.Line("%s, %s: %s", text.OneLine(r.File), rules, text.Count(r.Rules, "rule"))
	if f.verbose {
		p := &decision.Printer{Env: env}
		for i := range r.Otherwise {
			printOtherwise(p, &r.Otherwise[i])
		}
	}
	if err := printTable(env, r); err != nil {
		return err
	}
	env.Line("%d of %d depend on the disk", len(r.Disk), r.Total.Block+r.Total.Allow+r.Total.Unknown)
	for i := range r.Disk {
		j := &r.Disk[i]
		env.Line("  line %d: %s here, %s in an empty folder: %s", j.Line, j.Verdict, j.Empty, text.OneLine(j.Command))
	}
	env.Line("")
	return nil
}

// printOtherwise says how a command was understood and what came of it.
func printOtherwise(p *decision.Printer, j *bench.Judged) {
	want := ""
	if j.Expected != "" {
		want = ", expected " + j.Expected
	}
	p.Line("line %d (%s): %s%s: %s", j.Line, text.OneLine(j.Class), p.Bold(j.Verdict), want, text.OneLine(j.Command))
	for i := range j.Decision.Actions {
		p.Action(&j.Decision.Actions[i])
	}
	p.Findings(*j.Decision)
}

// printTable counts by class. Cases without a label have columns where there are any.
func printTable(env *command.Env, r *bench.Report) error {
	w := env.Table()
	head, unlabelled := "TO STOP\tREACH A RULE\tSTOPPED\tTO PASS\tSTOPPED\t", r.Total.Unknown > 0
	if unlabelled {
		head += "NO LABEL\tSTOPPED\t"
	}
	fmt.Fprintln(w, head+"CLASS")
	for _, g := range append(r.Class, r.Total) {
		printGroup(w, &g, unlabelled)
	}
	return w.Flush()
}

func printGroup(w io.Writer, g *bench.Group, unlabelled bool) {
	fmt.Fprintf(w, "%d\t%s\t%s\t%d\t%s\t", g.Block, share(g.Reached, g.Block), share(g.Stopped, g.Block), g.Allow, share(g.Disturbed, g.Allow))
	if unlabelled {
		fmt.Fprintf(w, "%d\t%s\t", g.Unknown, share(g.Halted, g.Unknown))
	}
	fmt.Fprintln(w, text.OneLine(g.Name))
}

// share is a number with its part of the whole.
func share(n, of int) string {
	if of == 0 {
		return "-"
	}
	return fmt.Sprintf("%d (%.1f %%)", n, 100*float64(n)/float64(of))
}
