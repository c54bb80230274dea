package replay

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/agentsentinel/sentinel/internal/cli/command"
	"github.com/agentsentinel/sentinel/internal/cli/decision"
	"github.com/agentsentinel/sentinel/internal/replay"
	"github.com/agentsentinel/sentinel/internal/text"
)

// print shows a replay as text.
func (f *replayFlags) print(p *command.Env, r *replay.Report, refused string) {
	p.Line("%s%s: %s, %s", text.Count(r.Transcripts, "session"), agentCounts(r.Agents), text.Count(r.Calls, "call"), text.Count(r.Actions, "action"))
	for _, u := range r.Unread {
		why := strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(u.Error, "replay: "), "transcript: "), u.Path+": ")
		p.Line("not read: %s: %s", text.OneLine(p.Short(u.Path)), text.OneLine(why))
	}
	if n := r.Unknown + r.Misunderstood; n > 0 {
		p.Line("not judged: %s of tools that nobody knows, %d whose arguments make no sense", text.Count(r.Unknown, "call"), r.Misunderstood)
	}
	if r.Transcripts == 0 {
		return // with nothing to judge no rule would have done anything
	}
	p.Line("")
	printVerdicts(p, r)
	if len(r.Found) > 0 && f.limit > 0 {
		p.Line("")
		printCalls(p, r, f.limit)
	}
	p.Line("")
	printRules(p, r)
	if r.Estimate.Calls > 0 && r.Asked == 0 {
		p.Line("")
		p.Line("%s: %s.", text.Count(r.Open, "judgement")+" left open", refused)
		p.Line("%s", estimateText(&r.Estimate))
	}
}

func agentCounts(agents map[string]int) string {
	var words []string
	for _, name := range slices.Sorted(maps.Keys(agents)) {
		words = append(words, fmt.Sprintf("%s %d", name, agents[name]))
	}
	if len(words) == 0 {
		return ""
	}
	return " (" + strings.Join(words, ", ") + ")"
}

func printVerdicts(p *command.Env, r *replay.Report) {
	would := func(v replay.Verdicts) string {
		return fmt.Sprintf("%d blocked, %d asked, %d warned", v.Block, v.Ask, v.Warn)
	}
	drafts := slices.ContainsFunc(r.Rules, func(r replay.Rule) bool { return r.Draft })
	if !drafts {
		p.Line("These rules would have: %s.", would(r.Before))
		return
	}
	p.Line("The rules in force would have:   %s.", would(r.Before))
	p.Line("With what is tried in addition:  %s.", would(r.After))
	p.Line("%s: %d of them stricter, %d milder.", text.Count(r.New+r.Gone, "call")+" answered in another way", r.New, r.Gone)
}

// printCalls shows calls one by one, those first that a draft changes.
func printCalls(p *command.Env, r *replay.Report, limit int) {
	found := slices.Clone(r.Found)
	slices.SortStableFunc(found, func(a, b replay.Call) int {
		return boolRank(b.Before != b.After) - boolRank(a.Before != a.After)
	})
	for i := range found[:min(limit, len(found))] {
		decision.PrintCall(p, &found[i])
	}
	if more := len(found) - limit + r.LeftOut; more > 0 {
		p.Line("… and %d more (--limit %d, or --json)", more, len(found)+r.LeftOut)
	}
}

func boolRank(b bool) int {
	if b {
		return 1
	}
	return 0
}

// printRules shows the rules that were about anything, and names the others.
func printRules(p *command.Env, r *replay.Report) {
	w := p.Table()
	var idle []string
	head := false
	for i := range r.Rules {
		one := &r.Rules[i]
		if one.Matched == 0 {
			idle = append(idle, text.OneLine(one.ID)+draftMark(one))
			continue
		}
		if !head {
			head = true
			fmt.Fprintln(w, "RULE\tSEVERITY\tMATCHED\tVIOLATED\tOPEN\tREFUSED\tUNDONE\tREPEATED\tWENT ON\tENDED")
		}
		n := &one.Next
		fmt.Fprintf(w, "%s%s\t%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\n", text.OneLine(one.ID), draftMark(one), severityMark(one), one.Matched, one.Violations, one.Open,
			n.Refused, n.Undone, n.Repeated, n.WentOn, n.Ended)
	}
	w.Flush()
	if len(idle) > 0 {
		p.Line("matched nothing: %s", strings.Join(idle, ", "))
	}
	for i := range r.Rules {
		switch one := &r.Rules[i]; {
		case one.Broken != "":
			p.Line("broken: %s: %s", text.OneLine(one.ID), text.OneLine(one.Broken))
		case one.Unavailable > 0:
			p.Line("could not be judged %s: %s: %s", times(one.Unavailable), text.OneLine(one.ID), text.OneLine(strings.TrimPrefix(one.Failed, "could not be judged: ")))
		}
	}
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

func draftMark(r *replay.Rule) string {
	switch {
	case r.Draft:
		return " (tried)"
	case r.Replaced:
		return " (in force)"
	}
	return ""
}

func severityMark(r *replay.Rule) string {
	if r.Mode == "shadow" {
		return r.Severity + ", shadow"
	}
	return r.Severity
}

// estimateText says what asking takes.
func estimateText(e *replay.Estimate) string {
	var b strings.Builder
	fmt.Fprintf(&b, "To judge the rest, models would be asked %s", text.Count(e.Calls, "question"))
	if e.Cached > 0 {
		fmt.Fprintf(&b, " (%s kept from earlier)", text.Count(e.Cached, "answer"))
	}
	fmt.Fprintf(&b, ": about %s", rough(time.Duration(e.Seconds*float64(time.Second))))
	if e.Cost > 0 {
		fmt.Fprintf(&b, ", at a cost of about %.2g by `pricing`", e.Cost)
	}
	for _, j := range e.Judges {
		if j.Calls > 0 {
			fmt.Fprintf(&b, "\n  %s: %d, about %d tokens in and %d out", text.OneLine(strings.TrimSpace(j.Backend+" "+j.Model)), j.Calls, j.PromptTokens, j.OutputTokens)
		}
	}
	return b.String()
}

// rough is a duration that is estimated.
func rough(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", max(int(d.Round(time.Second).Seconds()), 1))
	case d < 2*time.Hour:
		return fmt.Sprintf("%d min", int(d.Round(time.Minute).Minutes()))
	}
	return fmt.Sprintf("%d h", int(d.Round(time.Hour).Hours()))
}
