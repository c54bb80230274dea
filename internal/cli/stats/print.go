package stats

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/cli/command"
	"github.com/agentsentinel/sentinel/internal/stats"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/scribe"
	"github.com/agentsentinel/sentinel/telemetry"
)

// How much of each list is shown in the terminal; --json has the rest.
const (
	shownRules   = 40
	shownRows    = 6
	shownTargets = 5
	shownSigns   = 20
	shownIdle    = 6 // names of rules that were never judged
)

// print shows the report in the terminal.
func print(r *stats.Report, env *command.Env) {
	p := &statsPrinter{Env: env, width: env.Width()}
	if r.Lines.Counted == 0 {
		p.Line("%s", p.fit("No records"+within(r)+" in "+text.OneLine(strings.Join(r.Logs, ", "))+"."))
		p.health(r)
		return
	}
	p.Line("%s", p.fit(text.OneLine(strings.Join(r.Logs, ", "))))
	p.Line("%s", p.fit(p.span(r)))
	p.Line("")
	for _, root := range r.Pinned {
		p.Line("%s", "pinned rules are in force in "+text.OneLine(root)+": `sentinel accept` shows why")
	}
	p.totals(r)
	p.over(r)
	p.rules(r)
	p.instructions(r)
	p.signs(r)
	p.groups("TRIGGERS", r.Triggers)
	p.groups("TOOLS", r.Tools)
	p.groups("AGENTS", r.Agents)
	p.groups("MODELS", r.Models)
	p.targets(r)
	p.work(r)
	p.findings(r)
	p.health(r)
}

// within says what was asked for, for a sentence.
func within(r *stats.Report) string {
	var parts []string
	if len(r.Opts.Rules) > 0 {
		parts = append(parts, "of "+text.OneLine(strings.Join(r.Opts.Rules, ", ")))
	}
	if r.Opts.Session != "" {
		parts = append(parts, "of session "+text.OneLine(r.Opts.Session))
	}
	if r.Opts.Agent != "" {
		parts = append(parts, "of "+text.OneLine(r.Opts.Agent))
	}
	if !r.Opts.Since.IsZero() {
		parts = append(parts, "since "+local(r.Opts.Since))
	}
	if !r.Opts.Until.IsZero() {
		parts = append(parts, "until "+local(r.Opts.Until))
	}
	if len(parts) == 0 {
		return ""
	}
	return " " + strings.Join(parts, " ")
}

func (p *statsPrinter) span(r *stats.Report) string {
	s := "all lines are from the future"
	if !r.First.IsZero() {
		s = local(r.First) + " to " + local(r.Last) + " UTC"
	}
	s += ", " + text.Many(r.Lines.Counted, "line")
	if r.Sessions > 0 {
		s += ", " + text.Many(r.Sessions, "session")
	}
	if w := within(r); w != "" {
		s += "," + w
	}
	return s
}

func (p *statsPrinter) totals(r *stats.Report) {
	s := r.Stats
	row := func(name string, parts ...string) {
		p.wrapped(fmt.Sprintf("  %-12s ", name), slices.DeleteFunc(parts, func(s string) bool { return s == "" }))
	}
	numbered := func(name string, n int64, parts ...string) {
		parts = slices.DeleteFunc(parts, func(s string) bool { return s == "" })
		number := text.Thousands(n)
		if len(parts) > 0 {
			number += ":"
		}
		p.wrapped(fmt.Sprintf("  %-12s %s ", name, number), parts)
	}
	some := func(n int64, format string, args ...any) string {
		if n == 0 {
			return ""
		}
		return fmt.Sprintf(format, args...)
	}
	if n := s.Calls(); n > 0 {
		numbered("calls", n, "allow "+text.Thousands(s.Allowed), some(s.Warned, "warn %s", text.Thousands(s.Warned)), some(s.Asked, "ask %s", text.Thousands(s.Asked)),
			"block "+text.Thousands(s.Blocked)+share(s.Blocked, n), some(s.Undecided, "undecided %s", text.Thousands(s.Undecided)))
	}
	numbered("evaluations", s.Evaluations, "violations "+text.Thousands(s.Violations)+share(s.Violations, s.Evaluations),
		some(s.Blocks, "blocks %s", text.Thousands(s.Blocks)), some(s.Asks, "asks %s", text.Thousands(s.Asks)), some(s.NearMisses, "near misses %s", text.Thousands(s.NearMisses)),
		some(s.Cached, "from the cache %s%s", text.Thousands(s.Cached), share(s.Cached, s.Evaluations)))
	numbered("not judged", s.Skipped+s.Unavailable, some(s.Unavailable, "unavailable %s", text.Thousands(s.Unavailable)),
		some(s.Skipped, "skipped %s", text.Thousands(s.Skipped)), some(s.Timeouts, "timeouts %s of these", text.Thousands(s.Timeouts)))
	if s.CallLatency.Count() > 0 {
		row("time", "half of the calls take at most "+millis(s.CallLatency.Quantile(0.5)), "95 of 100 "+millis(s.CallLatency.Quantile(0.95)))
	}
	if s.Overridden+s.Pauses+s.AskedFor > 0 {
		row("people", some(s.Overridden, "let through %s", text.Thousands(s.Overridden)), some(s.AskedFor, "asked for %s", text.Thousands(s.AskedFor)), some(s.Pauses, "paused or resumed %s", text.Many(s.Pauses, "time")))
	}
	if v := r.Verified; v != nil && v.Totals.Calls > 0 {
		t := &v.Totals
		row("verified", fmt.Sprintf("%s of the last %s", text.Count(t.Calls, "call"), text.Count(len(v.Sessions), "session")),
			fmt.Sprintf("hook asked about %d", t.Asked), fmt.Sprintf("checked %d", t.Checked), fmt.Sprintf("never seen %d%s", t.Never, share(int64(t.Never), int64(t.Calls))))
	}
	if n := s.PromptTokens + s.OutputTokens; n > 0 {
		row("spent", text.Many(n, "token"), fmt.Sprintf("cost %.4g", s.Cost))
	}
	if s.Unseen > 0 {
		row("unseen", text.Many(s.Unseen, "judgement")+" of which judges were not shown all: it was longer than content_windows times content_max_chars")
	}
	if s.Tainted > 0 {
		row("tainted", text.Many(s.Tainted, "answer")+" repeated the fence of the judged text")
	}
}

func (p *statsPrinter) over(r *stats.Report) {
	buckets, width, outside := r.Over(p.width - 26)
	if len(buckets) < 2 {
		return
	}
	p.head("OVER TIME", "each column "+span(width))
	row := func(name string, of func(*telemetry.Bucket) int64) {
		values := make([]int64, len(buckets))
		var top int64
		for i := range buckets {
			values[i] = of(&buckets[i])
			top = max(top, values[i])
		}
		if top > 0 {
			p.Line("%s", p.fit(strings.TrimRight(fmt.Sprintf("  %-12s %s  ≤ %s", name, spark(values), text.Thousands(top)), " ")))
		}
	}
	row("calls", func(b *telemetry.Bucket) int64 { return b.Calls() })
	row("evaluations", func(b *telemetry.Bucket) int64 { return b.Evaluations })
	row("violations", func(b *telemetry.Bucket) int64 { return b.Violations })
	row("blocks", func(b *telemetry.Bucket) int64 { return b.Blocks })
	row("not judged", func(b *telemetry.Bucket) int64 { return b.Unavailable + b.Skipped })
	if outside > 0 {
		p.Line("%s", p.fit(fmt.Sprintf("  %s far away from the others: not shown", text.Many(outside, "line"))))
	}
}

func (p *statsPrinter) rules(r *stats.Report) {
	if len(r.Rules) == 0 {
		return
	}
	rules := slices.Clone(r.Stats.Rules)
	slices.SortStableFunc(rules, func(a, b telemetry.RuleStats) int {
		return cmp.Or(cmp.Compare(b.Violations, a.Violations), cmp.Compare(b.Evaluations, a.Evaluations))
	})
	p.head("RULES", "")
	var rows [][]string
	for i := range rules[:min(len(rules), shownRules)] {
		u := &rules[i]
		severity := u.Severity
		if u.Shadow {
			severity = "shadow"
		}
		var values []int64
		for _, b := range u.Over(64) {
			values = append(values, b.Evaluations)
		}
		rows = append(rows, []string{
			text.Cut(text.OneLine(u.ID), 40), text.OneLine(severity), text.Thousands(u.Evaluations), text.Thousands(u.Violations), text.Thousands(u.NearMisses), text.Thousands(u.Unavailable + u.Skipped),
			millis(u.Latency.Quantile(0.5)), millis(u.Latency.Quantile(0.95)), fmt.Sprintf("%.2f", u.Confidence.Mean()), spark(narrow(values, 10)),
		})
	}
	p.table([]string{"rule", "severity", "judged", "viol.", "near", "not", "p50", "p95", "conf.", "trend"}, rows, 6)
	p.more(len(rules), shownRules, "rule")
}

// instructions shows the lines of instruction files that rules come from.
func (p *statsPrinter) instructions(r *stats.Report) {
	lines := r.Counted()
	if len(lines) == 0 {
		return
	}
	p.head("INSTRUCTIONS", "in how many calls each line held")
	header := []string{"line", "held", "broken"}
	rows := [][]string{header}
	for i := range lines[:min(len(lines), shownRules)] {
		l := &lines[i]
		source := l.Source + text.When(l.Stale != "", " (stale)") + text.When(l.Shadow, " (shadow)")
		rows = append(rows, []string{text.Cut(source, 40), text.Thousands(l.Held), text.Thousands(l.Broken)})
	}
	widths := widthsOf(rows)
	for i, row := range rows {
		said := "it says"
		if i > 0 {
			said = lines[i-1].Quote
		}
		p.Line("%s", p.fit(tableLine(row, widths)+"  "+said))
	}
	p.more(len(lines), shownRules, "line")
}

func (p *statsPrinter) more(all, shown int, what string) {
	if all > shown {
		p.Line("%s", p.fit(fmt.Sprintf("  and %d more %s; --json has all", all-shown, what+text.Unless(all-shown == 1, "s"))))
	}
}

func (p *statsPrinter) signs(r *stats.Report) {
	signs := r.Notable()
	if len(signs) == 0 {
		return
	}
	p.head("LOOK AT", "")
	var idle []string // rules that nothing came to: many in any project, and all alike
	signs = slices.DeleteFunc(signs, func(s telemetry.Sign) bool {
		if s.Kind == telemetry.SignNever {
			idle = append(idle, text.OneLine(s.Rule))
		}
		return s.Kind == telemetry.SignNever
	})
	for _, s := range signs[:min(len(signs), shownSigns)] {
		p.sign(s.Kind, text.OneLine(s.Rule)+": "+s.Text)
	}
	p.more(len(signs), shownSigns, "sign")
	if len(idle) > 0 {
		p.sign(telemetry.SignNever, neverJudged(idle))
	}
}

func (p *statsPrinter) sign(kind telemetry.SignKind, text string) {
	p.Flow(fmt.Sprintf("  %-10s ", kind), strings.Fields(text))
}

// neverJudged says of rules that no call was about any of them.
func neverJudged(ids []string) string {
	if len(ids) == 1 {
		return ids[0] + ": was never judged in this time: no call was within its scope"
	}
	names := strings.Join(ids[:min(len(ids), shownIdle)], ", ")
	if rest := len(ids) - shownIdle; rest > 0 {
		names += fmt.Sprintf(" and %d more", rest)
	}
	return fmt.Sprintf("%d rules were never judged in this time, since no call was within their scope: %s", len(ids), names)
}

func (p *statsPrinter) groups(title string, groups []telemetry.Group) {
	if len(groups) == 0 {
		return
	}
	p.head(title, "")
	var rows [][]string
	for i := range groups[:min(len(groups), shownRows)] {
		g := &groups[i]
		name := text.OneLine(g.Name)
		if g.Backend != "" && g.Backend != g.Name {
			name += " (" + text.OneLine(g.Backend) + ")"
		}
		rows = append(rows, []string{
			name, text.Thousands(g.Evaluations), text.Thousands(g.Violations), text.Thousands(g.Unavailable + g.Skipped), millis(g.Latency.Quantile(0.5)), millis(g.Latency.Quantile(0.95)),
			text.Thousands(g.PromptTokens + g.OutputTokens),
		})
	}
	p.table([]string{strings.ToLower(strings.TrimSuffix(title, "S")), "judged", "viol.", "not", "p50", "p95", "tokens"}, rows, 4)
	p.more(len(groups), shownRows, strings.ToLower(strings.TrimSuffix(title, "S")))
}

func (p *statsPrinter) targets(r *stats.Report) {
	if len(r.Violated) > 0 {
		p.head("TARGETS WITH MOST VIOLATIONS", "")
		for _, t := range r.Violated[:min(len(r.Violated), shownTargets)] {
			p.Line("%s", p.fit(fmt.Sprintf("  %6s  %s", atLeast(t), text.OneLine(t.Text))))
		}
	}
	if len(r.Contests) > 0 {
		p.head("CONTESTED BLOCKS", "tried again within ten minutes")
		for _, c := range r.Contests[:min(len(r.Contests), shownTargets)] {
			what := text.Many(c.Tries, "time")
			if c.Insisted > 0 {
				what += ", then went through"
			}
			p.Line("%s", p.fit(fmt.Sprintf("  %s: %s (%s)", text.OneLine(c.Rule), text.OneLine(c.Target), what)))
		}
	}
	if len(r.Flaky) > 0 {
		p.head("JUDGED IN DIFFERENT WAYS", "")
		for _, f := range r.Flaky[:min(len(r.Flaky), shownTargets)] {
			p.Line("%s", p.fit(fmt.Sprintf("  %s: %d × pass, %d × violation: %s", text.OneLine(f.Rule), f.Pass, f.Violations, text.OneLine(f.Target))))
		}
	}
}

// atLeast is a count that may lack some.
func atLeast(c telemetry.Count) string {
	if c.Missed > 0 {
		return "≥ " + text.Thousands(c.N)
	}
	return text.Thousands(c.N)
}

func (p *statsPrinter) work(r *stats.Report) {
	l := r.Learned
	if r.Context.Runs+r.Scribe.Runs == 0 && (l == nil || len(l.Last)+l.Dismissals+l.Drafts == 0) {
		return
	}
	p.head("BEHIND THE SESSIONS", "")
	row := func(name string, w *telemetry.Pipeline) {
		if w.Runs == 0 {
			return
		}
		parts := []string{text.Many(w.Runs, "run")}
		if w.Skipped > 0 {
			parts = append(parts, "skipped "+text.Thousands(w.Skipped))
		}
		if w.Failed > 0 {
			parts = append(parts, "failed "+text.Thousands(w.Failed))
		}
		parts = append(parts, "takes "+millis(w.Latency.Quantile(0.5)))
		p.wrapped(fmt.Sprintf("  %-12s ", name), parts)
	}
	row("summaries", &r.Context)
	row("scribe", &r.Scribe)
	if l == nil {
		return
	}
	if n := len(l.Last); n > 0 {
		var parts []string
		for _, state := range []scribe.State{scribe.Observed, scribe.Drafted, scribe.Promoted, scribe.Redundant, scribe.Dismissed} {
			if n := l.Observations[state]; n > 0 {
				parts = append(parts, fmt.Sprintf("%s %d", state, n))
			}
		}
		p.wrapped("  conventions  ", parts)
	}
	if l.Drafts+l.Dismissals > 0 {
		p.wrapped("  drafts       ", []string{fmt.Sprintf("%d wait for you", l.Drafts), text.Count(l.Dismissals, "dismissal")})
	}
	if l.Problem != "" {
		p.Line("%s", p.fit("  "+l.Problem))
	}
}

func (p *statsPrinter) findings(r *stats.Report) {
	if len(r.Recent) == 0 {
		return
	}
	p.head("LAST FINDINGS", "times in UTC")
	for i := range r.Recent {
		f := &r.Recent[i]
		word := f.Outcome
		switch {
		case f.Level == telemetry.LevelAllowed:
			word = "let through"
		case f.NearMiss:
			word = "near miss"
		case f.Mode != "":
			word += ", " + f.Mode
		case f.Violation && f.Severity != "":
			word = f.Severity
		}
		parts := []string{local(f.Time), text.OneLine(f.ID), text.OneLine(f.RuleID), text.OneLine(word), text.OneLine(f.Target)}
		p.Line("%s", p.fit("  "+strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "  ")))
		if why := cmp.Or(f.Reason, f.Error); why != "" {
			p.Line("%s", p.fit("      "+text.OneLine(why)))
		}
	}
}

// health says which files are not in force, and what in the log could not be counted.
func (p *statsPrinter) health(r *stats.Report) {
	if n := len(r.Broken); n > 0 {
		p.Line("%s %s not in force: %s", text.Count(n, "file"), text.When(n == 1, "is")+text.When(n > 1, "are"), r.Broken[0])
	}
	l := &r.Lines
	var parts []string
	for _, part := range []struct {
		n    int64
		what string
	}{
		{l.Torn, "torn"}, {l.Foreign, "no records"}, {l.TooLong, "too long"}, {l.Unknown, "of a kind that this version does not know"},
		{l.Ahead, "from the future"}, {l.Backward, "older than the line before"},
	} {
		if part.n > 0 {
			parts = append(parts, text.Thousands(part.n)+" "+part.what)
		}
	}
	if n := r.Left.RuleLines + r.Left.GroupLines + r.Left.SpentCalls + r.Left.Contests; n > 0 {
		parts = append(parts, text.Thousands(n)+" in no row, since there are too many different names")
	}
	if len(parts) > 0 {
		p.head("LINES", "")
		p.wrapped("  ", parts)
	}
}
