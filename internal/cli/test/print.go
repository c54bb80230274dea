package test

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/agentsentinel/sentinel/internal/cli/command"
	"github.com/agentsentinel/sentinel/internal/cli/decision"
	"github.com/agentsentinel/sentinel/internal/prompt"
	"github.com/agentsentinel/sentinel/internal/ruletest"
	"github.com/agentsentinel/sentinel/internal/words"
)

// printReport says of each rule how many of its cases are as expected, and of
// each case that is not, why.
func printReport(p *command.Env, r *ruletest.Report) {
	for _, pr := range r.Problems {
		pr.File = p.Short(pr.File)
		p.Line("%s", command.ProblemLine(pr))
	}
	for begin := 0; begin < len(r.Results); {
		end := begin
		for end < len(r.Results) && r.Results[end].File == r.Results[begin].File {
			end++
		}
		printRule(p, &ruletest.Report{Results: r.Results[begin:end]})
		begin = end
	}
	for _, id := range r.Untested {
		p.Line("%s  %s  no cases", p.Bold("none"), prompt.OneLine(id))
	}
	p.Line("%s: %d as expected, %d not, %d broken, %d without a recorded answer", words.Count(len(r.Results), "case"),
		r.Count(ruletest.Passed), r.Count(ruletest.Failed), r.Count(ruletest.Broken), r.Count(ruletest.Unanswered))
}

// printRule shows the results of one rule. What all its cases fail with, as those of a
// broken rule do, is said once.
func printRule(p *command.Env, r *ruletest.Report) {
	word := "ok  "
	if !r.OK() {
		word = "FAIL"
	}
	first := &r.Results[0]
	p.Line("%s  %s  %s", p.Bold(word), prompt.OneLine(first.Rule), words.Count(len(r.Results), "case"))
	alike := func(res ruletest.Result) bool { return res.State == first.State && res.Why == first.Why }
	if first.State == ruletest.Broken && !slices.ContainsFunc(r.Results, func(res ruletest.Result) bool { return !alike(res) }) {
		p.Line("      %s", prompt.OneLine(first.Why))
		return
	}
	unanswered := 0
	for i := range r.Results {
		if res := &r.Results[i]; res.State == ruletest.Unanswered {
			if unanswered++; unanswered > 1 { // all want the same done, and there may be hundreds
				continue
			}
		}
		decision.PrintResult(p, &r.Results[i])
	}
	if unanswered > 1 {
		p.Line("      and %d more without a recorded answer", unanswered-1)
	}
}

// printTrials shows how right each model was.
func printTrials(env *command.Env, trials []ruletest.Trial) error {
	if len(trials) == 0 {
		return nil
	}
	w := env.Table()
	fmt.Fprintln(w, "\nRULE\tMODEL\tASKED\tNO ANSWER\tPRECISION\tRECALL\tFLIPS\tMEDIAN\tP95\tTOKENS\tCOST\tBEST THRESHOLD")
	for i := range trials {
		t := &trials[i]
		m := &t.Metrics
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%s\t%s\t%d\t%s\t%s\t%d\t%.4g\t%s\n", t.Rule, prompt.OneLine(t.Model), m.Asked, m.Failed,
			percent(m.Precision), percent(m.Recall), m.Flips, short(m.Median), short(m.P95), m.PromptTokens+m.OutputTokens, m.Cost, best(m))
	}
	return w.Flush()
}

// best is the threshold that would have been best.
func best(m *ruletest.Metrics) string {
	if math.IsNaN(m.BestF1) {
		return "-"
	}
	return fmt.Sprintf("%.2f (F1 %.2f)", m.Best, m.BestF1)
}

func percent(share float64) string {
	if math.IsNaN(share) {
		return "-"
	}
	return fmt.Sprintf("%.0f %%", 100*share)
}

// short is a duration with the digits that matter.
func short(d time.Duration) string {
	switch {
	case d >= 10*time.Second:
		return d.Round(time.Second).String()
	case d >= time.Second:
		return d.Round(10 * time.Millisecond).String()
	case d >= time.Millisecond:
		return d.Round(time.Millisecond).String()
	}
	return d.Round(time.Microsecond).String()
}
